"""Forces are linear in what the bodies weigh: the regressor against derivations that are not."""

import casadi as ca
import numpy as np
import pytest
from drawn_machines import MACHINES
from dynamic_robots import MIXES
from machines import random_machine, random_state
from mechanism_kernels import Kernels
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.compiler.front.program import Program
from gough.equations.dynamics import default, regressor
from gough.model import standard_parameters

SOME = ("delta, ball-ended rods", "3-RRR", "6-RUS", "3-RRRS", "tricept", "orthoglide")
UPPER = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])


def points_of(body, center):
    """A body as point masses: its mass at its centre, and pairs that have its inertia there.

    The pairs weigh nothing together with the centre, so they may be negative.
    """
    inertia = np.array(body.inertia)
    second = np.trace(inertia) / 2 * np.eye(3) - inertia
    values, axes = np.linalg.eigh(second)
    pairs = zip(values, axes.T, strict=True)
    around = [(v / 2, center + sign * a) for v, a in pairs for sign in (1, -1)]
    return [(float(body.mass) - values.sum(), center), *around]


def standard_of(body, center, *, along=None):
    """Mass, first moment and inertia about the origin, summed over points."""
    points = points_of(body, center)
    m = sum(w for w, _ in points)
    ms = sum(w * r for w, r in points)
    J = sum(w * (r @ r * np.eye(3) - np.outer(r, r)) for w, r in points)
    return np.concatenate([[m], ms if along is None else [ms @ along], J[UPPER]])


def hexapod_standard(machine):
    z = np.array([0.0, 0.0, 1.0])
    found = [standard_of(machine.platform, np.array(machine.platform.center_of_mass).ravel())]
    for leg in machine.legs:
        for part, way in ((leg.cylinder, z), (leg.piston, -z)):
            numbers = standard_of(part, float(part.center_of_mass) * way, along=way)
            found.append(numbers if leg.base_joint.spins else numbers[:3])
    return np.concatenate(found)


@pytest.mark.parametrize("mix", MIXES)
def test_forces_of_random_hexapods_are_sums_over_their_bodies(mix):
    rng = np.random.default_rng(1)
    for speed in (0.0, 1.0, 30.0):
        machine = random_machine(rng, MIXES[mix])
        pose, twist, acceleration, _ = map(ca.DM, random_state(rng, speed))
        Y = np.array(ca.evalf(regressor.regressor(machine, pose, twist, acceleration)))
        force = default.inverse_dynamics(machine, pose, twist, acceleration, ca.DM.zeros(6))
        expected = np.array(ca.evalf(force)).ravel()
        standard = hexapod_standard(machine)
        assert np.abs(Y @ standard - expected).max() < 1e-12 * np.abs(Y * standard).max()


@pytest.mark.parametrize("name", SOME)
def test_efforts_of_random_machines_are_those_of_pinocchio(name):
    mechanism = MACHINES[name](3)
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(4)
    state = oracle.random_state(rng)
    Y = Kernels(mechanism).regressor(state.pose, state.twist, state.acceleration)
    expected = oracle.efforts(state, np.zeros(6))
    error = Y @ standard_parameters(mechanism) - expected
    assert np.abs(error).max() < 1e-9 * max(1.0, np.abs(expected).max())


def test_columns_have_names_and_a_mass_at_rest_is_a_weight():
    """Legs of a demo-hexapod bear a platform kilogram as its weight, and no cylinder at all."""
    robot = gough.load("demo-hexapod")
    model = gough.Model(robot)
    Y, names = model.regressor(robot.home), model.standard_names
    assert Y.shape == (6, len(names)) == (6, 106)
    J = model.jacobian(robot.home)
    weight = J.T @ Y[:, names.index("platform.mass")]
    np.testing.assert_allclose(weight, [0, 0, 9.81, 0, 0, 0], atol=1e-12)
    assert not Y[:, names.index("legs[2].cylinder.mass")].any()
    assert not Y[:, [name.endswith("inertia.zz") for name in names]].any()


def test_a_regressor_of_six_legs_takes_few_operations():
    function = gough.Model(gough.load("demo-hexapod")).function("regressor")
    assert Program.of(function).n_operations < 6500
