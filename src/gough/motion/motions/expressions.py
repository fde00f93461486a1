"""Motions written as expressions of time: differentiated symbolically, compiled, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, remembered
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import EULER_SEQUENCES, euler_quaternion
from gough.equations.spatial.pose import twist_and_acceleration
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.motions.continuity import SHORTEST, SMALL, check_continuous, irregular_times
from gough.motion.motions.formula import check_name, parse
from gough.motion.motions.intervals import Zeros
from gough.motion.motions.screws import SAMPLES
from gough.motion.samples import Motion, MotionSamples, as_tuple, delegated, with_warnings

Text = str | float
BREAK = 1e-6  # minimum jump of the acceleration, as a fraction of its maximum change
MOST_CONSTANTS = 100


@dataclass(frozen=True, repr=False)
class ExpressionMotion(Motion):
    """Position [m] and Euler angles [rad] as expressions of t [s].

    `angles` are three expressions in the order of `sequence`, or None for a fixed attitude.
    It is a piece of a motion that goes on: the speed at its ends need not be zero.
    """

    duration: float
    position: tuple[Text, Text, Text]
    angles: tuple[Text, ...] | None
    sequence: str
    attitude: tuple[float, ...]
    constants: tuple[tuple[str, float], ...]
    corners = delegated("_corners", as_tuple)

    def _at(self, t: Array) -> MotionSamples:
        return MotionSamples(*self._kernels[0](t, self._numbers))

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time."""
        function, numbers = self._kernels[0].function, ca.SX(ca.DM(self._numbers))
        return ca.substitute([function.expressions[0]], [*function.symbols], [t, numbers])[0]

    @cached_property
    def _numbers(self) -> Array:
        return np.array([self.duration, *(value for _, value in self.constants)])

    @property
    def _kernels(self) -> tuple[Kernel, tuple[Kernel, Zeros] | None]:
        names = tuple(name for name, _ in self.constants)
        return _kernels(self.position, self.angles, self.sequence, self.attitude, names)

    @cached_property
    def _corners(self) -> Array:
        """The times at which a switch, a condition or a root, changes sign or touches zero."""
        switches = self._kernels[1]
        if switches is None:
            return np.empty(0)
        kernel, zeros = switches
        return zeros(self.duration, self._numbers, lambda t: kernel(t, self._numbers))

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """The times [s] where abs, min, max or a condition makes the acceleration jump.

        They are corners across which it changes much more than on either side of them.
        """
        near = SHORTEST * self.duration
        t = self._corners[(self._corners > 4 * near) & (self._corners < self.duration - 4 * near)]
        t = t[np.diff(t, prepend=-1.0) > near]
        a = self._at(t[:, None] + near * np.array([-3.0, -1.0, 1.0, 3.0])).acceleration
        before, across, after = np.moveaxis(np.abs(np.diff(a, axis=1)), 1, 0)
        largest = np.abs(self._at(irregular_times(self.duration, 100)).acceleration).max(axis=0)
        rounding = BREAK * np.maximum(largest, SMALL)
        jumps = (across > rounding + 10 * np.maximum(before, after)).any(axis=-1)
        return tuple(t[jumps].tolist())


@with_warnings
def expression(
    duration: float,
    *,
    x: Text = 0.0,
    y: Text = 0.0,
    z: Text = 0.0,
    rpy: ArrayLike | None = None,
    euler: tuple[str, ArrayLike] | None = None,
    quaternion: ArrayLike | None = None,
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
    turning = ("xyz", rpy) if euler is None and rpy is not None else euler
    sequence, angles = ("xyz", None) if turning is None else _attitude(turning)
    fixed = checked.quaternion([1, 0, 0, 0] if quaternion is None else quaternion, "quaternion")
    given = {} if constants is None else constants
    checked.instance(given, Mapping, "constants", 'a table, such as {"A": 0.1}')
    if len(given) > MOST_CONSTANTS:
        expected = f"at most {MOST_CONSTANTS}"
        raise MotionError(f"{len(given)} names", key="constants", expected=expected)
    for name in given:
        check_name(name, "constants")
    motion = ExpressionMotion(
        checked.duration(duration),
        (_text(x, "x"), _text(y, "y"), _text(z, "z")),
        angles,
        sequence,
        fixed if angles is None else (),
        tuple((name, checked.number(v, f"constants.{name}")) for name, v in given.items()),
    )
    check_continuous(motion, np.array(motion.corners))
    return motion


def _attitude(euler: object) -> tuple[str, tuple[Text, ...]]:
    """A sequence of axes, and its angles."""
    if not isinstance(euler, tuple | list) or len(euler) != 2:
        expected = 'a sequence and angles, ("XYZ", [a, b, c])'
        raise MotionError("not two things", key="euler", value=euler, expected=expected)
    sequence, angles = euler
    if not isinstance(sequence, str) or sequence not in EULER_SEQUENCES:
        expected = 'a sequence such as "XYZ" or "xyz"'
        raise MotionError("not known", key="euler", value=sequence, expected=expected)
    if not isinstance(angles, tuple | list | np.ndarray) or len(angles) != 3:
        raise MotionError("not three angles", key="angles", value=angles, expected="three of them")
    return sequence, tuple(_text(angle, f"angles[{k}]") for k, angle in enumerate(angles))


def _text(value: ArrayLike, key: str) -> Text:
    """An expression as text, or as the number that it is."""
    if isinstance(value, str):
        return value
    return checked.number(value, key)


@remembered
def _kernels(
    place: tuple[Text, ...],
    angles: tuple[Text, ...] | None,
    sequence: str,
    attitude: tuple[float, ...],
    names: tuple[str, ...],
) -> tuple[Kernel, tuple[Kernel, Zeros] | None]:
    """The motion, as a function of time and numbers; switches, at whose zeros it may jump or bend.

    The numbers are inputs, so that a study that varies them compiles one kernel.
    """
    t, numbers = ca.SX.sym("t"), ca.SX.sym("numbers", 1 + len(names))
    known = {"t": t, "T": numbers[0]} | {n: numbers[k + 1] for k, n in enumerate(names)}
    where = [parse(text, known, key) for text, key in zip(place, "xyz", strict=True)]
    turns = [parse(text, known, f"angles[{k}]") for k, text in enumerate(angles or ())]
    about = ca.vertcat(*(f.value for f in turns))
    quaternion = euler_quaternion(sequence, about) if turns else ca.DM(attitude)
    pose = ca.vertcat(*(f.value for f in where), quaternion)
    pose_1 = ca.jacobian(pose, t)
    twist, acceleration = twist_and_acceleration(pose, pose_1, ca.jacobian(pose_1, t))
    time = Argument("t", (), "s", "time")
    inputs = (time, Argument("numbers", (1 + len(names),), "", "duration and constants"))
    outputs = tuple(map(ca.densify, (pose, twist, acceleration)))
    motion = Function("expression", "", inputs, SAMPLES, (t, numbers), outputs)
    switches = [s for f in (*where, *turns) for s in f.switches if ca.depends_on(s, t)]
    if not switches:
        return Kernel(motion), None
    sides = ca.vertcat(*switches)
    rates = ca.jacobian(sides, t)
    both = ca.densify(ca.vertcat(sides, rates))
    found = (Argument("switches", (both.numel(),), "", "values and rates, for their zeros"),)
    kernel = Kernel(Function("switches", "", inputs, found, (t, numbers), (both,)))
    return Kernel(motion), (kernel, Zeros((t, numbers), sides, rates))
