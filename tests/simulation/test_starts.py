"""Runs that begin at a given state: in Python, and in study files."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError, InputError
from gough.motion import hold
from gough.simulation import Sampling, Stepper, computed_torque, open_loop, rigid_plant

KALANI, DELTA = gough.load("kalani-2016"), gough.load("delta")
HOME = np.array(KALANI.home)
TWIST = np.array([0.1, -0.2, 0.05, 0.3, 0.1, -0.2])
STUDY = {
    "schema": "gough-study/1",
    "name": "pushed",
    "robot": "kalani-2016",
    "motion": {"kind": "hold", "duration": 0.02},
    "controller": {"kind": "computed-torque", "gains": {"kp": 100, "kd": 20}},
}


def held(robot, start, **how):
    rest = hold(robot.home, 0.02)
    return gough.simulate(gough.Scenario(robot, computed_torque(100, 20), rest, start=start, **how))


def test_a_run_begins_with_the_pose_and_the_twist_that_are_given():
    pose = HOME + [0.01, 0, 0.02, 0, 0, 0, 0]
    found = held(KALANI, (pose, TWIST))
    assert found["pose"][0] == pytest.approx(pose)
    assert found["twist"][0] == pytest.approx(TWIST)
    moved = found["pose"][1, :3] - found["pose"][0, :3]
    assert moved / found.time[1] == pytest.approx(TWIST[:3], abs=0.02)
    assert found.study["run"]["start"]["twist"] == pytest.approx(TWIST)


def test_a_pose_alone_is_at_rest():
    assert np.abs(held(KALANI, HOME)["twist"][0]).max() == 0.0


def test_a_thrown_platform_without_forces_falls_freely():
    """Under constant forces of zero, the momentum changes by the weights alone."""
    robot = gough.load("dietmaier-1998")
    loose = robot.replace({"platform.mass": 1.0, "platform.inertia": [0.1, 0.1, 0.1]})
    stepper = Stepper(rigid_plant(loose), 1e-3)
    stepper.reset(loose.home, [0.3, 0, 1.0, 0, 0, 0])
    begun = stepper.state[:3]
    for _ in range(50):
        stepper.step(np.zeros(6))
    way = np.array([0.3, 0, 1.0]) * 0.05 + 0.5 * np.array(loose.gravity) * 0.05**2
    massless = all(leg.cylinder.mass == leg.piston.mass == 0 for leg in loose.legs)
    assert massless
    assert stepper.state[:3] - begun == pytest.approx(way, abs=1e-12)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ((HOME, [1, 2, 3]), "start twist has shape (3,)"),
        ((HOME[:6], TWIST), "start pose has shape (6,)"),
        ((HOME, "fast"), "start twist is 'fast'"),
        ((HOME, np.full(6, np.nan)), "start twist is [nan"),
    ],
)
def test_a_start_of_another_shape_is_refused(start, words):
    with pytest.raises(GoughError) as caught:
        held(KALANI, start)
    assert words in str(caught.value)


def test_a_start_out_of_reach_is_refused():
    demo = gough.load("demo-hexapod")
    with pytest.raises(GoughError, match=r"start: leg 1 is .* within its stroke, 0.763 to 1.163 m"):
        held(demo, (np.array(demo.home) + [0, 0, 0.5, 0, 0, 0, 0], np.zeros(6)))


def test_a_twist_that_the_platform_cannot_have_is_refused():
    falling = [0, 0, -0.2, 0, 0, 0]
    assert held(DELTA, (DELTA.home, falling))["twist"][0] == pytest.approx(falling)
    with pytest.raises(GoughError) as caught:
        held(DELTA, (DELTA.home, [0, 0, -0.2, 0.5, 0, 0]))
    assert "rx = 0.5 rad/s is not possible" in str(caught.value)
    assert "such as 0, 0, -0.2, 0, 0, 0" in str(caught.value)


def test_a_study_begins_where_its_start_says():
    start = {"z": "98 cm", "velocity": ["10 cm/s", 0, 0], "angular_velocity": [0, 0, "30 deg/s"]}
    found = gough.run({**STUDY, "start": start})
    assert found["pose"][0] == pytest.approx([0, 0, 0.98, *HOME[3:]])
    assert found["twist"][0] == pytest.approx([0.1, 0, 0, 0, 0, np.deg2rad(30)])
    assert found.study["start"] == start


def test_a_case_may_begin_elsewhere():
    cases = [{"name": "as it is", "changes": {}}, {"name": "low", "changes": {"start.z": 0.97}}]
    found = gough.run({**STUDY, "cases": cases})
    assert [run["pose"][0, 2] for run in found.runs.values()] == pytest.approx([1.0, 0.97])


def test_an_unknown_key_of_a_start_is_named():
    with pytest.raises(InputError) as caught:
        gough.Study.from_dict({**STUDY, "start": {"speed": 1}})
    assert caught.value.problem == "unknown key"
    assert caught.value.key == "start.speed"


def test_all_ways_to_run_begin_with_the_same_state():
    """Compiled, and a sample at a time from Python, under no command at all."""
    start, coarse = (HOME, TWIST), Sampling(1e-3)
    rest = hold(HOME, 0.01)
    compiled = gough.simulate(
        gough.Scenario(KALANI, open_loop(), rest, start=start, sampling=coarse)
    )
    stepped = gough.simulate(
        gough.Scenario(
            KALANI, lambda *_: compiled["command"][0], rest, start=start, sampling=coarse
        )
    )
    assert stepped["pose"] == pytest.approx(compiled["pose"], abs=1e-12)
