"""The shortest duration of a motion for what the actuators can do."""

import re

import numpy as np
import pytest
from motion_checks import HOME

import gough
from gough.motion import (
    Constant,
    Cosine,
    MotionError,
    MotionWarning,
    Quintic,
    adept_cycle,
    fastest,
    line,
    waypoints,
)

MODEL = gough.Model(gough.load("kalani-2016"))
UP = line(HOME, [0, 0, 0.2], Quintic(1.0))
WAY = waypoints([0, 1, 2], [HOME, gough.pose([0.1, 0, 1.1], rpy=[0.1, 0, 0.2]), HOME])


def most(motion, kernel, *more):
    t = np.linspace(0, motion.duration, 4001)
    return np.abs(kernel(*motion(t)[: len(kernel.function.inputs) - len(more)], *more)).max()


def test_a_speed_limit_is_reached_exactly():
    found = fastest(MODEL, UP, speed=0.3)
    assert found.duration == pytest.approx(most(UP, MODEL.joint_velocity) / 0.3, rel=1e-4)
    assert found.limit == "speed"
    assert most(found.motion, MODEL.joint_velocity) == pytest.approx(0.3, rel=1e-4)
    assert found.usage == pytest.approx(1, rel=1e-5)
    assert 0 < found.time < found.duration


def test_an_acceleration_limit_is_reached_exactly():
    found = fastest(MODEL, UP, acceleration=2.0)
    assert most(found.motion, MODEL.joint_acceleration) == pytest.approx(2.0, rel=1e-4)
    expected = np.sqrt(most(UP, MODEL.joint_acceleration) / 2.0)
    assert found.duration == pytest.approx(expected, rel=1e-4)


def test_a_force_limit_is_reached_exactly_and_slower_is_always_allowed():
    found = fastest(MODEL, WAY, force=20.0)
    zero = np.zeros(6)
    assert found.limit == "force"
    assert most(found.motion, MODEL.inverse_dynamics, zero) == pytest.approx(20.0, rel=1e-4)
    for factor in (1.05, 1.5, 4.0, 50.0):
        slower = gough.motion.stretched(WAY, factor * found.duration)
        assert most(slower, MODEL.inverse_dynamics, zero) < 20.0


def test_the_tightest_limit_decides():
    loose = fastest(MODEL, WAY, force=20.0)
    both = fastest(MODEL, WAY, force=20.0, speed=0.05)
    assert both.limit == "speed"
    assert both.duration > loose.duration


def test_a_limit_of_one_leg_names_the_leg():
    limits = np.full(6, 10.0)
    limits[3] = 0.01
    assert fastest(MODEL, WAY, speed=limits).leg == 4


def test_a_task_makes_it_slower():
    push = Constant((30.0, 0.0, 0.0))
    assert (
        fastest(MODEL, WAY, force=60.0, tasks=[push]).duration
        > fastest(MODEL, WAY, force=60.0).duration
    )


def test_the_robot_s_own_limits_hold_if_none_are_given():
    robot = gough.load("demo-hexapod")
    model = gough.Model(robot)
    x, y, z = robot.home[:3]
    motion = waypoints([0, 1], [robot.home, gough.pose([x, y, z + 0.05])])
    found = fastest(model, motion)
    t = np.linspace(0, found.duration, 2001)
    speed = np.abs(model.joint_velocity(*found.motion(t)[:2])).max(0)
    force = np.abs(model.inverse_dynamics(*found.motion(t), np.zeros(6))).max(0)
    legs = robot.legs
    usage = [s / leg.max_speed for s, leg in zip(speed, legs, strict=True)]
    usage += [f / leg.max_force for f, leg in zip(force, legs, strict=True)]
    assert max(usage) == pytest.approx(1, rel=1e-4)


def test_a_function_of_the_duration_is_taken_as_well_and_only_its_answer_warns():
    with pytest.warns(MotionWarning) as caught:
        found = fastest(MODEL, lambda T: line(HOME, [0, 0, 0.2], Cosine(T)), speed=0.3)
    assert len(caught) == 1
    assert found.motion.duration == found.duration


def test_a_load_that_cannot_be_held_is_refused():
    with pytest.raises(MotionError) as refused:
        fastest(MODEL, WAY, force=0.1)
    assert refused.value.key == "force"
    assert re.search(r"leg \d needs .* force limit", refused.value.problem)


def test_a_way_through_a_singularity_is_refused():
    flat = gough.pose([0, 0, 0])  # all legs in one plane
    down = waypoints([0, 1, 2], [HOME, flat, HOME], stops=True)
    with pytest.raises(MotionError) as refused:
        fastest(MODEL, down, force=1e9)
    assert refused.value.key == "force"
    assert "passes a singular configuration" in refused.value.problem


@pytest.mark.parametrize(
    ("limits", "key"),
    [
        ({}, "speed, acceleration, force"),
        ({"speed": 0.0}, "speed"),
        ({"force": [1, 2]}, "force"),
        ({"acceleration": -1.0}, "acceleration"),
    ],
)
def test_wrong_limits_are_refused_with_their_key(limits, key):
    with pytest.raises(MotionError) as caught:
        fastest(MODEL, WAY, **limits)
    assert caught.value.key == key


def test_a_motion_that_stays_has_no_shortest_duration():
    with pytest.raises(MotionError) as refused:
        fastest(MODEL, gough.motion.hold(HOME, 1.0), speed=1.0)
    assert refused.value.key == "motion"
    assert refused.value.expected == "a motion that moves"


def test_a_delta_s_fastest_cycle_uses_its_motors_to_their_limit():
    robot = gough.load("delta")
    start = np.array([-0.1525, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0])
    model = gough.Model(robot)
    found = fastest(model, adept_cycle(start, 1.0))
    motion = adept_cycle(start, found.duration)(np.linspace(0.0, found.duration, 1001))
    force = np.abs(model.actuator_force(*motion, np.zeros(6))).max(axis=0)
    speed = np.abs(model.joint_velocity(motion.pose, motion.twist)).max(axis=0)
    shares = force / 130, speed / np.deg2rad(600)
    assert np.max(shares) == pytest.approx(found.usage, rel=1e-6)
    assert 1 - 1e-5 < found.usage <= 1.0
    assert found.limit == ("force" if shares[0].max() > shares[1].max() else "speed")


def test_what_a_joint_cannot_hold_is_said_by_its_name():
    robot = gough.load("delta")
    with pytest.raises(MotionError) as refused:
        fastest(gough.Model(robot), adept_cycle(robot.home, 1.0), force=[1.0, 500.0, 500.0])
    assert refused.value.key == "force"
    assert re.search(r"hip-1 needs .* times its force limit", refused.value.problem)
