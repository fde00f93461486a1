"""What comes out of choosing: every actuator of a catalogue with its margins, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.digits import short_decimal
from gough.errors import GoughError
from gough.robot import Robot
from gough.shown.brief import brief
from gough.sizing.criteria import (
    CRITERIA,
    HOUR,
    LIVES,
    Case,
    Conditions,
    Criterion,
    share_used,
)
from gough.sizing.envelope import Envelope
from gough.sizing.fitting import fitted
from gough.sizing.loads import Load, Mount
from gough.sizing.records import Catalogue, CatalogueActuator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KILOMETRE = 1e3
"""[m]"""


@dataclass(frozen=True, repr=False)
class Requirement:
    """One thing that an actuator is held against, at its worst over all motions."""

    name: str
    unit: str
    meaning: str
    """Of `needed` and `available`, in words."""
    needed: float
    available: float
    margin: float
    """Share of what is available that is left; below zero it does not suffice, -inf if unknown."""
    motion: str
    """In which it is worst; empty where it is about all of them."""
    leg: int
    """Of which actuator of the machine, counted from 1."""
    time: float | None
    """When [s], where it is of one time."""
    per_leg: tuple[float, ...]
    """The margin of each actuator of the machine, over all motions."""
    counts: bool
    """Whether its margin is one to choose by; else it only must hold."""

    __repr__ = brief

    @property
    def holds(self) -> bool:
        """Whether it is met."""
        return self.margin >= 0

    @property
    def words(self) -> str:
        """What is needed and what there is: "peak force: needs 13.2 N of 12 N (110 %)"."""
        unit = "" if self.unit == "1" else f" {self.unit}"
        needed, there = (short_decimal(x) + unit for x in (self.needed, self.available))
        used = short_decimal(100 - 100 * self.margin, 3)
        return f"{self.name}: needs {needed} of {there} ({used} %)"


@dataclass(frozen=True, repr=False)
class Lifetime:
    """How long a turning part lasts (L10), in the motion and at the actuator where it is least."""

    part: str
    load: float
    """Mean load over the way [N], cubic of screws and ball bearings."""
    turns: float
    kilometres: float
    hours: float
    motion: str
    leg: int

    __repr__ = brief


@dataclass(frozen=True, eq=False, repr=False)
class Candidate:
    """An actuator of the catalogue, in the machine."""

    actuator: CatalogueActuator
    mount: Mount
    requirements: tuple[Requirement, ...]
    lives: tuple[Lifetime, ...]
    not_judged: tuple[str, ...]
    """What could not be judged, each with what the catalogue would have to give."""
    remarks: tuple[str, ...]
    """What of the machine with it is not the catalogue's, and why."""
    loads: tuple[Load, ...]
    """What the motions ask of it, in the machine."""

    def __repr__(self) -> str:
        words = "suffices" if self.suffices else f"fails {', '.join(r.name for r in self.failing)}"
        return f"<gough candidate {self.name}: {words}, margin {100 * self.margin:.3g} %>"

    @property
    def name(self) -> str:
        """Of the actuator."""
        return self.actuator.name

    @property
    def suffices(self) -> bool:
        """Whether all that was judged holds."""
        return all(requirement.holds for requirement in self.requirements)

    @property
    def margin(self) -> float:
        """The least margin that counts; of one that fails, the least of all."""
        margins = [r.margin for r in self.requirements if r.counts or not r.holds]
        return min(margins, default=inf)

    @property
    def failing(self) -> tuple[Requirement, ...]:
        """What does not hold, the worst first."""
        failing = [r for r in self.requirements if not r.holds]
        return tuple(sorted(failing, key=lambda r: r.margin))

    @property
    def tightest(self) -> Requirement:
        """What its margin is of."""
        counted = [r for r in self.requirements if r.counts or not r.holds]
        return min(counted, key=lambda r: r.margin)

    def requirement(self, name: str) -> Requirement:
        """A requirement by its name, such as "peak force"."""
        for requirement in self.requirements:
            if requirement.name == name:
                return requirement
        known = ", ".join(r.name for r in self.requirements)
        raise GoughError(f"{self.name}: no requirement {name!r}; expected one of {known}")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "name": self.name,
            "suffices": self.suffices,
            "margin": self.margin,
            "tightest": self.tightest.name,
            "failing": [r.words for r in self.failing],
            "requirements": [asdict(r) | {"holds": r.holds} for r in self.requirements],
            "lives": [asdict(life) for life in self.lives],
            "stroke": [self.mount.start, self.mount.start + self.actuator.stroke],
            "piece": self.mount.piece,
            "not_judged": list(self.not_judged),
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """Which actuators of a catalogue suffice for some motions of a robot; the best margin first."""

    robot: Robot
    catalogue: Catalogue
    conditions: Conditions
    candidates: tuple[Candidate, ...]
    envelope: Envelope
    """Of the robot as its file says, over all motions."""
    used: Array
    """(2, actuators) the least and the greatest position over all motions [m]."""
    home: tuple[float, ...] | None
    """The pose at which all actuators are in the middle of the positions used; None if there is
    none near the robot's home."""
    chosen: str = ""
    """Name of the actuator that was chosen; empty: that of the best margin."""

    def __repr__(self) -> str:
        count = len(self.sufficient)
        return f"<gough selection for {self.robot.name}: {count} of {len(self.candidates)} suffice>"

    def __getitem__(self, name: str) -> Candidate:
        for candidate in self.candidates:
            if candidate.name == name:
                return candidate
        known = ", ".join(f'"{c.name}"' for c in self.candidates)
        raise GoughError(f"no actuator {name!r} in {self.catalogue.name}; expected one of {known}")

    @property
    def sufficient(self) -> tuple[Candidate, ...]:
        """Those that suffice, the largest margin first."""
        return tuple(candidate for candidate in self.candidates if candidate.suffices)

    @property
    def choice(self) -> Candidate:
        """The actuator that was chosen, or the one of the best margin."""
        return self[self.chosen] if self.chosen else self.candidates[0]

    def choosing(self, name: str) -> Selection:
        """The same selection with another actuator chosen."""
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
        return fitted(self.robot, candidate.actuator, candidate.mount)

    def plot(self, name: str) -> Figure:
        """Force over speed of every sample, with the envelope of an actuator."""
        from gough.sizing.plot import plot_force_speed  # noqa: PLC0415  (matplotlib is slow)

        return plot_force_speed(self, self[name])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "robot": self.robot.name,
            "catalogue": self.catalogue.name,
            "motions": list(self.envelope.motions),
            "conditions": asdict(self.conditions),
            "stroke": self.stroke,
            "middle": self.middle,
            "home": None if self.home is None else list(self.home),
            "chosen": self.choice.name,
            "sufficient": [candidate.name for candidate in self.sufficient],
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "envelope": self.envelope.to_dict(),
        }


def judged(cases: Sequence[Case], remarks: tuple[str, ...]) -> Candidate:
    """An actuator under several motions, held against all that its catalogue tells."""
    actuator, mount = cases[0].actuator, cases[0].mount
    lacking = {c.name: c.missing(actuator) for c in CRITERIA}
    if mount.piece is None:
        lacking["retracted length"] = "lengths between joints in the robot's file"
    known = [criterion for criterion in CRITERIA if not lacking[criterion.name]]
    return Candidate(
        actuator,
        mount,
        tuple(_worst(criterion, cases) for criterion in known),
        tuple(_shortest(part, cases) for part in LIVES if not lacking[part]),
        tuple(f"{name}: without {key}" for name, key in lacking.items() if key),
        remarks,
        tuple(case.load for case in cases),
    )


def _worst(criterion: Criterion, cases: Sequence[Case]) -> Requirement:
    uses = [criterion.use(case) for case in cases]
    shares = np.array([share_used(use.needed, use.available) for use in uses])
    k, leg = _where(np.argmax(shares), shares)
    use = uses[k]
    return Requirement(
        criterion.name,
        criterion.unit,
        criterion.meaning,
        float(use.needed[leg]),
        float(use.available[leg]),
        1 - float(shares[k, leg]),
        "" if criterion.of_all else cases[k].load.motion,
        leg + 1,
        None if use.time is None else float(use.time[leg]),
        tuple((1 - shares.max(axis=0)).tolist()),
        criterion.counts,
    )


def _shortest(part: str, cases: Sequence[Case]) -> Lifetime:
    lives = [LIVES[part](case) for case in cases]
    times = np.array([life.time for life in lives])
    k, leg = _where(np.argmin(times), times)
    life = lives[k]
    return Lifetime(
        part,
        float(life.load[leg]),
        float(life.turns[leg]),
        float(life.distance[leg]) / KILOMETRE,
        float(life.time[leg]) / HOUR,
        cases[k].load.motion,
        leg + 1,
    )


def _where(index: np.intp, values: Array) -> tuple[int, int]:
    """Motion and actuator of a place in an array of both."""
    motion, actuator = np.unravel_index(index, values.shape)
    return int(motion), int(actuator)
