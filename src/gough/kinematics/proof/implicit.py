"""Coordinates without a closed form over boxes: enclosed by Krawczyk's test, each box for itself.

Joints of legs that are solved by iteration, and steps of a platform whose dependent coordinates
follow from others, are coordinates y of their own, with as many gaps g(y, x) of constraint rows
that close at coordinates x of the box. With C, about the inverse of ∂g/∂y in the middle, the map
N(y) = y - C g(y, x) of all y within r of y0, for all x within h of c, is within
|C g(y0, c)| + |C ∂g/∂x| h + |1 - C ∂g/∂y| r of y0, slopes being bounds over both boxes. Where that
is less than r, component by component, N maps the box of y into itself and contracts in the norm
with the weights r: so C is regular, and for each x exactly one y there closes all gaps, which
depends smoothly on x [Krawczyk 1969; Neumaier 1990, section 5.1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.closure.assembled import assembled, posture
from gough.equations.closure.constraint_rows import row_gaps
from gough.equations.machine import Leg, Machine, Positions
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import euler_quaternion, quaternion_product
from gough.equations.spatial.pose import nudge, turn_between
from gough.equations.tree.joints import Position, Turn
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import loop_closing
from gough.model.machines import Machines
from gough.model.parameters import machine_of
from gough.robot import Robot

_ROUNDS = 6
"""Trials of a box of y, each of which is larger than the one before."""
_ROUNDING = 1 + 1e-12
"""More than the rounding of sums of at most 1000 positive numbers."""
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

    def arguments(self, *names: str) -> list[Argument]:
        """Return inputs of a function, by their names; none for a robot in closed form."""
        return [Argument(name, (self.count,)) for name in names if self.count]

    def refuse(self, machines: Machines) -> None:
        """Refuse numbers that vary, where some coordinates are implicit."""
        if self.count and machines.parametric:
            raise GoughError(
                f"{self.robot.name}: tolerances need a robot whose joint positions have a closed "
                "form; expected a proof without them"
            )

    def closed(self, machine: Machine, given: Value, y: Value) -> tuple[Machine, Value]:
        """Return the machine whose iterated legs are at y, and its possible pose."""
        if not self.count:
            return machine, given
        legs, first = list(machine.legs), 0
        for k in self.legs:
            count = len(legs[k].joints)
            own, at_home = y[first : first + count], self.at_home[first : first + count]
            legs[k] = replace(legs[k], positions=_positions(legs[k], own, at_home))
            first += count
        pose = nudge(given, self._columns(machine) @ y[first:]) if self.steps else given
        return replace(machine, legs=tuple(legs)), pose

    def gaps(self, machine: Machine, given: Value, y: Value) -> Value:
        """Return as many gaps of constraint rows, which y closes."""
        own, pose = self.closed(machine, given, y)
        at, found = assembled(own, pose), list[Value]()
        for k, leg in enumerate(at.legs):
            plan = leg.leg.plan
            rows = [*plan.driven_rows, *plan.passive_rows] if k in self.legs else []
            rows += plan.left if self.steps else []
            if rows:  # a closed form may reach a point that the leg cannot, by stretching turns
                rigid = [x.unit() if isinstance(x, Turn) else x for x in leg.positions]
                gaps = row_gaps(posture(leg.leg, rigid, at.platform).cuts)
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

    def _columns(self, machine: Machine) -> Value:
        return machine.in_base_axes(machine.freedom.outside.T)


def _positions(leg: Leg, q: Value, at_home: Array) -> Positions:
    """Joint positions that are given: those of home at a place of numbers, else q."""

    def found(position: Value, rotation: Value) -> list[Position]:
        is_home = ca.vertcat(ca.vec(ca.SX(position)), ca.vec(ca.SX(rotation))).is_constant()
        at = ca.DM(at_home) if is_home else q
        return [joint.position(at[k]) for k, joint in enumerate(leg.joints)]

    return found


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


class Enclosing:
    """Enclosures of y over boxes (n, x, 2) around a pose, whose first coordinates are steps."""

    def __init__(self, machines: Machines, middle: Array) -> None:
        self.machines, self.middle = machines, middle
        self.count = Implicit(machines.robot).count

    def near(self, steps: Array) -> Array:
        """Return y (n, y) at steps (n, 6), about."""
        return np.asarray(_solved(self.machines)(steps, self.middle))

    def over(self, boxes: Array, varied: AnyArray) -> Enclosed:
        """Enclose y in boxes where exactly one solution is: y0 + tilt (x - c), and an error."""
        steps, moves = boxes[:, :6], varied[varied < 6]
        c = np.clip(steps.mean(-1), steps[..., 0], steps[..., 1])
        y = self.near(c)
        half = np.maximum(steps[..., 1] - c, c - steps[..., 0])[:, moves] * _ROUNDING
        at = np.stack([c, c], -1), np.stack([y, y], -1)
        none = np.zeros((len(y), len(moves), self.count))
        by_x, by_y = (g.mean(-1) for g in self._slopes(*at, moves, none))
        inverse = _inverses(by_y)
        tilt = -np.einsum("nyk,nvk->nvy", inverse, by_x)
        away = _size(_times(inverse, self._gaps(*at)[0][:, None]))[:, 0]
        with np.errstate(invalid="ignore", over="ignore"):
            along = np.einsum("nvy,nv->ny", np.abs(tilt), half) * _ROUNDING
            error = 2 * away + _SHORTEST * (1 + np.abs(y))
            for _ in range(_ROUNDS):
                tried = error
                drift, by_y = self._mapped(steps, _around(y, along + tried), moves, tilt, inverse)
                image = np.einsum("nvy,nv->ny", _size(drift), half)
                image = (away + image + np.einsum("nzy,nz->ny", _size(by_y), tried)) * _ROUNDING
                proved = (image < tried).all(-1)
                error = np.where(proved[:, None], tried, 1.5 * image + 1e-3 * tried)
                if (proved | ~np.isfinite(image).all(-1)).all():
                    break
            tried, image = (np.where(proved[:, None], x, np.nan) for x in (tried, image))
            drift, by_y = self._mapped(steps, _around(y, along + image), moves, tilt, inverse)
            slopes = np.zeros((len(y), len(varied), self.count, 2))
            slopes[:, varied < 6] = _implicit_slopes(drift, by_y, tried)
        full = np.zeros(slopes.shape[:-1])
        full[:, varied < 6] = tilt
        return Enclosed(_around(y, along + image), y, full, slopes)

    def _mapped(
        self, steps: Array, y: Array, moves: AnyArray, tilt: Array, inverse: Array
    ) -> tuple[Array, Array]:
        """Bounds (n, ., y, 2) of slopes of the map: -C dg along the tilt, and 1 - C ∂g/∂y."""
        drift, by_y = (-_times(inverse, g)[..., ::-1] for g in self._slopes(steps, y, moves, tilt))
        ends = by_y + np.eye(self.count)[..., None]
        return drift, np.nextafter(ends, np.array([-np.inf, np.inf]))

    def _slopes(self, steps: Array, y: Array, moves: AnyArray, tilt: Array) -> tuple[Array, Array]:
        """Bounds of slopes of gaps over boxes, by x with y that follows it, and by y."""
        d_x = np.eye(6)[[*moves, *[0] * self.count]]
        d_x[len(moves) :] = 0.0
        found = self._gaps(steps[:, None], y[:, None], d_x, with_all(tilt))[1]
        by_x, by_y = np.split(found, [len(moves)], axis=1)
        return by_x, by_y

    def _gaps(self, steps: Array, y: Array, *directions: Array) -> tuple[Array, Array]:
        middle = np.stack([self.middle, self.middle], -1)
        middle = middle[:, None] if directions and middle.ndim > 2 else middle  # one of each box
        value, slopes = _gaps_over_boxes(self.machines)(steps, y, middle, *directions)
        return value, slopes


def with_all(tilt: Array) -> Array:
    """Directions of y: along a tilt (n, v, y), then each y alone: (n, v + y, y)."""
    n, _, count = tilt.shape
    alone = np.broadcast_to(np.eye(count), (n, count, count))
    return np.concatenate([np.nan_to_num(tilt), alone], axis=1)


def _inverses(matrices: Array) -> Array:
    """Inverses (n, y, k) of slopes of gaps (n, y, k) by y, NaN of singular ones."""
    found = np.full(matrices.shape, np.nan)
    for own, matrix in zip(found, matrices, strict=True):
        if np.isfinite(matrix).all() and np.linalg.matrix_rank(matrix) == len(matrix):
            own[:] = np.linalg.inv(matrix.T)
    return found


def _times(C: Array, bounds: Array) -> Array:
    """Bounds (n, ., y, 2) of products of C (n, y, k) with bounds (n, ., k, 2)."""
    with np.errstate(invalid="ignore", over="ignore"):
        middle = bounds.mean(-1)
        radius = _size(bounds - middle[..., None]) * _ROUNDING
        value = np.einsum("nyk,ndk->ndy", C, middle)
        around = np.einsum("nyk,ndk->ndy", np.abs(C), radius + 1e-12 * np.abs(middle)) * _ROUNDING
        return np.stack([value - around, value + around], -1)


def _around(y: Array, radius: Array) -> Array:
    """Bounds (n, y, 2) of all numbers within a radius, rounded outward."""
    return np.stack([np.nextafter(y - radius, -np.inf), np.nextafter(y + radius, np.inf)], -1)


def _size(bounds: Array) -> Array:
    return np.asarray(np.abs(bounds).max(-1))


def _implicit_slopes(by_x: Array, by_y: Array, weights: Array) -> Array:
    """Bounds of s, s = by_x + by_y s: by the norm with these weights, then by that equation."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        norm = (np.einsum("nzy,nz->ny", _size(by_y), weights) / weights).max(-1) * _ROUNDING
        most = (_size(by_x) / weights[:, None]).max(-1) * _ROUNDING
        size = (most / (1 - norm)[:, None])[..., None] * weights[:, None] * _ROUNDING
        size = np.where((norm < 1)[:, None, None], size, np.nan)
        for _ in range(2):
            more = np.einsum("nzy,nvz->nvy", _size(by_y), size) * _ROUNDING
            low, high = by_x[..., 0] - more, by_x[..., 1] + more
            found = np.stack([np.nextafter(low, -np.inf), np.nextafter(high, np.inf)], -1)
            size = np.fmin(size, _size(found))
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
def _gaps_over_boxes(machines: Machines) -> Kernel:
    return Kernel(gaps_function(machines), boxes=["step", "y"])


def gaps_function(machines: Machines) -> Function:
    """Return the function of the gaps that y closes, of steps from a pose and of y."""
    implicit = Implicit(machines.robot)

    def equation(machine: Machine, step: Value, y: Value, middle: Value) -> Value:
        return implicit.gaps(machine, moved(middle, step), y)

    inputs: Sequence[Argument] = [_STEP, *implicit.arguments("y"), _MIDDLE]
    return machines.function("gaps", equation, inputs, implicit.arguments("gap"))
