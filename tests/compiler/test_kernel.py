"""Kernels as NumPy users know functions: broadcasting, out, any memory, errors that name things."""

import gc
import pydoc
import threading
import time
import tracemalloc
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native import argument_arrays, llvm_loop
from gough.compiler.native import kernel as kernel_module
from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError, KernelArgumentError

A = Argument("a", (3, 2), "m", "a matrix")
B = Argument("b", (3,), "s", "a vector")
C = Argument("c", (), "kg", "a scalar", optional=True)
LANES = (1, 2, 4, 8)
LARGE = 2000
"""Samples that `two_threads` share."""


def equation(a, b, c):
    """Something of everything."""
    return a.T @ b + c, a * c, ca.sin(ca.dot(b, b))


def by_numpy(a, b, c):
    a, b, c = (np.asarray(x, dtype=float) for x in (a, b, c))
    return (
        np.einsum("...ij,...i->...j", a, b) + c[..., None],
        a * c[..., None, None],
        np.sin((b * b).sum(-1)),
    )


OUTPUTS = [Argument("u", (2,)), Argument("v", (3, 2)), Argument("w")]
FUNCTION = Function.from_equation("mixed", equation, [A, B, C], OUTPUTS)


PARAMETRIC = Function.from_equation(
    "mixed", equation, [A, replace(B, name="parameters"), C], OUTPUTS
)
"""The same with an input that samples may have in common, of which the sine is made ahead."""


@pytest.fixture(
    scope="module",
    params=[*((FUNCTION, n) for n in LANES), (PARAMETRIC, 2), (PARAMETRIC, 8)],
    ids=lambda of: f"{of[1]} lanes{', parametric' if of[0] is PARAMETRIC else ''}",
)
def kernel(request):
    function, lanes = request.param
    return Kernel(function, lanes=lanes)


@pytest.fixture
def two_threads(monkeypatch):
    monkeypatch.setattr(kernel_module, "WORTH_THREADS", LARGE)
    monkeypatch.setattr(kernel_module.threading, "available", lambda: 2)


@pytest.fixture(scope="module")
def widest():
    return Kernel(FUNCTION)


def arrays(*batch, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*batch, 3, 2)), rng.normal(size=(*batch, 3)), rng.normal(size=batch)


def assert_same(results, expected):
    for got, want in zip(results, expected, strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    "batch", [(), (1,), (7,), (8,), (9,), (31,), (2, 3), (0,), (4, 0), (3, 1, 5)]
)
def test_any_batch_shape(kernel, batch):
    given = arrays(*batch)
    assert_same(kernel(*given), by_numpy(*given))


def test_inputs_broadcast_against_each_other(kernel):
    a, _, _ = arrays(5, 1)
    _, b, _ = arrays(4)
    c = 2.0
    shared = np.broadcast_to(b, (5, 4, 3))
    assert_same(
        kernel(a, b, c), by_numpy(np.broadcast_to(a, (5, 4, 3, 2)), shared, np.full((5, 4), c))
    )


@pytest.mark.parametrize(
    "view",
    [
        lambda x: np.asfortranarray(x),
        lambda x: x[::-1],
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: np.ascontiguousarray(x.swapaxes(0, -1)).swapaxes(0, -1),
    ],
    ids=["fortran", "reversed", "every second", "swapped"],
)
def test_any_strides(kernel, view):
    given = [view(x) for x in arrays(13)]
    assert_same(kernel(*given), by_numpy(*given))


def test_output_arrays_may_have_any_strides(kernel):
    given = arrays(11)
    out = (
        np.full((11, 4), 9.0)[:, ::2],
        np.full((11, 2, 3), 9.0).swapaxes(1, 2),
        np.empty(22)[::2],
    )
    results = kernel(*given, out=out)
    assert all(r is o for r, o in zip(results, out, strict=True))
    assert_same(out, by_numpy(*given))
    assert (out[0].base[:, 1::2] == 9.0).all()  # what lies between is not touched


@pytest.mark.parametrize("many", [0, 2**24], ids=["past caches", "few"])
@pytest.mark.parametrize("batch", [(1,), (7,), (8,), (19,), (3, 8), (2, 21)])
@pytest.mark.parametrize("shared", [False, True], ids=["each", "one for all"])
def test_columns_have_the_same_bits(batch, shared, many, monkeypatch):
    monkeypatch.setattr(llvm_loop, "MANY", many)
    monkeypatch.setattr(argument_arrays, "_FEW", 1)  # else few samples lie in one piece
    kernel, rng = Kernel(PARAMETRIC), np.random.default_rng(4)
    own = () if shared else batch
    inputs = [rng.normal(size=(*b, *a.shape)) for b, a in ((batch, A), (own, B), (batch, C))]
    columns, rows = kernel(*inputs, columns=True), kernel(*inputs)
    for column, row, wanted in zip(columns, rows, by_numpy(*inputs), strict=True):
        np.testing.assert_array_equal(column, row)
        np.testing.assert_allclose(row, np.broadcast_to(wanted, row.shape), rtol=1e-14, atol=1e-14)
        assert column.strides[len(batch) - 1] == column.itemsize or batch[-1] == 1


def test_nothing_is_written_outside_the_outputs(kernel):
    given = arrays(5)
    guarded = [np.full((9, *s), 7.0) for s in ((2,), (3, 2), ())]
    kernel(*given, out=tuple(g[2:7] for g in guarded))
    assert all((g[:2] == 7.0).all() and (g[7:] == 7.0).all() for g in guarded)


def test_read_only_inputs(kernel):
    given = arrays(3)
    for x in given:
        x.flags.writeable = False
    assert_same(kernel(*given), by_numpy(*given))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, bool])
def test_other_real_types_are_converted(kernel, dtype):
    given = [(3 * x).astype(dtype) for x in arrays(6)]
    assert_same(kernel(*given), by_numpy(*given))


def test_lists_are_arrays_too(kernel):
    assert_same(
        kernel([[1, 2], [3, 4], [5, 6]], [1, 0, 2], 3),
        by_numpy([[1, 2], [3, 4], [5, 6]], [1, 0, 2], 3),
    )


def test_an_output_may_overlap_an_input():
    function = Function.from_equation(
        "twice", lambda x: 2 * x, [Argument("x", (3,))], [Argument("y", (3,))]
    )
    kernel = Kernel(function)
    x = np.arange(3_000_000.0).reshape(-1, 3)
    expected = 2 * x[::-1]
    kernel(x[::-1], out=x)  # large enough for threads, which would disturb each other
    np.testing.assert_array_equal(x, expected)


def test_optional_arguments_are_zero_and_may_be_named(widest):
    a, b, c = arrays(4)
    assert_same(widest(a, b), by_numpy(a, b, np.zeros(4)))
    assert_same(widest(a, b=b, c=c), by_numpy(a, b, c))


def test_results_are_named(widest):
    result = widest(*arrays(2))
    assert result._fields == ("u", "v", "w")
    assert result.v.shape == (2, 3, 2)


def test_help_shows_shapes_units_and_meaning(widest):
    text = pydoc.render_doc(widest, renderer=pydoc.plaintext)
    assert "mixed(a, b, c=0)" in text
    assert "Something of everything." in text
    assert "a: (..., 3, 2) [m] a matrix" in text
    assert "c: (...) [kg] a scalar, zero if left out" in text


Z = np.zeros
WRONG_CALLS = [
    (lambda k: k(Z((2, 3)), Z(3)), r"'a' has shape \(2, 3\); expected \(\.\.\., 3, 2\)"),
    (lambda k: k(Z(2), Z(3)), r"'a' has shape \(2,\); expected"),
    (lambda k: k(Z((9, 3, 2)), Z((9, 4))), r"'b' has shape \(9, 4\); expected \(\.\.\., 3\)"),
    (lambda k: k(Z((9, 3, 2)), Z((8, 3))), r"do not fit .*: a \(9, 3, 2\), b \(8, 3\)"),
    (lambda k: k(Z((3, 2))), "argument 'b' is missing; expected shape"),
    (lambda k: k(1, 2, 3, 4), "got 4 arguments; it takes 3: a, b, c"),
    (lambda k: k(Z((3, 2)), a=1), "argument 'a' is given twice"),
    (lambda k: k(Z((3, 2)), d=1), "argument 'd' is unknown; it takes a, b, c"),
    (lambda k: k(Z((3, 2)) + 1j, Z(3)), "argument 'a' has type complex128; expected real"),
    (lambda k: k("abc", Z(3)), "argument 'a' has type <U3; expected real"),
    (lambda k: k([[1, 2], [3]], Z(3)), "argument 'a' is not an array: its rows differ"),
    (lambda k: k(*arrays(4), out=(Z(3), None, None)), r"out is float64 \(3,\).*u \(4, 2\)"),
    (lambda k: k(*arrays(4), out=Z(3)), "out is"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_CALLS)
def test_errors_name_the_argument_and_what_was_expected(widest, call, message):
    with pytest.raises(KernelArgumentError, match=message) as caught:
        call(widest)
    assert isinstance(caught.value, GoughError)
    assert str(caught.value).startswith("mixed: ")


def read_only(shape):
    x = np.zeros(shape)
    x.flags.writeable = False
    return x


def whole_of(*shape):
    return tuple(np.zeros((*shape, *a.shape)) for a in OUTPUTS)


def same_memory(shape):
    v = np.zeros((*shape, 3, 2))
    return v[..., 0, :], v, np.zeros(shape)


UNFIT = {
    "complex": ("a", lambda x: x + 0j, "argument 'a' has type complex128; expected real"),
    "objects": ("b", lambda x: x.astype(object), "argument 'b' has type object; expected real"),
    "texts": ("b", lambda x: x.astype(str), "argument 'b' has type <U32; expected real"),
    "times": ("b", lambda x: x.astype("m8[s]"), r"argument 'b' has type timedelta64\[s\]"),
    "fields": ("c", lambda x: x.view([("x", float)]), "argument 'c' has type .*expected real"),
    "masked": ("c", lambda x: np.ma.masked_less(x, np.inf), "'c' has masked elements; expected"),
    "narrow": (
        "b",
        lambda x: x[..., :2],
        r"argument 'b' has shape \(.*2\); expected \(\.\.\., 3\)",
    ),
    "short": ("b", lambda x: x[:2], "the batches of the arguments do not fit each other"),
    "ragged": ("b", lambda x: [[1, 2, 3], [4]], "argument 'b' is not an array: its rows differ"),
    "none": ("b", lambda x: None, "argument 'b' has type object; expected real"),
    "read-only": ("out", lambda o: (read_only(o[0].shape), *o[1:]), "out is read-only float64"),
    "whole out": ("out", lambda o: (o[0].astype(int), *o[1:]), "out is int64 .*expected writable"),
    "masked out": ("out", lambda o: tuple(map(np.ma.array, o)), "out is masked float64"),
    "short out": ("out", lambda o: (o[0][:2], *o[1:]), "out is .*expected writable float64 arrays"),
    "too few": ("out", lambda o: o[:2], "out is .*expected writable float64 arrays: u .*, v .*, w"),
    "a list": ("out", list, "out is list; expected writable float64 arrays"),
    "shared out": ("out", lambda o: same_memory(o[2].shape), "same memory for u and v"),
    "no threads": ("threads", lambda _: 0, "threads is 0; expected a whole number, 1 or more"),
    "lost threads": ("threads", lambda _: -1, "threads is -1; expected"),
    "texts of threads": ("threads", lambda _: "two", "threads is 'two'; expected"),
    "half threads": ("threads", lambda _: 1.5, r"threads is 1\.5; expected"),
}


@pytest.mark.parametrize("batch", [(4,), (LARGE,)], ids=["small", "large"])
@pytest.mark.parametrize("unfit", UNFIT)
def test_what_does_not_fit_is_refused_in_the_same_words(widest, unfit, batch, two_threads):
    name, change, message = UNFIT[unfit]
    given = dict(zip("abc", arrays(*batch), strict=True)) | {"out": whole_of(*batch), "threads": 2}
    given[name] = change(given[name])
    with pytest.raises(KernelArgumentError, match=message) as caught:
        widest(given.pop("a"), given.pop("b"), given.pop("c"), **given)
    assert str(caught.value).startswith("mixed: ")
    assert len(str(caught.value)) < 300


def test_a_lone_call_is_refused_in_the_same_words(widest):
    a, b, c = arrays()
    with pytest.raises(KernelArgumentError, match="argument 'b' has type complex128; expected"):
        widest(a, b + 0j, c)
    with pytest.raises(KernelArgumentError, match="argument 'b' has type object; expected"):
        widest(a, b.astype(object), c)
    with pytest.raises(KernelArgumentError, match="threads is 0"):
        widest(a, b, c, threads=0)


@pytest.mark.parametrize("batch", [(), (4,), (LARGE,)], ids=["lone", "small", "large"])
def test_a_longer_type_is_rounded(widest, batch, two_threads):
    given = arrays(*batch)
    longer = [x.astype(np.longdouble) for x in given]
    assert_same(widest(*longer), widest(*given))


def test_a_mask_that_hides_nothing_does_no_harm(widest):
    given = arrays(4)
    assert_same(widest(*map(np.ma.array, given)), by_numpy(*given))


def test_results_may_be_put_into_other_floating_types(widest, two_threads):
    for n in (4, LARGE):
        given = arrays(n)
        out = tuple(x.astype(np.float32) for x in whole_of(n))
        widest(*given, out=out)
        for got, want in zip(out, by_numpy(*given), strict=True):
            np.testing.assert_array_equal(got, want.astype(np.float32))


@pytest.mark.parametrize("n", [4, LARGE])
def test_an_output_may_be_wider_than_the_inputs(widest, n, two_threads):
    a, b, c = arrays()
    out = whole_of(n)
    assert widest(a, b, c, out=out).v is out[1]
    expected = by_numpy(a, b, c)
    assert_same(out, [np.broadcast_to(x, (n, *x.shape)) for x in expected])


def test_an_output_that_is_left_out_is_made(widest):
    given = arrays(4)
    u = np.zeros((4, 2))
    results = widest(*given, out=(u, None, None))
    assert results.u is u
    assert_same(results, by_numpy(*given))


@pytest.mark.parametrize("batch", [(10**13,), (10**10, 10**10)])
def test_more_results_than_memory_are_refused(widest, batch):
    a, b, c = arrays()
    wide = np.broadcast_to(c, batch[:1])[(...,) + (None,) * (len(batch) - 1)]
    far = np.broadcast_to(b, (*batch[1:], 3))
    with pytest.raises(KernelArgumentError, match="do not fit into memory; expected a smaller"):
        widest(a, far, wide)


def test_many_small_batches_that_make_a_huge_one_are_refused():
    names = [Argument(f"x{k}") for k in range(7)]
    kernel = Kernel(Function.from_equation("sum", lambda *x: sum(x), names, [Argument("y")]))
    axes = np.ix_(*[np.zeros(200)] * 7)
    with pytest.raises(KernelArgumentError, match="sum: the results of a batch of shape"):
        kernel(*axes)


@pytest.mark.parametrize("batch", [(200_000,), (2, 100_000), (100_000, 2), (3, 1, 70_000)])
def test_threads_give_the_same_numbers(widest, batch, monkeypatch):
    monkeypatch.setattr(kernel_module.threading, "available", lambda: 2)
    seen, both, gufunc = set(), threading.Barrier(2, timeout=60), widest._gufunc

    def watched(*args, **options):
        if threading.get_ident() not in seen:
            seen.add(threading.get_ident())
            both.wait()  # for the other thread to begin, too
        return gufunc(*args, **options)

    a, b, c = arrays(*batch)
    monkeypatch.setattr(widest, "_gufunc", watched)
    several = widest(a, b[0], c)
    assert len(seen) == 2
    monkeypatch.setattr(widest, "_gufunc", gufunc)
    for x, y in zip(several, widest(a, b[0], c, threads=1), strict=True):
        np.testing.assert_array_equal(x, y)


def test_small_batches_stay_on_the_calling_thread(widest, monkeypatch):
    monkeypatch.setattr(kernel_module.threading, "run_in_pieces", None)
    assert widest(*arrays(100)).u.shape == (100, 2)


def test_a_running_kernel_lets_other_threads_run(widest):
    """If it held the interpreter's lock, this thread would stand still for as long as it runs."""
    given = arrays(1_000_000)
    out = tuple(np.empty((1_000_000, *a.shape)) for a in OUTPUTS)
    took = []

    def work():
        start = time.perf_counter()
        widest(*given, out=out, threads=1)
        took.append(time.perf_counter() - start)

    worker = threading.Thread(target=work)
    ticks = [time.perf_counter()]
    worker.start()
    while worker.is_alive():
        ticks.append(time.perf_counter())
    worker.join()
    assert np.diff(ticks).max() < took[0] / 2


def test_a_large_batch_needs_no_memory_but_inputs_and_outputs():
    function = Function.from_equation(
        "norm", lambda p: ca.norm_2(p), [Argument("p", (7,))], [Argument("n")]
    )
    kernel = Kernel(function)
    poses = np.ones((2_000_000, 7))
    out = np.empty(2_000_000)
    gc.collect()
    tracemalloc.start()
    try:
        kernel(poses, out=out)
        kernel(poses[:, ::-1], out=out)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**20
    np.testing.assert_allclose(out, np.sqrt(7), rtol=1e-15)
