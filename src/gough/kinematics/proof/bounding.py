"""Bounds of all requirements over boxes, and along curves through them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import AnyArray, Array
from gough.kinematics.proof.implicit import Enclosing
from gough.kinematics.proof.mean_value import Bounded, bounds, centres
from gough.kinematics.proof.regular_rows import jacobian_kernel, locked_matrices, within_condition
from gough.kinematics.proof.requirements import LOWER, STEPS, Required
from gough.kinematics.workspace.box import pose_at
from gough.model.machines import Machines

_SMALLEST = 1e-300
"""Margin of what is known to be above zero."""


class Curves(NamedTuple):
    """Curves through n boxes, each over an interval of time."""

    at: Array
    """(n, x, 2) bounds of the coordinates in the middle of time."""
    rates: Array
    """(n, x, 2) bounds of their time derivatives."""
    half: Array
    """(n) half of the duration [s]."""


class Guide:
    """Guides of boxes around poses: their margins hold for any numbers, and are narrow by these."""

    def __init__(self, required: Required, machines: Machines, middle: Array) -> None:
        self.condition, self.middle = required.condition, middle
        self.first = required.names(machines).index(STEPS[0])
        self.sizes, self.implicit = required.regular(machines), Enclosing(machines, middle)
        if self.condition is not None:
            self.jacobian = jacobian_kernel(machines, required.limits.characteristic_length)

    def __call__(self, points: Array) -> Array:
        """Return the guides of points (n, x): where, inverses of rows, singular vectors of J."""
        parts = [points[:, : self.first + 6]]
        numbers, steps = [points[:, : self.first]] if self.first else [], parts[0][:, self.first :]
        if self.sizes:
            y = [self.implicit.near(points)] if self.implicit.count else []
            matrices = locked_matrices(self.implicit.machines, tuple(self.sizes))
            found = matrices(*numbers, steps, self.middle, *y)
            for M in found if isinstance(found, tuple) else (found,):
                C = np.linalg.pinv(np.nan_to_num(M))
                parts.append(np.swapaxes(C, -1, -2).reshape(len(C), -1))
        if self.condition is not None:
            J = self.jacobian(*numbers, pose_at(self.middle, steps))
            U, _, V = np.linalg.svd(np.nan_to_num(J, posinf=0.0, neginf=0.0))
            parts += [np.swapaxes(U, -1, -2).reshape(len(J), -1), V.reshape(len(J), -1)]
        return np.concatenate(parts, axis=-1)


class Bounding:
    """Bounds of all margins over boxes (n, x, 2) around a pose."""

    def __init__(self, required: Required, machines: Machines, middle: Array) -> None:
        self.kernel, self.pose = required.kernel(machines), np.stack([middle, middle], -1)
        self.implicit, self.balls = Enclosing(machines, middle), required.ball_axes(machines)
        rows = required.rows(machines.robot)
        radii = np.array([[r, r] for _, r in required.balls])
        self.radii = [radii] if len(radii) else []
        self.count, self.sides = len(rows), [k for k, x in enumerate(rows) if x.kind == "side"]
        self.lower = [k for k, row in enumerate(rows) if row.kind in LOWER]
        self.regular = sum(required.regular(machines))
        self.first, self.machines = required.names(machines).index(STEPS[0]), machines
        self.condition, self.guide = required.condition, Guide(required, machines, middle)
        self.radius = required.radius

    def over(self, boxes: Array, varied: AnyArray) -> Bounded:
        """Bound all margins; `varied` coordinates are no single numbers."""
        found = self._joined(self._each(boxes, varied, centres(boxes)))
        low, high = self._in_ball(boxes, found.low, found.high)
        return found._replace(low=low, high=high)

    def along(self, boxes: Array, varied: AnyArray, curves: Curves) -> tuple[Bounded, Array]:
        """Bound all margins along curves, one through each box, and from above in its middle.

        m(t) = m(c) + ṁ (t - c), c in the middle of time, and ṁ = Σ slope_j ẋ_j over all of it.
        Other coordinates, whose rates are zero, count as in `bounds`.
        """
        points = centres(boxes)
        over = self._each(boxes, varied, points, everywhere=True)
        at = self._natural(curves.at, varied, points)
        rates, resting = curves.rates[:, varied], ~curves.rates[:, varied].any(-1)
        box, middle = boxes[:, varied], curves.at[:, varied]
        half = resting * np.maximum(box[..., 1] - middle[..., 0], middle[..., 1] - box[..., 0])
        with np.errstate(invalid="ignore", over="ignore"):
            products = over.slopes[..., None] * rates[:, :, None, None]
            ends = [products.min((-1, -2)).sum(1), products.max((-1, -2)).sum(1)]
            sizes = np.abs(products).max((-1, -2)).sum(1) * 1e-12  # more than is rounded
            slopes = np.stack([ends[0] - sizes, ends[1] + sizes], -1)
            radius = np.abs(slopes).max(-1) * curves.half[:, None]
            radius += (np.abs(over.slopes).max(-1) * half[..., None]).sum(1) * (1 + 1e-12)
            low = np.fmax(over.low, np.nextafter(at[..., 0] - radius, -np.inf))
            high = np.fmin(over.high, np.nextafter(at[..., 1] + radius, np.inf))
        low = np.where(np.isfinite(over.low), low, -np.inf)  # perhaps no legs that close
        found = Bounded(low, high, slopes[:, None], at[..., 0])
        return self._joined(found), at[:, : self.count, 1]

    def _each(
        self, boxes: Array, varied: AnyArray, points: Array, everywhere: bool = False
    ) -> Bounded:
        """Bound all margins, and lower ones of gaps and of the condition number behind them."""
        guide = np.repeat(self.guide(points)[..., None], 2, axis=-1)
        others = [self.pose, guide, *self.radii]
        states = self.first + len(STEPS)
        return bounds(self.kernel, boxes, others, varied, self.implicit, states=states,
                      everywhere=everywhere)  # fmt: skip

    def _joined(self, found: Bounded) -> Bounded:
        """Bounds of all margins: those of some kinds are never below others behind them."""
        (low, high, slopes, at), last = found, self.count + len(self.lower)
        low[:, self.lower] = np.maximum(low[:, self.lower], low[:, self.count : last])
        own, apart = slopes[..., : self.count, :].copy(), slopes[..., self.count : last, :]
        # their slopes are narrower, where they are known
        known = np.isfinite(apart).all(axis=(1, 3), keepdims=True)
        own[..., self.lower, :] = np.where(known, apart, own[..., self.lower, :])
        if self.condition is not None:  # it holds or not; how far it is from its limit is unknown
            n = self.machines.structure.dof
            end = low.shape[1] - self.regular
            B = np.stack([low[:, last:end], high[:, last:end]], -1).reshape(len(low), n, -1, 2)
            holds = within_condition(np.swapaxes(B, 1, 2), self.condition)
            low[:, self.count - 1] = np.where(holds, 0.0, -1.0)
            entries = np.abs(slopes[..., last:end, :]).max((-1, -2))  # what bisection has to narrow
            own[..., -1, :] += np.stack([-entries, entries], -1)
        if self.regular:  # on one side of a singularity
            rows, (k,) = slice(-self.regular, None), self.sides
            one_side = np.asarray((low[:, rows] > 0).all(-1) & (at[:, k] > 0))
            low[:, k] = np.where(one_side, np.fmax(low[:, k], _SMALLEST), low[:, k])
            entries = np.abs(slopes[..., rows, :]).max((-1, -2))
            own[..., k, :] = np.stack([-entries, entries], -1)
        kept = slice(self.count)
        return Bounded(low[:, kept], high[:, kept], own, at[:, kept])

    def slopes_at(self, points: Array, varied: AnyArray) -> Array:
        """Return slopes of all margins at points: (n, v, k)."""
        found = self._each(np.stack([points, points], -1), varied, points)
        return np.asarray(found.slopes[:, :, : self.count].mean(-1))

    def at(self, points: Array) -> Array:
        """Bound all margins at points (n, x): (n, k, 2), unknown ones infinite."""
        boxes = np.stack([points, points], -1)
        found = self._natural(boxes, np.arange(0), points)[:, : self.count]
        return np.stack(self._in_ball(boxes, found[..., 0], found[..., 1]), -1)

    def _in_ball(self, boxes: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """Bounds (n, k) of margins that positions beyond the radius need not have."""
        if self.radius is None:
            return low, high
        sides = boxes[:, self.first : self.first + 3]
        nearest, farthest = np.clip(0.0, *np.moveaxis(sides, -1, 0)), np.abs(sides).max(-1)
        beyond = np.linalg.norm(nearest, axis=-1) > self.radius * (1 + 1e-12)
        whole = np.linalg.norm(farthest, axis=-1) < self.radius * (1 - 1e-12)
        return np.where(beyond[:, None], np.inf, low), np.where(whole[:, None], high, np.inf)

    def _natural(self, boxes: Array, varied: AnyArray, points: Array) -> Array:
        """Bound all rows by intervals alone, with guides of points: (n, rows, 2)."""
        given = [self.pose, np.repeat(self.guide(points)[..., None], 2, axis=-1), *self.radii]
        if self.implicit.count:
            near = self.implicit.near(points)
            given += [self.implicit.over(boxes, varied).box, np.repeat(near[..., None], 2, axis=-1)]
        found = self.kernel(boxes, *given)[0]
        known = np.isfinite(found).all(-1, keepdims=True)
        return np.asarray(np.where(known, found, np.array([-np.inf, np.inf])))
