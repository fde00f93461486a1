"""The names of what a run of a study writes into its folder."""

from __future__ import annotations

from gough.analysis.storage import FORMATS, RESULTS
from gough.disk.lock import HIDDEN
from gough.disk.manifest import MANIFEST
from gough.studies.grid_storage import GRID

REPORT, WORKBENCH, SERIES = "report.html", "workbench.html", "series"
RECORDING = "results.mcap"
PAGES = (REPORT, WORKBENCH)
NAMES = frozenset(
    (MANIFEST, HIDDEN, *RESULTS.names(FORMATS), *GRID.names(FORMATS), RECORDING, *PAGES, SERIES)
)
"""What a folder of results may have in it, but for pictures."""
