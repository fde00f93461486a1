"""Reactions of machines whose joints rub and are springs, against the balance of every body."""

import numpy as np
import pytest
from drawn_machines import FEW, MACHINES
from hexapod_drawing import drawn_hexapod
from mechanism_kernels import kernels
from oracles.dense_balance import body_need
from oracles.pinocchio_mechanism import PinocchioMechanism
from resisting_machines import resisting, resisting_hexapod

import gough
from gough.equations.forces.passive_joints import SLIDING_FADE, TURNING_FADE

TOLERANCE = 1e-9
RUBBING = ("delta, ball-ended rods", "3-RPR", "four-bar", "orthoglide")


class Balanced:
    """Reactions of a machine in motion, in base axes, and the bodies that they act on."""

    def __init__(self, mechanism, k, legs_spin=False):
        self.legs_spin = legs_spin
        self.mechanism, self.k, self.oracle = mechanism, k, PinocchioMechanism(mechanism)
        rng = np.random.default_rng(7)
        self.state, self.wrench = self.oracle.random_state(rng), rng.standard_normal(6)
        motion = self.state.pose, self.state.twist, self.state.acceleration, self.wrench
        self.effort, self.own = k.actuator_force(*motion), k.all_reactions(*motion)
        self.centers, self.axes, _ = k.reaction_axes(self.state.pose)
        self.force, self.moment = (np.einsum("kji,kj->ki", self.axes, x) for x in self.own)

    def on_body(self, name):
        """All that joints do to a body, about the base's origin, less what moves it."""
        left = -body_need(self.oracle, self.state, name)
        if name == "platform":
            f, n = self.wrench[:3], self.wrench[3:]
            left += np.concatenate([f, n + np.cross(self.state.pose[:3], f)])
        for k, joint in enumerate(self.mechanism.joints):
            n = self.moment[k] + np.cross(self.centers[k], self.force[k])
            for body, sign in zip(joint.between, (-1, 1), strict=True):
                left += sign * (body == name) * np.concatenate([self.force[k], n])
        return left

    def spin_axis(self, name):
        """Direction of a rod or of a leg of SPS, which are taken not to spin; else None."""
        at = [joint for joint in self.mechanism.joints if name in joint.between]
        types = sorted(joint.type for joint in at)
        if types == ["S", "S"] and name != "platform":
            ends = [self.oracle.carried(self.state, name, joint.at) for joint in at]
            return (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        if types == ["P", "S"] and self.legs_spin:
            (slide,) = (joint for joint in at if joint.type == "P")
            return self.oracle.turn(self.state, name) @ slide.axis
        return None

    def check(self):
        """Check that what is left over of every body is zero, but for what would spin it."""
        scale = max(np.abs(self.force).max(), np.abs(self.moment).max())
        for body in ("platform", *(body.name for body in self.mechanism.bodies)):
            left, axis = self.on_body(body), self.spin_axis(body)
            if axis is not None:
                left[3:] -= axis * (axis @ left[3:])
            assert np.abs(left).max() <= TOLERANCE * scale


@pytest.fixture(scope="module", params=FEW)
def case(request):
    machine = resisting(MACHINES[request.param](0))
    return Balanced(machine, kernels(machine))


def test_every_body_is_in_balance(case):
    case.check()


def test_power_through_the_joints_is_that_of_motors_friction_and_springs(case):
    power = 0.0
    for k, joint in enumerate(case.mechanism.joints):
        v, omega = case.oracle.relative_velocity(case.state, joint.between, case.centers[k])
        power += v @ case.force[k] + omega @ case.moment[k]
    motors = case.effort @ case.k.joint_velocity(case.state.pose, case.state.twist)
    wrench = case.k.joint_wrench(case.state.pose, case.state.twist)
    assert power == pytest.approx(motors + wrench @ case.state.twist, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", RUBBING)
def test_joints_with_one_axis_carry_effort_and_friction_about_it(name):
    machine = resisting(MACHINES[name](0), springs=False)
    case = Balanced(machine, kernels(machine))
    case.check()
    efforts = dict(zip((j.name for j in machine.driven), case.effort, strict=True))
    force, moment = case.own
    for k, joint in enumerate(machine.joints):
        if joint.type in "RP":
            v, omega = case.oracle.relative_velocity(case.state, joint.between, case.centers[k])
            rate = case.axes[k][0] @ (omega if joint.type == "R" else v)
            fade = TURNING_FADE if joint.type == "R" else SLIDING_FADE
            rubs = joint.damping * rate + joint.friction * rate / np.hypot(rate, fade)
            along = (moment if joint.type == "R" else force)[k, 0]
            assert along == pytest.approx(efforts.get(joint.name, 0.0) - rubs, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", ["UPS", "SPS"])
def test_every_body_of_a_hexapod_is_in_balance(kind):
    robot = resisting_hexapod(
        kind, base_damping=80.0, base_friction=2.0, platform_damping=50.0, platform_friction=1.5
    )
    Balanced(drawn_hexapod(robot), gough.Model(robot), kind == "SPS").check()
