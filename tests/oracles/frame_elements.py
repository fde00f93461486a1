"""A machine at home as a frame of beams: finite elements, put together number by number.

Knows nothing of legs, rows or moves: every body has nodes of six freedoms, every joint ties or
springs between two of them, and one system of equations says how a wrench moves the platform.
"""

import numpy as np
from scipy.linalg import eigh, null_space
from scipy.spatial.transform import Rotation

FREE = {"R": (3,), "P": (0,), "C": (0, 3), "S": (3, 4, 5), "U": (3, 4, 5), "fixed": ()}
GIVES = {"axial": (0,), "radial": (1, 2), "tilting": (4, 5)}


def skew(a):
    return np.cross(np.eye(3), a)


def beam_element(span, beam):
    """The textbook's stiffness of a beam (12 x 12), way and turn of both ends, in base axes."""
    L, d, b = np.linalg.norm(span), beam.diameter, beam.bore or 0.0
    E, G = beam.modulus, beam.shear_modulus or beam.modulus / 2.6
    A, I = np.pi / 4 * (d**2 - b**2), np.pi / 64 * (d**4 - b**4)
    k = np.zeros((12, 12))
    for p, stiff in ((0, E * A / L), (3, 2 * G * I / L)):
        k[np.ix_([p, p + 6], [p, p + 6])] = stiff * np.array([[1, -1], [-1, 1]])
    for v, t, s in ((1, 5, 1), (2, 4, -1)):
        index = np.ix_([v, t, v + 6, t + 6], [v, t, v + 6, t + 6])
        k[index] = E * I / L**3 * np.array(
            [[12, 6 * s * L, -12, 6 * s * L],
             [6 * s * L, 4 * L**2, -6 * s * L, 2 * L**2],
             [-12, -6 * s * L, 12, -6 * s * L],
             [6 * s * L, 2 * L**2, -6 * s * L, 4 * L**2]]
        )  # fmt: skip
    return _in_base_axes(k, span)


def bar_element(span, mass, gyration):
    """The textbook's consistent mass of a uniform bar (12 x 12), whose sections turn (Rayleigh)."""
    L, m = np.linalg.norm(span), np.zeros((12, 12))
    for p, weight in ((0, mass), (3, 2 * mass * gyration**2)):
        m[np.ix_([p, p + 6], [p, p + 6])] = weight / 6 * np.array([[2, 1], [1, 2]])
    for v, t, s in ((1, 5, 1), (2, 4, -1)):
        h = s * L
        m[np.ix_([v, t, v + 6, t + 6], [v, t, v + 6, t + 6])] = mass / 420 * np.array(
            [[156, 22 * h, 54, -13 * h],
             [22 * h, 4 * L**2, 13 * h, -3 * L**2],
             [54, 13 * h, 156, -22 * h],
             [-13 * h, -3 * L**2, -22 * h, 4 * L**2]]
        ) + mass * gyration**2 / (30 * L**2) * np.array(
            [[36, 3 * h, -36, 3 * h],
             [3 * h, 4 * L**2, -3 * h, -L**2],
             [-36, -3 * h, 36, -3 * h],
             [3 * h, -L**2, -3 * h, 4 * L**2]]
        )  # fmt: skip
    return _in_base_axes(m, span)


def _in_base_axes(matrix, span):
    R, _ = Rotation.align_vectors([span / np.linalg.norm(span)], [[1.0, 0.0, 0.0]])
    T = np.kron(np.eye(4), R.as_matrix().T)
    return T.T @ matrix @ T


class Frame:
    """Nodes, springs between them, and ties. A beam is so many elements in a row."""

    def __init__(self, machine, elements=1):
        self.machine, self.elements = machine, elements
        self.joints_of = {}
        for joint in machine.joints:
            for body in joint.between:
                self.joints_of.setdefault(body, []).append(joint)
        self.nodes, self.places = {}, []
        for body in machine.bodies:
            self._add_body(body.name, body.beam)
        self.platform = self._node(np.array(machine.platform.home.position))
        self.size = 6 * len(self.places)
        self.K, self.ties = np.zeros((self.size, self.size)), []
        for body in machine.bodies:
            if body.beam is not None:
                self._stiffen(body)
        for joint in machine.joints:
            self._join(joint)

    def compliance(self):
        """How a wrench on the platform displaces it."""
        A = np.array(self.ties).reshape(-1, self.size)
        scale = np.abs(np.diag(self.K)).max()
        system = np.block([[self.K / scale, A.T], [A, np.zeros((len(A), len(A)))]])
        loads = np.zeros((len(system), 6))
        mine = slice(6 * self.platform, 6 * self.platform + 6)
        loads[mine] = np.eye(6)
        return np.linalg.lstsq(system, loads, rcond=1e-14)[0][mine] / scale

    def frequencies(self, gyration=0.0):
        """Of all bodies [Hz], lowest first; what has no mass follows the rest, what spins is left.

        Beams are uniform bars, whose sections have a radius of gyration.
        """
        M = np.zeros_like(self.K)
        for body in self.machine.bodies:
            if body.beam is not None:
                for where, span in self._elements(body):
                    M[where, where.T] += bar_element(span, body.mass / self.elements, gyration)
                continue
            (node,) = set(self.nodes[body.name].values())
            self._weigh(M, node, body.mass, np.array(body.center_of_mass), np.array(body.inertia))
        platform, home = self.machine.platform, self.machine.platform.home
        R = Rotation.from_quat(np.roll(home.quaternion, -1)).as_matrix()
        center = np.array(home.position) + R @ platform.center_of_mass
        inertia = R @ np.array(platform.inertia) @ R.T
        self._weigh(M, self.platform, platform.mass, center, inertia)
        free = null_space(np.array(self.ties).reshape(-1, self.size))
        M, K, shift = free.T @ M @ free, free.T @ self.K @ free, 1e3
        slowness = eigh(M, K + shift * M, eigvals_only=True)
        squares = 1 / slowness[slowness > 1e-13 * slowness.max()] - shift
        return np.sqrt(np.sort(squares[squares > 1e-3 * shift])) / (2 * np.pi)

    def _weigh(self, M, node, mass, center, inertia):
        """A body's mass at its node."""
        to_center = np.eye(6)
        to_center[:3, 3:] = -skew(center - self.places[node])
        own = np.zeros((6, 6))
        own[:3, :3], own[3:, 3:] = mass * np.eye(3), inertia
        where = slice(6 * node, 6 * node + 6)
        M[where, where] += to_center.T @ own @ to_center

    def _node(self, at):
        self.places.append(at)
        return len(self.places) - 1

    def _add_body(self, name, beam):
        """One node, or of a beam some: from where it is held to the middle of its other joints."""
        joints = self.joints_of[name]
        near = min(joints, key=lambda j: self._steps_from_base(j, name))
        others = [j for j in joints if j is not near]
        first = second = self._node(np.array(near.at))
        if beam is not None:
            end = np.mean([j.at for j in others], axis=0)
            for share in np.linspace(0, 1, self.elements + 1)[1:]:
                second = self._node((1 - share) * np.array(near.at) + share * end)
        self.nodes[name] = {j.name: first if j is near else second for j in joints}

    def _steps_from_base(self, joint, body):
        """How many bodies are between a joint's other side and the base, not through this one."""
        seen, now = {body}, {other for other in joint.between if other != body}
        for steps in range(20):
            if "base" in now:
                return steps
            seen |= now
            now = {b for a in now if a != "platform" for j in self.joints_of[a] for b in j.between}
            now -= seen
        return 99

    def _stiffen(self, body):
        """A beam along its nodes."""
        for where, span in self._elements(body):
            self.K[where, where.T] += beam_element(span, body.beam)

    def _elements(self, body):
        """Where those of a beam are (12 x 1), and from where to where each goes."""
        first = min(self.nodes[body.name].values())
        for i in range(first, first + self.elements):
            where = np.arange(6 * i, 6 * i + 12)[:, None]
            yield where, self.places[i + 1] - self.places[i]

    def _side(self, body, joint):
        """Displacement at a joint's centre of one of its bodies (6 x all)."""
        D = np.zeros((6, self.size))
        if body != "base":
            node = self.platform if body == "platform" else self.nodes[body][joint.name]
            D[:, 6 * node : 6 * node + 6] = np.eye(6)
            D[:3, 6 * node + 3 : 6 * node + 6] = -skew(np.array(joint.at) - self.places[node])
        return D

    def _join(self, joint):
        first, second = (self._side(body, joint) for body in joint.between)
        x = np.array(joint.lines[0]) if joint.lines else np.array([1.0, 0.0, 0.0])
        x /= np.linalg.norm(x)
        R, _ = Rotation.align_vectors([x], [[1.0, 0.0, 0.0]])
        D = np.kron(np.eye(2), R.as_matrix().T) @ (second - first)
        bearing = getattr(joint, "bearing", None)
        given = {} if bearing is None else bearing.model_dump(exclude_none=True)
        springs = {c: given[key] for key in given for c in GIVES[key]}
        if joint.type in ("U", "S") and "radial" in given:
            springs |= {0: given["radial"]}
        if joint.type == "P" and "tilting" in given:
            springs |= {3: given["tilting"]}
        free = FREE[joint.type]
        for c in range(6):
            if c in free:
                if joint.type != "U" and getattr(joint, "stiffness", None) is not None:
                    self.K += joint.stiffness * np.outer(D[c], D[c])
            elif c in springs:
                self.K += springs[c] * np.outer(D[c], D[c])
            else:
                self.ties.append(D[c])
        if joint.type == "U":
            turning, axes = (second - first)[3:], np.array(joint.lines).T
            across = np.cross(*joint.lines)
            self.ties.append(across / np.linalg.norm(across) @ turning)
            if joint.stiffness is not None:
                rates = np.linalg.lstsq(axes, turning, rcond=None)[0]
                self.K += joint.stiffness * rates.T @ rates
