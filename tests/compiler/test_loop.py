"""The door to machine code lets in what fits the program, and nothing else."""

import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program
from gough.compiler.native.machine_code import compile_native
from gough.compiler.native.recurrence import Loop
from gough.errors import CompilerError, KernelArgumentError

INPUTS = [Argument("x", (2,)), Argument("b")]
PROGRAM = Program.of(
    Function.from_equation("scaled", lambda x, b: b * x, INPUTS, [Argument("y", (2,))])
)


@pytest.fixture(scope="module")
def loop():
    return Loop(compile_native(PROGRAM))


def arrays(n=5):
    rng = np.random.default_rng(0)
    return [rng.normal(size=(n, 2)), rng.normal(size=n), np.full((n, 2), 7.0)]


@pytest.mark.parametrize("n", [0, 1, 5, 100])
def test_samples_one_after_the_other(loop, n):
    x, b, y = arrays(n)
    loop(n, [x, b, y])
    np.testing.assert_array_equal(y, b[:, None] * x)


def test_an_input_may_be_one_for_all_samples(loop):
    x, _, y = arrays()
    loop(5, [x, np.array(3.0), y])
    np.testing.assert_array_equal(y, 3 * x)


def read_only(x):
    y = x.copy()
    y.flags.writeable = False
    return y


UNFIT = {
    "short": (0, lambda x: x[:4]),
    "narrow": (0, lambda x: np.ascontiguousarray(x[:, :1])),
    "flat": (0, np.ravel),
    "one number": (1, lambda x: x[:1]),
    "reversed": (0, lambda x: x[::-1]),
    "every second": (0, lambda x: np.repeat(x, 2, axis=0)[::2]),
    "by columns": (0, np.asfortranarray),
    "single precision": (0, lambda x: x.astype(np.float32)),
    "whole numbers": (0, lambda x: x.astype(np.int64)),
    "other bytes": (0, lambda x: x.astype(">f8")),
    "between words": (0, lambda x: np.frombuffer(b"." * 81, offset=1).reshape(5, 2)),
    "an output for all": (2, lambda x: x[0].copy()),
    "a short output": (2, lambda x: x[:4]),
    "a read-only output": (2, read_only),
}


@pytest.mark.parametrize("unfit", UNFIT)
def test_what_does_not_fit_is_not_touched(loop, unfit):
    given, (place, change) = arrays(), UNFIT[unfit]
    given[place] = change(given[place])
    with pytest.raises(KernelArgumentError, match=f"argument '{'xby'[place]}' has"):
        loop(5, given)
    if place != 2:
        assert (given[2] == 7.0).all()


@pytest.mark.parametrize("count", [0, 2, 4])
def test_so_many_arrays_as_the_program_has(loop, count):
    with pytest.raises(KernelArgumentError, match=f"got {count} arrays; it takes 3"):
        loop(5, [*arrays(), *arrays()][:count])


@pytest.mark.parametrize("lanes", [0, -1, 3, 16, 2.5, "two"])
def test_lanes_are_those_of_a_register(lanes):
    with pytest.raises(CompilerError, match=r"scaled: lanes is .*; expected one of 1, 2, 4, 8"):
        compile_native(PROGRAM, lanes)
