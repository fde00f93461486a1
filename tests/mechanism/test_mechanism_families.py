"""Machines of any kind whose geometry is a parameter: equations in the numbers of their file."""

from functools import cache

import casadi as ca
import numpy as np
import pytest

import gough
from gough.equations.closure import assembled
from gough.equations.forces import dynamics, reactions
from gough.equations.motion import kinematics, motions, singularity_measures
from gough.errors import GoughError, RobotError
from gough.kinematics import Limits, margins
from gough.model import Machines, machine_of, variables
from gough.poses import displace

CHOSEN = {
    "delta": [
        "leg.base", "leg.platform", "leg.links[*].length", "leg.links[1].parallelogram",
        "leg.links[0].mass", "leg.links[0].center_of_mass", "platform.center_of_mass",
        "platform.home.position.z",
    ],
    "planar-3rrr": ["leg.base", "leg.platform.x", "leg.links[*].length", "leg.links[0].inertia.yy"],
    "five-bar": ["legs[1].base", "legs[1].links[*].length", "platform.mass"],
    "h4": ["leg.links[*].length", "legs[*].base.x", "joints[*].at.x"],
    "hexa-6rus": ["leg.base", "leg.platform", "leg.links[*].length", "gravity"],
    "hexaglide": ["legs[*].base", "leg.links[1].length", "platform.home.position"],
    "orthoglide": ["leg.base.x", "leg.platform.x", "leg.links[2].length",
                   "leg.links[2].parallelogram"],
    "servo-hexapod-6rss": ["leg.base", "leg.platform", "leg.links[*].length"],
    "tricept": ["legs[*].base.x", "legs[0].platform", "legs[1].links[0].center_of_mass"],
    "tripod-3rps": ["leg.base.x", "leg.platform.x", "platform.home.position.z"],
    "agile-eye": ["leg.links[*].center_of_mass", "leg.links[0].mass"],
}  # fmt: skip
CLOSED = [name for name in CHOSEN if name != "h4"]
"""Those whose legs are solved without iteration, which needs no machine code."""


@cache
def family(name):
    return gough.Model(gough.load(name), parametric=CHOSEN[name])


def others(model, seed=0, spread=0.03):
    """Numbers near the model's own, all of them different."""
    own, rng = model.parameters, np.random.default_rng(seed)
    return own + spread * rng.uniform(-1, 1, len(own)) * np.where(own == 0, 0.1, own)


def answers(machine, state):
    """What a machine answers at a state: where all is, how it moves, what its motors do."""
    pose, twist, acceleration, wrench, _ = state
    return ca.veccat(
        kinematics.inverse_kinematics(machine, pose),
        kinematics.jacobian(machine, pose),
        singularity_measures.arm(machine),
        assembled.home(machine),
        motions.joint_centers(machine, pose),
        motions.joint_tilts(machine, pose),
        motions.mass_center_position(machine, pose),
        dynamics.inverse_dynamics(machine, pose, twist, acceleration, wrench),
    )


def more_answers(machine, state):
    """The other equations of the dynamics, which take longer to write down."""
    pose, twist, acceleration, wrench, force = state
    standard = ca.SX(ca.DM.ones(10 * len(machine.description.bodies)))
    return ca.veccat(
        singularity_measures.determinant(machine, pose),
        dynamics.forward_dynamics(machine, pose, twist, force, wrench),
        dynamics.energy(machine, pose, twist),
        dynamics.joint_mass_matrix(machine, pose, dynamics.mass_matrix(machine, pose)),
        *reactions.reactions(machine, pose, twist, acceleration, wrench),
        dynamics.inverse_dynamics(machine.with_bodies(standard), pose, twist, acceleration, wrench),
    )


@cache
def function_of_family(name, equations=answers):
    model = family(name)
    x = ca.SX.sym("parameters", len(model.parameters))
    state = symbols(model)
    return ca.Function("answers", [x, *state], [equations(model.machines.machine(x), state)])


def symbols(model):
    sizes = {"pose": 7, "twist": 6, "acceleration": 6, "wrench": 6}
    force = ca.SX.sym("force", model.structure.actuators)
    return [*(ca.SX.sym(key, size) for key, size in sizes.items()), force]


def state_of(robot, seed=1):
    """A random state of a machine, near home where all poses there are possible."""
    machine, rng = machine_of(robot), np.random.default_rng(seed)
    pose, twist = ca.SX.sym("pose", 7), ca.SX.sym("twist", 6)
    possible = kinematics.admissible(machine, pose, twist)
    admissible = ca.Function("admissible", [pose, twist], [possible])
    home = np.array(robot.home)
    step = 0.03 * np.array(admissible(home, rng.uniform(-1, 1, 6))).ravel()
    at = displace(home, step) if machine.freedom.T is not None else home
    motion = [np.array(admissible(at, rng.uniform(-1, 1, 6))).ravel() for _ in range(2)]
    return [at, *motion, rng.uniform(-1, 1, 6), rng.uniform(-1, 1, len(machine.motors))]


def answers_of(robot, state, equations=answers):
    machine, given = machine_of(robot), symbols(gough.Model(robot))
    function = ca.Function("answers", given, [equations(machine, given)])
    return np.array(function(*state)).ravel()


def check(name, numbers, equations=answers):
    """Compare a family with the robot of these numbers."""
    robot = family(name).made(numbers)
    state = state_of(robot)
    expected = answers_of(robot, state, equations)
    found = np.array(function_of_family(name, equations)(numbers, *state)).ravel()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13 * np.nanmax(abs(expected)))


@pytest.mark.parametrize("name", CLOSED)
def test_a_family_answers_as_the_robots_of_other_files(name):
    check(name, others(family(name)))


@pytest.mark.parametrize("name", ["delta", "planar-3rrr", "tripod-3rps"])
def test_a_family_answers_as_the_robot_of_its_own_numbers(name):
    check(name, family(name).parameters)


@pytest.mark.parametrize("name", ["delta", "tripod-3rps"])
def test_a_family_has_all_dynamics_and_reactions(name):
    check(name, others(family(name)), more_answers)


def test_legs_that_are_solved_by_iteration_are_so_in_a_family():
    model = family("h4")
    numbers = others(model, spread=0.01)
    pose = displace(model.robot.home, [0.02, -0.01, 0.03, 0, 0, 0.1])
    expected = gough.Model(model.made(numbers)).inverse_kinematics(pose)
    np.testing.assert_allclose(model.inverse_kinematics(numbers, pose), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("delta", ["leg.base.x", "platform.home.position.z"]),
        ("tripod-3rps", ["leg.platform.x"]),  # at home, where tilts have no derivative by the home
    ],
)
def test_derivatives_by_a_files_numbers_are_those_of_differences_between_robots(name, by):
    model = family(name)
    numbers, state = others(model), state_of(model.made(others(model)))
    function = function_of_family(name)
    x = ca.SX.sym("x", len(numbers))
    exact = np.array(ca.Function("by", [x], [ca.jacobian(function(x, *state), x)])(numbers))
    for k in map(model.parameter_names.index, by):
        step = 1e-5 * (np.arange(len(numbers)) == k)
        high, low = (answers_of(model.made(numbers + s * step), state) for s in (1, -1))
        difference = (high - low) / 2e-5
        known = np.isfinite(difference)
        near = {"rtol": 1e-5, "atol": 1e-6 * np.abs(difference[known]).max()}
        np.testing.assert_allclose(exact[known, k], difference[known], **near)


def test_kernels_of_a_family_take_batches_of_designs():
    model = gough.Model(gough.load("delta"), parametric=["leg.links[*].length", "leg.base.x"])
    assert model.parameter_names == ["leg.links[0].length", "leg.links[1].length", "leg.base.x"]
    designs = np.array([others(model, seed) for seed in range(5)])
    poses = np.array([displace(model.robot.home, [0.1 * k, 0, 0.05, 0, 0, 0]) for k in range(4)])
    found = model.inverse_kinematics(designs[:, None], poses)
    assert found.shape == (5, 4, 3)
    robot = gough.Model(model.made(designs[3]))
    np.testing.assert_allclose(found[3], robot.inverse_kinematics(poses), atol=1e-13)
    some = Limits(families=("stroke", "platform joint", "singularity"))
    expected, own = margins(robot, poses, some), margins(model, poses, some, parameters=designs[3])
    np.testing.assert_allclose(own, expected, atol=1e-12)


def test_a_hexapod_has_families_of_its_file_too():
    names = ["symmetric.base_radius", "symmetric.platform_angle", "platform.mass"]
    model = gough.Model(gough.load("demo-hexapod"), parametric=names)
    numbers = model.parameters * [1.1, 0.9, 1.2]
    pose = displace(model.robot.home, [0.1, 0.05, 0, 0.1, 0, 0.05])
    robot = gough.Model(model.made(numbers))
    np.testing.assert_allclose(
        model.inverse_kinematics(numbers, pose), robot.inverse_kinematics(pose), rtol=1e-14
    )
    by_radius = model.derivative("inverse_kinematics", ["symmetric.base_radius"])(numbers, pose)
    step = np.array([1e-6, 0, 0])
    difference = model.inverse_kinematics(numbers + step, pose)
    difference = (difference - model.inverse_kinematics(numbers - step, pose)) / 2e-6
    np.testing.assert_allclose(by_radius[:, 0], difference, atol=1e-8)


def test_a_design_that_cannot_be_assembled_has_no_answers():
    model = family("delta")
    short = np.where(np.isin(model.parameter_names, ["leg.links[1].length"]), 0.3, model.parameters)
    state = state_of(model.robot)
    assert np.isnan(np.array(function_of_family("delta")(short, *state))[:3]).all()
    with pytest.raises(RobotError) as refused:
        model.made(short)
    assert (refused.value.key, refused.value.value) == ("leg.links[1].length", 0.3)
    assert "too short to reach" in refused.value.problem


@pytest.mark.parametrize(
    ("name", "numbers", "reason"),
    [
        ("agile-eye", ["leg.base"], "no machine of the same kind"),
        ("five-bar", ["legs[0].links[0].length"], "apart at home"),
        ("delta", ["leg.links[1].inertia.xx"], "off symmetry .*, about which it spins freely$"),
        ("tripod-3rps", ["leg.base.y"], "no closed form"),
    ],
)
def test_numbers_that_make_another_kind_of_machine_are_refused(name, numbers, reason):
    machines = Machines(gough.load(name), parametric=numbers)
    with pytest.raises(GoughError, match=reason):
        machines.machine(ca.SX.sym("parameters", len(machines.names)))


@pytest.mark.parametrize("name", ["leg.axis", "leg.motor.zero", "platform.home.rpy"])
def test_directions_are_no_variables(name):
    with pytest.raises(GoughError, match="is no variable: directions"):
        gough.Model(gough.load("delta"), parametric=[name]).machines  # noqa: B018


def test_names_that_are_not_there_are_refused_with_the_nearest():
    with pytest.raises(GoughError, match=r"did you mean leg.links\[0\].length"):
        gough.Model(gough.load("delta"), parametric=["leg.links[0].lenght"]).machines  # noqa: B018
    with pytest.raises(GoughError, match="parametric is 'leg'; expected True, False, or names"):
        gough.Model(gough.load("delta"), parametric="leg")


def test_families_go_on_where_axes_of_joints_have_met():
    """A hinge of h4 is moved along its own axis, past those of an elbow: nothing else changes."""
    h4 = gough.load("h4")
    model = gough.Model(h4, parametric=["joints[0].at.z"])
    own = gough.Model(h4).inverse_kinematics(h4.home)
    for z in (-0.45, -0.37, -0.2):
        np.testing.assert_allclose(model.inverse_kinematics([z], h4.home), own, atol=1e-12)


def test_variables_of_a_machine_make_its_robots():
    found = variables(gough.load("delta"))
    longer = np.where(np.isin(found.names, ["leg.links[0].length"]), 0.6, found.values)
    robot = found.made(longer)
    hip, elbow = (np.array(joint.at) for joint in robot.joints[:3:2])
    assert np.linalg.norm((elbow - hip)[[0, 2]]) == pytest.approx(0.6, abs=1e-12)
