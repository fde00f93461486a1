"""Telescoping legs that bend: a hexapod's, an arm's, and one leg of finite elements."""

import numpy as np
from bending_arms import bar
from drawings import Joint, Mechanism, Platform, changed
from scipy.linalg import eigh

import gough
from gough.robot.elastic import Beam

MODULUS, DIAMETERS, MASSES = 2e11, (0.03, 0.02), (0.5, 0.3)
BENDING = [MODULUS * np.pi / 64 * d**4 for d in DIAMETERS]


def beam(part, length, **more):
    """The beam of a cylinder (0) or a piston (1), as a file has it."""
    return {"diameter": DIAMETERS[part], "modulus": MODULUS, "length": length, **more}


def bent_hexapod(lengths=(0.9, 0.8), legs=range(6), masses=MASSES, changes=(), **more):
    """Kalani's hexapod with uniform cylinders and pistons, of which those of some legs bend."""
    data = gough.load("kalani-2016").to_dict() | {"gravity": [0, 0, 0]}
    for k, leg in enumerate(data["legs"]):
        for part, key in enumerate(("cylinder", "piston")):
            m, L = masses[part], lengths[part]
            leg[key] = {"mass": m, "center_of_mass": L / 2, "inertia": [m * L**2 / 12] * 2 + [1e-7]}
            if k in legs:
                leg[key]["beam"] = beam(part, L, **more)
        leg |= dict(changes)
    return gough.Robot.from_dict(data)


def leg_length(robot, leg, pose=None):
    end = gough.poses.transform(robot.home if pose is None else pose, robot.legs[leg].platform)
    return float(np.linalg.norm(end - robot.legs[leg].base))


def telescope(length=1.2, lengths=(0.8, 0.7), modes=4, gravity=(0, 0, 0), tip=0.5):
    """An arm of a driven hinge and a piston along x, with a platform on a driven wrist."""
    ends = ((0, lengths[0]), (length - lengths[1], length))
    bodies = [
        changed(
            bar(name, MASSES[k], (ends[k][0], 0, 0), (ends[k][1], 0, 0), 0.004),
            beam=Beam(**beam(k, lengths[k], modes=modes)),
        )
        for k, name in enumerate(("cylinder", "piston"))
    ]
    joints = [
        Joint("hip", "R", ("base", "cylinder"), (0, 0, 0), ((0, 0, 1),), True),
        Joint("slide", "P", ("cylinder", "piston"), (0.3, 0, 0), ((1, 0, 0),), True, length),
        Joint("hand", "R", ("piston", "platform"), (length, 0, 0), ((0, 0, 1),), True),
    ]
    joints = tuple(changed(joint, stiffness=1e10) for joint in joints)
    inertia = (1e-3 * np.eye(3)).tolist()
    platform = Platform(tip, inertia, position=(length, 0, 0), moves=("x", "y", "rz"))
    return Mechanism("telescope", platform, tuple(bodies), joints, gravity)


def pinned_leg(length, lengths, masses=MASSES, bending=BENDING, n=16):
    """Frequencies [Hz] in a plane of a leg between two points: Euler, Bernoulli, Hermite.

    Two beams that share their displacement at the piston's inner and the cylinder's open end.
    """
    inner, outer = length - lengths[1], lengths[0]
    lines = [np.r_[np.linspace(a, b, n + 1)[:-1], np.linspace(b, c, n + 1)]
             for a, b, c in ((0, inner, outer), (inner, outer, length))]  # fmt: skip
    size = 2 * (2 * n + 1)
    K, M = np.zeros((2, 2 * size, 2 * size))
    for part, x in enumerate(lines):
        mu = masses[part] / lengths[part]
        for i, h in enumerate(np.diff(x)):
            own = slice(part * size + 2 * i, part * size + 2 * i + 4)
            K[own, own] += bending[part] / h**3 * np.array(
                [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
                 [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]])  # fmt: skip
            M[own, own] += mu * h / 420 * np.array(
                [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
                 [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]])  # fmt: skip
    T = np.eye(2 * size)
    T[:, 2 * n] += T[:, size]  # the piston's inner end is on the cylinder
    T[:, size + 2 * n] += T[:, size - 2]  # and the cylinder's open end on the piston
    T = np.delete(T, [0, size - 2, size, 2 * size - 2], axis=1)
    squares = eigh(T.T @ K @ T, T.T @ M @ T, eigvals_only=True)
    return np.sqrt(squares) / (2 * np.pi)
