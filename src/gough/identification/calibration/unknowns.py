"""Unknowns of a calibration: some of a machine's numbers, and unknown frames.

With the machine's numbers p its platform has the pose x at given readings, and the tool T has the
pose y = W⁻¹ x T in the work frame W: that is what measurements are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.display.brief import brief
from gough.errors import GoughError
from gough.fields import units
from gough.identification.calibration.measurements import crossing
from gough.kinematics.forward.status import Status
from gough.kinematics.model import Model
from gough.kinematics.size import machine_size
from gough.poses import Frames, difference, displace
from gough.poses.quaternions import conjugate, rotated
from gough.robot import Robot
from gough.robot.numbers import dimension_of, layout, matching, parameters_of
from gough.tolerance.linear import displacements

LEAST = 1e-9
"""Minimum singular value of columns of length one, relative to the maximum: less is rounding."""
_OPEN = 1e-6
"""Maximum dependence of a known number on combinations that are not identifiable."""

Frame = Literal["work", "tool"]
FRAMES: tuple[Frame, ...] = get_args(Frame)
COORDINATES = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
"""Labels of a frame's numbers: translation and rotation vector from the prior."""
_WIDE = 1e3
"""Width of frames relative to that of a machine's numbers, where both are not separable."""


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
    """Values that remain where the measurements do not identify them."""

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
        """(k) width of each, where they are not separable: greater for frames than for joints."""
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
    if robot.has_extensible_legs:
        return ["legs[*].base", "legs[*].platform", "legs[*].length_offset"]
    return [f"{actuator.key}.offset" for actuator in robot.actuators]


def taken_poses(
    model: Model, guess: Guess, readings: Array, near: ArrayLike
) -> tuple[Array, AnyArray]:
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


@dataclass(frozen=True, eq=False)
class Observability:
    """Combinations of k unknowns that measurements identify, and those that they leave open.

    Singular values are those of the measurements' change [standard deviations] with the unknowns
    [m, or an equivalent motion], in descending order, as many as the rank.
    """

    measurements: int
    singular_values: Array
    """(rank)"""
    scales: Array
    """(k) by which unknowns are measured here [SI]: those that move freely by more."""
    sizes: Array
    """(rank) singular values by these."""
    told: Array
    """(k, rank) scaled unknowns of each of them."""
    open: Array
    """(k, k - rank) scaled unknowns that no measurement depends on."""

    __repr__ = brief

    @property
    def rank(self) -> int:
        """Number of combinations of the unknowns that the measurements identify."""
        return len(self.singular_values)

    @property
    def condition(self) -> float:
        """Maximum singular value over the minimum."""
        return float(self.singular_values[0] / self.singular_values[-1])

    @property
    def o1(self) -> float:
        """The geometric mean of all, by the root of the count: D-optimality [Borm & Menq 1991]."""
        return float(np.exp(np.log(self.singular_values).mean()) / np.sqrt(self.measurements))

    @property
    def o2(self) -> float:
        """The inverse of the condition number [Driels & Pathre 1990]."""
        return 1.0 / self.condition

    @property
    def o3(self) -> float:
        """Minimum singular value [Nahvi, Hollerbach & Hayward 1994]."""
        return float(self.singular_values[-1])

    @property
    def o4(self) -> float:
        """Square of the minimum over the maximum singular value [Nahvi & Hollerbach 1996]."""
        return self.o3**2 / float(self.singular_values[0])

    @property
    def o5(self) -> float:
        """One over the sum of all inverses: A-optimality [Sun & Hollerbach 2008]."""
        return float(1.0 / (1.0 / self.singular_values).sum())

    @property
    def covariance(self) -> Array:
        """(k, k) of the unknowns [SI]; of what is open nothing, as it stays what it was."""
        half = self.scales[:, None] * self.told / self.sizes
        return np.asarray(half @ half.T)

    def deviations(self, slopes: Array) -> Array:
        """Standard deviations (...) of what changes by slopes (..., k); NaN of what is open."""
        scaled = slopes * self.scales
        whole, unknown = (np.linalg.norm(x, axis=-1) for x in (scaled, scaled @ self.open))
        found = np.linalg.norm((scaled @ self.told) / self.sizes, axis=-1)
        return np.asarray(np.where(unknown > _OPEN * whole, np.nan, found))

    def minimum_change(self, slopes: Array, wanted: Array) -> Array:
        """Return the minimum-norm change (k) [SI] that fits whitened rows best.

        `slopes` (rows, k), the derivatives by the unknowns, are those of this observability.
        """
        back = (slopes * self.scales @ self.told).T @ wanted
        return np.asarray(self.scales * (self.told @ (back / self.sizes**2)))


def observability(slopes: Array, scales: Array, measurements: int, widths: Array) -> Observability:
    """Return the observability of whitened rows (n, k) by scaled unknowns, of scale-free rank.

    Unknowns that are not separable each move by their width.
    """
    count = len(scales)
    rows = np.concatenate([slopes, np.zeros((max(0, count - len(slopes)), count))])
    square = np.linalg.qr(rows, mode="r")  # has the same singular values, and fewer rows
    lengths = np.linalg.norm(square, axis=0)
    alike = np.linalg.svd(square / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
    rank = int((alike > LEAST * max(float(alike[0]), 1.0)).sum())
    values = np.linalg.svd(square, compute_uv=False)[:rank]
    _, sizes, Vt = np.linalg.svd(square * widths)
    told, left = Vt[:rank].T, Vt[rank:].T
    return Observability(measurements, values, scales * widths, sizes[:rank], told, left)
