"""Requirements and objectives of a design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.design.measures import LIMITS, MEASURES, check_known
from gough.errors import GoughError, nearest
from gough.kinematics.workspace.stated_limits import FAMILIES, KEYS, known_limits
from gough.robot import Robot

TRAVEL, ENERGY, DEXTERITY = "travel", "energy", "dexterity"


@dataclass(frozen=True)
class Requirement:
    """A measure that stays within a bound [SI] in every state: at most it, or at least it.

    Large ones are good of stiffness and margins, which are then at least the bound; small ones of
    all else.
    """

    measure: str
    bound: float = 0.0

    @property
    def name(self) -> str:
        """Its name in words."""
        head, _, family = self.measure.partition(".")
        return family if head == LIMITS and family else self.measure.replace("_", " ")


@dataclass(frozen=True)
class Objective:
    """A quantity to minimise, or, with `maximise`, to maximise.

    The name of a measure: its maximum (or minimum) value over all states; or `travel`, from the
    minimum to the maximum position of an actuator over all states; `energy` [J], which
    actuators put in or take out along motions; `dexterity`, the mean of 1 over the condition
    number; or a number of the file, a variable of the design.
    """

    name: str
    maximise: bool = False


@dataclass(frozen=True)
class Extreme:
    """The maximum of a measure's signed values over all states and entries."""

    measure: str
    sign: int
    """-1: for its minimum value."""
    either_sign: bool = False


@dataclass(frozen=True)
class Mean:
    """The sum, or the mean, of a measure over all states."""

    measure: str
    sign: int
    by_time: bool
    """Whether each state counts by its seconds, and their sum is meant."""

    def weights(self, seconds: Array, counted: Array) -> Array:
        """(S) of states that stand for some seconds, and of which some are counted: 1, not 0."""
        return self.sign * (seconds if self.by_time else counted / counted.sum())


@dataclass(frozen=True)
class Own:
    """A variable itself."""

    variable: int
    sign: int


Part = Extreme | Mean | Own


def parts_of(robot: Robot, objective: Objective, variables: tuple[str, ...]) -> list[Part]:
    """An objective as a sum of parts, each to be as small as it can."""
    found = list(_parts(objective, variables))
    for part in found:
        if not isinstance(part, Own):
            check_known(robot, part.measure)
    return found


def _parts(objective: Objective, variables: tuple[str, ...]) -> list[Part]:
    name, sign = objective.name, -1 if objective.maximise else 1
    if name in variables:
        return [Own(variables.index(name), sign)]
    if name == TRAVEL:
        _minimised(objective)
        return [Extreme("position", 1), Extreme("position", -1)]
    if name == ENERGY:
        return [Mean("power_size", sign, by_time=True)]
    if name == DEXTERITY:
        return [Mean("inverse_condition", sign, by_time=False)]
    if name not in MEASURES:
        known = [*MEASURES, TRAVEL, ENERGY, DEXTERITY, *variables]
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"expected one of {', '.join(known)}"
        raise GoughError(f"no objective is called {name!r}; {hint}")
    if MEASURES[name].either_sign:
        _minimised(objective)
    return [Extreme(name, sign, MEASURES[name].either_sign)]


def check_requirement(robot: Robot, requirement: Requirement) -> None:
    """Refuse measures that a robot does not have, and bounds that cannot hold."""
    check_required(robot, requirement.measure)
    bound, known = requirement.bound, MEASURES.get(requirement.measure)
    size = known is not None and known.either_sign
    if not np.isfinite(bound) or (size and bound < 0):
        expected = "a number, at least 0" if size else "a number"
        raise GoughError(f"{requirement.name}: a bound of {bound:g}; expected {expected}")


def check_required(robot: Robot, name: str) -> None:
    """Refuse what no measure is, what a robot has not, and limits that it does not state."""
    head, _, family = name.partition(".")
    if head == LIMITS and (not family or family in FAMILIES):
        if family in KEYS and not known_limits(robot, (family,)):
            raise GoughError(f"{robot.name} states no {family}; expected one")
    elif name in MEASURES:
        check_known(robot, name)
    else:
        known = [LIMITS, *(f"{LIMITS}.{family}" for family in FAMILIES), *MEASURES]
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"expected one of {', '.join(known)}"
        raise GoughError(f"no requirement is called {name!r}; {hint}")


def each_family(robot: Robot, given: Sequence[Requirement]) -> list[Requirement]:
    """Requirements, with that of all limits as one for each family that the robot states.

    A family that has a requirement of its own keeps to that.
    """
    own = {one.measure for one in given}
    measures = [f"{LIMITS}.{family}" for family in (*known_limits(robot, FAMILIES), "singularity")]
    found: list[Requirement] = []
    for one in given:
        spread = [Requirement(name, one.bound) for name in measures if name not in own]
        found += spread if one.measure == LIMITS else [one]
    return found


def _minimised(objective: Objective) -> None:
    if objective.maximise:
        raise GoughError(f"{objective.name} cannot be maximised; expected to minimise it")
