"""Result of a selection: every actuator of a catalogue with its margins, best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gough.arrays import Array
from gough.checks import by_name
from gough.digits import short_decimal
from gough.disk.plain_data import PlainData
from gough.display import Brief, Cell, Displayable, Head, Table, TableRow, data_of
from gough.errors import GoughError
from gough.robot import Robot, actuator_names
from gough.robot.description import ActuatorNames
from gough.sizing import criteria
from gough.sizing.criteria import CRITERIA, LIVES, Case, Criterion, OperatingConditions
from gough.sizing.envelope import Envelope
from gough.sizing.force_speed import of_candidate
from gough.sizing.mounting import ActuatorLoad, Mount, with_actuator
from gough.sizing.records import Catalogue, CatalogueActuator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAILING = 2
"""Maximum number of reasons against an actuator that are shown at once."""


@dataclass(frozen=True, repr=False)
class CriterionResult(Brief):
    """A criterion that an actuator is checked against, at its worst over all motions."""

    name: str
    unit: str
    meaning: str
    """Definitions of `needed` and `available`."""
    needed: float
    available: float
    margin: float
    """Share of what is available that is left; below zero it does not suffice, -inf if unknown."""
    motion: str
    """Motion in which it is worst; empty where it concerns all of them."""
    leg: int
    """Actuator of the machine where it is worst, counted from 1."""
    time: float | None
    """Time of the worst value [s], where there is one."""
    per_leg: tuple[float, ...]
    """The margin of each actuator of the machine, over all motions."""
    counts: bool
    """Whether its margin ranks actuators; else it only must hold."""
    listed: ClassVar = "holds"

    @property
    def holds(self) -> bool:
        """Whether it is met."""
        return self.margin >= 0

    @property
    def words(self) -> str:
        """Return required and available value: "peak force: needs 13.2 N of 12 N (110 %)"."""
        unit = "" if self.unit == "1" else f" {self.unit}"
        needed, there = (short_decimal(x) + unit for x in (self.needed, self.available))
        used = short_decimal(100 - 100 * self.margin, 3)
        return f"{self.name}: needs {needed} of {there} ({used} %)"


@dataclass(frozen=True, repr=False)
class Lifetime(Brief):
    """Life of a rotating part (L10), in the motion and at the actuator where it is shortest."""

    part: str
    load: float
    """Mean load over the travel [N], cubic for screws and ball bearings."""
    turns: float
    kilometres: float
    hours: float
    motion: str
    leg: int


@dataclass(frozen=True, eq=False, repr=False)
class Candidate:
    """An actuator of the catalogue, in the machine."""

    actuator: CatalogueActuator
    mount: Mount
    requirements: tuple[CriterionResult, ...]
    lives: tuple[Lifetime, ...]
    not_checked: tuple[str, ...]
    """Criteria that could not be checked, each with the key that the catalogue lacks."""
    remarks: tuple[str, ...]
    """Remarks on what of the machine with it is not from the catalogue, and why."""
    loads: tuple[ActuatorLoad, ...]
    """Loads of the actuator in the machine, for each motion."""

    def __repr__(self) -> str:
        words = "suffices" if self.suffices else f"fails {', '.join(r.name for r in self.failing)}"
        return f"<gough candidate {self.name}: {words}, margin {100 * self.margin:.3g} %>"

    @property
    def name(self) -> str:
        """Name of the actuator."""
        return self.actuator.name

    @property
    def suffices(self) -> bool:
        """Whether all criteria that were checked hold."""
        return all(requirement.holds for requirement in self.requirements)

    @property
    def margin(self) -> float:
        """The minimum margin that counts; if a criterion fails, the minimum of all."""
        return self.tightest.margin

    @property
    def failing(self) -> tuple[CriterionResult, ...]:
        """Criteria that do not hold, the worst first."""
        return tuple(r for r in sorted(self.requirements, key=lambda r: r.margin) if not r.holds)

    @property
    def tightest(self) -> CriterionResult:
        """The criterion of the minimum margin; GoughError if none that counts was checked."""
        counted = [r for r in self.requirements if r.counts or not r.holds]
        if not counted:
            raise GoughError(f"{self.name}: no criterion was checked; expected one with a margin")
        return min(counted, key=lambda r: r.margin)

    def requirement(self, name: str) -> CriterionResult:
        """A requirement by its name, such as "peak force"."""
        return by_name(self.requirements, name, f"{self.name}: no requirement {name!r}")

    @property
    def verdict(self) -> str:
        """The criterion of its margin; if it fails, the worst reasons and the number of others."""
        if self.suffices:
            return self.tightest.name
        words, more = self.why_not.value, len(self.why_not.more)
        return f"{words}; and {more} more" if more else str(words)

    @property
    def why_not(self) -> Cell:
        """Return the worst of the failing criteria, and the number of further ones."""
        reasons = [requirement.words for requirement in self.failing]
        return Cell("; ".join(reasons[:_FAILING]), kind="words", more=tuple(reasons[_FAILING:]))

    def requirement_table(self, actuators: ActuatorNames, *, in_full: bool = True) -> Table:
        """All that it is checked against, each at its worst; in full with times and meanings."""
        columns: list[tuple[Head, Callable[[CriterionResult], Cell]]] = [
            (Head("Needed"), lambda r: Cell(r.needed, r.unit)),
            (Head("Available"), lambda r: Cell(r.available, r.unit)),
            (Head("Margin", "%"), lambda r: percent_cell(r.margin)),
            (Head(actuators.word.capitalize()), lambda r: Cell(actuators.short[r.leg - 1])),
            (Head("Motion", kind="words"), lambda r: Cell(r.motion or "all", kind="words")),
            (Head("At", "s"), lambda r: Cell("" if r.time is None else r.time)),
            (Head("Meaning", kind="words"), lambda r: Cell(r.meaning, kind="words")),
        ]
        shown = columns if in_full else columns[:-2]
        rows = [TableRow([cell(r) for _, cell in shown], r.name) for r in self.requirements]
        note = "Not checked: " + "; ".join(self.not_checked) if self.not_checked else ""
        return Table(self.name, [Head("Requirement"), *(head for head, _ in shown)], rows, note)

    def life_table(self) -> list[Table]:
        """Return the life of screw and bearing, if the catalogue gives their ratings."""
        motion = Head("Motion", kind="words")
        heads = ("L10", "Mean load [N]", "Revolutions [10⁶]", "Travel [km]", "Time [h]", motion)
        rows = []
        for one in self.lives:
            sizes = (one.load, one.turns / 1e6, one.kilometres, one.hours)
            rows.append((one.part, *sizes, Cell(one.motion, kind="words")))
        note = "Nine of ten reach that while the motion is repeated. "
        note += "Screw: ISO 3408-5, bearing: ISO 281."
        return [Table.of("Life", heads, rows, note)] if rows else []

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        return data_of(self, "name suffices margin requirements lives not_checked remarks") | {
            "tightest": self.tightest.name,
            "failing": [r.words for r in self.failing],
            "stroke": [self.mount.start, self.mount.start + self.actuator.stroke],
            "piece": self.mount.piece,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Displayable):
    """Which actuators of a catalogue suffice for some motions of a robot; the best margin first.

    >>> import gough
    >>> robot = gough.load("demo-hexapod")
    >>> hold = gough.Study(robot, gough.motion.hold(robot.home, 1.0))
    >>> len(gough.select(None, hold).sufficient) > 0
    True
    """

    robot: Robot
    catalogue: Catalogue
    conditions: OperatingConditions
    candidates: tuple[Candidate, ...]
    envelope: Envelope
    """Envelope of the robot as its file describes it, over all motions."""
    used: Array
    """(2, actuators) the minimum and maximum position over all motions [m]."""
    home: tuple[float, ...] | None
    """The pose at which all actuators are in the middle of the positions used; None if there is
    none near the robot's home."""
    chosen: str = ""
    """Name of the actuator that was chosen; empty: that of the best margin."""

    def __repr__(self) -> str:
        count = len(self.sufficient)
        return f"<gough selection for {self.robot.name}: {count} of {len(self.candidates)} suffice>"

    def __getitem__(self, name: str) -> Candidate:
        return by_name(self.candidates, name, f"no actuator {name!r} in {self.catalogue.name}")

    @property
    def sufficient(self) -> tuple[Candidate, ...]:
        """Actuators that suffice, the maximum margin first."""
        return tuple(candidate for candidate in self.candidates if candidate.suffices)

    @property
    def choice(self) -> Candidate:
        """The actuator that was chosen, or the one of the best margin."""
        return self[self.chosen] if self.chosen else self.candidates[0]

    def choosing(self, name: str) -> Selection:
        """Return the selection with another actuator chosen."""
        return replace(self, chosen=self[name].name)

    @property
    def stroke(self) -> float:
        """The stroke that is needed [m]: over all motions and legs, which have equal actuators."""
        return float(self.used.max() - self.used.min())

    @property
    def middle(self) -> float:
        """The position in the middle of those used [m]: of a leg, its length at mid-stroke."""
        return float(self.used.max() + self.used.min()) / 2

    def robot_with(self, name: str) -> Robot:
        """The robot with an actuator in all its legs: masses, drive, stroke, limits, stiffness."""
        candidate = self[name]
        return with_actuator(self.robot, candidate.actuator, candidate.mount)

    def plot(self, name: str, *, ax: Axes | None = None) -> Axes:
        """Plot force over speed of every sample, with the envelope of an actuator."""
        candidate = self[name]
        word = "suffices" if candidate.suffices else "does not suffice"
        chart = of_candidate(self.robot, candidate.actuator, candidate.loads)
        return chart.plot(f"{candidate.name}: {word}, {100 * candidate.margin:.3g} % left", ax)

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what this is."""
        count = len(self.envelope.motions)
        motions = "1 motion" if count == 1 else f"{count} motions"
        return self.robot.name, f"actuators of {self.catalogue.name} for {motions}"

    def tables(self) -> list[Table]:
        """All actuators, the stroke, and the chosen actuator in full."""
        chosen, piece = self.choice, self.choice.mount.piece
        sizes = {
            "stroke needed": self.stroke,
            "mid-stroke position": self.middle,
            "height of the platform there": self.home and self.home[2],
            f"piece that lengthens each rod, with {chosen.name}": piece or None,
        }
        rows = [(name, size, "m") for name, size in sizes.items() if size is not None]
        asked = chosen.requirement_table(actuator_names(self.robot), in_full=False)
        short = [(c.name, c.suffices, percent_cell(c.margin), c.verdict) for c in self.candidates]
        heads = ("Actuator", "Suffices", "Margin [%]", "Of, or why not")
        stroke = Table.properties("Stroke", rows, "\n".join(chosen.remarks))
        return [Table.of("Best margin first", heads, short), stroke, asked, *chosen.life_table()]

    def overview(self) -> Table:
        """A row for each actuator, the best margin first."""
        heads = (
            *(Head("Actuator"), Head("Suffices")),
            Head("Margin", "%", hint="the minimum share that is left"),
            Head("Of", kind="words", hint="what the margin is of"),
            Head("Retracted at", "m", hint="position with the rod retracted"),
            Head("Piece", "m", hint="fixed length between rod and joint"),
            *(Head(part.capitalize(), "h") for part in LIVES),
            Head("Why not", kind="words"),
        )
        rows = []
        for c in self.candidates:
            lives = {life.part: life.hours for life in c.lives}
            suffices = Cell(c.suffices, kind="" if c.suffices else "alert")
            numbers = (c.mount.start, c.mount.piece, *map(lives.get, LIVES))
            first = [suffices, percent_cell(c.margin), Cell(c.tightest.name, kind="words")]
            rows.append(TableRow([*first, *map(Cell, numbers), c.why_not], c.name))
        return Table("Best margin first", heads, rows)

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        names = "robot conditions stroke middle home candidates envelope catalogue=catalogue.name"
        own = data_of(self, f"{names} motions=envelope.motions chosen=choice.name")
        return own | {"sufficient": [candidate.name for candidate in self.sufficient]}


def percent_cell(share: float) -> Cell:
    """A margin in percent; below zero it is marked."""
    if not isfinite(share):
        return Cell("⚠ none", kind="alert", order="")
    text = short_decimal(100 * share, 3)
    return Cell(f"⚠ {text}" if share < 0 else text, kind="alert" * (share < 0), order=repr(share))


def checked(cases: Sequence[Case], remarks: tuple[str, ...]) -> Candidate:
    """Return an actuator checked against all ratings of its catalogue, under several motions."""
    actuator, mount = cases[0].actuator, cases[0].mount
    lacking = {c.name: c.missing(actuator) for c in CRITERIA}
    if mount.piece is None:
        lacking["retracted length"] = "lengths between joints in the robot's file"
    results = tuple(_worst(one, cases) for one in CRITERIA if not lacking[one.name])
    lives = tuple(_shortest(part, cases) for part in LIVES if not lacking[part])
    not_checked = tuple(f"{name}: without {key}" for name, key in lacking.items() if key)
    loads = tuple(case.load for case in cases)
    return Candidate(actuator, mount, results, lives, not_checked, remarks, loads)


def _worst(criterion: Criterion, cases: Sequence[Case]) -> CriterionResult:
    uses = [criterion.use(case) for case in cases]
    shares = np.array([criteria.share_used(use.needed, use.available) for use in uses])
    k, leg = map(int, np.unravel_index(np.argmax(shares), shares.shape))
    needed, available, time = uses[k]
    words = criterion.name, criterion.unit, criterion.meaning
    sizes = float(needed[leg]), float(available[leg]), 1 - float(shares[k, leg])
    motion = "" if criterion.of_all else cases[k].load.motion
    at = None if time is None else float(time[leg])
    per_leg = tuple((1 - shares.max(axis=0)).tolist())
    return CriterionResult(*words, *sizes, motion, leg + 1, at, per_leg, criterion.counts)


def _shortest(part: str, cases: Sequence[Case]) -> Lifetime:
    lives = [LIVES[part](case) for case in cases]
    times = np.array([life.time for life in lives])
    k, leg = map(int, np.unravel_index(np.argmin(times), times.shape))
    load, turns, distance, time = (float(x[leg]) for x in lives[k])
    sizes, motion = (load, turns, distance / 1e3, time / criteria.HOUR), cases[k].load.motion
    return Lifetime(part, *sizes, motion, leg + 1)
