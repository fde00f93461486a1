"""Base parameters: the sums of what bodies weigh that a machine's forces can tell.

Many standard parameters are felt only together, or not at all: a piston's mass as a point of the
platform, a cylinder's not. A rank-revealing factorisation of the regressor at random states finds
the least number of sums that determine all forces [Gautier 1991].
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.digits import short_decimal
from gough.errors import GoughError
from gough.identification.grouping import groups, in_words, independent
from gough.identification.legs import Alike, Sharing, tied
from gough.identification.states import States, random_states
from gough.model.kernels import Kernels
from gough.model.standard import standard_parameters
from gough.robot import Robot
from gough.robot.numbers import matching
from gough.shown.brief import brief

STATES = 200
BARELY = 1e-3
"""What alone explains less than this share of the forces is barely observable."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Columns (T, n, k) beside the regressor, with their names and the robot's own numbers."""

    names: tuple[str, ...]
    columns: Array
    priors: Array
    stated: tuple[str, ...] = ()
    """Names of those that are not estimated: they are as the robot file states them."""


def no_terms(states: States) -> Terms:
    """None."""
    return Terms((), np.empty((len(states.pose), 0)), np.empty(0))


@dataclass(frozen=True)
class BaseParameters:
    """The base parameters of a machine: base = `matrix` · standard parameters."""

    robot: Robot
    alike: Alike
    names: tuple[str, ...]
    """The standard parameter that stands for each group."""
    formulas: tuple[str, ...]
    """Each group as a sum of standard parameters."""
    every: tuple[str, ...]
    """Names of all standard parameters."""
    free: tuple[str, ...]
    """Of those that may differ: of identical legs each counts once."""
    ties: Array
    """E (every x free): all numbers = E · free ones."""
    matrix: Array
    """K (base x free)."""
    described: Array
    """Of the free ones, by the robot as it is described [SI]; of legs that differ the mean."""
    known: AnyArray
    """Which of the free ones are known: they are in no group."""
    kept: AnyArray
    """Places of `names` among the free ones."""
    values: Array
    """Of the robot as it is described [SI]."""
    share: Array
    """Of the forces of a motion, the part (root mean square, of all forces) that only this one
    explains: without it no choice of the others does."""
    condition: float
    """Of the regressor on that motion, all columns of length one."""

    __repr__ = brief

    @property
    def barely(self) -> AnyArray:
        """Whether each is barely observable on that motion."""
        return self.share < BARELY

    @property
    def not_separable(self) -> tuple[str, ...]:
        """The free ones that forces do not tell for themselves: at most a sum that they are in."""
        alone = self.kept[np.count_nonzero(self.matrix, axis=1) == 1]
        hidden = ~self.known
        hidden[alone] = False
        return tuple(name for name, is_hidden in zip(self.free, hidden, strict=True) if is_hidden)

    def table(self) -> str:
        """A line for each: value, share, and the sum that it is."""
        heading = f"{len(self.names)} base parameters of {len(self.free)} standard ones"
        rows = zip(self.values, self.share, self.barely, self.formulas, strict=True)
        lines = (
            f"{short_decimal(value, 5):>10} {share:9.1e}{'*' if barely else ' '} {formula}"
            for value, share, barely, formula in rows
        )
        star = "* barely observable" if self.barely.any() else ""
        return "\n".join((heading, "     value     share  formula", *lines, *filter(None, (star,))))


def base_parameters(
    robot: Robot,
    *,
    legs: Sharing = "independent",
    known: Sequence[str] = (),
    motion: Any = None,
) -> BaseParameters:
    """The base parameters of a robot, and how well a motion shows them.

    With `legs="identical"` legs share their numbers, of machines other than hexapods those that
    are images of each other. Numbers that are `known`, by patterns such as "legs[*].piston", are in
    no sum. A `motion` is three arrays, poses (T, 7), twists (T, 6) and
    accelerations (T, 6); left out, it is random states.
    """
    return grouped(
        Kernels(robot),
        Alike.checked(robot, legs),
        known=lambda names: matching(names, known),
        motion=motion,
    )


def grouped(
    model: Kernels,
    alike: Alike,
    beside: Callable[[States], Terms] = no_terms,
    known: Callable[[list[str]], Collection[str]] = lambda names: (),
    *,
    motion: Any = None,
) -> BaseParameters:
    """The same, where forces are linear in more numbers: those `beside` what bodies weigh.

    A rotor that turns as its arm does is felt only together with the arm. What is `known` of all
    names, or not estimated of those beside, counts as the robot is described.
    """
    states = random_states(model, STATES, np.random.default_rng(0))
    names, columns, own, stated = _linear(model, beside, states)
    free, E = tied(model.robot, names, alike)
    held = {*known(names), *stated}
    fixed = (E[[name in held for name in names]] != 0.0).any(axis=0)
    unknown = columns @ E * ~fixed
    kept = independent(unknown)
    if not (len(kept) or held):
        raise GoughError(f"{model.robot.name}: no force depends on what its bodies weigh")
    K = groups(unknown, kept)
    described = np.linalg.pinv(E) @ own
    values = K @ described
    shown = columns if motion is None else _linear(model, beside, States(*motion))[1]
    share, condition = _observed((shown @ E)[:, kept], values)
    return BaseParameters(
        model.robot,
        alike,
        tuple(free[k] for k in kept),
        tuple(in_words(row, free) for row in K),
        tuple(names),
        tuple(free),
        E,
        K,
        described,
        fixed,
        kept,
        values,
        share,
        condition,
    )


def _linear(
    model: Kernels, beside: Callable[[States], Terms], states: States
) -> tuple[list[str], Array, Array, tuple[str, ...]]:
    """Names of all numbers, the forces by them (T n, p), the robot's own; names not estimated."""
    terms, rows = beside(states), regressor_rows(model, states)
    more = terms.columns.reshape(len(rows), len(terms.names))
    own = np.concatenate([standard_parameters(model.robot), terms.priors])
    names = [*model.standard_names, *terms.names]
    return names, np.column_stack([rows, more]), own, terms.stated


def regressor_rows(model: Kernels, states: States) -> Array:
    """The regressor of all states (T n, p), one row for each force."""
    Y = model.regressor(*states)
    rows = Y.reshape(-1, Y.shape[-1])
    if not np.isfinite(rows).all():
        raise GoughError(
            f"{model.robot.name}: the motion passes a singular pose, or one that it cannot reach"
        )
    return np.asarray(rows)


def _observed(columns: Array, values: Array) -> tuple[Array, float]:
    """The share of the forces that only each column explains, and the condition number."""
    lengths, total = np.linalg.norm(columns, axis=0), np.linalg.norm(columns @ values)
    seen = lengths > 0.0
    if not seen.any():
        return np.zeros(len(lengths)), np.inf
    _, sizes, V = np.linalg.svd(columns[:, seen] / lengths[seen], full_matrices=False)
    sizes = np.maximum(sizes, np.finfo(float).eps * sizes[0])
    alone = np.zeros(len(lengths))
    alone[seen] = lengths[seen] / np.linalg.norm(V.T / sizes, axis=1)
    condition = float(sizes[0] / sizes[-1]) if seen.all() else np.inf
    return alone * np.abs(values) / (total or 1.0), condition
