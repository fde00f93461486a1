"""Motions written as expressions of time: differentiated symbolically, compiled, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import casadi as ca
import numpy as np

from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.kernel import Kernel
from gough.equations.attitude import EULER_SEQUENCES, euler_quaternion
from gough.equations.moving import twist_and_acceleration
from gough.motion.formula import check_name, parse
from gough.motion.problems import MotionError
from gough.motion.samples import (
    Array,
    Motion,
    MotionSamples,
    checked_array,
    checked_duration,
    checked_number,
)
from gough.motion.screws import SAMPLES

Text = str | float
GRID = 4001
"""At so many times an expression is looked at for jumps and for values that are not finite."""
JUMP = 1e-6
"""A change across a switch counts as a jump above this share of the largest value."""


@dataclass(frozen=True)
class ExpressionMotion(Motion):
    """Position [m] and Euler angles [rad] as expressions of t [s].

    `angles` are three expressions in the order of `sequence`, or None for a fixed attitude.
    It is a piece of a motion that goes on: the speed at its ends need not be zero.
    """

    duration: float
    position: tuple[Text, Text, Text]
    angles: tuple[Text, Text, Text] | None
    sequence: str
    attitude: tuple[float, ...]
    constants: tuple[tuple[str, float], ...]

    @property
    def breaks(self) -> tuple[float, ...]:
        """The times [s] where abs, min, max or a condition makes the acceleration jump."""
        return self._found_breaks

    def _at(self, t: Array) -> MotionSamples:
        return MotionSamples(*self._kernels[0](t, self._numbers))

    @cached_property
    def _numbers(self) -> Array:
        return np.array([self.duration, *(value for _, value in self.constants)])

    @property
    def _kernels(self) -> tuple[Kernel, Kernel | None]:
        names = tuple(name for name, _ in self.constants)
        return _kernels(self.position, self.angles, self.sequence, self.attitude, names)

    @cached_property
    def _found_breaks(self) -> tuple[float, ...]:
        return tuple(t for t in self._switch_times() if self._jump(t, 2))

    def _switch_times(self) -> list[float]:
        """The times inside the motion at which a switch changes sign, to rounding."""
        switch = self._kernels[1]
        if switch is None:
            return []
        grid = np.linspace(0.0, self.duration, GRID)
        signs = np.sign(switch(grid, self._numbers))
        steps, columns = np.nonzero(signs[1:] != signs[:-1])
        low, high, side = grid[steps], grid[steps + 1], signs[steps, columns]
        for _ in range(60):
            middle = (low + high) / 2
            values = np.sign(switch(middle, self._numbers))[np.arange(len(steps)), columns]
            low, high = np.where(values == side, middle, low), np.where(
                values == side, high, middle
            )  # fmt: skip
        close = 1e-9 * self.duration
        inside = sorted(t for t in high.tolist() if close < t < self.duration - close)
        return [t for k, t in enumerate(inside) if k == 0 or t - inside[k - 1] > close]

    def _jump(self, t: float, field: int) -> bool:
        """Whether the pose (0), the twist (1) or the acceleration (2) jumps at a switch."""
        step = 1e-9 * self.duration
        before, after = self._at(np.array([t - step, t + step]))[field]
        largest = np.abs(self._at(np.linspace(0.0, self.duration, 101))[field]).max()
        return bool(np.abs(after - before).max() > JUMP * max(largest, 1e-6))

    def check(self) -> None:
        """Refuse values that are not finite, and places or speeds that jump."""
        grid = np.linspace(0.0, self.duration, GRID)
        for name, values in zip(MotionSamples._fields, self._at(grid), strict=True):
            finite = np.isfinite(values).all(axis=-1)
            if not finite.all():
                t = grid[np.argmin(finite)]
                raise MotionError(f"the {name} is not finite at t = {t:.6g} s", expected="numbers")
        for t in self._switch_times():
            for field, name in enumerate(("place", "speed")):
                if self._jump(t, field):
                    raise MotionError(
                        f"the {name} jumps at t = {t:.6g} s", expected="expressions that join there"
                    )


def expression(
    duration: float,
    *,
    x: Text = 0.0,
    y: Text = 0.0,
    z: Text = 0.0,
    rpy: Any = None,
    euler: tuple[str, Any] | None = None,
    quaternion: Any = None,
    constants: Mapping[str, float] | None = None,
) -> ExpressionMotion:
    """A motion from expressions of `t` [s], `T` (the duration), constants and functions.

    Position [m]; attitude as `rpy` (three expressions, [rad], about the fixed axes x, y, z) or
    `euler`: a sequence and three expressions, such as `("XYZ", ["0", "0.1*sin(t)", "0"])`; or a
    fixed quaternion. `constants` are more names for numbers.

    >>> expression(4, z="1 + 0.15*sin(0.5*t)").duration
    4.0
    """
    if rpy is not None and euler is not None:
        raise MotionError("the attitude is given twice", key="euler", expected="rpy or euler")
    sequence, angles = ("xyz", rpy) if euler is None else euler
    if sequence not in EULER_SEQUENCES:
        raise MotionError(
            "not known", key="euler", value=sequence, expected='a sequence such as "XYZ" or "xyz"'
        )
    if angles is not None and (isinstance(angles, str) or len(angles) != 3):
        raise MotionError("not three angles", key="angles", value=angles, expected="three of them")
    first, second, third = (_text(a, f"angles[{k}]") for k, a in enumerate(angles or (0, 0, 0)))
    fixed = checked_array([1, 0, 0, 0] if quaternion is None else quaternion, "quaternion", (4,))
    given = dict(constants or {})
    for name in given:
        check_name(name, "constants")
    motion = ExpressionMotion(
        checked_duration(duration),
        (_text(x, "x"), _text(y, "y"), _text(z, "z")),
        None if angles is None else (first, second, third),
        sequence,
        tuple(fixed.tolist()) if angles is None else (),
        tuple((name, checked_number(v, f"constants.{name}")) for name, v in given.items()),
    )
    motion.check()
    return motion


def _text(value: Any, key: str) -> Text:
    """An expression as text, or as the number that it is."""
    if isinstance(value, str):
        return value
    return checked_number(value, key)


@cache
def _kernels(
    place: tuple[Text, ...],
    angles: tuple[Text, ...] | None,
    sequence: str,
    attitude: tuple[float, ...],
    names: tuple[str, ...],
) -> tuple[Kernel, Kernel | None]:
    """The motion, and where it switches, as functions of time and numbers.

    The numbers are inputs, so that a study that varies them compiles one kernel.
    """
    t, numbers = ca.SX.sym("t"), ca.SX.sym("numbers", 1 + len(names))
    known = {"t": t, "T": numbers[0]} | {n: numbers[k + 1] for k, n in enumerate(names)}
    where = [parse(text, known, key) for text, key in zip(place, "xyz", strict=True)]
    turns = [parse(text, known, f"angles[{k}]") for k, text in enumerate(angles or ())]
    quaternion = (
        euler_quaternion(sequence, ca.vertcat(*(f.value for f in turns)))
        if turns
        else ca.DM(attitude)
    )
    pose = ca.vertcat(*(f.value for f in where), quaternion)
    pose_1 = ca.jacobian(pose, t)
    twist, acceleration = twist_and_acceleration(pose, pose_1, ca.jacobian(pose_1, t))
    inputs = (
        Argument("t", (), "s", "time"),
        Argument("numbers", (1 + len(names),), "", "duration and constants"),
    )
    motion = Function("expression", "", inputs, SAMPLES, (t, numbers),
                      tuple(map(ca.densify, (pose, twist, acceleration))))  # fmt: skip
    switches = [s for f in (*where, *turns) for s in f.switches]
    if not switches:
        return Kernel(motion), None
    outputs = (Argument("switches", (len(switches),), "", "the form changes where one is zero"),)
    sides = (ca.densify(ca.vertcat(*switches)),)
    return Kernel(motion), Kernel(Function("switches", "", inputs, outputs, (t, numbers), sides))
