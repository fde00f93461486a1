"""Machines on a base that moves: identities of mechanics, and Pinocchio with a floating base."""

import pickle

import numpy as np
import pytest
from coupled_machines import COUPLED
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.analysis.freedoms import possible_motion
from gough.motion import expression
from gough.robot.as_mechanism import as_mechanism

REST, UPRIGHT = np.zeros(6), np.array([0, 0, 0, 1, 0, 0, 0.0])
ROBOTS = {
    "five-bar": lambda: gough.load("five-bar"),
    "rods": lambda: MACHINES["delta, ball-ended rods"](0),
    "belt": lambda: COUPLED["SCARA with a belt"](0),
    "hexapod": lambda: gough.load("kalani-2016"),
}


def close(ours, theirs, tolerance=1e-9):
    assert np.abs(ours - theirs).max() <= tolerance * max(1.0, np.abs(theirs).max())


@pytest.fixture(scope="module")
def five_bar():
    robot = gough.load("five-bar")
    return gough.Model(robot), gough.Model(robot, moving_base=True), robot.home


@pytest.mark.parametrize("name", ROBOTS)
def test_forces_and_base_wrench_are_pinocchios(name):
    robot, rng = ROBOTS[name](), np.random.default_rng(3)
    oracle = PinocchioMechanism(as_mechanism(robot), floating=True)
    model = gough.Model(robot, moving_base=True)
    for _ in range(3):
        state, wrench = oracle.random_state(rng), rng.standard_normal(6)
        base, own = oracle.relative(state)
        force, held = oracle.efforts_and_base_wrench(state, wrench)
        close(model.inverse_dynamics(*base, *own, wrench), force)
        close(model.base_wrench(*base, *own, wrench), -held)
        close(model.forward_dynamics(*base, *own[:2], force, wrench), own[2])
        close(model.momentum(*base, *own[:2]), oracle.momentum(state))
        close(model.energy(*base, *own[:2]), oracle.energy(state))
        if name in ("rods", "hexapod"):  # where all reactions are known
            close(_pushed_base(model, own[0], model.reactions(*base, *own, wrench)), -held)


def _pushed_base(model, pose, reactions):
    """The wrench of all joints on the base, from their reactions."""
    at, total = model.reaction_axes(pose), np.zeros(6)
    joints = {joint.name: joint for joint in model.robot.bodies_and_joints.joints}
    for k, reaction in enumerate(model.structure.reactions):
        if "base" in joints[reaction.joint].between:
            sign = -1 if joints[reaction.joint].between[0] == "base" else 1
            force, moment = (sign * at.axes[k].T @ own[k] for own in reactions)
            total += [*force, *(moment + np.cross(at.centers[k], force))]
    return total


def test_a_base_at_constant_velocity_is_one_at_rest(five_bar):
    still, moving, home = five_bar
    motion = still.admissible(home, np.arange(6.0)), still.admissible(home, np.ones(6))
    base = gough.pose([3, 2, 1]), [1, 2, 3, 0, 0, 0], REST
    close(
        moving.inverse_dynamics(*base, home, *motion), still.inverse_dynamics(home, *motion), 1e-13
    )
    close(moving.bias(*base, home, motion[0]), still.bias(home, motion[0]), 1e-13)
    close(moving.base_wrench(*base, home, *motion), still.base_wrench(home, *motion), 1e-13)


def test_a_base_that_accelerates_evenly_and_leans_changes_gravity(five_bar):
    _, moving, home = five_bar
    a, leaning = np.array([1.0, -2, 3]), gough.pose([0, 0, 0], rpy=[0.3, -0.2, 0.5])
    turned = gough.rotation(leaning).inv()

    def under(gravity):
        data = moving.robot.to_dict() | {"gravity": turned.apply(gravity).tolist()}
        return gough.Model(gough.Robot.from_dict(data))

    g, base = np.array(moving.robot.gravity), (leaning, REST, [*a, 0, 0, 0])
    close(moving.bias(*base, home), under(g - a).bias(home), 1e-12)
    close(moving.gravity(*base, home), under(g).gravity(home), 1e-12)  # of weights alone


def test_what_turns_with_its_base_pushes_outwards(five_bar):
    still, moving, home = five_bar
    Omega, at = 2.0, gough.pose([1.5, 0, 0])
    masses = np.array([body.mass for body in (still.robot.platform, *still.robot.listed_bodies)])
    moments = masses @ (still.mass_center_position(home) + [1.5, 0, 0])
    speed = np.cross([0, 0, Omega], [1.5, 0, 0])
    inwards = np.cross([0, 0, Omega], speed)
    found = moving.base_wrench(at, [*speed, 0, 0, Omega], [*inwards, 0, 0, 0], home)
    weight = masses.sum() * np.array(still.robot.gravity)
    close(found[:3], weight + Omega**2 * moments * [1, 1, 0], 1e-12)


def test_power_and_impulse_balance(five_bar):
    _, moving, home = five_bar
    waves = {"x": "0.3*sin(2*t)", "y": "0.2*cos(t)", "z": "0.4*sin(3*t)"}
    base = expression(4.0, **waves, rpy=["0.5*sin(t)", "0.3*cos(2*t)", "0.7*sin(1.5*t)"])
    x, y, *_ = home
    wanted = expression(4.0, x=f"{x}+0.02*sin(3*t)", y=f"{y}+0.03*sin(2*t)", z=home[2])
    own, h, t = possible_motion(moving.robot, wanted, np.linspace(0, 4, 9)), 1e-3, 1.3

    def stored(t):
        state = (*base(t), *own(t)[:2])
        return np.array([moving.energy(*state).sum(), *moving.momentum(*state)])

    near, far = ((stored(t + k) - stored(t - k)) / (2 * k) for k in (h, 2 * h))
    rates = (4 * near - far) / 3
    state, wrench = (*base(t), *own(t)), np.array([1.0, -2, 3, 0, 0, 0])
    turn, given = gough.rotation(base(t).pose), -moving.base_wrench(*state, wrench)
    force, moment = turn.apply(given[:3]), turn.apply(given[3:])
    pushed, at = turn.apply(wrench[:3]), turn.apply(own(t).pose[:3])
    weight = sum(b.mass for b in (moving.robot.platform, *moving.robot.listed_bodies))
    speed = base(t).twist
    spun = turn.apply(own(t).twist[:3]) + speed[:3] + np.cross(speed[3:], at)
    motors = moving.inverse_dynamics(*state, wrench) @ moving.joint_velocity(*own(t)[:2])
    close(rates[0], motors + force @ speed[:3] + moment @ speed[3:] + pushed @ spun, 1e-8)
    close(rates[1:4], force + pushed + weight * np.array(moving.robot.gravity), 1e-8)


def test_a_model_of_a_moving_base_says_what_it_takes(five_bar):
    still, moving, home = five_bar
    names = [argument.name for argument in moving.function("inverse_dynamics").inputs]
    assert names[:4] == ["base_pose", "base_twist", "base_acceleration", "pose"]
    assert [x.name for x in moving.function("jacobian").inputs] == ["pose"]
    base = UPRIGHT, REST, REST
    again = pickle.loads(pickle.dumps(moving))
    close(again.inverse_dynamics(*base, home), still.inverse_dynamics(home), 1e-13)
    close(again.checked_inverse_dynamics(home, base=base), still.inverse_dynamics(home), 1e-13)
    close(again.force_parts(*base, home).gravity, still.joint_gravity(home), 1e-13)
    with pytest.raises(AttributeError, match="there is no regressor of a moving base"):
        _ = moving.regressor
    with pytest.raises(gough.GoughError, match="a state space is about a base at rest, and this"):
        moving.state_space(home)
    with pytest.raises(gough.GoughError, match="expected pose, twist and acceleration of the base"):
        moving.checked_inverse_dynamics(home)
    for bad, words in (
        ((UPRIGHT, REST), "expected pose, twist and acceleration of the base"),
        ((np.nan * UPRIGHT, REST, REST), "base.0. has entries that are not finite"),
        ((0 * UPRIGHT, REST, REST), "a quaternion is zero"),
        (np.zeros((3, 7)), "base.1. has shape"),
    ):
        with pytest.raises(gough.GoughError, match=words):
            moving.checked_inverse_dynamics(home, base=bad)
    with pytest.raises(gough.GoughError, match="moving_base is 1; expected True or False"):
        gough.Model(still.robot, moving_base=1)
    assert "moving base" in repr(moving)
    with pytest.raises(gough.GoughError, match="tuning is about a base at rest"):
        gough.simulation.tune(moving, "computed-torque", 2.0)
    with pytest.raises(gough.GoughError, match="a moving base has no formulation 'kane'"):
        gough.Model(gough.load("kalani-2016"), formulation="kane", moving_base=True)


def test_branch_and_moving_base_go_together(five_bar):
    still, _, home = five_bar
    robot, base = still.robot, (gough.pose([0.1, 0.2, 0.3], rpy=[0.2, 0.1, 0.3]), *np.ones((2, 6)))
    one = gough.Model(robot, branch=[-1], moving_base=True)
    every = gough.Model(robot, branch=True, moving_base=True)
    force = every.inverse_dynamics([[1], [-1]], *base, home)
    close(force[1], one.inverse_dynamics(*base, home), 1e-13)
    assert np.abs(force[0] - force[1]).max() > 0.1
