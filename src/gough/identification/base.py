"""Base parameters: identifiable sums of the bodies' inertial parameters.

Many standard parameters are identifiable only together, or not at all: a piston's mass as a point
of the platform, a cylinder's not. A rank-revealing factorisation of the regressor at random states
finds the minimum number of sums that determine all forces [Gautier 1991].
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from gough.arrays import AnyArray, Array
from gough.digits import short_decimal
from gough.display import Brief
from gough.errors import GoughError
from gough.identification.legs import Shared, Sharing, checked_sharing, tied
from gough.identification.measured import random_states, working_basis, working_part
from gough.model import Kernels, standard_parameters
from gough.motion import MotionSamples
from gough.robot import Robot, matching

RANK = 1e-9  # a column of length one is a sum of those before it if less than this is left of it
FACTOR = 1e-8  # fraction of the maximum factor in a sum below which factors are rounding errors
_DIGITS = 4

STATES = 200
BARELY = 1e-3  # share of the forces below which a sum that alone explains them is barely observable


@dataclass(frozen=True, eq=False)
class Terms:
    """Columns (T, n, k) beside the regressor, with their names and the robot's own numbers."""

    names: tuple[str, ...]
    columns: Array
    priors: Array
    stated: tuple[str, ...] = ()  # those that are not estimated: as the robot file states them


@dataclass(frozen=True, repr=False)
class BaseParameters(Brief):
    """The base parameters of a machine: base = `matrix` · standard parameters.

    >>> import gough
    >>> gough.base_parameters(gough.load("five-bar")).names[0]
    'platform.mass'
    """

    robot: Robot
    names: tuple[str, ...]
    """The standard parameter that stands for each group."""
    formulas: tuple[str, ...]
    """Each group as a sum of standard parameters."""
    every: tuple[str, ...]
    """Names of all standard parameters."""
    free: tuple[str, ...]
    """Names of the parameters that may differ: those of identical legs count once."""
    ties: Array
    """E (every x free): all numbers = E · free ones."""
    matrix: Array
    """K (base x free)."""
    described: Array
    """Prior values of the free ones, from the robot file; of legs that differ the mean."""
    known: AnyArray
    """Which of the free ones are known: they are in no group."""
    pivots: AnyArray
    """Places of `names` among the free ones."""
    values: Array
    """Prior values from the robot file."""
    share: Array
    """Part of the forces of a motion (root mean square, of all forces) that only this one
    explains: without it no choice of the others does."""
    condition: float
    """Condition number of the regressor on that motion, with all columns of length one."""

    @property
    def barely(self) -> AnyArray:
        """Whether each is barely observable on that motion."""
        return self.share < BARELY

    @property
    def not_separable(self) -> tuple[str, ...]:
        """The free ones that forces do not tell for themselves: at most a sum that they are in."""
        hidden = ~self.known
        hidden[separable(self.pivots, self.matrix)] = False
        return tuple(np.array(self.free)[hidden].tolist())

    def table(self) -> str:
        """A line for each: value, share, and the sum that it is."""
        heading = f"{len(self.names)} base parameters of {len(self.free)} standard ones"
        rows = zip(self.values, self.share, self.barely, self.formulas, strict=True)
        lines = (
            f"{short_decimal(value, 5):>10} {share:9.1e}{'*' if barely else ' '} {formula}"
            for value, share, barely, formula in rows
        )
        star = ["* barely observable"] if self.barely.any() else []
        return "\n".join([heading, "     value     share  formula", *lines, *star])


def base_parameters(
    robot: Robot, *, legs: Sharing = "independent", known: Sequence[str] = (), motion: object = None
) -> BaseParameters:
    """The base parameters of a robot, and how well a motion shows them.

    With `legs="identical"` legs share their numbers, of machines other than hexapods those that
    are images of each other. Numbers that are `known`, by patterns such as "legs[*].piston", are in
    no sum. A `motion` is three arrays, poses (T, 7), twists (T, 6) and
    accelerations (T, 6); left out, it is random states.

    >>> import gough
    >>> base = gough.base_parameters(gough.load("five-bar"))
    >>> len(base.names), base.names[0], float(base.values[0].round(3))
    (11, 'platform.mass', 0.365)
    """
    sharing = checked_sharing(robot, legs=legs)
    return grouped(Kernels(robot), sharing, known=lambda n: matching(n, known), motion=motion)


def grouped(
    model: Kernels,
    sharing: Shared,
    beside: Callable[[MotionSamples], Terms] | None = None,
    known: Callable[[list[str]], Collection[str]] = lambda names: (),
    *,
    motion: Any = None,
) -> BaseParameters:
    """Return base parameters where forces are linear in more numbers: those `beside` inertial ones.

    A rotor that turns with its arm is identifiable only together with the arm. Names that are
    `known`, or not estimated of those beside, keep the robot file's values.
    """
    states = random_states(model, STATES, np.random.default_rng(0))
    names, columns, own, stated = _linear(model, beside, states)
    free, E = tied(model.robot, names, sharing)
    held = {*known(names), *stated}
    fixed = (E[[name in held for name in names]] != 0.0).any(axis=0)
    unknown = columns @ E * ~fixed
    pivots = independent(unknown)
    if not (len(pivots) or held):
        raise GoughError(f"{model.robot.name}: no force depends on what its bodies weigh")
    K = groups(unknown, pivots)
    described = np.linalg.pinv(E) @ own
    values = K @ described
    shown = columns if motion is None else _linear(model, beside, MotionSamples(*motion))[1]
    share, condition = _observed((shown @ E)[:, pivots], values)
    return BaseParameters(
        model.robot,
        tuple(free[k] for k in pivots),
        tuple(in_words(row, free) for row in K),
        *(tuple(names), tuple(free), E, K, described, fixed, pivots, values, share, condition),
    )


def _linear(
    model: Kernels, beside: Callable[[MotionSamples], Terms] | None, states: MotionSamples
) -> tuple[list[str], Array, Array, tuple[str, ...]]:
    """Names of all numbers, the forces by them (T n, p), the robot's own; names not estimated."""
    names, rows = [*model.standard_names], regressor_rows(model, states)
    own = standard_parameters(model.robot)
    if beside is None:
        return names, rows, own, ()
    terms = beside(states)
    more = working_part(working_basis(model, states.pose), terms.columns)
    more = more.reshape(len(rows), len(terms.names))
    every = np.column_stack([rows, more]), np.concatenate([own, terms.priors])
    return [*names, *terms.names], *every, terms.stated


def regressor_rows(model: Kernels, states: MotionSamples) -> Array:
    """The regressor of all states (T n, p), one row for each force that does work."""
    Y = working_part(working_basis(model, states.pose), model.regressor(*states))
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


def independent(columns: Array) -> AnyArray:
    """Places of the columns that are no sum of those before them: these stand for groups."""
    lengths = np.linalg.norm(columns, axis=0)
    unit = columns / np.where(lengths > 0.0, lengths, 1.0)
    pivots, basis = list[int](), np.empty((len(columns), 0))
    for k in np.flatnonzero(lengths > RANK * lengths.max(initial=0.0)):
        left = unit[:, k]
        for _ in range(2):  # once more, for what rounding left
            left = left - basis @ (basis.T @ left)
        if (size := np.linalg.norm(left)) > RANK:
            pivots.append(int(k))
            basis = np.column_stack([basis, left / size])
    return np.array(pivots, dtype=int)


def separable(pivots: AnyArray, K: Array) -> AnyArray:
    """Places of the numbers that are a group each by itself."""
    return np.asarray(pivots[np.count_nonzero(K, axis=1) == 1])


def groups(columns: Array, pivots: AnyArray) -> Array:
    """K (pivots x all): columns = columns[:, pivots] K; K times all numbers are the groups'."""
    if not len(pivots):
        return np.zeros((0, columns.shape[1]))
    lengths = np.linalg.norm(columns[:, pivots], axis=0)
    factors = linalg.lstsq(columns[:, pivots] / lengths, columns)[0]
    size = np.linalg.norm(columns, axis=0)
    factors[np.abs(factors) < np.maximum(FACTOR * size, RANK * size.max())] = 0.0
    K = factors / lengths[:, None]
    K[:, pivots] = np.eye(len(pivots))
    return np.asarray(K)


def in_words(factors: Array, names: Sequence[str]) -> str:
    """A sum of named numbers, such as `platform.mass + 0.5 legs[0].piston.mass`."""
    terms = []
    for k in np.flatnonzero(factors).tolist():
        size, sign = abs(factors[k]), "-" if factors[k] < 0 else "+"
        number = "" if abs(size - 1.0) < RANK else f"{short_decimal(size, _DIGITS)} "
        terms.append(f"{sign} {number}{names[k]}")
    return " ".join(terms).removeprefix("+ ")
