"""Whether a motion is one: place and speed change by what speed and acceleration add up to.

Over every piece of the motion the change of place is compared with the integral of the twist, and
the change of the twist with that of the acceleration. A piece where they differ is divided until
they agree: then it was only steep. What still differs within a billionth of the duration jumps.
(A jump is no zero of anything: what looks for zeros does not find it.)
"""

from __future__ import annotations

from math import asin, sqrt

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.spatial.algebra import Value, position, rotation
from gough.motion.motions.intervals import divided
from gough.motion.motions.screws import SAMPLES
from gough.motion.samples import Motion, MotionError, MotionSamples

PIECES = 1000
"""Into so many pieces a motion is divided first."""
SHORTEST = 1e-9
"""A change within this share of the duration is a jump."""
JUMP = 1e-8
"""Minimum jump, as a fraction of the maximum change of place or of speed."""
SMALL = 1e-3
"""Places and speeds [m, rad, m/s, rad/s] that change by less count as if they changed so much."""
NEXT = 16 * np.finfo(float).eps
"""A corner is known to this share of the duration: to the rounding of the time."""
MOST = 1_000_000
"""Maximum number of pieces before a motion is refused as too fast to be followed."""

_AT_ONCE = 1024
_PARTS = 8
_GOLDEN = (sqrt(5) - 1) / 2
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(15)
BLOCKS = (slice(0, 3), slice(3, 12), slice(12, 15), slice(15, 18))
"""Blocks of a state: position, rotation matrix, velocity, angular velocity."""
NAMES = (("place", "m"), ("attitude", "rad"), ("speed", "m/s"), ("angular velocity", "rad/s"))


def check_continuous(motion: Motion, corners: Array) -> None:
    """Refuse values that are not finite, and places or speeds that jump: MotionError with the time.

    `corners` [s] are times that a jump may hide between: they are always looked at, and so is
    what is next to them.
    """
    next_to = np.add.outer(corners, motion.duration * NEXT * np.array([-1.0, 0.0, 1.0]))
    next_to = np.clip(next_to, 0.0, motion.duration)
    ends = np.union1d(irregular_times(motion.duration, PIECES), next_to)
    share = JUMP * _spans(motion, ends)
    pieces, looked_at = np.stack([ends[:-1], ends[1:]], axis=-1), 0
    while len(pieces):
        now, later = pieces[:_AT_ONCE], pieces[_AT_ONCE:]
        excess = _excess(motion, now, share)
        differ = np.asarray((excess > 0.0).any(axis=-1))
        jumps = differ & (now[:, 1] - now[:, 0] <= SHORTEST * motion.duration)
        if jumps.any():
            first = int(np.argmax(jumps))
            if not differ[:first].any():
                share = np.maximum(share, JUMP * _spans(motion, _around(now[first, 0], motion)))
                _check_jump(motion, now[first], share)
                continue
            now, later, differ = now[:first], pieces[first:], differ[:first]
        looked_at += len(now)
        if looked_at > MOST:
            raise MotionError(
                f"it changes too fast to be followed, at t = {now[0, 0]:.6g} s and later",
                expected=f"what {MOST:,} pieces of the motion can show",
            )
        pieces = np.concatenate([divided(now[differ], _PARTS), later])


def irregular_times(duration: float, pieces: int) -> Array:
    """The ends of pieces of unequal lengths, so that no oscillation keeps step with them."""
    k = np.arange(pieces + 1.0)
    k[1:-1] += 0.8 * ((k[1:-1] * _GOLDEN) % 1.0 - 0.5)
    return np.asarray(duration * (k / pieces))


def finite_samples(motion: Motion, t: Array) -> MotionSamples:
    """The motion at some times, or a MotionError with the first at which it is not finite."""
    samples = motion(t)
    for name, values in zip(MotionSamples._fields, samples, strict=True):
        finite = np.isfinite(values)
        if not finite.all():
            first = t[~finite.all(axis=-1)].min()
            raise MotionError(f"the {name} is not finite at t = {first:.6g} s", expected="numbers")
    return samples


def _spans(motion: Motion, t: Array) -> Array:
    """Return the range of each block of the state over some times, (18,)."""
    state = _state_and_rate(motion, t)[0]
    spans = np.empty(18)
    for block in BLOCKS:
        spans[block] = max(np.ptp(state[:, block], axis=0).max(), SMALL)
    return spans


def _around(t: float, motion: Motion) -> Array:
    """Times ever nearer to a time: they show what is steep next to it, however short it is."""
    away = motion.duration * np.geomspace(SHORTEST, 1.0, PIECES)
    return np.clip(t + np.concatenate([-away, away]), 0.0, motion.duration)


def _excess(motion: Motion, pieces: Array, share: Array) -> Array:
    """Return the deviation of each piece's change of state from the integral of its rate, (n, 18).

    Less what may be: a share of its range, and the rounding of the state and of the time.
    """
    start, end = pieces[:, :1], pieces[:, 1:]
    inside = (start + end) / 2 + (end - start) / 2 * _NODES
    rate = _state_and_rate(motion, inside)[1]
    state = _state_and_rate(motion, pieces)[0]
    missing = np.abs(state[:, 1] - state[:, 0] - (end - start) / 2 * (_WEIGHTS @ rate))
    fastest = np.maximum(rate.max(axis=1), -rate.min(axis=1))
    rounding = 64 * np.abs(state).max(axis=1) + 4 * motion.duration * fastest
    return np.asarray(missing - share - np.finfo(float).eps * rounding)


def _state_and_rate(motion: Motion, t: Array) -> tuple[Array, Array]:
    """Position, rotation matrix and twist (..., 18), and the time derivatives of these."""
    return state_and_rate_kernel()(*finite_samples(motion, t))


@compiled
def state_and_rate_kernel() -> Kernel[tuple[Array, Array]]:
    """Position, rotation matrix and twist (18), and their rates, of samples of a motion."""

    def equation(pose: Value, twist: Value, acceleration: Value) -> tuple[Value, Value]:
        R = rotation(pose)
        R_1 = ca.skew(twist[3:6]) @ R
        state = ca.vertcat(position(pose), ca.vec(R), twist)
        return state, ca.vertcat(twist[0:3], ca.vec(R_1), acceleration)

    outputs = Argument("state", (18,)), Argument("rate", (18,))
    return Kernel.from_equation("state_and_rate", equation, SAMPLES, outputs)


def _check_jump(motion: Motion, piece: Array, share: Array) -> None:
    """Refuse what jumps in a piece, and say by how much from before it to after it."""
    excess = _excess(motion, piece[None], share)[0]
    jumping = [k for k, block in enumerate(BLOCKS) if (excess[block] > 0.0).any()]
    if not jumping:
        return
    around = np.clip(piece + (piece[1] - piece[0]) * np.array([-1, 1]), 0.0, motion.duration)
    before, after = _state_and_rate(motion, around)[0]
    size = max(_sizes(excess)[jumping[0]], _sizes(after - before)[jumping[0]])
    what, unit = NAMES[jumping[0]]
    raise MotionError(
        f"the {what} jumps at t = {piece[0]:.6g} s by {size:.3g} {unit}",
        expected="expressions that join there",
    )


def _sizes(change: Array) -> tuple[float, ...]:
    """Return the change of each block of a state; a rotation by φ changes R by √8 sin(φ/2)."""
    position, turn, v, omega = (float(np.linalg.norm(change[block])) for block in BLOCKS)
    return position, 2 * asin(min(turn / sqrt(8), 1.0)), v, omega
