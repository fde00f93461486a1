"""How good a loop is: margins of stability, bandwidth, and its answer to a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.poses import difference, displace
from gough.shown.brief import brief
from gough.simulation.arguments import positive
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.tuning.linear import LinearLoop, linear_loop
from gough.simulation.tuning.moves import moves_at, seen_moves
from gough.simulation.tuning.stability import stability_margins

NUMBERS_OF_A_STEP = 300
"""Of each sample: the references of six runs, their errors, commands and shares."""


@dataclass(frozen=True)
class LegMargins:
    """How much an actuator's loop can take, the others' loops being closed."""

    leg: int
    """Which actuator, counted from 1: of a hexapod its leg."""
    gain: float
    """The factor by which its gain may grow; infinite if no factor makes it unstable."""
    least_gain: float
    """The factor by which its gain may fall; zero if none makes it unstable."""
    phase: float
    """[rad]"""
    delay: float
    """Further delay that it can take [s]."""
    bandwidth: float
    """Where its complementary sensitivity falls by 3 dB for good [rad/s]."""


@dataclass(frozen=True)
class Quality:
    """A loop's poles and margins."""

    poles: Array
    """Per sample: stable inside the unit circle."""
    legs: tuple[LegMargins, ...]
    period: float
    """Of the samples [s]."""

    __repr__ = brief

    @property
    def stable(self) -> bool:
        """Whether all poles are inside the unit circle."""
        return bool((np.abs(self.poles) < 1).all())

    @property
    def largest_pole(self) -> float:
        """Its size."""
        return float(np.abs(self.poles).max())

    @property
    def slowest_decay(self) -> float:
        """How fast what lasts longest dies away [1/s]; not above zero if the loop is unstable."""
        return -float(np.log(self.largest_pole)) / self.period


@dataclass(frozen=True)
class StepResponse:
    """The answer to a small step of the reference along each of the platform's freedoms."""

    axes: tuple[str, ...]
    """What the freedoms are called: of a hexapod x, y, z, rx, ry, rz."""
    time: Array
    """(T,) [s]"""
    response: Array
    """(T, n): share of the step that is done; column k is the answer along axis k."""

    __repr__ = brief

    @property
    def overshoot(self) -> Array:
        """(n,) how far each goes beyond its final value, as a share of it."""
        return np.asarray(self.response.max(axis=0) / self.final - 1)

    @property
    def rise_time(self) -> Array:
        """(n,) from 10 % to 90 % of the final value [s]."""
        shares = (self.response / self.final).T
        times = [[self.time[np.argmax(y >= s)] for s in (0.1, 0.9)] for y in shares]
        return np.asarray(np.diff(np.array(times), axis=1)[:, 0])

    @property
    def final(self) -> Array:
        """(n,) what each comes to, as a share of its step; without integral action not all of it.

        A controller that does not know how weights change with the pose needs an error to hold.
        """
        return np.asarray(self.response[-1])

    @property
    def settling_time(self) -> Array:
        """(n,) after which each stays within 2 % of its final value [s]."""
        outside = np.abs(self.response - self.final) > 0.02 * np.abs(self.final)
        last = len(outside) - 1 - np.argmax(outside[::-1], axis=0)
        settled = self.time[np.minimum(last + 1, len(self.time) - 1)]
        return np.where(outside.any(axis=0), settled, 0.0)


def at_rest(loop: ClosedLoop, pose: Any = None) -> LinearLoop:
    """A loop near rest at a pose, by default the robot's home."""
    memory = loop.start(loop.robot.home if pose is None else pose)
    reference = np.concatenate([memory[:7], np.zeros(12)])
    return linear_loop(loop, memory, reference)


def quality(loop: ClosedLoop, pose: Any = None) -> Quality:
    """Poles and margins of a loop at rest at a pose, by default the robot's home."""
    linear = at_rest(loop, pose)
    legs = tuple(_margins(linear, leg) for leg in range(1, loop.plant.actuators + 1))
    return Quality(linear.poles, legs, linear.period)


def step_response(
    loop: ClosedLoop, *, duration: float = 0.5, size: float = 1e-4, pose: Any = None
) -> StepResponse:
    """Steps of the reference along each freedom, of a size [m, rad], at rest at a pose.

    The whole loop answers: with its limits, its delay and its sensors, without noise.
    """
    start = loop.start(loop.robot.home if pose is None else pose)
    at = start[:7]
    robot, names, n = loop.plant.robot, loop.plant.structure.freedoms, len(start)
    axes = len(names)
    time = loop.sampling.times(duration, NUMBERS_OF_A_STEP + axes * n, runs=axes)
    count = len(time)
    steps = positive("size", size, "a length and an angle") * moves_at(robot, at).T
    targets = displace(at, steps)
    reference = np.concatenate([targets, np.zeros((axes, 12))], axis=-1)
    runs = loop.run(
        np.broadcast_to(start, (axes, n)),
        np.broadcast_to(reference, (count, *reference.shape)),
        side_by_side=False,
    )
    done = difference(runs.memory[..., :7], at) @ seen_moves(robot).T
    response = np.stack([done[:, k, k] for k in range(axes)], axis=-1) / size
    return StepResponse(names, time, response)


def _margins(linear: LinearLoop, leg: int) -> LegMargins:
    highest = np.pi / linear.period
    omega = np.geomspace(1e-4 * highest, 0.999 * highest, 500)
    L = linear.loop_gain(leg, omega)
    gains, phases, crossings = stability_margins(L, omega)
    at_highest = linear.loop_gain(leg, [highest]).real  # real there, and seen by no crossing
    gains = np.concatenate([gains, -1 / at_highest[at_highest < 0]])
    delays = np.where(phases > 0, phases, phases + 2 * np.pi) / crossings
    T = np.abs(L / (1 + L))
    passing = omega[np.sqrt(0.5) <= T]
    return LegMargins(
        leg,
        gain=float(gains[gains > 1].min(initial=np.inf)),
        least_gain=float(gains[gains < 1].max(initial=0.0)),
        phase=float(phases[np.argmin(np.abs(phases))]) if len(phases) else np.inf,
        delay=float(delays.min(initial=np.inf)),
        bandwidth=float(passing[-1]) if len(passing) else 0.0,
    )
