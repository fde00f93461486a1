"""Loops over rows of numbers, which only GPUs have: a processor stands in for one."""

import sys

import casadi as ca
import numpy as np
import pytest
from gpu_stand_in import stand_in

from gough.compiler import Argument, Function, Kernel
from gough.compiler.front.function import for_each
from gough.compiler.front.program import Program
from gough.compiler.source.cuda import cuda_source
from gough.compiler.source.gpu import GpuKernel
from gough.errors import CompilerError

COUNT = 5


def there_and_back(size, calls=True):
    """Return a function with a loop over rows, and one over its new rows, the last one first.

    Steps that call others are long: their rows move along registers if these are few.
    """
    row, total, factor = Argument("row", (size,)), Argument("total"), Argument("factor")

    def equal(x):
        return (x + 1) ** 2 - (x - 1) ** 2 - 3 * x

    same = Function.from_equation("same", equal, [total], [total])

    def forwards(total, row, factor):
        new = factor * row + (same(total) if calls else total)
        return total + ca.sum1(row), new

    def backwards(total, row, factor):
        return factor * (same(total) if calls else total) - ca.sum1(row**2), ca.SX(0, 1)

    there = Function.from_equation("there", forwards, [total, row, factor], [total, row])
    none = Argument("none", (0,))
    back = Function.from_equation("back", backwards, [total, row, factor], [total, none])

    def equation(rows, factor):
        first, new = for_each(there, COUNT)(rows, factor)
        last, _ = for_each(back, COUNT, backwards=True)(new, factor)
        again, _ = for_each(back, COUNT, backwards=True)(2 * rows, factor)
        return first, last, again, new

    rows = Argument("rows", (size, COUNT))
    outputs = [*(Argument(name) for name in ("first", "last", "again")), rows]
    return Function.from_equation("both", equation, [rows, factor], outputs)


def by_hand(rows, factor):
    first, new = 0.0, []
    for row in rows.T:
        new.append(factor * row + first)
        first += row.sum()
    lasts = []
    for some in (new, 2 * rows.T):
        last = 0.0
        for row in some[::-1]:
            last = factor * last - (row**2).sum()
        lasts.append(last)
    return first, *lasts, np.transpose(new)


@pytest.mark.parametrize(
    ("size", "calls", "move"), [(3, True, True), (3, False, False), (40, True, False)]
)
def test_rows_are_taken_in_turn_whether_they_move_or_not(monkeypatch, size, calls, move):
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    text, signature = cuda_source(Program.of(there_and_back(size, calls)))
    assert ("taken0[0] = taken0[1];" in text) == move
    kernel = GpuKernel(text, signature)
    rows = np.random.default_rng(1).uniform(-1, 1, (4, size, COUNT))
    for k, found in enumerate(zip(*kernel(rows, np.full(4, 0.7)), strict=True)):
        for got, expected in zip(found, by_hand(rows[k], 0.7), strict=True):
            np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12)


def test_new_rows_are_taken_where_they_are():
    text, _ = cuda_source(Program.of(there_and_back(40)))
    assert text.count("*const rows") == 2  # what the first loop takes, and the last one


def test_processors_refuse_loops_over_rows():
    with pytest.raises(CompilerError, match="rows of numbers, on GPUs only"):
        Kernel(there_and_back(3))(np.zeros((3, COUNT)), 1.0)
