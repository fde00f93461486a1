"""Masses as parameters: one kernel for all machines of a geometry, exact derivatives."""

import numpy as np
import pytest
from drawings import changed
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.model import structure_of
from gough.robot import parameters_of
from gough.robot.numbers import layout

SOME = ("delta, ball-ended rods", "3-RRRS", "tricept", "orthoglide")


def states(machine, count):
    """Poses, twists, accelerations and wrenches that a machine can have."""
    oracle, rng = PinocchioMechanism(machine), np.random.default_rng(0)
    found = [oracle.random_state(rng) for _ in range(count)]
    motion = (np.array([getattr(s, x) for s in found]) for x in ("pose", "twist", "acceleration"))
    return *motion, rng.standard_normal((count, 6))


def other_masses(machine, seed):
    """The same geometry with other masses: bodies stay symmetric about their lines."""
    rng = np.random.default_rng(seed)

    def heavier(body):
        factor = float(rng.uniform(0.5, 2.0))
        inertia = tuple(tuple(factor * x for x in row) for row in body.inertia)
        return changed(body, mass=factor * body.mass, inertia=inertia)

    bodies = tuple(heavier(body) for body in machine.bodies)
    platform = changed(heavier(machine.platform), center_of_mass=(0.01, -0.02, 0.03))
    return changed(
        machine, name="other", platform=platform, bodies=bodies, gravity=(1.0, 2.0, -9.0)
    )


@pytest.mark.parametrize("name", SOME)
def test_parameters_give_what_constants_give(name):
    machine = MACHINES[name](0)
    other = other_masses(machine, 1)
    parametric = gough.Model(machine, parametric=True)
    for robot in (machine, other):
        own, numbers = gough.Model(robot), parameters_of(robot)
        pose, twist, acceleration, wrench = states(robot, 5)
        expected = own.inverse_dynamics(pose, twist, acceleration, wrench)
        found = parametric.inverse_dynamics(numbers, pose, twist, acceleration, wrench)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10 * np.abs(expected).max())
        forward = own.forward_dynamics(pose, twist, expected, wrench)
        found = parametric.forward_dynamics(numbers, pose, twist, expected, wrench)
        np.testing.assert_allclose(found, forward, rtol=1e-8, atol=1e-9 * np.abs(forward).max())


def test_machines_of_a_geometry_share_their_kernels():
    machine = MACHINES["delta, ball-ended rods"](0)
    other = other_masses(machine, 2)
    assert structure_of(machine) == structure_of(other)
    one, two = (gough.Model(robot, parametric=True) for robot in (machine, other))
    assert one.inverse_dynamics is two.inverse_dynamics


def test_forces_are_linear_in_the_inertial_numbers_and_derivatives_say_so():
    """Doubling all masses and inertias doubles the efforts; by Euler F = Σ ∂F/∂p · p."""
    machine = MACHINES["delta, ball-ended rods"](0)
    model = gough.Model(machine, parametric=True)
    pose, twist, acceleration, _ = states(machine, 3)
    numbers, names = parameters_of(machine), layout(machine)
    weights = np.array([n.endswith(".mass") or ".inertia." in n for n in names])
    assert sum(n.endswith(".mass") for n in names) == 1 + len(machine.bodies)
    force = model.inverse_dynamics(numbers, pose, twist, acceleration)
    doubled = model.inverse_dynamics(
        np.where(weights, 2 * numbers, numbers), pose, twist, acceleration
    )
    np.testing.assert_allclose(doubled, 2 * force, rtol=1e-12)
    by = model.derivative("inverse_dynamics", "parameters")(numbers, pose, twist, acceleration)
    np.testing.assert_allclose(by[..., weights] @ numbers[weights], force, rtol=1e-9)
