"""Results for the tests of reports: ordinary, singular and long studies, a grid, a simulation."""

import json
from functools import cache
from pathlib import Path

import numpy as np

from gough.report.study_page import grid_page, study_page
from gough.studies.run import run

CIRCLE = {
    "schema": "gough-study/1",
    "name": "circle",
    "robot": "demo-hexapod",
    "samples": 201,
    "motion": {
        "kind": "expression",
        "duration": 4,
        "x": "0.12*cos(1.5*pi*t)",
        "y": "0.12*sin(1.5*pi*t)",
        "z": "0.99 + 0.03*sin(3*t)",
        "roll": "0.12*sin(2*t)",
    },
    "tasks": [{"kind": "constant", "force": [80, 0, -300], "point": [0.1, 0, 0.1]}],
}
TURN = {**CIRCLE, "motion": {"kind": "rotation", "axis": [0, 0, 1], "angle": 2.2, "duration": 3}}
DOWN = {
    **CIRCLE,
    "samples": 1001,
    "motion": {"kind": "line", "displacement": [0, 0, -0.85], "duration": 1},
    "tasks": [],
}
"""Ends in a singular configuration: the forces grow a thousandfold on the way."""
SINGULAR_GRID = {
    **TURN,
    "samples": 51,
    "variations": [{"name": "turn", "parameter": "motion.angle", "values": [2.0, 2.2, 2.4]}],
}
GRID = {
    **CIRCLE,
    "samples": 51,
    "variations": [
        {"name": "height", "parameter": "motion.z", "values": [0.95, 0.99, 1.25]},
        {"name": "tool", "parameter": "tasks[0].force", "values": [[0, 0, -100], [200, 0, -300]]},
    ],
}

SIMULATION = Path(__file__).parents[2] / "studies" / "simulation" / "demo-pid.toml"


@cache
def results(kind):
    if kind == "simulation":
        return run(SIMULATION)
    studies = {
        "circle": CIRCLE,
        "turn": TURN,
        "down": DOWN,
        "singular grid": SINGULAR_GRID,
        "grid": GRID,
        "long": {**CIRCLE, "samples": 100_000, "motion": {**CIRCLE["motion"], "duration": 60}},
    }
    return run(studies[kind])


@cache
def page(kind):
    make = grid_page if "grid" in kind else study_page
    return make(results(kind))


def payload(text):
    """The data of a page, as its scripts read them."""
    start = text.index('<script type="application/json" id="data">')
    body = text[text.index(">", start) + 1 : text.index("</script>", start)]
    return json.loads(body, parse_constant=lambda word: 1 / 0)


def unpack(packed):
    """The rows that were packed, within half a step; NaN for null."""
    rows = []
    for origin, step, row in zip(packed["origin"], packed["step"], packed["rows"], strict=True):
        known = np.array([change is not None for change in row], dtype=bool)
        levels = np.cumsum([change or 0 for change in row])
        rows.append(np.where(known, origin + step * levels, np.nan))
    return np.array(rows)
