"""Friction in every joint of machines of many kinds, against Pinocchio's velocities of bodies."""

import numpy as np
import pinocchio as pin
import pytest
from drawings import Mechanism, changed
from drawn_machines import FEW, MACHINES
from oracles.pinocchio_mechanism import WORLD, PinocchioMechanism

from gough.compiler.front.argument import Argument
from gough.equations.forces.passive_joints import SLIDING_FADE, TURNING_FADE, friction_wrench
from gough.model.actuators import joint_frictions_of
from gough.model.definition import POSE, TWIST
from gough.model.kernels import Kernels
from gough.model.machines import Machines

RUBS = {"R": (0.3, 0.7), "H": (0.4, 0.6), "U": (0.2, 0.4), "S": (0.15, 0.5), "P": (4.0, 6.0)}
"""Viscous and dry friction of each type of joint."""


def rubbing(machine):
    """The machine with friction in all of its joints but the cylindrical ones."""
    joints = []
    for k, joint in enumerate(machine.joints):
        damping, friction = RUBS.get(joint.type, (0.0, 0.0))
        more = {"damping": damping * (1 + 0.1 * k), "friction": friction * (1 + 0.05 * k)}
        joints.append(changed(joint, **more) if joint.type in RUBS else joint)
    return Mechanism(machine.name, machine.platform, machine.bodies, tuple(joints), machine.gravity)


def wrench_kernel(machine):
    """(pose, twist) -> the wrench of all friction."""
    frictions = joint_frictions_of(machine)
    return Machines(machine).kernel(
        "friction",
        lambda m, pose, twist: friction_wrench(m, frictions, pose, twist),
        [POSE, TWIST],
        [Argument("wrench", (6,))],
    )


def lost_power(machine, oracle, state):
    """What all joints take [W], from the velocities of the bodies at either side."""
    pin.forwardKinematics(oracle.model, oracle.data, state.q, state.v)
    lost = 0.0
    for joint in machine.joints:
        if joint.type not in RUBS:
            continue
        first, second = (_Velocity(oracle, body, joint, state) for body in joint.between)
        turning = second.angular - first.angular
        axes = [R @ axis for R, axis in zip((first.R, second.R), joint.lines, strict=False)]
        if joint.type in "RH":
            rates = [[axes[0] @ turning]]
        elif joint.type == "U":
            rates = np.linalg.lstsq(np.column_stack(axes), turning, rcond=None)[0][:, None]
        elif joint.type == "S":
            rates = [turning]
        else:  # a point of the second body, as the first one sees it
            rates = [[axes[0] @ (second.linear - first.linear)]]
        fade = SLIDING_FADE if joint.type == "P" else TURNING_FADE
        for rate in rates:
            squared = np.dot(rate, rate)
            lost += joint.damping * squared + joint.friction * squared / np.hypot(
                np.sqrt(squared), fade
            )
    return lost


class _Velocity:
    """Of a body: its turn since home, angular velocity, and that of a point at the joint."""

    def __init__(self, oracle, body, joint, state):
        place = oracle.data.oMi[oracle.joint_of[body]]
        seen = pin.getVelocity(oracle.model, oracle.data, oracle.joint_of[body], WORLD)
        self.R, self.angular = place.rotation.copy(), seen.angular.copy()
        at = oracle.carried(state, joint.between[1], joint.at)
        pin.forwardKinematics(oracle.model, oracle.data, state.q, state.v)
        self.linear = seen.linear + np.cross(self.angular, at - place.translation)


@pytest.mark.parametrize("name", FEW)
def test_the_power_of_the_wrench_is_what_all_joints_take(name):
    machine = rubbing(MACHINES[name](2))
    oracle = PinocchioMechanism(machine)
    state = oracle.random_state(np.random.default_rng(5))
    frictions = joint_frictions_of(machine)
    assert len(frictions) == sum(joint.type in RUBS for joint in machine.joints)
    power = wrench_kernel(machine)(state.pose, state.twist) @ state.twist
    assert power == pytest.approx(-lost_power(machine, oracle, state), rel=1e-9)


@pytest.mark.parametrize("name", ["delta, ball-ended rods", "five-bar", "tricept", "6-RUS"])
def test_friction_resists_every_motion_by_itself(name):
    """As all is linear in viscous friction: the wrench of one move works on each other as much."""
    machine = rubbing(MACHINES[name](2))
    joints = tuple(changed(j, friction=0.0) if j.type in RUBS else j for j in machine.joints)
    viscous = Mechanism(machine.name, machine.platform, machine.bodies, joints, machine.gravity)
    state = PinocchioMechanism(viscous).random_state(np.random.default_rng(3))
    T = Kernels(viscous).twist_basis(state.pose)
    by_moves = -wrench_kernel(viscous)(state.pose, np.ascontiguousarray(T.T)) @ T
    np.testing.assert_allclose(by_moves, by_moves.T, atol=1e-12 * np.abs(by_moves).max())
    assert (np.linalg.eigvalsh(by_moves) > 0).all()
