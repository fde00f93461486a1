"""Parts of tables of motions and tasks: poses, profiles, and the folder and frames of a study.

A profile is given by name, by shape, or by limits of speed, acceleration and jerk.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np
from pydantic import BeforeValidator

from gough.arrays import Array
from gough.errors import InputError, inside
from gough.fields import Dimension
from gough.fields import quantities as q
from gough.fields.table import FileTable, Meaning, entry, optional
from gough.fields.values import OneOf, QuantityWithUnit
from gough.motion import profiles
from gough.motion.checked import MotionError
from gough.motion.columns import RPY
from gough.motion.motions.screws import Frame
from gough.motion.profiles import Profile
from gough.poses import Frames, euler, inverse, rotation
from gough.poses import pose as make_pose

LOCKED = 1e-6  # distance to a pitch of 90 degrees at which roll and yaw are not told apart [rad]

Given = TypeVar("Given")
Linear = TypeVar("Linear")
Angular = TypeVar("Angular")
FrameName = Literal["base", "platform", "work", "tool"]
_NO_FRAMES = Frames()
_ON_MACHINE: dict[FrameName, Frame] = {
    "base": "base", "work": "base", "platform": "platform", "tool": "platform"
}  # fmt: skip


@dataclass(frozen=True)
class ReadingContext:
    """Where names of files count from, and the frames in which motions are given, if any are."""

    folder: Path = Path()
    frames: Frames | None = None

    def on_machine(self, name: FrameName) -> tuple[Frame, Array]:
        """In which frame of the machine a frame is fixed, and its pose (7) there."""
        frames = self._frames_for(name)
        poses = {"work": frames.work, "tool": frames.tool}
        return _ON_MACHINE[name], np.array(poses.get(name, _NO_FRAMES.work))

    def on_tool(self, name: FrameName | None) -> tuple[Frame, Array]:
        """Return `on_machine` for motions: the base is the work frame, the platform the tool.

        By default a frame is that base.
        """
        frames = self._frames_for(name)
        poses = {"base": inverse(frames.work), "platform": inverse(frames.tool)}
        return _ON_MACHINE[name or "work"], poses.get(name or "work", np.array(_NO_FRAMES.work))

    def _frames_for(self, name: FrameName | None) -> Frames:
        if self.frames is None and name in ("work", "tool"):
            expected = '"base" or "platform", or a table [frames] in the study'
            raise InputError("not known without frames", value=name, expected=expected)
        return self.frames or _NO_FRAMES


class Coordinates(FileTable, Generic[Linear, Angular]):
    """Coordinates of a pose, of which each is given alone."""

    x: Linear | None = optional("x of the origin alone [m]. Left out: as at the start.")
    y: Linear | None = optional("y of the origin alone [m].")
    z: Linear | None = optional("z of the origin alone [m].")
    roll: Angular | None = optional("Angle about the fixed x axis alone [rad], the first rotation.")
    pitch: Angular | None = optional("Angle about the fixed y axis alone [rad], the second.")
    yaw: Angular | None = optional("Angle about the fixed z axis alone [rad], the third.")

    def _given(self, keys: Iterable[str]) -> dict[str, Any]:
        """Those of some coordinates that are given."""
        return {key: value for key in keys if (value := getattr(self, key)) is not None}

    def _place(self, known: Iterable[float]) -> list[Any]:
        """x, y and z: as given, or as known otherwise."""
        alone = self._given("xyz")
        return [alone.get(key, float(at)) for key, at in zip("xyz", known, strict=True)]


class PoseTable(Coordinates[q.Length, q.Angle]):
    """A pose, if not said otherwise of the platform in the base frame.

    What is left out stays as it is at the start: of a machine, what cannot move.
    """

    position: q.Point | None = optional("Where its origin is [m].")
    rpy: q.Angles | None = optional(
        "Roll, pitch and yaw [rad] about the fixed x, y and z axes: R = Rz(yaw) Ry(pitch) Rx(roll)."
    )
    quaternion: q.UnitQuaternion | None = optional(
        "Rotation as a quaternion w, x, y, z, instead of rpy."
    )

    def _check(self) -> None:
        if self.rpy is not None and self.quaternion is not None:
            raise InputError("rotation given twice", key="rpy", expected="either rpy or quaternion")
        if self.position is not None and self._given("xyz"):
            expected = "either position, or some of x, y, z"
            raise InputError("position given twice", key="position", expected=expected)
        if (self.rpy or self.quaternion) is not None and self._given(RPY):
            key = "quaternion" if self.rpy is None else "rpy"
            expected = f"either {key}, or some of roll, pitch, yaw"
            raise InputError("rotation given twice", key=key, expected=expected)

    def pose(self, start: Array) -> Array:
        """The pose; what it does not say is as at the start."""
        place, turns = self._place(self.position or start[:3]), self._given(RPY)
        if self.rpy is not None or turns:
            return make_pose(place, rpy=self.rpy or all_angles(turns, start))
        return make_pose(place, quaternion=self.quaternion or start[3:])


def all_angles(given: Mapping[str, Given], start: Array) -> list[Given | float]:
    """Roll, pitch and yaw: as given, or [rad] as they are at the start.

    The start's pitch is between -90 and 90 degrees; where it is one of these the start has no
    roll and yaw of its own, and leaving out one of the three is an error.
    """
    missing = [name for name in RPY if name not in given]
    if not missing:
        return [given[name] for name in RPY]
    x_axis = rotation(start).as_matrix()[:, 0]
    if np.hypot(x_axis[0], x_axis[1]) < LOCKED:
        raise MotionError(
            f"{' and '.join(missing)} left out, and the start is pitched by 90 deg",
            expected="roll, pitch and yaw, as the start's own roll and yaw are not clear",
        )
    at_start = dict(zip(RPY, euler(start, "xyz").tolist(), strict=True))
    return [given.get(name, at_start[name]) for name in RPY]


_Makers = Mapping[str, tuple[Callable[..., Profile], tuple[str, ...]]]
_BY_DURATION: _Makers = {
    "cosine": (profiles.Cosine, ()),
    "cycloidal": (profiles.Cycloidal, ()),
    "quintic": (profiles.Quintic, ()),
    "paced": (profiles.Paced, ("squares",)),
    "sine": (profiles.Sine, ("cycles", "phase")),
    "trapezoidal": (profiles.trapezoidal, ("ramp",)),
    "s-curve": (profiles.s_curve, ("ramp", "rounding")),
}
_BY_LIMITS: _Makers = {
    "trapezoidal": (profiles.trapezoidal_within, ("max_speed", "max_acceleration")),
    "s-curve": (profiles.s_curve_within, ("max_speed", "max_acceleration", "max_jerk")),
}
_LIMITS = {"max_speed": "s", "max_acceleration": "s^2", "max_jerk": "s^3"}
ProfileName = Annotated[str, OneOf(tuple(_BY_DURATION))]


class ProfileTable(FileTable):
    """Time profile of a motion: a shape, or limits of its speed, acceleration and jerk."""

    kind: ProfileName = entry("The shape of the way over time.")
    ramp: q.Number | None = optional(
        "Of trapezoidal and s-curve: share of the duration that each ramp takes, up to 0.5. Left "
        "out: 1/3."
    )
    rounding: q.Number | None = optional(
        "Of s-curve: share of a ramp in which its acceleration rises, and again falls, up to 0.5. "
        "Left out: 0.5."
    )
    cycles: q.PositiveNumber | None = optional(
        "Of sine: how many oscillations there are. Left out: 1."
    )
    phase: q.Angle | None = optional("Of sine: its phase at the beginning [rad]. Left out: 0.")
    squares: list[q.PositiveNumber] | None = optional(
        "Of paced: coefficients of the quadratic spline of u on equal pieces that is the square of "
        "du/dt, up to a factor; s = 10 u^3 - 15 u^4 + 6 u^5. Left out: an even pace."
    )
    max_speed: Any = optional(
        "Of trapezoidal and s-curve, instead of a duration: maximum speed on the way (m/s of "
        "lines, rad/s of turns)."
    )
    max_acceleration: Any = optional("With max_speed: maximum acceleration (m/s^2 or rad/s^2).")
    max_jerk: Any = optional("With max_speed, of s-curve: maximum jerk (m/s^3 or rad/s^3).")

    def profile(
        self, duration: float | None, way: tuple[float, float], dimension: Dimension
    ) -> Profile:
        """The profile over a way [m or rad, by its dimension] that limits may refer to."""
        given = self.model_dump(exclude={"kind"}, exclude_none=True)
        limited = bool(given.keys() & _LIMITS)
        makers = _BY_LIMITS if limited and self.kind in _BY_LIMITS else _BY_DURATION
        make, allowed = makers[self.kind]
        if not limited and duration is None and given.keys() <= set(allowed):
            raise InputError("missing", key="duration", expected="seconds, above 0")
        with inside("profile"):
            if unknown := [key for key in given if key not in allowed]:
                expected = ", ".join(allowed) or "no further keys"
                problem = f'not a key of "{self.kind}" here'
                raise InputError(problem, key=unknown[0], expected=expected)
            if not limited:
                return make(duration, **given)
            if duration is not None:
                problem, expected = "the duration is given as well", "limits, or a duration"
                raise InputError(problem, value=duration, expected=expected)
            limits = (_limit(given.get(key), key, dimension.unit) for key in allowed)
            return make(abs(way[1] - way[0]), *limits)


def _limit(written: object, key: str, unit: str) -> float:
    unit = f"{unit}/{_LIMITS[key]}"
    if written is None:
        raise InputError("missing", key=key, expected=f"a limit [{unit}]")
    limit = Dimension("a limit", unit, f'0.2 or "0.2 {unit}"')
    with inside(key):
        return QuantityWithUnit(limit, above=0.0).read(written)


_AsTable = BeforeValidator(lambda x: {"kind": x} if isinstance(x, str) else x)
WrittenProfile = Annotated[ProfileTable, _AsTable, Meaning(ProfileName | ProfileTable)]
"""A profile by its name alone, or by a table."""
