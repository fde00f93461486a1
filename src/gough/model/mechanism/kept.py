"""Findings of the analysis of a machine, kept on disk: kernels there need no more.

An analysis takes longer than all else that a command does whose kernels were compiled before.
"""

from dataclasses import replace
from functools import cache, lru_cache
from typing import Literal, NamedTuple

import numpy as np
from pydantic import TypeAdapter

from gough.arrays import Array
from gough.compiler.native.disk_kernels import kept_data
from gough.disk.plain_data import PlainData
from gough.model.structure import Structure
from gough.robot import Mechanism

Rows = tuple[tuple[float, ...], ...]
Turning = Literal["any", "z", "none"]


class Findings(NamedTuple):
    """Facts of an `Analysis` that are asked for beside kernels."""

    structure: Structure
    left_out: tuple[str, ...]
    iterates: bool  # whether positions of some leg are found by iteration
    bends: bool  # whether some joint is a flexure
    arm: float  # characteristic length [m]
    axes: Rows  # rotation from base axes to those of the machine
    turning: Turning  # about which of these axes the platform turns
    possible: Rows | None
    """Projection of twists in these axes on the possible ones, if it is the same in every pose."""


@lru_cache(maxsize=64)
def findings(mechanism: Mechanism) -> Findings:
    """Return what `analysed` finds out, here or in an earlier process; refuses as it does."""
    return _plain_form().validate_python(_written(mechanism)["findings"])


@cache
def _plain_form() -> TypeAdapter[Findings]:
    """Between findings and plain data; hexapods need none."""
    return TypeAdapter(Findings)


@kept_data
def _written(mechanism: Mechanism) -> PlainData:
    from gough.equations.motion.singularity_measures import arm  # noqa: PLC0415  (slow)
    from gough.model.mechanism.reading import analysed, geometry_of  # noqa: PLC0415

    found = analysed(mechanism)
    machine, possible = found.machine, found.machine.freedom.possible
    known = Findings(
        replace(found.structure, fingerprint=geometry_of(mechanism).fingerprint),
        found.left_out,
        iterates=any(leg.iterated for leg in machine.legs),
        bends=bool(machine.flexures),
        arm=float(arm(machine)),
        axes=_rows(found.decided.axes),
        turning=found.decided.turning,
        possible=None if possible is None else _rows(np.array(possible)),
    )
    return {"findings": _plain_form().dump_python(known, mode="json")}


def _rows(matrix: Array) -> Rows:
    return tuple(map(tuple, matrix.tolist()))
