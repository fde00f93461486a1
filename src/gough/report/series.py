"""The series of a report: quantities as people look at them, in degrees, as sizes, part by part."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from gough.analysis.results import Quantity, Results
from gough.poses import displace, euler
from gough.report.prefixes import readable

Array = np.ndarray[Any, np.dtype[np.float64]]


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
    if "pose" in results and "pose_error" in results:
        found |= _of_following(results)
    return found


def _series(quantity: Quantity) -> dict[str, Series]:
    name, values = quantity.name, quantity.values
    if name == "pose":
        return _of_pose(values)
    if ", " in quantity.unit and values.shape[1:] == (6,):
        linear, angular = quantity.unit.split(", ")
        return {
            f"{name}.linear": _as_read(name, Series(linear, quantity.meaning, values[:, :3])),
            f"{name}.angular": _as_read(name, Series(angular, quantity.meaning, values[:, 3:])),
        }
    if values.ndim == 3 and values.shape[2] == 3:
        size = np.sqrt(np.einsum("tij,tij->ti", values, values))
        return {f"{name}.size": Series(quantity.unit, quantity.meaning, size)}
    if values.ndim == 3:
        parts = {f"{name}.{k + 1}": values[..., k] for k in range(values.shape[2])}
    else:
        parts = {name: values.reshape(len(values), -1)}
    return {
        key: _as_read(name, Series(quantity.unit, quantity.meaning, part))
        for key, part in parts.items()
        if np.isfinite(part).any()
    }


def _as_read(name: str, series: Series) -> Series:
    """Errors in mm and mrad or smaller units, other angles in degrees."""
    if name.endswith("_error"):
        values, unit = readable(series.values, series.unit)
        return series._replace(unit=unit, values=values)
    if series.unit == "rad":
        return series._replace(unit="deg", values=np.degrees(series.values))
    return series


def _of_following(results: Results) -> dict[str, Series]:
    """The way that a simulated machine went and that it should have gone, and its turns."""
    pose = results["pose"]
    wanted = displace(pose, results["pose_error"])
    meaning = "from the wanted position at the beginning, base axes"
    return {
        "way": Series("m", meaning, pose[:, :3] - wanted[0, :3]),
        "wanted_way": Series("m", meaning, wanted[:, :3] - wanted[0, :3]),
        "wanted_orientation": _of_pose(wanted)["pose.orientation"],
    }


def _of_pose(pose: Array) -> dict[str, Series]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Gimbal lock")
        turns = np.degrees(np.unwrap(euler(pose, "xyz"), axis=0))
    return {
        "pose.position": Series("m", "of the platform's origin", pose[:, :3]),
        "pose.orientation": Series("deg", "turns about the base frame's x, y, z in turn", turns),
    }
