"""The series of a report: quantities as people look at them, in degrees, as sizes, part by part."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gough.analysis.axes import DIRECTION, LEG, POSE, TURN
from gough.analysis.definition import Definition
from gough.analysis.quantities import DEFINITIONS
from gough.analysis.results import Quantity, Results
from gough.arrays import Array
from gough.poses import displace, euler
from gough.report.text import heading_text, readable

_XYZ = DIRECTION.labels
_DRIVEN = "actuator"
"""What the axis of driven joints is called."""
_TURNS = ("roll", "pitch", "yaw")


class Series(NamedTuple):
    """Lines of one chart: a column of values for each, with time as the first axis."""

    title: str
    unit: str
    meaning: str
    values: Array
    labels: tuple[str, ...] = ()
    """Of the lines; none where a line is a leg or actuator, all of them in order."""
    group: str = ""
    """Of its quantity; none for one that the table of quantities does not have."""
    logarithmic: bool = False
    wanted: str = ""
    """The series that should have been, drawn over it."""


def series_of(results: Results) -> dict[str, Series]:
    """All series by key: those of a quantity in several parts are called `name.part`."""
    found: dict[str, Series] = {}
    for quantity in results.quantities.values():
        found |= _series(quantity)
    if "pose" in results and "pose_error" in results:
        found |= _of_following(results, found.pop("pose.orientation"))
    return found


def _series(quantity: Quantity) -> dict[str, Series]:
    """The parts of a quantity, under the titles that the table has for them."""
    name = quantity.name
    known = DEFINITIONS.get(name) or Definition(name, "", quantity.unit, quantity.meaning)
    drawn = _drawn(quantity)
    titles = known.titles if len(known.titles) == len(drawn) else _titles(known, drawn)
    found = {}
    for title, (key, (unit, values, labels)) in zip(titles, drawn.items(), strict=True):
        shown, read_in = _as_read(known, values, unit)
        names = (title,) if not quantity.axes else labels
        found[key] = Series(
            title, read_in, quantity.meaning, shown, names, known.group, known.logarithmic
        )
    if quantity.axes == (POSE,):
        return found | _of_pose(found, quantity.values)
    return {key: series for key, series in found.items() if np.isfinite(series.values).any()}


def _titles(known: Definition, drawn: Iterable[str]) -> list[str]:
    """Of the charts of a quantity that has none for each: its title or name, and the part."""
    name = known.titles[0] if known.titles else known.name
    return [heading_text(key.replace(known.name, name, 1).replace(".", ", ")) for key in drawn]


def _drawn(quantity: Quantity) -> dict[str, tuple[str, Array, tuple[str, ...]]]:
    """By key: unit, columns of values, and labels of lines that are not the legs or actuators."""
    name, unit, values, axes = quantity.name, quantity.unit, quantity.values, quantity.axes
    if axes == (LEG,):
        return {name: (unit, values, ())}
    if len(axes) == 1 and axes[0].of_machine:
        return _of_joints(quantity)
    if axes[1:] == (DIRECTION,):
        size = np.sqrt(np.einsum("tij,tij->ti", values, values))
        return {f"{name}.size": (unit, size, axes[0].labels)}
    if axes == (LEG, TURN):
        return {f"{name}.{k + 1}": (unit, values[..., k], ()) for k in range(values.shape[2])}
    if len(parts := quantity.parts()) > 1:
        return {f"{name}.{part.name}": (unit, columns, _XYZ) for part, unit, columns in parts}
    labels = tuple(label.removeprefix(f"{name}_") for label in quantity.labels)
    return {name: (unit, values.reshape(len(values), -1), labels)}


def _of_joints(quantity: Quantity) -> dict[str, tuple[str, Array, tuple[str, ...]]]:
    """Joints that turn and joints that slide apart, where they have different units."""
    (axis,) = quantity.axes
    labels, units = np.array(axis.labels), np.array(quantity.units)
    if len(set(quantity.units)) == 1:
        own = () if axis.name == _DRIVEN else axis.labels
        return {quantity.name: (quantity.units[0], quantity.values, own)}
    alike = {str(unit): units == unit for unit in dict.fromkeys(quantity.units)}
    return {
        f"{quantity.name}.{unit}": (unit, quantity.values[:, those], tuple(labels[those].tolist()))
        for unit, those in alike.items()
    }


def _as_read(known: Definition, values: Array, unit: str) -> tuple[Array, str]:
    """Errors in mm and mrad or smaller units, other angles in degrees."""
    if known.small:
        return readable(values, unit)
    return (np.degrees(values), "deg") if unit == "rad" else (values, unit)


def _of_pose(found: dict[str, Series], pose: Array) -> dict[str, Series]:
    """Position, and turns in the place of quaternions."""
    position, orientation = found["pose.position"], found["pose.orientation"]
    meaning = "turns about the base frame's x, y, z in turn"
    return {
        "pose.position": position._replace(meaning="of the platform's origin"),
        "pose.orientation": orientation._replace(
            unit="deg", meaning=meaning, values=_turns(pose), labels=_TURNS
        ),
    }


def _turns(pose: Array) -> Array:
    """(T, 3) [deg], without leaps."""
    return np.degrees(np.unwrap(euler(pose, "xyz"), axis=0))


def _of_following(results: Results, orientation: Series) -> dict[str, Series]:
    """The way that a simulated machine went and that it should have gone, and its turns."""
    pose = results["pose"]
    wanted = displace(pose, results["pose_error"])
    meaning = "from the wanted position at the beginning, base axes"
    gone, should = pose[:, :3] - wanted[0, :3], wanted[:, :3] - wanted[0, :3]
    way = Series(
        "Way from the beginning, wanted and reached", "m", meaning, gone, _XYZ, "following"
    )
    turned = orientation._replace(title="Orientation, wanted and reached", group="following")
    return {
        "way": way._replace(wanted="wanted_way"),
        "wanted_way": way._replace(values=should),
        "pose.orientation": turned._replace(wanted="wanted_orientation"),
        "wanted_orientation": turned._replace(values=_turns(wanted)),
    }
