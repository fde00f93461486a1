"""Machines whose legs have no closed form, drawn at home."""

import numpy as np
from drawn_machines import (
    UP,
    Drawer,
    around,
    cylindrical,
    hexapod_joints,
    spherical,
    two_motors_a_leg,
)

SPATIAL = ("x", "y", "z", "rx", "ry", "rz")
SCARA = ("x", "y", "z", "rz")


def offset_rus(seed):
    """A 6-RUS machine whose universal joints have axes that do not meet."""
    d = Drawer(seed)
    for i, (hip, wrist) in enumerate(zip(*hexapod_joints(seed), strict=True)):
        axis = np.cross(UP, hip)
        axis /= np.linalg.norm(axis)
        elbow = hip + 0.18 * np.cross(axis, UP)
        across = np.cross(axis, wrist - elbow)
        across /= np.linalg.norm(across)
        second = elbow + 0.03 * np.cross(across, axis) + 0.02 * axis
        arm, cross, rod = (
            d.body(f"arm{i}", hip, elbow),
            d.body(f"cross{i}", elbow, second),
            d.body(f"rod{i}", second, wrist),
        )
        d.joint(f"hip{i}", "R", ("base", arm), hip, axis, driven=True)
        d.joint(f"first{i}", "R", (arm, cross), elbow, axis)
        d.joint(f"second{i}", "R", (cross, rod), second, across)
        d.joint(f"wrist{i}", "S", (rod, "platform"), wrist)
    return d.machine("offset-rus", SPATIAL, [0.02, 0.01, 0.7])


def hinged_delta(seed, legs=4):
    """A Delta of parallelograms of hinges, its rods' ends displaced along their axes."""
    d = Drawer(seed)
    points = d.near([0.2, 0, 0], [0.45, 0, -0.17], [0.07, 0, -0.62], along=(1, 0, 1))
    for i in range(legs):
        R = around(2 * np.pi * i / legs)
        hip, elbow, wrist, axis = (R @ p for p in (*points, [0, 1, 0]))
        normal = np.cross(axis, wrist - elbow)
        shift = 0.02 * normal / np.linalg.norm(normal) if seed else 0 * normal
        arm, near = d.body(f"arm{i}", hip, elbow), d.body(f"near{i}", elbow, elbow + 0.02)
        far = d.body(f"far{i}", wrist, wrist + 0.02)
        d.joint(f"hip{i}", "R", ("base", arm), hip, axis, driven=True)
        d.joint(f"elbow{i}", "R", (arm, near), elbow, axis)
        for side in (-1, 1):
            e, c = elbow + 0.06 * side * axis + shift, wrist + 0.06 * side * axis + shift
            rod = d.body(f"rod{i}{side}", e, c, mass=0.3)
            d.joint(f"rod{i}{side}-near", "R", (near, rod), e, normal)
            d.joint(f"rod{i}{side}-far", "R", (rod, far), c, normal)
        d.joint(f"wrist{i}", "R", (far, "platform"), wrist, axis)
    return d.machine("hinged-delta", ("x", "y", "z"), [0, 0, -0.62], 0.1)


def scara(seed):
    """Three planar arms that end in cylindrical joints, and a column that lifts an arm."""
    d = Drawer(seed)
    for i in range(3):
        R = around(2 * np.pi * i / 3)
        hip, elbow, wrist = (
            R @ p for p in d.near([0.6, 0.05, 0], [0.45, 0.32, 0], [0.15, 0, 0.02])
        )
        first, second = d.body(f"crank{i}", hip, elbow), d.body(f"link{i}", elbow, wrist)
        d.joint(f"hip{i}", "R", ("base", first), hip, UP, driven=True)
        d.joint(f"elbow{i}", "R", (first, second), elbow, UP)
        d.joint(f"wrist{i}", "C", (second, "platform"), wrist, UP)
    foot, knee, hand = d.near([-0.5, -0.4, 0.3], [-0.4, 0.05, 0.3], [0.02, 0.03, 0.3])
    car, upper, fore = d.body("car", foot, foot + 0.1), d.body("upper", foot, knee), "fore"
    d.body(fore, knee, hand)
    d.joint("column", "P", ("base", car), foot, UP, driven=True, home=0.2)
    d.joint("shoulder", "R", (car, upper), foot, UP)
    d.joint("knee", "R", (upper, fore), knee, UP)
    d.joint("hand", "R", (fore, "platform"), hand, UP)
    return d.machine("scara", SCARA, [0.01, 0.02, 0.02])


def sliding_planar(seed):
    """A planar 3-PRR machine: it has a closed form."""
    d = Drawer(seed)
    for i in range(3):
        R = around(2 * np.pi * i / 3)
        foot, wrist = (R @ p for p in d.near([0.6, 0.05, 0], [0.15, 0, 0.02]))
        car, rod = d.body(f"car{i}", foot, foot + 0.1), d.body(f"rod{i}", foot, wrist)
        d.joint(f"slide{i}", "P", ("base", car), foot, R @ [1, 0.3, 0], driven=True, home=0.2)
        d.joint(f"ankle{i}", "R", (car, rod), foot, UP)
        d.joint(f"wrist{i}", "R", (rod, "platform"), wrist, UP)
    return d.machine("sliding-planar", ("x", "y", "rz"), [0.01, 0.02, 0.02])


def spherical_five_bar(seed):
    """Five hinges that meet in one point; the platform is one of the bars."""
    d = Drawer(seed)
    axes = [[1, 0, 0.1], [0.6, 0.5, 0.6], [0.1, 0.1, 1], [0.5, -0.5, 0.6], [0.3, -1, 0.1]]
    a, b, c, e, f = (p / np.linalg.norm(p) for p in d.near(*axes))
    left, right = d.body("left", 0.3 * a, 0.3 * b), d.body("right", 0.3 * f, 0.3 * e)
    link = d.body("link", 0.2 * e, 0.2 * c)
    d.joint("motor-left", "R", ("base", left), 0.3 * a, a, driven=True)
    d.joint("motor-right", "R", ("base", right), 0.3 * f, f, driven=True)
    d.joint("elbow-left", "R", (left, "platform"), 0.25 * b, b)
    d.joint("elbow-right", "R", (right, link), 0.25 * e, e)
    d.joint("tip", "R", (link, "platform"), 0.2 * c, c)
    return d.machine("spherical-five-bar", ("rx", "ry"), [0, 0, 0])


def cylindrical_wrists(seed):
    """Six servo arms with rods that end in cylindrical joints."""
    d = Drawer(seed)
    for i, (hip, wrist) in enumerate(zip(*hexapod_joints(seed), strict=True)):
        axis = np.cross(UP, hip) + 0.2 * d.rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        out = np.cross(axis, UP)
        elbow = hip + 0.18 * out / np.linalg.norm(out)
        arm, rod = d.body(f"arm{i}", hip, elbow), d.body(f"rod{i}", elbow, wrist)
        d.joint(f"hip{i}", "R", ("base", arm), hip, axis, driven=True)
        d.joint(f"elbow{i}", "S", (arm, rod), elbow)
        along = np.cross(axis, wrist - elbow) + 0.2 * d.rng.standard_normal(3)
        d.joint(f"wrist{i}", "C", (rod, "platform"), wrist, along)
    return d.machine("cylindrical-wrists", SPATIAL, [0.02, 0.01, 0.7])


ITERATED = {
    "6-RUS with offsets": offset_rus,
    "agile eye": spherical,
    "four-legged delta": hinged_delta,
    "parallel scara": scara,
    "spherical five-bar": spherical_five_bar,
    "cylindrical wrists": cylindrical_wrists,
    "3-RRRS": two_motors_a_leg,
    "6-RCS": cylindrical,
}
