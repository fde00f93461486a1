"""The scalar operations of a program, and how each is written in C and in LLVM's language.

In the texts `a b c` stand for the operands, `zero`, `one` and `minus_one` for these numbers, and in
C `f` for what the names of functions of its kind of numbers end with. For LLVM, `T` is the type of
a value (`double`, or a vector of them), `B` that of a truth value, and `r` the result; a text of
several lines assigns `r` itself, a text of one line is its right-hand side. Truth values are 1.0
and 0.0, as in CasADi.
"""

from dataclasses import dataclass, replace

import casadi as ca


@dataclass(frozen=True)
class Operation:
    """One scalar operation; without an LLVM text it is C's function, or one of `elementary`."""

    name: str
    arity: int
    c: str
    llvm: str = ""
    commutative: bool = False


def _library(name: str, arity: int = 1) -> Operation:
    return Operation(name, arity, f"{name}{{f}}({', '.join(f'{{{x}}}' for x in 'ab'[:arity])})")


def _intrinsic(name: str, arity: int = 1) -> Operation:
    operands = ", ".join(f"{{T}} {{{x}}}" for x in "ab"[:arity])
    return replace(_library(name, arity), llvm=f"call {{T}} @llvm.{name}.{{suffix}}({operands})")


def _extreme(name: str, condition: str) -> Operation:
    """The one of two numbers that meets a condition; a number rather than NaN, a if equal."""
    llvm = "\n".join(
        [
            f"{{r}}.better = fcmp {condition} {{T}} {{b}}, {{a}}",
            "{r}.best = select {B} {r}.better, {T} {b}, {T} {a}",
            "{r}.none = fcmp uno {T} {a}, {a}",
            "{r} = select {B} {r}.none, {T} {b}, {T} {r}.best",
        ]
    )
    return replace(_library(name, 2), llvm=llvm)


def _truth(*lines: str) -> str:
    """LLVM text whose last line computes a truth value, made a number."""
    return "\n".join([*lines, "{r} = uitofp {B} {r}.truth to {T}"])


def _comparison(name: str, condition: str, c: str, commutative: bool = False) -> Operation:
    llvm = _truth(f"{{r}}.truth = fcmp {condition} {{T}} {{a}}, {{b}}")
    return Operation(name, 2, c, llvm, commutative)


def _logic(name: str, instruction: str, c: str) -> Operation:
    llvm = _truth(
        "{r}.a = fcmp une {T} {a}, {zero}",
        "{r}.b = fcmp une {T} {b}, {zero}",
        f"{{r}}.truth = {instruction} {{B}} {{r}}.a, {{r}}.b",
    )
    return Operation(name, 2, c, llvm, commutative=True)


def _code(name: str) -> int:
    return int(getattr(ca, f"OP_{name.upper()}"))


_OF_ONE_NUMBER = """exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    expm1 log1p erf"""
_TESTED = "{r}.test = fcmp une {T} {a}, {zero}\n"

ADD = Operation("add", 2, "{a} + {b}", "fadd {T} {a}, {b}", commutative=True)
SUB = Operation("sub", 2, "{a} - {b}", "fsub {T} {a}, {b}")
MUL = Operation("mul", 2, "{a} * {b}", "fmul {T} {a}, {b}", commutative=True)
NEG = Operation("neg", 1, "-{a}", "fneg {T} {a}")
INV = Operation("inv", 1, "{one} / {a}", "fdiv {T} {one}, {a}")
NOT = Operation("not", 1, "{a} == {zero}", _truth("{r}.truth = fcmp oeq {T} {a}, {zero}"))
IF_ELSE_ZERO = Operation(
    "if_else_zero",
    2,
    "{a} != {zero} ? {b} : {zero}",
    _TESTED + "{r} = select {B} {r}.test, {T} {b}, {T} {zero}",
)
SELECT = Operation(
    "select",
    3,
    "{a} != {zero} ? {b} : {c}",
    _TESTED + "{r} = select {B} {r}.test, {T} {b}, {T} {c}",
)


def _plain_extreme(name: str, condition: str, c: str) -> Operation:
    """The one of two numbers that meets a condition, else b, also if one is NaN."""
    tested = f"{{r}}.test = fcmp {condition} {{T}} {{a}}, {{b}}"
    llvm = tested + "\n{r} = select {B} {r}.test, {T} {a}, {T} {b}"
    return Operation(name, 2, f"{{a}} {c} {{b}} ? {{a}} : {{b}}", llvm)


LEAST = _plain_extreme("least", "olt", "<")
INVERSE_ROOT = Operation("inverse_root", 1, "{one} / sqrt{f}({a})")
ROOT_OF_INVERSE = Operation("root_of_inverse", 2, "sqrt{f}({a})")
"""1 / sqrt(a), and sqrt(a) with that as b, in source text for GPUs alone."""
GREATEST = _plain_extreme("greatest", "ogt", ">")

BY_CASADI_CODE: dict[int, Operation] = {
    ca.OP_ADD: ADD,
    ca.OP_SUB: SUB,
    ca.OP_MUL: MUL,
    ca.OP_DIV: Operation("div", 2, "{a} / {b}", "fdiv {T} {a}, {b}"),
    ca.OP_NEG: NEG,
    ca.OP_SQ: Operation("sq", 1, "{a} * {a}", "fmul {T} {a}, {a}"),
    ca.OP_TWICE: Operation("twice", 1, "{a} + {a}", "fadd {T} {a}, {a}"),
    ca.OP_INV: INV,
    **{_code(name): _intrinsic(name) for name in "sqrt fabs floor ceil".split()},
    ca.OP_COPYSIGN: _intrinsic("copysign", 2),
    ca.OP_FMIN: _extreme("fmin", "olt"),
    ca.OP_FMAX: _extreme("fmax", "ogt"),
    ca.OP_SIGN: Operation(
        "sign",
        1,
        "{a} < {zero} ? {minus_one} : {a} > {zero} ? {one} : {a}",
        "{r}.less = fcmp olt {T} {a}, {zero}\n"
        "{r}.more = fcmp ogt {T} {a}, {zero}\n"
        "{r}.minus = select {B} {r}.less, {T} {minus_one}, {T} {a}\n"
        "{r} = select {B} {r}.more, {T} {one}, {T} {r}.minus",
    ),
    ca.OP_LT: _comparison("lt", "olt", "{a} < {b}"),
    ca.OP_LE: _comparison("le", "ole", "{a} <= {b}"),
    ca.OP_EQ: _comparison("eq", "oeq", "{a} == {b}", commutative=True),
    ca.OP_NE: _comparison("ne", "une", "{a} != {b}", commutative=True),
    ca.OP_NOT: NOT,
    ca.OP_AND: _logic("and", "and", "{a} != {zero} && {b} != {zero}"),
    ca.OP_OR: _logic("or", "or", "{a} != {zero} || {b} != {zero}"),
    ca.OP_IF_ELSE_ZERO: IF_ELSE_ZERO,
    ca.OP_CONSTPOW: _library("pow", 2),
    **{_code(name): _library(name, 2) for name in "pow atan2 hypot fmod remainder".split()},
    **{_code(name): _library(name) for name in _OF_ONE_NUMBER.split()},
}

LIBRARY = sorted({o.name for o in BY_CASADI_CODE.values() if not o.llvm})
"""The functions of C's mathematical library that machine code may call."""
