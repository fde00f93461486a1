"""A hexapod in Pinocchio: a tree (free platform, six legs on the base) and six loop closures.

A leg is a universal joint (UPS: a revolute joint about the first axis, fixed in the base, then
one about the leg's x) or a ball joint (SPS), then a prismatic joint along the leg's z whose
position is the leg's length. The piston's frame therefore sits at the platform joint, where a
closure holds it to the platform's point.

Pinocchio writes a free-flyer as x y z qx qy qz qw, and its velocity, acceleration and force in
platform axes, where the acceleration is the spatial one: R^T (v̇ - ω x v).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from oracles.hexapod import (
    HexapodData,
    LegData,
    State,
    frame_along,
    rotation,
    scalar_last_quaternion,
    skew,
    spinnable_inertia,
)

pin = pytest.importorskip("pinocchio")

PLATFORM = 1  # the joint's index: the free-flyer is added first


class Reactions(NamedTuple):
    """Forces [N] and moments [N m] in the joints, base axes, one row per leg."""

    base_force: np.ndarray
    """Base on leg, at the base joint."""
    base_moment: np.ndarray
    """Base on leg, about the base joint: what the universal joint cannot turn away from."""
    platform_force: np.ndarray
    """Leg on platform, at the platform joint."""
    slide_force: np.ndarray
    """Cylinder on piston, without the actuator's force."""
    slide_moment: np.ndarray
    """Cylinder on piston, about the platform joint."""


class LegJoints(NamedTuple):
    """A leg's places in the tree."""

    first: int
    """The joint on the base."""
    piston: int
    moving: np.ndarray
    """The three velocity coordinates of the leg: two rotations, then the slide. No spin."""


class PinocchioHexapod:
    """A machine's Pinocchio model, and the questions our library answers, asked of it."""

    def __init__(self, hexapod: HexapodData):
        self.hexapod = hexapod
        self.model = pin.Model()
        self.model.gravity.linear = hexapod.gravity
        body = hexapod.platform
        self._add(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "platform")
        inertia = pin.Inertia(body.mass, body.center_of_mass, body.inertia)
        self.model.appendBodyToJoint(PLATFORM, inertia, pin.SE3.Identity())
        self.joints = [self._add_leg(leg, f"leg{k}") for k, leg in enumerate(hexapod.legs)]

        self.closures = pin.StdVec_RigidConstraintModel()
        for leg, joints in zip(hexapod.legs, self.joints, strict=True):
            self.closures.append(
                pin.RigidConstraintModel(
                    pin.ContactType.CONTACT_3D,
                    self.model,
                    PLATFORM,
                    pin.SE3(np.eye(3), leg.platform),
                    joints.piston,
                    pin.SE3.Identity(),
                    pin.ReferenceFrame.LOCAL,  # the closures' forces are in platform axes
                )
            )
        self.data = self.model.createData()
        self.closure_data = pin.StdVec_RigidConstraintData()
        for closure in self.closures:
            self.closure_data.append(closure.createData())
        self._closure_pairs = list(zip(self.closures, self.closure_data, strict=True))
        pin.initConstraintDynamics(self.model, self.data, self.closures, self.closure_data)

        self.slides = np.array([joints.moving[2] for joints in self.joints])
        self._determined = np.concatenate([np.arange(6), *(j.moving for j in self.joints)])
        self._unknown = np.zeros((24, 24))  # columns: six actuator forces, 18 closure forces
        self._unknown[np.searchsorted(self._determined, self.slides), np.arange(6)] = 1

    # What the library computes, in its own conventions

    def forces(self, state: State) -> np.ndarray:
        """Return the six actuator forces [N]."""
        q, v, a = self.tree_state(state.pose, state.twist, state.acceleration)
        return self.inverse_dynamics(q, v, a, state.wrench)[:6]

    def accelerations(self, state: State, force: np.ndarray) -> np.ndarray:
        """Return the platform's acceleration under actuator forces; the state's own is not used.

        Solves [M -A^T; A 0] [a; λ] = [τ - h; -Ȧv], with A the closures' Jacobian. Unlike
        `constraint_dynamics` it does not factorise M, so the legs may be massless.
        """
        model, data, nv = self.model, self.data, self.model.nv
        q, v, _ = self.tree_state(state.pose, state.twist, np.zeros(6))
        M = _symmetric(pin.crba(model, data, q))
        h = pin.nonLinearEffects(model, data, q, v)
        A = self._closure_jacobian(q)
        pin.forwardKinematics(model, data, q, v, np.zeros(nv))
        gaps = [self._platform_point(k) - self._piston_point(k) for k in range(6)]
        drift = np.concatenate(gaps @ rotation(state.pose))
        system = np.block([[M, -A.T], [A, np.zeros((18, 18))]])
        known = np.concatenate([self.tree_force(state.pose, force, state.wrench) - h, -drift])
        return self.platform_acceleration(state, np.linalg.solve(system, known)[:nv])

    def mass_matrix(self, pose: np.ndarray) -> np.ndarray:
        """Return M in twist coordinates: the tree's, reduced by letting the legs follow."""
        q, G = self._followers(pose)
        return G.T @ _symmetric(pin.crba(self.model, self.data, q)) @ G

    def reactions(self, state: State) -> Reactions:
        """Return the forces and moments in every joint."""
        model, data = self.model, self.data
        R = rotation(state.pose)
        q, v, a = self.tree_state(state.pose, state.twist, state.acceleration)
        solution = self.inverse_dynamics(q, v, a, state.wrench)
        force, platform_force = solution[:6], solution[6:].reshape(6, 3) @ R.T

        external = pin.StdVec_Force()
        external.extend([pin.Force.Zero() for _ in range(model.njoints)])
        for joints, on_platform in zip(self.joints, platform_force, strict=True):
            turn = pin.SE3(data.oMi[joints.piston].rotation, np.zeros(3))
            external[joints.piston] = turn.actInv(pin.Force(-on_platform, np.zeros(3)))
        pin.rnea(model, data, q, v, a, external)

        base, slide = [], []
        for joints, push in zip(self.joints, force, strict=True):
            first, piston = data.f[joints.first], data.f[joints.piston]  # parent on child
            base.append(data.oMi[joints.first].rotation @ _columns(first))
            slide.append(
                data.oMi[joints.piston].rotation @ (_columns(piston) - [[0, 0], [0, 0], [push, 0]])
            )
        base, slide = np.array(base), np.array(slide)
        return Reactions(base[..., 0], base[..., 1], platform_force, slide[..., 0], slide[..., 1])

    # Pinocchio's own calls, as a user would write them for speed

    def inverse_dynamics(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrench: np.ndarray
    ) -> np.ndarray:
        """Return six actuator forces, then the legs' forces on the platform in platform axes (18).

        The equations of the ball joints' spins say 0 = 0 and are left out: 24 remain.
        """
        model, data = self.model, self.data
        tau = pin.rnea(model, data, q, v, a)
        A = self._closure_jacobian(q)
        tau[:6] -= (wrench.reshape(2, 3) @ data.oMi[PLATFORM].rotation).reshape(6)
        self._unknown[:, 6:] = A.T[self._determined]
        return np.linalg.solve(self._unknown, tau[self._determined])

    def constraint_dynamics(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return the tree's acceleration under joint forces `tau` (see `tree_force`)."""
        return pin.constraintDynamics(
            self.model, self.data, q, v, tau, self.closures, self.closure_data
        )

    # From the library's coordinates to the tree's, and back

    def tree_state(
        self, pose: np.ndarray, twist: np.ndarray, acceleration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the tree's q, v and a, with the legs following the platform."""
        model, data = self.model, self.data
        q, G = self._followers(pose)
        v = G @ twist
        a = np.zeros(model.nv)
        R = rotation(pose)
        a[0:3] = R.T @ (acceleration[:3] - np.cross(twist[3:], twist[:3]))
        a[3:6] = R.T @ acceleration[3:]
        pin.forwardKinematics(model, data, q, v, a)
        for k, joints in enumerate(self.joints):
            lag = self._platform_point(k) - self._piston_point(k)
            a[joints.moving] = np.linalg.solve(self._leg_jacobian(k), lag)
        return q, v, a

    def tree_force(self, pose: np.ndarray, force: np.ndarray, wrench: np.ndarray) -> np.ndarray:
        """Return the tree's joint forces: actuators on slides, the wrench on the free-flyer."""
        tau = np.zeros(self.model.nv)
        tau[:6] = (wrench.reshape(2, 3) @ rotation(pose)).reshape(6)
        tau[self.slides] = force
        return tau

    def platform_acceleration(self, state: State, a: np.ndarray) -> np.ndarray:
        """Return the library's acceleration [v̇; ω̇] from the tree's."""
        R, v, omega = rotation(state.pose), state.twist[:3], state.twist[3:]
        return np.concatenate([R @ a[0:3] + np.cross(omega, v), R @ a[3:6]])

    # Building and asking the tree

    def _add(self, parent: int, joint: pin.JointModel, placement: pin.SE3, name: str) -> int:
        return self.model.addJoint(parent, joint, placement, name)

    def _add_leg(self, leg: LegData, name: str) -> LegJoints:
        here = pin.SE3.Identity()
        if leg.kind == "UPS":
            foot = pin.SE3(frame_along(leg.first_axis), leg.base)
            first = self._add(0, pin.JointModelRZ(), foot, f"{name} first axis")
            cylinder = self._add(first, pin.JointModelRX(), here, f"{name} second axis")
        else:
            foot = pin.SE3(np.eye(3), leg.base)
            first = cylinder = self._add(0, pin.JointModelSpherical(), foot, f"{name} ball")
        piston = self._add(cylinder, pin.JointModelPZ(), here, f"{name} slide")
        parts = (
            (cylinder, leg.cylinder, leg.cylinder.center_of_mass, spinnable_inertia(leg)),
            (piston, leg.piston, -leg.piston.center_of_mass, leg.piston.inertia),
        )
        for joint, body, z, inertia in parts:
            self.model.appendBodyToJoint(
                joint, pin.Inertia(body.mass, np.array([0, 0, z]), inertia), here
            )
        start = self.model.joints[first].idx_v
        moving = start + np.array([0, 1, 2] if leg.kind == "UPS" else [0, 1, 3])
        return LegJoints(first, piston, moving)

    def _configuration(self, pose: np.ndarray) -> np.ndarray:
        q = np.empty(self.model.nq)
        q[:7] = *pose[:3], *scalar_last_quaternion(pose)
        spans = self.hexapod.leg_spans(pose)
        for leg, joints, span in zip(self.hexapod.legs, self.joints, spans, strict=True):
            l = np.linalg.norm(span)
            axes = leg.axes(span / l)
            start = self.model.joints[joints.first].idx_q
            if leg.kind == "UPS":
                q[start : start + 3] = *leg.universal_joint_angles(axes), l
            else:
                q[start : start + 5] = *pin.Quaternion(axes).coeffs(), l
        return q

    def _followers(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the tree's q, and the G of v = G twist."""
        q = self._configuration(pose)
        pin.computeJointJacobians(self.model, self.data, q)
        R = rotation(pose)
        G = np.zeros((self.model.nv, 6))
        G[0:3, 0:3] = G[3:6, 3:6] = R.T
        for k, (leg, joints) in enumerate(zip(self.hexapod.legs, self.joints, strict=True)):
            of_point = np.hstack([np.eye(3), -skew(R @ leg.platform)])
            G[joints.moving] = np.linalg.solve(self._leg_jacobian(k), of_point)
        return q, G

    def _leg_jacobian(self, k: int) -> np.ndarray:
        """Map a leg's three rates to its end's velocity (after computeJointJacobians)."""
        joints, world = self.joints[k], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.getJointJacobian(self.model, self.data, joints.piston, world)
        return J[:3, joints.moving]

    def _closure_jacobian(self, q: np.ndarray) -> np.ndarray:
        pin.computeJointJacobians(self.model, self.data, q)
        for closure, data in self._closure_pairs:  # or the Jacobian is that of an earlier pose
            closure.calc(self.model, self.data, data)
        return pin.getConstraintsJacobian(self.model, self.data, self.closures, self.closure_data)

    def _platform_point(self, k: int) -> np.ndarray:
        return self._point_acceleration(PLATFORM, self.hexapod.legs[k].platform)

    def _piston_point(self, k: int) -> np.ndarray:
        return self._point_acceleration(self.joints[k].piston, np.zeros(3))

    def _point_acceleration(self, joint: int, point: np.ndarray) -> np.ndarray:
        """Return the acceleration of a body's point, in base axes (after forwardKinematics)."""
        at = pin.SE3(np.eye(3), point)
        v, a = at.actInv(self.data.v[joint]), at.actInv(self.data.a[joint])
        return self.data.oMi[joint].rotation @ (a.linear + np.cross(v.angular, v.linear))


def _symmetric(upper: np.ndarray) -> np.ndarray:
    """Complete the upper triangle, which is all that Pinocchio promises."""
    return np.triu(upper) + np.triu(upper, 1).T


def _columns(force: pin.Force) -> np.ndarray:
    return np.column_stack([force.linear, force.angular])
