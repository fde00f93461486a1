"""What tolerances of a machine's numbers do to its pose, its forces and its margins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Literal, get_args

import numpy as np

from gough.arrays import Array
from gough.digits import ROUNDING, short_decimal
from gough.errors import GoughError
from gough.executors import Executor
from gough.kinematics.model import Model
from gough.kinematics.tolerances.drawn import Drawn, drawn
from gough.kinematics.tolerances.linear import (
    deviations,
    force_changes,
    margin_changes,
    pose_changes,
)
from gough.kinematics.tolerances.spread import Spread, spread_of
from gough.kinematics.workspace.reach import margins
from gough.poses.given import check_batches, finite
from gough.robot import Robot
from gough.robot.numbers import parameters_of
from gough.shown import Fact, card, facts, grid

Effect = Literal["way", "turn", "force", "margin"]
Grouping = Literal["number", "joint", "pattern"]

EFFECTS: tuple[Effect, ...] = get_args(Effect)
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
_SHOWN = 8
"""So many contributions are in a card."""
SAID: tuple[Effect, ...] = ("way", "turn", "force")
"""What contributions are shown of; those to margins are in tables only."""
_DIGITS = 9
_POSSIBLE = 1e-9
"""What is off by less [m, rad] is a pose that the machine can take."""


@dataclass(frozen=True, eq=False)
class Tolerances:
    """What errors of a machine's numbers do at poses (...), when it is commanded as drawn.

    Changes are those by one standard deviation of each of k numbers, by exact derivatives;
    deviations are what all of them make together. Displacements are the way of the platform's
    origin and a rotation vector, both in base axes.
    """

    robot: Robot
    spread: Spread
    pose: Array
    """(..., 7) what the machine is told to take."""
    pose_changes: Array
    """(..., 6, k) displacement from it [m, rad]."""
    force: Array
    """(..., n) of the actuators [N, N m] without errors."""
    force_changes: Array
    """(..., n, k) [N, N m]"""
    margin: Array
    """(..., 5) within each kind of limit without errors, as `gough.kinematics.margins`."""
    margin_changes: Array
    """(..., 5, k)"""
    drawn: Drawn | None = None
    """The same of machines drawn at random, if there are some."""

    @cached_property
    def covariance(self) -> Array:
        """(..., 6, 6) of the displacement [m, rad]."""
        return np.asarray(self.pose_changes @ np.swapaxes(self.pose_changes, -1, -2))

    @property
    def pose_deviation(self) -> Array:
        """(..., 6) standard deviation of the displacement [m, rad]."""
        return deviations(self.pose_changes)

    @property
    def way(self) -> Array:
        """(...) root mean square of the way from the pose [m]."""
        return np.asarray(np.linalg.norm(self.pose_deviation[..., :3], axis=-1))

    @property
    def turn(self) -> Array:
        """(...) root mean square of the angle from the pose [rad]."""
        return np.asarray(np.linalg.norm(self.pose_deviation[..., 3:], axis=-1))

    @property
    def force_deviation(self) -> Array:
        """(..., n) standard deviation of the actuators' forces [N, N m]."""
        return deviations(self.force_changes)

    @property
    def margin_deviation(self) -> Array:
        """(..., 5) standard deviation of the margins."""
        return deviations(self.margin_changes)

    def shares(self, of: Effect = "way", by: Grouping = "joint") -> dict[str, float]:
        """How much of the variance comes from where, the most first; together they are 1.

        Over all poses together: of the "way", of the "turn", or on average of every actuator's
        "force" or kind of limit's "margin" that varies. By "number", by "joint" (all numbers of
        one vector or tensor), or by the "pattern" of the spread. All are 0, if nothing varies.
        """
        squares = self._variances(of)
        names, whole = self.groups(by), float(squares.sum()) or 1.0
        shares = dict.fromkeys(names, 0.0)
        for name, square in zip(names, squares, strict=True):
            shares[name] += float(square) / whole
        return _ranked(shares)

    def table(self, by: Grouping = "joint") -> dict[str, list[Any]]:
        """Columns by heading: what each contributes to the rms way and turn alone, and its shares.

        At all poses together; first comes what has most of way, turn or force.
        """
        shares = {of: self.shares(of, by) for of in EFFECTS}
        names = list(_ranked({n: max(shares[of][n] for of in SAID) for n in self.groups(by)}))
        way, turn = (float(np.sqrt(np.mean(np.square(x)))) for x in (self.way, self.turn))
        columns: dict[str, list[Any]] = {
            by: names,
            "way [m]": [way * sqrt(shares["way"][name]) for name in names],
            "turn [rad]": [turn * sqrt(shares["turn"][name]) for name in names],
        }
        return columns | {f"share of {of}": [shares[of][n] for n in names] for of in EFFECTS}

    def __repr__(self) -> str:
        count = int(np.prod(self.pose.shape[:-1]))
        poses = "1 pose" if count == 1 else f"{count} poses"
        return (
            f"<gough tolerances of {self.robot.name}: {len(self.spread.places)} numbers, {poses}, "
            f"way {_largest(self.way)} m, turn {_largest(self.turn)} rad>"
        )

    def _repr_html_(self) -> str:
        known = facts([
            Fact("numbers with errors", str(len(self.spread.places))),
            Fact("way, rms", _largest(self.way), "m"),
            Fact("turn, rms", _largest(self.turn), "rad"),
            Fact("force, standard deviation", _largest(self.force_deviation), "N, N m"),
        ])  # fmt: skip
        names, *shares = (self.table()[key] for key in ("joint", *map("share of {}".format, SAID)))
        rows = [
            [name, *(f"{100 * share:.1f}" for share in own)]
            for name, *own in zip(names[:_SHOWN], *shares, strict=False)
        ]
        listed = grid(("from", *(f"% of {of}" for of in SAID)), rows, range(1, len(SAID) + 1))
        return card(self.robot.name, "tolerances", known, listed)

    def _variances(self, of: str) -> Array:
        """(k) what each number makes of an effect, in some measure."""
        if of not in EFFECTS:
            raise GoughError(f"no effect {of!r}; expected one of {', '.join(EFFECTS)}")
        if of in ("way", "turn"):
            rows = slice(0, 3) if of == "way" else slice(3, 6)
            return np.asarray(np.square(self._flat(self.pose_changes)[:, rows]).sum((0, 1)))
        changes = self.force_changes if of == "force" else self.margin_changes
        each = np.square(self._flat(changes)).sum(0)
        whole = each.sum(-1, keepdims=True)
        varies = whole > ROUNDING**2
        return np.asarray(np.divide(each, whole, where=varies, out=np.zeros_like(each)).sum(0))

    def _flat(self, changes: Array) -> Array:
        return changes.reshape(-1, *changes.shape[-2:])

    def groups(self, by: Grouping) -> list[str]:
        """(k) where each number belongs: see `shares`."""
        if by not in GROUPINGS:
            raise GoughError(f"no grouping by {by!r}; expected one of {', '.join(GROUPINGS)}")
        if by == "pattern":
            return [self.spread.patterns[k] for k in self.spread.pattern]
        return self.spread.names if by == "number" else self.spread.joints


_BYTES = 8 * 6 * 6
"""Memory that the changes of a pose, its forces and its margins by one number take."""


def tolerances(
    robot: Robot | Model,
    poses: Any = None,
    spread: Mapping[str, Any] | Spread | None = None,
    *,
    twist: Any = None,
    acceleration: Any = None,
    wrench: Any = None,
    robots: int = 0,
    seed: int = 0,
    progress: bool = False,
    executor: Executor = None,
) -> Tolerances:
    """What errors of a machine's numbers do at poses (..., 7), by default home.

    The machine is commanded as if it had none, and takes another pose. `spread` says how large
    they are, by names and patterns of parameters: `{"legs[*].base": "50 um", "platform.mass":
    "1 %"}` are standard deviations of normal errors, "±50 um" is a tolerance within which all
    errors are alike probable. All errors are independent of each other.

    Forces are those that hold the machine at rest at the pose it takes, under a wrench (..., 6)
    [N, N m]; or with a twist and an acceleration (..., 6) those of a motion which has these.

    Results are by exact derivatives. So many `robots` are besides drawn at random, from a seed,
    and their poses, forces and margins found one by one: where `executor` says, see
    `gough.executors`.
    """
    model = robot if isinstance(robot, Model) else Model(robot)
    own = model.own_robot("a study of tolerances")
    given = {} if spread is None else spread
    chosen = given if isinstance(given, Spread) else spread_of(own, given)
    each = _BYTES * max(len(chosen.names), 1)
    at = finite(own.home if poses is None else poses, "poses", 7, bytes_each=each)
    given = {"twist": twist, "acceleration": acceleration, "wrench": wrench}
    loads = [np.zeros(6) if x is None else finite(x, name, 6) for name, x in given.items()]
    batches = {name: x.shape[:-1] for name, x in zip(("poses", *given), (at, *loads), strict=True)}
    check_batches(**batches)
    at = np.broadcast_to(at, (*np.broadcast_shapes(*batches.values()), 7))
    _check_possible(model, at)
    model.checked_inverse_dynamics(at, *loads)  # names what is singular
    force = model.actuator_force(at, *loads)
    numbers = parameters_of(own)
    displacements = pose_changes(chosen, numbers, at)
    return Tolerances(
        own,
        chosen,
        at,
        displacements,
        np.asarray(force),
        force_changes(chosen, numbers, at, loads, displacements),
        margins(model, at),
        margin_changes(chosen, numbers, at, displacements),
        drawn(chosen, at, loads, robots, seed, progress=progress, executor=executor)
        if robots
        else None,
    )


def _check_possible(model: Model, poses: Array) -> None:
    """Refuse poses that a machine of fewer freedoms cannot take."""
    off = np.abs(model.possible_pose(poses).step).max(-1)
    if not (off <= _POSSIBLE).all():
        index = tuple(int(k) for k in np.argwhere(~(off <= _POSSIBLE))[0])
        raise GoughError(
            f"{model.robot.name} moves in {' '.join(model.structure.freedoms)} only and cannot "
            f"take the pose {poses[index].tolist()}; expected poses as model.possible_pose gives"
        )


def _ranked(shares: dict[str, float]) -> dict[str, float]:
    """The most first; those that are alike by symmetry stay in the order of the file."""
    return dict(sorted(shares.items(), key=lambda item: -round(item[1], _DIGITS)))


def _largest(values: Array) -> str:
    return short_decimal(float(np.max(values, initial=0.0)))
