"""Numbers that others published, beside ours: `python -m benchmarks published`."""

from __future__ import annotations

from benchmarks.published import andrews, governor, multibody
from benchmarks.published.comparison import show


def run() -> None:
    """Print every comparison."""
    found = [*multibody.compared(), *andrews.compared(), *governor.compared()]
    show(sorted(found, key=lambda row: row.case))
