"""The names of what a run of a study writes into its folder."""

from __future__ import annotations

from gough.analysis.storage import result_names
from gough.disk.lock import HIDDEN
from gough.disk.manifest import MANIFEST
from gough.studies.grid_storage import grid_names

REPORT, SERIES = "report.html", "series"
NAMES = frozenset(
    (MANIFEST, HIDDEN, *result_names(csv=True), *grid_names(csv=True), REPORT, SERIES)
)
"""What a folder of results may have in it, but for pictures."""
