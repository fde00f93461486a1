"""A hexapod in MuJoCo: a tree (free platform, six legs on the base) and six stiff `connect`s.

The tree is the Pinocchio oracle's: two hinges (UPS: about the first axis, fixed in the base, then
about the leg's x) or a ball (SPS), and a slide along the leg's z whose position is the leg's
length. A site at the piston's end is connected to a site on the platform.

How stiff. MuJoCo has no rigid equality: a constraint force costs an acceleration error of R times
itself, where R is (1 - d)/d times an estimate of the constraint's inverse mass, and the impedance
d (`solimp`) may not exceed 0.9999. That alone leaves an error of 1e-4 to 1e-2 of the acceleration,
more near singular poses. But it is nearly linear in R, so `accelerations` asks twice, with R and
2R, and extrapolates to R = 0: about 1e-7 is left, and up to 1e-4 near singular poses. `solref`
(stiffness and damping of the position and velocity error) plays no part, because the states given
satisfy the closures exactly; the closures' own J̇v is accounted for by MuJoCo (seen in 4.0).
There is no armature, damping or friction, and the bounds on mass and inertia are switched off.

MuJoCo wants every part to have mass, and inertia about every axis. Parts without axial inertia
get a trifle of it; massless parts are refused.

MuJoCo writes the free joint as the library writes a pose; its velocity, acceleration and force
have the linear half in base axes and the angular half in platform axes.
"""

from __future__ import annotations

import mujoco
import numpy as np

from oracles.hexapod import (
    Body,
    HexapodData,
    LegData,
    State,
    frame_along,
    rotation,
    skew,
    spinnable_inertia,
)

SOFTNESS = 1e-4 / 0.9999  # (1 - d)/d at the largest impedance that MuJoCo allows
TRIFLE = 1e-9  # the least axial inertia of a part, as a share of the one across


class MujocoHexapod:
    """A machine's MuJoCo model and its preallocated data."""

    def __init__(self, hexapod: HexapodData):
        self.hexapod = hexapod
        self.model = mujoco.MjModel.from_xml_string(mjcf(hexapod))
        self.data = mujoco.MjData(self.model)
        slides = [self.model.joint(f"slide{k}") for k in range(6)]
        self._slides = np.array([int(slide.dofadr[0]) for slide in slides])
        self.soften(SOFTNESS)

    def accelerations(self, state: State, force: np.ndarray) -> np.ndarray:
        """Return the platform's acceleration [v̇; ω̇] of rigid closures, by extrapolation."""
        self.set_state(state, force)
        self.soften(2 * SOFTNESS)
        softer = self.forward()
        self.soften(SOFTNESS)
        stiffer = self.forward()
        acceleration = 2 * stiffer - softer
        R = rotation(state.pose)
        return np.concatenate([acceleration[:3], R @ acceleration[3:6]])

    def forward(self) -> np.ndarray:
        """Return `mj_forward`'s accelerations of all joints, as they are: a copy of `qacc`."""
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()

    def soften(self, softness: float) -> None:
        """Set (1 - d)/d of all closures, d being constant."""
        self.model.eq_solimp[:, :2] = 1 / (1 + softness)

    def set_state(self, state: State, force: np.ndarray) -> None:
        """Place the tree, set it moving and load it; the state's acceleration is not used."""
        R = rotation(state.pose)
        v, omega = state.twist[:3], state.twist[3:]
        self._place(state.pose)
        self.data.qvel[:6] = *v, *(R.T @ omega)
        self.data.qfrc_applied[:6] = *state.wrench[:3], *(R.T @ state.wrench[3:])
        self.data.qfrc_applied[self._slides] = force
        mujoco.mj_fwdPosition(self.model, self.data)
        J = np.empty((3, self.model.nv))
        for k, leg in enumerate(self.hexapod.legs):
            end, piston = self.data.site(f"end{k}").xpos, self.model.body(f"piston{k}").id
            mujoco.mj_jac(self.model, self.data, J, None, end, piston)
            own = self._own_rates(k)
            x_dot = v + skew(omega) @ R @ leg.platform
            self.data.qvel[own] = np.linalg.solve(J[:, own], x_dot)

    def _own_rates(self, k: int) -> np.ndarray:
        """Return where a leg's two rotation rates and its slide rate are; not an SPS leg's spin."""
        slide = self._slides[k]
        first = slide - (2 if self.hexapod.legs[k].kind == "UPS" else 3)
        return np.array([first, first + 1, slide])

    def _place(self, pose: np.ndarray) -> None:
        q = [*pose[:3], *(pose[3:] / np.linalg.norm(pose[3:]))]
        for leg, span in zip(self.hexapod.legs, self.hexapod.leg_spans(pose), strict=True):
            l = np.linalg.norm(span)
            axes = leg.axes(span / l)
            q += [
                *(leg.universal_joint_angles(axes) if leg.kind == "UPS" else _quaternion(axes)),
                l,
            ]
        self.data.qpos[:] = q


def mjcf(hexapod: HexapodData) -> str:
    """Write the machine as a MuJoCo model file."""
    platform = hexapod.platform
    sites = [
        f'<site name="point{k}" pos="{_text(leg.platform)}"/>' for k, leg in enumerate(hexapod.legs)
    ]
    connections = [f'<connect site1="point{k}" site2="end{k}"/>' for k in range(6)]
    return f"""
    <mujoco>
      <compiler angle="radian" boundmass="0" boundinertia="0"/>
      <option gravity="{_text(hexapod.gravity)}" solver="Newton" jacobian="dense">
        <flag contact="disable" warmstart="disable"/>
      </option>
      <worldbody>
        <body name="platform">
          <freejoint/>
          {_inertial(platform, platform.center_of_mass, platform.inertia)}
          {"".join(sites)}
        </body>
        {"".join(_leg(leg, k) for k, leg in enumerate(hexapod.legs))}
      </worldbody>
      <equality>{"".join(connections)}</equality>
    </mujoco>"""


def _leg(leg: LegData, k: int) -> str:
    if leg.kind == "UPS":
        foot = frame_along(leg.first_axis)
        joints = '<joint type="hinge" axis="0 0 1"/><joint type="hinge" axis="1 0 0"/>'
    else:
        foot = np.eye(3)
        joints = '<joint type="ball"/>'
    cylinder, piston = leg.cylinder, leg.piston
    return f"""
        <body pos="{_text(leg.base)}" quat="{_text(_quaternion(foot))}">
          {joints}
          {_inertial(cylinder, [0, 0, cylinder.center_of_mass], spinnable_inertia(leg))}
          <body name="piston{k}">
            <joint name="slide{k}" type="slide" axis="0 0 1"/>
            {_inertial(piston, [0, 0, -piston.center_of_mass], piston.inertia)}
            <site name="end{k}"/>
          </body>
        </body>"""


def _inertial(body: Body, center_of_mass: np.ndarray, inertia: np.ndarray) -> str:
    if not (body.mass > 0 and inertia[0, 0] > 0):
        raise ValueError(f"MuJoCo needs mass and inertia in every part, got {body}")
    I = inertia + np.diag([0, 0, max(0, TRIFLE * inertia[0, 0] - inertia[2, 2])])
    six = I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]
    return (
        f'<inertial pos="{_text(center_of_mass)}" mass="{body.mass!r}" fullinertia="{_text(six)}"/>'
    )


def _quaternion(R: np.ndarray) -> np.ndarray:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, R.ravel())
    return quaternion


def _text(numbers: object) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(numbers))
