"""`gough select`, `gough workspace box` and maps of grids, as people type them."""

from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "studies" / "demo-machining.toml"


def words_of(outcome):
    return " ".join(outcome.out.split())


def test_select_says_which_suffice_and_why_others_do_not(gough, tmp_path):
    page, robot = tmp_path / "page.html", tmp_path / "robot.toml"
    done = gough("select", "demo-hexapod", STUDY, "--report", page, "-o", robot)
    assert done.code == 0
    text = words_of(done)
    assert "3 kN, 0.5 m yes 46.2 continuous force" in text
    assert "retracted length: needs 1.02 m of 0.8893 m (115 %)" in text
    assert "stroke needed 0.2576 m" in text
    assert "screw life" in text
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert gough("check", robot).code == 0


def test_select_does_not_write_a_robot_that_nothing_suffices_for(gough, tmp_path):
    catalogue = tmp_path / "weak.toml"
    catalogue.write_text(
        'schema = "gough-catalogue/1"\nname = "weak"\n[[actuators]]\nname = "weak"\n'
        'stroke = 0.4\nretracted_length = 0.7\npeak_force = "10 N"\nmax_speed = 1\n'
    )
    arguments = ("select", "demo-hexapod", STUDY, "-c", catalogue, "-o", tmp_path / "robot.toml")
    line = gough(*arguments).complaint()
    assert "no actuator of weak suffices, so" in line
    assert "name one with --actuator" in line
    assert gough(*arguments, "--actuator", "weak").code == 0


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["demo-hexapod"], 2, "missing argument 'STUDY'"),
        (["demo-hexapod", "none.toml"], 1, "none.toml: no such file; expected a study file"),
        (["demo-hexapod", STUDY, "--life", "-1"], 2, "out of range, got -1 h; expected 0 to"),
        (["demo-hexapod", STUDY, "-c", "none.toml"], 1, "expected a catalogue of actuators"),
        (["demo-hexapod", STUDY, "-c", "electric-cylindrs"], 1, 'own, "electric-cylinders"'),
        (["demo-hexapod", STUDY, "-c", STUDY], 1, "a study, not a catalogue; expected"),
        (["demo-hexapod", STUDY, "--actuator", "x"], 1, "no actuator 'x' in electric-cylinders"),
    ],
)
def test_select_refuses_what_it_cannot_do(gough, words, code, complaint):
    assert complaint in gough("select", *words).complaint(code)


def test_reach_names_the_worst_pose_and_what_is_proved(gough):
    done = gough(
        "workspace box",
        "demo-hexapod",
        "--translation",
        "4cm",
        "4cm",
        "4cm",
        "--rotation",
        "8deg",
        "8deg",
        "8deg",
    )
    text = words_of(done)
    assert "reaches ± 0.04 0.04 0.04 m with ± 8 8 8 deg" in text
    assert "stroke leg 1 0.01556 m -0.04 -0.04 1.03 -8 -8 -8" in text
    assert "limits proved for all poses stroke" in text


def test_reach_refuses_a_box_without_sides(gough):
    line = gough("workspace box", "demo-hexapod").complaint()
    assert (
        line
        == "gough: a box without sides; expected --translation or --rotation, and a number above 0"
    )


def test_a_map_needs_variations(gough, tmp_path):
    gough("run", STUDY, "--output", tmp_path / "one", "--no-report")
    line = gough("plot", tmp_path / "one", "force", "--heatmap").complaint(2)
    assert "these results have no variations" in line


def test_the_schema_of_catalogues_is_printed(gough):
    assert '"gough-catalogue/1"' in gough("schema", "catalogue").out
