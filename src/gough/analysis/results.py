"""What a study found: labelled arrays over time, figures that sum them up, warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.limits import Judged, judged_limits
from gough.errors import GoughError
from gough.robot import Robot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Array = np.ndarray[Any, np.dtype[np.float64]]

_XYZ = ("x", "y", "z")
_LEGS = tuple("123456")
ENERGY_PARTS = ("kinetic", "potential", "rotors", "windings", "springs", "stops", "surface")
"""Where a machine can store energy: first its platform and legs, moving and lifted."""
_LABELS: dict[str, tuple[str, ...]] = {
    "pose": ("x", "y", "z", "qw", "qx", "qy", "qz"),
    "twist": ("vx", "vy", "vz", "wx", "wy", "wz"),
    "acceleration": ("vx", "vy", "vz", "wx", "wy", "wz"),
    "wrench": ("fx", "fy", "fz", "nx", "ny", "nz"),
    "energy": ENERGY_PARTS[:2],
    "stored_energy": ENERGY_PARTS,
    "pose_error": ("x", "y", "z", "rx", "ry", "rz"),
}
_INNER = {2: ("first", "second"), 3: _XYZ}


@dataclass(frozen=True, eq=False)
class Quantity:
    """A labelled array: time is the first axis; then, for most, the legs, and x y z."""

    name: str
    unit: str
    """Of all values; of a pose, twist or wrench that of the linear and of the angular part."""
    meaning: str
    values: Array

    @property
    def labels(self) -> list[str]:
        """What each number of one sample is called: `force_3`, `base_force_3_x`, `pose_qw`."""
        shape = self.values.shape[1:]
        if not shape:
            return [self.name]
        if self.name in _LABELS:
            return [f"{self.name}_{part}" for part in _LABELS[self.name]]
        axes = [_LEGS, *(_INNER[size] for size in shape[1:])]
        return ["_".join((self.name, *parts)) for parts in product(*axes)]

    @property
    def units(self) -> list[str]:
        """The unit of each number of one sample."""
        count = len(self.labels)
        parts = self.unit.split(", ")
        return parts * count if len(parts) == 1 else parts[:1] * 3 + parts[1:] * (count - 3)

    @property
    def columns(self) -> list[str]:
        """The headings of a table with these values: `force_3 [N]`."""
        return [f"{name} [{unit}]" for name, unit in zip(self.labels, self.units, strict=True)]


@dataclass(frozen=True)
class Scalar:
    """One figure that sums up a study, such as the largest force, with the place where it is."""

    name: str
    unit: str
    meaning: str
    value: float
    per_leg: tuple[float, ...] = ()
    """The same figure of each leg, where legs have one."""
    leg: int | None = None
    """The leg with this value, counted from 1."""
    time: float | None = None
    """When the value is taken [s]."""


@dataclass(frozen=True)
class SingularPoint:
    """A singular configuration on the way: forces have no bound there."""

    time: float
    """[s]"""
    pose: tuple[float, ...]
    kind: str
    """One of "crossed", where det J changes its sign, "touched", where it is zero and does not,
    "first axis", where a leg stands along the first axis of its universal joint, and "no length",
    where its two joints meet."""
    leg: int | None = None
    """The leg of which this is so, counted from 1; None where it concerns all."""

    @property
    def words(self) -> str:
        """The kind, with its leg."""
        return self.kind if self.leg is None else f"leg {self.leg}: {self.kind}"


@dataclass(frozen=True, eq=False)
class Results:
    """Everything that was found along one motion of one robot.

    `results["force"]` is an array with time as its first axis; `results.quantities["force"]` has
    its unit and meaning as well. Near singular configurations forces are NaN.
    """

    robot: Robot
    """As it was studied: with its payload."""
    study: dict[str, Any]
    """The study as plain data, with the robot and all defaults written out; runs as it is."""
    time: Array
    """(T,) [s]"""
    quantities: dict[str, Quantity]
    warnings: tuple[str, ...] = ()
    summary: dict[str, Scalar] = field(default_factory=dict)
    singularities: tuple[SingularPoint, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    """Of Gough and of what it computes with."""

    @property
    def name(self) -> str:
        """The study's name."""
        return str(self.study.get("name", "study"))

    def __repr__(self) -> str:
        counts = f"{len(self.time)} samples of {len(self.quantities)} quantities"
        return (
            f"<gough results of {self.name}: {self.robot.name}, {counts}, "
            f"warnings: {len(self.warnings)}>"
        )

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

    def save(self, folder: str | Path, *, csv: bool = True) -> None:
        """Write a folder: results.parquet, results.csv, robot.toml, summary.json, study.json.

        They take the place of results that are there. A file that Gough did not write is not
        replaced: it is refused by name.
        """
        from gough.analysis.storage import save_results  # noqa: PLC0415  (pyarrow is slow)

        save_results(self, Path(folder), csv=csv)

    @classmethod
    def load(cls, folder: str | Path) -> Results:
        """Read what `save` wrote."""
        from gough.analysis.storage import load_results  # noqa: PLC0415

        return load_results(Path(folder))


def unknown(what: str, name: object, known: Mapping[str, object]) -> GoughError:
    """The error for a name that is not there, with the nearest that is."""
    nearest = get_close_matches(str(name), known, 1)
    hint = f" (did you mean {nearest[0]}?)" if nearest else ""
    return GoughError(f"no {what} {name!r}{hint}; there are {', '.join(known)}")
