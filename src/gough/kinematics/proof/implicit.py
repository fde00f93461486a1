"""Coordinates without a closed form over boxes: enclosed by Krawczyk's test, each box for itself.

Joints of legs that are solved by iteration, and steps of a platform whose dependent coordinates
follow from others, are coordinates y of their own, with as many gaps g(y, x) of constraint rows
that close at coordinates x of the box. With C, about the inverse of ∂g/∂y in the middle, y0 + s
(x - c) closes them about: s = -C ∂g/∂x. The map N(y) = y - C g(y, x) of all y within r of that, for
all x within h of c, is within |C g(y0, c)| + |C dg/dx| h + |1 - C ∂g/∂y| r of it, dg/dx being
slopes along s and r = 0, ∂g/∂y those over both boxes. Where that is less than r, component by
component, N maps the box of y into itself and contracts in the norm with the weights r: so C is
regular, and for each x exactly one y there closes all gaps, which depends smoothly on x [Krawczyk
1969; Neumaier 1990, section 5.1]. Slopes are bounded by their own slopes in turn: C times their
middle and second derivatives is far less than C times bounds of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler import Argument, Function, Kernel, compiled
from gough.equations.closure.assembled import assembled, posture
from gough.equations.closure.constraint_rows import PlatformPlacement, row_gaps
from gough.equations.machine import Following, Leg, Machine, Positions
from gough.equations.spatial.algebra import Value, rotation
from gough.equations.spatial.attitude import euler_quaternion, quaternion_product
from gough.equations.spatial.pose import nudge, turn_between
from gough.equations.tree.joints import Position, Turn
from gough.errors import CompilerError, GoughError
from gough.kinematics.freedoms.nearest_pose import loop_closing
from gough.model import Machines, machine_of
from gough.robot import Robot

_ROUNDS = 6
"""Trials of a box of y, each of which is larger than the one before."""
ROUNDING = 1 + 1e-12
"""More than the rounding of sums of at most 1000 positive numbers."""
_WIDEST = 1.0
"""Radius of a box of y beyond which no larger one is tried [rad, m]."""
_CORRECTIONS = 4
"""Steps of Newton's method to y of other numbers than those of the file, or of a point nearby."""
_WAY = 16
"""Points from the middle to one that iteration does not reach."""
_SHORTEST = 1e-13
"""The first radius of a box of y, over sizes of numbers."""


def moved(middle: Value, step: Value) -> Value:
    """Return the pose at a step x y z, roll pitch yaw from a pose, about base axes."""
    turned = quaternion_product(euler_quaternion("xyz", step[3:]), middle[3:])
    return ca.vertcat(middle[:3] + step[:3], turned)


@dataclass(frozen=True)
class Implicit:
    """Coordinates without a closed form of a robot: of its iterated legs, then of its platform."""

    robot: Robot

    @cached_property
    def _machine(self) -> Machine | None:
        return None if self.robot.has_extensible_legs else machine_of(self.robot)

    @cached_property
    def legs(self) -> tuple[int, ...]:
        """The legs that are solved by iteration."""
        legs = self._machine.legs if self._machine else ()
        return tuple(k for k, leg in enumerate(legs) if leg.iterated)

    @cached_property
    def steps(self) -> int:
        """Number of dependent coordinates of the platform."""
        machine = self._machine
        if machine is None or machine.freedom.T is not None:
            return 0
        return int(machine.freedom.outside.shape[0])

    @cached_property
    def count(self) -> int:
        """Number of all these coordinates."""
        machine = self._machine
        return self.steps + sum(len(machine.legs[k].joints) for k in self.legs if machine)

    @property
    def follows(self) -> bool:
        """Whether rates of joints of iterated legs are derivatives of y alone."""
        return bool(self.legs) and not self.steps

    def arguments(self, *names: str, derivatives: int = 0) -> list[Argument]:
        """Return inputs of a function, by their names; none for a robot in closed form.

        With derivatives by displacements of the platform behind them, of so many orders.
        """
        size = self.count * (1, 7, 28)[derivatives]
        return [Argument(name, (size,)) for name in names if self.count]

    def refuse(self, machines: Machines) -> None:
        """Refuse a geometry that varies, where positions of joints are implicit."""
        if self.legs and machines.family:
            raise GoughError(
                f"{self.robot.name}: {machines.family[0]} changes the geometry of a robot whose "
                "joint positions have no closed form; expected other numbers, such as a range"
            )

    def closed(self, machine: Machine, given: Value, y: Value) -> tuple[Machine, Value]:
        """Return the machine whose iterated legs are at y, and its possible pose.

        Where y has derivatives by displacements of the platform joints follow these.
        """
        if not self.count:
            return machine, given
        legs, first = list(machine.legs), 0
        each = ca.horzsplit(ca.reshape(y, self.count, -1))
        y, derivatives = each[0], each[1:]
        known = {x.element_hash() for x in ca.symvar(ca.vertcat(ca.vec(ca.SX(given)), ca.SX(y)))}
        for k in self.legs:
            count = len(legs[k].joints)
            own, at_home = y[first : first + count], self.at_home[first : first + count]
            legs[k] = replace(legs[k], positions=_positions(legs[k], own, at_home, known))
            if derivatives:
                parts = [part[first : first + count] for part in derivatives]
                legs[k] = replace(legs[k], following=_following(parts))
            first += count
        dependent = machine.in_base_axes(machine.freedom.outside.T) if self.steps else None
        pose = given if dependent is None else nudge(given, dependent @ y[first:])
        return replace(machine, legs=tuple(legs)), pose

    def gaps(
        self, machine: Machine, given: Value, y: Value, displaced: Value | None = None
    ) -> Value:
        """Return as many gaps of constraint rows, which y closes.

        The platform may be `displaced` from its pose in any way, by a small step (6) about the
        machine's axes: to the second order by the exponential of its rotation vector.
        """
        own, pose = self.closed(machine, given, y)
        at, found = assembled(own, pose), list[Value]()
        platform = at.platform
        if displaced is not None:
            turned = rotation(ca.vertcat(0, 0, 0, 1, displaced[3:] / 2)) @ platform.rotation
            platform = PlatformPlacement(platform.position + displaced[:3], turned)
        for k, leg in enumerate(at.legs):
            plan = leg.leg.plan
            rows = [*plan.driven_rows, *plan.passive_rows] if k in self.legs else []
            rows += plan.left if self.steps else []
            if rows:  # a closed form may reach a point that the leg cannot, by stretching turns
                rigid = [x.unit() if isinstance(x, Turn) else x for x in leg.positions]
                gaps = row_gaps(posture(leg.leg, rigid, platform).cuts)
                found += [gaps[row] for row in rows]
        return ca.vertcat(*found)

    def solved(self, machine: Machine, given: Value) -> Value:
        """Return y of a pose, by iteration."""
        pose = loop_closing(self.robot)(given)[0]
        at, turn = assembled(machine, pose), turn_between(pose, given)
        step = machine.in_own_axes(ca.vertcat(pose[:3] - given[:3], 2 * turn[1:4] / turn[0]))
        steps = [machine.freedom.outside @ step] if self.steps else []
        return ca.vertcat(*(x for k in self.legs for x in at.legs[k].joint_positions), *steps)

    @cached_property
    def at_home(self) -> Array:
        """Numbers of y at home."""
        return np.asarray(_solved(Machines(self.robot))(np.zeros(6), np.array(self.robot.home)))


def _positions(leg: Leg, q: Value, at_home: Array, known: set[int]) -> Positions:
    """Joint positions that are given: those of home at a place of numbers, else q.

    Refused at a place of other symbols than the `known` ones: q follows these, and not a pose by
    which an equation is differentiated.
    """

    def found(position: Value, rotation: Value) -> list[Position]:
        place = ca.vertcat(ca.vec(ca.SX(position)), ca.vec(ca.SX(rotation)))
        if not {x.element_hash() for x in ca.symvar(place)} <= known:
            raise CompilerError("it has derivatives by the pose of legs that iterate")
        at = ca.DM(at_home) if place.is_constant() else q
        return [joint.position(at[k]) for k, joint in enumerate(leg.joints)]

    return found


PAIRS = tuple((j, k) for j in range(6) for k in range(j, 6))
"""Pairs of displacements, in the order of second derivatives."""


def _following(derivatives: Sequence[Value]) -> Following:
    """Rates of joints by derivatives of their positions by displacements of the platform."""
    first = ca.horzcat(*derivatives[:6])

    def second(V: Value, V_dot: Value) -> Value:
        found = first @ V_dot
        for (j, k), bent in zip(PAIRS, derivatives[6:], strict=True):
            found += bent * (V[j] ** 2 if j == k else 2 * V[j] * V[k])
        return found

    return Following(first, second)


class Enclosed(NamedTuple):
    """Bounds of y over n boxes; NaN where nothing is known."""

    box: Array
    """(n, y, 2)"""
    near: Array
    """(n, y) at the middle, about."""
    tilt: Array
    """(n, v, y) slopes by the coordinates that vary, about."""
    slopes: Array
    """(n, v, y, 2) bounds of the derivatives, less these slopes."""
    middle: Array
    """(n, x)"""
    error: Array
    """(n, y) no other solution is within so much of near + tilt (x - middle)."""


class Enclosing:
    """Enclosures of y over boxes (n, x, 2) around a pose: numbers of the robot, then steps."""

    def __init__(self, machines: Machines, middle: Array) -> None:
        self.machines, self.middle = machines, middle
        self.count = Implicit(machines.robot).count
        self.first = len(machines.names) if machines.parametric else 0
        self.size = self.first + 6

    def near(self, x: Array) -> Array:
        """Return y (n, y) at points (n, x), about.

        Where iteration from home finds none, y is followed from the middle to the point, unless
        each point has a middle of its own.
        """
        solved, steps = _solved(Machines(self.machines.robot)), x[:, self.first : self.size]
        y = np.array(solved(steps, self.middle))
        lost = np.flatnonzero(~np.isfinite(y).all(-1))
        if len(lost) and self.middle.ndim == 1:
            way = x[lost]
            y[lost] = solved(np.zeros(6), self.middle)
            for share in np.arange(1, _WAY + 1) / _WAY:
                way[:, self.first : self.size] = share * steps[lost]
                y[lost] = self._corrected(way, y[lost])
        return self._corrected(x, y) if self.first else y  # from the file's numbers to others

    def _corrected(self, x: Array, y: Array) -> Array:
        """Return y (n, y) at points after steps of Newton's method."""
        _, alone = self._directions(np.arange(0), np.zeros((len(y), 0, self.count)))
        for _ in range(_CORRECTIONS):
            at = twice(x[:, : self.size]), twice(y)
            inverse = _inverses(self._slopes(*at, *alone)[0].mean(-1))
            y = y - np.einsum("nyk,nk->ny", inverse, self._gaps(*at).mean(-1))
        return y

    def over(self, boxes: Array, varied: AnyArray, shortest: float = _SHORTEST) -> Enclosed:
        """Enclose y in boxes where exactly one solution is: y0 + tilt (x - c), and an error.

        `shortest` is the first radius that is tried, over sizes of numbers.
        """
        tilted, tried, image = self.proved(boxes, varied, shortest)
        slopes = np.zeros((len(boxes), len(varied), self.count, 2))
        own = varied < self.size
        slopes[:, own], _ = self.derivatives(tilted, tried, image)
        full = np.zeros(slopes.shape[:-1])
        full[:, own] = tilted.tilt
        return Enclosed(tilted.around(image), tilted.y, full, slopes, tilted.c, tried)

    def derivatives(self, box: _Tilted, tried: Array, image: Array) -> tuple[Array, Array]:
        """Bounds of slopes of y by the coordinates that vary, less the tilt; those of the map."""
        with np.errstate(invalid="ignore", over="ignore"):
            tilt = box.tilt
            drift, by_y = (self._mapped(box, image, *d) for d in self._directions(box.moves, tilt))
        return implicit_slopes(drift, by_y, tried), by_y

    def proved(
        self, boxes: Array, varied: AnyArray, shortest: float = _SHORTEST
    ) -> tuple[_Tilted, Array, Array]:
        """Boxes of y around a tilt, the error that was tried, and that of its image, or NaN."""
        x, own = boxes[:, : self.size], varied < self.size
        c, moves = np.clip(x.mean(-1), x[..., 0], x[..., 1]), varied[own]
        y = self.near(c)
        sides, at = x[:, moves], c[:, moves]
        half = np.maximum(sides[..., 1] - at, at - sides[..., 0]) * ROUNDING
        by_x, by_y = (
            self._slopes(twice(c), twice(y), *d)[0].mean(-1)
            for d in self._directions(moves, np.zeros((len(y), len(moves), self.count)))
        )
        inverse = _inverses(by_y)
        tilt = -np.einsum("nyk,nvk->nvy", inverse, by_x)
        away = magnitude(times(inverse, self._gaps(twice(c), twice(y))[:, None]))[:, 0]
        along, alone = self._directions(moves, tilt)
        tilted = _Tilted(x, c, y, half, tilt, inverse, moves, *along)
        with np.errstate(invalid="ignore", over="ignore"):
            drift = self._mapped(tilted, np.zeros(y.shape), *along)
            away = away + np.einsum("nvy,nv->ny", magnitude(drift), half)
            error = 1.5 * away + shortest * (1 + np.abs(y))
            for _ in range(_ROUNDS):
                tried = error
                by_y = self._mapped(tilted, tried, *alone)
                image = (away + np.einsum("nzy,nz->ny", magnitude(by_y), tried)) * ROUNDING
                proved = (image < tried).all(-1)
                error = np.where(proved[:, None], tried, 1.5 * image + 1e-3 * tried)
                if (proved | ~(image < _WIDEST).all(-1)).all():
                    break
            tried, image = (np.where(proved[:, None], r, np.nan) for r in (tried, image))
        return tilted, tried, image

    def _directions(self, moves: AnyArray, tilt: Array) -> Iterator[tuple[Array, Array]]:
        """Directions of x and y: each coordinate that varies with y that follows, each y alone."""
        n, (v, count) = len(tilt), tilt.shape[1:]
        yield np.broadcast_to(np.eye(self.size)[moves], (n, v, self.size)), np.nan_to_num(tilt)
        yield np.zeros((n, count, self.size)), np.broadcast_to(np.eye(count), (n, count, count))

    def _mapped(self, box: _Tilted, error: Array, d_x: Array, d_y: Array) -> Array:
        """Bounds (n, d, y, 2) of slopes of the map y - C g less those of y - tilt x.

        They are those of their formulas over the box, or those in the middle of all steps plus
        their own slopes by steps, along the tilt, times half sides, where these are narrower.
        """
        stepped = np.asarray(box.d_x[..., self.first :].any((0, 2)))
        natural, bent = self._slopes(box.x, box.around(error), d_x, d_y, box.d_x[:, stepped],
                                     box.d_y[:, stepped])  # fmt: skip
        found = times(box.inverse, natural)
        if bent is not None:
            thin = np.concatenate([box.x[:, : self.first], twice(box.c[:, self.first :])], axis=1)
            near = box.around(error, ~stepped)
            at = times(box.inverse, self._slopes(thin, near, d_x, d_y)[0])
            n, d, v = bent.shape[:3]
            bent = times(box.inverse, bent.reshape(n, d * v, -1, 2)).reshape(n, d, v, -1, 2)
            away = np.einsum("ndvy,nv->ndy", magnitude(bent), box.half[:, stepped]) * ROUNDING
            low = np.maximum(found[..., 0], at[..., 0] - away)
            high = np.minimum(found[..., 1], at[..., 1] + away)
            found = outward(np.stack([low, high], -1))
        own = d_y * ~np.asarray(d_x.any(-1, keepdims=True))  # of y alone: it is in the map itself
        return outward(own[..., None] - found[..., ::-1])

    def _slopes(
        self, x: Array, y: Array, d_x: Array, d_y: Array, *second: Array
    ) -> tuple[Array, Array | None]:
        """Bounds (n, d, gap, 2) of slopes of gaps over boxes along directions (n, d, .).

        And those of their own slopes (n, d, v, gap, 2) along second ones (n, v, .).
        """
        kernel, along = _slopes_over_boxes(self.machines), twice(np.concatenate([d_x, d_y], -1))
        given = self._given(x, y)
        if not second or not second[0].shape[1]:
            value, _ = kernel(*(a[:, None] for a in given), along)
            return value, None
        e_x, e_y = (d[:, None] for d in second)
        parts = [e_x[..., : self.first], e_x[..., self.first :], e_y][0 if self.first else 1 :]
        value, bent = kernel(*(a[:, None, None] for a in given), along[:, :, None], *parts)
        return value[:, :, 0], bent

    def _gaps(self, x: Array, y: Array) -> Array:
        return np.asarray(_gaps_over_boxes(self.machines)(*self._given(x, y)))

    def _given(self, x: Array, y: Array) -> list[Array]:
        """Bounds of all inputs of gaps: numbers that vary, steps, y, poses in the middle."""
        middles = np.broadcast_to(twice(self.middle), (len(x), 7, 2))
        return [x[:, : self.first], x[:, self.first :], y, middles][0 if self.first else 1 :]


class _Tilted(NamedTuple):
    """Boxes (n, x, 2) around c, with y0 + tilt (x - c) along directions d_x, d_y."""

    x: Array
    c: Array
    y: Array
    half: Array
    tilt: Array
    inverse: Array
    moves: AnyArray
    d_x: Array
    d_y: Array

    def around(self, error: Array, which: AnyArray | slice = slice(None)) -> Array:
        """Bounds of y with an error, along those `which` of the coordinates."""
        along = np.einsum("nvy,nv->ny", np.abs(self.tilt[:, which]), self.half[:, which])
        radius = (along + error) * ROUNDING
        return outward(np.stack([self.y - radius, self.y + radius], -1))


def twice(x: Array) -> Array:
    """Bounds (..., 2) of numbers."""
    return np.stack([x, x], -1)


def outward(bounds: Array) -> Array:
    """Bounds that are rounded outward, of ends that are rounded to nearest."""
    return np.asarray(np.nextafter(bounds, np.array([-np.inf, np.inf])))


def with_all(tilt: Array) -> Array:
    """Directions of y: along a tilt (n, v, y), then each y alone: (n, v + y, y)."""
    n, _, count = tilt.shape
    alone = np.broadcast_to(np.eye(count), (n, count, count))
    return np.concatenate([np.nan_to_num(tilt), alone], axis=1)


def _inverses(matrices: Array) -> Array:
    """Inverses (n, y, k) of slopes of gaps (n, y, k) by y, NaN of singular ones."""
    found = np.full(matrices.shape, np.nan)
    known = np.flatnonzero(np.isfinite(matrices).all((1, 2)))
    regular = known[np.linalg.matrix_rank(matrices[known]) == matrices.shape[1]]
    found[regular] = np.linalg.inv(np.swapaxes(matrices[regular], 1, 2))
    return found


def times(C: Array, bounds: Array) -> Array:
    """Bounds (n, ., y, 2) of products of C (n, y, k) with bounds (n, ., k, 2)."""
    with np.errstate(invalid="ignore", over="ignore"):
        middle = bounds.mean(-1)
        radius = magnitude(bounds - middle[..., None]) * ROUNDING
        value = np.einsum("nyk,ndk->ndy", C, middle)
        around = np.einsum("nyk,ndk->ndy", np.abs(C), radius + 1e-12 * np.abs(middle)) * ROUNDING
        return np.stack([value - around, value + around], -1)


def magnitude(bounds: Array) -> Array:
    """Maximum of the sizes of values within bounds."""
    return np.asarray(np.abs(bounds).max(-1))


def implicit_slopes(by_x: Array, by_y: Array, weights: Array) -> Array:
    """Bounds of s, s = by_x + by_y s: by the norm with these weights, then by that equation."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        norm = (np.einsum("nzy,nz->ny", magnitude(by_y), weights) / weights).max(-1) * ROUNDING
        most = (magnitude(by_x) / weights[:, None]).max(-1) * ROUNDING
        size = (most / (1 - norm)[:, None])[..., None] * weights[:, None] * ROUNDING
        size = np.where((norm < 1)[:, None, None], size, np.nan)
        for _ in range(2):
            more = np.einsum("nzy,nvz->nvy", magnitude(by_y), size) * ROUNDING
            low, high = by_x[..., 0] - more, by_x[..., 1] + more
            found = outward(np.stack([low, high], -1))
            size = np.fmin(size, magnitude(found))
    return found


def total_slopes(by_x: Array, by_y: Array, slopes: Array) -> Array:
    """Bounds of derivatives (n, v, k, 2) by x and, through y, by slopes of y (n, v, y, 2)."""
    if not by_y.shape[1]:
        return by_x
    with np.errstate(invalid="ignore", over="ignore"):
        a, b = by_y[:, None], slopes[:, :, :, None]  # (n, 1, y, k, 2), (n, v, y, 1, 2)
        products = np.stack([a[..., i] * b[..., j] for i in (0, 1) for j in (0, 1)], -1)
        around = np.abs(products).max(-1).sum(axis=2) * 1e-12
        low = by_x[..., 0] + products.min(-1).sum(axis=2)
        high = by_x[..., 1] + products.max(-1).sum(axis=2)
        low -= around + 1e-12 * np.abs(by_x[..., 0])
        high += around + 1e-12 * np.abs(by_x[..., 1])
    return np.stack([low, high], -1)


_STEP, _MIDDLE = Argument("step", (6,)), Argument("middle", (7,))


@compiled
def _solved(machines: Machines) -> Kernel:
    implicit = Implicit(machines.robot)

    def equation(machine: Machine, step: Value, middle: Value) -> Value:
        return implicit.solved(machine, moved(middle, step))

    return machines.kernel("implicit", equation, [_STEP, _MIDDLE], implicit.arguments("y"))


@compiled
def _gaps_over_boxes(machines: Machines) -> Kernel[Array]:
    return Kernel(gaps_function(machines), boxes=[])


@compiled
def _slopes_over_boxes(machines: Machines) -> Kernel[tuple[Array, Array]]:
    varied = [*(a.name for a in machines.numbers), "step", "y"]
    return Kernel(slopes_function(machines), boxes=varied)


def gaps_function(machines: Machines) -> Function:
    """Return the function of the gaps that y closes, of steps from a pose and of y."""
    implicit = Implicit(machines.robot)

    def equation(machine: Machine, step: Value, y: Value, middle: Value) -> Value:
        return implicit.gaps(machine, moved(middle, step), y)

    inputs: Sequence[Argument] = [_STEP, *implicit.arguments("y"), _MIDDLE]
    return machines.function("gaps", equation, inputs, implicit.arguments("gap"))


def slopes_function(machines: Machines) -> Function:
    """Return the function of slopes of the gaps along a direction of all that varies, then y."""
    gaps = gaps_function(machines)
    *varied, middle = gaps.inputs
    along = Argument("along", (sum(a.size for a in varied),))

    def equation(*given: Value) -> Value:
        *x, middle, direction = given
        return ca.jtimes(gaps.traced(*x, middle), ca.vertcat(*x), direction)

    return Function.from_equation("gap_slopes", equation, [*varied, middle, along], gaps.outputs)
