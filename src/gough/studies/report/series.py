"""The series of a report: quantities as people look at them, in degrees, as sizes, part by part."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from gough.poses import euler
from gough.studies.results import Quantity, Results

Array = np.ndarray[Any, np.dtype[np.float64]]

_HALVES = ("twist", "acceleration", "wrench")


class Series(NamedTuple):
    """Lines of one chart: a column of values for each, with time as the first axis."""

    unit: str
    meaning: str
    values: Array


def series_of(results: Results) -> dict[str, Series]:
    """All series by key: those of a quantity in several parts are called `name.part`."""
    found: dict[str, Series] = {}
    for quantity in results.quantities.values():
        found |= _series(quantity)
    return found


def _series(quantity: Quantity) -> dict[str, Series]:
    name, values = quantity.name, quantity.values
    if name == "pose":
        return _of_pose(values)
    if name in _HALVES:
        linear, angular = quantity.unit.split(", ")
        return {
            f"{name}.linear": Series(linear, "on base axes", values[:, :3]),
            f"{name}.angular": Series(angular, "on base axes", values[:, 3:]),
        }
    if values.ndim == 3 and values.shape[2] == 3:
        size = np.sqrt(np.einsum("tij,tij->ti", values, values))
        return {f"{name}.size": Series(quantity.unit, quantity.meaning, size)}
    if values.ndim == 3:
        parts = {f"{name}.{k + 1}": values[..., k] for k in range(values.shape[2])}
    else:
        parts = {name: values.reshape(len(values), -1)}
    return {
        key: _in_degrees(Series(quantity.unit, quantity.meaning, part))
        for key, part in parts.items()
        if np.isfinite(part).any()
    }


def _in_degrees(series: Series) -> Series:
    if series.unit != "rad":
        return series
    return series._replace(unit="deg", values=np.degrees(series.values))


def _of_pose(pose: Array) -> dict[str, Series]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Gimbal lock")
        turns = np.degrees(np.unwrap(euler(pose, "xyz"), axis=0))
    return {
        "pose.position": Series("m", "of the platform's origin", pose[:, :3]),
        "pose.orientation": Series("deg", "turns about the base frame's x, y, z in turn", turns),
    }
