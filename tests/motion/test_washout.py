"""The washout filter: lasting accelerations become tilt, quick ones travel, all inside strokes."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.motion import GRAVITY, MotionError, Washout, washed_out
from gough.poses import rotation

TIMES = 0.01 * np.arange(3001)


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


def braking(size=-1.5, begin=1.0, end=31.0):
    """The specific force of a car that brakes steadily, and its rate."""
    force = np.zeros((len(TIMES), 3))
    force[:, 2] = GRAVITY
    force[(begin <= TIMES) & (end > TIMES), 0] = size
    return force, np.zeros_like(force)


def felt(motion, times):
    """The specific force on the platform's own axes."""
    samples = motion(times)
    return rotation(samples.pose).inv().apply(samples.acceleration[:, :3] + [0, 0, GRAVITY])


def test_a_lasting_acceleration_is_felt_by_tilt(robot):
    motion = washed_out(robot, TIMES, *braking(), Washout(force_scale=0.5))
    end = felt(motion, TIMES)[-1]
    assert motion.scale == 1.0
    assert end[0] == pytest.approx(-0.75, rel=0.01)
    np.testing.assert_allclose(motion(30.0).pose[:3], robot.home[:3], atol=2e-3)  # came back


def test_the_onset_is_felt_at_once_by_travel(robot):
    motion = washed_out(robot, TIMES, *braking(), Washout(force_scale=0.5))
    onset = felt(motion, np.array([1.01, 1.02]))
    assert (onset[:, 0] < -0.65).all()


def test_tilting_is_slower_than_people_notice(robot):
    washout = Washout(force_scale=0.8)
    motion = washed_out(robot, TIMES, *braking(-3.0), washout)
    turning = np.abs(motion(TIMES).twist[:, 3:])
    assert turning.max() <= washout.tilt_rate * 1.001
    assert turning.max() > 0.5 * washout.tilt_rate


def test_a_lasting_turn_is_washed_out(robot):
    force, rate = braking(0.0)
    rate[(TIMES > 1), 2] = 0.3
    motion = washed_out(robot, TIMES, force, rate)
    yaw = motion(TIMES).twist[:, 5]
    assert yaw[110:120].max() > 0.9 * 0.15 * np.exp(-0.8 * 0.2)
    assert abs(yaw[-1]) < 1e-3


def test_legs_stay_inside_their_strokes(robot):
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(31, 6)).repeat(100, axis=0)[: len(TIMES)]
    force = np.array([0, 0, GRAVITY]) + 8 * steps[:, :3]
    motion = washed_out(robot, TIMES, force, steps[:, 3:], Washout(1.0, 1.0), margin=0.01)
    assert motion.scale < 1.0
    q = gough.Model(robot).inverse_kinematics(motion(TIMES).pose)
    low, high = robot.legs[0].stroke
    margin = np.minimum(q - low, high - q).min()
    assert 0.0099 < margin < 0.03


def test_twist_and_acceleration_are_the_derivatives_of_the_pose(robot):
    motion = washed_out(robot, TIMES, *braking())
    t, h = np.array([1.234, 1.777, 5.004]), 1e-4
    before, at, after = motion(t - h), motion(t), motion(t + h)
    velocity = (after.pose[:, :3] - before.pose[:, :3]) / (2 * h)
    np.testing.assert_allclose(velocity, at.twist[:, :3], atol=1e-6)
    acceleration = (after.twist - before.twist) / (2 * h)
    np.testing.assert_allclose(acceleration, at.acceleration, atol=2e-3)


def test_bad_input_is_refused(robot):
    force, rate = braking()
    for key, wrong in (
        ("times", lambda: washed_out(robot, TIMES**2, force, rate)),
        ("rate", lambda: washed_out(robot, TIMES, force, rate[:5])),
        ("tilt_rate", lambda: Washout(tilt_rate=0)),
    ):
        with pytest.raises(MotionError) as refused:
            wrong()
        assert refused.value.key == key
    with pytest.raises(GoughError, match="outside their strokes at the home pose"):
        washed_out(robot, TIMES, force, rate, margin=0.5)
