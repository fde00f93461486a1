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
            [f.name, f.unit, f.meaning, list(f.labels) or f.per_leg is not None]
            for f in results.figures.values()
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
    parts: Parts,
    shape: tuple[int, ...],
    name: str,
    unit: str,
    meaning: str,
    places: bool | list[str],
) -> GridFigure:
    """A figure of the machine, of counted legs, or of places with names."""
    values = parts.columns[f"{name} [{unit}]"].reshape(shape)
    if places is False:
        return GridFigure(name, unit, meaning, values)
    labels = () if places is True else texts(places)
    names = labels or tuple(map(str, range(1, len(parts.robot.actuators) + 1)))
    each = [parts.columns[f"{name}_{place} [{unit}]"] for place in names]
    per_leg = np.stack(each, axis=-1).reshape(*shape, -1)
    return GridFigure(name, unit, meaning, values, per_leg, labels)


GRID: Form[GridResults] = Form(
    "variations", "variations", "results of a single motion; use Results.load", _facts, _made
)
