"""A tree of Pinocchio's with loops closed at points or frames, as files of other programs say it.

Nothing here knows how a machine was written: it takes the tree and the closures that Pinocchio
read, and asks the questions that the library answers. Joint rates are those of the loops' null
space; efforts follow from the principle of virtual power.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Closure(NamedTuple):
    """The same point, or welded the same frame, in two joints' frames."""

    joints: tuple[int, int]
    places: tuple[pin.SE3, pin.SE3]
    welded: bool


class Spin(NamedTuple):
    """A rod with balls at both ends, which does not turn about the line between them."""

    frame: str
    along: np.ndarray
    """In that frame."""


class LoopState(NamedTuple):
    """A moving machine: joints, and the platform's pose, twist and acceleration."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    pose: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray


class PinocchioLoops:
    """A tree with its closures, driven at some velocity coordinates."""

    def __init__(self, model, closures, motors, platform, spins=(), q=None):
        self.model = model
        self.home = pin.neutral(model) if q is None else q
        self.pairs = [
            (self._frames(k, closure), closure.welded) for k, closure in enumerate(closures)
        ]
        self.motors, self.spins = motors, spins
        self.platform = model.getFrameId(platform)
        self.data = model.createData()

    def _frames(self, k, closure):
        return [
            self.model.addFrame(pin.Frame(f"loop {k} {end}", joint, 0, place, pin.OP_FRAME))
            for end, (joint, place) in enumerate(zip(closure.joints, closure.places, strict=True))
        ]

    def _rows(self, q, v, a):
        """Jacobian of all loops, gaps, and accelerations across them under joint accelerations."""
        model, data = self.model, self.data
        pin.forwardKinematics(model, data, q, v, a)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        J, gaps, rates = [], [], []
        for (first, second), welded in self.pairs:
            size = 6 if welded else 3
            J.append((self._jacobian(second) - self._jacobian(first))[:size])
            rates.append((self._acceleration(second) - self._acceleration(first))[:size])
            one, two = data.oMf[first], data.oMf[second]
            turned = pin.log3(two.rotation @ one.rotation.T)
            gaps.append(np.concatenate([two.translation - one.translation, turned])[:size])
        for spin in self.spins:
            frame = model.getFrameId(spin.frame)
            along = data.oMf[frame].rotation @ spin.along
            J.append((along @ self._jacobian(frame)[3:])[None])
            rates.append([along @ self._acceleration(frame)[3:]])
            gaps.append([0.0])
        return np.vstack(J), np.concatenate(gaps), np.concatenate(rates)

    def _jacobian(self, frame):
        return pin.getFrameJacobian(self.model, self.data, frame, WORLD).copy()

    def _acceleration(self, frame):
        found = pin.getFrameClassicalAcceleration(self.model, self.data, frame, WORLD)
        return found.vector.copy()

    def moves(self, q):
        """Return an orthonormal basis of the joint rates that keep all loops closed."""
        still = np.zeros(self.model.nv)
        _, sigma, Vt = np.linalg.svd(self._rows(q, still, still)[0])
        return Vt[int((sigma > 1e-9 * sigma.max()).sum()) :].T

    def gap(self):
        """Return the largest gap at home."""
        still = np.zeros(self.model.nv)
        return np.abs(self._rows(self.home, still, still)[1]).max(initial=0.0)

    def random_state(self, rng, stray=0.1):
        """Return an assembled state near home, with a random motion."""
        N, still = self.moves(self.home), np.zeros(self.model.nv)
        step = N @ rng.standard_normal(N.shape[1])
        q = pin.integrate(self.model, self.home, stray * step / np.abs(step).max())
        for _ in range(30):
            J, gaps, _ = self._rows(q, still, still)
            if np.abs(gaps).max() < 1e-14:
                break
            q = pin.integrate(self.model, q, -np.linalg.lstsq(J, gaps, rcond=1e-9)[0])
        assert np.abs(gaps).max() < 1e-12
        N = self.moves(q)
        v = N @ rng.standard_normal(N.shape[1])
        J, _, drift = self._rows(q, v, still)
        a = -np.linalg.pinv(J, rcond=1e-9) @ drift + N @ rng.standard_normal(N.shape[1])
        return self.state(q, v, a)

    def state(self, q, v, a):
        """Return what the platform does while the joints move so."""
        self._rows(q, v, a)
        place = self.data.oMf[self.platform]
        x, y, z, w = pin.Quaternion(place.rotation).coeffs()
        twist = pin.getFrameVelocity(self.model, self.data, self.platform, WORLD).vector.copy()
        pose = np.concatenate([place.translation, [w, x, y, z]])
        return LoopState(q, v, a, pose, twist, self._acceleration(self.platform))

    def efforts(self, state, wrench):
        """Return the motors' efforts, of least norm if there are too many motors."""
        N = self.moves(state.q)
        tau = pin.rnea(self.model, self.data, state.q, state.v, state.a)
        self._rows(state.q, state.v, state.a)
        needed = N.T @ (tau - self._jacobian(self.platform).T @ wrench)
        return np.linalg.lstsq(N[self.motors].T, needed, rcond=1e-12)[0]

    def place(self, state, frame):
        """Return where a frame is."""
        pin.framesForwardKinematics(self.model, self.data, state.q)
        return self.data.oMf[self.model.getFrameId(frame)].copy()
