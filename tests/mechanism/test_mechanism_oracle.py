"""Machines of many kinds against Pinocchio's tree with loop rows, at random assembled states."""

import numpy as np
import pytest
from drawn_machines import MACHINES, enlarged, turned
from mechanism_kernels import Interpreted, kernels
from oracles.pinocchio_mechanism import PinocchioMechanism

from gough.compiler.native.kernel import Kernel

TOLERANCE = 1e-10
SEEDS = range(1)
TURNED = ("delta, ball-ended rods", "3-RRR", "3-UPU", "five-bar", "agile eye")
ITERATED = (
    *("3-RRRS", "motor at the platform"),
    *("cranked delta", "6-SPU", "6-RCS", "6-UHS", "H4"),
)
"""Machines with legs without a closed form."""


def machine_and_state(name, seed):
    mechanism = drawn(name, seed)
    oracle = PinocchioMechanism(mechanism)
    rng = np.random.default_rng(seed)
    return kernels(mechanism), oracle, oracle.random_state(rng), rng.standard_normal(6)


_DRAWN = {}


def drawn(name, seed):
    return _DRAWN.setdefault((name, seed), MACHINES[name](seed))


def assert_close(ours, theirs):
    assert np.abs(ours - theirs).max() <= TOLERANCE * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MACHINES)
def test_kinematics_are_pinocchios(name, seed):
    k, oracle, state, _ = machine_and_state(name, seed)
    S = oracle.mechanism.freedom_rows
    assert_close(k.inverse_kinematics(state.pose), oracle.positions(state))
    assert_close(k.twist_basis(state.pose), oracle.platform_moves(state, S))
    assert_close(k.joint_velocity(state.pose, state.twist), state.v[oracle.motors])
    ours = k.joint_acceleration(state.pose, state.twist, state.acceleration)
    assert_close(ours, state.a[oracle.motors])
    assert_close(k.jacobian(state.pose) @ state.twist, state.v[oracle.motors])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MACHINES)
def test_efforts_are_pinocchios(name, seed):
    k, oracle, state, wrench = machine_and_state(name, seed)
    ours = k.inverse_dynamics(state.pose, state.twist, state.acceleration, wrench)
    assert_close(ours, oracle.efforts(state, wrench))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MACHINES)
def test_accelerations_are_pinocchios(name, seed):
    k, oracle, state, wrench = machine_and_state(name, seed)
    effort = np.random.default_rng(seed).standard_normal(k.motors)
    ours = k.forward_dynamics(state.pose, state.twist, effort, wrench)
    assert_close(ours, oracle.accelerations(state, effort, wrench))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", MACHINES)
def test_mass_matrix_and_energy_are_pinocchios(name, seed):
    k, oracle, state, _ = machine_and_state(name, seed)
    S = oracle.mechanism.freedom_rows
    assert_close(k.mass_matrix(state.pose), oracle.mass_matrix(state, S))
    assert_close(k.energy(state.pose, state.twist), oracle.energy(state))


@pytest.mark.parametrize("name", TURNED)
def test_a_machine_is_the_same_in_any_direction(name):
    mechanism = turned(drawn(name, 0), 1)
    k, oracle, rng = kernels(mechanism), PinocchioMechanism(mechanism), np.random.default_rng(1)
    state, wrench = oracle.random_state(rng), rng.standard_normal(6)
    ours = k.inverse_dynamics(state.pose, state.twist, state.acceleration, wrench)
    assert_close(ours, oracle.efforts(state, wrench))
    effort = rng.standard_normal(k.motors)
    ours = k.forward_dynamics(state.pose, state.twist, effort, wrench)
    assert_close(ours, oracle.accelerations(state, effort, wrench))


@pytest.mark.parametrize("size", [1e-3, 1e2])
@pytest.mark.parametrize("name", ["delta, ball-ended rods", "3-RRR", "cranked delta"])
def test_a_machine_is_the_same_at_any_size(name, size):
    """Torques grow with the square of the size, if gravity grows with it."""
    k, _, state, wrench = machine_and_state(name, 0)
    other = kernels(enlarged(drawn(name, 0), size))
    assert other.analysis.structure.overconstrained == k.analysis.structure.overconstrained
    assert (other.analysis.decided.T is None) == (k.analysis.decided.T is None)
    lengths = np.array([size] * 3 + [1.0] * 3)
    torques = other.inverse_dynamics(
        state.pose * [*lengths[:3], 1, 1, 1, 1],
        state.twist * lengths,
        state.acceleration * lengths,
        wrench * size * lengths[::-1],
    )
    ours = k.inverse_dynamics(state.pose, state.twist, state.acceleration, wrench)
    assert_close(torques / size**2, ours)


@pytest.mark.parametrize("name", MACHINES)
def test_forward_undoes_inverse(name):
    k, _, state, wrench = machine_and_state(name, 0)
    effort = k.inverse_dynamics(state.pose, state.twist, state.acceleration, wrench)
    back = k.forward_dynamics(state.pose, state.twist, effort, wrench)
    assert_close(back, state.acceleration)


@pytest.mark.parametrize("name", MACHINES)
def test_power_of_motors_and_wrench_is_the_energys_rate(name):
    k, _, state, wrench = machine_and_state(name, 0)
    effort = k.inverse_dynamics(state.pose, state.twist, state.acceleration, wrench)
    power = effort @ k.jacobian(state.pose) @ state.twist + wrench @ state.twist
    iterated = any(leg.iterated for leg in k.machine.legs)
    energy_rate = (Kernel if iterated else Interpreted)(k.function("energy").directional())
    rate = energy_rate(state.pose, state.twist, pose_rate(state), state.acceleration)
    assert_close(power, rate.sum())


@pytest.mark.parametrize("name", MACHINES)
def test_legs_without_a_closed_form_are_those_that_iterate(name):
    legs = kernels(drawn(name, 0)).machine.legs
    assert any(leg.iterated for leg in legs) == (name in ITERATED)


def pose_rate(state):
    v, (x, y, z) = state.twist[:3], state.twist[3:]
    by = np.array([[0, -x, -y, -z], [x, 0, -z, y], [y, z, 0, -x], [z, -y, x, 0]])
    return np.concatenate([v, by @ state.pose[3:] / 2])
