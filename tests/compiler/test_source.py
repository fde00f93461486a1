"""Generated C: clean under strict warnings, no dependency, and the kernel's own numbers."""

import ctypes
import re
import shutil
import subprocess
import sys

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.front.program import Program
from gough.compiler.native.kernel import Kernel
from gough.compiler.source.c import c_example, c_header, c_source
from gough.compiler.source.cuda import cuda_source
from gough.compiler.source.gpu import GpuKernel
from gough.errors import CompilerError

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]
COMPILER = ["cc"] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc"]


def write(program, folder):
    (folder / f"{program.name}.h").write_text(c_header(program))
    (folder / f"{program.name}.c").write_text(c_source(program))
    return folder / f"{program.name}.c"


def compiled(program, folder):
    """The program's C function, as Python calls it."""
    library = folder / f"{program.name}.so"
    source = write(program, folder)
    command = [*COMPILER, *STRICT, "-shared", "-fPIC", str(source), "-lm", "-o", str(library)]
    subprocess.run(command, check=True)
    function = getattr(ctypes.CDLL(str(library)), program.name)
    pointer = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
    function.argtypes = [pointer] * (len(program.inputs) + len(program.outputs))
    function.restype = None
    return function


def everything(x, Y, unused):
    """Arithmetic, library functions, conditions, constants of all kinds.

    Last bits of our own functions and of C's may differ: no sum in which they come first is small.
    """
    u = ca.sin(Y @ x) + ca.fmin(x[0], x[1]) * ca.if_else(x[0] < x[1], 1e-300, -2.5e17)
    v = ca.erf(ca.tanh(x[0])) * (ca.fmod(x[1], 0.7) - ca.sign(x[2]) / ca.exp(x[2]))
    both = ca.logic_and(x[0] > 0, ca.logic_not(x[1] > 0))
    return u, v * (1 + both), ca.SX(np.inf), Y * 1e22


INPUTS = [Argument("x", (3,), "m", "a vector"), Argument("Y", (2, 3)), Argument("unused")]
OUTPUTS = [Argument("u", (2,)), Argument("v1"), Argument("infinite"), Argument("Y", (2, 3))]
EVERYTHING = Function.from_equation("everything", everything, INPUTS, OUTPUTS)


def heron():
    x, a = Argument("x"), Argument("a")
    step = Function.from_equation(
        "heron", lambda x, a: ((x + a / x) / 2, ca.fabs(x * x - a) < 1e-12 * a), [x, a],
        [x, Argument("status")],
    )  # fmt: skip
    repeat = iterate(step, 40)

    def twice(a):
        first, n, status = repeat(1.0, a)
        second, _, _ = repeat(a, first)
        return second, n, status

    outputs = [Argument("root"), Argument("iterations"), Argument("status")]
    return Function.from_equation("fourth_root", twice, [a], outputs)


def test_c_gives_the_kernels_numbers_on_ten_thousand_states(tmp_path):
    kernel = Kernel(EVERYTHING)
    function = compiled(kernel.program, tmp_path)
    rng = np.random.default_rng(0)
    x, Y = rng.normal(size=(10_000, 3)), rng.normal(size=(10_000, 2, 3))
    expected = kernel(x, Y, 0.0)
    got = [np.empty_like(e) for e in expected]
    for k in range(10_000):
        rows = [g[k : k + 1] for g in got]
        function(x[k], Y[k], np.zeros(1), *rows)
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-13)


def test_calls_and_iterations_are_functions_in_c_too(tmp_path):
    kernel = Kernel(heron())
    text = c_source(kernel.program)
    assert len(re.findall(r"^static void", text, re.MULTILINE)) == 2
    function = compiled(kernel.program, tmp_path)
    for a in (16.0, 81.0, 1e-4):
        results = [np.empty(1) for _ in range(3)]
        function(np.array([a]), *results)
        np.testing.assert_array_equal(np.concatenate(results), kernel(a))
        np.testing.assert_allclose(results[0], a**0.25, rtol=1e-12)


def test_c_needs_nothing_but_the_mathematical_header():
    text = c_source(Program.of(EVERYTHING)) + c_header(Program.of(EVERYTHING))
    assert set(re.findall(r"#include (.*)", text)) == {'"everything.h"', "<math.h>"}
    assert not re.search(r"alloc|static (?!void)", text)


def test_an_output_may_be_the_same_memory_as_an_input(tmp_path):
    x = Argument("x", (2,))
    function = Function.from_equation("swap", lambda x: x[::-1], [x], [x])
    swap = compiled(Program.of(function), tmp_path)
    memory = np.array([1.0, 2.0])
    swap(memory, memory)
    np.testing.assert_array_equal(memory, [2.0, 1.0])


def test_the_header_documents_arguments_and_serves_cpp():
    text = c_header(Program.of(EVERYTHING))
    assert "x: 3 numbers [m] a vector" in text
    assert "Y: 2x3 numbers, row by row" in text
    assert "const double x[3],\n    const double Y[6]," in text
    assert "double new_Y[6]" in text
    assert 'extern "C"' in text


def test_the_example_compiles_runs_and_prints_the_outputs(tmp_path):
    program = Program.of(EVERYTHING)
    source = write(program, tmp_path)
    values = {"x": np.array([0.1, -0.2, 0.3])}
    (tmp_path / "example.c").write_text(c_example(program, values))
    command = [*COMPILER, *STRICT, str(source), str(tmp_path / "example.c"), "-lm"]
    subprocess.run([*command, "-o", str(tmp_path / "example")], check=True)
    printed = subprocess.run(
        [str(tmp_path / "example")], check=True, capture_output=True, text=True
    )
    numbers = dict(line.split(" = ") for line in printed.stdout.splitlines())
    expected = Kernel(EVERYTHING)(values["x"], np.zeros((2, 3)), 0.0)
    assert float(numbers["v_1[0]"]) == pytest.approx(expected.v1, rel=1e-13)
    assert float(numbers["u[1]"]) == pytest.approx(expected.u[1], rel=1e-13)


@pytest.mark.parametrize(("dtype", "real"), [(np.float64, "double"), (np.float32, "float")])
def test_cuda_text_speaks_of_one_type_only(dtype, real):
    text, signature = cuda_source(Program.of(EVERYTHING), np.dtype(dtype))
    other = {"double": "float", "float": "double"}[real]
    assert re.search(rf"\b{real}\b", text)
    assert not re.search(rf"\b{other}\b", text)
    literals = re.findall(
        r"(?<![\w.])\d+\.\d*(?:e[-+]?\d+)?(f?)|(?<![\w.])\d+e[-+]?\d+(f?)", text.split("#endif")[1]
    )
    suffixes = {a or b for a, b in literals}
    assert suffixes == ({"f"} if real == "float" else {""})
    assert signature["dtype"] == np.dtype(dtype).name


def test_cuda_text_is_cpp_that_gives_the_kernels_numbers(tmp_path):
    """The kernel's text compiled for the processor, a thread at a time: all but the GPU itself."""
    kernel = Kernel(EVERYTHING)
    text, _ = cuda_source(kernel.program)
    stand_in = (
        "#include <cmath>\nusing namespace std;\n#define __device__\n#define __global__\n"
        "#define __constant__\n"
        "static struct { long long x; } blockIdx, blockDim, threadIdx;\n"
    )
    caller = (
        '\nextern "C" void run(long long n, double **a, long long *s) {\n'
        "  blockDim.x = 1;\n  for (blockIdx.x = 0; blockIdx.x < n; blockIdx.x++)\n"
        "    everything(n, "
        + ", ".join(f"a[{k}], s[{2 * k}], s[{2 * k + 1}]" for k in range(7))
        + ");\n}\n"
    )
    source, library = tmp_path / "cuda.cpp", tmp_path / "cuda.so"
    source.write_text(stand_in + text + caller)
    compiler = ["c++"] if shutil.which("c++") else [sys.executable, "-m", "ziglang", "c++"]
    subprocess.run(
        [*compiler, "-O1", "-shared", "-fPIC", str(source), "-o", str(library)], check=True
    )
    rng = np.random.default_rng(3)
    n = 100
    x, Y = rng.normal(size=(n, 3)), rng.normal(size=(n, 2, 3))
    inputs = [np.ascontiguousarray(x.T), Y.reshape(n, 6), np.zeros(1)]
    strides = [1, n, 6, 1, 0, 1]  # structure of arrays, array of structures, one for all
    outputs = [np.empty((size, n)) for size in (2, 1, 1, 6)]
    strides += [1, n] * 4
    pointers = (ctypes.c_void_p * 7)(*(a.ctypes.data for a in [*inputs, *outputs]))
    ctypes.CDLL(str(library)).run(
        ctypes.c_longlong(n), pointers, (ctypes.c_longlong * 14)(*strides)
    )
    for got, expected in zip(outputs, kernel(x, Y, 0.0), strict=True):
        np.testing.assert_allclose(got.T.reshape(expected.shape), expected, rtol=1e-13)


def test_without_cupy_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(CompilerError, match=r"CuPy is not installed.* install .*\[gpu\]"):
        Kernel(heron()).on_gpu()


def test_loading_something_that_was_not_exported_says_so(tmp_path):
    with pytest.raises(CompilerError, match=r"absent\.cu: not an exported kernel"):
        GpuKernel.load(tmp_path / "absent.cu")


def program_named(name, argument="x", result="y"):
    function = Function.from_equation(
        name, lambda x: 2 * x, [Argument(argument)], [Argument(result)]
    )
    return Program.of(function)


@pytest.mark.parametrize(
    "names", [("double",), ("main",), ("sin",), ("f", "class"), ("f", "a b"), ("f", "x", "3y")]
)
@pytest.mark.parametrize("written", [c_header, c_source, cuda_source])
def test_names_that_source_code_cannot_have_are_refused(names, written):
    with pytest.raises(CompilerError, match=f"{names[0]}: '{names[-1]}' cannot be a name in C"):
        written(program_named(*names))


@pytest.mark.parametrize("name", ["a b", "../f", "f/g", "", "3f", "f.c", "jac", None])
def test_a_function_has_a_name_that_is_no_path(name):
    with pytest.raises(CompilerError, match="a function cannot have the name"):
        program_named(name)
