"""Coupled joints: gears, belts, differentials and racks, against Pinocchio with rows for them."""

import casadi as ca
import numpy as np
import pytest
from coupled_machines import COUPLED, Z, platform, weighed
from drawings import Coupling, Joint, Mechanism, changed
from interpreted import numbers, placed
from oracles.dense_balance import dense_balance
from oracles.pinocchio_mechanism import PinocchioMechanism
from scipy.spatial.transform import Rotation

import gough
from gough.equations.forces import dynamics, reactions
from gough.equations.motion import kinematics
from gough.errors import RobotError
from gough.kinematics import RobotDescription
from gough.model.mechanism import analysed
from gough.motion import motion_from_dict
from gough.simulation import open_loop, real_plant, rigid_plant

TOLERANCE = 1e-9


@pytest.mark.parametrize("name", COUPLED)
def test_random_coupled_machines_are_pinocchios(name):
    mechanism = COUPLED[name](1)
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(1)
    state, wrench = oracle.random_state(rng), rng.standard_normal(6)
    machine = placed(analysed(mechanism).machine, state.pose)
    x, V, V_dot, w = map(ca.DM, (state.pose, state.twist, state.acceleration, wrench))
    effort = oracle.efforts(state, wrench)
    balance = dense_balance(oracle, state, wrench, effort)
    assert balance.residual < 1e-10
    pairs = {
        "positions": (kinematics.inverse_kinematics(machine, x), oracle.positions(state)),
        "efforts": (dynamics.inverse_dynamics(machine, x, V, V_dot, w), effort),
        "acceleration": (
            dynamics.forward_dynamics(machine, x, V, ca.DM(effort), w),
            oracle.accelerations(state, effort, wrench),
        ),
        "energy": (dynamics.energy(machine, x, V), oracle.energy(state)),
        "couplings": (
            reactions.coupling_efforts(machine, x, V, V_dot, w),
            balance.coupled[:, 0],
        ),
    }
    for quantity, (ours, theirs) in pairs.items():
        error = np.abs(numbers(ours).reshape(theirs.shape) - theirs).max()
        scale = max(1.0, np.abs(theirs).max())
        assert error < TOLERANCE * scale, (name, quantity, numbers(ours), theirs)


def test_reactions_are_those_of_the_balance_of_all_bodies():
    mechanism = COUPLED["five-bar with gears"](3)
    check_reactions(mechanism)


def test_a_belt_beside_a_parallelogram_leaves_its_effort_open():
    """Both hold the rocker parallel to the crank: who carries how much, no balance says."""
    mechanism = parallelogram()
    case = check_reactions(mechanism)
    assert np.isnan(case).all()


def check_reactions(mechanism):
    """Compare all that is determined; return the couplings' efforts."""
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(5)
    state, wrench = oracle.random_state(rng), rng.standard_normal(6)
    found = analysed(mechanism)
    machine = placed(found.machine, state.pose)
    motion = [ca.DM(x) for x in (state.pose, state.twist, state.acceleration, wrench)]
    balance = dense_balance(oracle, state, wrench, oracle.efforts(state, wrench))
    ours = np.hstack([numbers(half) for half in reactions.reactions(machine, *motion)])
    for row, mine, force, moment, unfelt in zip(
        found.structure.reactions, ours, balance.force, balance.moment, balance.unfelt, strict=True
    ):
        turn = np.array(row.axes) @ oracle.turn(state, row.body).T
        axes = np.kron(np.eye(2), turn)
        known = np.abs(axes @ unfelt).max(axis=1, initial=0.0) < 1e-8
        np.testing.assert_array_equal(np.isfinite(mine), known, row.joint)
        np.testing.assert_array_equal(row.known, known, row.joint)
        theirs = axes @ np.concatenate([force, moment])
        np.testing.assert_allclose(mine[known], theirs[known], atol=1e-8)
    return numbers(reactions.coupling_efforts(machine, *motion))


def parallelogram():
    rng = np.random.default_rng(1)
    joints = (
        Joint("left", "R", ("base", "crank"), (-0.2, 0, 0), [Z], True),
        Joint("top left", "R", ("crank", "platform"), (-0.1, 0.3, 0), [Z]),
        Joint("top right", "R", ("platform", "rocker"), (0.3, 0.3, 0), [Z]),
        Joint("right", "R", ("base", "rocker"), (0.2, 0, 0), [Z]),
    )
    bodies = weighed("crank", rng, np.zeros(3)), weighed("rocker", rng, np.zeros(3))
    belt = Coupling("belt", ("right", "left"), 1.0)
    parts = platform(rng, (0.0, 0.4, 0), ("x",)), bodies, joints
    return Mechanism("parallelogram", *parts, couplings=(belt,))


def test_coupled_joints_may_be_all_joints_of_a_loop():
    """The angles of a plane loop sum up to zero: added to a coupling they change nothing."""
    plain = COUPLED["four-bar with a chain"](4)
    names = ("motor", "right", "top right", "left", "top left")
    _, right, top = plain.couplings[0].weights
    added = Coupling("sum", names, 1.0, right + 0.7, top + 0.7, 0.7, 0.7)
    other = changed(plain, couplings=(added, plain.couplings[1]))
    state, motion = PinocchioMechanism(plain).random_state(np.random.default_rng(2)), []
    for mechanism in (plain, other):
        machine = placed(analysed(mechanism).machine, state.pose)
        given = map(ca.DM, (state.pose, state.twist, state.acceleration, np.arange(6.0)))
        motion.append(numbers(dynamics.inverse_dynamics(machine, *given)))
    np.testing.assert_allclose(*motion, rtol=1e-9)


@pytest.fixture(scope="module")
def scara():
    return gough.Model(COUPLED["SCARA with a belt"](0, ratio=-160.0))


def test_gears_count_whole_turns(scara):
    q = np.array([0.9, 250.0])
    np.testing.assert_allclose(scara.inverse_kinematics(turned(scara, q)), q, rtol=1e-10)


def test_branches_of_a_leg_of_two_chains_that_a_belt_couples(scara):
    home = np.array([joint.position_at_home for joint in scara.robot.driven])
    found = scara.branches(scara.robot.home)
    assert np.abs(found.q - home).max(axis=-1).min() < 1e-9
    assert len(found) == 1  # a whole turn of the elbow, with 160 of the motor, is no other branch


def test_whole_turns_of_rotors_are_no_branches():
    robot = COUPLED["five-bar with gears"](0)
    found = gough.Model(robot).branches(robot.home)
    assert len(found) == 2
    assert np.abs(found.joints[:, 1:]).max() < np.pi  # of the two, hips have the smaller turn


def turned(model, q):
    """Where the motors of the SCARA lead the tool: a chain of two hinges."""
    shoulder, motor, elbow = model.robot.joints
    first = q[0] - shoulder.position_at_home
    second = (q[1] - motor.position_at_home) / model.robot.couplings[0].ratio
    tool, at = np.array(model.robot.home[:3]), np.array(elbow.at)
    R_1, R_12 = (Rotation.from_euler("z", angle).as_matrix() for angle in (first, first + second))
    x = R_1 @ at + R_12 @ (tool - at)
    return np.concatenate([x, Rotation.from_euler("z", first + second).as_quat(scalar_first=True)])


def test_the_ratio_of_a_coupling_may_be_a_variable(scara):
    name = "couplings[0].ratio"
    robot = scara.robot
    family = gough.Model(robot, parametric=(name,))
    other = robot.replace({name: -80.0})
    pose, motion = turned(gough.Model(other), np.array([0.5, 9.0])), [0.1, 0.2, 0, 0, 0, 0.3]
    given = family.admissible([-80.0], pose, motion)
    np.testing.assert_allclose(
        family.inverse_dynamics([-80.0], pose, given),
        gough.Model(other).inverse_dynamics(pose, given),
    )


BAD = {
    "one joint": ({"joints": ["motor"]}, "joints"),
    "a joint twice": ({"joints": ["motor", "motor"]}, "joints"),
    "no such joint": ({"joints": ["motor", "elbows"]}, "joints[1]"),
    "a ratio of zero": ({"ratio": 0.0}, "ratio"),
    "no number": ({"ratio": float("nan")}, "ratio"),
    "ratio and coefficients": ({"coefficients": [1.0, 2.0]}, ""),
    "neither": ({"ratio": None}, ""),
    "three for two": ({"ratio": None, "coefficients": [1, 2, 3]}, "coefficients"),
    "a zero among them": ({"ratio": None, "coefficients": [1, 0]}, "coefficients[1]"),
    "a ratio of three": ({"joints": ["motor", "elbow", "shoulder"]}, "joints"),
    "a name twice": ({"name": "other"}, "name"),
    "an unknown key": ({"rato": 2}, "rato"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_coupling_is_refused(scara, case):
    data = scara.robot.to_dict()
    changes, key = BAD[case]
    given = {**data["couplings"][0], **changes}
    data["couplings"] = [{"name": "other", "joints": ["motor", "elbow"], "ratio": 1.0},
                         {k: x for k, x in given.items() if x is not None}]  # fmt: skip
    with pytest.raises(RobotError) as error:
        gough.Robot.from_dict(data)
    assert error.value.key == f"couplings[1].{key}".strip(".")


def test_couplings_are_written_and_read(scara, tmp_path):
    gough.save(scara.robot, tmp_path / "scara.toml")
    assert gough.load(tmp_path / "scara.toml") == scara.robot


def test_machines_without_couplings_say_so():
    model = gough.Model(gough.load("delta"))
    with pytest.raises(AttributeError, match="its file has no"):
        model.coupling_efforts(model.robot.home)
    assert "couplings" not in model.robot.to_dict()


def test_joints_as_coordinates_move_as_the_platform_does():
    """All joints are states there: couplings are rows beside the loops, in another formulation."""
    robot = COUPLED["four-bar with a chain"](6)
    motion = motion_from_dict({"kind": "hold", "duration": 0.4}, robot)
    ideal = {"drives": False, "joint_friction": False, "stops": False}
    plants = rigid_plant(robot), real_plant(robot, coordinates="joints", **ideal)
    poses, energies = [], []
    for plant in plants:
        run = gough.simulate(gough.Scenario(robot, open_loop(0.0), motion, plant=plant))
        poses.append(run["pose"])
        energies.append(run["stored_energy"].sum(axis=-1))
    assert np.ptp(poses[0], axis=0).max() > 0.01
    np.testing.assert_allclose(*poses, atol=1e-9)
    np.testing.assert_allclose(energies[1], energies[1][0], rtol=1e-8)


RATIO, MASS, MOMENT, STIFFNESS = 0.02, 3.0, 1e-3, 500.0


@pytest.mark.parametrize("bearing", [{}, {"bearing": {"radial": 1e9}}], ids=["rigid", "bearings"])
def test_a_rack_stands_on_the_stiffness_of_its_pinion(bearing):
    """K = k / r², M = m + J / r²: the same rows for rigid bearings and for compliant ones."""
    data = {
        "schema": "gough/2",
        "name": "rack",
        "platform": {"mass": MASS, "inertia": [1, 1, 1], "home": {"position": [0, 0, 0]},
                     "moves": ["x"]},
        "bodies": [{"name": "pinion", "mass": 1.0, "inertia": [MOMENT] * 3}],
        "joints": [
            {"name": "pinion", "type": "R", "between": ["base", "pinion"], "at": [0, 0, 0],
             "axis": [0, 0, 1], "driven": True, "stiffness": STIFFNESS},
            {"name": "slide", "type": "P", "between": ["base", "platform"], "at": [0, 0, 0],
             "axis": [1, 0, 0], **bearing},
        ],
        "couplings": [{"name": "teeth", "joints": ["slide", "pinion"], "ratio": RATIO}],
    }  # fmt: skip
    robot = gough.Robot.from_dict(data)
    expected = np.sqrt(STIFFNESS / (MASS * RATIO**2 + MOMENT)) / (2 * np.pi)
    assert gough.natural_modes(robot).frequencies[0] == pytest.approx(expected, rel=1e-9)
    K = gough.Model(robot).stiffness(robot.home, [0.0])
    assert K[0, 0] == pytest.approx(STIFFNESS / RATIO**2, rel=1e-9)


def test_efforts_of_couplings_are_a_quantity_of_studies(scara, tmp_path):
    gough.save(scara.robot, tmp_path / "scara.toml")
    study = {"schema": "gough-study/1", "name": "belt", "robot": str(tmp_path / "scara.toml")}
    study["motion"] = {"kind": "line", "displacement": [0.01, 0.02, 0], "duration": 0.1}
    study["outputs"] = {"quantities": ["coupling_effort"]}
    results = gough.run(study)
    found = results.quantities["coupling_effort"]
    assert (found.unit, found.axes[0].labels) == ("N m", ("belt",))
    assert results.summary["peak_coupling_effort"].value == np.abs(found.values).max() > 0
    (row,) = RobotDescription(scara.robot).tables()[-1].rows
    assert [cell.value for cell in row.cells] == ["belt", "motor = -160 elbow"]
