"""Bounds over boxes by intervals, by the mean-value form, and by Taylor's of order 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.native.kernel import Kernel
from gough.kinematics.proof.implicit import Enclosing, total_slopes, with_all
from gough.kinematics.proof.joint_derivatives import JointDerivatives


class Bounded(NamedTuple):
    """Bounds of k margins over n boxes."""

    low: Array
    """(n, k); -inf where nothing is known."""
    high: Array
    """(n, k)"""
    slopes: Array
    """(n, v, k, 2) bounds of slopes by the coordinates that vary, as `bounds` has them."""
    at: Array
    """(n, k) lower bound in the middle of the box; -inf where nothing is known."""


def centres(boxes: Array) -> Array:
    """Return points (n, x) of boxes (n, x, 2), near their middles."""
    return np.asarray(np.clip(boxes.mean(-1), boxes[..., 0], boxes[..., 1]))


def bounds(
    kernel: Kernel,
    boxes: Array,
    others: Sequence[Array],
    varied: AnyArray,
    implicit: Enclosing | JointDerivatives | None = None,
    *,
    states: int,
    everywhere: bool = False,
) -> Bounded:
    """Bound a kernel over boxes (n, x, 2), by intervals and by the mean-value form.

    f(x) = f(c) + Σ slope_j (x_j - c_j), c in the middle of a box. Coordinates move one after the
    other from c to x, those from number `states` on first, which are mostly linear: slope_j is that
    where the ones that move later are still at c [Hansen 1968], or `everywhere` in the box. Sums of
    at most 1000 positive numbers are rounded by less than 1e-12 of themselves. With `implicit`
    coordinates y, which are the inputs after `others`, as functions of x: nothing is known from
    below where no y may close the gaps, not even what does not depend on y.
    """
    c, size = centres(boxes), boxes.shape[1]
    points, count = np.stack([c, c], -1), implicit.count if implicit else 0
    count = 0 if isinstance(implicit, JointDerivatives) else count
    d_x = np.eye(size)[[*varied, *[0] * count]]
    apart = [x[:, None] if x.ndim > 2 else x for x in others]  # of all directions
    each = np.repeat(boxes[:, None], len(d_x), axis=1)
    order = np.argsort(varied < states, kind="stable")
    for j in () if everywhere else range(len(order)):
        each[:, order[:j], varied[order[j]]] = points[:, None, varied[order[j]]]
    closes: AnyArray = np.ones((len(boxes), 1), bool)
    if implicit is None or not implicit.count:
        found = kernel(each, *apart, d_x)
        at_c, slopes = kernel(points, *others)[0], found[1]
    elif isinstance(implicit, JointDerivatives):
        own, own_at_c = implicit.over(boxes, varied)
        closes = np.asarray(np.isfinite(own.box).all((1, 2)))[:, None]
        found = kernel(each, *apart, own.box[:, None], d_x, own.slopes)
        at_c, slopes = kernel(points, *others, own_at_c.box)[0], found[1]
    else:
        d_x[len(varied) :] = 0.0
        y, at = implicit.over(boxes, varied), implicit.over(points, varied[:0])
        near, d_y = np.repeat(y.near[..., None], 2, axis=-1), with_all(y.tilt)
        closes = np.asarray(np.isfinite(y.box).all((1, 2)))[:, None]
        found = kernel(each, *apart, y.box[:, None], near[:, None], d_x, d_y)
        at_c = kernel(points, *others, at.box, near)[0]
        by_x, by_y = np.split(found[1], [len(varied)], axis=1)
        slopes = total_slopes(by_x, by_y, y.slopes)
    natural = found[0][:, order[-1]] if len(order) else at_c
    ends, middle = boxes[:, varied], c[:, varied]
    half = np.maximum(ends[..., 1] - middle, middle - ends[..., 0])[..., None] * (1 + 1e-12)
    with np.errstate(invalid="ignore", over="ignore"):
        radius = (np.abs(slopes).max(-1) * half).sum(axis=1) * (1 + 1e-12)
        low = np.fmax(natural[..., 0], np.nextafter(at_c[..., 0] - radius, -np.inf))
        high = np.fmin(natural[..., 1], np.nextafter(at_c[..., 1] + radius, np.inf))
    known = np.isfinite(natural).all(-1)
    low, in_middle = np.where(known & closes, low, -np.inf), np.isfinite(at_c).all(-1) & closes
    least = np.where(in_middle, at_c[..., 0], -np.inf)
    return Bounded(low, np.where(known, high, np.inf), slopes, least)


def taylor_bounds(
    kernel: Kernel,
    second: Kernel,
    boxes: Array,
    slopes: Array,
    others: Sequence[Array],
    varied: AnyArray,
    implicit: JointDerivatives | None = None,
) -> tuple[Array, Array]:
    """Bound a kernel over boxes (n, x, 2) by Taylor's form of order 2: low and high (n, k).

    f(x) = f(c) + Σ f_j(c) t_j + ½ Σ f_ij t_i t_j, t = x - c, with derivatives f_ij over all of the
    box, which `second` gives: slopes of those along one direction. NaN where these are unknown, or
    `slopes` over the box, of `bounds`: there f may jump, of which its derivatives show nothing.
    """
    c, unit = centres(boxes), np.eye(boxes.shape[1])[varied]
    i, j = np.triu_indices(len(varied))
    apart = [x[:, None] if x.ndim > 2 else x for x in others]  # of all directions
    points, ahead = np.stack([c, c], -1), np.stack([unit[j], unit[j]], -1)
    if implicit is None or not implicit.count:
        curved = second(boxes[:, None], *apart, ahead, unit[i])[1]
        found = kernel(points[:, None], *apart, unit)
    else:
        y, at_y = implicit.over(boxes, varied)
        first, bent = implicit.bent(boxes, varied)
        ways = y.box[:, None], ahead, first[:, j]
        curved = second(boxes[:, None], *apart, *ways, unit[i], first[:, i], bent[:, i, j])[1]
        found = kernel(points[:, None], *apart, at_y.box[:, None], unit, at_y.slopes)
    at, tilt = (x[:, :, : curved.shape[2]] for x in found)
    ends, t = boxes[:, varied], c[:, varied]
    half = (np.maximum(ends[..., 1] - t, t - ends[..., 0]) * (1 + 1e-12))[..., None]
    with np.errstate(invalid="ignore", over="ignore"):
        sizes = half[:, i] * half[:, j] * np.where(i == j, 0.5, 1.0)[:, None]
        alike, most = (i == j)[:, None], np.abs(curved).max(-1)
        down = np.where(alike, np.maximum(-curved[..., 0], 0.0), most) * sizes
        up = np.where(alike, np.maximum(curved[..., 1], 0.0), most) * sizes
        linear = (np.abs(tilt).max(-1) * half).sum(axis=1)
        linear = np.where(np.isfinite(slopes).all((1, 3)), linear, np.nan)
        low = at[:, 0, :, 0] - (linear + down.sum(axis=1)) * (1 + 1e-11)
        high = at[:, 0, :, 1] + (linear + up.sum(axis=1)) * (1 + 1e-11)
    return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
