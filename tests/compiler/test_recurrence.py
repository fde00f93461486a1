"""Functions along sequences: each sample takes what the one before it gave."""

import re
import signal
import time

import casadi as ca
import llvmlite.binding as llvm
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.front.program import Program
from gough.compiler.native import recurrence
from gough.compiler.native.llvm_loop import sequence_text
from gough.compiler.native.machine_code import compile_native
from gough.compiler.native.recurrence import Recurrence
from gough.errors import CompilerError, KernelArgumentError

X, A, B = Argument("x", (2,)), Argument("a", (2,)), Argument("b")


def turned(x, a, b):
    """A state that depends on all that came before, and a result that is not the state."""
    new = b * x + a
    return new, new[0] * new[1]


@pytest.fixture(scope="module", params=[None, 1, 4], ids="lanes={}".format)
def sequence(request):
    outputs = [Argument("new", (2,)), Argument("product")]
    function = Function.from_equation("turned", turned, [X, A, B], outputs)
    return Recurrence(function, {"x": "new"}, lanes=request.param)


def expected(x, a, b):
    products = np.empty(a.shape[:2])
    for k in range(len(a)):
        x = b * x + a[k]
        products[k] = x[:, 0] * x[:, 1]
    return products


@pytest.mark.parametrize("sequences", [1, 2, 7, 8, 9, 40])
@pytest.mark.parametrize("samples", [1, 2, 50])
def test_a_sample_takes_what_the_one_before_it_gave(sequence, samples, sequences):
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=(sequences, 2)), rng.normal(size=(samples, sequences, 2))
    found = sequence({"x": x, "a": a, "b": 0.9})
    assert list(found) == ["product"]
    np.testing.assert_allclose(found["product"], expected(x, a, 0.9), rtol=1e-12, atol=1e-14)


def test_long_sequences_go_in_pieces(sequence, monkeypatch):
    rng = np.random.default_rng(1)
    x, a = rng.normal(size=(3, 2)), rng.normal(size=(500, 3, 2))
    whole = sequence({"x": x, "a": a, "b": 0.9})
    monkeypatch.setattr(recurrence, "WORK_PER_CALL", 64)
    in_pieces = sequence({"x": x, "a": a, "b": 0.9})
    np.testing.assert_array_equal(whole["product"], in_pieces["product"])


@pytest.mark.parametrize("sequences", [1, 40])
def test_an_interrupt_is_heard_however_long_a_sample_takes(sequences):
    """A million passes a sample: minutes of work in all."""
    x = Argument("x")
    step = Function.from_equation("step", lambda x: (0.5 * x + 1, 0), [x], [x, Argument("status")])
    repeat = iterate(step, 1_000_000)
    function = Function.from_equation(
        "slow", lambda x, b: repeat(x + b)[0], [x, B], [Argument("new")]
    )
    slow = Recurrence(function, {"x": "new"})
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            slow({"x": np.zeros(()), "b": np.zeros((20_000, sequences))})
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 2


def test_inputs_need_not_be_compact(sequence):
    rng = np.random.default_rng(2)
    x, a = rng.normal(size=(5, 4)), rng.normal(size=(2, 5, 30))
    found = sequence({"x": x[:, ::2], "a": a.T, "b": 0.5})
    np.testing.assert_allclose(found["product"], expected(x[:, ::2], a.T, 0.5), rtol=1e-12)


def test_what_is_carried_on_holds_no_other_samples_in_memory(sequence):
    found = sequence.along({"x": np.ones((1, 2)), "a": np.ones((50, 1, 2)), "b": 0.9})
    assert found.last["x"].base is None


def test_one_start_serves_all_sequences(sequence):
    a = np.random.default_rng(3).normal(size=(10, 4, 2))
    found = sequence({"x": np.ones(2), "a": a, "b": 0.5})
    np.testing.assert_allclose(found["product"], expected(np.ones((4, 2)), a, 0.5), rtol=1e-12)


@pytest.mark.parametrize("extent", [(0, 3), (5, 0), (0, 0)])
def test_nothing_to_do_is_done(sequence, extent):
    found = sequence({"x": np.ones(2), "a": np.ones((*extent, 2)), "b": 0.5})
    assert found["product"].shape == extent


GOOD = {"x": np.ones(2), "a": np.ones((9, 4, 2)), "b": 0.5}
DIFFER = "samples and sequences of the arguments differ: "
WRONG = [
    ({"a": np.ones((3, 3))}, r"'a' has shape \(3, 3\); expected \(2,\), or \(samples, sequences"),
    ({"a": np.ones(2)}, "no argument is given for every sample"),
    ({"a": np.ones((9, 4, 1))}, r"'a' has shape \(9, 4, 1\)"),
    ({"b": np.ones((8, 4))}, DIFFER + r"a \(9, 4\), b \(8, 4\)"),
    ({"b": np.ones((9, 3))}, DIFFER + r"a \(9, 4\), b \(9, 3\)"),
    ({"b": np.ones(9)}, r"'b' has shape \(9,\); expected \(\), or \(samples, sequences"),
    ({"x": np.ones(1)}, r"'x' has shape \(1,\); expected \(2,\), or \(sequences"),
    ({"x": np.ones((3, 2))}, r"'x' has shape \(3, 2\)"),
    ({"x": 1.0}, r"'x' has shape \(\)"),
    ({"x": np.ones(2, complex)}, "'x' has type complex128; expected real numbers"),
    ({"b": "half"}, "'b' has type <U4; expected real numbers"),
    ({"a": [[1, 2], [3]]}, "'a' is not an array: its rows differ in length"),
    ({"c": 1.0}, "argument 'c' is unknown; it takes x, a, b"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_memory_that_is_not_given_is_not_read(sequence, change, message):
    with pytest.raises(KernelArgumentError, match=message):
        sequence(GOOD | change)


def test_a_missing_argument_is_named(sequence):
    with pytest.raises(KernelArgumentError, match="argument 'b' is missing"):
        sequence({"x": np.ones(2), "a": np.ones((9, 4, 2))})


def test_any_real_numbers_in_any_memory_will_do(sequence):
    rng = np.random.default_rng(4)
    x, a = rng.integers(-3, 3, (4, 2)), rng.integers(-3, 3, (4, 9, 2)).swapaxes(0, 1)[::-1]
    a.flags.writeable = False
    for dtype in (np.int8, np.float32, np.longdouble, ">f8"):
        found = sequence({"x": x.astype(dtype), "a": a.astype(dtype), "b": np.float32(0.5)})
        np.testing.assert_array_equal(found["product"], expected(x, a, 0.5))


@pytest.mark.parametrize(
    "carried", [{"x": "other"}, {"y": "new"}, {"b": "new"}, {"x": "new", "a": "new"}]
)
def test_only_an_output_of_the_same_shape_is_carried_on(carried):
    outputs = [Argument("new", (2,)), Argument("product")]
    function = Function.from_equation("turned", turned, [X, A, B], outputs)
    with pytest.raises(CompilerError, match="cannot be carried on"):
        Recurrence(function, carried)


def test_numbers_may_lie_between_words(sequence):
    a = np.frombuffer(b"." * (8 * 72 + 1), offset=1).reshape(9, 4, 2)
    found = sequence(GOOD | {"a": a})
    np.testing.assert_array_equal(found["product"], sequence(GOOD | {"a": a.copy()})["product"])


@pytest.mark.parametrize("lanes", [0, -1, 3, 16, 2.5, "two"])
def test_lanes_are_those_of_a_register(lanes):
    program = Program.of(Function.from_equation("scaled", lambda b: 2 * b, [B], [Argument("y")]))
    with pytest.raises(CompilerError, match=r"scaled: lanes is .*; expected one of 1, 2, 4, 8"):
        compile_native(program, lanes)


def test_vectors_that_wait_in_memory_lie_in_one_line_of_a_cache_each():
    many = Argument("x", (40,))
    shares = Function.from_equation("shares", lambda x: x / ca.sum1(x), [many], [many])
    program = Program.of(Function.from_equation("f", lambda x: shares(x) - x, [many], [many]))
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu="x86-64-v4")
    module = llvm.parse_assembly(sequence_text(program, lanes=8))
    moves = re.findall(r"(\w+)\s+%zmm\d+, \d*\(%rsp\)", machine.emit_assembly(module))
    assert set(moves) <= {"vmovaps", "vmovapd"}  # those that only aligned addresses allow
    assert len(moves) > 8
