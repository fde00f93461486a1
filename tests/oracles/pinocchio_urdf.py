"""A URDF file in Pinocchio, with pairs of frames that meet: efforts by its recursions.

Knows nothing of Gough. Its hinges and slides are the file's; what keeps all pairs together is what
the machine can do.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class PinocchioUrdf:
    """A file, pairs of frames with how many rows each has, motors by name, and a platform."""

    def __init__(self, path, pairs, motors, platform, gravity):
        self.model = pin.buildModelFromUrdf(str(path))
        self.model.gravity.linear = np.array(gravity)
        self.data = self.model.createData()
        frame = self.model.getFrameId
        self.pairs = [(frame(first), frame(second), rows) for first, second, rows in pairs]
        joints = [self.model.joints[self.model.getJointId(name)] for name in motors]
        self.motors = [joint.idx_v for joint in joints]
        self.platform = frame(platform)

    def random_state(self, rng, stray=0.1):
        """Positions, rates and accelerations with closed loops."""
        model = self.model
        q, zero = self.closed(pin.neutral(model)), np.zeros(model.nv)
        N = self.moves(q)
        step = N @ rng.standard_normal(N.shape[1])
        q = self.closed(pin.integrate(model, q, stray * step / np.abs(step).max()))
        N = self.moves(q)
        v = N @ rng.standard_normal(N.shape[1])
        J, _, drift = self._rows(q, v, zero)
        a = N @ rng.standard_normal(N.shape[1]) - np.linalg.lstsq(J, drift, rcond=1e-9)[0]
        return q, v, a

    def closed(self, q):
        """Positions near to others at which all loops are closed."""
        zero = np.zeros(self.model.nv)
        for _ in range(40):
            J, gaps, _ = self._rows(q, zero, zero)
            q = pin.integrate(self.model, q, -np.linalg.lstsq(J, gaps, rcond=1e-9)[0])
        assert np.abs(self._rows(q, zero, zero)[1]).max() < 1e-12
        return q

    def platform_motion(self, q, v, a):
        """Pose, twist and acceleration of the platform."""
        at, R, twist, acceleration, _ = self._seen(self.platform, q, v, a)
        x, y, z, w = pin.Quaternion(R).coeffs()
        return np.r_[at, w, x, y, z], twist, acceleration

    def efforts(self, q, v, a, wrench):
        """What the motors must give, while a wrench acts on the platform."""
        J = self._seen(self.platform, q, v, a)[4]
        N = self.moves(q)
        tau = pin.rnea(self.model, self.data, q, v, a) - J.T @ wrench
        return np.linalg.lstsq(N[self.motors].T, N.T @ tau, rcond=1e-12)[0]

    def moves(self, q):
        """A basis of the rates that keep all loops closed."""
        zero = np.zeros(self.model.nv)
        _, sigma, Vt = np.linalg.svd(self._rows(q, zero, zero)[0])
        return Vt[int((sigma > 1e-9 * sigma.max()).sum()) :].T

    def _rows(self, q, v, a):
        rows, gaps, drift = [], [], []
        for first, second, height in self.pairs:
            p, R, _, one, J = self._seen(first, q, v, a)
            other, S, _, two, K = self._seen(second, q, v, a)
            E = S @ R.T
            turned = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / 2.0
            rows.append((K - J)[:height])
            gaps.append(np.r_[other - p, turned][:height])
            drift.append((two - one)[:height])
        return np.vstack(rows), np.concatenate(gaps), np.concatenate(drift)

    def _seen(self, frame, q, v, a):
        model, data = self.model, self.data
        pin.forwardKinematics(model, data, q, v, a)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        place = data.oMf[frame]
        twist = pin.getFrameVelocity(model, data, frame, WORLD).vector.copy()
        acceleration = pin.getFrameClassicalAcceleration(model, data, frame, WORLD).vector.copy()
        J = pin.getFrameJacobian(model, data, frame, WORLD).copy()
        return place.translation.copy(), place.rotation.copy(), twist, acceleration, J
