"""JavaScript and WebAssembly: every operation with C's rules, iterations, calls and refusals."""

import itertools
import subprocess

import casadi as ca
import numpy as np
import pytest
from browser_kernels import NODE, run
from test_source import heron

from gough.compiler import Argument, Function, Kernel, Program, javascript_source
from gough.compiler.front.operations import BY_CASADI_CODE
from gough.errors import CompilerError

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.0, 1e-310, 1e300, 1e9, np.inf, -np.inf, np.nan]
PAIRS = np.array(list(itertools.product(SPECIAL, SPECIAL)))
BROWSERS_OWN = """pow exp log tan sinh cosh tanh asinh acosh atanh expm1 log1p hypot""".split()
"""What each browser computes as it likes: near C's, where C's is a number."""


def of_operation(code):
    operation = BY_CASADI_CODE[code]
    arguments = [Argument("a"), Argument("b")][: operation.arity]

    def equation(*values):
        if operation.arity == 1:
            return ca.SX.unary(code, values[0])
        return ca.SX.binary(code, *values)

    name = f"f_{operation.name}"
    return Function.from_equation(name, equation, arguments, [Argument("y")])


CODES = [
    code for code, operation in BY_CASADI_CODE.items() if operation.name != "erf"
]  # fmt: skip


def test_every_operation_has_cs_rules(tmp_path):
    functions = {f.name: f for f in map(of_operation, CODES)}
    samples = {name: PAIRS.T[: len(f.inputs)] for name, f in functions.items()}
    for name, found in run(functions, samples, tmp_path).items():
        with np.errstate(all="ignore"):
            expected = Kernel(functions[name])(*samples[name])[:, None]
        exact = name.removeprefix("f_") not in BROWSERS_OWN
        for got in found:
            if exact:
                np.testing.assert_array_equal(got, expected, err_msg=name)
                known = ~np.isnan(expected)
                signs = np.signbit(got)[known] == np.signbit(expected)[known]
                assert signs.all(), name
            else:
                np.testing.assert_allclose(got, expected, rtol=4e-16, atol=0, err_msg=name)


def test_iterations_and_calls(tmp_path):
    numbers = np.array([0.0, 2.0, 3.0, 1e-8, 1e200, np.nan, -1.0])
    function = heron()
    ((one, many),) = run({function.name: function}, {function.name: [numbers]}, tmp_path).values()
    expected = np.column_stack(Kernel(function)(numbers))
    np.testing.assert_array_equal(one, expected)
    np.testing.assert_array_equal(many, expected)


def test_what_the_language_lacks_is_refused():
    function = Function.from_equation("f", ca.erf, [Argument("a")], [Argument("y")])
    with pytest.raises(CompilerError, match="erf cannot be written in JavaScript"):
        javascript_source(Program.of(function))


def test_arrays_of_another_length_are_refused(tmp_path):
    function = Function.from_equation(
        "f", lambda a, b: a + b, [Argument("a", (3,)), Argument("b", (3,), optional=True)],
        [Argument("y", (3,))],
    )  # fmt: skip
    (tmp_path / "f.mjs").write_text(javascript_source(Program.of(function)))
    script = (
        'import("./f.mjs").then(({ f }) => {'
        "console.log(f([1, 2, 3]).join()); console.log(f([1, 2, 3], [1, 1, 1]).join());"
        "try { f([1, 2]) } catch (error) { console.log(error.message) } })"
    )
    said = subprocess.check_output([NODE, "-e", script], cwd=tmp_path, text=True)
    assert said.split("\n") == ["1,2,3", "2,3,4", "a has 2 numbers; expected 3", ""]
