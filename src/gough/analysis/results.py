"""What a study found: labelled arrays over time, figures that sum them up, warnings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import cycle, product
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.axes import NUMBER, Axis, Part
from gough.analysis.definition import Definition
from gough.analysis.figures import KEY_OF_RUNS, KEY_OF_STUDIES, known_of
from gough.analysis.limits import Judged, judged_limits
from gough.analysis.quantities import DEFINITIONS, unknown
from gough.analysis.simulation_facts import RUN, Simulation
from gough.arrays import Array
from gough.disk.labelled import Group, Labelled
from gough.robot import Robot
from gough.shown import Fact, card, facts, folded, grid, number, shown_unit

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


_TIME = ("time",)
"""Where the times of a quantity's values are."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """A labelled array: time is the first axis; then, for most, the actuators, and x y z."""

    name: str
    unit: str
    """Of all values, or of each part of the last axis: "m, rad"."""
    meaning: str
    values: Array
    axes: tuple[Axis, ...] = ()
    """What the axes behind time are."""

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.values.shape))
        return f"<gough quantity {self.name} [{self.unit}]: {size}>"

    @classmethod
    def of(
        cls,
        name: str,
        values: Array,
        *,
        unit: str = "",
        meaning: str = "",
        table: Mapping[str, Definition] = DEFINITIONS,
    ) -> Quantity:
        """A quantity of a table; of one that it does not have so, the places are counted.

        The table of a machine has the names of its joints, and their units.
        """
        known = table.get(name)
        if known is None or not known.fits(values.shape[1:]):
            return cls(name, unit, meaning, values, (NUMBER,) * (values.ndim - 1))
        return cls(name, unit or known.unit, meaning or known.meaning, values, known.axes)

    @property
    def labels(self) -> list[str]:
        """What each number of one sample is called: `force_3`, `force_hip`, `base_force_3_x`."""
        sizes = self.values.shape[1:]
        names = [axis.names(size) for axis, size in zip(self.axes, sizes, strict=True)]
        return ["_".join((self.name, *places)) for places in product(*names)]

    @property
    def units(self) -> list[str]:
        """The unit of each number of one sample."""
        count = len(self.labels)
        along = [unit for part, unit, _ in self.parts() for _ in part.labels] or [self.unit]
        return along * (count // len(along))

    @property
    def columns(self) -> list[str]:
        """The headings of a table with these values: `force_3 [N]`."""
        return [f"{name} [{unit}]" for name, unit in zip(self.labels, self.units, strict=True)]

    def labelled(self) -> Labelled:
        """The values with what they are, for files of arrays."""
        shape = self.values.shape[1:]
        labels = np.array(self.columns, object).reshape(shape) if shape else None
        return Labelled(self.values, self.unit, self.meaning, (_TIME,), labels)

    def parts(self) -> list[tuple[Part, str, Array]]:
        """The parts of the last axis, each with its unit and its values; none if it has none."""
        parts = self.axes[-1].parts if self.axes else ()
        units = cycle(self.unit.split(", "))
        return [
            (part, unit, self.values[..., self.axes[-1].part(part.name)])
            for part, unit in zip(parts, units, strict=False)
        ]


@dataclass(frozen=True)
class Scalar:
    """One figure that sums up a study, such as the largest force, with the place where it is."""

    name: str
    unit: str
    meaning: str
    value: float
    per_leg: tuple[float, ...] = ()
    """The same figure of each leg, actuator or joint, where these have one."""
    leg: int | None = None
    """The leg, actuator or joint with this value, counted from 1."""
    time: float | None = None
    """When the value is taken [s]."""
    labels: tuple[str, ...] = ()
    """The names of actuators or joints; none where they are legs, which are counted."""

    @property
    def place(self) -> str:
        """What has this value: "leg 3", or the name of an actuator or a joint."""
        if self.leg is None:
            return ""
        return self.labels[self.leg - 1] if self.labels else f"leg {self.leg}"


@dataclass(frozen=True)
class SingularPoint:
    """A singular configuration on the way: forces have no bound there, unless it says so."""

    time: float
    """[s]"""
    pose: tuple[float, ...]
    kind: str
    """One of "crossed", where det J changes its sign, "touched", where it is zero and does not,
    "first axis", where a leg stands along the first axis of its universal joint, "no length",
    where its two joints meet; of other machines "serial", where the actuators of a leg cannot move
    the platform, "passive", where passive joints cannot follow it, and "constraint", where it gains
    a motion beside its moves."""
    leg: int | None = None
    """The leg of which this is so, counted from 1; None where it concerns all."""
    residual: float | None = None
    """Of a crossing: the wrench that the motion lacks there [N], see `crossing_residual`."""
    share: float | None = None
    """Its size over all that the motion needs, see `crossing_share`: 0 can be crossed."""
    bounded: bool = False
    """Whether the motion can cross: forces beside the pose lead to the same limit."""

    @property
    def words(self) -> str:
        """The kind, with its leg."""
        return self.kind if self.leg is None else f"leg {self.leg}: {self.kind}"


@dataclass(frozen=True, eq=False)
class Studied(ABC):
    """What results of all kinds share: the robot, the study, and how they are stored."""

    robot: Robot
    """As it was studied: with its payload; of a grid, at the first point that can be made."""
    study: dict[str, Any]
    """The study as plain data, with the robot and all defaults written out; runs as it is."""
    versions: dict[str, str] = field(default_factory=dict, kw_only=True)
    """Of Gough and of what it computes with."""

    @property
    def name(self) -> str:
        """The study's name."""
        return str(self.study.get("name", "study"))

    @property
    def notes(self) -> str:
        """What the study says of itself, or where it is from."""
        return str(self.study.get("notes") or self.study.get("reference") or "")

    @property
    @abstractmethod
    def limits(self) -> Judged:
        """Which of the robot's limits were judged, and which not."""

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Everything as columns of a table, with units in the headings."""

    @abstractmethod
    def arrays(self) -> Group:
        """Everything as arrays in their own shapes, with units and meanings."""

    @property
    def about(self) -> dict[str, str]:
        """What it is that was found, in words."""
        made_with = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return {"study": self.name, "robot": self.robot.name, "versions": made_with}


@dataclass(frozen=True, eq=False, repr=False)
class Results(Studied):
    """Everything that was found along one motion of one robot.

    `results["force"]` is an array with time as its first axis; `results.quantities["force"]` has
    its unit and meaning as well. Near singular configurations forces are NaN.
    """

    time: Array
    """(T,) [s]"""
    quantities: dict[str, Quantity]
    warnings: tuple[str, ...] = ()
    summary: dict[str, Scalar] = field(default_factory=dict)
    singularities: tuple[SingularPoint, ...] = ()

    @property
    def analysis(self) -> str:
        """Whether it is static or dynamic; nothing of a simulation."""
        return str(self.study.get("analysis", ""))

    @cached_property
    def simulation(self) -> Simulation | None:
        """How a simulation was run and how it ended; None for a study without a controller."""
        facts = self.study.get(RUN)
        return None if facts is None else Simulation.from_dict(facts)

    def __repr__(self) -> str:
        counts = f"{len(self.time)} samples of {len(self.quantities)} quantities"
        return (
            f"<gough results of {self.name}: {self.robot.name}, {counts}, "
            f"warnings: {len(self.warnings)}>"
        )

    def _repr_html_(self) -> str:

        return results_card(self)

    def __getitem__(self, name: str) -> Array:
        return self.quantity(name).values

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    def __contains__(self, name: object) -> bool:
        return name in self.quantities

    def __len__(self) -> int:
        return len(self.time)

    @property
    def limits(self) -> Judged:
        """Which of the robot's limits the motion was held against, and which not."""
        known = {name for name, figure in self.summary.items() if isfinite(figure.value)}
        return judged_limits(self.robot, known)

    def quantity(self, name: str) -> Quantity:
        """A quantity by its name; GoughError if the study has none of that name."""
        if name not in self.quantities:
            raise unknown("quantity", name, self.quantities)
        return self.quantities[name]

    def columns(self) -> dict[str, Array]:
        """Everything as columns of numbers, with units in the headings; time first."""
        columns: dict[str, Array] = {"time [s]": self.time}
        for quantity in self.quantities.values():
            flat = quantity.values.reshape(len(self.time), -1)
            columns |= dict(zip(quantity.columns, flat.T, strict=True))
        return columns

    def arrays(self) -> Group:
        """Time, every quantity over time, and the figures as the group `summary`."""
        time = {"time": Labelled(self.time, "s", "Time.", (_TIME,))}
        figures = {
            name: Labelled(np.array(scalar.value), scalar.unit, scalar.meaning)
            for name, scalar in self.summary.items()
        }
        arrays = {name: quantity.labelled() for name, quantity in self.quantities.items()}
        return Group({**time, **arrays}, {"summary": Group(figures)}, self.about)

    def to_dataframe(self) -> pd.DataFrame:
        """A table with a row for each time and columns such as `force_1 [N]`."""
        import pandas as pd  # noqa: PLC0415  (slow to import)

        columns = self.columns()
        time = pd.Index(columns.pop("time [s]"), name="time [s]")
        return pd.DataFrame(np.stack(list(columns.values()), axis=1), time, list(columns))

    def plot(self, name: str) -> Figure:
        """A figure of one quantity over time, with its unit."""
        from gough.analysis.plot import plot_quantity  # noqa: PLC0415  (matplotlib is slow)

        return plot_quantity(self, name)

    def save(
        self, folder: str | Path, *, csv: bool = True, mat: bool = False, hdf5: bool = False
    ) -> None:
        """Write a folder: results.parquet, results.csv, robot.toml, summary.json, study.json.

        With `mat` results.mat for MATLAB and with `hdf5` results.h5 come to these. They take the
        place of results that are there. A file that Gough did not write is not replaced: it is
        refused by name.
        """
        from gough.analysis.storage import RESULTS, wanted_formats  # noqa: PLC0415  (pyarrow is slow)

        RESULTS.save(self, Path(folder), wanted_formats(csv=csv, mat=mat, hdf5=hdf5))

    @classmethod
    def load(cls, folder: str | Path) -> Results:
        """Read what `save` wrote."""
        from gough.analysis.storage import RESULTS  # noqa: PLC0415

        return RESULTS.load(Path(folder))


def results_card(results: Results) -> str:
    """A table of key figures with units, where and when they are."""
    kind = "results" if results.simulation is None else "simulation"
    listed = ", ".join(f"{q.name} [{q.unit}]" for q in results.quantities.values())
    return card(
        results.name,
        f"{kind} · {results.robot.name}",
        facts(_facts(results)),
        grid(("figure", "value", "unit", "where", "at [s]"), _rows(results), (1, 4)),
        folded(f"{len(results.quantities)} quantities", listed),
        warnings=results.warnings,
    )


def _facts(results: Results) -> Iterator[Fact]:
    time = results.time
    yield Fact("samples", f"{len(time)}, to {number(float(time[-1]))}", "s")
    if results.singularities:
        yield Fact("singular configurations", str(len(results.singularities)))
    if run := results.simulation:
        yield Fact("controller", run.controller.kind)
        yield Fact("ended", run.ended.kind)


def _rows(results: Results) -> Iterator[tuple[str, str, str, str, str]]:
    key = KEY_OF_STUDIES if results.simulation is None else KEY_OF_RUNS
    for name in known_of(key, results.summary):
        figure = results.summary[name]
        time = "" if figure.time is None else number(figure.time)
        value, unit = number(figure.value), shown_unit(figure.unit)
        yield name.replace("_", " "), value, unit, figure.place, time
