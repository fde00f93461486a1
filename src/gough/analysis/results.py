"""Results of a study: labelled arrays over time, figures that sum them up, warnings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import cycle, product
from math import degrees, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from gough.analysis import figures as definitions
from gough.analysis.axes import NUMBER, Axis, AxisPart
from gough.analysis.definition import QuantityDefinition
from gough.analysis.figures import MAIN_OF_RUNS, MAIN_OF_STUDIES, RECORDING_ERROR, SHOWN
from gough.analysis.limits import CheckedLimits, Included, checked_limits, forces_include
from gough.analysis.quantities import DEFINITIONS
from gough.analysis.simulation_facts import RUN, Simulation
from gough.arrays import Array
from gough.checks import by_name, unknown
from gough.digits import short_decimal
from gough.disk.labelled import Group, Labelled, to_xarray
from gough.disk.plain_data import PlainData
from gough.display import Brief, Displayable, Table, plain_value, shown_unit, vector
from gough.errors import needing
from gough.fields.display_units import SI, DisplayUnits
from gough.robot import Robot
from gough.robot.remarks import part_mass

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes

    from gough.analysis.storage import Form

_TIME = ("time",)
"""Where the times of a quantity's values are."""
_NAMED = {"saturated_time": "time with force above limit"}
"""Figures whose names alone are not clear, with their labels."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """A labelled array: time is the first axis; then, for most, the actuators, and x y z."""

    name: str
    unit: str
    """Unit of all values, or of each part of the last axis: "m, rad"."""
    meaning: str
    values: Array
    axes: tuple[Axis, ...] = ()
    """Axes after time."""

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.values.shape))
        return f"<gough quantity {self.name} [{self.unit}]: {size}>"

    @classmethod
    def of(
        cls,
        name: str,
        values: Array,
        unit: str = "",
        meaning: str = "",
        *,
        table: Mapping[str, QuantityDefinition] = DEFINITIONS,
    ) -> Quantity:
        """A quantity of a table, such as a machine's; of one that it lacks places are counted."""
        known = table.get(name)
        if known is None or not known.fits(values.shape[1:]):
            return cls(name, unit, meaning, values, (NUMBER,) * (values.ndim - 1))
        return cls(name, unit or known.unit, meaning or known.meaning, values, known.axes)

    @property
    def labels(self) -> list[str]:
        """Name of each number of one sample: `force_3`, `joint_force_hip-3_x`."""
        sizes = self.values.shape[1:]
        names = [axis.names(size) for axis, size in zip(self.axes, sizes, strict=True)]
        return ["_".join((self.name, *places)) for places in product(*names)]

    @property
    def units(self) -> list[str]:
        """The unit of each number of one sample."""
        along = [unit for part, unit, _ in self.parts() for _ in part.labels] or [self.unit]
        return along * (len(self.labels) // len(along))

    @property
    def columns(self) -> list[str]:
        """The headings of a table with these values: `force_3 [N]`."""
        return [f"{name} [{unit}]" for name, unit in zip(self.labels, self.units, strict=True)]

    def in_units(self, units: DisplayUnits) -> Quantity:
        """Return the quantity in the units to display."""
        sizes = np.array([units.of(unit)[0] for unit in self.units])
        values = self.values / sizes.reshape(self.values.shape[1:])
        return replace(self, values=values, unit=units.name(self.unit))

    def labelled(self) -> Labelled:
        """The values with what they are, for files of arrays."""
        shape = self.values.shape[1:]
        labels = np.array(self.columns, object).reshape(shape) if shape else None
        return Labelled(self.values, self.unit, self.meaning, (_TIME,), labels)

    def parts(self) -> list[tuple[AxisPart, str, Array]]:
        """The parts of the last axis, each with its unit and its values; none if it has none."""
        parts = self.axes[-1].parts if self.axes else ()
        own = (self.values[..., self.axes[-1].part(part.name)] for part in parts)
        return list(zip(parts, cycle(self.unit.split(", ")), own, strict=False))

    def lines(self) -> list[Lines]:
        """Lines that belong together: of one unit, part or direction, or of all legs."""
        values, axes, parts = self.values, self.axes, self.parts()
        if axes[:1] and axes[0].of_machine:
            labels = axes[0].titles(values.shape[1])
            if len(axes) > 1:
                named = enumerate(axes[1].names(values.shape[2]))
                return [Lines(part, self.unit, labels, values[:, :, k]) for k, part in named]
            units, found = np.array(self.units), []
            for unit in dict.fromkeys(self.units):
                those = np.flatnonzero(units == unit)
                found.append(Lines("", unit, tuple(labels[k] for k in those), values[:, those]))
            return found
        if len(parts) > 1:
            return [Lines(part.name, unit, part.labels, own) for part, unit, own in parts]
        names = tuple(label.removeprefix(f"{self.name}_") for label in self.labels)
        return [Lines("", self.unit, names, values.reshape(len(values), -1))]


class Lines(NamedTuple):
    """Numbers over time that are drawn together."""

    part: str
    """Part or direction of the quantity that they are; empty if there is one."""
    unit: str
    labels: tuple[str, ...]
    values: Array
    """(T, n)"""


@dataclass(frozen=True, repr=False)
class Scalar(Brief):
    """A figure that sums up a study, such as the maximum force, with its place and time."""

    name: str
    unit: str
    meaning: str
    value: float
    per_leg: tuple[float, ...] = ()
    """Value of each leg, actuator or joint, where these have one."""
    leg: int | None = None
    """The leg, actuator or joint with this value, counted from 1."""
    time: float | None = None
    """When the value is taken [s]."""
    labels: tuple[str, ...] = ()
    """The names of actuators or joints; none where they are legs, which are counted."""

    def in_units(self, units: DisplayUnits) -> Self:
        """Return the figure in the units to display."""
        size, unit = units.of(self.unit)
        per_leg = tuple(value / size for value in self.per_leg)
        return replace(self, value=self.value / size, per_leg=per_leg, unit=unit)

    @property
    def place(self) -> str:
        """Leg, actuator or joint with this value: "leg 3", or its name."""
        if self.leg is None:
            return ""
        return self.labels[self.leg - 1] if self.labels else f"leg {self.leg}"


class Summary(dict[str, Scalar], Displayable):
    """The figures of a study by name; printed, a table of those that matter most."""

    result_kind = "summary"

    def __repr__(self) -> str:
        return self.report()

    def __missing__(self, name: str) -> Scalar:
        raise unknown(f"no figure {name!r}", name, self)

    def without_noise(self) -> Summary:
        """Return the figures with zeros for values that are tiny beside the maximum."""
        numbers = {name: np.array([f.value, *f.per_leg]) for name, f in self.items()}
        cleaned = Summary()
        for name, figure in self.items():
            value, *legs = definitions.without_noise(name, numbers, numbers[name]).tolist()
            cleaned[name] = replace(figure, value=value, per_leg=tuple(legs))
        return cleaned

    @property
    def main(self) -> list[Scalar]:
        """Figures by which actuators are chosen: stroke (range), speed, force (torque), power."""
        names = MAIN_OF_RUNS if MAIN_OF_RUNS[0] in self else MAIN_OF_STUDIES
        clean = self.without_noise()
        return [clean[name] for name in definitions.known_of(names, self)]

    def tables(self, shown_in: DisplayUnits = SI) -> list[Table]:
        """Return the main figures and all further ones, with units, where and when they are."""
        clean, main = self.without_noise(), self.main
        known, first = definitions.known_of(SHOWN, self), {figure.name for figure in main}
        others = [clean[name] for name in known if name not in first]
        units = {name: figure.unit for name, figure in self.items()}
        heads = ("figure", "value", "unit", "where", "at [s]")
        rows = ([_row(f, units, shown_in) for f in figures] for figures in (main, others))
        return [Table.of(t, heads, r) for t, r in zip(("", "Further figures"), rows, strict=True)]

    def to_dict(self) -> PlainData:
        """All figures as plain data."""
        names = ("value", "unit", "leg", "time", "per_leg", "meaning", "labels")
        plain = {name: {key: getattr(f, key) for key in names} for name, f in self.items()}
        return {n: {k: v for k, v in f.items() if v or k != "labels"} for n, f in plain.items()}

    def to_pandas(self) -> pd.DataFrame:
        """A table with a row for each figure: value, unit, place, time [s], meaning."""
        import pandas as pd  # noqa: PLC0415  (slow to import)

        columns = ("value", "unit", "place", "time", "meaning")
        rows = [[getattr(figure, key) for key in columns] for figure in self.values()]
        return pd.DataFrame(rows, pd.Index(list(self), name="figure"), list(columns))


def _row(figure: Scalar, units: Mapping[str, str], shown_in: DisplayUnits) -> tuple[Any, ...]:
    """Return a row of the table of figures: angles in degrees, words of the joint that has it."""
    name, quantity = figure.name, definitions.figure_of(figure.name).quantity
    value, unit = shown_in.shown(figure.value, figure.unit)
    if unit == "rad" and not (shown_in.angle or (quantity and quantity.small)):
        unit, value = "deg", degrees(value)
    words = definitions.actuator_words(_NAMED.get(name, name.replace("_", " ")), name, units)
    number = short_decimal(value, 5) if isfinite(value) else None
    return words, number, shown_unit(unit), figure.place, "" if figure.time is None else figure.time


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
    """Wrench that the motion lacks at a crossing [N], see `crossing_residual`."""
    share: float | None = None
    """Its size over all that the motion needs, see `crossing_share`: 0 can be crossed."""
    bounded: bool = False
    """Whether the motion can cross: forces beside the pose lead to the same limit."""

    @property
    def words(self) -> str:
        """The kind, with its leg."""
        return self.kind if self.leg is None else f"leg {self.leg}: {self.kind}"


@dataclass(frozen=True, eq=False)
class Studied(Displayable):
    """Common parts of all results: the robot, the study, and storage."""

    robot: Robot
    """Robot of the study, with its payload; for a grid, at the first point that can be made."""
    study: PlainData
    """The study as plain data, with the robot and all defaults written out; runs as it is."""
    versions: dict[str, str] = field(default_factory=dict, kw_only=True)
    """Versions of Gough and of its dependencies."""

    @property
    def name(self) -> str:
        """The study's name."""
        return str(self.study.get("name", "study"))

    @cached_property
    def units(self) -> DisplayUnits:
        """Units of tables, pages, plots and CSV files, as the study states them."""
        return DisplayUnits(**self.study.get("units", {}))

    @property
    def notes(self) -> str:
        """Description or source that the study states."""
        return str(self.study.get("notes") or self.study.get("reference") or "")

    @property
    @abstractmethod
    def limits(self) -> CheckedLimits:
        """Which of the robot's limits were checked, and which not."""

    @abstractmethod
    def columns(self, units: DisplayUnits = SI) -> PlainData:
        """Everything as columns of a table, with units in the headings."""

    @abstractmethod
    def arrays(self) -> Group:
        """Everything as arrays in their own shapes, with units and meanings."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the columns as a table."""
        with needing("pandas", "data", "data frames"):
            import pandas as pd  # noqa: PLC0415  (slow to import)

        return pd.DataFrame(self.columns()).copy()  # in one piece

    @property
    def about(self) -> dict[str, str]:
        """Description of the results in words."""
        made_with = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return {"study": self.name, "robot": self.robot.name, "versions": made_with}

    @classmethod
    @abstractmethod
    def _form(cls) -> Form[Any]:
        """Storage of results of this kind."""

    def save(
        self, folder: str | Path, *, csv: bool = True, mat: bool = False, hdf5: bool = False
    ) -> None:
        """Write a folder: results.parquet, results.csv, robot.toml, summary.json, study.json.

        Of a grid the first two are called variations. With `mat` results.mat for MATLAB and with
        `hdf5` results.h5 come to these. They take the place of results that are there. A file that
        Gough did not write is not replaced: it is refused by name.
        """
        from gough.analysis.storage import wanted_formats  # noqa: PLC0415  (pyarrow is slow)

        self._form().save(self, Path(folder), wanted_formats(csv=csv, mat=mat, hdf5=hdf5))

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote."""
        found: Self = cls._form().load(Path(folder))
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Results(Studied):
    """Everything that was found along one motion of one robot.

    `results["force"]` is an array with time as its first axis; `results.quantities["force"]` has
    its unit and meaning as well. Near singular configurations forces are NaN.

    >>> import gough
    >>> robot = gough.load("kalani-2016")
    >>> results = gough.run(gough.Study(robot, gough.motion.hold(robot.home, 1.0), samples=5))
    >>> results["force"].shape, results.quantities["force"].unit
    ((5, 6), 'N')
    """

    time: Array
    """(T,) [s]"""
    quantities: dict[str, Quantity]
    warnings: tuple[str, ...] = ()
    summary: Summary = field(default_factory=Summary)
    singularities: tuple[SingularPoint, ...] = ()
    listed: ClassVar = "name robot warnings limits singularities summary"

    @property
    def analysis(self) -> str:
        """Whether it is static or dynamic; nothing of a simulation."""
        return str(self.study.get("analysis", ""))

    @cached_property
    def simulation(self) -> Simulation | None:
        """Settings and ending of a simulation; None for a study without a controller."""
        facts = self.study.get(RUN)
        return None if facts is None else Simulation.from_dict(facts)

    def __repr__(self) -> str:
        counts = f"{len(self.time)} samples of {len(self.quantities)} quantities"
        warnings = f"warnings: {len(self.warnings)}"
        return f"<gough results of {self.name}: {self.robot.name}, {counts}, {warnings}>"

    @property
    def heading(self) -> tuple[str, str]:
        """The study, and what this is."""
        kind = "results" if self.simulation is None else "simulation"
        return self.name, f"{kind} of {self.robot.name}"

    def tables(self) -> list[Table]:
        """Return the main figures, the facts of the motion, all further figures and the limits."""
        main, others = self.summary.tables(self.units)
        facts = Table.properties("", self._facts())
        recorded = [self._against_recording()] if RECORDING_ERROR in "".join(self.summary) else []
        return [main, facts, *recorded, others._replace(note=str(self.limits))]

    def _against_recording(self) -> Table:
        """Return E of Bingul 2012 (70) of each recorded quantity, and of each of its channels."""
        rows = []
        for name in (name for name in self.summary if name.startswith(RECORDING_ERROR)):
            figure = self.summary[name].in_units(self.units)
            words = name.removeprefix(RECORDING_ERROR).replace("_", " ")
            rows.append((words, figure.value, figure.unit, vector(figure.per_leg)))
        heads = ("quantity", "E, sum of all", "unit", "mean error of each channel")
        return Table.of("Recorded less computed: mean magnitudes", heads, rows)

    def _facts(self) -> Iterator[tuple[str, str, str]]:
        yield "samples", f"{len(self.time)}, to {short_decimal(float(self.time[-1]))} s", ""
        if self.singularities:
            yield "singular configurations", str(len(self.singularities)), ""
        if run := self.simulation:
            yield "controller", run.controller.kind, ""
            yield "ended", run.ended.kind, ""
        else:
            for heading, words in self._forces.texts().items():
                yield heading.lower(), words, ""

    def folded_away(self) -> tuple[str, str]:
        """The quantities by name and unit."""
        shown = (quantity.in_units(self.units) for quantity in self.quantities.values())
        listed = ", ".join(f"{q.name} [{q.unit}]" for q in shown)
        return f"{len(self.quantities)} quantities", listed

    def remarks(self) -> list[str]:
        """The warnings, and whether nothing has a mass."""
        if self.robot.platform.mass + part_mass(self.robot):
            return list(self.warnings)
        none = "the robot and its payload have no mass: forces come from other tasks alone"
        return [*self.warnings, none]

    @property
    def _forces(self) -> Included:
        """The effects that the forces of a study include."""
        return forces_include(self.robot, self.study)

    def to_dict(self) -> PlainData:
        """The figures, warnings and singular times as plain data; series are in `columns`."""
        forces = {} if self.simulation else {"forces": plain_value(self._forces)}
        return super().to_dict() | forces

    def __getitem__(self, name: str) -> Array:
        return self.quantity(name).values

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    def __contains__(self, name: object) -> bool:
        return name in self.quantities

    def __len__(self) -> int:
        return len(self.time)

    @property
    def limits(self) -> CheckedLimits:
        """Limits of the robot that the motion was checked against, and those not checked."""
        known = {name for name, figure in self.summary.items() if isfinite(figure.value)}
        return checked_limits(self.robot, known)

    def quantity(self, name: str) -> Quantity:
        """A quantity by its name; GoughError if the study has none of that name."""
        return by_name(self.quantities.values(), name, f"no quantity {name!r}")

    def columns(self, units: DisplayUnits = SI) -> dict[str, Array]:
        """Everything as columns of numbers, with units in the headings; time first."""
        columns: dict[str, Array] = {"time [s]": self.time}
        for quantity in (one.in_units(units) for one in self.quantities.values()):
            flat = quantity.values.reshape(len(self.time), -1)
            columns |= dict(zip(quantity.columns, flat.T, strict=True))
        return columns

    def arrays(self) -> Group:
        """Time, every quantity over time, and the figures as the group `summary`."""
        time = {"time": Labelled(self.time, "s", "Time.", (_TIME,))}
        scalars = self.summary.items()
        figures = {name: Labelled(np.array(s.value), s.unit, s.meaning) for name, s in scalars}
        arrays = {name: quantity.labelled() for name, quantity in self.quantities.items()}
        return Group({**time, **arrays}, {"summary": Group(figures)}, self.about)

    def to_pandas(self) -> pd.DataFrame:
        """A table with a row for each time and columns such as `force_1 [N]`."""
        return super().to_pandas().set_index("time [s]")

    def to_xarray(self) -> xr.Dataset:
        """A dataset with every quantity over time, and the names of legs and directions."""
        arrays = {}
        for name, quantity in self.quantities.items():
            sizes = quantity.values.shape[1:]
            along: list[tuple[str, Iterable[Any]]] = [("time", self.time)]
            along += [(a.name, a.names(n)) for a, n in zip(quantity.axes, sizes, strict=True)]
            arrays[name] = (quantity.labelled(), along)
        return to_xarray(arrays, self.about)

    def plot(self, name: str, *, ax: Axes | Sequence[Axes] | None = None) -> list[Axes]:
        """Plot one quantity over time, with a panel for each unit; return the axes."""
        from gough.analysis.plot import plot_quantity  # noqa: PLC0415  (matplotlib is slow)

        return plot_quantity(self, name, ax)

    @classmethod
    def _form(cls) -> Form[Results]:
        from gough.analysis.storage import RESULTS  # noqa: PLC0415  (pyarrow is slow)

        return RESULTS
