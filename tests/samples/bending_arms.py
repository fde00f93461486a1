"""Serial arms of uniform links that bend, and the same of many rigid segments on springs."""

import numpy as np
import pinocchio as pin
from drawings import Body, Joint, Mechanism, Platform

LENGTHS, MASSES, BENDING = (0.8, 0.6), (1.3, 0.7), (200.0, 90.0)


def bar(name, mass, start, end, radius=0.0):
    """A uniform bar with a radius of gyration of its sections."""
    line = np.subtract(end, start)
    x = line / np.linalg.norm(line)
    across = np.eye(3) - np.outer(x, x)
    own = np.outer(x, x) * 2 * radius**2 + across * (line @ line / 12 + radius**2)
    return Body(name, mass, tuple(np.add(start, end) / 2), tuple(map(tuple, mass * own)))


def arm(
    lengths=LENGTHS,
    masses=MASSES,
    *,
    types="RR",
    axes=((0, 0, 1), (0, 0, 1)),
    tip=0.0,
    radius=0.0,
    gravity=(0, 0, 0),
    moves=("x", "y"),
):
    """Links in a row along x, all driven; the platform, a point mass, is fixed to the last."""
    ends = np.cumsum([0.0, *lengths])
    names = [f"link-{k + 1}" for k in range(len(lengths))]
    bodies = [
        bar(name, m, (a, 0, 0), (b, 0, 0), radius)
        for name, m, a, b in zip(names, masses, ends, ends[1:], strict=False)
    ]
    joints = [
        Joint(f"joint-{k + 1}", types[k], (before, name), (ends[k], 0, 0), (axes[k],), True)
        for k, (before, name) in enumerate(zip(["base", *names], names, strict=False))
    ]
    joints.append(Joint("hand", "fixed", (names[-1], "platform"), (ends[-1], 0, 0)))
    platform = Platform(tip, np.zeros((3, 3)).tolist(), position=(ends[-1], 0, 0), moves=moves)
    return Mechanism("arm", platform, tuple(bodies), tuple(joints), gravity)


class Segments:
    """An arm in the plane: each link so many rigid segments, with hinges and springs between them.

    Halves of segments are at both ends of a link, so that its springs are where they belong.
    """

    def __init__(
        self, segments, lengths=LENGTHS, masses=MASSES, bending=BENDING, gravity=(0, 0, 0)
    ):
        self.model, springs = pin.Model(), []
        self.model.gravity = pin.Motion(np.r_[gravity, 0, 0, 0].astype(float))
        joint, reach = 0, 0.0
        for L, m, EI in zip(lengths, masses, bending, strict=True):
            h = L / segments
            for k, size in enumerate([h / 2, *[h] * (segments - 1), h / 2]):
                place = pin.SE3(np.eye(3), np.array([reach, 0.0, 0.0]))
                joint = self.model.addJoint(joint, pin.JointModelRZ(), place, f"{joint}")
                own, center = m * size / L, np.array([size / 2, 0.0, 0.0])
                body = pin.Inertia(own, center, np.diag([0.0, 1.0, 1.0]) * own * size**2 / 12)
                self.model.appendBodyToJoint(joint, body, pin.SE3.Identity())
                reach = size
                springs.append(EI / h if k else 0.0)
        self.reach, self.last = reach, joint
        self.springs = np.array(springs)
        self.motors = np.flatnonzero(self.springs == 0)
        self.data = self.model.createData()

    def frequencies(self, q, locked=True):
        """Natural frequencies [Hz] with motors at q, nothing bent."""
        from scipy.linalg import eigh

        x = np.zeros(self.model.nv)
        x[self.motors] = q
        M = pin.crba(self.model, self.data, x)
        M = np.triu(M) + np.triu(M, 1).T
        free = np.flatnonzero(self.springs) if locked else np.arange(len(x))
        squares = eigh(
            np.diag(self.springs)[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True
        )
        return np.sqrt(np.abs(squares)) / (2 * np.pi)

    def acceleration(self, x, rate, efforts):
        """Of all hinges."""
        force = -self.springs * x
        force[self.motors] += efforts
        return pin.aba(self.model, self.data, x, rate, force)

    def tip(self, x):
        """Where the last end is [m]."""
        pin.forwardKinematics(self.model, self.data, x)
        return self.data.oMi[self.last].act(np.array([self.reach, 0.0, 0.0]))
