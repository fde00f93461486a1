"""Machines whose joints are coupled by gears, belts, differentials, racks: geometry at random."""

import numpy as np
from drawings import Body, Coupling, Joint, Mechanism, Platform

X, Y, Z = np.eye(3).tolist()


def weighed(name, rng, near):
    """A body whose mass and inertia are anywhere."""
    return Body(name, rng.uniform(0.3, 1.5), near + rng.uniform(-0.05, 0.05, 3), tensor(rng))


def tensor(rng):
    A = rng.uniform(-0.05, 0.05, (3, 3))
    J = A @ A.T + 0.01 * np.eye(3)
    return (np.trace(J) * np.eye(3) - J).tolist()


def platform(rng, position, moves):
    mass, center = rng.uniform(0.5, 2.0), rng.uniform(-0.05, 0.05, 3)
    return Platform(mass, tensor(rng), center, position, moves=moves)


def gravity(rng):
    return tuple(rng.uniform(-9.0, 9.0, 3))


def belt_scara(seed, ratio=None):
    """Both motors on the base: a belt drives the elbow, past the upper arm."""
    rng = np.random.default_rng(seed)
    elbow, tool = (
        rng.uniform((0.2, -0.1, 0), (0.4, 0.1, 0)),
        rng.uniform((0.3, 0.2, 0), (0.6, 0.5, 0)),
    )
    joints = (
        Joint("shoulder", "R", ("base", "upper"), (0, 0, 0), [Z], True, 0.2),
        Joint("motor", "R", ("pulley", "base"), (0, 0, 0.1), [Z], True, -0.7),
        Joint("elbow", "R", ("upper", "platform"), elbow, [Z]),
    )
    bodies = weighed("upper", rng, elbow / 2), weighed("pulley", rng, np.zeros(3))
    belt = Coupling("belt", ("motor", "elbow"), ratio or rng.uniform(-3, 3))
    parts = platform(rng, tool, ("x", "y")), bodies, joints
    return Mechanism("belt-scara", *parts, gravity(rng), (belt,))


def five_bar(seed):
    """A five-bar whose motors turn both cranks by gears, and a third body on its elbow."""
    rng = np.random.default_rng(seed)
    bodies, joints, gears = [], [], []
    for side, x in (("left", -0.2), ("right", 0.2)):
        at, knee = np.array([x, 0, 0]), rng.uniform((2 * x - 0.1, 0.2, 0), (2 * x + 0.1, 0.3, 0))
        names = ("crank", "rotor", "link")
        crank, rotor, link = (f"{side} {name}" for name in names)
        bodies += [weighed(crank, rng, (at + knee) / 2), weighed(rotor, rng, at)]
        joints += [
            Joint(f"{side} hip", "R", ("base", crank), at, [Z]),
            Joint(f"{side} motor", "R", ("base", rotor), at + rng.uniform(-0.1, 0.1, 3), [X], True),
        ]
        gears.append(Coupling(f"{side} gear", (f"{side} motor", f"{side} hip"), rng.uniform(2, 9)))
        if side == "left":
            bodies.append(weighed(link, rng, knee))
            joints.append(Joint(f"{side} knee", "R", (crank, link), knee, [Z]))
            joints.append(Joint("tool", "R", (link, "platform"), (0.0, 0.55, 0), [Z]))
        else:
            joints.append(Joint(f"{side} knee", "R", (crank, "platform"), knee, [Z]))
    parts = platform(rng, (0.05, 0.6, 0), ("x", "y")), tuple(bodies), tuple(joints)
    return Mechanism("geared-five-bar", *parts, gravity(rng), tuple(gears))


def geared_five_bar(seed):
    """A five-bar of one degree of freedom: its two cranks are geared to each other."""
    made = five_bar(seed)
    joints = [j for j in made.joints if j.name != "right motor"]
    bodies = [b for b in made.bodies if b.name != "right rotor"]
    pair = Coupling("pair", ("right hip", "left hip"), -1.3)
    moves = made.platform.model_copy(update={"moves": ("x",)})
    return Mechanism("pair", moves, tuple(bodies), tuple(joints), made.gravity,
                     (made.couplings[0], pair))  # fmt: skip


def differential(seed):
    """Two motors with bevel gears: their mean is the yoke's angle, their difference the tool's."""
    rng = np.random.default_rng(seed)
    tilt, roll = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
    joints = (
        Joint("left", "R", ("base", "left gear"), (0, 0.1, 0), [Y], True),
        Joint("right", "R", ("base", "right gear"), (0, -0.1, 0), [Y], True),
        Joint("yoke", "R", ("base", "yoke"), (0, 0, 0), [tilt]),
        Joint("tool", "R", ("yoke", "platform"), (0, 0, 0.1), [roll]),
    )
    bodies = tuple(weighed(name, rng, np.zeros(3)) for name in ("left gear", "right gear", "yoke"))
    couplings = (
        Coupling("mean", ("yoke", "left", "right"), 2.0, -1.0, -1.0),
        Coupling("difference", ("left", "right", "tool"), 1.0, -1.0, 2 * rng.uniform(0.5, 2)),
    )
    moves = tuple((0, 0, 0, *axis) for axis in (tilt, roll))
    parts = platform(rng, (0.1, 0.0, 0.3), moves), bodies, joints
    return Mechanism("differential", *parts, gravity(rng), couplings)


def rack(seed):
    """Two racks from one pinion carry a crossbar on slides and rods, with a screw beside it."""
    rng = np.random.default_rng(seed)
    joints = (
        Joint("pinion", "R", ("base", "pinion"), (0, 0, 0), [Z], True),
        Joint("rack", "P", ("base", "rack"), (0.1, 0.05, 0), [X]),
        Joint("pin", "R", ("rack", "rod"), (0.1, 0.05, 0), [Z]),
        Joint("end", "R", ("rod", "platform"), (0.3, 0.3, 0), [Z]),
        Joint("guide", "P", ("base", "platform"), (0.3, 0.3, 0), [Y]),
        Joint("screw", "H", ("base", "nut"), (0, 0, 0.2), [Z], pitch=0.02),
    )
    bodies = (
        *(weighed(name, rng, np.zeros(3)) for name in ("pinion", "rack", "nut")),
        weighed("rod", rng, np.array([0.2, 0.2, 0])),
    )
    couplings = (
        Coupling("teeth", ("rack", "pinion"), rng.uniform(0.01, 0.1)),
        Coupling("feed", ("screw", "rack"), rng.uniform(5, 10)),
    )
    parts = platform(rng, (0.3, 0.35, 0), ("y",)), bodies, joints
    return Mechanism("rack", *parts, gravity(rng), couplings)


def closing(seed):
    """A four-bar whose joint between coupler and base is geared to the motor's: it is kept."""
    rng = np.random.default_rng(seed)
    joints = (
        Joint("left", "R", ("base", "crank"), (-0.2, 0, 0), [Z]),
        Joint("top left", "R", ("crank", "platform"), (-0.25, 0.3, 0), [Z]),
        Joint("top right", "R", ("platform", "rocker"), (0.3, 0.35, 0), [Z]),
        Joint("right", "R", ("rocker", "base"), (0.2, 0, 0), [Z]),
        Joint("motor", "R", ("crank", "rotor"), (-0.1, 0.1, 0), [X], True),
        Joint("idler", "R", ("rotor", "weight"), (-0.1, 0.1, 0.1), [Y]),
    )
    bodies = tuple(
        weighed(name, rng, np.zeros(3)) for name in ("crank", "rocker", "rotor", "weight")
    )
    couplings = (
        Coupling("sum", ("motor", "right", "top right"), 1.0, *rng.uniform(1, 3, 2)),
        Coupling("chain", ("idler", "motor"), rng.uniform(-2, -1)),
    )
    parts = platform(rng, (0.0, 0.4, 0), ("rz",)), bodies, joints
    return Mechanism("closing", *parts, gravity(rng), couplings)


COUPLED = {
    "SCARA with a belt": belt_scara,
    "five-bar with gears": five_bar,
    "five-bar of geared cranks": geared_five_bar,
    "differential": differential,
    "rack and screw": rack,
    "four-bar with a chain": closing,
}
