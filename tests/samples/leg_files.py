"""Machines as files of version 2 say them: in short, with legs, and in full."""

import numpy as np
from robot_samples import edited

UP = np.array([0.0, 0.0, 1.0])
NO_TURN = (1.0, 0.0, 0.0, 0.0)


def a_delta():
    """Return the Delta of the page on robot files, as plain data."""
    return {
        "schema": "gough/2",
        "name": "my-delta",
        "platform": {
            "mass": 0.8,
            "inertia": [2e-3, 2e-3, 4e-3],
            "home": {"position": [0, 0, -0.62]},
            "moves": ["x", "y", "z"],
        },
        "leg": {
            "joints": ["R*", "S", "S"],
            "base": [0.20, 0, 0],
            "platform": [0.07, 0, 0],
            "axis": [0, 1, 0],
            "elbow": [0.48, 0, -0.10],
            "links": [
                {
                    "name": "arm",
                    "length": 0.30,
                    "mass": 0.5,
                    "center_of_mass": 0.14,
                    "inertia": [4e-3, 4.2e-3, 4e-4],
                },
                {
                    "name": "rod",
                    "length": 0.70,
                    "mass": 0.12,
                    "center_of_mass": 0.35,
                    "inertia": [5e-3, 5e-3, 1e-5],
                    "parallelogram": 0.12,
                },
            ],
        },
        "pattern": {"copies": 3},
    }


def delta_at(angle):
    """Return that Delta with arms at an angle below the level, and the same in full."""
    elbow = np.array([0.2 + 0.3 * np.cos(angle), 0, -0.3 * np.sin(angle)])
    height = elbow[2] - np.sqrt(0.7**2 - (elbow[0] - 0.07) ** 2)
    short = edited("platform.home.position", [0, 0, height], a_delta())
    bodies, joints = [], []
    for i in range(3):
        R = around(UP, 2 * np.pi * i / 3)
        hip, knee, wrist = R @ [0.2, 0, 0], R @ elbow, R @ [0.07, 0, 0] + [0, 0, height]
        axis, arm = R @ [0, 1, 0], f"a{i}"
        bodies.append(_body(arm, 0.5, hip, knee, 0.14, axis, [4e-3, 4.2e-3, 4e-4]))
        joints.append(_joint(f"h{i}", "R", ("base", arm), hip, axis=axis, driven=True))
        for side in (-0.06, 0.06):
            start, end, rod = knee + side * axis, wrist + side * axis, f"r{i}{side}"
            bodies.append(_body(rod, 0.12, start, end, 0.35, axis, [5e-3, 5e-3, 1e-5]))
            joints.append(_joint(f"e{i}{side}", "S", (arm, rod), start))
            joints.append(_joint(f"w{i}{side}", "S", (rod, "platform"), end))
    return short, _in_full(short, bodies, joints)


def orthoglide(position=(0.02, -0.03, 0.01)):
    """Return an Orthoglide in short."""
    hinge = {"type": "R", "axis": [0, 1, 0]}
    data = a_delta()
    data["platform"]["home"] = {"position": position}
    data["leg"] = {
        "joints": ["P*", hinge, "Pa", hinge],
        "base": [-0.6, 0, 0],
        "platform": [-0.04, 0, 0],
        "axis": [1, 0, 0],
        "elbow": [-0.35, 0, 0],
        "links": [
            {"name": "car", "mass": 2.5, "center_of_mass": 0.02, "inertia": [4e-3, 4e-3, 3e-3]},
            {"name": "near", "mass": 0.2, "center_of_mass": 0.02, "inertia": [2e-4, 2e-4, 1e-4]},
            {
                "name": "bar",
                "length": 0.31,
                "mass": 0.18,
                "center_of_mass": 0.15,
                "inertia": [1.45e-3, 1.5e-3, 2e-4],
                "parallelogram": 0.08,
            },
            {"name": "far", "mass": 0.1, "center_of_mass": 0, "inertia": [1e-4, 1e-4, 1e-4]},
        ],
    }
    data["pattern"] = {"copies": 3, "about": [1, 1, 1]}
    return data


def orthoglide_in_full(position=(0.02, -0.03, 0.01)):
    """Return that Orthoglide with its parallelograms drawn as loops of hinges."""
    bodies, joints = [], []
    for i in range(3):
        along, a, _ = np.roll(np.eye(3), i, axis=1)
        wrist = np.array(position) - 0.04 * along
        aside = wrist - (wrist @ along) * along
        elbow = wrist - aside - np.sqrt(0.31**2 - aside @ aside) * along
        b = np.cross(a, wrist - elbow)
        b /= np.linalg.norm(b)
        start, slid = -0.6 * along, elbow @ along + 0.6
        car, near, far = f"car{i}", f"near{i}", f"far{i}"
        bodies.append(_body(car, 2.5, start, elbow, slid - 0.02, a, [4e-3, 4e-3, 3e-3]))
        bodies.append(_body(near, 0.2, elbow, elbow + b, 0.02, a, [2e-4, 2e-4, 1e-4]))
        bodies.append(_body(far, 0.1, wrist, wrist + a, 0.0, b, [1e-4, 1e-4, 1e-4]))
        slide = {"axis": along, "driven": True, "position_at_home": slid}
        joints.append(_joint(f"slide{i}", "P", ("base", car), start, **slide))
        joints.append(_joint(f"elbow{i}", "R", (car, near), elbow, axis=a))
        for side in (-0.04, 0.04):
            e, w, bar = elbow + side * a, wrist + side * a, f"bar{i}{side}"
            bodies.append(_body(bar, 0.18, e, w, 0.15, b, [1.45e-3, 1.5e-3, 2e-4]))
            joints.append(_joint(f"near-{bar}", "R", (near, bar), e, axis=b))
            joints.append(_joint(f"far-{bar}", "R", (bar, far), w, axis=b))
        joints.append(_joint(f"wrist{i}", "R", (far, "platform"), wrist, axis=a))
    return _in_full(orthoglide(position), bodies, joints)


def hexapod(robot):
    """Return a hexapod with UPS legs as a file of version 2."""
    return {
        "schema": "gough/2",
        "name": robot.name,
        "gravity": robot.gravity,
        "platform": robot.platform.model_dump(),
        "leg": {"joints": ["U", "P*", "S"]},
        "legs": [
            {
                "base": leg.base,
                "platform": leg.platform,
                "axis": leg.first_axis,
                "links": [
                    {"name": "cylinder", **leg.cylinder.model_dump()},
                    {"name": "piston", **leg.piston.model_dump()},
                ],
            }
            for leg in robot.legs
        ],
    }


def around(axis, angle):
    """Return the rotation about an axis through the origin."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def _in_full(short, bodies, joints):
    full = {key: value for key, value in short.items() if key not in ("leg", "pattern")}
    return full | {"bodies": bodies, "joints": joints}


def _body(name, mass, start, end, center, axis, moments):
    z = (end - start) / np.linalg.norm(end - start)
    x = np.cross(axis, z)
    x /= np.linalg.norm(x)
    axes = np.column_stack([x, np.cross(z, x), z])
    inertia = axes @ np.diag(moments) @ axes.T
    return {
        "name": name,
        "mass": mass,
        "center_of_mass": (start + center * z).tolist(),
        "inertia": ((inertia + inertia.T) / 2).tolist(),
    }


def _joint(name, kind, between, at, **more):
    facts = {"name": name, "type": kind, "between": between, "at": at.tolist()}
    return facts | {k: v.tolist() if hasattr(v, "tolist") else v for k, v in more.items()}
