"""A planar machine of hinges, each body with x, y and angle of its own, and all hinges as rows.

Knows nothing of legs, trees or plans: what the machine can do is the null space of all rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Motion(NamedTuple):
    """A closed state: places (bodies, 3) as displacements from home, rates and second rates."""

    places: np.ndarray
    rates: np.ndarray
    seconds: np.ndarray


class PlanarBodies:
    """Bodies in the plane x, y, the platform first; its moves are x."""

    def __init__(self, mechanism):
        platform, bodies = mechanism.platform, mechanism.bodies
        self.origin = np.array(platform.home.position)[:2]
        names = ["platform", *(body.name for body in bodies)]
        centers = [
            self.origin + platform.center_of_mass[:2],
            *(b.center_of_mass[:2] for b in bodies),
        ]
        self.centers = np.array(centers)
        self.masses = np.array(
            [[b.mass, b.mass, b.inertia[2][2]] for b in (platform, *bodies)]
        ).ravel()
        self.weights = self.masses * np.tile([*mechanism.gravity[:2], 0.0], len(names))
        self.hinges = [
            (np.array(j.at)[:2], *(names.index(b) if b != "base" else None for b in j.between))
            for j in mechanism.joints
        ]
        self.names = [joint.name for joint in mechanism.joints]
        (self.motor,) = (k for k, joint in enumerate(mechanism.joints) if joint.is_driven)

    def rows(self, places, rates):
        """Jacobian of all hinges, gaps, and accelerations of the gaps at no second rates."""
        J, gaps, drifts = np.zeros((len(self.hinges), 2, places.size)), [], []
        for k, (at, *sides) in enumerate(self.hinges):
            gap, drift = np.zeros(2), np.zeros(2)
            for side, sign in zip(sides, (-1, 1), strict=True):
                point, lever = self.point(places, side, at)
                gap += sign * point
                if side is not None:
                    J[k, :, 3 * side : 3 * side + 3] += sign * np.column_stack(
                        [np.eye(2), turned(lever)]
                    )
                    drift -= sign * lever * rates[side, 2] ** 2
            gaps.append(gap)
            drifts.append(drift)
        return J.reshape(-1, places.size), np.concatenate(gaps), np.concatenate(drifts)

    def point(self, places, body, at):
        """Where a point of a body is, and its lever from the body's mass centre."""
        if body is None:
            return at, np.zeros(2)
        x, y, angle = places[body]
        c, s = np.cos(angle), np.sin(angle)
        lever = np.array([[c, -s], [s, c]]) @ (at - self.centers[body])
        return self.centers[body] + [x, y] + lever, lever

    def closed(self, far):
        """Places on the way that the machine has from home; the farthest coordinate is so far."""
        places = np.zeros((len(self.centers), 3))
        way = self.twists(places)
        places = places + (far * way / np.abs(way).max()).reshape(-1, 3)
        for _ in range(8):
            J, gaps, _ = self.rows(places, places)
            places = places - (np.linalg.pinv(J, 1e-10) @ gaps).reshape(-1, 3)
        assert np.abs(gaps).max() < 1e-12
        return places

    def twists(self, places):
        """Rates of all bodies for a platform's velocity of one along x at its origin."""
        J = self.rows(places, np.zeros_like(places))[0]
        _, sigma, Vt = np.linalg.svd(J)
        assert (sigma > 1e-9 * sigma[0]).sum() == places.size - 1
        return Vt[-1] / (self.seen(places) @ Vt[-1])[0]

    def seen(self, places):
        """The platform's velocity x, y at its origin and its rate, by all rates."""
        _, lever = self.point(places, 0, self.origin)
        seen = np.zeros((3, places.size))
        seen[:, :3] = np.eye(3)
        seen[:2, 2] = turned(lever)
        return seen

    def moving(self, places, speed, acceleration):
        """A motion with these of the platform along x."""
        T = self.twists(places)
        rates = (speed * T).reshape(-1, 3)
        J, _, drift = self.rows(places, rates)
        seconds = -np.linalg.pinv(J, 1e-10) @ drift
        missing = acceleration - self.platform_acceleration(places, rates, seconds)[0]
        return Motion(places, rates, (seconds + missing * T).reshape(-1, 3))

    def pose(self, places):
        """The platform's."""
        (x, y), angle = self.point(places, 0, self.origin)[0], places[0, 2]
        return np.array([x, y, 0.0, np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])

    def platform_acceleration(self, places, rates, seconds):
        """Of its origin, and its second rate."""
        _, lever = self.point(places, 0, self.origin)
        return self.seen(places) @ seconds.ravel() - [*(lever * rates[0, 2] ** 2), 0.0]

    def needed(self, motion, wrench):
        """The force along the platform's x that a motion takes, without the motor."""
        T = self.twists(motion.places)
        given = self.seen(motion.places).T @ wrench + self.weights
        return T @ (self.masses * motion.seconds.ravel() - given)

    def inertia(self, places):
        """Mass along the platform's x."""
        T = self.twists(places)
        return T @ (self.masses * T)

    def angles(self, places):
        """By hinge, how far its second body has turned from its first, since home."""
        turned_by = np.append(places[:, 2], 0.0)
        base = len(places)
        return {
            name: turned_by[base if second is None else second]
            - turned_by[base if first is None else first]
            for name, (_, first, second) in zip(self.names, self.hinges, strict=True)
        }

    def motor_rate(self, places):
        """Rate of the driven hinge by the platform's velocity along x."""
        T = self.twists(places).reshape(-1, 3)
        _, first, second = self.hinges[self.motor]
        first, second = (0.0 if side is None else T[side, 2] for side in (first, second))
        return second - first


def turned(lever):
    """A lever turned by a right angle: the velocity of its end at a rate of one."""
    return np.array([-lever[1], lever[0]])
