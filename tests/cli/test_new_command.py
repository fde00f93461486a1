"""`gough new`: files that can be used at once, and say what each key means."""

import json
import re
import tomllib
from itertools import pairwise

import pytest

import gough as library
from gough.design.reading import new_design
from gough.robot.files import kinds, new_robot
from gough.studies import Study
from gough.studies.reading import new_study

FORCE = 2500.0
"""What an actuator of the new hexapod can push with [N]."""


def with_examples(text):
    """The text with all that may be added to it."""
    return re.sub(r"^#(?=\w+ = |\[)", "", text, flags=re.M)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_new_hexapod_is_sound_and_a_study_of_it_can_be_run(gough, tmp_path):
    said = gough("new", "robot", "simulator")
    assert said.out.startswith("wrote simulator.toml")
    steps = [line.split()[1:] for line in said.out.splitlines()[1:]]
    assert [step[0] for step in steps] == ["check", "show", "new"]
    for step in steps:
        assert gough(*step).code == 0
    found = json.loads(gough("check", "simulator.toml", "--json").out)
    assert (found["name"], found["warnings"], found["notes"]) == ("simulator", [], [])
    assert gough("run", "my-study.toml", "--output", "results", "--no-report").code == 0
    peak = library.analysis.Results.load(tmp_path / "results").summary["peak_force"].value
    weight = 9.81 * (150 + 6 * 3.2)
    assert weight / 6 < peak < FORCE


@pytest.mark.parametrize("kind", kinds()[1:])
def test_a_new_machine_of_the_library_has_its_numbers(kind, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(new_robot(kind, "mine"), "utf-8")
    mine = library.load(path)
    assert mine.name == "mine"
    assert mine.fingerprint == library.load(kind).fingerprint


def test_every_line_of_a_new_file_is_explained():
    text = new_robot("hexapod", "mine")
    lines = text.splitlines()
    for before, line in pairwise(lines):
        if re.match(r"#?(\w+ = |\[)", line):
            assert before.startswith("# ") or "  # " in line, line


def test_what_a_new_hexapod_may_have_besides_is_valid_too():
    robot = library.Robot.from_dict(tomllib.loads(with_examples(new_robot("hexapod", "mine"))))
    assert all(actuator.drive and actuator.stop for actuator in robot.actuators)
    assert robot.platform.home.quaternion != (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("robot", "kind"),
    [("demo-hexapod", "line"), ("planar-3rrr", "line"), ("agile-eye", "rotation")],
)
def test_a_new_study_moves_as_the_machine_can(gough, robot, kind):
    assert gough("new", "study", "mine.toml", "--robot", robot).code == 0
    assert gough("check", "mine.toml").code == 0
    assert Study.load("mine.toml").written["motion"]["kind"] == kind


def test_what_a_new_study_may_have_besides_is_valid_too():
    text = with_examples(new_study("mine", library.load("demo-hexapod"), "demo-hexapod"))
    study = Study.from_dict(tomllib.loads(text))
    assert (len(study.tasks), study.shape, study.static) == (2, (3,), True)


@pytest.mark.parametrize("robot", ["demo-hexapod", "kalani-2016", "delta", "five-bar"])
def test_a_new_design_is_of_sizes_and_freedoms_of_the_machine(gough, robot):
    assert gough("new", "design", "mine.toml", "--robot", robot).code == 0
    assert gough("check", "mine.toml").code == 0
    design = library.Design.load("mine.toml")
    freedoms = {"demo-hexapod": 6, "kalani-2016": 6, "delta": 3, "five-bar": 0}[robot]
    assert len(design.demands[0]) == 2**freedoms
    space = design.problem.space
    assert space.start == pytest.approx((space.low + space.high) / 2, rel=1e-3)


def test_what_a_new_design_may_have_besides_is_valid_too():
    text = with_examples(new_design("mine", library.load("delta"), "delta"))
    design = library.Design.from_dict(tomllib.loads(text))
    assert [one.name for one in design.objectives] == ["force", "reach"]
    assert design.demands[0].wrench.any()


def test_a_robot_file_is_found_from_the_folder_of_the_study(gough, tmp_path):
    (tmp_path / "robots").mkdir()
    (tmp_path / "studies").mkdir()
    gough("new", "robot", "robots/mine", "--like", "delta")
    assert gough("new", "study", "studies/way", "--robot", "robots/mine.toml").code == 0
    assert Study.load("studies/way.toml").robot.name == "mine"


def test_a_file_that_is_there_is_not_written_over(gough, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("precious")
    assert "is there already" in gough("new", "robot", "mine").complaint()
    assert path.read_text() == "precious"
    assert gough("new", "robot", "mine", "--overwrite").code == 0
    assert library.load(path).name == "mine"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("robot", "--like", "dleta"), 'did you mean "delta"?'),
        (("robot", "--robot", "delta"), "--robot is for studies and designs"),
        (("study", "--like", "delta"), "--like is for robots"),
        (("robot", "a\nb"), "cannot be used"),
        (("study", "way.json"), "'way.json' cannot be used; expected a name like my-machine.toml"),
    ],
)
def test_wrong_words_are_refused(gough, words, complaint):
    assert complaint in gough("new", *words).complaint(code=2)


def test_a_folder_that_is_not_there_is_named(gough):
    assert (
        "nowhere/mine.toml: cannot be written" in gough("new", "robot", "nowhere/mine").complaint()
    )
