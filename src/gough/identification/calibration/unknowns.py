"""Unknowns of a calibration: some of a machine's numbers, and unknown frames.

With the machine's numbers p its platform has the pose x at given readings, and the tool T has the
pose y = W⁻¹ x T in the work frame W: that is what measurements are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np

from gough.arrays import Array
from gough.display.brief import Brief
from gough.errors import GoughError
from gough.fields import units
from gough.kinematics.model import Model
from gough.kinematics.size import machine_size
from gough.model import Machines
from gough.model.machines import machines_with
from gough.poses import Frames, difference, displace
from gough.poses.algebra import twist_transfer
from gough.poses.quaternions import conjugate, rotated, rotation_matrix
from gough.robot import matching
from gough.tolerance.linear import displacements

LEAST = 1e-9
"""Minimum singular value of columns of length one, relative to the maximum: less is rounding."""
_OPEN = 1e-6  # maximum dependence of a known number on combinations that are not identifiable

Frame = Literal["work", "tool"]
FRAMES: tuple[Frame, ...] = get_args(Frame)
COORDINATES = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
"""Labels of a frame's numbers: translation and rotation vector from the prior."""
_WIDE = 1e3  # width of frames relative to that of a machine's numbers, where both are not separable


class Guess(NamedTuple):
    """A machine and its frames, as they may be."""

    numbers: Array  # (n) all numbers of the machines
    frames: Frames


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Numbers of a machine by their places, and frames by their names."""

    machines: Machines
    places: tuple[int, ...]
    free: tuple[Frame, ...]
    prior: Guess  # values that remain where the measurements do not identify them

    @cached_property
    def names(self) -> list[str]:
        """(k) such as `legs[2].base.x` and `work.x`."""
        own = [self.machines.names[place] for place in self.places]
        return own + [f"{frame}.{axis}" for frame in self.free for axis in COORDINATES]

    @cached_property
    def units(self) -> list[str]:
        """(k) SI; 1 of plain numbers."""
        own = [self.machines.dimension(name).unit or "1" for name in self.names[: len(self.places)]]
        return own + [unit for _ in self.free for unit in ("m",) * 3 + ("rad",) * 3]

    @cached_property
    def scales(self) -> Array:
        """(k) changes of each that count alike: 1 m, and the angle or share that moves as far."""
        size = machine_size(self.machines.robot)
        return np.array([1.0 if unit == units.LENGTH.unit else 1.0 / size for unit in self.units])

    def observability(self, slopes: Array, measurements: int) -> Observability:
        """Return that of whitened rows (n, k) [1/SI], of scale-free rank.

        Unknowns that are not separable each move by their width: frames by more than joints.
        """
        count, scales = len(self.names), self.scales
        widths = np.where(np.arange(count) < len(self.places), 1.0, _WIDE)
        rows = np.concatenate([slopes * scales, np.zeros((max(0, count - len(slopes)), count))])
        square = np.linalg.qr(rows, mode="r")  # has the same singular values, and fewer rows
        lengths = np.linalg.norm(square, axis=0)
        unit = square / np.where(lengths > 0, lengths, 1.0)
        of_one_length = np.linalg.svd(unit, compute_uv=False)
        rank = int((of_one_length > LEAST * max(float(of_one_length[0]), 1.0)).sum())
        values = np.linalg.svd(square, compute_uv=False)[:rank]
        _, sizes, Vt = np.linalg.svd(square * widths)
        parts = scales * widths, sizes[:rank], Vt[:rank].T, Vt[rank:].T
        return Observability(measurements, values, *parts)

    def changes(self, guess: Guess) -> Array:
        """(k) how far a guess is from the prior."""
        places = list(self.places)
        own = guess.numbers[places] - self.prior.numbers[places]
        now, before = guess.frames, self.prior.frames
        steps = [difference(getattr(now, f), getattr(before, f)) for f in self.free]
        return np.concatenate([own, *steps])

    def moved(self, guess: Guess, step: Array) -> Guess:
        """The guess after a step (k)."""
        numbers = guess.numbers.copy()
        numbers[list(self.places)] += step[: len(self.places)]
        steps = zip(self.free, step[len(self.places) :].reshape(-1, 6), strict=True)
        moved = {f: displace(getattr(guess.frames, f), own) for f, own in steps}
        return Guess(numbers, Frames(*(moved.get(f, getattr(guess.frames, f)) for f in FRAMES)))

    def slopes(self, guess: Guess, poses: Array) -> Array:
        """(..., 6, k) steps of the tool in the work frame by unknowns, at platform poses (..., 7).

        δy = W⁻¹ (δp + δθ × R t - δw - φ × (p + R t - w), δθ - φ), and R δt of the tool's own step.
        """
        work, tool = np.array(guess.frames.work), np.array(guess.frames.tool)
        arm = rotated(poses[..., 3:], tool[:3])
        columns = []
        if self.places:
            changes = np.eye(len(guess.numbers))[list(self.places)]
            by_numbers = displacements(self.machines, changes, guess.numbers, poses)
            columns.append(twist_transfer(arm) @ by_numbers)
        if "work" in self.free:
            columns.append(-twist_transfer(poses[..., :3] + arm - work[:3]))
        if "tool" in self.free:
            columns.append(_both(rotation_matrix(poses[..., 3:])))
        return np.asarray(_both(rotation_matrix(conjugate(work[3:]))) @ np.concatenate(columns, -1))


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
    usual = [f"{actuator.key}.offset" for actuator in robot.actuators]
    if robot.has_extensible_legs:
        usual = ["legs[*].base", "legs[*].platform", "legs[*].length_offset"]
    wanted = usual if patterns is None else patterns
    machines = machines_with(robot, wanted)
    chosen = matching(machines.names, wanted)
    places = tuple(map(machines.names.index, chosen))
    if not np.isfinite(machines.values[list(places)]).all():
        raise GoughError(f"{robot.name}: {', '.join(chosen)} are not all numbers that it states")
    ordered = tuple(frame for frame in FRAMES if frame in free)
    return Unknowns(machines, places, ordered, Guess(machines.values, frames or Frames()))


def _both(rotation: Array) -> Array:
    """(..., 6, 6) for translations and rotations."""
    zero = np.zeros_like(rotation)
    return np.block([[rotation, zero], [zero, rotation]])


@dataclass(frozen=True, eq=False, repr=False)
class Observability(Brief):
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
    identified: Array
    """(k, rank) scaled unknowns of each of them."""
    open: Array
    """(k, k - rank) scaled unknowns that no measurement depends on."""

    @property
    def rank(self) -> int:
        """Number of combinations of the unknowns that the measurements identify."""
        return len(self.singular_values)

    @property
    def condition(self) -> float:
        """Maximum singular value over the minimum."""
        return float(self.singular_values[0] / self.singular_values[-1])

    @property
    def indices(self) -> dict[str, float]:
        """The observability indices, and the condition number.

        o1 of D-optimality [Borm & Menq 1991], o2 [Driels & Pathre 1990], o3 [Nahvi, Hollerbach &
        Hayward 1994], o4 [Nahvi & Hollerbach 1996], and o5 of A-optimality [Sun & Hollerbach 2008].
        """
        values = self.singular_values
        largest, smallest = float(values[0]), float(values[-1])
        return {
            "o1": float(np.exp(np.log(values).mean()) / np.sqrt(self.measurements)),
            "o2": 1.0 / self.condition,
            "o3": smallest,
            "o4": smallest**2 / largest,
            "o5": float(1.0 / (1.0 / values).sum()),
            "condition": self.condition,
        }

    @property
    def covariance(self) -> Array:
        """(k, k) of the unknowns [SI]; of what is open nothing, as it stays what it was."""
        half = self.scales[:, None] * self.identified / self.sizes
        return np.asarray(half @ half.T)

    def deviations(self, slopes: Array) -> Array:
        """Standard deviations (...) of what changes by slopes (..., k); NaN of what is open."""
        scaled = slopes * self.scales
        total, hidden = (np.linalg.norm(x, axis=-1) for x in (scaled, scaled @ self.open))
        found = np.linalg.norm((scaled @ self.identified) / self.sizes, axis=-1)
        return np.asarray(np.where(hidden > _OPEN * total, np.nan, found))

    def minimum_change(self, slopes: Array, wanted: Array) -> Array:
        """Return the minimum-norm change (k) [SI] that fits whitened rows, of own slopes, best."""
        back = (slopes * self.scales @ self.identified).T @ wanted
        return np.asarray(self.scales * (self.identified @ (back / self.sizes**2)))
