"""A program that kills runs of grids at every step: into a new folder, and over old results."""

import shutil
import sys
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet  # noqa: F401  (imported once, for all children)
from folder_samples import GRID, SERIES
from killing import killed_everywhere
from study_samples import study

from gough.runs import to_folder

GRIDS = {
    kind: study(
        variations=[GRID[1] | {"values": [1, 2]}], samples=11, outputs=SERIES, analysis=kind
    )
    for kind in ("dynamic", "static")
}


def run(kind, prepare):
    def work(folder):
        to_folder(GRIDS[kind], folder, overwrite=True, report=False)

    for _ in killed_everywhere(prepare, work):
        pass


if __name__ == "__main__":
    place = Path(sys.argv[1])
    to_folder(GRIDS["dynamic"], place / "compiled", report=False)  # once, for all children
    to_folder(GRIDS["static"], place / "new", report=False)
    run("dynamic", lambda n: place / "old")
    run("static", lambda n: shutil.copytree(place / "old", place / f"killed-{n}"))
