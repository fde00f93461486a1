"""Several motors on one loop, and universal joints whose axes do not meet, against Pinocchio."""

import casadi as ca
import numpy as np
import pytest
from coupled_machines import Z, gravity, platform, weighed
from drawings import Joint, Mechanism
from interpreted import numbers, placed
from oracles.pinocchio_mechanism import PinocchioMechanism

from gough.equations.forces import dynamics
from gough.equations.motion import kinematics
from gough.model.mechanism import analysed
from gough.robot.mechanism import MOVES

TOLERANCE = 1e-9
FOUR_BAR = (
    ("left", ("base", "crank"), (-0.2, 0, 0)),
    ("top left", ("crank", "platform"), (-0.25, 0.3, 0)),
    ("top right", ("platform", "rocker"), (0.3, 0.35, 0)),
    ("right", ("rocker", "base"), (0.2, 0, 0)),
)


def four_bar(*driven):
    rng = np.random.default_rng(3)
    joints = tuple(Joint(name, "R", pair, at, [Z], name in driven) for name, pair, at in FOUR_BAR)
    bodies = weighed("crank", rng, np.zeros(3)), weighed("rocker", rng, np.zeros(3))
    return Mechanism("four-bar", platform(rng, (0, 0.4, 0), ("rz",)), bodies, joints, gravity(rng))


def with_offsets(seed):
    """Six legs on two skew hinges each, a few centimetres apart, with a heavy cross between."""
    rng, bodies, joints = np.random.default_rng(seed), [], []
    for i, (a, sign) in enumerate(zip(np.arange(6) * np.pi / 3, [1, -1] * 3, strict=True)):
        foot = np.array([0.6 * np.cos(a + 0.2 * sign), 0.6 * np.sin(a + 0.2 * sign), 0])
        top = np.array([0.3 * np.cos(a - 0.3 * sign), 0.3 * np.sin(a - 0.3 * sign), 0.8])
        along = top - foot
        first = np.cross(along, Z) + 0.1 * rng.uniform(-1, 1, 3)
        second = np.cross(along, first) + 0.1 * rng.uniform(-1, 1, 3)
        cross, tube, rod = (f"{name}-{i}" for name in ("cross", "tube", "rod"))
        bodies += [weighed(name, rng, foot) for name in (cross, tube, rod)]
        at = foot + rng.uniform(-0.03, 0.03, 3)
        joints += [
            Joint(f"first-{i}", "R", ("base", cross), foot, [first]),
            Joint(f"second-{i}", "R", (cross, tube), at, [second]),
            Joint(f"slide-{i}", "P", (tube, rod), foot, [along], True),
            Joint(f"ball-{i}", "S", (rod, "platform"), top),
        ]
    parts = platform(rng, (0, 0, 0.8), MOVES), tuple(bodies), tuple(joints)
    return Mechanism("offsets", *parts, gravity(rng))


MACHINES = {
    "motors on both sides": lambda: four_bar("left", "right"),
    "motors on the coupler": lambda: four_bar("top left", "top right"),
    "three motors": lambda: four_bar("left", "top left", "top right"),
    "offset universal joints": lambda: with_offsets(1),
}


@pytest.mark.parametrize("name", MACHINES)
def test_efforts_and_accelerations_are_pinocchios(name):
    mechanism = MACHINES[name]()
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(1)
    state, wrench = oracle.random_state(rng), rng.standard_normal(6)
    machine = placed(analysed(mechanism).machine, state.pose)
    x, V, V_dot, w = map(ca.DM, (state.pose, state.twist, state.acceleration, wrench))
    effort = oracle.efforts(state, wrench)
    ours = numbers(dynamics.inverse_dynamics(machine, x, V, V_dot, w)).ravel()
    np.testing.assert_allclose(ours, effort, rtol=TOLERANCE, atol=TOLERANCE)
    moved = numbers(dynamics.forward_dynamics(machine, x, V, ca.DM(effort), w)).ravel()
    np.testing.assert_allclose(moved, oracle.accelerations(state, effort, wrench), atol=1e-8)


def test_a_motor_in_each_joint_of_a_loop_shares_the_load():
    """All do the work of one, in proportion to their rates: so the sum of squares is minimal."""
    one, four = four_bar("left"), four_bar(*(name for name, *_ in FOUR_BAR))
    state, found = PinocchioMechanism(one).random_state(np.random.default_rng(1)), []
    x, V, V_dot, w = map(ca.DM, (state.pose, state.twist, state.acceleration, np.ones(6)))
    for mechanism in (one, four):
        machine = placed(analysed(mechanism).machine, state.pose)
        found.append(numbers(dynamics.inverse_dynamics(machine, x, V, V_dot, w)).ravel())
        found.append(numbers(kinematics.joint_velocity(machine, x, V)).ravel())
    alone, rate, shared, rates = found
    np.testing.assert_allclose(shared, rates * (alone * rate) / (rates @ rates), rtol=1e-9)
