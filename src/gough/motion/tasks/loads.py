"""Forces and moments: known in time (constant, sinusoidal, from a table), or of a tool.

Those known in time act at a point that is fixed in the platform or in the base, on axes of either.

Machining and polishing, Baiges 1996, section 4.1: forces depend on where and how fast the platform
travels. The workpiece is on the platform; the tool stands in the world. The contact point is fixed
in the platform (Baiges' lever a along its z axis), or in the base, as a spindle is. The direction
of travel t is that of the workpiece past the tool, across the normal. Below the fade speed forces
along t fade to zero, because at rest there is no direction; where the direction is known, it can be
given instead.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Annotated, Literal

import casadi as ca
import numpy as np
from casadi import dot
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.forces import contact
from gough.equations.spatial.algebra import Value, rotation
from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import CheckedTable, entry, optional
from gough.fields.values import Integer
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.motions.screws import Frame
from gough.motion.samples import MotionSamples, delegated
from gough.motion.tasks.task import Task

Numbers = tuple[float, ...]
ORIGIN = (0.0, 0.0, 0.0)
_Travel = tuple[Array, Array, Array, Array]


@dataclass(frozen=True)
class Place:
    """Where a load acts, and on which axes it is given.

    `frame` says what the load's direction follows; `point` [m] is in `point_frame`, and follows
    that. The default is the platform's origin, and directions fixed in the base.
    """

    frame: Frame = "base"
    point: Numbers = ORIGIN
    point_frame: Frame = "platform"

    def __post_init__(self) -> None:
        checked.array(self.point, "point", (3,))
        checked.frames(frame=self.frame, point_frame=self.point_frame)

    def wrench(self, load: Array, samples: MotionSamples) -> Array:
        """The wrench about the platform's origin of a load (..., 6) [N, N m] that acts here."""
        kernel = _kernel(self.frame == "platform", self.point_frame == "platform")
        return np.asarray(kernel(samples.pose, load, np.array(self.point)))


HERE = Place()


class _Load(Task):
    """A load whose size at any time is known."""

    place: Place

    def __post_init__(self) -> None:
        checked.instance(self.place, Place, "place", "a Place")
        for key in ("force", "moment"):
            checked.array(getattr(self, key), key, (3,))

    @abstractmethod
    def load(self, t: Array) -> Array:
        """Force [N] and moment [N m] at some times, (..., 6), as they are at the place."""

    def wrench(self, t: ArrayLike, samples: MotionSamples) -> Array:
        """The load, taken to the platform's origin."""
        return self.place.wrench(self.load(np.asarray(t, dtype=float)), samples)

    @abstractmethod
    def _law(self, t: Value, at: float) -> Value:
        """Return the load as an expression of time."""

    def law(self, t: Value, at: float, pose: Value) -> Value:
        """Return the load, taken to the platform's origin, as an expression."""
        turns, inside = (x == "platform" for x in (self.place.frame, self.place.point_frame))
        arm = contact.arm_of(pose, ca.DM(self.place.point), inside)
        return contact.load_at(pose, self._law(t, at), arm, turns)


@dataclass(frozen=True, repr=False)
class Constant(_Load):
    """A constant force [N] and moment [N m]."""

    force: Numbers = ORIGIN
    moment: Numbers = ORIGIN
    place: Place = HERE

    def load(self, t: Array) -> Array:
        """Return the constant load at all times."""
        return np.broadcast_to([*self.force, *self.moment], (*t.shape, 6))

    def _law(self, t: Value, at: float) -> Value:
        return ca.DM([*self.force, *self.moment])


@dataclass(frozen=True, repr=False)
class Sinusoidal(_Load):
    """A force [N] and a moment [N m] times sin(2π f t + φ), f [Hz], φ [rad]."""

    frequency: float
    force: Numbers = ORIGIN
    moment: Numbers = ORIGIN
    phase: float = 0.0
    place: Place = HERE

    def __post_init__(self) -> None:
        super().__post_init__()
        checked.number(self.phase, "phase")
        checked.number(self.frequency, "frequency", above=0.0, expected="above 0 Hz")

    def load(self, t: Array) -> Array:
        """The amplitudes times the sine."""
        sine = np.sin(2 * np.pi * self.frequency * t + self.phase)
        return np.asarray(np.multiply.outer(sine, [*self.force, *self.moment]))

    def _law(self, t: Value, at: float) -> Value:
        sine = ca.sin(2 * np.pi * self.frequency * t + self.phase)
        return sine * ca.DM([*self.force, *self.moment])

    @property
    def period(self) -> float:
        """That of the sine."""
        return 1.0 / self.frequency


@dataclass(frozen=True, repr=False)
class Tabulated(_Load):
    """Forces [N] and moments [N m] at increasing times [s]; linear between, zero outside."""

    times: Numbers
    forces: tuple[Numbers, ...]
    moments: tuple[Numbers, ...]
    place: Place = HERE
    corners = delegated("times")

    def __post_init__(self) -> None:
        checked.instance(self.place, Place, "place", "a Place")
        rows = len(checked.times(self.times, "times"))
        checked.array(self.forces, "forces", (rows, 3))
        checked.array(self.moments, "moments", (rows, 3))

    def load(self, t: Array) -> Array:
        """The interpolated table."""
        columns = np.concatenate([self.forces, self.moments], axis=-1).T
        values = [np.interp(t, self.times, column, left=0.0, right=0.0) for column in columns]
        return np.stack(values, axis=-1)

    def _law(self, t: Value, at: float) -> Value:
        if not self.times[0] <= at <= self.times[-1]:
            return ca.DM.zeros(6)
        k = max(1, int(np.searchsorted(self.times, at)))
        (a, b), rows = self.times[k - 1 : k + 1], np.concatenate([self.forces, self.moments], -1)
        share = (t - a) / (b - a)
        return (1 - share) * ca.DM(rows[k - 1]) + share * ca.DM(rows[k])

    @property
    def active(self) -> tuple[float, float]:
        """From the first to the last of its times."""
        return self.times[0], self.times[-1]


@compiled
def _kernel(turns: bool, point_in_platform: bool) -> Kernel:
    def equation(pose: Value, load: Value, point: Value) -> Value:
        return contact.load_at(pose, load, contact.arm_of(pose, point, point_in_platform), turns)

    pose, point = Argument("pose", (7,), "m, 1"), Argument("point", (3,), "m")
    load, wrench = (Argument(name, (6,), "N, N m") for name in ("load", "wrench"))
    doc = "The wrench about the platform's origin of a load at a point."
    return Kernel.from_equation("load_at_a_point", equation, (pose, load, point), (wrench,), doc)


Form = Literal["resultant", "mean", "teeth"]
Milling = Literal["up", "down"]
FADE_SPEED = 1e-6


@dataclass(frozen=True)
class Contact:
    """Where a tool touches the workpiece, and which way the workpiece travels past it.

    `normal` points from the workpiece to the tool, on platform axes. `direction` is the travel,
    on axes of `direction_frame`; None takes it from the motion. `fade_speed` in [m/s].
    """

    point: Numbers = ORIGIN
    point_frame: Frame = "platform"
    normal: Numbers = (0.0, 0.0, 1.0)
    direction: Numbers | None = None
    direction_frame: Frame = "base"
    fade_speed: float = FADE_SPEED

    def __post_init__(self) -> None:
        checked.array(self.point, "point", (3,))
        checked.direction(self.normal, "normal")
        if self.direction is not None:
            checked.direction(self.direction, "direction")
        checked.frames(point_frame=self.point_frame, direction_frame=self.direction_frame)
        checked.number(self.fade_speed, "fade_speed", above=0.0)

    def travel(self, samples: MotionSamples) -> _Travel:
        """Arm [m], normal, direction of travel and speed of travel [m/s], base axes."""
        inside, turns = (x == "platform" for x in (self.point_frame, self.direction_frame))
        normal = checked.direction(self.normal, "normal")
        given = checked.direction(self.direction or (0.0, 0.0, 1.0), "direction")
        kernel = _travel_kernel(inside, self.direction is not None, turns)
        numbers = map(np.array, (self.point, normal, given, self.fade_speed))
        return kernel(samples.pose, samples.twist, *numbers)


@dataclass(frozen=True, repr=False)
class Polishing(Task):
    """A normal force [N] and its friction against the travel, Baiges 4.(4)."""

    normal_force: float
    friction: float
    contact: Contact = field(default_factory=Contact)

    def __post_init__(self) -> None:
        checked.numbers(self, "normal_force", "friction", least=0.0)
        checked.instance(self.contact, Contact, "contact", "a Contact")

    def wrench(self, t: ArrayLike, samples: MotionSamples) -> Array:
        """Normal force and friction at the contact point."""
        arm, normal, along, _ = self.contact.travel(samples)
        F_n, mu = np.array(self.normal_force), np.array(self.friction)
        return np.asarray(_polishing_kernel()(F_n, mu, normal, along, arm))


class Cut(CheckedTable):
    """Keys of an end mill, in files and of `Machining` alike."""

    refusal = MotionError
    force: q.Force | None = optional(
        "Maximum force of a tooth [N]; or specific force times depth times feed."
    )
    specific_force: q.SpecificForce | None = optional("Cutting force per area of the chip [Pa].")
    depth: q.PositiveLength | None = optional("Depth of the groove [m].")
    feed_per_tooth: q.PositiveLength | None = optional(
        "Feed per tooth [m]. Left out: speed of travel over teeth a second, by the spindle speed."
    )
    form: Form = entry(
        "What the force is: against the travel, the teeth's mean over a turn, or tooth by tooth.",
        "resultant",
    )
    teeth: Annotated[int, Integer(1, 100)] = entry("How many teeth the cutter has.", 4)
    spindle_speed: q.AngularSpeed | None = optional(
        'Speed of the spindle [rad/s], such as "3000 rpm".'
    )
    radial_ratio: q.NotNegative = entry(
        "A tooth's push away from the cutter's axis over its drag.", 0.3
    )
    cutter_radius: q.NotNegativeLength = entry(
        "Radius of the cutter [m], for its torque on the workpiece.", 0.0
    )
    immersion: q.Immersion = entry("Width of cut over the cutter's diameter; 1: a groove.", 1.0)
    milling: Milling = entry("Whether chips begin (up) or end (down) thin, in a shoulder.", "up")

    def _check(self) -> None:
        if self.form == "resultant" and self.immersion < 1:
            raise InputError(
                "a resultant is that of a full groove", key="form", expected="mean or teeth"
            )
        factors = ("specific_force", "depth", "feed_per_tooth")
        given = [key for key in factors if getattr(self, key) is not None]
        if self.force is not None and given:
            problem = f"given twice: {', '.join(given)}"
            raise InputError(problem, key="force", expected="force, or its factors")
        missing = [key for key in factors[:2] if key not in given]
        if self.force is None and missing:
            wanted = "a specific force and a depth, or the force"
            raise InputError("missing", key=missing[0], expected=wanted)
        fed = self.force is not None or self.feed_per_tooth is not None
        if self.spindle_speed is None and (self.form == "teeth" or not fed):
            wanted = "the spindle's speed" + ("" if fed else ", or feed_per_tooth")
            raise InputError("missing", key="spindle_speed", expected=wanted)


class Machining(Cut, Task):
    """A groove or a shoulder, cut by an end mill with N teeth, Baiges section 4.1.2.

    A tooth's force is F = K_s b f_z: specific force [Pa] times depth of cut [m] times feed per
    tooth [m]. Without a feed per tooth it follows from the speed of travel and the spindle speed
    [rad/s]. Or give F [N] itself as `force`.

    - `form="resultant"`: F against the travel, Baiges 4.(5)
    - `form="teeth"`: every tooth by itself as the spindle turns; its drag, along its own way, and
      its push away from the cutter's axis, `radial_ratio` times as large
    - `form="mean"`: the mean of these over a turn

    The width of cut is `immersion` times the cutter's diameter, 1 in a full groove; a shoulder is
    cut by `milling="up"` or `"down"`, tooth by tooth or in the mean.
    """

    contact: Contact = entry("Where and how the tool touches.", default_factory=Contact)

    def tooth_force(self, speed: Array) -> Array:
        """F = K_s b f_z [N], at a speed of travel [m/s]."""
        if self.force is not None:
            return np.full_like(speed, self.force)
        K_b = (self.specific_force or 0.0) * (self.depth or 0.0)
        if self.feed_per_tooth is not None:
            return np.full_like(speed, K_b * self.feed_per_tooth)
        turns_per_second = (self.spindle_speed or np.inf) / (2 * np.pi)
        return K_b * speed / (self.teeth * turns_per_second)

    def wrench(self, t: ArrayLike, samples: MotionSamples) -> Array:
        """The cutting force at the contact point, with the cutter's torque where it is known."""
        arm, normal, along, speed = self.contact.travel(samples)
        spindle = (self.spindle_speed or 0.0) * np.asarray(t, dtype=float)
        kernel = _milling_kernel(self.form, self.teeth)
        angles = contact.engagement(self.immersion, self.milling)
        cutter = np.array([self.radial_ratio, self.cutter_radius, *angles])
        return np.asarray(kernel(self.tooth_force(speed), cutter, spindle, normal, along, arm))

    @property
    def period(self) -> float | None:
        """From one tooth to the next, by teeth; None where they add up to a steady force.

        In a full groove an even number of at least four teeth does, without a torque: the cutter's
        radius is zero.
        """
        even = self.teeth >= 4 and self.teeth % 2 == 0 and self.cutter_radius == 0.0
        steady = even and self.immersion == 1
        if self.form != "teeth" or self.spindle_speed is None or steady:
            return None
        return 2 * np.pi / (self.spindle_speed * self.teeth)

    def jumps_within(self, start: float, end: float) -> tuple[float, ...]:
        """Times [s] at which a tooth enters or leaves the material where its chip is thick."""
        if self.form != "teeth" or self.spindle_speed is None or self.immersion == 1:
            return ()
        entry, leaving = contact.engagement(self.immersion, self.milling)
        angle, pitch = leaving if self.milling == "up" else entry, 2 * np.pi / self.teeth
        first, last = (self.spindle_speed * t - angle for t in (start, end))
        passed = np.arange(np.ceil(first / pitch), np.floor(last / pitch) + 1)
        return tuple(((angle + pitch * passed) / self.spindle_speed).tolist())


_WRENCH = (Argument("wrench", (6,), "N, N m"),)
_NORMAL, _T, _ARM = Argument("normal", (3,)), Argument("t", (3,)), Argument("arm", (3,), "m")


@compiled
def _travel_kernel(point_in_platform: bool, given: bool, turns: bool) -> Kernel[_Travel]:
    def equation(
        pose: Value, twist: Value, point: Value, normal: Value, known: Value, fade: Value
    ) -> tuple[Value, ...]:
        R = rotation(pose)
        arm = contact.arm_of(pose, point, point_in_platform)
        n = R @ normal
        v = contact.travel(twist, arm, n)
        t = (R @ known if turns else known) if given else contact.direction(v, fade)
        return arm, n, t, ca.sqrt(dot(v, v))

    sizes = {"pose": 7, "twist": 6, "point": 3, "normal": 3, "direction": 3}
    inputs = [*(Argument(name, (n,)) for name, n in sizes.items()), Argument("fade_speed")]
    outputs = (_ARM, _NORMAL, _T, Argument("speed", (), "m/s"))
    doc = "Where a tool touches, and how the workpiece travels past it."
    return Kernel.from_equation("travel_past_a_tool", equation, inputs, outputs, doc)


@compiled
def _polishing_kernel() -> Kernel:
    inputs = (Argument("normal_force", (), "N"), Argument("friction"), _NORMAL, _T, _ARM)
    return Kernel.from_equation("polishing", contact.polishing, inputs, _WRENCH)


@compiled
def _milling_kernel(form: Form, teeth: int) -> Kernel:
    def equation(
        F: Value, cutter: Value, spindle: Value, normal: Value, t: Value, arm: Value
    ) -> Value:
        if form == "resultant":
            return contact.groove_resultant(F, t, arm)
        if form == "mean":
            return contact.milling_mean(F, cutter, normal, t, arm, teeth)
        return contact.milling_tooth_by_tooth(F, cutter, spindle, normal, t, arm, teeth)

    cutter = Argument("cutter", (4,), "1, m, rad", "radial ratio, radius, entry and exit angle")
    inputs = (Argument("force", (), "N"), cutter, Argument("spindle", (), "rad"), _NORMAL, _T, _ARM)
    doc = "The wrench of an end mill."
    return Kernel.from_equation("milling", equation, inputs, _WRENCH, doc)
