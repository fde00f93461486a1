"""What notebooks show: small cards with units, whole as HTML, and nothing of a user's as markup."""

from xml.etree import ElementTree

import numpy as np
import pytest

import gough
from gough.display import SketchLine, card, sketch

NAME = 'x <script>alert("&")</script>'
STUDY = {
    "schema": "gough-study/1",
    "name": "x <b>",
    "robot": "demo-hexapod",
    "motion": {"kind": "line", "displacement": [0.1, 0, 0.12], "duration": 0.4},
    "samples": 101,
}
VARIED = {"name": "load", "parameter": "robot.platform.mass", "values": ["100 kg", "200 kg"]}
CONTROLLER = {"kind": "pd-gravity", "gains": {"kp": 1e5, "kd": 1e4}}
CASES = [{"name": "one", "changes": {}}]


def text_of(thing):
    """The words of a card, which must be well-formed."""
    return " ".join(" ".join(ElementTree.fromstring(thing._repr_html_()).itertext()).split())


@pytest.mark.parametrize("name", gough.library_names())
def test_every_robot_has_a_small_card(name):
    robot = gough.load(name)
    page = robot._repr_html_()
    assert len(page) < 9000
    text = text_of(robot)
    assert name in text
    assert f"{len(robot.actuators)} " in text
    assert " kg" in text


def test_what_users_write_is_not_markup():
    robot = gough.load("kalani-2016").replace(name=NAME, notes=NAME)
    assert "<script>" not in robot._repr_html_()
    assert NAME in text_of(robot)
    assert "<b>" in text_of(gough.run(STUDY))


def test_limits_are_shown_with_units():
    assert "0.763 to 1.163 m" in text_of(gough.load("demo-hexapod"))
    assert "-45 to 80 deg" in text_of(gough.load("delta"))
    assert "130 N m" in text_of(gough.load("delta"))


def test_models_and_kernels_say_what_they_take():
    model = gough.Model(gough.load("delta"))
    assert "3 actuators; degrees of freedom x y z" in text_of(model)
    text = text_of(model.inverse_dynamics)
    assert "efforts of the driven joints" in text
    assert "(..., 7)" in text


def test_results_show_figures_with_units_and_warnings():
    found = gough.run(STUDY)
    text = text_of(found)
    peak = found.summary["peak_force"]
    assert f"peak force {peak.value:.5g} N {peak.place} {peak.time:.4g}" in text
    assert found.warnings[0] in text


def test_grids_simulations_and_comparisons_have_cards():
    grid = gough.run({**STUDY, "variations": [VARIED]})
    assert "2 values, 100 to 200 kg" in text_of(grid)
    for peak in grid["peak_force"]:
        assert f"{peak:.5g}" in text_of(grid)
    run = {**STUDY, "controller": CONTROLLER}
    followed = text_of(gough.run(run))
    assert "pd-gravity" in followed
    assert "peak position error" in followed
    compared = text_of(gough.run({**run, "cases": CASES}))
    assert "ended completed" in compared


def test_only_the_first_warnings_are_shown():
    page = card("a", "b", warnings=[f"warning {k}" for k in range(9)])
    assert "warning 4" in page
    assert "warning 5" not in page
    assert "and 4 more warnings" in page


def test_a_drawing_fills_its_frame_and_one_of_nothing_is_empty():
    cube = [
        SketchLine("leg", ((0, 0, 0), (0, 0, 1))),
        SketchLine("base", ((0, 0, 0), (1, 0, 0), (0, 1, 0))),
    ]
    drawing = ElementTree.fromstring(sketch(cube))
    places = [
        [float(x) for x in pair.split(",")]
        for shape in drawing.iter()
        for pair in shape.get("points", "").split()
    ]
    _, _, width, height = map(float, drawing.get("viewBox").split())
    assert np.min(places) >= 0
    assert (np.max(places, axis=0) <= [width, height]).all()
    assert sketch([SketchLine("leg", ((0, 0, 0), (0, 0, 0)))]) == ""
