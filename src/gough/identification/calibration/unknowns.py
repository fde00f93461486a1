"""What a calibration looks for: some of a machine's numbers, and frames that nobody knows.

With the machine's numbers p its platform has the pose x at given readings, and the tool T has the
pose y = W⁻¹ x T in the work frame W: that is what measurements are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.fields import units
from gough.identification.calibration.measurements import crossing
from gough.identification.calibration.observability import Observability, observability
from gough.kinematics.forward.status import Status
from gough.kinematics.model import Model
from gough.kinematics.size import machine_size
from gough.kinematics.tolerances.linear import displacements
from gough.poses import Frames, difference, displace
from gough.poses.quaternions import conjugate, rotated
from gough.robot import Hexapod, Robot
from gough.robot.dimensions import dimension_of
from gough.robot.numbers import layout, matching, parameters_of

Frame = Literal["work", "tool"]
FRAMES: tuple[Frame, ...] = get_args(Frame)
COORDINATES = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
"""Of a frame: the way and rotation vector from the prior."""
_WIDE = 1e3
"""How much more freely than a machine's numbers frames move where nothing tells them apart."""


class Guess(NamedTuple):
    """A machine and its frames, as they may be."""

    numbers: Array
    """(n) all parameters of the machine."""
    frames: Frames


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Numbers of a machine by their places, and frames by their names."""

    robot: Robot
    places: tuple[int, ...]
    free: tuple[Frame, ...]
    prior: Guess
    """What stays, where nothing tells more."""

    @cached_property
    def names(self) -> list[str]:
        """(k) such as `legs[2].base.x` and `work.x`."""
        known = layout(self.robot)
        own = [known[place] for place in self.places]
        return own + [f"{frame}.{axis}" for frame in self.free for axis in COORDINATES]

    @cached_property
    def units(self) -> list[str]:
        """(k) SI; 1 of plain numbers."""
        own = [dimension_of(self.robot, name).unit or "1" for name in self.names[: self._count]]
        return own + [unit for _ in self.free for unit in ("m",) * 3 + ("rad",) * 3]

    @cached_property
    def scales(self) -> Array:
        """(k) changes of each that count alike: 1 m, and the angle or share that moves as far."""
        size = machine_size(self.robot)
        return np.array([1.0 if unit == units.LENGTH.unit else 1.0 / size for unit in self.units])

    @property
    def widths(self) -> Array:
        """(k) how freely each moves where nothing tells them apart: frames more than joints."""
        return np.where(np.arange(len(self.names)) < self._count, 1.0, _WIDE)

    def observability(self, slopes: Array, measurements: int) -> Observability:
        """That of whitened rows (n, k) [1/SI]."""
        return observability(slopes * self.scales, self.scales, measurements, self.widths)

    def changes(self, guess: Guess) -> Array:
        """(k) how far a guess is from the prior."""
        own = (guess.numbers - self.prior.numbers)[list(self.places)]
        ways = [difference(_frame(guess, f), _frame(self.prior, f)) for f in self.free]
        return np.concatenate([own, *ways])

    def moved(self, guess: Guess, step: Array) -> Guess:
        """The guess after a step (k)."""
        numbers = guess.numbers.copy()
        numbers[list(self.places)] += step[: self._count]
        ways = dict(zip(self.free, step[self._count :].reshape(-1, 6), strict=True))
        return Guess(numbers, Frames(**{f: _moved(_frame(guess, f), ways.get(f)) for f in FRAMES}))

    def slopes(self, guess: Guess, poses: Array) -> Array:
        """(..., 6, k) steps of the tool in the work frame by unknowns, at platform poses (..., 7).

        δy = W⁻¹ (δp + δθ × R t - δw - φ × (p + R t - w), δθ - φ), and R δt of the tool's own step.
        """
        work, tool = (np.array(_frame(guess, frame)) for frame in FRAMES)
        arm = rotated(poses[..., 3:], tool[:3])
        columns = [_carried(self._by_numbers(guess, poses), arm)]
        if "work" in self.free:
            columns.append(-_carried(np.eye(6), poses[..., :3] + arm - work[:3]))
        if "tool" in self.free:
            columns.append(_both(_matrix(poses[..., 3:])))
        batch = poses.shape[:-1]
        wide = [np.broadcast_to(c, (*batch, 6, c.shape[-1])) for c in columns]
        return np.asarray(_both(_matrix(conjugate(work[3:]))) @ np.concatenate(wide, -1))

    @property
    def _count(self) -> int:
        return len(self.places)

    def _by_numbers(self, guess: Guess, poses: Array) -> Array:
        if not self.places:
            return np.zeros((*poses.shape[:-1], 6, 0))
        changes = np.eye(len(guess.numbers))[list(self.places)]
        return displacements(self.robot, changes, guess.numbers, poses)


def unknowns_of(
    model: Model, patterns: Sequence[str] | None, frames: Frames | None, free: Sequence[str]
) -> Unknowns:
    """Those that patterns of parameters and names of frames say; by default of all joints."""
    robot = model.own_robot("a calibration")
    if isinstance(patterns, str) or isinstance(free, str):
        raise GoughError(f"got the text {patterns if free == () else free!r}; expected a list")
    if wrong := [name for name in free if name not in FRAMES]:
        raise GoughError(f"no frame is called {wrong[0]!r}; expected some of {', '.join(FRAMES)}")
    if patterns is not None and not (len(patterns) or free):
        raise GoughError(
            f"{robot.name}: no parameter and no frame is unknown; expected some of either, or no "
            "`parameters` at all for the usual ones"
        )
    known = layout(robot)
    chosen = matching(known, usual_patterns(robot) if patterns is None else patterns)
    places = tuple(map(known.index, chosen))
    if not np.isfinite(parameters_of(robot)[list(places)]).all():
        raise GoughError(f"{robot.name}: {', '.join(chosen)} are not all numbers that it states")
    ordered = tuple(frame for frame in FRAMES if frame in free)
    return Unknowns(robot, places, ordered, Guess(parameters_of(robot), frames or Frames()))


def usual_patterns(robot: Robot) -> list[str]:
    """Joint centres of base and platform and offsets of the lengths; else offsets of the motors."""
    if isinstance(robot, Hexapod):
        return ["legs[*].base", "legs[*].platform", "legs[*].length_offset"]
    return [f"{actuator.key}.offset" for actuator in robot.actuators]


def taken_poses(model: Model, guess: Guess, readings: Array, near: Any) -> tuple[Array, AnyArray]:
    """The poses (count, 7) that a machine takes at readings, and whether each was found."""
    q = model.positions(guess.numbers, readings)
    found = model.forward_kinematics(q, near, parameters=guess.numbers)
    return found.pose, np.isin(found.status, (Status.CONVERGED, Status.OUTSIDE_STROKE))


def _frame(guess: Guess, frame: Frame) -> tuple[float, ...]:
    return guess.frames.work if frame == "work" else guess.frames.tool


def _moved(frame: tuple[float, ...], step: Array | None) -> Any:
    return frame if step is None else displace(frame, step)


def _carried(steps: Array, arm: Array) -> Array:
    """Steps (..., 6, k) of a body at the end of an arm (..., 3): way + turn × arm, turn."""
    way, turn = steps[..., :3, :], steps[..., 3:, :]
    moved = way - crossing(arm) @ turn
    return np.concatenate([moved, np.broadcast_to(turn, moved.shape)], -2)


def _matrix(quaternions: Array) -> Array:
    """(..., 3, 3) rotation matrices."""
    return np.asarray(np.swapaxes(rotated(quaternions[..., None, :], np.eye(3)), -1, -2))


def _both(rotation: Array) -> Array:
    """(..., 6, 6) for ways and turns alike."""
    zero = np.zeros_like(rotation)
    return np.block([[rotation, zero], [zero, rotation]])
