"""Branches: kernels on every working mode of a machine, against Pinocchio and as each other."""

import json
import pickle

import numpy as np
import pinocchio as pin
import pytest
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.errors import GoughError, RobotError
from gough.poses import displace
from gough.runs.checking import check_file

NAMES = {"five-bar": 2, "3-RRR": 8, "delta, ball-ended rods": 8}
"""Machines, and how many branches each has at home."""


@pytest.fixture(scope="module", params=NAMES)
def machine(request):
    return MACHINES[request.param](1), NAMES[request.param]


def state_at(oracle, q, pose, rng):
    """A random motion with the motors at q and the platform in a pose, found by the oracle."""
    zero, places = np.zeros(oracle.model.nv), oracle.motors
    for _ in range(50):
        at = pin.integrate(
            oracle.model, pin.neutral(oracle.model), rng.uniform(-2, 2, oracle.model.nv)
        )
        for _ in range(60):
            J, gaps, _ = oracle._rows(at, zero, zero)
            state = oracle._state(at, zero, zero)
            held = np.eye(oracle.model.nv)[places]
            turned = np.angle(np.exp(1j * (q - oracle.positions(state))))
            away = gough.poses.difference(pose, state.pose)
            rows = np.vstack([J, held, oracle._platform_jacobian(at)])
            missing = np.concatenate([-gaps, turned, away])
            step = np.linalg.lstsq(rows, missing, rcond=1e-9)[0]
            at = pin.integrate(oracle.model, at, step * min(1, 0.5 / np.abs(step).max()))
            if np.abs(missing).max() < 1e-13:
                N = oracle.moves(at)
                v = N @ rng.standard_normal(N.shape[1])
                drift = oracle._rows(at, v, zero)
                a = -np.linalg.pinv(drift[0], rcond=1e-9) @ drift[2]
                return oracle._state(at, v, a + N @ rng.standard_normal(N.shape[1]))
    raise AssertionError("the oracle found no such state")


def test_every_working_mode_moves_as_pinocchio_says(machine):
    mechanism, count = machine
    model, oracle = gough.Model(mechanism, branch=True), PinocchioMechanism(mechanism)
    rng, own = np.random.default_rng(0), gough.Model(mechanism)
    pose = own.possible_pose(displace(mechanism.home, 0.05 * rng.standard_normal(6))).pose
    found = own.branches(pose)
    assert len(found) == count
    assert found.complete
    assert found.own.tolist() == [True] + (count - 1) * [False]
    wrench = rng.standard_normal(6)
    for branch, q in zip(found.branch, found.q, strict=True):
        state = state_at(oracle, q, pose, rng)
        force = model.inverse_dynamics(branch, *state[3:], wrench)
        known = oracle.efforts(state, wrench)
        assert np.abs(force - known).max() < 1e-9 * max(1, np.abs(known).max())
        assert model.inverse_kinematics(branch, state.pose) == pytest.approx(q, abs=1e-12)
        back = model.forward_dynamics(branch, state.pose, state.twist, force, wrench)
        assert back == pytest.approx(state.acceleration, abs=1e-8)


def test_the_power_of_the_motors_is_the_rate_of_the_energy_on_every_branch(machine):
    mechanism, _ = machine
    model = gough.Model(mechanism, branch=True)
    pose, h = np.array(mechanism.home), 1e-6
    found = gough.Model(mechanism).branches(pose)
    twist = model.admissible(found.branch, pose, [0.3, -0.2, 0.1, 0.2, 0.1, -0.3])
    force = model.inverse_dynamics(found.branch, pose, twist)
    speed = model.joint_velocity(found.branch, pose, twist)
    still = model.forward_dynamics(found.branch, pose, twist, force)
    ends = [
        model.energy(found.branch, displace(pose, s * h * twist), twist + s * h * still).sum(-1)
        for s in (1, -1)
    ]
    assert np.isfinite(ends).all()
    assert (ends[0] - ends[1]) / (2 * h) == pytest.approx((force * speed).sum(-1), abs=1e-5)


def test_a_model_of_one_branch_is_the_input_that_names_it(machine):
    mechanism, _ = machine
    pose = np.array(mechanism.home)
    listed = gough.Model(mechanism).branches(pose)
    branch = listed.branch[-1]
    one, every = gough.Model(mechanism, branch=branch), gough.Model(mechanism, branch=True)
    motion = [pose, *np.zeros((2, 6))]
    assert one.inverse_dynamics(*motion) == pytest.approx(every.inverse_dynamics(branch, *motion))
    assert one.inverse_kinematics(pose) == pytest.approx(listed.q[-1], abs=1e-12)
    assert one.robot.branch == tuple(branch)
    assert one.branches(pose).own[0]
    assert (one.branches(pose).branch[0] == branch).all()


def test_given_joints_tell_their_branch(machine):
    mechanism, _ = machine
    model, pose = gough.Model(mechanism), np.array(mechanism.home)
    found = model.branches(pose)
    told, away = model.branch_of(found.joints + 1e-4, pose)
    assert (told == found.branch).all()
    assert away == pytest.approx(np.full(len(found), 1e-4))
    on_another = gough.Model(mechanism, branch=found.branch[-1])
    assert (on_another.branch_of(found.joints, pose).branch == found.branch).all()


@pytest.mark.parametrize("name", ["five-bar", "knee"])  # an elbow at π, a leg without joints
def test_joints_tell_their_branch_to_a_model_of_another(name):
    robot = gough.load(name)
    found = gough.Model(robot).branches(robot.home)
    other = gough.Model(robot, branch=found.branch[-1])
    assert len(found) == 2
    assert (other.branch_of(found.joints, robot.home).branch == found.branch).all()


def test_joints_have_no_branch_where_a_leg_does_not_reach():
    model = gough.Model(gough.load("hexa-6rus"))  # legs with two roots each
    home, far = model.robot.home, np.add(model.robot.home, [0, 0, 9, 0, 0, 0, 0])
    joints = model.all_joints(home, *np.zeros((2, 6))).position
    assert (model.branch_of(joints, home).branch == 1).all()
    assert np.isnan(np.append(*model.branch_of(joints, far))).all()


def test_a_family_on_a_branch_counts_as_the_robot_does():
    robot = gough.load("five-bar")
    found = gough.Model(robot).branches(robot.home)
    names = ["legs[1].base.x"]
    family = gough.Model(robot, parametric=names, branch=[-1])
    every = gough.Model(robot, parametric=names, branch=True)
    told = family.branch_of(family.parameters, found.joints, robot.home).branch
    assert (told == found.branch).all()
    longer = 1.05 * family.parameters
    q = gough.Model(family.made(longer)).inverse_kinematics(robot.home)
    assert family.inverse_kinematics(longer, robot.home) == pytest.approx(q, abs=1e-12)
    assert every.inverse_kinematics(longer, [-1], robot.home) == pytest.approx(q, abs=1e-12)


def test_a_model_of_every_branch_takes_the_robots_own_unless_told():
    robot = gough.load("planar-3rrr").replace(branch=[1, -1, 1])
    every = pickle.loads(pickle.dumps(gough.Model(robot, branch=True)))
    assert every.numbers()[0].tolist() == [1, -1, 1]
    assert "every branch" in repr(every)
    assert "branch [1, -1, 1]" in repr(gough.Model(robot))
    assert "branch [1, -1, 1]" in repr(robot)
    assert "1, -1, 1" in robot._repr_html_()


def test_a_check_finds_a_range_that_the_branch_exceeds_at_home(tmp_path):
    file = tmp_path / "other.json"
    file.write_text(json.dumps({**gough.load("five-bar").written.in_full, "branch": [-1]}))
    (words,) = check_file(file).warnings
    assert words == "on its branch at home hip-right exceeds its range by 0.7169 rad"


def test_a_number_that_is_no_branch_has_no_answer():
    model = gough.Model(gough.load("planar-3rrr"), branch=True)
    for branch in ([1, 1, 0], [1, 1, 2], [1, np.nan, 1]):
        assert np.isnan(model.inverse_kinematics(branch, model.robot.home)).all()
        assert model.is_singular(branch, model.robot.home) == 1
    assert np.isfinite(model.inverse_kinematics([1, -1, 1], model.robot.home)).all()


def test_wrong_branches_are_refused_in_words():
    robot = gough.load("planar-3rrr")
    with pytest.raises(RobotError, match=r"branch: 2 numbers.*expected 3"):
        gough.Model(robot, branch=[1, 1])
    with pytest.raises(
        RobotError, match=r"branch\[1\]: \[3\] does not close its leg.*\[1\] or \[-1\]"
    ):
        gough.Model(robot, branch=[1, 3, 1])
    with pytest.raises(RobotError, match="whole number"):
        gough.Model(robot, branch=[1, 0.5, 1])
    with pytest.raises(GoughError, match="has one branch"):
        gough.Model(gough.load("demo-hexapod"), branch=True).inverse_kinematics  # noqa: B018
    with pytest.raises(GoughError, match="about one branch"):
        gough.Model(robot, branch=True).travel()
    with pytest.raises(GoughError, match="has one branch"):
        gough.Model(gough.load("demo-hexapod"), branch=[1])


def slider_crank():
    """A crank and a rod drive a slider along x: two branches."""
    place = {"A": [0, 0, 0], "B": [0.1, 0.2, 0], "C": [0.6, 0.05, 0]}
    pairs = {"A": ("base", "crank"), "B": ("crank", "rod"), "C": ("rod", "platform")}
    joints = [
        {"name": k, "type": "R", "between": pairs[k], "at": at, "axis": [0, 0, 1]}
        for k, at in place.items()
    ]
    joints[0]["driven"] = True
    guide = {"name": "guide", "type": "P", "between": ["base", "platform"], "at": place["C"]}
    bodies = [{"name": name, "mass": 0.2, "inertia": [1e-3] * 3} for name in ("crank", "rod")]
    slider = {"mass": 1.0, "inertia": [0.01] * 3, "home": {"position": place["C"]}, "moves": ["x"]}
    parts = {"platform": slider, "bodies": bodies, "joints": [*joints, guide | {"axis": [1, 0, 0]}]}
    return gough.Robot.from_dict({"schema": "gough/2", "name": "slider-crank", **parts})


def test_a_family_of_one_degree_of_freedom_has_every_branch_where_change_points_stay():
    robot = slider_crank()
    every = gough.Model(robot, parametric=["joints[1].at"], branch=True)
    longer = 1.1 * every.parameters
    other = gough.Model(every.made(longer), branch=[-1])
    ours = every.inverse_kinematics(longer, [-1], robot.home)
    assert ours == pytest.approx(other.inverse_kinematics(robot.home), abs=1e-12)


def test_a_network_knows_the_branch_of_its_robot_alone():
    every = gough.Model(gough.load("planar-3rrr"), branch=True)
    with pytest.raises(GoughError, match="knows the branch of the model's own robot"):
        every.forward_kinematics([0.1, 0.2, 0.3], "neural", branch=[1, -1, 1])


def test_a_variation_goes_through_working_modes():
    motion = {"kind": "line", "displacement": [0.01, 0, 0], "duration": 0.2}
    modes = {"name": "mode", "parameter": "robot.branch", "values": [[1, 1, 1], [-1, 1, -1]]}
    study = {
        "schema": "gough-study/1",
        "name": "modes",
        "robot": "planar-3rrr",
        "samples": 3,
        "motion": motion,
    }
    found = gough.run(gough.Study.from_dict({**study, "variations": [modes]}))
    highest = np.asarray(found.per_leg("highest_actuator_position"))
    robot = gough.load("planar-3rrr")
    for numbers, mode in zip(highest, modes["values"], strict=True):
        ends = [robot.home, displace(robot.home, [0.01, 0, 0, 0, 0, 0])]
        q = gough.Model(robot, branch=mode).inverse_kinematics(ends)
        assert numbers == pytest.approx(q.max(0), abs=1e-9)


@pytest.mark.parametrize(
    "way", [[0.257, -0.005, -0.198, -1.015], [0.193, 0.093, -0.243, 1.079]], ids=str
)
def test_a_way_close_by_a_singularity_is_followed_to_its_end(way):
    """Where joints turn ten times faster than usual, and longer stages do not contract."""
    model, share = gough.Model(gough.load("h4")), np.linspace(0, 1, 4001)[:, None]
    twist = np.array([*way[:3], 0, 0, way[3]])
    q = model.inverse_kinematics(displace(np.array(model.robot.home), share * twist))
    steps = np.abs(np.diff(q, axis=0)).max(axis=1)
    assert 10 * np.median(steps) < steps.max() < 0.02
