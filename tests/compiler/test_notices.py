"""Whoever waits for a compiler can be told what it is at."""

import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.memo import compiling, telling
from gough.compiler.native import cache
from gough.compiler.native.kernel import Kernel


def test_a_kernel_is_told_of_until_it_is_done(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "kernels"))
    told = []
    with telling(told.append):
        Kernel.from_equation("doubled", lambda x: 2 * x, [Argument("x")], [Argument("y")])
    assert told == ["doubled", "", "doubled", ""]  # traced, then compiled
    told.clear()
    with telling(told.append):
        Kernel.from_equation("doubled", lambda x: 2 * x, [Argument("x")], [Argument("y")])
    assert told == ["doubled", ""]  # its machine code is kept


def test_what_is_inside_another_gives_the_word_back():
    told = []
    with telling(told.append), compiling("outer"), compiling("inner"):
        assert told == ["outer", "inner"]
    assert told == ["outer", "inner", "outer", ""]


def test_a_failure_ends_it_too():
    told = []
    with pytest.raises(ZeroDivisionError), telling(told.append), compiling("kernel"):
        raise ZeroDivisionError
    assert told == ["kernel", ""]


def test_nobody_need_listen():
    with compiling("kernel"):
        pass
