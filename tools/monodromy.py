"""Finding the forty points that all others start from, and a test that none is missing.

A solution of a machine with random joints is followed along closed loops in the space of complex
lengths and comes back as another one, until no loop gives a new one (monodromy). Then the trace
test: if the last condition is moved parallel to itself, the centre of all solutions moves along a
line, and that of a part of them does not [Sommese, Verschelde, Wampler 2002].

`python tools/monodromy.py` finds the points anew and stores them.
"""

from __future__ import annotations

import json

import numpy as np

from gough.arrays import AnyArray
from gough.errors import GoughError
from gough.kinematics.assembly.geometry import DEGREE, FILE, GENERIC_SQUARES, Section, geometry_of
from gough.kinematics.assembly.kernels import LEGS, length_paths, pairs
from gough.kinematics.assembly.solutions import ATTEMPTS, follow, refine, same

_LOOPS = 100


def found_by_monodromy(rng: np.random.Generator) -> Section:
    """A new generic section with all its points."""
    machine = geometry_of(*rng.uniform(-1, 1, (2, LEGS, 3)))
    goal = machine.mixing @ machine.conditions(GENERIC_SQUARES)[0]
    e, g = _random(rng, 4), _random(rng, 4)
    g -= e * (e @ g) / (e @ e)
    point = np.concatenate([e, g])
    point /= np.linalg.norm(point)
    m = monomials(point)
    column = -(goal[:, 1:] @ m[1:]) / m[0]  # lengths of which the point is a solution
    section = Section(_with_column(goal, column), point[None])
    section = Section(goal, _carried(section, goal[:, 0]))
    for _ in range(_LOOPS):
        section = _grown(section, rng)
        if len(section.points) >= DEGREE and trace_defect(section) < 1e-8:
            return section
    raise GoughError(
        f"monodromy found {len(section.points)} points in {_LOOPS} loops; expected {DEGREE}"
    )


def trace_defect(section: Section) -> float:
    """How far the points' centre leaves a line as the last condition moves, relative to its way."""
    direction = np.zeros(LEGS, complex)
    direction[-1] = 0.1 + 0.2j
    centres = []
    for factor in (-1, 0, 1):
        moved = section.coefficients[:, 0] + factor * direction
        points = section.points if factor == 0 else _carried(section, moved)
        coefficients = _with_column(section.coefficients, moved)
        values = monomials(refine(points, coefficients, np.abs(coefficients)).points)
        centres.append((values / values[:, :1]).sum(0))
    before, here, after = centres
    return float(np.linalg.norm(before - 2 * here + after) / np.linalg.norm(after - before))


def monomials(points: AnyArray) -> AnyArray:
    """The 17 monomials of points (..., 8), in the order of `equations.assembly.study`."""
    e, g = points[..., :4], points[..., 4:]
    i, j = np.triu_indices(4, 1)
    return np.concatenate(
        [
            (e * e).sum(-1, keepdims=True),
            e[..., 1:] ** 2,
            e[..., i] * e[..., j],
            g[..., i] * e[..., j] - g[..., j] * e[..., i],
            (g * g).sum(-1, keepdims=True),
        ],
        axis=-1,
    )


def _grown(section: Section, rng: np.random.Generator) -> Section:
    """The section with the points that one more loop has found."""
    own = section.coefficients[:, 0]
    there = section
    for _ in range(2):
        corner = 2 * _random(rng, LEGS)
        there = Section(_with_column(section.coefficients, corner), _carried(there, corner))
    back = _carried(there, own)
    found = refine(back, section.coefficients, np.abs(section.coefficients))
    new = found.points[found.proved]
    known = section.points
    for point in new:
        if not same(point[None], known).any():
            known = np.vstack([known, point])
    return Section(section.coefficients, known)


def _carried(section: Section, column: AnyArray) -> AnyArray:
    """The points that arrive when the section's coefficients of e·e move to others."""
    columns = (pairs(section.coefficients[:, 0]), pairs(column))
    moving = (section.coefficients.real, *columns)
    paths = follow(length_paths(), section.points, moving, ATTEMPTS[1])
    coefficients = _with_column(section.coefficients, column)
    points: AnyArray = refine(paths.points, coefficients, np.abs(coefficients)).points
    return points[paths.arrived]


def _with_column(coefficients: AnyArray, column: AnyArray) -> AnyArray:
    return np.column_stack([column, coefficients[:, 1:]])


def _random(rng: np.random.Generator, *shape: int) -> AnyArray:
    parts: AnyArray = rng.normal(size=(*shape, 2)) @ [1, 1j]
    return parts


def _store(section: Section) -> None:
    data = {
        name: pairs(values).tolist()
        for name, values in (("coefficients", section.coefficients), ("points", section.points))
    }
    FILE.write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _store(found_by_monodromy(np.random.default_rng(1998)))
