"""A machine with motors that turn and motors that slide: no figure of either is left out."""

import json
import re

from drawn_machines import UP, Drawer, around

from gough.report.study_page import figure_cards
from gough.studies import run


def cranks_and_a_slide():
    """A planar machine with two cranks and an extensible leg."""
    d = Drawer(0)
    for i in range(3):
        places = ([0.4, 0, 0], [0.3, 0.2, 0], [0.1, 0, 0])
        foot, knee, wrist = (around(2.094 * i) @ place for place in places)
        first, second = d.body(f"first{i}", foot, knee), d.body(f"second{i}", knee, wrist)
        d.joint(f"foot{i}", "R", ("base", first), foot, UP, driven=i < 2)
        if i < 2:
            d.joint(f"knee{i}", "R", (first, second), knee, UP)
        else:
            d.joint("slide", "P", (first, second), foot, wrist - foot, driven=True)
        d.joint(f"wrist{i}", "R", (second, "platform"), wrist, UP)
    return d.machine("mixed", ("x", "y", "rz"), [0, 0, 0])


STUDY = {
    "schema": "gough-study/1",
    "name": "mixed",
    "robot": cranks_and_a_slide().to_dict(),
    "samples": 21,
    "motion": {"kind": "line", "displacement": [0.02, 0.01, 0], "duration": 1},
}


def test_both_kinds_of_motors_have_figures_on_the_screen(gough, tmp_path):
    (tmp_path / "study.json").write_text(json.dumps(STUDY))
    shown = gough("run", tmp_path / "study.json", "--output", tmp_path / "found").out
    for figure, unit, place in (
        ("peak torque rotary", "N m", "foot[01]"),
        ("peak force linear", "N", "slide"),
        ("peak actuator speed rotary", "rad/s", "foot[01]"),
        ("peak actuator speed linear", "m/s", "slide"),
    ):
        assert re.search(rf"{figure} +[\d.e-]+ +{unit} +{place} ", shown)


def test_both_kinds_of_motors_have_cards_in_the_report():
    found = run(STUDY)
    cards = figure_cards(found, found.summary)
    units = {card.title: card.unit for card in cards}
    assert (units["Peak torque rotary"], units["Peak force linear"]) == ("N m", "N")
