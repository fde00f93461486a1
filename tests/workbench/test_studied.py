"""What the page is told of a study: waypoints if they make its motion, else samples; and errors."""

from base64 import b64decode

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.workbench.studied import MOST_SAMPLES, studied
from gough.workbench.writing import workbench_page

ROBOT = gough.load("demo-hexapod")
STUDY = {"schema": "gough-study/1", "name": "mine", "robot": "demo-hexapod"}
LINE = {"kind": "line", "displacement": [0.05, 0.02, 0.03], "duration": 1.5}
BACK = LINE | {"displacement": [-0.02, 0.0, 0.01], "duration": 0.5}


def told(**facts):
    return studied(ROBOT, gough.Study.from_dict(STUDY | {"motion": LINE} | facts)).study


def numbers(text, *shape):
    return np.frombuffer(b64decode(text), dtype="<f8").reshape(shape)


@pytest.mark.parametrize("profile", ["quintic", "cycloidal", "cosine", "trapezoidal", "s-curve"])
def test_lines_with_one_profile_are_waypoints(profile):
    parts = [LINE | {"profile": profile}, BACK | {"profile": profile}]
    way = told(motion={"kind": "sequence", "parts": parts})["way"]
    assert way["profile"] == profile
    np.testing.assert_allclose([point["seconds"] for point in way["points"][1:]], [1.5, 0.5])
    ends = np.cumsum([ROBOT.home[:3], LINE["displacement"], BACK["displacement"]], axis=0)
    np.testing.assert_allclose([point["pose"][:3] for point in way["points"]], ends, atol=1e-15)


def test_other_motions_are_samples_to_the_last_bit():
    for motion in (
        {"kind": "sequence", "parts": [LINE, BACK | {"profile": "cosine"}]},
        LINE | {"profile": {"kind": "trapezoidal", "ramp": 0.25}},
        {"kind": "rotation", "axis": [0, 0, 1], "point": [0.3, 0, 0], "angle": 0.2, "duration": 1},
    ):
        study = gough.Study.from_dict(STUDY | {"motion": motion, "samples": 21})
        found = studied(ROBOT, study).study
        assert found["way"] is None
        expected = study.motion(study.times())
        np.testing.assert_array_equal(numbers(found["samples"]["pose"], 21, 7), expected.pose)
        twist = numbers(found["samples"]["twist"], 21, 6)
        np.testing.assert_array_equal(twist, expected.twist)


def test_a_static_study_is_at_rest_at_each_of_its_samples():
    found = told(analysis="static", samples=11)
    assert not numbers(found["samples"]["twist"], 11, 6).any()
    assert not numbers(found["samples"]["acceleration"], 11, 6).any()
    assert any("static" in words for words in found["remarks"])


def test_payloads_that_stay_are_one_body_and_others_come_and_go():
    masses = [
        {"kind": "payload", "mass": 2, "center_of_mass": [0.1, 0, 0]},
        {"kind": "payload", "mass": 1, "center_of_mass": [0.4, 0, 0]},
    ]
    load = told(tasks=masses)["load"]
    assert load["mass"] == 3.0
    np.testing.assert_allclose(load["centre"], [0.2, 0, 0])
    between = 2 * 0.1**2 + 1 * 0.2**2  # of two points about their common centre
    np.testing.assert_allclose(load["inertia"], [0, between, between, 0, 0, 0], atol=1e-15)
    found = told(tasks=[masses[0], masses[1] | {"active": [0.3, 0.9]}], samples=16)
    assert found["load"]["mass"] == 2.0
    bodies = [(body["first"], body["mass"]) for body in found["samples"]["bodies"]]
    assert bodies == [(0, 0.0), (3, 1.0), (9, 0.0)]  # a sample each 0.1 s


def test_a_long_study_is_thinned_in_words():
    study = gough.Study.from_dict(STUDY | {"motion": LINE, "samples": 90_001, "analysis": "static"})
    shown = studied(ROBOT, study)
    assert shown.samples == MOST_SAMPLES
    time = numbers(shown.study["samples"]["time"], MOST_SAMPLES)
    assert set(time) <= set(study.times())
    assert time[-1] == 1.5
    assert "2001 of its 90001 samples" in " ".join(shown.study["remarks"])


def test_balance_changes_and_formulations_are_said():
    balance = told(balance={"mass": 2.0, "distance": 0.1})["remarks"]
    assert "balancing masses are part of the machine" in " ".join(balance)
    changed = told(changes={"robot.platform.mass": 99})["remarks"]
    assert "as the study has it" in " ".join(changed)
    assert "by kane" in " ".join(told(formulation="kane")["remarks"])


def test_what_cannot_be_shown_is_an_error_that_says_why():
    with pytest.raises(GoughError, match="a study of the robot demo-hexapod, not of delta"):
        workbench_page(gough.load("delta"), study=STUDY | {"motion": LINE})
    grid = STUDY | {
        "motion": LINE,
        "variations": [{"parameter": "motion.duration", "values": [1, 2]}],
    }
    with pytest.raises(GoughError, match="2 variations; expected the number of one"):
        workbench_page(ROBOT, study=grid)
    with pytest.raises(GoughError, match="no variation 2; expected 0 to 1"):
        workbench_page(ROBOT, study=grid, point=2)
    with pytest.raises(GoughError, match="only studies have points"):
        workbench_page(ROBOT, point=1)
    way = studied(ROBOT, gough.Study.from_dict(grid), 1).study["way"]
    assert way["points"][1]["seconds"] == 2.0
