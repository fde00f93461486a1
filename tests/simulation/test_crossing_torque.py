"""A controller that passes parallel singularities on purpose, with motions that can and cannot."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.motion import Quintic, motion_from_dict, rotation, with_profile
from gough.motion.tasks.task import Payload
from gough.simulation import Scenario, computed_torque, crossing_torque, simulate

GAINS = {"kp": 400.0, "kd": 40.0}
DURATION = {"five-bar": 0.25, "kalani-2016": 0.5}
DOWN = {
    "kind": "line",
    "start": {"position": [0, 0.16, 0], "yaw": "-40 deg"},
    "displacement": [0, -0.12, 0],
    "duration": 1,
}


def path(robot):
    """Of the five-bar down through its flat links; of the hexapod a roll through 59.6 deg."""
    if robot.name == "five-bar":
        return motion_from_dict(DOWN, robot)
    ends = np.radians([30.0, 90.0])
    return rotation(robot.home, [1, 0, 0], robot.home[:3], ends, Quintic(1.0))


@pytest.fixture(scope="module", params=DURATION)
def robot(request):
    """On the ideal plant joints do not resist: nor do they in the forces of the motion."""
    data = gough.Robot.from_dict(gough.load(request.param).to_dict()).to_dict()
    for joint in data.get("joints", ()):
        for key in ("damping", "friction"):
            joint.pop(key, None)
    return gough.Robot.from_dict(data)


@pytest.fixture(scope="module")
def crossing(robot):
    return gough.crossing_motion(robot, path(robot), DURATION[robot.name])


@pytest.fixture(scope="module")
def run(robot, crossing):
    duration = crossing.motion.duration + 0.2
    return simulate(Scenario(robot, crossing_torque(**GAINS), crossing.motion, duration=duration))


def test_it_comes_to_the_other_side_with_the_forces_of_regular_poses(robot, crossing, run):
    model, motion = gough.Model(robot), crossing.motion
    assert run.time[-1] == pytest.approx(motion.duration + 0.2)
    first, last = model.singularity(run["pose"][[0, -1]]).sign
    assert first == -last
    assert run.summary["peak_position_error"].value < 5e-4
    size, near = np.abs(run["force"]).max(axis=1), np.abs(run.time - crossing.times[0]) < 0.03
    assert size[near].max() < 2 * size[~near].max()
    assert size.max() == pytest.approx(crossing.force.max(), rel=0.03)


def test_what_the_actuators_do_is_what_the_machine_gains(robot, run):
    """Forces are held from sample to sample: their work is that on the way in between."""
    way = np.diff(gough.Model(robot).inverse_kinematics(run["pose"]), axis=0)
    work = np.concatenate([[0.0], np.cumsum((run["force"][:-1] * way).sum(axis=1))])
    energy = run["energy"].sum(axis=1)
    np.testing.assert_allclose(energy - energy[0], work, atol=1e-9)


def test_computed_torque_along_another_law_asks_for_forces_without_bound(robot, crossing):
    """The nearer to the singular pose a sample is, the larger are its forces; then it is lost."""
    other = with_profile(path(robot), Quintic(crossing.motion.duration))
    run = simulate(Scenario(robot, computed_torque(**GAINS, space="task"), other, saturated=False))
    assert "a singular configuration was crossed" in run.warnings[0]
    assert run.time[-1] < other.duration
    assert np.abs(run["force"]).max() > 50 * crossing.force.max()


@pytest.mark.parametrize("robot", ["five-bar"], indirect=True)
def test_it_bears_a_machine_that_it_does_not_know_well(robot, crossing):
    heavier = Payload(0.05 * robot.platform.mass, (0.0, 0.0, 0.0))
    run = simulate(Scenario(robot, crossing_torque(**GAINS), crossing.motion, tasks=[heavier]))
    assert run.time[-1] == pytest.approx(crossing.motion.duration)
    assert np.abs(run["force"]).max() < 2 * crossing.force.max()
    assert run.summary["peak_position_error"].value < 0.01


def test_away_from_singularities_it_is_computed_torque():
    robot = gough.load("kalani-2016")
    roll = rotation(robot.home, [1, 0, 0], robot.home[:3], 0.3, Quintic(0.5))
    runs = [
        simulate(Scenario(robot, law, roll, start=gough.pose([0.01, 0, 1.01])))
        for law in (crossing_torque(**GAINS), computed_torque(**GAINS, space="task"))
    ]
    np.testing.assert_allclose(runs[0]["force"], runs[1]["force"], rtol=1e-2, atol=1e-2)
    np.testing.assert_allclose(runs[0]["pose"], runs[1]["pose"], atol=1e-5)


def test_a_share_that_is_none_is_refused():
    for near in (0, 1.5, "much"):
        with pytest.raises(GoughError, match="expected a share above 0 and below 1"):
            crossing_torque(**GAINS, near=near)
