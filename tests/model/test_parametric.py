"""A parametric model answers for the parameters given, whatever robot it was made from."""

import numpy as np
import pytest
from interpreted import interpreted

import gough
from gough.equations.dynamics import FORMULATIONS
from gough.kinematics import assembly_modes
from gough.kinematics.forward.forward import Status
from gough.kinematics.samples import random_poses
from gough.kinematics.singularity.crossings import crossings
from gough.kinematics.workspace.reach import Limits, margins
from gough.kinematics.workspace.slices import workspace_slice
from gough.kinematics.workspace.workspace import (
    constant_orientation_workspace,
    orientation_workspace,
)
from gough.model.catalogue import definitions
from gough.model.structure import structure_of
from gough.motion import fastest, hold


def changed(name, **leg):
    data = gough.load(name).to_dict()
    data["leg"] |= leg
    return gough.Robot.from_dict(data)


CYLINDER = {"mass": 0.2, "center_of_mass": 0.1, "inertia": [0.002, 0.003, 0.0015]}
YIELDING = {
    "stiffness": 2e6,
    "screw": {"diameter": 0.004, "dead_length": 0.1, "nut": 4e6, "bearing": 3e6, "rod": 5e6},
    "joint_stiffness": {
        "base_axial": 6e6, "base_radial": 5e6, "platform_axial": 7e6, "platform_radial": 4e6,
    },
    "length_offset": 0.02,
    "gain": 1.01,
    "radius": 0.004,
    "base_joint_limit": 0.5,
    "platform_joint_limit": 0.6,
    "connector": {
        "stiffness": 8e5,
        "coupling": {"stiffness": 5e4},
        "decoupling": {"mass": 0.05, "position": 0.1, "stiffness": 9e5},
    },
    "joint_friction": {"base_damping": 0.1, "platform_friction": 0.02},
    "stop": {"stiffness": 1e6, "restitution": 0.3},
}  # fmt: skip
TEMPLATE = gough.load("demo-hexapod")
MEANT = changed("bingul-2012", cylinder=CYLINDER, **YIELDING)
NUMBERS = MEANT.parameters
NUMBERS[[".first_axis." in name for name in MEANT.parameter_names]] *= 2  # only directions
RNG = np.random.default_rng(5)
POSE = gough.pose(
    np.array(MEANT.home[:3]) + 0.01 * RNG.normal(size=(4, 3)),
    rotation_vector=0.05 * RNG.normal(size=(4, 3)),
)
INPUTS = {"pose": POSE} | {
    name: RNG.normal(size=(4, 6)) for name in ("twist", "acceleration", "wrench", "force")
}
INPUTS["actuator_compliance"] = RNG.uniform(0, 1e-6, size=(4, 6))
INPUTS |= {name: RNG.normal(size=(4, 6)) for name in ("jerk", "wrench_rate", "direction")}
INPUTS["max_force"] = np.full((4, 6), 100.0)
INPUTS["readings"] = RNG.uniform(0.2, 0.3, size=(4, 6))
LENGTHS = gough.Model(MEANT).inverse_kinematics(POSE)


def all_kernels():
    for formulation in FORMULATIONS:
        for name in definitions(structure_of(MEANT), formulation):
            if formulation == "newton-euler" or "dynamics" in name:
                yield formulation, name


@pytest.mark.parametrize(("formulation", "name"), list(all_kernels()))
def test_every_kernel_answers_for_its_parameters(formulation, name):
    family = gough.Model(TEMPLATE, formulation=formulation, parametric=True)
    alone = gough.Model(MEANT, formulation=formulation)
    inputs = [INPUTS[a.name] for a in alone.function(name).inputs]
    got, expected = kernel_of(family, name)(NUMBERS, *inputs), kernel_of(alone, name)(*inputs)
    results = zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)]
    for one, other in results:
        scale = max(np.abs(other).max(), 1e-300)
        np.testing.assert_allclose(one / scale, other / scale, atol=1e-11)


def kernel_of(model, name):
    """Interpreted by CasADi; one with iterations inside is compiled."""
    has_iterations = name.startswith("crossing")
    return getattr(model, name) if has_iterations else interpreted(model.function(name))


@pytest.mark.parametrize("along", [False, True])
def test_forward_kinematics_starts_at_the_home_of_its_parameters(along):
    family = gough.Model(TEMPLATE, parametric=True)
    got = family.forward_kinematics(LENGTHS, along=along, parameters=NUMBERS)
    expected = gough.Model(MEANT).forward_kinematics(LENGTHS, along=along)
    np.testing.assert_array_equal(got.status, expected.status)
    np.testing.assert_array_equal(got.iterations, expected.iterations)
    np.testing.assert_allclose(got.pose, expected.pose, atol=1e-12)


def test_forward_kinematics_knows_the_strokes_and_the_size_of_its_parameters():
    stroke = [0.267, 0.268]  # home is inside, most poses are not
    robot = changed("bingul-2012", **YIELDING, cylinder=CYLINDER, stroke=stroke)
    numbers = gough.Model(robot).parameters
    expected = gough.Model(robot).forward_kinematics(LENGTHS)
    assert (expected.status == Status.OUTSIDE_STROKE).any()
    got = gough.Model(TEMPLATE, parametric=True).forward_kinematics(LENGTHS, parameters=numbers)
    np.testing.assert_array_equal(got.status, expected.status)
    rough = {"tolerance": 1e-3}  # of the machine's size: ten times smaller than the template's
    got = gough.Model(TEMPLATE, parametric=True).forward_kinematics(
        LENGTHS, parameters=NUMBERS, **rough
    )
    expected = gough.Model(MEANT).forward_kinematics(LENGTHS, **rough)
    np.testing.assert_array_equal(got.iterations, expected.iterations)
    np.testing.assert_array_equal(got.residual, expected.residual)


def test_each_sample_may_have_a_home_of_its_own():
    family = gough.Model(TEMPLATE, parametric=True)
    robots = np.stack([NUMBERS, family.parameters])
    q = [LENGTHS[0], gough.Model(TEMPLATE).inverse_kinematics(np.array(TEMPLATE.home))]
    found = family.forward_kinematics(q, parameters=robots)
    assert (found.status == Status.CONVERGED).all()
    np.testing.assert_allclose(found.pose, [POSE[0], TEMPLATE.home], atol=1e-12)


def test_checked_forces_are_those_of_the_parameters():
    state = [INPUTS[name] for name in ("pose", "twist", "acceleration", "wrench")]
    got = gough.Model(TEMPLATE, parametric=True).checked_inverse_dynamics(
        *state, parameters=NUMBERS
    )
    expected = gough.Model(MEANT).checked_inverse_dynamics(*state)
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_singularities_are_those_of_the_parameters():
    got = gough.Model(TEMPLATE, parametric=True).singularity(POSE, parameters=NUMBERS)
    expected = gough.Model(MEANT).singularity(POSE)
    for measure in ("condition", "determinant", "distance", "serial", "passive"):
        np.testing.assert_allclose(getattr(got, measure), getattr(expected, measure), rtol=1e-9)
    np.testing.assert_allclose(got.characteristic_length, expected.characteristic_length)


def test_margins_are_those_of_the_parameters():
    """Of the strokes, angles and radii given, wherever the template has such limits."""
    robot = MEANT.replace({"leg.stroke": [0.2, 0.3]})
    limits = Limits(max_condition=1e4)
    got = margins(gough.Model(robot, parametric=True), POSE, limits, parameters=robot.parameters)
    thicker = dict(zip(robot.parameter_names, robot.parameters, strict=True))
    expected = margins(gough.Model(robot), POSE, limits)
    np.testing.assert_allclose(got, expected, rtol=1e-9)
    for k in range(6):
        thicker |= {f"legs[{k}].radius": 0.008, f"legs[{k}].base_joint_limit": 0.3}
    got = margins(gough.Model(robot, parametric=True), POSE, limits, parameters=[*thicker.values()])
    other = robot.replace({"leg.radius": 0.008, "leg.base_joint_limit": 0.3})
    np.testing.assert_allclose(got, margins(gough.Model(other), POSE, limits), rtol=1e-9)


def test_forward_kinematics_of_any_machine_knows_the_travel_of_its_parameters():
    delta = gough.load("delta")
    family = gough.Model(delta, parametric=True)
    numbers = family.parameters
    q = family.inverse_kinematics(numbers, delta.home)
    assert family.forward_kinematics(q, parameters=numbers).status == Status.CONVERGED
    numbers[family.parameter_names.index("joints[0].range.largest")] = q[0] - 0.01
    assert family.forward_kinematics(q, parameters=numbers).status == Status.OUTSIDE_STROKE


def test_a_network_does_not_know_other_parameters():
    family = gough.Model(TEMPLATE, parametric=True)
    with pytest.raises(gough.GoughError, match="knows the model's own robot"):
        family.forward_kinematics(LENGTHS, "neural", parameters=NUMBERS)


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.assembly_modes(LENGTHS[0]),
        lambda m: assembly_modes(m, LENGTHS[0]),
        lambda m: fastest(m, hold(POSE[0], 1.0), speed=1.0),
        lambda m: crossings(m, POSE[:2], [0.0, 1.0]),
        lambda m: constant_orientation_workspace(m),
        lambda m: orientation_workspace(m),
        lambda m: workspace_slice(m, ("x", "y")),
        lambda m: random_poses(m, 3, np.random.default_rng(0)),
    ],
)
def test_what_is_about_one_robot_refuses_parameters(ask):
    with pytest.raises(gough.GoughError, match="and this model takes parameters"):
        ask(gough.Model(TEMPLATE, parametric=True))
