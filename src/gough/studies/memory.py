"""Whether a study fits in memory: told before the work begins, not when it fails."""

from __future__ import annotations

import math
from dataclasses import replace

from gough.compiler.native.threads import available
from gough.memory import require_memory
from gough.motion import quiet
from gough.studies.run import run_one
from gough.studies.study import Study

COPIES = 3
"""So many times the numbers over time are held at once: computed, as a table, for the report."""
COPIES_OF_FIGURES = 12
"""The same for the figures of a grid: as chunks come, as arrays, as a table and its text, in the
report."""
SMALL = 2**15
"""A study with fewer numbers in a column than this is not looked at: it fits."""

_NUMBER = 8  # bytes


def check_memory(study: Study) -> None:
    """Refuse a study that needs more memory than there is; GoughError with both."""
    points = math.prod(study.shape)
    samples = study.count
    at_once = min(points, available())
    if max(points, at_once * samples) < SMALL:
        return
    columns, figures = _widths(study)
    needed = _NUMBER * (COPIES * at_once * samples * columns + COPIES_OF_FIGURES * points * figures)
    size = f"{points:,} points" if study.variations else f"{samples:,} samples"
    require_memory(needed, f"{study.name}: {size} of {columns} columns")


def _widths(study: Study) -> tuple[int, int]:
    """How many columns there are over time, and how many figures: seen in a short run."""
    with quiet():
        found = run_one(replace(study, samples=2, rate=None))
    figures = sum(1 + len(scalar.per_leg) for scalar in found.summary.values())
    return len(found.columns()), figures
