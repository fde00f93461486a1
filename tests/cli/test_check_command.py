"""`gough check`: what a file describes, and what in it was perhaps not meant."""

import copy
import json
import math
from pathlib import Path

import pytest

import gough as library
from gough.robot.remarks import robot_remarks
from gough.runs.checking import check_file

ROOT = Path(__file__).parents[2]
DEMO = library.load("demo-hexapod").to_dict()
_LEGS = "leg 1, leg 2, leg 3, leg 4, leg 5, leg 6"


@pytest.fixture
def checked(gough, tmp_path):
    """The warnings and notes on the demo hexapod after some changes."""

    def notes(change):
        data = copy.deepcopy(DEMO)
        change(data)
        (tmp_path / "mine.json").write_text(json.dumps(data))
        done = gough("check", tmp_path / "mine.json", "--json")
        assert (done.code, done.err) == (0, "")
        found = json.loads(done.out)
        return found["warnings"] + found["notes"]

    return notes


@pytest.mark.parametrize("name", library.library_names())
def test_the_library_has_no_odd_machines(name):
    """Nor singular ones: test_library_machines.py, and of hexapods test_singularity_words.py."""
    remarks = " ".join(robot_remarks(library.load(name)))
    for words in ("mass centre", "meant?"):
        assert words not in remarks


def test_a_machine_that_is_singular_at_home_is_told(checked):
    def similar(data):
        """Platform and base joints are similar and in line: the platform can turn about z."""
        for key in ("stroke", "base_joint_limit", "platform_joint_limit"):
            data["leg"].pop(key)
        for leg in data["legs"]:
            leg["platform"] = [0.5 * leg["base"][0], 0.5 * leg["base"][1], 0.0]
        data["platform"]["home"] = {"position": [0, 0, 1]}

    assert any(note.startswith("at home singular") for note in checked(similar))
    assert not any("singular" in note for note in checked(lambda data: None))


def test_a_platform_whose_joints_meet_in_a_point_is_singular(checked):
    def to_a_point(data):
        data["leg"].pop("stroke")
        for leg in data["legs"]:
            leg["platform"] = [0, 0, 0]

    assert any(note.startswith("at home singular") for note in checked(to_a_point))


@pytest.mark.parametrize(("part", "other"), [("cylinder", "platform"), ("piston", "base")])
def test_a_mass_centre_beyond_the_leg_is_told(checked, part, other):
    def far(data):
        data["leg"].pop("connector", None)
        data["leg"][part]["center_of_mass"] = 5.0

    words = f"leg 1, 2, 3, 4, 5, 6: the mass centre of the {part} lies beyond the {other} joint"
    assert any(note.startswith(words) for note in checked(far))


def test_a_machine_in_millimetres_is_told(checked):
    def huge(data):
        data["leg"].pop("stroke")
        for leg in data["legs"]:
            leg["base"] = [1000 * x for x in leg["base"]]

    size = max(1000 * math.hypot(*leg["base"]) for leg in DEMO["legs"])
    assert any(note.endswith(f'was "{size:.6g} mm" meant?') for note in checked(huge))


def test_studies_are_checked_without_running_them(gough, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = json.loads(gough("check", ROOT / "studies/demo-machining.toml", "--json").out)
    assert (study["kind"], study["name"], study["robot"]) == (
        "study", "demo-machining", "demo-hexapod",
    )  # fmt: skip
    varied = json.loads(gough("check", ROOT / "studies/baiges-half-turn.toml", "--json").out)
    assert varied["variations"] == 3
    path = ROOT / "studies/simulation/demo-pid.toml"
    assert json.loads(gough("check", path, "--json").out)["controller"] == "joint-pid"
    for path in ("studies/demo-machining.toml", "studies/simulation/demo-pid.toml"):
        assert gough("check", ROOT / path).out.startswith(f"{ROOT / path}: ok")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("robot", "height", "problems"),
    [
        ("delta", 0.2, []),
        ("delta", 0.4, ["the machine does not reach 15 of 101 samples, first at 0.86 s"]),
        ("demo-hexapod", 1.0, [f"6 actuators ({_LEGS}) exceed their range by 0.7418 m at 1 s"]),
    ],
)
def test_motions_that_a_machine_does_not_reach_are_told(gough, tmp_path, robot, height, problems):
    motion = {"kind": "line", "displacement": [0, 0, height], "duration": 1}
    study = {"schema": "gough-study/1", "name": "far", "robot": robot, "samples": 101}
    (tmp_path / "far.json").write_text(json.dumps(study | {"motion": motion}))
    told = json.loads(gough("check", tmp_path / "far.json", "--json").out)["warnings"]
    assert bool(told) == bool(problems)
    assert set(problems) <= set(told)


def test_a_simulation_has_its_own_samples(gough, tmp_path):
    path = tmp_path / "short.toml"
    path.write_text(
        'schema = "gough-study/1"\nname = "short"\nrobot = "demo-hexapod"\n'
        '[motion]\nkind = "line"\ndisplacement = [0, 0, 0.01]\nduration = 1\n'
        '[controller]\nkind = "computed-torque"\nfrequency = 5\nspace = "task"\n'
        '[simulation]\nduration = 0.3\nperiod = "1 ms"\nevery = 10\n'
    )
    facts = json.loads(gough("check", path, "--json").out)
    assert (facts["duration"], facts["samples"]) == (0.3, 31)
    assert facts["controller"] == "computed-torque-task"


@pytest.mark.parametrize(
    ("command", "file", "words"),
    [
        ("run", "robot", "a robot, not a study; expected a study file; 'gough show' shows robots"),
        ("show", "study", "a study, not a robot; expected a robot file; 'gough run'"),
        ("pose ik", "study", "a study, not a robot"),
        ("run", "design", "a design, not a study; expected a study file; 'gough design'"),
        ("show", "design", "a design, not a robot; expected a robot file; 'gough design'"),
        ("design", "study", "a study, not a design; expected a design file; 'gough run'"),
        ("design", "robot", "a robot, not a design; expected a design file; 'gough show'"),
        ("show", "catalogue", "a catalogue, not a robot; expected a robot file; 'gough select'"),
    ],
)
def test_a_file_for_another_command_is_recognized(gough, command, file, words):
    files = {
        "robot": "src/gough/robot/library/demo-hexapod.toml",
        "study": "studies/demo-machining.toml",
        "design": "designs/mover.toml",
        "catalogue": "src/gough/sizing/library/electric-cylinders.toml",
    }
    assert words in gough(command, ROOT / files[file]).complaint(1)


def test_masses_of_legs_are_those_of_each_and_of_all():
    facts = check_file(ROOT / "src/gough/robot/library/kalani-2016.toml").facts
    assert facts["mass_of_each_leg"] == pytest.approx(0.2)
    assert facts["mass_of_all_legs"] == pytest.approx(1.2)


def test_tables_of_learning_are_checked(gough, tmp_path):
    task = ROOT / "src/gough/learning/library/ball-on-plate.toml"
    facts = check_file(task).facts
    assert (facts["actions"], facts["observations"]) == (["rx", "ry"], 10)
    wrong = tmp_path / "task.toml"
    wrong.write_text(task.read_text().replace('limit = "8 deg"', 'limit = "8 mm"'))
    assert 'learning.action.limit: "8 mm" is a length' in gough("check", wrong).complaint(1)
