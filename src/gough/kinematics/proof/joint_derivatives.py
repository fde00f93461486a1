"""Coordinates without a closed form over boxes, with derivatives by displacements of the platform.

Gaps g(y, x, d) are closed by y at all steps x of a box, and would be at small displacements d of
the platform in each of six directions. So their total derivatives are zero: with D_j = (y_j, e_j),

    ∂g/∂y y_j   = -∂g/∂d_j
    ∂g/∂y y_jk  = -g''[D_j, D_k]
    ∂g/∂y y_jkl = -g'''[D_j, D_k, D_l] - g''[D_j, y_kl] - g''[D_k, y_jl] - g''[D_l, y_jk].

Each is a linear system with the matrix that Krawczyk's test has shown to be regular. Over a box,
derivatives are those in its middle, and the next ones times half sides; where these become narrower
so do the next ones, in some passes. Rates of joints, q̇ = y_j V_j and q̈ = y_j V̇_j + y_jk V_j V_k,
are made of them, with their slopes: they are not eliminated again from rows that have bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.closure.assembled import platform_at
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import vee
from gough.kinematics.proof.implicit import (
    PAIRS,
    ROUNDING,
    Enclosing,
    Implicit,
    implicit_slopes,
    magnitude,
    moved,
    outward,
    times,
    twice,
)
from gough.model.machines import Machines

_PASSES, _NARROWED = 2, 3
"""Derivatives are narrowed so many times by the next ones."""
_J, _K = np.array(PAIRS).T
_PAIR = np.zeros((6, 6), int)
"""Number of a pair of displacements."""
_PAIR[_J, _K] = _PAIR[_K, _J] = np.arange(len(PAIRS))
_CROSS = np.zeros((6, 6, 6))
"""Cross product of displacements j and k, which two translations, or unlike ones, have not."""
for _j, _k, _l in ((3, 4, 5), (4, 5, 3), (5, 3, 4)):
    _CROSS[_j, _k, _l], _CROSS[_k, _j, _l] = 1.0, -1.0


class Derivatives(NamedTuple):
    """Bounds over n boxes of y, then of its six first derivatives, then of the 21 second ones."""

    box: Array
    """(n, 28 y, 2); NaN where nothing is known."""
    slopes: Array
    """(n, v, 28 y, 2) bounds of their derivatives by the coordinates that vary."""

    def along(self, varied: AnyArray) -> Derivatives:
        """Return these bounds, with slopes by coordinates of which the first ones may be steps."""
        slopes = np.zeros((len(self.box), len(varied), *self.box.shape[1:]))
        slopes[:, : self.slopes.shape[1]] = self.slopes
        return Derivatives(self.box, slopes)


class JointDerivatives:
    """Bounds of y and its derivatives over boxes (n, x, 2) around a pose.

    They are kept: several kernels have them in common.
    """

    def __init__(self, machines: Machines, middle: Array) -> None:
        self.enclosing, self.machines, self.middle = Enclosing(machines, middle), machines, middle
        self.count = self.enclosing.count
        self._kept = dict[bytes, tuple[Derivatives, Derivatives]]()

    def over(self, boxes: Array, varied: AnyArray) -> tuple[Derivatives, Derivatives]:
        """Return bounds over boxes, and those in their middles."""
        steps, moves = boxes[:, :6], varied[varied < 6]
        key = steps.tobytes() + moves.tobytes()
        if key not in self._kept:
            self._kept[key] = self._found(steps, moves)
        found, at = self._kept[key]
        return found.along(varied), at.along(varied)

    def _found(self, boxes: Array, varied: AnyArray) -> tuple[Derivatives, Derivatives]:
        points = twice(np.clip(boxes.mean(-1), boxes[..., 0], boxes[..., 1]))
        if not Implicit(self.machines.robot).follows:
            return self._alone(boxes, varied), self._alone(points, varied)
        at, *known = self._bounds(points, varied[:0])
        found, *_ = self._bounds(boxes, varied, *known)
        return found, at

    def _alone(self, boxes: Array, varied: AnyArray) -> Derivatives:
        """Bounds of y alone, without derivatives by displacements."""
        found = self.enclosing.over(boxes, varied)
        return Derivatives(found.box, outward(found.slopes + found.tilt[..., None]))

    def bent(self, boxes: Array, varied: AnyArray) -> tuple[Array, Array]:
        """Bounds of first (n, v, y, 2) and second (n, v, v, y, 2) derivatives of y by steps."""
        of, n, own = self.enclosing, len(boxes), np.flatnonzero(varied < 6)
        tilted, tried, image = of.proved(boxes, varied)
        slopes, by_y = of.derivatives(tilted, tried, image)
        first = np.zeros((n, len(varied), self.count, 2))
        first[:, own] = outward(slopes + tilted.tilt[..., None])
        place = [x[:, None] for x in (boxes[:, :6], tilted.around(image), twice(of.middle)[None])]
        units = np.broadcast_to(twice(np.eye(12)[varied[own]]), (n, len(own), 12, 2))
        along = np.concatenate([units, first[:, own]], axis=2)
        j, k = np.indices((len(own), len(own))).reshape(2, -1)
        right = _derivatives(self.machines, 2)(*place, along[:, j], along[:, k])
        found = implicit_slopes(-times(tilted.inverse, right)[..., ::-1], by_y, tried)
        second = np.zeros((n, len(varied), len(varied), self.count, 2))
        second[:, own[j], own[k]] = found
        return first, second

    def _bounds(
        self, boxes: Array, varied: AnyArray, *at: Array
    ) -> tuple[Derivatives, Array, Array]:
        """Return bounds; and those of first and second derivatives, given the middle's."""
        of, n, v, count = self.enclosing, len(boxes), len(varied), self.count
        tilted, tried, image = of.proved(boxes, varied)
        slopes, by_y = of.derivatives(tilted, tried, image)
        y, by_x = tilted.around(image), outward(slopes + tilted.tilt[..., None])
        place = [x[:, None] for x in (boxes, y, twice(of.middle)[None])]
        along_one, bends, twists = (_derivatives(self.machines, order) for order in (1, 2, 3))

        def solved(right: Array) -> Array:
            return implicit_slopes(-times(tilted.inverse, right)[..., ::-1], by_y, tried)

        def directions(units: AnyArray, of_y: Array) -> Array:
            each = np.broadcast_to(twice(np.eye(12)[units]), (n, len(units), 12, 2))
            return np.concatenate([each, of_y], axis=2)

        none = np.zeros((n, 6, count, 2))
        first = solved(along_one(*place, directions(np.arange(6, 12), none)))
        second = np.full((n, len(PAIRS), count, 2), [-np.inf, np.inf])
        mixed, third = np.zeros((n, 6, v, count, 2)), np.zeros((n, len(PAIRS), v, count, 2))
        p, l = np.indices((len(PAIRS), v)).reshape(2, -1)
        j, k = _J[p], _K[p]
        along, turning = directions(varied, by_x), _motion(self.machines)(*place[::2])[:, 0]
        unit_y = np.broadcast_to(twice(np.eye(12 + count)[12:]), (n, count, 12 + count, 2))
        for _ in range(_PASSES if v else 1):
            D = directions(np.arange(6, 12), first)
            second = _both(second, solved(bends(*place, D[:, _J], D[:, _K])))
            if not v:
                break
            mixed = _mixed(first, second, turning[:, :, varied])
            first = _both(first, _moved_on(at[0], mixed, tilted.half))
            D = np.concatenate([directions(np.arange(6, 12), first), along], axis=1)
            each, other = np.indices((6 + v, count)).reshape(2, -1)
            W = times(tilted.inverse, bends(*place, D[:, each], unit_y[:, other]))
            W = magnitude(W).reshape(n, 6 + v, count, count)
            middle, aside = at[1].mean(-1), mixed.mean(-1)
            bent = (twice(x) for x in (aside[:, k, l], aside[:, j, l], middle[:, p]))
            right = times(tilted.inverse, twists(*place, D[:, j], D[:, k], D[:, 6 + l], *bent))
            for _ in range(_NARROWED):
                error = magnitude(mixed - aside[..., None])
                more = np.einsum("npzy,npz->npy", W[:, j], error[:, k, l])
                more += np.einsum("npzy,npz->npy", W[:, k], error[:, j, l])
                error = magnitude(second - middle[..., None])
                more += np.einsum("npzy,npz->npy", W[:, 6 + l], error[:, p])
                more = np.stack([-more, more], -1) * ROUNDING
                third = implicit_slopes(outward(more - right[..., ::-1]), by_y, tried)
                third = third.reshape(n, len(PAIRS), v, count, 2)
                second = _both(second, _moved_on(at[1], third, tilted.half))
                mixed = _both(mixed, _mixed(first, second, turning[:, :, varied]))
                first = _both(first, _moved_on(at[0], mixed, tilted.half))
        box = np.concatenate([x.reshape(n, -1, 2) for x in (y, first, second)], axis=1)
        of_x = by_x, *(np.moveaxis(x, 2, 1).reshape(n, v, x.shape[1] * count, 2)
                       for x in (mixed, third))  # fmt: skip
        return Derivatives(box, np.concatenate(of_x, axis=2)), first, second


def _mixed(first: Array, second: Array, turning: Array) -> Array:
    """Bounds (n, 6, v, y, 2) of derivatives by steps of those by displacements.

    Displacements count from where a step has moved the platform, along M_l: two turns in a row
    differ from one by their sum by half of their cross product.
    """
    ends = [np.einsum("jmk,nky->njmy", part, first[..., end])
            for part in (_CROSS.clip(0), _CROSS.clip(None, 0)) for end in (0, 1)]  # fmt: skip
    aside = np.stack([ends[0] + ends[3], ends[1] + ends[2]], -1) / 2  # of each one alone is not 0
    both = outward(second[:, _PAIR] + aside)
    middle, M = both.mean(-1), turning.mean(-1)
    around, unsure = (magnitude(x - x.mean(-1)[..., None]) for x in (both, turning))
    around += 1e-12 * np.abs(middle)
    value = np.einsum("nml,njmy->njly", M, middle)
    error = np.einsum("nml,njmy->njly", np.abs(M), around)
    error = (error + np.einsum("nml,njmy->njly", unsure, np.abs(middle) + around)) * ROUNDING
    return outward(np.stack([value - error, value + error], -1))


def _moved_on(at: Array, changes: Array, half: Array) -> Array:
    """Bounds (n, ., y, 2) over a box by those in its middle, and changes (n, ., v, y, 2)."""
    away = np.einsum("npvy,nv->npy", magnitude(changes), half) * ROUNDING
    return outward(np.stack([at[..., 0] - away, at[..., 1] + away], -1))


def _both(a: Array, b: Array) -> Array:
    """Bounds that are within two others; NaN where these are."""
    return np.stack([np.maximum(a[..., 0], b[..., 0]), np.minimum(a[..., 1], b[..., 1])], -1)


@compiled
def _derivatives(machines: Machines, order: int) -> Kernel[Array]:
    """Return the kernel of bounds of derivatives of gaps along directions of x, d and y.

    Of order 3 they are total ones: y has second derivatives along each pair of these.
    """
    implicit, n = Implicit(machines.robot), Implicit(machines.robot).count

    def equation(machine: Machine, step: Value, y: Value, middle: Value, *given: Value) -> Value:
        d, directions = ca.SX.sym("d", 6), given[:order]
        z, gaps = ca.vertcat(step, d, y), implicit.gaps(machine, moved(middle, step), y, d)

        def along(*each: Value) -> Value:
            found = gaps
            for direction in each:
                found = ca.jtimes(found, z, direction)
            return found

        total = along(*directions)
        for direction, bent in zip(directions, given[order:], strict=False):
            total += along(direction, ca.vertcat(ca.DM.zeros(12), bent))
        return ca.substitute(total, d, ca.DM.zeros(6))

    inputs = [Argument("step", (6,)), *implicit.arguments("y"), Argument("middle", (7,))]
    inputs += [Argument(f"along{k}", (12 + n,)) for k in range(order)]
    inputs += [Argument(f"bent{k}", (n,)) for k in range(order if order == 3 else 0)]
    return Kernel(machines.function("gaps", equation, inputs, implicit.arguments("gap")), boxes=[])


@compiled
def _motion(machines: Machines) -> Kernel[Array]:
    """Return the kernel of bounds of the platform's displacements (6, 6) by steps."""

    def equation(machine: Machine, step: Value, middle: Value) -> Value:
        at = platform_at(machine, moved(middle, step))
        columns = []
        for unit in ca.horzsplit(ca.DM.eye(6)):
            p, R = (ca.jtimes(ca.SX(x), step, unit) for x in (at.position, ca.vec(at.rotation)))
            columns.append(ca.vertcat(p, vee(ca.reshape(R, 3, 3) @ at.rotation.T)))
        return ca.horzcat(*columns)

    inputs = [Argument("step", (6,)), Argument("middle", (7,))]
    return Kernel(machines.function("motion", equation, inputs, [Argument("M", (6, 6))]), boxes=[])
