"""Text such as "1 + 0.15*sin(0.5*t)" as a symbolic expression. The text is never executed.

Python's parser makes a tree of it; only numbers, the names and functions listed here, arithmetic,
comparisons and `a if condition else b` are let through.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import casadi as ca

from gough.motion.problems import MotionError

Value = Any  # a casadi.SX
LONGEST = 2000

CONSTANTS = {"pi": math.pi, "tau": math.tau, "e": math.e, "deg": math.pi / 180, "mm": 1e-3}
"""Names that are always known: `5*deg` and `10*mm` are in radians and metres."""

_SMOOTH: dict[str, Callable[..., Value]] = {
    name: getattr(ca, name)
    for name in (
        "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sqrt erf".split()
    )
}
FUNCTIONS = (*_SMOOTH, "abs", "min", "max")

_ARITHMETIC: dict[type, Callable[[Value, Value], Value]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
_COMPARISONS: dict[type, Callable[[Value, Value], Value]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


class Formula(NamedTuple):
    """An expression, and the expressions at whose zeros its form changes."""

    value: Value
    switches: tuple[Value, ...]


def parse(text: str | float, names: Mapping[str, Value], key: str) -> Formula:
    """The expression that a text stands for, its names replaced by the given values.

    `key` is what an error calls it.
    """
    if isinstance(text, str) and len(text) > LONGEST:
        raise MotionError(f"{len(text)} characters", key=key, expected=f"at most {LONGEST}")
    try:
        tree = ast.parse(str(text).strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MotionError(
            f'"{text}" is not an expression', key=key, value=text, expected=_EXAMPLE
        ) from None
    reader = _Reader({**CONSTANTS, **names}, str(text), key)
    value = reader.value(tree.body)
    return Formula(value, tuple(reader.switches))


def check_name(name: str, key: str) -> None:
    """Refuse a name for a constant that means something already, or cannot be written."""
    taken = name in CONSTANTS or name in FUNCTIONS or name in ("t", "T")
    if taken or not name.isidentifier() or not name.isascii():
        raise MotionError(
            "already has a meaning" if taken else "not a name",
            key=f"{key}.{name}",
            expected='another name, such as "amplitude"',
        )


_EXAMPLE = 'an expression of t, like "1 + 0.15*sin(0.5*t)"'


class _Reader:
    """Turns one parsed text into symbols; a complaint quotes the text."""

    def __init__(self, names: Mapping[str, Value], text: str, key: str) -> None:
        self.names, self.text, self.key = names, text, key
        self.switches: list[Value] = []

    def value(self, node: ast.AST) -> Value:
        match node:
            case ast.Constant(value=number):
                return self._number(number)
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=a):
                return -self.value(a) if isinstance(op, ast.USub) else self.value(a)
            case ast.BinOp(left=a, op=op, right=b) if type(op) in _ARITHMETIC:
                return _ARITHMETIC[type(op)](self.value(a), self.value(b))
            case ast.BinOp(op=ast.BitXor()):
                raise self._error('"^" is not a power', "**, as in t**2")
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return ca.if_else(self._truth(test), self.value(body), self.value(otherwise))
        raise self._error(f'"{ast.unparse(node)}" is not allowed here', _EXAMPLE)

    def _number(self, number: object) -> Value:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise self._error(f"{number!r} is not a real number", _EXAMPLE)
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise self._error("a number is too large", "at most 1e308")
        return ca.SX(value)

    def _named(self, name: str) -> Value:
        if name in FUNCTIONS:
            raise self._error(f'"{name}" is a function', f"{name}(...)")
        if name not in self.names:
            raise self._unknown(f'unknown name "{name}"', name, [*self.names, *FUNCTIONS])
        return ca.SX(self.names[name])

    def _call(self, name: str, arguments: list[ast.expr]) -> Value:
        if name not in FUNCTIONS:
            raise self._unknown(f'unknown function "{name}"', name, FUNCTIONS)
        values = [self.value(a) for a in arguments]
        wanted = {"atan2": 2, "min": len(values), "max": len(values)}.get(name, 1)
        if len(values) != wanted or not values:
            raise self._error(f'"{name}" takes {wanted or "some"} values', f"not {len(values)}")
        if name == "abs":
            self.switches.append(values[0])
            return ca.fabs(values[0])
        if name in ("min", "max"):
            return reduce(self._least if name == "min" else self._greatest, values)
        return _SMOOTH[name](*values)

    def _least(self, a: Value, b: Value) -> Value:
        self.switches.append(a - b)
        return ca.if_else(a < b, a, b)

    def _greatest(self, a: Value, b: Value) -> Value:
        self.switches.append(a - b)
        return ca.if_else(a > b, a, b)

    def _truth(self, node: ast.expr) -> Value:
        match node:
            case ast.BoolOp(op=op, values=parts):
                join = ca.logic_and if isinstance(op, ast.And) else ca.logic_or
                return reduce(join, [self._truth(part) for part in parts])
            case ast.Compare(left=left, ops=ops, comparators=others) if all(
                type(op) in _COMPARISONS for op in ops
            ):
                sides = [self.value(side) for side in (left, *others)]
                self.switches += [a - b for a, b in pairwise(sides)]
                tests = [
                    _COMPARISONS[type(op)](a, b)
                    for op, a, b in zip(ops, sides[:-1], sides[1:], strict=True)
                ]
                return reduce(ca.logic_and, tests)
        raise self._error(f'"{ast.unparse(node)}" is not a condition', 'one like "t < 2"')

    def _unknown(self, problem: str, name: str, known: Any) -> MotionError:
        nearest = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f' (did you mean "{nearest[0]}"?)' if nearest else ""
        return self._error(problem + hint, f"one of {', '.join(known)}")

    def _error(self, problem: str, expected: str) -> MotionError:
        return MotionError(f'"{self.text}": {problem}', key=self.key, expected=expected)
