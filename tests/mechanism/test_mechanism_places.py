"""Where joints are and how far they are tilted, as Pinocchio's bodies carry them."""

import numpy as np
import pytest
from drawings import Joint, Mechanism
from drawn_machines import KINDS, MACHINES, Drawer, turned
from hexapod_drawing import drawn_hexapod
from mechanism_kernels import kernels
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough

LINKS = ("rod", "tube", "barrel", "piston", "link", "c0", "c1", "c2")
"""How bodies are called whose direction a joint limits."""


HINGES_ONLY = (
    *("3-RRR", "3-RPR", "4-RRR, redundant", "five-bar", "four-bar", "motor at the platform"),
    *("agile eye", "orthoglide"),
)


def machine_and_state(mechanism):
    oracle = PinocchioMechanism(mechanism)
    return kernels(mechanism), oracle, oracle.random_state(np.random.default_rng(0))


def drawn(name):
    return turned(MACHINES[name](0), 3) if name in ("3-RRR", "five-bar") else MACHINES[name](0)


@pytest.mark.parametrize("name", KINDS)
def test_joint_centers_are_carried_by_their_bodies(name):
    mechanism = drawn(name)
    k, oracle, state = machine_and_state(mechanism)
    joints = {joint.name: joint for joint in mechanism.joints}
    centers = k.joint_centers(state.pose)
    for center, ours in zip(k.analysis.structure.centers, centers, strict=True):
        for body in center.bodies:
            theirs = oracle.carried(state, body, joints[center.joint].at)
            np.testing.assert_allclose(ours, theirs, atol=1e-11)


def test_rows_of_joint_centers_are_joints_and_sides_of_slides():
    rows = kernels(drawn("3-RPR")).analysis.structure.centers
    assert [(row.joint, row.bodies) for row in rows[:4]] == [
        ("hip0", ("base", "tube0")),
        ("slide0", ("tube0",)),
        ("slide0", ("piston0",)),
        ("wrist0", ("piston0", "platform")),
    ]


@pytest.mark.parametrize("name", sorted(set(KINDS) - set(HINGES_ONLY)))
def test_tilts_are_angles_of_links_as_the_other_body_sees_them(name):
    mechanism = drawn(name)
    k, oracle, state = machine_and_state(mechanism)
    joints = [joint for joint in mechanism.joints if joint.type in "SU"]
    assert k.analysis.structure.tilts == tuple(joint.name for joint in joints)
    tilts = k.joint_tilts(state.pose)
    for joint, ours in zip(joints, tilts, strict=True):
        np.testing.assert_allclose(ours, _tilt(mechanism, oracle, state, joint), atol=1e-11)


@pytest.mark.parametrize("name", HINGES_ONLY)
def test_hinges_and_slides_have_no_tilts(name):
    assert kernels(drawn(name)).analysis.structure.tilts == ()


def _tilt(mechanism, oracle, state, joint):
    (link,) = (body for body in joint.between if body.startswith(LINKS))
    (other,) = (body for body in joint.between if body != link)
    next_one = next(j for j in mechanism.joints if link in j.between and j is not joint)
    way = (
        np.array(next_one.lines[0])
        if next_one.type in "PCH"
        else np.subtract(next_one.at, joint.at)
    )
    now = oracle.turn(state, link) @ way
    seen = oracle.turn(state, other).T @ now
    return np.arctan2(np.linalg.norm(np.cross(way, seen)), way @ seen)


@pytest.mark.parametrize("name", ["demo-hexapod", "kalani-2016"])
def test_tilts_of_a_hexapod_are_those_of_its_own_equations(name):
    robot = gough.load(name)
    k, model = kernels(drawn_hexapod(robot)), gough.Model(robot)
    pose = np.array(robot.home) + [0.05, -0.03, 0.04, 0, 0.1, 0.05, -0.08]
    tilts = k.joint_tilts(pose).reshape(6, 2)
    np.testing.assert_allclose(tilts.ravel(), model.joint_tilts(pose), atol=1e-12)
    lines = [_leg_directions(robot, at) for at in (np.array(robot.home), pose)]
    cosines = np.sum(lines[0] * lines[1], axis=1)
    np.testing.assert_allclose(np.cos(tilts[:, 0]), cosines, atol=1e-12)


def _leg_directions(robot, pose):
    w, *v = pose[3:] / np.linalg.norm(pose[3:])
    tops = [pose[:3] + b + 2 * np.cross(v, w * b + np.cross(v, b)) for b in _platform(robot)]
    lines = np.array(tops) - [leg.base for leg in robot.legs]
    return lines / np.linalg.norm(lines, axis=1)[:, None]


def _platform(robot):
    return [np.array(leg.platform) for leg in robot.legs]


def test_fixed_joints_have_centers_on_whatever_carries_them():
    """A weight on an arm, one on the ground, and a sleeve on a rod, welded as CAD programs do."""
    machine = MACHINES["delta, ball-ended rods"](0)
    d = Drawer(1)
    d.body("weight", [0.5, 0.1, 0.0], [0.6, 0.1, 0.0])
    d.body("plinth", [0.5, 0.1, -1.0], [0.6, 0.1, -1.0])
    _, elbow, wrist = machine.joints[:3]
    middle = 0.3 * np.array(elbow.at) + 0.7 * np.array(wrist.at)
    d.rod("sleeve", elbow.at, wrist.at)
    welds = (
        Joint("clamp", "fixed", ("arm1", "weight"), (0.5, 0.1, 0.0)),
        Joint("floor", "fixed", ("plinth", "base"), (0.5, 0.1, -1.0)),
        Joint("glue", "fixed", ("sleeve", "rod1a"), tuple(middle)),
        Joint("ear", "fixed", ("rod1a", "sleeve"), tuple(middle + [0.0, 0.01, 0.0])),
    )
    welded = Mechanism(
        "welded", machine.platform, machine.bodies + tuple(d.bodies), machine.joints + welds
    )
    _, oracle, state = machine_and_state(machine)
    centers = kernels(welded).joint_centers(state.pose)[-4:]
    np.testing.assert_allclose(centers[0], oracle.carried(state, "arm1", welds[0].at), atol=1e-11)
    np.testing.assert_allclose(centers[1], welds[1].at)
    np.testing.assert_allclose(centers[2], oracle.carried(state, "rod1a", middle), atol=1e-11)
    assert np.isnan(centers[3]).all()  # it spins about the rod
