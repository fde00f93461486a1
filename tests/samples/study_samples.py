"""Small studies for the tests: plain data, as a study file has them."""

from gough.studies.study import Study

SWING = {
    "kind": "expression",
    "duration": 2,
    "x": "0.05*sin(pi*t)",
    "y": "0.02*sin(2*pi*t)",
    "z": "0.99 + 0.03*sin(pi*t)",
    "roll": "0.05*sin(pi*t)",
    "pitch": "0.1*sin(2*pi*t)",
    "yaw": "0.02*sin(pi*t)",
}
LINE = {"kind": "line", "displacement": [0.05, 0.02, 0.03], "duration": 1}
PUSH = {"kind": "constant", "force": [100, 20, -30], "moment": [5, 0, -3]}
LOAD = {"kind": "payload", "mass": 20, "center_of_mass": [0, 0, 0.2], "inertia": [0.2, 0.2, 0.1]}


def data(**changes):
    """The data of a study of the demo hexapod, some of them changed."""
    return {
        "schema": "gough-study/1",
        "name": "test",
        "robot": "demo-hexapod",
        "motion": SWING,
        "tasks": [PUSH, LOAD],
        "samples": 401,
        **changes,
    }


def study(**changes):
    return Study.from_dict(data(**changes))
