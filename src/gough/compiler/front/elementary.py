"""Elementary functions as a few other operations, so that all lanes compute theirs at once.

C's library takes one number at a time. What stands here is within 3 units in the last place, gives
a number the same result in any lane, and keeps C's rules for zeros, infinities and NaN. Some hold
for a limited range only and say where; beyond it the machine code asks C's library.
"""

from collections.abc import Sequence
from functools import cache
from math import factorial, pi

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import SX, Equation, Function
from gough.compiler.front.program import Program

_PARTS = ("0x1.921fb544", "0x0.42d18469p-32", "0x0.898cc517p-64", "0x0.01b839a252049c1p-96")
_HALF_PI = tuple(map(float.fromhex, _PARTS))
"""Its binary digits, in four parts of 32; the last has as many as it can."""
_FAR = 2.0**20
"""Up to here [rad] the products of a part of π/2 with the number of quarter turns are exact."""
_SINE = [(-1) ** k / factorial(2 * k + 1) for k in range(1, 9)]  # of x³, x⁵ ... over x
_COSINE = [(-1) ** k / factorial(2 * k) for k in range(2, 9)]  # of x⁴, x⁶ ...
_GROWTH = [1 / factorial(k) for k in range(2, 15)]  # of x², x³ ... over x²
_LN_2 = tuple(map(float.fromhex, ("0x1.62e42fefap-1", "0x1.cf79abc9e3b3ap-40")))
"""Two parts of the logarithm of 2, the first of 36 binary digits."""
_ONE = 22.0
"""From here on a hyperbolic tangent is 1, to all digits."""
_ARC_TANGENT = [
    # of x³, x⁵ ... over x: the polynomial with the least relative error, 3e-17, for 0 <= x <= 1
    -0.3333333333333186, 0.1999999999975502, -0.14285714271334835, 0.11111110678749644,
    -0.09090901235399605, 0.07692212930535959, -0.066658603627268, 0.05877307767779613,
    -0.052392329846786746, 0.046739495497842, -0.04092638067431977, 0.034067807822621206,
    -0.025826792226778132, 0.016978030989887635, -0.009184555437476632, 0.0038559728220139058,
    -0.0011640709745232782, 0.00022302221813655571, -2.0258533439858046e-05,
]  # fmt: skip


def sin(x: SX) -> tuple[SX, SX]:
    """Sine [x in rad], and where this holds."""
    quarter_turns, r = _nearest_quarter_turn(x)
    return _sine_of_sum(quarter_turns, r), _near(x)


def cos(x: SX) -> tuple[SX, SX]:
    """Cosine [x in rad], and where this holds."""
    quarter_turns, r = _nearest_quarter_turn(x)
    return _sine_of_sum(quarter_turns + 1, r), _near(x)


def atan2(y: SX, x: SX) -> SX:
    """Return the angle [rad] of the point (x, y), from -π to π, with the sign of a zero y."""
    steep = ca.fabs(y) > ca.fabs(x)
    short = ca.if_else(steep, ca.fabs(x), ca.fabs(y))
    long = ca.if_else(steep, ca.fabs(y), ca.fabs(x))
    t = ca.if_else(short == long, long > 0, short / long)  # also if both are infinite, or zero
    z = t * t
    angle = t + t * (z * _polynomial(_ARC_TANGENT, z))
    angle = ca.if_else(steep, pi / 2 - angle, angle)
    angle = ca.if_else(ca.copysign(1, x) < 0, pi - angle, angle)
    return ca.copysign(angle, y)


def tanh(x: SX) -> SX:
    """Return the hyperbolic tangent e / (e + 2), with e = exp(2 |x|) - 1."""
    y = 2 * ca.if_else(ca.fabs(x) > _ONE, _ONE, ca.fabs(x))
    n = left = ca.floor(y / sum(_LN_2) + 0.5)
    r = y - n * _LN_2[0] - n * _LN_2[1]
    power = ca.SX(1)  # 2ⁿ
    for bit in (32, 16, 8, 4, 2, 1):
        power *= ca.if_else(left >= bit, 2.0**bit, 1)
        left -= ca.if_else(left >= bit, bit, 0)
    e = power * (r + r * r * _polynomial(_GROWTH, r)) + (power - 1)
    return ca.copysign(e / (e + 2), x)


_ALL: dict[str, Equation] = {
    "sin": sin,
    "cos": cos,
    "asin": lambda x: atan2(x, ca.sqrt((1 - x) * (1 + x))),  # NaN beyond ±1
    "acos": lambda x: atan2(ca.sqrt((1 - x) * (1 + x)), x),
    "atan": lambda x: atan2(x, ca.SX(1)),
    "atan2": atan2,
    "tanh": tanh,
}


@cache
def elementary(name: str) -> Program | None:
    """The program of one of C's functions, if it is here; a second output is where it holds."""
    if name not in _ALL:
        return None
    inputs = [Argument(x) for x in "ab"[: 2 if name == "atan2" else 1]]
    outputs = [Argument("value"), Argument("holds")][: 2 if name in ("sin", "cos") else 1]
    return Program.of(Function.from_equation(name, _ALL[name], inputs, outputs))


def _nearest_quarter_turn(x: SX) -> tuple[SX, SX]:
    """Return the quarter turns nearest to x, and the remainder, at most π/4, to all digits."""
    n = ca.floor(x * (2 / pi) + 0.5)
    for part in _HALF_PI:
        x = x - n * part
    return n, x


def _near(x: SX) -> SX:
    return ca.logic_not(ca.fabs(x) > _FAR)


def _sine_of_sum(quarter_turns: SX, r: SX) -> SX:
    """sin(quarter_turns π/2 + r), by Taylor's series."""
    z = r * r
    sine = r * (1 + z * _polynomial(_SINE, z))
    cosine = 1 - (z / 2 - z * z * _polynomial(_COSINE, z))
    k = quarter_turns - 4 * ca.floor(quarter_turns / 4)
    value = ca.if_else(ca.logic_or(k == 1, k == 3), cosine, sine)
    return ca.if_else(k >= 2, -value, value)


def _polynomial(coefficients: Sequence[SX | float], z: SX) -> SX | float:
    """Σ coefficients[k] zᵏ, neighbours first: a sum in pairs has few steps that must wait."""
    while len(coefficients) > 1:
        pairs = zip(coefficients[::2], [*coefficients[1::2], None], strict=False)
        coefficients = [a if b is None else a + z * b for a, b in pairs]
        z = z * z
    return coefficients[0]
