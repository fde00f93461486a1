"""A machine of any kind in Pinocchio: a tree of all its bodies, and rows that close its loops.

Knows nothing of legs, tips, link frames or moves: joints are hung from the base one behind the
other (depth first: in any other order Pinocchio's `crba` silently drops couplings) and all others
are rows of one Jacobian, whose null space is what the machine can do. All frames are parallel to
the base's at home, where all positions are zero.

A rod with balls at both ends does not spin: one more row, which carries no moment.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

KEPT_FIRST = {"P": 0, "C": 0, "H": 0, "R": 1, "U": 2, "S": 3}
WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class State(NamedTuple):
    """An assembled state with a motion that the machine can do, as it sees itself and as we do."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    pose: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray


class Loop(NamedTuple):
    """A joint that is not in the tree: its two frames, and its axes in either."""

    type: str
    first: int
    second: int
    axes: tuple[np.ndarray, ...]


class PinocchioMechanism:
    """A machine's tree and loops, and the questions our library answers, asked of them."""

    def __init__(self, mechanism, *, floating=False):
        self.mechanism = mechanism
        self.model = pin.Model()
        self.model.gravity.linear = np.array(mechanism.gravity)
        self.joint_of = {"base": 0}
        self.origin = {"base": np.zeros(3)}
        if floating:  # a base without mass, which moves as it likes
            free = pin.JointModelFreeFlyer()
            self.joint_of["base"] = self.model.addJoint(0, free, pin.SE3.Identity(), "base")
        self.driven = {}
        self.coupled = {name for coupling in mechanism.couplings for name in coupling.joints}
        self.rest = sorted(mechanism.joints, key=self._kept)
        self._hang("base", tree=self._spanning_tree())
        self._weigh()
        self.platform = self._frame("platform", np.array(mechanism.platform.home.position))
        self.loops = [self._loop(joint) for joint in self.rest]
        self.spins = [self._spin(body) for body in mechanism.bodies if self._is_rod(body)]
        self.motors = [self.driven[joint.name] for joint in mechanism.driven]
        self.data = self.model.createData()

    # Building the tree

    def _kept(self, joint):
        return not joint.is_driven, joint.name not in self.coupled, KEPT_FIRST[joint.type]

    def _spanning_tree(self):
        """Joints of the tree: those that are worst to cut first."""
        groups = {name: {name} for name in ("base", "platform", *self._names())}
        tree = []
        for joint in self.rest:
            a, b = joint.between
            if groups[a] is not groups[b]:
                groups[a] |= groups[b]
                for name in groups[a]:
                    groups[name] = groups[a]
                tree.append(joint)
        return tree

    def _names(self):
        return [body.name for body in self.mechanism.bodies]

    def _hang(self, body, tree):
        for joint in [j for j in tree if body in j.between and j in self.rest]:
            self.rest.remove(joint)
            first, second = joint.between
            sign, child = (1, second) if first == body else (-1, first)
            axes = [sign * np.array(a) for a in (joint.lines if sign > 0 else joint.lines[::-1])]
            at = np.array(joint.at)
            place, parent = pin.SE3(np.eye(3), at - self.origin[body]), self.joint_of[body]
            for k, model in enumerate(_joint_models(joint, axes)):
                name = f"{joint.name}.{k}"
                parent = self.model.addJoint(parent, model, place, name)
                place = pin.SE3.Identity()
            if joint.is_driven:
                self.driven[joint.name] = self.model.joints[parent].idx_v
            self.joint_of[child], self.origin[child] = parent, at
            self._hang(child, tree)

    def _weigh(self):
        for body in self.mechanism.bodies:
            center = np.array(body.center_of_mass) - self.origin[body.name]
            inertia = pin.Inertia(body.mass, center, np.array(body.inertia))
            self.model.appendBodyToJoint(self.joint_of[body.name], inertia, pin.SE3.Identity())
        p = self.mechanism.platform
        R = _rotation(p.home.quaternion)
        inertia = pin.Inertia(p.mass, np.array(p.center_of_mass), np.array(p.inertia))
        place = pin.SE3(R, np.array(p.home.position) - self.origin["platform"])
        self.model.appendBodyToJoint(self.joint_of["platform"], inertia, place)

    def _frame(self, body, at, rotation=None):
        place = pin.SE3(np.eye(3) if rotation is None else rotation, at - self.origin[body])
        joint = self.joint_of[body]
        name = f"{body} {len(self.model.frames)}"
        return self.model.addFrame(pin.Frame(name, joint, 0, place, pin.FrameType.OP_FRAME))

    def _loop(self, joint):
        first, second = (self._frame(body, np.array(joint.at)) for body in joint.between)
        return Loop(joint.type, first, second, tuple(np.array(a) for a in joint.lines))

    def _is_rod(self, body):
        types = [j.type for j in self.mechanism.joints if body.name in j.between]
        return types == ["S", "S"]

    def _spin(self, body):
        ends = [np.array(j.at) for j in self.mechanism.joints if body.name in j.between]
        along = ends[1] - ends[0]
        return self._frame(body.name, ends[0]), along / np.linalg.norm(along)

    # Rows of the loops: directions, and how they change

    def _rows(self, q, v, a):
        """Jacobian of all loops, gaps, and the rows' accelerations under joint accelerations a."""
        model, data = self.model, self.data
        pin.forwardKinematics(model, data, q, v, a)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        J, gaps, rates = [], [], []
        for loop in self.loops:
            first, second = self._seen(loop.first), self._seen(loop.second)
            relative = second.J - first.J
            J.append(relative[:3])
            gaps.append(second.at - first.at)
            rates.append(second.a[:3] - first.a[:3])
            turning = second.v[3:] - first.v[3:]
            for n, n_rate, gap in _turns(loop, first, second):
                J.append((n @ relative[3:])[None])
                gaps.append([gap])
                rates.append([n @ (second.a[3:] - first.a[3:]) + n_rate @ turning])
        for frame, along in self.spins:
            seen = self._seen(frame)
            J.append((seen.R @ along @ seen.J[3:])[None])
            gaps.append([0.0])
            rates.append([seen.R @ along @ seen.a[3:]])
        for coupling in self.mechanism.couplings:
            row, gap = np.zeros(model.nv), 0.0
            for name, weight in zip(coupling.joints, coupling.weights, strict=True):
                joint = model.joints[model.getJointId(f"{name}.0")]
                row[joint.idx_v] = weight
                gap += weight * q[joint.idx_q]
            J.append(row[None])
            gaps.append([gap])
            rates.append([row @ a])
        return np.vstack(J), np.concatenate(gaps), np.concatenate(rates)

    def _seen(self, frame):
        model, data = self.model, self.data
        place = data.oMf[frame]
        v = pin.getFrameVelocity(model, data, frame, WORLD).vector.copy()
        a = pin.getFrameClassicalAcceleration(model, data, frame, WORLD).vector.copy()
        J = pin.getFrameJacobian(model, data, frame, WORLD).copy()
        return Seen(place.translation.copy(), place.rotation.copy(), v, a, J)

    # States

    def random_state(self, rng, stray=0.15, speed=1.0):
        """Return an assembled state near home with a random motion."""
        while True:
            q = self._assembled(rng, stray)
            if q is not None:
                break
        N = self.moves(q)
        v = N @ (speed * rng.standard_normal(N.shape[1]))
        J, _, drift = self._rows(q, v, np.zeros(self.model.nv))
        a = -np.linalg.pinv(J, rcond=1e-9) @ drift + N @ rng.standard_normal(N.shape[1])
        return self._state(q, v, a)

    def _assembled(self, rng, stray):
        q, zero = pin.neutral(self.model), np.zeros(self.model.nv)
        N = self.moves(q)
        step = N @ rng.standard_normal(N.shape[1])
        q = pin.integrate(self.model, q, stray * step / np.abs(step).max())
        for _ in range(30):
            J, gaps, _ = self._rows(q, zero, zero)
            if np.abs(gaps).max(initial=0.0) < 1e-14:
                break
            q = pin.integrate(self.model, q, -np.linalg.lstsq(J, gaps, rcond=1e-9)[0])
        return q if np.abs(gaps).max(initial=0.0) < 1e-13 else None

    def _state(self, q, v, a):
        self._rows(q, v, a)
        seen = self._seen(self.platform)
        R = seen.R @ _rotation(self.mechanism.platform.home.quaternion)
        x, y, z, w = pin.Quaternion(R).coeffs()
        pose = np.concatenate([seen.at, [w, x, y, z]])
        return State(q, v, a, pose, seen.v, seen.a)

    def moves(self, q):
        """Return an orthonormal basis of the joint rates that keep all loops closed."""
        zero = np.zeros(self.model.nv)
        J = self._rows(q, zero, zero)[0]
        _, sigma, Vt = np.linalg.svd(J)
        return Vt[int((sigma > 1e-9 * sigma.max()).sum()) :].T

    def steepness(self, state):
        """Return by how much joints may move faster than others where the loops let them."""
        zero = np.zeros(self.model.nv)
        sigma = np.linalg.svd(self._rows(state.q, zero, zero)[0], compute_uv=False)
        return sigma.max() / sigma[sigma > 1e-9 * sigma.max()].min()

    # What the library computes

    def efforts(self, state, wrench):
        """Return the motors' efforts, of least norm if there are too many motors."""
        N = self.moves(state.q)
        tau = pin.rnea(self.model, self.data, state.q, state.v, state.a)
        needed = N.T @ (tau - self._platform_jacobian(state.q).T @ wrench)
        return np.linalg.lstsq(N[self.motors].T, needed, rcond=1e-12)[0]

    def efforts_and_base_wrench(self, state, wrench):
        """Return the motors' efforts, and the wrench on a floating base that lets it move so.

        In base axes, about the base's origin, as is the wrench on the platform about its own.
        """
        N = self.moves(state.q)
        tau = pin.rnea(self.model, self.data, state.q, state.v, state.a)
        J = self._platform_jacobian(state.q)
        R = self.data.oMi[1].rotation
        needed = N.T @ (tau - J.T @ np.concatenate([R @ wrench[:3], R @ wrench[3:]]))
        found = np.linalg.lstsq(N[[*self.motors, *range(6)]].T, needed, rcond=1e-12)[0]
        return found[:-6], found[-6:]

    def relative(self, state):
        """Return the motion of a floating base, and the platform's relative to it, base axes."""
        base = self._frame("base", np.zeros(3))
        self.data = self.model.createData()
        self._rows(state.q, state.v, state.a)
        b, p = self._seen(base), self._seen(self.platform)
        (v, w), (a, alpha) = (np.split(x, 2) for x in (b.v, b.a))
        r, cross = p.at - b.at, np.cross
        v_r, w_r = p.v[:3] - v - cross(w, r), p.v[3:] - w
        a_r = p.a[:3] - a - cross(alpha, r) - cross(w, cross(w, r)) - 2 * cross(w, v_r)
        turn = [b.R.T @ x for x in (v_r, w_r, a_r, p.a[3:] - alpha - cross(w, w_r))]
        R = b.R.T @ p.R @ _rotation(self.mechanism.platform.home.quaternion)
        pose = np.concatenate([b.R.T @ r, _quaternion(R)])
        own = pose, np.concatenate(turn[:2]), np.concatenate(turn[2:])
        return (np.concatenate([b.at, _quaternion(b.R)]), b.v, b.a), own

    def accelerations(self, state, effort, wrench):
        """Return the platform's acceleration under efforts."""
        return self.moved(state, effort, wrench).acceleration

    def moved(self, state, effort, wrench):
        """Return the state with the accelerations under efforts."""
        model, data, N = self.model, self.data, self.moves(state.q)
        h = pin.nonLinearEffects(model, data, state.q, state.v)
        M = self._mass_matrix(state.q)
        tau = self._platform_jacobian(state.q).T @ wrench - h
        tau[self.motors] += effort
        J, _, drift = self._rows(state.q, state.v, np.zeros(model.nv))
        a = -np.linalg.pinv(J, rcond=1e-9) @ drift
        a = a + N @ np.linalg.solve(N.T @ M @ N, N.T @ (tau - M @ a))
        return self._state(state.q, state.v, a)

    def mass_matrix(self, state, S):
        """Return M in the coordinates u = S · twist."""
        T = self.joint_moves(state, S)
        return T.T @ self._mass_matrix(state.q) @ T

    def joint_moves(self, state, S):
        """Return the rates of all joints by u."""
        N = self.moves(state.q)
        return N @ np.linalg.inv(S @ self._platform_jacobian(state.q) @ N)

    def platform_moves(self, state, S):
        """Return T of twist = T u."""
        return self._platform_jacobian(state.q) @ self.joint_moves(state, S)

    def motor_jacobian(self, state, S):
        """Return the rates of the driven joints by u."""
        return self.joint_moves(state, S)[self.motors]

    def energy(self, state):
        """Return kinetic and potential energy."""
        kinetic = pin.computeKineticEnergy(self.model, self.data, state.q, state.v)
        return np.array([kinetic, pin.computePotentialEnergy(self.model, self.data, state.q)])

    def positions(self, state):
        """Return positions of the driven joints, as the machine's maker counts them."""
        places = {j.idx_v: j.idx_q for j in self.model.joints if j.nv}
        home = [joint.position_at_home for joint in self.mechanism.driven]
        return np.array([state.q[places[k]] for k in self.motors]) + home

    def carried(self, state, body, point):
        """Return where a point of a body is that is given at home, both in base axes."""
        place = self._place(state, body)
        return place.translation + place.rotation @ (np.array(point) - self.origin[body])

    def momentum(self, state):
        """Return linear momentum, and angular momentum about the base's origin."""
        h = pin.computeCentroidalMomentum(self.model, self.data, state.q, state.v)
        return np.concatenate([h.linear, h.angular + np.cross(self.data.com[0], h.linear)])

    def mass_center(self, state, body):
        """Return position, velocity and plain acceleration of a body's mass centre."""
        if body == "platform":
            p = self.mechanism.platform
            home = np.array(p.home.position) + _rotation(p.home.quaternion) @ p.center_of_mass
        else:
            home = next(b.center_of_mass for b in self.mechanism.bodies if b.name == body)
        pin.forwardKinematics(self.model, self.data, state.q, state.v, state.a)
        joint = self.joint_of[body]
        place = self.data.oMi[joint]
        lever = place.rotation @ (np.array(home) - self.origin[body])
        v = pin.getVelocity(self.model, self.data, joint, WORLD)
        a = pin.getClassicalAcceleration(self.model, self.data, joint, WORLD)
        turning = np.cross(a.angular, lever) + np.cross(v.angular, np.cross(v.angular, lever))
        return place.translation + lever, v.linear + np.cross(v.angular, lever), a.linear + turning

    def turning(self, state, body):
        """Return a body's angular velocity and acceleration."""
        pin.forwardKinematics(self.model, self.data, state.q, state.v, state.a)
        joint = self.joint_of[body]
        v = pin.getVelocity(self.model, self.data, joint, WORLD)
        a = pin.getAcceleration(self.model, self.data, joint, WORLD)
        return v.angular.copy(), a.angular.copy()

    def relative_velocity(self, state, bodies, point):
        """Return how fast the second body moves past the first at a point, and turns in it."""
        twists = []
        for body in bodies:
            pin.forwardKinematics(self.model, self.data, state.q, state.v)
            joint = self.joint_of[body]
            v = pin.getVelocity(self.model, self.data, joint, WORLD)
            lever = point - self.data.oMi[joint].translation
            twists.append((v.linear + np.cross(v.angular, lever), v.angular))
        (v_1, w_1), (v_2, w_2) = twists
        return v_2 - v_1, w_2 - w_1

    def weighed(self, state, body):
        """Return a body's mass, its inertia about its centre, and the rotation from its axes."""
        if body == "platform":
            p = self.mechanism.platform
            R = self.turn(state, body) @ _rotation(p.home.quaternion)
            return p.mass, np.array(p.inertia), R
        found = next(b for b in self.mechanism.bodies if b.name == body)
        return found.mass, np.array(found.inertia), self.turn(state, body)

    def turn(self, state, body):
        """Return by how much a body has turned since home."""
        return self._place(state, body).rotation

    def _place(self, state, body):
        pin.forwardKinematics(self.model, self.data, state.q)
        return self.data.oMi[self.joint_of[body]]

    def _mass_matrix(self, q):
        M = np.triu(pin.crba(self.model, self.data, q))
        return M + np.triu(M, 1).T

    def _platform_jacobian(self, q):
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        return pin.getFrameJacobian(self.model, self.data, self.platform, WORLD).copy()


class Seen(NamedTuple):
    """A frame in base axes: place, velocities and plain accelerations, Jacobian."""

    at: np.ndarray
    R: np.ndarray
    v: np.ndarray
    a: np.ndarray
    J: np.ndarray


def _turns(loop, first, second):
    """Directions about which a cut joint does not turn, their rates, and how far it is turned."""
    if loop.type == "R":
        axis = loop.axes[0]
        across = np.linalg.svd(axis[None])[2][1:]
        for e in across:
            n = first.R @ e
            gap = n @ np.cross(first.R @ axis, second.R @ axis)
            yield n, np.cross(first.v[3:], n), gap
    if loop.type == "U":
        a, b = first.R @ loop.axes[0], second.R @ loop.axes[1]
        a_rate, b_rate = np.cross(first.v[3:], a), np.cross(second.v[3:], b)
        gap = loop.axes[0] @ loop.axes[1] - a @ b
        yield np.cross(a, b), np.cross(a_rate, b) + np.cross(a, b_rate), -gap
    if loop.type in ("P", "C", "H"):
        raise NotImplementedError(f"a loop closed by a joint of type {loop.type}")


def _quaternion(R):
    x, y, z, w = pin.Quaternion(R).coeffs()
    return np.array([w, x, y, z])


def _joint_models(joint, axes):
    kind = joint.type
    if kind == "S":
        return [pin.JointModelSpherical()]
    if kind == "P":
        return [pin.JointModelPrismaticUnaligned(axes[0])]
    if kind == "H":
        return [pin.JointModelHelicalUnaligned(axes[0], joint.pitch / (2 * np.pi))]
    if kind == "C":
        return [pin.JointModelRevoluteUnaligned(axes[0]), pin.JointModelPrismaticUnaligned(axes[0])]
    return [pin.JointModelRevoluteUnaligned(axis) for axis in axes]


def _rotation(quaternion):
    w, x, y, z = quaternion
    return pin.Quaternion(w, x, y, z).normalized().toRotationMatrix()
