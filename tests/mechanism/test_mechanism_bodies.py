"""Mass centres and momentum of machines of many kinds, as Pinocchio's bodies have them."""

import numpy as np
import pytest
from drawn_machines import FEW, MACHINES, turned
from mechanism_kernels import kernels
from oracles.pinocchio_mechanism import PinocchioMechanism

NAMES = (*FEW, "motor at the platform")


def machine_and_state(name):
    mechanism = MACHINES[name](0)
    mechanism = turned(mechanism, 2) if name == "agile eye" else mechanism
    oracle = PinocchioMechanism(mechanism)
    return kernels(mechanism), oracle, oracle.random_state(np.random.default_rng(3))


@pytest.mark.parametrize("name", NAMES)
def test_mass_centers_are_pinocchios(name):
    k, oracle, state = machine_and_state(name)
    theirs = [oracle.mass_center(state, body) for body in k.analysis.structure.bodies]
    positions, velocities, accelerations = (np.array(x) for x in zip(*theirs, strict=True))
    np.testing.assert_allclose(k.mass_center_position(state.pose), positions, atol=1e-11)
    ours = k.mass_center_velocity(state.pose, state.twist)
    np.testing.assert_allclose(ours, velocities, atol=1e-10)
    ours = k.mass_center_acceleration(state.pose, state.twist, state.acceleration)
    np.testing.assert_allclose(ours, accelerations, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_momentum_is_pinocchios(name):
    k, oracle, state = machine_and_state(name)
    ours = k.momentum(state.pose, state.twist)
    np.testing.assert_allclose(ours, oracle.momentum(state), atol=1e-10)
