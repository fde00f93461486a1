"""Parts of tables of motions and tasks: profiles, and the folder and frames of a study.

A profile is given by name, by shape, or by limits of speed, acceleration and jerk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator

from gough.arrays import Array
from gough.disk.plain_data import PlainMapping
from gough.errors import InputError, inside
from gough.fields.quantities import Angle, Number, PositiveNumber
from gough.fields.table import FileTable, Meaning, entry, optional
from gough.fields.units import Dimension
from gough.fields.values import OneOf, QuantityWithUnit
from gough.motion import profiles
from gough.motion.motions.screws import Frame
from gough.motion.profiles import Profile
from gough.poses import Frames, inverse

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


_Makers = Mapping[str, tuple[Callable[..., Profile], tuple[str, ...]]]
_BY_DURATION: _Makers = {
    "cosine": (profiles.Cosine, ()),
    "cycloidal": (profiles.Cycloidal, ()),
    "quintic": (profiles.Quintic, ()),
    "polynomial": (profiles.Polynomial, ("coefficients",)),
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
    ramp: Number | None = optional(
        "Of trapezoidal and s-curve: share of the duration that each ramp takes, up to 0.5. Left "
        "out: 1/3."
    )
    rounding: Number | None = optional(
        "Of s-curve: share of a ramp in which its acceleration rises, and again falls, up to 0.5. "
        "Left out: 0.5."
    )
    cycles: PositiveNumber | None = optional(
        "Of sine: how many oscillations there are. Left out: 1."
    )
    phase: Angle | None = optional("Of sine: its phase at the beginning [rad]. Left out: 0.")
    coefficients: list[Number] | None = optional(
        "Of polynomial: c0, c1, … of s = c0 + c1 x + c2 x^2 + …, x the share of the duration. From "
        "rest to rest s goes from 0 to 1. Left out: s = x."
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
            self._check_keys(given, allowed)
            if not limited:
                return make(duration, **given)
            if duration is not None:
                problem, expected = "the duration is given as well", "limits, or a duration"
                raise InputError(problem, value=duration, expected=expected)
            limits = [_limit(given, key, dimension) for key in allowed]
            return make(abs(way[1] - way[0]), *limits)

    def _check_keys(self, given: PlainMapping, allowed: tuple[str, ...]) -> None:
        for key in given:
            if key not in allowed:
                expected = ", ".join(allowed) or "no further keys"
                raise InputError(f'not a key of "{self.kind}" here', key=key, expected=expected)


def _limit(given: PlainMapping, key: str, dimension: Dimension) -> float:
    unit = f"{dimension.unit}/{_LIMITS[key]}"
    if key not in given:
        raise InputError("missing", key=key, expected=f"a limit [{unit}]")
    limit = Dimension("a limit", unit, f'0.2 or "0.2 {unit}"')
    with inside(key):
        return QuantityWithUnit(limit, above=0.0).read(given[key])


def _as_table(written: object) -> object:
    return {"kind": written} if isinstance(written, str) else written


WrittenProfile = Annotated[
    ProfileTable, BeforeValidator(_as_table), Meaning(ProfileName | ProfileTable)
]
"""A profile by its name alone, or by a table."""
