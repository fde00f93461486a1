"""Programs over boxes enclose every value in the box, and know where nothing is known."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

from gough.compiler import Argument, Function, Kernel
from gough.compiler.front.function import iterate
from gough.errors import CompilerError

X = Argument("x", (3,))


def function(equation, count):
    return Function.from_equation("f", equation, [X], [Argument("y", (count,))])


def every_operation(x):
    a, b, c = ca.vertsplit(x)
    positive = 1.5 + a * a
    values = [
        a + b, a - b, a * b, a / positive, -a, a * a, 2 * a, 1 / positive, ca.sqrt(positive),
        ca.fabs(a), ca.fmin(a, b), ca.fmax(a, c), ca.copysign(a, b), ca.sin(3 * a), ca.cos(3 * b),
        ca.tan(a / 2), ca.atan2(a, b), ca.atan2(a, positive), ca.asin(a / 3), ca.acos(b / 3),
        ca.atan(4 * c), ca.exp(a), ca.log(positive), ca.tanh(a), a**3, positive**-2, b**4,
        ca.hypot(positive, b), ca.sign(a), ca.floor(2 * b), ca.ceil(c), a * a - b * a + c,
        ca.if_else(a < b, a * c, b), ca.if_else(ca.logic_and(a < b, b <= c), a, -c),
        ca.if_else(ca.logic_or(a < 0, ca.logic_not(b < 0)), ca.sin(c), c), (a < b) * c,
        ca.if_else(a == b, 1, a), (a * b - c) / (2.5 + a * b * c / 10), ca.fabs(a * b - c) * a,
    ]  # fmt: skip
    return ca.vertcat(*values)


COUNT = 39


@pytest.fixture(scope="module")
def kernels():
    made = function(every_operation, COUNT)
    return Kernel(made), Kernel(made, boxes=["x"])


def boxes_and_points(count, samples, seed=1):
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-2, 2, (count, 3))
    half = 10.0 ** rng.uniform(-6, 0.3, (count, 3)) * (rng.random((count, 3)) > 0.1)
    box = np.stack([centre - half, centre + half], axis=-1)
    share = rng.choice([0.0, 1.0, 0.5], (samples, count, 3)) * (
        rng.random((samples, count, 3)) < 0.3
    )
    share = np.where(share == 0, rng.random((samples, count, 3)), share)
    points = box[..., 0] + share * (box[..., 1] - box[..., 0])
    return box, np.clip(points, box[..., 0], box[..., 1])


def test_all_points_of_boxes_are_enclosed_by_every_operation(kernels):
    plain, boxes = kernels
    box, points = boxes_and_points(1000, 100)
    found = boxes(box).y
    values = plain(points)
    near = 1e-13 * (1 + np.abs(values))  # the plain kernel rounds, too
    inside = (found[..., 0] <= values + near) & (values <= found[..., 1] + near)
    unknown = ~np.isfinite(found).all(-1)
    assert (inside | unknown | np.isnan(values)).all()
    assert unknown.mean() < 0.2
    assert (np.isfinite(found[..., 0]) == np.isfinite(found[..., 1])).all()


def test_a_box_of_one_point_has_bounds_of_a_few_units_in_the_last_place(kernels):
    plain, boxes = kernels
    _, points = boxes_and_points(200, 1)
    found, values = boxes(np.stack([points, points], -1)).y, plain(points)
    width = found[..., 1] - found[..., 0]
    size = np.abs(values) + 4
    assert (width <= 2e-14 * size).mean() > 0.99  # else at a jump
    known = np.isfinite(values) & (width <= 2e-14 * size)
    assert (np.abs(found.mean(-1) - values)[known] <= 2e-14 * size[known]).all()


def test_slopes_enclose_chords_of_continuous_values(kernels):
    plain, boxes = kernels
    box, points = boxes_and_points(1000, 40, seed=2)
    slopes = np.stack([boxes(box, row).d_y for row in np.eye(3)], axis=-2)  # (boxes, y, 3, 2)
    centre = box.mean(-1)
    step = (points - centre)[:, :, None, :, None] * slopes
    change = plain(points) - plain(centre)
    low, high = step.min(-1).sum(-1), step.max(-1).sum(-1)
    near = 1e-12 * (1 + np.abs(plain(points)))
    known = np.isfinite(low) & np.isfinite(high)
    assert ((low - near <= change) & (change <= high + near))[known].all()
    assert known.mean() > 0.7


def test_mean_value_form_of_a_small_box_is_nearly_the_range():
    f = function(lambda x: (x[0] * x[1] - x[0] * x[2]) / (x[0] + 3), 1)
    boxes, r = Kernel(f, boxes=["x"]), 1e-3
    box = np.array([[1 - r, 1 + r], [2 - r, 2 + r], [2 - r, 2 + r]])
    slopes = np.array([boxes(box, row).d_y[0] for row in np.eye(3)])
    mean_value = np.abs(slopes).max(-1).sum() * r
    assert mean_value == pytest.approx(2 * r / 4, rel=1e-2)
    natural = boxes(box).y[0]
    assert natural[1] > 2 * mean_value


def test_directions_within_bounds_have_slopes_of_each_of_them():
    f = function(lambda x: ca.vertcat(x[0] * x[1], ca.sin(x[2]) / (3 + x[0])), 2)
    one, within, r = Kernel(f, boxes=["x"]), Kernel(f, boxes=[], within=["x"]), 1e-2
    rng = np.random.default_rng(0)
    box = np.array([0.3, -0.7, 1.2])[:, None] + [-r, r]
    middle = rng.uniform(-1, 1, 3)
    found = within(box, middle[:, None] + [-r, r]).d_y
    each = one(box, middle + rng.uniform(-r, r, (100, 3))).d_y
    assert ((found[:, 0] <= each[..., 0]) & (each[..., 1] <= found[:, 1])).all()
    np.testing.assert_allclose(within(box, np.stack([middle] * 2, -1)).d_y, one(box, middle).d_y)


@pytest.mark.parametrize(
    "equation",
    [
        lambda x: 1 / x[0],
        lambda x: x[1] / x[0],
        lambda x: ca.sqrt(x[0]),
        lambda x: ca.log(x[0]),
        lambda x: ca.asin(x[0] - 1),
        lambda x: ca.fmin(1 / x[0], 0),
        lambda x: ca.fmax(ca.sqrt(x[0]), -5),
        lambda x: ca.if_else(x[1] > 0, ca.sin(1 / x[0]), 0),
        lambda x: 1e200 * ca.exp(600 + x[1]),
    ],
)
def test_nothing_is_known_where_the_formula_may_have_no_value(equation):
    boxes = Kernel(function(equation, 1), boxes=["x"], lanes=1)
    assert not np.isfinite(boxes([[-1.0, 1.0], [-1.0, 2.0], [0.0, 0.0]]).y).any()


def test_values_that_are_chosen_are_known_where_the_other_side_has_none():
    f = function(lambda x: ca.if_else(x[0] > 0, ca.sqrt(x[0]), 0), 1)
    boxes = Kernel(f, boxes=["x"], lanes=1)
    rest = [[0.0, 0.0], [0.0, 0.0]]
    assert boxes([[-2.0, -1.0], *rest]).y.tolist() == [[0.0, 0.0]]
    low, high = boxes([[1.0, 4.0], *rest]).y[0]
    assert 1 - 1e-14 < low <= 1
    assert 2 <= high < 2 + 1e-14
    assert np.isnan(boxes([[-1.0, 1.0], *rest]).y).all()


@pytest.mark.parametrize("equation", [lambda x: ca.norm_2(x), lambda x: ca.hypot(x[0], x[1])])
def test_a_length_that_may_be_zero_has_bounds_and_no_slope(equation):
    kernel = Kernel(function(equation, 1), boxes=["x"])
    found = kernel([[-3.0, 1.0], [-4.0, 2.0], [0.0, 0.0]], [1.0, 0.0, 0.0])
    assert -1e-14 < found.y[0, 0] <= 0
    assert 5 <= found.y[0, 1] < 5 + 1e-12
    assert np.isnan(found.d_y).all()


def test_not_a_number_and_infinite_bounds_give_no_bounds():
    boxes = Kernel(function(lambda x: x[0] * x[1], 1), boxes=["x"], lanes=1)
    for bad in ([math.nan, math.nan], [-math.inf, math.inf]):
        assert not np.isfinite(boxes([bad, [0.0, 0.0], [0.0, 0.0]]).y).any()


def test_what_iterates_is_refused_with_the_reason():
    x, y = Argument("x", (3,)), Argument("x", (3,))
    step = Function.from_equation(
        "halve", lambda x: (x / 2, x[0] < 1e-3), [x], [y, Argument("stop")]
    )
    f = Function.from_equation("g", lambda x: iterate(step, 9)(x)[0], [x], [y])
    with pytest.raises(CompilerError, match=r"g iterates inside .* no bounds over a box"):
        Kernel(f, boxes=["x"])


def test_functions_without_bounds_are_refused_by_name():
    with pytest.raises(CompilerError, match="remainder has no bounds over a box"):
        Kernel(function(lambda x: ca.remainder(x[0], x[1]), 1), boxes=["x"])
    with pytest.raises(CompilerError, match=r"exponent 0\.3"):
        Kernel(function(lambda x: x[0] ** 0.3, 1), boxes=["x"])


def test_calls_of_other_functions_have_bounds_and_slopes():
    def of_three(x):
        return ca.vertcat(ca.sin(x[0] * x[1]) + x[2] ** 2, x[0] / (x[2] + 9), *[x[1]] * 3)

    inner = Function.from_equation("inner", of_three, [X], [Argument("y", (5,))])

    def equation(x):
        return inner(x) * inner(2 * x)

    called = Kernel(function(equation, 5), boxes=["x"], lanes=1)
    copied = Kernel(function(lambda x: inner.traced(x) * inner.traced(2 * x), 5), lanes=1)
    assert list(called.program.routines())
    point = np.array([0.3, -0.4, 0.5])
    found = called(np.stack([point, point], -1), [1.0, 0.0, 0.0])
    step = 1e-6 * np.eye(3)[0]
    slope = (copied(point + step) - copied(point - step)) / 2e-6
    np.testing.assert_allclose(found.y.mean(-1), copied(point), atol=1e-14)
    np.testing.assert_allclose(found.d_y.mean(-1), slope, atol=1e-9)
