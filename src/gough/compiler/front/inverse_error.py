"""The inverse error function as a few other operations: C's library has none."""

from __future__ import annotations

import math
from typing import Protocol

import casadi as ca

from gough.compiler.front.operations import BY_CASADI_CODE, ERFC, SELECT, Operation


class Values(Protocol):
    """What numbers constants and operations: a program as it is built."""

    def constant(self, value: float) -> int: ...  # noqa: D102

    def compute(self, operation: Operation, *operands: int) -> int: ...  # noqa: D102


def erfinv(values: Values, x: int) -> int:
    """Number the value y with erf(y) = x.

    Winitzki's closed approximation (2e-3), then three steps of Halley's method, each of which
    cubes the error; near the ends, where two steps are not enough, the residual is taken with
    erfc, which keeps its digits.
    """

    def do(code: int, *operands: int) -> int:
        return values.compute(BY_CASADI_CODE[code], *operands)

    number = values.constant
    one, half = number(1.0), number(0.5)
    a = do(ca.OP_FABS, x)
    rest = do(ca.OP_SUB, one, a)
    central = do(ca.OP_LT, a, half)
    near = do(ca.OP_LOG1P, do(ca.OP_NEG, do(ca.OP_SQ, a)))
    far = do(ca.OP_LOG, do(ca.OP_MUL, rest, do(ca.OP_ADD, one, a)))
    log = values.compute(SELECT, central, near, far)  # log(1 - x^2)
    t = do(ca.OP_ADD, number(2 / (math.pi * 0.147)), do(ca.OP_MUL, half, log))
    u = do(ca.OP_DIV, log, number(-0.147))
    root = do(ca.OP_SQRT, do(ca.OP_ADD, do(ca.OP_SQ, t), u))
    y = do(ca.OP_SQRT, do(ca.OP_DIV, u, do(ca.OP_ADD, root, t)))
    for _ in range(3):
        central_error = do(ca.OP_SUB, do(ca.OP_ERF, y), a)
        tail_error = do(ca.OP_SUB, rest, values.compute(ERFC, y))
        error = values.compute(SELECT, central, central_error, tail_error)
        gauss = do(ca.OP_EXP, do(ca.OP_NEG, do(ca.OP_SQ, y)))
        slope = do(ca.OP_MUL, number(2 / math.sqrt(math.pi)), gauss)
        newton = do(ca.OP_DIV, error, slope)
        halley = do(ca.OP_DIV, newton, do(ca.OP_ADD, one, do(ca.OP_MUL, y, newton)))
        y = do(ca.OP_SUB, y, halley)
    at_end = do(ca.OP_EQ, a, one)
    y = values.compute(SELECT, at_end, number(math.inf), y)
    return do(ca.OP_COPYSIGN, y, x)
