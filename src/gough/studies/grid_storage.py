"""Results of variations on disk."""

from __future__ import annotations

from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.storage import (
    ROBOT,
    STUDY,
    SUMMARY,
    robot_of,
    table_of,
    texts,
    texts_by_name,
    unnamed,
)
from gough.disk.plain_data import write_json
from gough.disk.stored import Stored, results_of
from gough.disk.tables import write_table
from gough.disk.target import opened, staged
from gough.errors import GoughError
from gough.robot import save
from gough.studies.grid_results import GridFigure, GridResults
from gough.studies.variations import Variation

TABLE = "variations"


def save_grid(results: GridResults, folder: Path, *, csv: bool = True) -> None:
    """Write all files, or none of them, in the place of earlier results."""
    known_by = unnamed(results.name, results.versions)
    with opened(folder) as target, staged(target, known_by) as part:
        write_grid(results, part, csv=csv)


def grid_names(csv: bool) -> list[str]:
    """The files that `write_grid` writes."""
    return [f"{TABLE}.parquet", *([f"{TABLE}.csv"] if csv else []), SUMMARY, STUDY, ROBOT]


def write_grid(results: GridResults, folder: Path, *, csv: bool = True) -> None:
    """Write all files into a folder that exists."""
    write_table(results.columns(), folder / TABLE, csv=csv)
    write_json(folder / SUMMARY, _summary(results))
    write_json(folder / STUDY, results.study)
    save(results.robot, folder / ROBOT)


def load_grid(folder: Path) -> GridResults:
    """Read what `save_grid` wrote."""
    with results_of(folder) as stored:
        return _loaded(stored)


def _loaded(stored: Stored) -> GridResults:
    facts = stored.table(SUMMARY)
    if "variations" not in facts:
        raise GoughError(f"{stored.folder}: results of a single motion; use Results.load")
    variations = tuple(
        Variation(
            axis["name"],
            tuple(axis["parameters"]),
            tuple(axis["values"]),
            axis["as_factors"],
            tuple(axis["labels"]),
        )
        for axis in facts["variations"]
    )
    shape = tuple(len(variation.values) for variation in variations)
    columns = table_of(stored, TABLE)
    return GridResults(
        robot=robot_of(stored),
        study=stored.table(STUDY),
        variations=variations,
        figures={name: _figure(columns, shape, name, *rest) for name, *rest in facts["figures"]},
        singularities=columns["singularities"].reshape(shape),
        warnings=tuple(map(texts, facts["warnings"])),
        errors=tuple(columns["error"].tolist()),
        versions=texts_by_name(facts["versions"]),
    )


def _figure(
    columns: dict[str, Any], shape: tuple[int, ...], name: str, unit: str, meaning: str, legs: bool
) -> GridFigure:
    values = columns[f"{name} [{unit}]"].reshape(shape)
    if not legs:
        return GridFigure(name, unit, meaning, values)
    each = takewhile(columns.__contains__, (f"{name}_{k} [{unit}]" for k in count(1)))
    per_leg = np.stack([columns[heading] for heading in each], axis=-1)
    return GridFigure(name, unit, meaning, values, per_leg.reshape(*shape, -1))


def _summary(results: GridResults) -> dict[str, Any]:
    return {
        "name": results.name,
        "robot": results.robot.name,
        "variations": [
            {
                "name": v.name,
                "parameters": list(v.parameters),
                "values": list(v.values),
                "as_factors": v.as_factors,
                "labels": list(v.labels),
            }
            for v in results.variations
        ],
        "figures": [
            [f.name, f.unit, f.meaning, f.per_leg is not None] for f in results.figures.values()
        ],
        "warnings": [list(words) for words in results.warnings],
        "limits": results.limits._asdict(),
        "versions": results.versions,
    }
