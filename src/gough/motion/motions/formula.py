"""Text such as "1 + 0.15*sin(0.5*t)" as a symbolic expression. The text is never executed.

Python's parser makes a tree of it; only numbers, the names and functions listed here, arithmetic,
comparisons and `a if condition else b` are let through.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from itertools import pairwise
from typing import NamedTuple

import casadi as ca

from gough.equations.spatial.algebra import Value
from gough.errors import clipped, did_you_mean
from gough.motion.checked import MotionError

LONGEST = 2000  # maximum number of characters of a text
DEEPEST = 100  # maximum nesting depth of parentheses, powers and functions
MOST_SWITCHES = 200  # maximum number of terms that can jump: conditions, abs, roots and so on

MOST_LISTED = 40  # maximum number of known names that an error lists

CONSTANTS = {"pi": math.pi, "tau": math.tau, "e": math.e, "deg": math.pi / 180, "mm": 1e-3}
"""Names that are always known: `5*deg` and `10*mm` are in radians and metres."""

_NAMES = "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sqrt erf"
_SMOOTH: dict[str, Callable[..., Value]] = {name: getattr(ca, name) for name in _NAMES.split()}
FUNCTIONS = (*_SMOOTH, "abs", "min", "max")
_EDGES: dict[str, Callable[..., Value]] = {
    "sqrt": lambda u: u,
    "log": lambda u: u,
    "tan": ca.cos,
    "asin": lambda u: 1 - u**2,
    "acos": lambda u: 1 - u**2,
    "atanh": lambda u: 1 - u**2,
    "acosh": lambda u: u - 1,
    "atan2": lambda y, _: y,
    "abs": lambda u: u,
}
"""Expressions that are zero where a function has a corner, a branch or a pole."""

_Operators = dict[type, Callable[[Value, Value], Value]]
_ARITHMETIC: _Operators = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Pow: operator.pow,
}  # fmt: skip
_COMPARISONS: _Operators = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge
}  # fmt: skip


class Formula(NamedTuple):
    """An expression, and expressions at whose zeros alone it may jump, bend or have no value."""

    value: Value
    switches: tuple[Value, ...]


def parse(text: str | float, names: Mapping[str, Value], key: str) -> Formula:
    """The expression of a text, its names replaced by the given values; errors call it `key`."""
    written = str(text).strip()
    _check_characters(written, key)
    try:
        tree = ast.parse(written, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        problem = f"{_quoted(written)} is not an expression"
        raise MotionError(problem, key=key, expected=_EXAMPLE) from None
    reader = _Reader({**CONSTANTS, **names}, written, key)
    value = reader.value(tree.body)
    if len(reader.switches) > MOST_SWITCHES:
        problem = f"{len(reader.switches)} conditions, roots, quotients and so on"
        raise MotionError(problem, key=key, expected=f"at most {MOST_SWITCHES}")
    return Formula(value, tuple(reader.switches))


def _check_characters(text: str, key: str) -> None:
    """Refuse a text that is too long, or has letters that only look like those of a name."""
    if len(text) > LONGEST:
        raise MotionError(f"{len(text)} characters", key=key, expected=f"at most {LONGEST}")
    if not text.isascii():
        other = next(c for c in text if not c.isascii())
        problem = f"{_quoted(text)} has the character {other!r} (U+{ord(other):04X})"
        raise MotionError(problem, key=key, expected="plain (ASCII) letters, digits and signs")


def check_name(name: str, key: str) -> None:
    """Refuse a name for a constant that means something already, or cannot be written."""
    taken = name in (*CONSTANTS, *FUNCTIONS, "t", "T")
    if taken or not (isinstance(name, str) and name.isidentifier() and name.isascii()):
        problem = "already has a meaning" if taken else "not a name"
        expected = 'another name, such as "amplitude"'
        raise MotionError(problem, key=f"{key}.{name}", expected=expected)


_EXAMPLE = 'an expression of t, like "1 + 0.15*sin(0.5*t)"'


class _Reader:
    """Turns one parsed text into symbols; a complaint quotes the text."""

    def __init__(self, names: Mapping[str, Value | float], text: str, key: str) -> None:
        self.names, self.text, self.key = names, text, key
        self.switches: list[Value] = []
        self.depth = 0

    def value(self, node: ast.AST) -> Value:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._error("too deep", f"at most {DEEPEST} parts inside each other")
        value = self._value(node)
        self.depth -= 1
        return value

    def _value(self, node: ast.AST) -> Value:
        match node:
            case ast.Constant(value=number):
                return self._number(number)
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=a):
                return -self.value(a) if isinstance(op, ast.USub) else self.value(a)
            case ast.BinOp():
                return self._chain(node)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return ca.if_else(self._truth(test), self.value(body), self.value(otherwise))
        raise self._not_allowed(node)

    def _chain(self, node: ast.AST) -> Value:
        """a + b - c ..., from the left: a long sum is not a deep one."""
        later: list[ast.BinOp] = []
        while isinstance(node, ast.BinOp):
            later.append(node)
            node = node.left
        value = self.value(node)
        for step in reversed(later):
            value = self._joined(value, step, self.value(step.right))
        return value

    def _joined(self, a: Value, step: ast.BinOp, b: Value) -> Value:
        if isinstance(step.op, ast.BitXor):
            raise self._error('"^" is not a power', "**, as in t**2")
        if type(step.op) not in _ARITHMETIC:
            raise self._not_allowed(step)
        if isinstance(step.op, ast.Div):
            self._switch(b)
        elif isinstance(step.op, ast.Pow) and not (
            b.is_constant() and float(b) >= 0.0 and float(b).is_integer()
        ):  # powers 0, 1, 2 and so on are smooth everywhere
            self._switch(a)
        return _ARITHMETIC[type(step.op)](a, b)

    def _switch(self, value: Value) -> None:
        """Take note of a value at whose zeros the form changes."""
        if not value.is_constant():
            self.switches.append(value)

    def _number(self, number: object) -> Value:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise self._error(f"{clipped(repr(number), 80)} is not a real number", _EXAMPLE)
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
        if name in _EDGES:
            self._switch(_EDGES[name](*values))
        if name in ("min", "max"):
            return reduce(partial(self._extreme, name == "min"), values)
        return ca.fabs(values[0]) if name == "abs" else _SMOOTH[name](*values)

    def _extreme(self, least: bool, a: Value, b: Value) -> Value:
        self._switch(a - b)
        return ca.if_else(a < b if least else a > b, a, b)

    def _truth(self, node: ast.expr) -> Value:
        match node:
            case ast.BoolOp(op=op, values=parts):
                join = ca.logic_and if isinstance(op, ast.And) else ca.logic_or
                return reduce(join, [self._truth(part) for part in parts])
            case ast.Compare(left=left, ops=ops, comparators=others) if all(
                type(op) in _COMPARISONS for op in ops
            ):
                sides = [self.value(side) for side in (left, *others)]
                for a, b in pairwise(sides):
                    self._switch(a - b)
                tests = zip(ops, pairwise(sides), strict=True)
                return reduce(ca.logic_and, [_COMPARISONS[type(op)](*ab) for op, ab in tests])
        raise self._error(f"{self._source(node)} is not a condition", 'one like "t < 2"')

    def _not_allowed(self, node: ast.AST) -> MotionError:
        return self._error(f"{self._source(node)} is not allowed here", _EXAMPLE)

    def _source(self, node: ast.AST) -> str:
        return _quoted(ast.get_source_segment(self.text, node) or self.text)

    def _unknown(self, problem: str, name: str, known: Sequence[str]) -> MotionError:
        hint = did_you_mean(name, known, likeness=0.5)
        listed = ", ".join(known[:MOST_LISTED]) + (", …" if len(known) > MOST_LISTED else "")
        return self._error(problem + hint, f"one of {listed}")

    def _error(self, problem: str, expected: str) -> MotionError:
        return MotionError(f"{_quoted(self.text)}: {problem}", key=self.key, expected=expected)


def _quoted(text: str) -> str:
    return f'"{clipped(text, 80)}"'
