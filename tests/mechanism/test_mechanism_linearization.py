"""Small deviations from a state, by differences of the equation of motion itself."""

import numpy as np
import pytest
from drawn_machines import MACHINES
from hexapod_drawing import drawn_hexapod
from mechanism_kernels import kernels
from oracles.pinocchio_mechanism import PinocchioMechanism
from resisting_machines import resisting, resisting_hexapod

import gough
from gough.poses import difference, displace
from gough.simulation import real_plant

NAMES = ("five-bar", "3-RRRS", "tricept", "agile eye", "4-RRR, redundant")
"""Constant and changing moves, in closed form and iterated, and more motors than freedoms."""
STEP = 5e-5


class Machine:
    """A machine at a state, as functions of deviations δ and u."""

    def __init__(self, mechanism):
        self.k, rng = kernels(mechanism), np.random.default_rng(5)
        self.state = PinocchioMechanism(mechanism).random_state(rng)
        self.force, self.wrench = rng.standard_normal(self.k.motors), rng.standard_normal(6)
        self.S = mechanism.freedom_rows
        self.u = self.S @ self.state.twist
        self.T = self.k.twist_basis(self.state.pose)

    def pose(self, delta):
        return displace(self.state.pose, self.T @ delta)

    def u_dot(self, delta, u, force):
        pose = self.pose(delta)
        twist = self.k.twist_basis(pose) @ u
        wrench = self.wrench + self.k.joint_wrench(pose, twist)
        return self.S @ self.k.forward_dynamics(pose, twist, force, wrench)

    def carried(self, delta, time):
        """Return how far a deviated machine is from the other when both moved at the same u."""
        here, there = (
            displace(pose, time * self.k.twist_basis(pose) @ self.u)
            for pose in (self.state.pose, self.pose(delta))
        )
        return self.S @ difference(there, here)

    def linearized(self):
        return self.k.linearize(self.state.pose, self.state.twist, self.force, self.wrench)


def differences(function, size):
    """Return the Jacobian at zero, to the fourth order of the step."""
    columns = []
    for e in STEP * np.eye(size):
        a, b, c, d = (function(k * e) for k in (-2, -1, 1, 2))
        columns.append((a - 8 * b + 8 * c - d) / (12 * STEP))
    return np.array(columns).T


def assert_close(ours, theirs, tolerance):
    assert np.abs(ours - theirs).max() <= tolerance * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("name", ["five-bar", "delta, ball-ended rods"])
def test_accelerations_change_as_linearized(name):
    check_accelerations(Machine(MACHINES[name](0)))


@pytest.mark.parametrize("name", [*NAMES, "orthoglide"])
def test_accelerations_change_as_linearized_with_damping_and_springs(name):
    machine = MACHINES[name](0)
    check_accelerations(Machine(resisting(machine, dry=False)))


def test_dry_friction_is_no_part_of_the_linear_machine():
    machine = MACHINES["five-bar"](0)
    dry, viscous = (Machine(resisting(machine, dry=dry)).linearized() for dry in (True, False))
    for a, b in zip(dry, viscous, strict=True):
        np.testing.assert_array_equal(a, b)


def check_accelerations(m):
    """Check that A and B are differences of u̇."""
    (A, B), n, still = m.linearized(), len(m.S), np.zeros(len(m.S))
    assert_close(A[n:, :n], differences(lambda d: m.u_dot(d, m.u, m.force), n), 1e-7)
    assert_close(A[n:, n:], differences(lambda d: m.u_dot(still, m.u + d, m.force), n), 1e-7)
    by_force = differences(lambda d: m.u_dot(still, m.u, m.force + d), m.k.motors)
    assert_close(B[n:], by_force, 1e-7)
    np.testing.assert_array_equal(B[:n], 0.0)


@pytest.mark.parametrize("name", NAMES)
def test_deviations_are_carried_as_linearized(name):
    m = Machine(MACHINES[name](0))
    (A, _), n = m.linearized(), len(m.S)
    at = {time: differences(lambda d, t=time: m.carried(d, t), n) for time in (-STEP, STEP)}
    assert_close(A[:n, :n], (at[STEP] - at[-STEP]) / (2 * STEP), 1e-5)
    np.testing.assert_array_equal(A[:n, n:], np.eye(n))


def test_a_hexapod_is_linearized_as_by_its_own_equations():
    data = gough.load("demo-hexapod").to_dict()
    for key in ("joint_friction", "connector"):
        del data["leg"][key]
    robot = gough.Robot.from_dict(data)
    rng = np.random.default_rng(0)
    pose = np.array(robot.home) + [0.03, -0.02, 0.04, 0, 0.05, 0.1, -0.07]
    twist, force, wrench = (rng.standard_normal(6) for _ in range(3))
    ours = kernels(drawn_hexapod(robot)).linearize(pose, twist, 100 * force, wrench)
    theirs = gough.Model(robot).linearize(pose, twist, 100 * force, wrench)
    for a, b in zip(ours, theirs, strict=True):
        assert_close(a, b, 1e-10)


@pytest.mark.parametrize("kind", ["UPS", "SPS"])
def test_a_hexapod_is_linearized_as_its_plant_moves(kind):
    robot = resisting_hexapod(kind, base_damping=80.0, platform_damping=50.0)
    plant, rng = real_plant(robot, drives=False, stops=False), np.random.default_rng(0)
    pose = displace(np.array(robot.home), [0.03, -0.02, 0.04, 0.1, 0.2, -0.14])
    twist, force, wrench = (rng.standard_normal(6) for _ in range(3))
    A, B = gough.Model(robot).linearize(pose, twist, 100 * force, wrench)

    def acceleration(pose, twist, force):
        return plant.rate_kernel(np.concatenate([pose, twist]), force, wrench)[7:13]

    still = 100 * force
    by_pose = differences(lambda d: acceleration(displace(pose, d), twist, still), 6)
    by_twist = differences(lambda d: acceleration(pose, twist + d, still), 6)
    by_force = differences(lambda d: acceleration(pose, twist, still + 1e3 * d), 6) / 1e3
    for ours, theirs in ((A[6:, :6], by_pose), (A[6:, 6:], by_twist), (B[6:], by_force)):
        assert np.abs(ours - theirs).max() <= 1e-6 * np.abs(theirs).max()
