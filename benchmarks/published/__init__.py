"""Numbers that others published, beside ours: `python -m benchmarks published`."""

from __future__ import annotations

from benchmarks.published import andrews, governor, multibody, planar, workspaces
from benchmarks.published.comparison import show


def run() -> None:
    """Print every comparison."""
    cases = (multibody, andrews, governor, planar, workspaces)
    found = [row for case in cases for row in case.compared()]
    show(sorted(found, key=lambda row: row.case))
