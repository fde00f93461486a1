"""Finding the forty points that all others start from, and a test that none is missing.

A solution of generic conditions is followed along closed loops in the space of 6x17 coefficient
matrices and comes back as another one, until no loop gives a new one (monodromy). Then the trace
test: if the last condition is moved parallel to itself, the centre of all solutions moves along a
line, and that of a part of them does not [Sommese, Verschelde, Wampler 2002].

`python tools/monodromy.py` finds the points anew and stores them.
"""

from __future__ import annotations

import json

import numpy as np

from gough.arrays import AnyArray
from gough.equations.assembly.study import N_MONOMIALS
from gough.errors import GoughError
from gough.kinematics.assembly.geometry import DEGREE, FILE, Section
from gough.kinematics.assembly.kernels import LEGS, orthonormal_rows, pairs, section_paths
from gough.kinematics.assembly.solutions import ATTEMPTS, follow, refine, same

_LOOPS = 100


def found_by_monodromy(rng: np.random.Generator) -> Section:
    """A new generic section with all its points."""
    e, g = _random(rng, 4), _random(rng, 4)
    g -= e * (e @ g) / (e @ e)
    point = np.concatenate([e, g])
    point /= np.linalg.norm(point)
    m = monomials(point)
    coefficients = _random(rng, LEGS, N_MONOMIALS)
    coefficients -= np.outer(coefficients @ m, m.conj()) / (m.conj() @ m)
    section = Section(orthonormal_rows(coefficients), point[None])
    for _ in range(_LOOPS):
        section = _grown(section, rng)
        if len(section.points) >= DEGREE and trace_defect(section, rng) < 1e-8:
            return section
    raise GoughError(
        f"monodromy found {len(section.points)} points in {_LOOPS} loops; expected {DEGREE}"
    )


def trace_defect(section: Section, rng: np.random.Generator) -> float:
    """How far the points' centre leaves a line as the last condition moves, relative to its way."""
    direction = np.zeros((6, 17), complex)
    direction[5] = _random(rng, 17) / 10
    centres = []
    for factor in (-1, 0, 1):
        moved = section.coefficients + factor * direction
        points = section.points if factor == 0 else _carried(section, moved)
        values = monomials(refine(points, moved, np.abs(moved)).points)
        centres.append((values / (values @ direction[5])[:, None]).sum(0))
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
    corners = [orthonormal_rows(_random(rng, LEGS, N_MONOMIALS)) for _ in range(2)]
    there = Section(corners[0], _carried(section, corners[0]))
    there = Section(corners[1], _carried(there, corners[1]))
    back = _carried(there, section.coefficients)
    found = refine(back, section.coefficients, np.abs(section.coefficients))
    new = found.points[found.proved]
    known = section.points
    for point in new:
        if not same(point[None], known).any():
            known = np.vstack([known, point])
    return Section(section.coefficients, known)


def _carried(section: Section, coefficients: AnyArray) -> AnyArray:
    """The points that arrive when the section's coefficients move to others."""
    ends = (pairs(section.coefficients), pairs(coefficients))
    paths = follow(section_paths(), section.points, ends, ATTEMPTS[1])
    points: AnyArray = paths.points[paths.arrived]
    return points


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
