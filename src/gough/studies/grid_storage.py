"""Results of variations on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from gough.analysis.storage import Form, Parts, texts
from gough.studies.grid_results import GridFigure, GridResults
from gough.studies.variations import Variation


def _facts(results: GridResults) -> dict[str, Any]:
    return {
        "variations": [asdict(variation) for variation in results.variations],
        "figures": [
            [f.name, f.unit, f.meaning, f.per_leg is not None] for f in results.figures.values()
        ],
        "warnings": [list(words) for words in results.warnings],
    }


def _made(parts: Parts, facts: Mapping[str, Any]) -> GridResults:
    variations = tuple(map(_variation, facts["variations"]))
    shape = tuple(len(variation.values) for variation in variations)
    return GridResults(
        robot=parts.robot,
        study=parts.study,
        variations=variations,
        figures={name: _figure(parts, shape, name, *rest) for name, *rest in facts["figures"]},
        singularities=parts.columns["singularities"].reshape(shape),
        warnings=tuple(map(texts, facts["warnings"])),
        errors=tuple(parts.columns["error"].tolist()),
        versions=parts.versions,
    )


def _variation(axis: Mapping[str, Any]) -> Variation:
    parts: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in axis.items()}
    return Variation(**parts)


def _figure(
    parts: Parts, shape: tuple[int, ...], name: str, unit: str, meaning: str, legs: bool
) -> GridFigure:
    values = parts.columns[f"{name} [{unit}]"].reshape(shape)
    if not legs:
        return GridFigure(name, unit, meaning, values)
    each = [parts.columns[f"{name}_{k + 1} [{unit}]"] for k in range(len(parts.robot.legs))]
    return GridFigure(name, unit, meaning, values, np.stack(each, axis=-1).reshape(*shape, -1))


GRID: Form[GridResults] = Form(
    "variations", "variations", "results of a single motion; use Results.load", _facts, _made
)
