"""Every scalar operation, at every vector width, against NumPy, SciPy and Python's math."""

import math

import casadi as ca
import numpy as np
import pytest
from scipy import special

from gough.compiler.front import operations
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.errors import CompilerError

SPECIAL = np.array(
    [0.0, -0.0, 1, -1, 0.5, -2, 3, math.pi, 1e-8, 1e8, 1e300, -1e300, 5e-324, -5e-324, 2.2e-308]
    + [np.finfo(float).max, np.inf, -np.inf, np.nan]
)
LANES = (1, 2, 4, 8)


@np.vectorize
def remainder(x, y):
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


def sign(x):
    return np.where(np.isnan(x) | (x == 0), x, np.copysign(1.0, x))


def truth(f):
    return lambda *x: np.asarray(f(*x), dtype=float)


EXACT = {
    "add": (lambda a, b: a + b, np.add),
    "sub": (lambda a, b: a - b, np.subtract),
    "mul": (lambda a, b: a * b, np.multiply),
    "div": (lambda a, b: a / b, np.divide),
    "neg": (lambda a, _: -a, lambda a, _: -a),
    "sq": (lambda a, _: a * a, lambda a, _: a * a),
    "twice": (lambda a, _: 2 * a, lambda a, _: a + a),
    "inv": (lambda a, _: 1 / a, lambda a, _: 1 / a),
    "sqrt": (lambda a, _: ca.sqrt(a), lambda a, _: np.sqrt(a)),
    "fabs": (lambda a, _: ca.fabs(a), lambda a, _: np.abs(a)),
    "floor": (lambda a, _: ca.floor(a), lambda a, _: np.floor(a)),
    "ceil": (lambda a, _: ca.ceil(a), lambda a, _: np.ceil(a)),
    "sign": (lambda a, _: ca.sign(a), lambda a, _: sign(a)),
    "copysign": (ca.copysign, np.copysign),
    "fmod": (ca.fmod, np.fmod),
    "remainder": (ca.remainder, remainder),
    "lt": (lambda a, b: a < b, truth(np.less)),
    "le": (lambda a, b: a <= b, truth(np.less_equal)),
    "eq": (lambda a, b: a == b, truth(np.equal)),
    "ne": (lambda a, b: a != b, truth(np.not_equal)),
    "not": (lambda a, _: ca.logic_not(a), truth(lambda a, _: a == 0)),
    "and": (ca.logic_and, truth(np.logical_and)),
    "or": (ca.logic_or, truth(np.logical_or)),
    "if_else_zero": (lambda a, b: ca.if_else(a, b, 0), lambda a, b: np.where(a != 0, b, 0.0)),
    "select": (lambda a, b: ca.if_else(a < b, a, b), lambda a, b: np.where(a < b, a, b)),
}
EITHER_ZERO = {  # C leaves open which of 0 and -0 these return
    "fmin": (ca.fmin, np.fmin),
    "fmax": (ca.fmax, np.fmax),
}
TRANSCENDENTAL = {
    "pow": (lambda a, b: a**b, np.power),
    "exp": (lambda a, _: ca.exp(a), lambda a, _: np.exp(a)),
    "log": (lambda a, _: ca.log(a), lambda a, _: np.log(a)),
    "sin": (lambda a, _: ca.sin(a), lambda a, _: np.sin(a)),
    "cos": (lambda a, _: ca.cos(a), lambda a, _: np.cos(a)),
    "tan": (lambda a, _: ca.tan(a), lambda a, _: np.tan(a)),
    "asin": (lambda a, _: ca.asin(a), lambda a, _: np.arcsin(a)),
    "acos": (lambda a, _: ca.acos(a), lambda a, _: np.arccos(a)),
    "atan": (lambda a, _: ca.atan(a), lambda a, _: np.arctan(a)),
    "atan2": (ca.atan2, np.arctan2),
    "sinh": (lambda a, _: ca.sinh(a), lambda a, _: np.sinh(a)),
    "cosh": (lambda a, _: ca.cosh(a), lambda a, _: np.cosh(a)),
    "tanh": (lambda a, _: ca.tanh(a), lambda a, _: np.tanh(a)),
    "asinh": (lambda a, _: ca.asinh(a), lambda a, _: np.arcsinh(a)),
    "acosh": (lambda a, _: ca.acosh(a), lambda a, _: np.arccosh(a)),
    "atanh": (lambda a, _: ca.atanh(a), lambda a, _: np.arctanh(a)),
    "expm1": (lambda a, _: ca.expm1(a), lambda a, _: np.expm1(a)),
    "log1p": (lambda a, _: ca.log1p(a), lambda a, _: np.log1p(a)),
    "erf": (lambda a, _: ca.erf(a), lambda a, _: special.erf(a)),
    "hypot": (ca.hypot, np.hypot),
}
ALL = EXACT | EITHER_ZERO | TRANSCENDENTAL


@pytest.fixture(scope="module")
def kernels():
    """One kernel per vector width with every operation as an output."""
    inputs, outputs = [Argument("a"), Argument("b")], [Argument(f"r_{name}") for name in ALL]

    def everything(a, b):
        return tuple(symbolic(a, b) for symbolic, _ in ALL.values())

    function = Function.from_equation("everything", everything, inputs, outputs)
    return {lanes: Kernel(function, lanes=lanes) for lanes in LANES}


@pytest.fixture(scope="module")
def operands():
    """All pairs of special values, and random ones of every size."""
    rng = np.random.default_rng(1)
    moderate = rng.normal(size=(3, 2000)) * [[1], [10], [0.3]]
    any_size = np.concatenate(
        [moderate.ravel(), rng.normal(size=500) * 10.0 ** rng.integers(-30, 30, 500)]
    )
    a, b = np.meshgrid(SPECIAL, SPECIAL)
    return (
        np.concatenate([a.ravel(), any_size]),
        np.concatenate([b.ravel(), rng.permutation(any_size)]),
    )


def units_in_the_last_place(x, y):
    """How many floating-point numbers lie between x and y; two NaN are equal."""

    def ordered(v):
        bits = v.view(np.int64)
        return np.where(bits < 0, np.int64(-(2**63)) - bits, bits).astype(object)

    return np.where(np.isnan(x) & np.isnan(y), 0, np.abs(ordered(x) - ordered(y)))


def results(name, kernel, a, b):
    index = list(ALL).index(name)
    with np.errstate(all="ignore"):
        return kernel(a, b)[index], np.asarray(ALL[name][1](a, b), dtype=float)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", EXACT)
def test_arithmetic_is_that_of_numpy_to_the_last_bit(name, lanes, kernels, operands):
    got, expected = results(name, kernels[lanes], *operands)
    assert units_in_the_last_place(got, expected).max() == 0
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", EITHER_ZERO)
def test_minimum_and_maximum_ignore_nan_as_numpy_does(name, lanes, kernels, operands):
    got, expected = results(name, kernels[lanes], *operands)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", TRANSCENDENTAL)
def test_transcendental_functions_agree_to_four_units_in_the_last_place(
    name, lanes, kernels, operands
):
    got, expected = results(name, kernels[lanes], *operands)
    error = units_in_the_last_place(got, expected)
    worst = int(np.argmax(error))
    assert error[worst] <= 4, f"{name}({operands[0][worst]!r}, {operands[1][worst]!r})"


def test_every_operation_of_the_table_is_tested():
    table = {o.name for o in operations.BY_CASADI_CODE.values()}
    assert table | {"select"} == set(ALL)


UNARY = """exp log sqrt sin cos tan asin acos atan floor ceil fabs sign erf sinh cosh tanh asinh
           acosh atanh expm1 log1p logic_not log10""".split()
BINARY = "fmod copysign fmin fmax atan2 hypot remainder logic_and logic_or constpow".split()


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_casadis_own_functions_of_scalars_compile(name):
    def equation(a, b):
        f = getattr(ca, name)
        return f(a) if name in UNARY else f(a, b)

    inputs = [Argument("a"), Argument("b")]
    function = Function.from_equation("f", equation, inputs, [Argument("r")])
    a, b = np.random.default_rng(2).uniform(0.1, 0.9, size=(2, 5))
    expected = [float(function.casadi(x, y)) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(Kernel(function)(a, b), expected, rtol=1e-14)


def test_an_operation_that_neither_c_nor_llvm_has_is_refused():
    function = Function.from_equation("f", ca.erfinv, [Argument("x")], [Argument("r")])
    with pytest.raises(CompilerError, match=r"f: CasADi operation .* cannot be compiled"):
        Kernel(function)


def test_what_fails_is_nan_and_makes_no_warning():
    def equation(x):
        return ca.if_else(x > 0, ca.log(x), 0), ca.sqrt(x)

    outputs = [Argument("guarded"), Argument("root")]
    kernel = Kernel(Function.from_equation("f", equation, [Argument("x")], outputs))
    with np.errstate(all="raise"):
        guarded, root = kernel([0.0, -1.0, 1.0])
    np.testing.assert_array_equal(guarded, [0, 0, 0])
    np.testing.assert_array_equal(root, [0, np.nan, 1])


def test_an_operation_that_has_a_side_effect_is_refused():
    inputs = [Argument("a"), Argument("b")]
    function = Function.from_equation("f", lambda a, b: a.printme(b), inputs, [Argument("r")])
    with pytest.raises(CompilerError, match=r"f: CasADi operation .* cannot be compiled"):
        Kernel(function)
