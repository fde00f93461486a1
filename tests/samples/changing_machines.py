"""Linkages with one degree of freedom that come to change points, or whose legs need iteration."""

import numpy as np
from drawings import Mechanism
from drawn_machines import UP, Drawer

DOWN = (0.0, -9.81, 0.0)
LONG, ANGLE = 0.6, 1.0
"""Length of the rockers [m], and their angle at home [rad]."""
PLATFORMS = {"first": ("x",), "second": ("x",), "r0": ("rz",), "r1": ("rz",), "r2": ("rz",)}
"""Bodies of two parallelograms that may be the platform, and its moves then."""


def two_parallelograms(platform, motor="A0"):
    """Three rockers side by side and the couplers between them; one of the five is the platform."""
    d, along = Drawer(0), LONG * np.array([np.cos(ANGLE), np.sin(ANGLE), 0.0])
    feet = [np.array([float(k), 0.0, 0.0]) for k in range(3)]
    heads = [foot + along for foot in feet]
    ends = {f"r{k}": (feet[k], heads[k]) for k in range(3)}
    ends |= {"first": (heads[0], heads[1]), "second": (heads[1], heads[2])}
    for name, points in ends.items():
        if name != platform:
            d.body(name, *points)

    def hinge(name, first, second, at):
        bodies = tuple("platform" if body == platform else body for body in (first, second))
        d.joint(name, "R", bodies, at, UP, driven=name == motor)

    for k in range(3):
        hinge(f"A{k}", "base", f"r{k}", feet[k])
    hinge("B0", "r0", "first", heads[0])
    hinge("B1", "r1", "first", heads[1])
    hinge("C1", "r1", "second", heads[1])
    hinge("C2", "r2", "second", heads[2])
    middle = np.mean(ends[platform], axis=0)
    return downwards(d.machine("two parallelograms", PLATFORMS[platform], middle))


def bricard():
    """Bricard's loop of six hinges along the edges of a cube; the platform is the first rod."""
    d = Drawer(0)
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2
    at = [np.array(corner, float) for corner in corners]
    bodies = ["base", "platform", *(d.body(f"rod{k}", at[k], at[k + 1]) for k in range(1, 5))]
    for k, pair in enumerate(zip(bodies, [*bodies[1:], "base"], strict=True)):
        d.joint(f"J{k}", "R", pair, at[k], axes[k], driven=k == 0)
    return downwards(d.machine("Bricard", ("ry",), (at[0] + at[1]) / 2))


def downwards(machine):
    """Return the same machine whose weight points against y."""
    parts = machine.name, machine.platform, machine.bodies, machine.joints
    return Mechanism(*parts, DOWN)
