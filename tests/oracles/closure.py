"""Positions of motors along paths of poses from home, by Newton on the places of all bodies.

Knows nothing of legs, tips or closed forms: every body has a place of its own, every joint says
what two bodies share, and paths are followed from pose to pose from where the machine is drawn.
Where a step does not contract, a path is not followed. Many paths go at once, one a row.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial.transform import Rotation

CLOSED = 1e-11
RANK = 1e-9
LONGEST = 0.3


class Closure:
    """The closure equations of a machine whose platform is held at poses."""

    def __init__(self, mechanism):
        home = mechanism.platform.home
        self.position = np.array(home.position)
        self.rotation = Rotation.from_quat(home.quaternion, scalar_first=True)
        self.driven = mechanism.driven
        bodies = [body.name for body in mechanism.bodies]
        graph = np.zeros((len(bodies), len(bodies)))
        for joint in mechanism.joints:
            at = [bodies.index(name) for name in joint.between if name in bodies]
            graph[np.ix_(at, at)] = 1
        count, owner = connected_components(graph, directed=False)
        names = [[n for n, k in zip(bodies, owner, strict=True) if k == i] for i in range(count)]
        self.parts = [
            _Part(some, [j for j in mechanism.joints if set(j.between) & {*some}]) for some in names
        ]

    def follow(self, paths):
        """Positions of the motors at the ends of paths (n, samples, 7), and how regular they are.

        NaN where a path cannot be followed. Regular is the smallest singular value that is not
        zero at home, along the path, over what it is at home.
        """
        found = np.full((len(paths), len(self.driven)), np.nan)
        regular, places = np.ones(len(paths)), self._platforms(paths)
        for part in self.parts:
            motors = [k for k, joint in enumerate(self.driven) if joint in part.joints]
            found[:, motors], own = part.follow(places, [self.driven[k] for k in motors])
            regular = np.minimum(regular, own)
        return np.where(regular[:, None] > 0, found, np.nan), regular

    def _platforms(self, paths):
        """Where the platform takes points of the machine at home, sample by sample."""
        count, samples, _ = paths.shape
        turns = Rotation.from_quat(paths[..., 3:].reshape(-1, 4), scalar_first=True)
        R = (turns * self.rotation.inv()).as_matrix().reshape(count, samples, 3, 3)
        p = paths[..., :3] - R @ self.position
        return [(R[:, k], p[:, k]) for k in range(samples)]


class _Part:
    """Bodies that are tied to each other, but to others only by base and platform."""

    def __init__(self, names, joints):
        self.names, self.joints = names, joints

    def follow(self, path, motors):
        n = len(path[0][0])
        still = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
        places = dict.fromkeys(["base", "platform", *self.names], still)
        sigma = np.linalg.svd(self._rows(places)[0], compute_uv=False)
        rank = int((sigma[0] > RANK * sigma[0, 0]).sum()) - 1
        first, least, good = sigma[:, rank], sigma[:, rank], np.ones(n, bool)
        angles = np.array([np.full(n, joint.position_at_home) for joint in motors])
        for platform in path:
            places, sigma, closed = self._closed(places | {"platform": platform})
            good &= closed
            least = np.minimum(least, sigma[:, rank])
            pairs = zip(motors, angles, strict=True)
            angles = np.array([_position(joint, places, last) for joint, last in pairs])
        return angles.T.reshape(n, len(motors)), np.where(good, least / first, 0.0)

    def _closed(self, places):
        last = np.full(len(places["base"][0]), 2 * LONGEST)
        good = last > 0
        for _ in range(12):
            rows, gaps = self._rows(places)
            U, sigma, Vt = np.linalg.svd(rows, full_matrices=False)
            by = np.where(sigma > RANK * sigma[:, :1], 1 / np.maximum(sigma, 1e-300), 0.0)
            step = -np.einsum("nki,nk,njk,nj->ni", Vt, by, U, gaps, optimize=True)
            size = np.abs(step).max(-1)
            good &= size <= np.maximum(0.5 * last, CLOSED)
            places, last = self._moved(places, np.where(good[:, None], step, 0.0)), size
            if (size[good] < CLOSED).all():
                break
        return places, sigma, good & (size < CLOSED) & (np.abs(gaps).max(-1) < 1e-9)

    def _moved(self, places, step):
        moved = dict(places)
        for k, name in enumerate(self.names):
            R, p = places[name]
            turn = Rotation.from_rotvec(step[:, 6 * k + 3 : 6 * k + 6]).as_matrix()
            moved[name] = turn @ R, p + step[:, 6 * k : 6 * k + 3]
        return moved

    def _rows(self, places):
        """Derivatives of all gaps by places and small turns of the bodies, and the gaps."""
        lines, gaps = [], []
        for joint in self.joints:
            held, other = (places[body] for body in joint.between)
            for gap, first, second in _rows_of(joint, *held, *other):
                line = np.zeros((*gap.shape, 6 * len(self.names)))
                for body, part in zip(joint.between, (first, second), strict=True):
                    if body in self.names:
                        k = self.names.index(body)
                        line[:, :, 6 * k : 6 * k + 6] += part
                lines.append(line)
                gaps.append(gap)
        return np.concatenate(lines, 1), np.concatenate(gaps, 1)


def _position(joint, places, last):
    (Ra, pa), (Rb, pb) = (places[body] for body in joint.between)
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    if joint.type == "P":
        way = pb + Rb @ joint.at - pa - Ra @ joint.at
        return joint.position_at_home + np.einsum("ni,ni->n", Ra @ axis, way)
    turned = Rotation.from_matrix(np.swapaxes(Ra, 1, 2) @ Rb).as_rotvec() @ axis
    turned += joint.position_at_home
    return turned + 2 * np.pi * np.round((last - turned) / (2 * np.pi))


def _rows_of(joint, Ra, pa, Rb, pb):
    """What a joint closes: gaps, and their derivatives by (p, turn) of either body."""
    one, none = np.broadcast_to(np.eye(3), Ra.shape), np.zeros(Ra.shape)
    ra, rb = Ra @ joint.at, Rb @ joint.at
    d = pb + rb - pa - ra
    d_a, d_b = _beside(-one, _hat(ra)), _beside(one, -_hat(rb))
    lines = [np.array(a) / np.linalg.norm(a) for a in joint.lines]
    if joint.type in ("S", "R", "U", "fixed"):
        yield d, d_a, d_b
    if joint.type in "PC":
        z = Ra @ lines[0]
        yield np.cross(z, d), _hat(z) @ d_a + _beside(none, _hat(d) @ _hat(z)), _hat(z) @ d_b
    if joint.type in "RC":
        a, b = Ra @ lines[0], Rb @ lines[0]
        by_a, by_b = _beside(none, _hat(b) @ _hat(a)), _beside(none, -_hat(a) @ _hat(b))
        yield np.cross(a, b), by_a, by_b
    if joint.type == "U":
        a, b = Ra @ lines[0], Rb @ lines[1]
        gap = np.einsum("ni,ni->n", a, b) - lines[0] @ lines[1]
        n = _beside(0 * a[:, None], np.cross(a, b)[:, None])
        yield gap[:, None], n, -n
    if joint.type in ("P", "fixed"):
        E = Rb @ np.swapaxes(Ra, 1, 2)
        gap = np.stack([E[:, 2, 1] - E[:, 1, 2], E[:, 0, 2] - E[:, 2, 0], E[:, 1, 0] - E[:, 0, 1]])
        M = (np.trace(E, axis1=1, axis2=2)[:, None, None] * one - E) / 2
        yield gap.T / 2, _beside(none, -np.swapaxes(M, 1, 2)), _beside(none, M)


def _beside(A, B):
    return np.concatenate([A, B], -1)


def _hat(a):
    x, y, z = a.T
    o = 0 * x
    return np.array([[o, -z, y], [z, o, -x], [-y, x, o]]).transpose(2, 0, 1)
