"""Whether a study fits in memory: told before the work begins, not when it fails."""

from __future__ import annotations

import math
import os
import resource
from dataclasses import replace
from pathlib import Path

from gough.compiler.threads import available
from gough.errors import GoughError
from gough.studies.run import run_one
from gough.studies.study import Study, quiet

COPIES = 3
"""So many times the numbers over time are held at once: computed, as a table, for the report."""
COPIES_OF_FIGURES = 12
"""The same for the figures of a grid, which are objects until all of them are there."""
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
    there = available_memory()
    if needed > there:
        size = f"{points:,} points" if study.variations else f"{samples:,} samples"
        raise GoughError(
            f"{study.name}: {size} of {columns} columns need about {needed / 1e9:.2g} GB of "
            f"memory, and {there / 1e9:.2g} GB are there; expected fewer of them, or fewer "
            "quantities in outputs"
        )


def available_memory() -> int:
    """Bytes that a process can still have, as far as the system tells."""
    limits = [_free()]
    for name in ("RLIMIT_AS", "RLIMIT_DATA"):
        soft, _ = resource.getrlimit(getattr(resource, name))
        if soft != resource.RLIM_INFINITY:
            limits.append(soft)
    return min(limits)


def _free() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # not Linux: all there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    facts = dict(line.split(":", 1) for line in lines)
    return 1024 * int(facts["MemAvailable"].split()[0])


def _widths(study: Study) -> tuple[int, int]:
    """How many columns there are over time, and how many figures: seen in a short run."""
    with quiet():
        found = run_one(replace(study, samples=2, rate=None))
    figures = sum(1 + len(scalar.per_leg) for scalar in found.summary.values())
    return len(found.columns()), figures
