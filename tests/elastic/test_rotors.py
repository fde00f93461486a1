"""Rotors behind actuators that are not locked: closed forms, and the plant with drives."""

import casadi as ca
import numpy as np
import pytest

import gough
from gough.elastic import natural_frequencies
from gough.equations.actuators import compliant
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.drive import Actuation, forward_dynamics
from gough.equations.dynamics.formulation import NO_WRENCH
from gough.equations.spatial.pose import displace
from gough.model.actuators import connectors_of, rotor_masses_of
from gough.model.parameters import machine_of
from tests.samples.cubic import cubic
from tests.samples.yielding import yielding

A, K, MASS = 0.2, 1e6, 1.0
LEAD, ROTOR, SCREW, RATIO = 5e-3, 2e-7, 3e-7, 2.0
REFLECTED = (2 * np.pi / LEAD) ** 2 * (RATIO**2 * ROTOR + SCREW)
DRIVE = {
    "resistance": 1.0, "torque_constant": 0.1, "back_emf": 0.1, "rotor_inertia": ROTOR,
    "screw_inertia": SCREW, "gear_ratio": RATIO, "screw_lead": LEAD,
}  # fmt: skip
PISTON = {"mass": 0.3, "center_of_mass": 0.0, "inertia": [0, 0, 0]}


def hertz(squares):
    return np.sign(squares) * np.sqrt(np.abs(squares)) / (2 * np.pi)


@pytest.mark.parametrize("gain", [0.0, 4e5])
def test_along_the_axis_a_cube_and_its_rotors_are_two_masses_on_two_springs(gain):
    """By symmetry: M along z against 2 m of six rotors, whose ways are z/√3 each."""
    found = gough.natural_modes(cubic(A, drive=DRIVE), actuators=gain)
    assert found.coordinates[6:] == tuple(f"leg {k} rotor" for k in range(1, 7))
    M = np.diag([MASS, 2 * REFLECTED])
    springs = 2 * np.array([[K, -K], [-K, K + gain]])
    expected = hertz(np.sort(np.linalg.eigvals(np.linalg.solve(M, springs))))
    for frequency in expected:
        assert np.isclose(found.frequencies, frequency, rtol=1e-9, atol=1e-4).any()
    assert found.most[-1][0] in ("rotors", "platform along z", "platform about z")


def test_rotors_of_locked_actuators_do_not_move():
    driven, ideal = (gough.natural_modes(cubic(A, drive=drive)) for drive in (DRIVE, None))
    assert len(driven) == 6
    np.testing.assert_array_equal(driven.frequencies, ideal.frequencies)
    some = gough.natural_modes(cubic(A, drive=DRIVE), actuators=[np.inf] * 5 + [1e6])
    assert some.coordinates[6:] == ("leg 6 rotor",)


def test_stiff_legs_move_as_the_rigid_machine_with_its_drives():
    """The frequencies of free actuators, as of A of q̈ with rotors: M + Jᵀ m J."""
    robot = cubic(A, piston=PISTON, drive=DRIVE, stiffness=1e9).replace(gravity=[0, 0, -9.81])
    machine, home = machine_of(robot), ca.DM(robot.home)
    held = gough.Model(robot).joint_gravity(robot.home)
    step = ca.SX.sym("step", 6)
    laws = Actuation(ca.DM(held), ca.DM(rotor_masses_of(robot)))
    moved, _ = forward_dynamics(machine, displace(home, step), ca.DM.zeros(6), laws, NO_WRENCH)
    slope = ca.Function("slope", [step], [ca.jacobian(moved, step)])(0)
    expected = np.sort(-np.linalg.eigvals(np.array(slope)).real)
    rates = 2 * np.pi * gough.natural_modes(robot, actuators="free").frequencies[:6]
    np.testing.assert_allclose(rates * np.abs(rates), expected, atol=1e-5)


def test_a_rotor_right_behind_a_piston_is_part_of_it_as_in_the_simulated_plant():
    robot = cubic(
        A, stiffness=None, piston=PISTON, drive=DRIVE, connector={"stiffness": K}
    ).replace(gravity=[0, 0, -9.81])
    machine, connectors = machine_of(robot), connectors_of(robot, "simple")
    home = ca.DM(robot.home)
    still = compliant.static_solution(machine.extensible, connectors, home, NO_WRENCH)
    z, none = ca.SX.sym("z", 12), ca.DM.zeros(6)
    inner = Inner(still.inner.E + z[6:], none, none, none, none)
    laws = Actuation(still.force, ca.DM(rotor_masses_of(robot)))
    moved = compliant.forward_dynamics(
        machine, connectors, displace(home, z[:6]), none, inner, laws, NO_WRENCH
    )
    rates = ca.vertcat(moved.acceleration, moved.inner_rate.E_dot)
    slope = ca.Function("slope", [z], [ca.jacobian(rates, z)])(0)
    expected = hertz(np.sort(-np.linalg.eigvals(np.array(slope)).real))
    found = gough.natural_modes(robot, actuators="free")
    assert len(found) == 12
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-7, atol=1e-5)
    heavier = gough.natural_modes(robot.replace({"leg.drive": None}), actuators="free")
    assert heavier.frequencies[-1] > 1.2 * found.frequencies[-1]


def test_rotors_between_two_springs_swing_by_themselves():
    """A heavy platform and a light rotor before a piston's spring: one freedom."""
    light = DRIVE | {"rotor_inertia": 1e-12, "screw_inertia": 0.0}
    mass = (2 * np.pi / LEAD) ** 2 * RATIO**2 * 1e-12
    robot = cubic(A, stiffness=3e5, piston=PISTON, connector={"stiffness": K}, drive=light)
    found = gough.natural_modes(robot, actuators=2e5)
    assert len(found) == 18
    np.testing.assert_allclose(found.frequencies[12:], hertz((3e5 + 2e5) / mass), rtol=1e-4)
    assert [words for words, _ in found.most[12:]] == ["rotors"] * 6


def test_machines_of_any_kind_carry_their_rotors_in_modes_and_maps():
    robot = yielding(gough.load("planar-3rrr"))
    model, m = gough.Model(robot), np.diag(rotor_masses_of(robot))
    k, home = np.diag([joint.stiffness for joint in robot.driven]), np.array(robot.home)
    J, gain = model.actuation_matrix(home), 3e3 * np.eye(3)
    M = np.block([[model.mass_matrix(home), np.zeros((3, 3))], [np.zeros((3, 3)), m]])
    geometric = model.stiffness(home, model.inverse_dynamics(home), np.full(3, np.inf))
    whole = np.block([[geometric + J.T @ k @ J, -J.T @ k], [-k @ J, k + gain]])
    expected = hertz(np.sort(np.linalg.eigvals(np.linalg.solve(M, whole)).real))
    found = gough.natural_modes(robot, actuators=3e3)
    assert [name.split()[-1] for name in found.coordinates[3:]] == ["rotor"] * 3
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-8)
    np.testing.assert_allclose(natural_frequencies(model, home, actuators=3e3), expected, rtol=1e-8)
    np.testing.assert_allclose(found.participation.sum(-1), 1, rtol=1e-9)
