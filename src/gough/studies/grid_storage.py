"""Results of variations on disk."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from gough.analysis.storage import FORMATS, RESULTS, Form, StoredParts, texts
from gough.disk.manifest import MANIFEST
from gough.disk.plain_data import PlainData, PlainMapping
from gough.disk.target import HIDDEN
from gough.studies.grid_results import GridFigure, GridResults
from gough.studies.variations import Variation, shape_of

REPORT, WORKBENCH, SERIES = "report.html", "workbench.html", "series"
RECORDING, COMPARISON = "results.mcap", "comparison"
PRINTED, FILM = "report.pdf", "film.gif"
PAGES = (REPORT, WORKBENCH)


def series_file(folder: Path, index: int) -> Path:
    """Where a point's quantities over time are."""
    return folder / f"{index:06d}.parquet"


def _facts(results: GridResults) -> PlainData:
    return {
        "variations": [asdict(variation) for variation in results.variations],
        "figures": [
            [f.name, f.unit, f.meaning, list(f.labels) or f.per_leg is not None]
            for f in results.figures.values()
        ],
        "warnings": [list(words) for words in results.warnings],
    }


def _made(parts: StoredParts, facts: PlainMapping) -> GridResults:
    axes: list[PlainData] = [
        {k: tuple(v) if isinstance(v, list) else v for k, v in axis.items()}
        for axis in facts["variations"]
    ]
    variations = tuple(Variation(**axis) for axis in axes)
    shape, columns, figures = shape_of(variations), parts.columns, dict[str, GridFigure]()
    for name, unit, meaning, places in facts["figures"]:  # of the machine, of legs, of joints
        labels = () if isinstance(places, bool) else texts(places)
        names = labels or tuple(map(str, range(1, len(parts.robot.actuators) + 1)))
        each = [columns[f"{name}_{place} [{unit}]"] for place in names if places]
        per_leg = np.stack(each, axis=-1).reshape(*shape, -1) if places else None
        values = columns[f"{name} [{unit}]"].reshape(shape)
        figures[name] = GridFigure(name, unit, meaning, values, per_leg, labels)
    return GridResults(
        robot=parts.robot,
        study=parts.study,
        variations=variations,
        figures=figures,
        singularities=columns["singularities"].reshape(shape),
        warnings=tuple(map(texts, facts["warnings"])),
        errors=tuple(columns["error"].tolist()),
        versions=parts.versions,
    )


GRID: Form[GridResults] = Form(
    "variations", "variations", "results of a single motion; use Results.load", _facts, _made
)


def of_several(formats: Iterable[str]) -> list[str]:
    """The formats that hold the results of several runs."""
    return [name for name in formats if FORMATS[name].several]


def files_of_comparison(formats: Iterable[str]) -> list[str]:
    """The files of a comparison beside the folders of its cases."""
    endings = [".csv", ".png", *(FORMATS[name].ending for name in of_several(formats))]
    return [f"{COMPARISON}{ending}" for ending in endings]


NAMES = frozenset(
    (MANIFEST, HIDDEN, *RESULTS.names(FORMATS), *GRID.names(FORMATS), RECORDING, *PAGES, SERIES)
    + (*files_of_comparison(FORMATS),)
)
"""Names that a folder of results may have in it, but for pictures and folders of cases."""
