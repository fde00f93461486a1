"""An MJCF file as MuJoCo itself sees it: efforts by its mass matrix, its forces and its Jacobians.

Knows nothing of Gough: the rows of `connect` and `weld` are made of MuJoCo's Jacobians of bodies,
and what keeps all of them is what the machine can do. A rod with balls at both ends does not spin:
one more row, which carries no moment.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np


class State(NamedTuple):
    """A state with closed loops, and the same as the platform's pose, twist and acceleration."""

    positions: np.ndarray
    rates: np.ndarray
    acceleration: np.ndarray
    pose: np.ndarray
    twist: np.ndarray
    platform_acceleration: np.ndarray


class MujocoFile:
    """A file, a body of it (or a site) as the platform, and lines of rods between two balls."""

    def __init__(self, path, platform, rods=None):
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        site = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_SITE, platform)
        self.site = site if site >= 0 else None
        self.body = self.model.site_bodyid[site] if site >= 0 else self.model.body(platform).id
        self.rods = {self.model.body(name).id: line for name, line in (rods or {}).items()}
        self.motors = [self.model.jnt_dofadr[j] for j in self.model.actuator_trnid[:, 0]]
        self.places = [self.model.jnt_qposadr[j] for j in self.model.actuator_trnid[:, 0]]

    def random_state(self, rng, stray=0.1):
        """A state near to where the file draws the machine, with a random motion."""
        model, data = self.model, self.data
        data.qpos[:] = model.qpos0
        N = self._moves()
        step = N @ rng.standard_normal(N.shape[1])
        mujoco.mj_integratePos(model, data.qpos, stray * step / np.abs(step).max(), 1.0)
        for _ in range(30):
            J, gaps, _ = self._rows()
            mujoco.mj_integratePos(model, data.qpos, -np.linalg.lstsq(J, gaps, rcond=1e-9)[0], 1.0)
        assert np.abs(self._rows()[1]).max() < 1e-12
        N = self._moves()
        data.qvel[:] = N @ rng.standard_normal(N.shape[1])
        J, _, drift = self._rows()
        a = N @ rng.standard_normal(N.shape[1]) - np.linalg.lstsq(J, drift, rcond=1e-9)[0]
        return self._state(a)

    def efforts(self, state, wrench, *, passive=False):
        """What the motors must give for the state, while a wrench acts on the platform.

        If `passive`, against springs and dampers, too.
        """
        model, data = self.model, self.data
        data.qpos[:], data.qvel[:] = state.positions, state.rates
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        needed = M @ state.acceleration + data.qfrc_bias - passive * data.qfrc_passive
        J, _ = self._platform_rows()
        N = self._moves()
        return np.linalg.lstsq(N[self.motors].T, N.T @ (needed - J.T @ wrench), rcond=1e-12)[0]

    def driven(self, state):
        """Positions of the driven joints."""
        return state.positions[self.places]

    def _state(self, a):
        data = self.data
        q, v = data.qpos.copy(), data.qvel.copy()
        J, J_rate = self._platform_rows()
        place = self._place()
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, self._turn())
        return State(q, v, a, np.r_[place, quaternion], J @ v, J @ a + J_rate @ v)

    def _place(self):
        if self.site is not None:
            return self.data.site_xpos[self.site].copy()
        return self.data.xpos[self.body].copy()

    def _turn(self):
        found = self.data.xmat[self.body] if self.site is None else self.data.site_xmat[self.site]
        return found.copy()

    def _platform_rows(self):
        self._update()
        return self._body_rows(self.body, self._place())

    def _update(self):
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)

    def _body_rows(self, body, point):
        """Jacobian of a body at a point, moving above turning, and its rate."""
        J, J_rate = np.zeros((2, 6, self.model.nv))
        mujoco.mj_jac(self.model, self.data, J[:3], J[3:], point, body)
        mujoco.mj_jacDot(self.model, self.data, J_rate[:3], J_rate[3:], point, body)
        return J, J_rate

    def _rows(self):
        """Jacobian of all closures, their gaps, and how fast their rows change along the motion."""
        self._update()
        rows, gaps, drift = [], [], []
        for k in range(self.model.neq):
            if not self.model.eq_active0[k]:
                continue
            first, second = self.model.eq_obj1id[k], self.model.eq_obj2id[k]
            data = self.model.eq_data[k]
            kind = mujoco.mjtEq(self.model.eq_type[k])
            if kind in (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON):
                row = self._coupled(k, kind, first, second)
                rows.append(row[None])
                gaps.append([row @ self._displaced()])
                drift.append([0.0])
                continue
            welded = self.model.eq_type[k] == mujoco.mjtEq.mjEQ_WELD
            one, other = (data[3:6], data[:3]) if welded else (data[:3], data[3:6])
            of_sites = self.model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE
            if of_sites:
                sites = first, second
                first, second = self.model.site_bodyid[[*sites]]
                p, q = self.data.site_xpos[[*sites]]
            else:
                p, q = self._carried(first, one), self._carried(second, other)
            (J1, rate1), (J2, rate2) = self._body_rows(first, p), self._body_rows(second, q)
            height = 6 if welded else 3
            rows.append((J2 - J1)[:height])
            drift.append((rate2 - rate1)[:height] @ self.data.qvel)
            R1, R2 = (self.data.xmat[body].reshape(3, 3) for body in (first, second))
            relative = data[6:10]
            if of_sites:
                R1, R2 = (self.data.site_xmat[site].reshape(3, 3) for site in sites)
                relative = np.array([1.0, 0.0, 0.0, 0.0])
            gaps.append(np.r_[q - p, _turned(R1, R2, relative) if welded else []])
        for body, line in self.rods.items():
            J, rate = self._body_rows(body, self.data.xpos[body])
            along = self.data.xmat[body].reshape(3, 3) @ line / np.linalg.norm(line)
            rows.append(along[None] @ J[3:])
            drift.append(along[None] @ rate[3:] @ self.data.qvel)
            gaps.append([0.0])
        return np.vstack(rows), np.concatenate(gaps), np.concatenate(drift)

    def _coupled(self, k, kind, first, second):
        """Coefficients of all joints in a coupling."""
        row = np.zeros(self.model.nv)
        if kind == mujoco.mjtEq.mjEQ_TENDON:
            at, count = self.model.tendon_adr[first], self.model.tendon_num[first]
            joints = self.model.wrap_objid[at : at + count]
            row[self.model.jnt_dofadr[joints]] = self.model.wrap_prm[at : at + count]
        else:
            row[self.model.jnt_dofadr[first]] = 1.0
            row[self.model.jnt_dofadr[second]] = -self.model.eq_data[k, 1]
        return row

    def _displaced(self):
        moved = np.zeros(self.model.nv)
        mujoco.mj_differentiatePos(self.model, moved, 1.0, self.model.qpos0, self.data.qpos)
        return moved

    def _carried(self, body, point):
        return self.data.xpos[body] + self.data.xmat[body].reshape(3, 3) @ point

    def _moves(self):
        _, sigma, Vt = np.linalg.svd(self._rows()[0])
        return Vt[int((sigma > 1e-9 * sigma.max()).sum()) :].T


def _turned(first, second, quaternion):
    relative = np.zeros(9)
    mujoco.mju_quat2Mat(relative, quaternion)
    R = second @ (first @ relative.reshape(3, 3)).T
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2.0
