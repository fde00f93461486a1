"""A cubic hexapod: a cube on its corner, six of its edges the legs, frames at its centre."""

import numpy as np

import gough

LOW = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
"""The corners next to the lowest one, which carry the base joints."""
HIGH = [(1, 1, 0), (0, 1, 1), (1, 0, 1)]


def cubic(edge=0.2, offset=0.0, legs=None, **leg):
    """The robot, weightless, its platform frame an offset [m] above the cube's centre."""
    axes = np.array([[1, -1, 0], [1, 1, -2], [1, 1, 1]]) / np.sqrt([[2], [6], [3]])
    edges = [(l, h) for l in LOW for h in HIGH if np.abs(np.subtract(l, h)).sum() == 1]
    low, high = (edge * (np.array(c) - 0.5) @ axes.T for c in zip(*edges, strict=True))
    up = np.array([0.0, 0.0, offset])
    joints = [
        {"base": b.tolist(), "platform": (p - up).tolist(), **own}
        for b, p, own in zip(low, high, legs or [{}] * 6, strict=True)
    ]
    return gough.Robot.from_dict(
        {
            "schema": "gough/1",
            "name": "cubic",
            "gravity": [0, 0, 0],
            "platform": {
                "mass": 1.0,
                "inertia": [0.01, 0.01, 0.01],
                "home": {"position": up.tolist()},
            },
            "leg": {"kind": "SPS", "stiffness": 1e6, **leg},
            "legs": joints,
        }
    )
