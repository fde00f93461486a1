"""All joints of a machine's URDF, against Pinocchio's own reading of that file."""

import json
import re

import numpy as np
import pinocchio as pin
import pytest
from moved_machines import moved
from scipy.spatial.transform import Rotation

import gough
from gough.exchange import joint_states
from gough.exchange.tree.urdf import urdf
from gough.poses import displace
from gough.robot import Hexapod

MACHINES = ["demo-hexapod", "kalani-2016", "delta", "tripod-3rps", "planar-3rrr"]


class Read:
    """A machine's URDF in Pinocchio."""

    def __init__(self, robot):
        text, closing = urdf(robot).texts.values()
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.closed = json.loads(re.search(r"closed_loop: (.*)", closing)[1])
        self.joints = list(self.model.names)[1:]

    def at(self, states, k):
        q, v = pin.neutral(self.model), np.zeros(self.model.nv)
        for name, position, speed in zip(
            states.names, states.positions[k], states.velocities[k], strict=True
        ):
            joint = self.model.joints[self.model.getJointId(name)]
            whole = joint.nq == 2  # Pinocchio keeps cosine and sine of a hinge without limits
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                [np.cos(position), np.sin(position)] if whole else position
            )
            v[joint.idx_v] = speed
        pin.forwardKinematics(self.model, self.data, q, v)
        pin.updateFramePlacements(self.model, self.data)

    def place(self, frame):
        return self.data.oMf[self.model.getFrameId(frame)]

    def twist(self, frame):
        where = self.model.getFrameId(frame)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return pin.getFrameVelocity(self.model, self.data, where, axes).vector


def states_of(robot):
    """Poses that a machine can have, and twists there."""
    model, rng = gough.Model(robot), np.random.default_rng(1)
    if isinstance(robot, Hexapod):
        poses = displace(np.array(robot.home), rng.uniform(-0.15, 0.15, (6, 6)))
        return model, poses, rng.standard_normal((6, 6))
    poses = moved(model, 6, 2, far=0.08)
    return model, poses, model.admissible(poses, rng.standard_normal((len(poses), 6)))


@pytest.mark.parametrize("name", MACHINES)
def test_pinocchio_finds_the_platform_at_its_pose_and_all_loops_closed(name):
    robot = gough.load(name)
    model, poses, twists = states_of(robot)
    states, read = joint_states(robot, poses, twists), Read(robot)
    assert sorted(states.names) == sorted(read.joints)
    for k, (pose, twist) in enumerate(zip(poses, twists, strict=True)):
        read.at(states, k)
        platform = read.place("platform")
        assert platform.translation == pytest.approx(pose[:3], abs=1e-12)
        turn = Rotation.from_quat(pose[[4, 5, 6, 3]]).as_matrix()
        assert platform.rotation == pytest.approx(turn, abs=1e-12)
        assert read.twist("platform") == pytest.approx(twist, abs=1e-10)
        for first, second in read.closed:
            gap = read.place(first).translation - read.place(second).translation
            assert np.abs(gap).max() < 1e-12
            assert read.twist(first)[:3] == pytest.approx(read.twist(second)[:3], abs=1e-10)
    home = model.inverse_kinematics(np.array(robot.home))
    driven = list(states.driven)
    travelled = model.inverse_kinematics(poses) - home
    assert states.positions[:, driven] == pytest.approx(travelled, abs=1e-12)
    assert states.velocities[:, driven] == pytest.approx(
        model.joint_velocity(poses, twists), abs=1e-10
    )


def test_all_positions_are_zero_at_home():
    robot = gough.load("delta")
    states = joint_states(robot, robot.home)
    assert states.positions.shape == (len(states.names),)
    assert states.positions == pytest.approx(np.zeros(len(states.names)), abs=1e-15)
    assert states.velocities is None


def test_a_platform_alone_on_its_joint_moves_that():
    hip = {"name": "hip", "type": "R", "between": ["base", "platform"], "at": [0, 0, 0]}
    platform = {"mass": 1, "inertia": [1, 1, 1], "home": {"position": [0, 0, 0]}, "moves": ["ry"]}
    joints = [hip | {"axis": [0, 1, 0], "driven": True}]
    data = {"schema": "gough/2", "name": "arm", "platform": platform, "joints": joints}
    robot = gough.Robot.from_dict(data)
    states = joint_states(robot, robot.home, [0, 0, 0, 0, 0.7, 0])
    assert (states.positions, states.velocities) == (pytest.approx([0.0]), pytest.approx([0.7]))


def test_where_the_machine_cannot_be_its_joints_are_nowhere():
    robot = gough.load("delta")
    far = gough.pose([5.0, 0, 0])
    assert np.isnan(joint_states(robot, [robot.home, far]).positions).any(axis=-1).tolist() == [
        False,
        True,
    ]


def test_twists_must_belong_to_poses():
    robot = gough.load("delta")
    with pytest.raises(gough.GoughError, match=r"twists have shape \(6,\); expected \(2, 6\)"):
        joint_states(robot, [robot.home] * 2, np.zeros(6))


def test_loops_are_closed_where_only_the_moves_are_given():
    """A five-bar has x and y; its platform turns as it must."""
    robot = gough.load("five-bar")
    pose = displace(np.array(robot.home), [0.02, 0.03, 0, 0, 0, 0])
    states, read = joint_states(robot, pose[None], [[0.3, -0.2, 0, 0, 0, 0]]), Read(robot)
    read.at(states, 0)
    assert read.place("platform").translation == pytest.approx(pose[:3], abs=1e-12)
    assert read.twist("platform")[:3] == pytest.approx([0.3, -0.2, 0], abs=1e-10)
    for first, second in read.closed:
        gap = read.place(first).translation - read.place(second).translation
        assert np.abs(gap).max() < 1e-12
        assert read.twist(first)[:3] == pytest.approx(read.twist(second)[:3], abs=1e-10)
