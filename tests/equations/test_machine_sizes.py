"""Machines with other than six legs: every shape follows from the machine."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from connectors import compliant_machine, moved, random_inner
from drives import random_drive
from machines import as_machine, random_machine, random_state, structure_of_legs

import gough
from gough.equations import dynamics
from gough.equations.actuators import compliant
from gough.equations.actuators.drive import driven_dynamics
from gough.equations.control.laws import joint_pid
from gough.equations.control.signals import Measurement, Reference, Sample
from gough.equations.dynamics import FORMULATIONS
from gough.equations.legs import closure
from gough.equations.legs.closure import lengths_possible
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.errors import GoughError
from gough.model.catalogue import definitions, why_absent
from gough.model.definition import CARRYING

COUNTS = (3, 6, 8)
"""Fewer legs than freedoms, as many, and more."""
NEED_INVERSE = {
    "is_singular",
    "inverse_dynamics",
    "actuator_force",
    "joint_mass_matrix",
    "joint_coriolis_matrix",
    "joint_gravity",
    "actuator_power",
    "reactions",
    "all_reactions",
    "force_parts",
    "regressor",
    "force_decomposition",
    "crossing_forces",
}


def machine_of(count, seed=0):
    """A machine of UPS and SPS legs by turns."""
    return random_machine(np.random.default_rng(seed), count=count)


def numbers(value):
    return np.array(ca.evalf(ca.SX(value))).ravel()


def of_shape(shape):
    """A shape as CasADi has it."""
    if len(shape) > 2:
        return (shape[0] * shape[1], shape[2])
    return (*shape, 1, 1)[:2] if len(shape) < 2 else shape


def counts_and_formulations():
    """All counts by the usual formulation, six by the others, and seven by Kane's."""
    yield from ((count, DEFAULT_FORMULATION) for count in COUNTS)
    yield from ((6, by) for by in FORMULATIONS if by not in (DEFAULT_FORMULATION, "kane"))
    yield 7, "kane"


@pytest.mark.parametrize(("count", "formulation"), list(counts_and_formulations()))
def test_every_kernel_has_the_shapes_that_it_declares(count, formulation):
    machine = machine_of(count)
    structure = structure_of_legs(machine)
    usual = definitions(structure, DEFAULT_FORMULATION)
    for name, kernel in definitions(structure, formulation).items():
        if formulation != DEFAULT_FORMULATION and kernel.equation is usual[name].equation:
            continue  # no formulation is in it
        inputs = [ca.SX.sym(a.name, *of_shape(a.shape)) for a in kernel.inputs]
        results = kernel.equation(as_machine(machine), *inputs)
        results = results if isinstance(results, tuple) else (results,)
        declared = [of_shape(a.shape) for a in kernel.outputs]
        assert [r.shape for r in results] == declared, name


def test_rows_and_columns_are_those_of_legs_and_actuators():
    known = definitions(structure_of_legs(machine_of(8)), "newton-euler")
    shapes = {name: [a.shape for a in kernel.outputs] for name, kernel in known.items()}
    assert shapes["inverse_kinematics"] == [(8,)]
    assert shapes["jacobian"] == [(8, 6)]
    assert shapes["leg_angular_velocity"] == [(8, 3)]
    assert shapes["all_joints"] == [(24,)] * 3
    assert shapes["forward_dynamics"] == [(6,)]
    assert shapes["linearize"] == [(12, 12), (12, 8)]
    assert [a.shape for a in known["forward_dynamics"].inputs] == [(7,), (6,), (8,), (6,)]


@pytest.mark.parametrize("count", COUNTS)
def test_kernels_that_need_determined_forces_are_absent_without_them(count):
    structure = structure_of_legs(machine_of(count))
    whole = structure_of_legs(machine_of(6))
    for formulation in FORMULATIONS:
        absent = set(definitions(whole, formulation)) - set(definitions(structure, formulation))
        expected = set() if count == 6 else NEED_INVERSE
        assert absent == (expected | {*CARRYING} if count < 6 else expected)
        for name in absent:
            assert f"{count} actuators for 6 degrees of freedom" in why_absent(
                structure, formulation, name
            )
    assert why_absent(structure, "kane", "jacobian") is None
    assert why_absent(structure, "kane", "jacobain") is None


@pytest.mark.parametrize("count", COUNTS)
def test_the_acceleration_balances_all_forces_whatever_their_number(count):
    """M · acceleration + C · twist + G = Jᵀ force + wrench, and all derivations agree."""
    rng = np.random.default_rng(count)
    machine = machine_of(count, seed=count)
    pose, twist, _, wrench = map(ca.DM, random_state(rng))
    force = ca.DM(100 * rng.normal(size=count))
    J = closure.jacobian(machine, pose)
    reference = dynamics.default.forward_dynamics(machine, pose, twist, force, wrench)
    for by in FORMULATIONS.values():
        acceleration = by.forward_dynamics(machine, pose, twist, force, wrench)
        left = by.mass_matrix(machine, pose) @ acceleration + by.gravity(machine, pose)
        left += by.coriolis_matrix(machine, pose, twist) @ twist
        given = J.T @ force + wrench
        np.testing.assert_allclose(numbers(left), numbers(given), rtol=1e-9, atol=1e-8)
        if not by.approximation:
            np.testing.assert_allclose(numbers(acceleration), numbers(reference), rtol=1e-9)


@pytest.mark.parametrize("count", COUNTS)
def test_drives_and_yielding_legs_are_as_many_as_the_legs(count):
    rng = np.random.default_rng(count)
    machine, connectors, _ = compliant_machine(rng, ["complete", "simple", "rigid"], count)
    drives = [random_drive(rng, efficiency=None) for _ in range(count)]
    pose, twist, _, wrench = map(ca.DM, random_state(rng))
    lengths = numbers(closure.inverse_kinematics(machine, pose))
    inner = random_inner(rng, lengths, machine)
    current, none = ca.DM(rng.normal(size=count)), ca.DM.zeros(count)
    at = (machine, connectors, pose, twist, inner)
    speed = compliant.inner_motion(*at).E_dot
    found = driven_dynamics(lambda laws: moved(*at, laws, wrench), drives, speed, current, none)
    assert found.acceleration.shape == (6, 1)
    assert found.inner_rate.column().shape == (5 * count, 1)
    assert found.force.shape == found.leg_force.shape == (count, 1)
    np.testing.assert_array_equal(np.array(inner.of(inner.column()).D), np.array(inner.D))


@pytest.mark.parametrize("count", COUNTS)
def test_what_controllers_see_and_say_is_as_long_as_the_legs_are_many(count):
    machine = machine_of(count)
    column = ca.DM(np.arange(4.0 * count + 6))
    seen = Measurement.of(column)
    parts = (seen.q, seen.q_dot, seen.wrench, seen.deflection, seen.push)
    assert [x.shape[0] for x in parts] == [count, count, 6, count, count]
    np.testing.assert_array_equal(np.array(seen.column()), np.array(column))
    state = random_state(np.random.default_rng(0))
    gains = {name: ca.DM.eye(count) for name in ("kp", "ki", "kd", "kv")}
    setting = (as_machine(machine), 1e-3, ca.DM.inf(count), None, None)
    wanted = Reference(*map(ca.DM, state[:3]))
    force, integral = joint_pid(Sample(*setting, ca.DM.zeros(count), seen, wanted, gains))
    assert force.shape == integral.shape == (count, 1)
    q = closure.inverse_kinematics(machine, ca.DM(state[0]))
    assert float(lengths_possible(machine, q, 1e-9))
    q[count - 1] = 100
    assert not float(lengths_possible(machine, q, 1e-9))


@pytest.fixture
def eight_legs():
    """A robot that no file can describe yet: the structure is there before the format."""
    robot = gough.load("demo-hexapod")
    more = [leg.model_copy(update={"base": (0.3 * k, 0.1, 0.0)}) for k, leg in
            enumerate(robot.legs[:2])]  # fmt: skip
    return robot.model_copy(update={"legs": (*robot.legs, *more)})


@pytest.mark.parametrize("parametric", [False, True])
def test_a_model_of_eight_legs_has_what_it_can_have_and_says_why_not_more(eight_legs, parametric):
    model = gough.Model(eight_legs, parametric=parametric)
    assert model.structure.actuators == 8
    assert not model.structure.determined
    own, pose = model.numbers(), eight_legs.home
    assert model.inverse_kinematics(*own, pose).shape == (8,)
    assert model.jacobian(*own, [pose, pose]).shape == (2, 8, 6)
    force = np.arange(8.0)
    acceleration = model.forward_dynamics(*own, pose, np.zeros(6), force)
    left = model.mass_matrix(*own, pose) @ acceleration + model.gravity(*own, pose)
    np.testing.assert_allclose(left, model.jacobian(*own, pose).T @ force, atol=1e-9)
    assert NEED_INVERSE.isdisjoint(dir(model))
    assert not hasattr(model, "inverse_dynamics")
    reason = "8 actuators for 6 degrees of freedom"
    with pytest.raises(AttributeError, match=reason):
        _ = model.inverse_dynamics
    for ask in (model.function, lambda name: model.derivative(name, "pose")):
        with pytest.raises(GoughError, match=reason):
            ask("joint_mass_matrix")
    with pytest.raises(AttributeError, match="did you mean inverse_kinematics"):
        _ = model.inverse_kinematic


def test_a_structure_names_itself_in_a_line():
    said = "legs 2 UP*S, 1 SP*S; 3 actuators; degrees of freedom x y z rx ry rz"
    assert str(structure_of_legs(machine_of(3))) == said
