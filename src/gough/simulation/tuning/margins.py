"""A closed loop near a state: poles, loop gains, stability margins, bandwidth and step responses.

The sampled loop, with its delay and its sensors, is one map from memory to memory; its derivatives
are central differences of the compiled loop. The margins equal those of python-control's
`stability_margins`, which a test checks; the import of python-control takes longer than a tuning.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.checks import require_positive
from gough.compiler import Argument, Kernel, compiled
from gough.display import Brief, Table
from gough.equations.motion import kinematics
from gough.errors import GoughError
from gough.model import Machines
from gough.model.definition import POSE, TWIST
from gough.poses import difference, displace
from gough.poses.quaternions import product
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.integrators import central_differences
from gough.simulation.plants.beside import BALL, BASE
from gough.simulation.plants.plant import Plant

NUDGE = 1e-6
ROUNDING = 1e-7  # maximum rounding error of the differences
EXACT = 1e-12  # relative change of a crossing at the last step to it
MOST_STEPS = 60  # maximum number of steps to a crossing

NUMBERS_OF_A_STEP = 300  # per sample: references of six runs, errors, commands and fractions


class SaturatedError(GoughError):
    """A command is at its limit, so that a loop has no gain there."""


@dataclass(frozen=True, repr=False)
class LinearLoop(Brief):
    """m' = A m + B d, command = C m + D d, of possible deviations m; d is added to the command."""

    A: Array
    B: Array
    C: Array
    D: Array
    period: float

    @property
    def poles(self) -> Array:
        """Eigenvalues of A, stable inside the unit circle; constant numbers have none."""
        changes = np.abs(self.A - np.eye(len(self.A))).max(axis=1) > ROUNDING
        changes |= np.abs(self.B).max(axis=1) > ROUNDING * np.abs(self.B).max()
        return np.asarray(np.linalg.eigvals(self.A[np.ix_(changes, changes)]))

    @property
    def spectral_radius(self) -> float:
        """Modulus of the maximum pole."""
        return float(np.abs(self.poles).max())

    def loop_gain(self, leg: int, omega: ArrayLike) -> Array:
        """Return the loop gain of a leg from force to command [–], signed as a feedback loop.

        The loop is cut at this leg (counted from 1); the others are closed. `omega` is in rad/s.
        """
        k = leg - 1
        z = np.exp(1j * np.asarray(omega, dtype=float) * self.period)
        systems = z[:, None, None] * np.eye(len(self.A)) - self.A
        through = np.linalg.solve(systems, self.B[:, k, None])[..., 0] @ self.C[k]
        if not self.D[k, k]:
            raise SaturatedError(
                f"the command of actuator {leg} is at its limit at rest: its loop is cut there; "
                "expected a maximum force above what holds the machine"
            )
        T = -(through + self.D[k, k] - 1)  # -command / d, d itself taken off
        return np.asarray(T / (1 - T))


def linear_loop(loop: ClosedLoop, memory: Array, reference: Array) -> LinearLoop:
    """Return the loop near a memory (n), under a constant reference (19)."""
    return linear_loops(loop, memory[None], reference[None])[0]


def linear_loops(
    loop: ClosedLoop,
    memory: Array,
    reference: Array,
    parameters: Array | None = None,
    gains: Array | None = None,
) -> list[LinearLoop]:
    """Return the loops near memories (N, n), under constant references (N or 1, 19).

    `parameters` and `gains` are (N or 1, k). The states of a base that floats and of a ball on the
    platform are left out: no controller holds them.
    """
    legs, (runs, n) = loop.plant.actuators, memory.shape
    if loop.sensors.resolution:
        words = "a loop with encoder steps has no derivative; expected sensors with resolution 0"
        raise GoughError(words)

    def after(memories: Array, disturbance: Array | None = None) -> tuple[Array, Array]:
        """Return memories (N, k, n) after a sample, and commands (N, k, legs) in it."""
        each = memories.shape[1]
        own = [None if rows is None else _repeated(rows, runs, each) for rows in given]
        pushed = None if disturbance is None else np.stack([disturbance.reshape(-1, legs)] * 2)
        found = loop.run(
            memories.reshape(-1, n),
            np.stack([_repeated(reference, runs, each)] * 2),
            disturbance=pushed,
            parameters=own[0],
            gains=own[1],
            side_by_side=runs > 1,
        )
        return found.memory[1].reshape(runs, each, n), found.command[0].reshape(runs, each, legs)

    given = parameters, gains
    nudges = NUDGE * np.maximum(1e-2, np.abs(memory))
    ways = nudges[..., None] * np.eye(n)
    moved, commands = after(memory[:, None] + np.concatenate([ways, -ways], axis=1))
    A, C = (central_differences(values, nudges) for values in (moved, commands))
    force = NUDGE * np.fmax(1.0, np.abs(commands).max(axis=(1, 2)))[:, None]
    push = force[..., None] * np.eye(legs)
    still = np.broadcast_to(memory[:, None], (runs, 2 * legs, n))
    pushed = after(still, np.concatenate([push, -push], axis=1))
    B, D = (central_differences(values, np.repeat(force, legs, 1)) for values in pushed)
    if not all(np.isfinite(matrix).all() for matrix in (A, B, C, D)):
        raise GoughError(
            "the loop has no derivative at this state: the machine is singular there, or numbers "
            "are too large; expected another pose, or lower gains"
        )
    found = [LinearLoop(*each, loop.sampling.period) for each in zip(A, B, C, D, strict=True)]
    if loop.plant.dof < TWIST.size or _beside(loop.plant):
        for k, one in enumerate(found):
            P = _possible_changes(loop, memory[k])
            P_1 = np.linalg.pinv(P)
            found[k] = replace(one, A=P_1 @ one.A @ P, B=P_1 @ one.B, C=one.C @ P)
    return found


def _repeated(rows: Array, runs: int, each: int) -> Array:
    """Return rows (N or 1, k) so many times for each of N runs."""
    return np.repeat(np.broadcast_to(rows, (runs, rows.shape[-1])), each, axis=0)


def _possible_changes(loop: ClosedLoop, memory: Array) -> Array:
    """Return possible changes of a memory, as columns: poses and twists within the twist basis."""
    from scipy.linalg import block_diag  # noqa: PLC0415  (slow to import)

    T = np.asarray(_twist_basis(Machines(loop.plant.robot))(memory[: POSE.size]))
    turning = np.concatenate([np.zeros_like(T[:1]), T[3:]])
    attitudes = product(turning.T, memory[3 : POSE.size]).T / 2
    platform = block_diag(np.concatenate([T[:3], attitudes]), T)
    blocks = [platform, np.eye(loop.parts[0].stop - len(platform))[:, _beside(loop.plant) :]]
    for state in loop.controller.states:
        size = state.size(loop.plant.actuators, loop.plant.dof)
        blocks.append(platform if state.of_platform else np.eye(size))
    known = sum(len(block) for block in blocks)
    return np.asarray(block_diag(*blocks, np.eye(len(memory) - known)))


def _beside(plant: Plant) -> int:
    """Return the count of states, first of the inner ones, of a floating base or a ball."""
    return sum(state.size for state in plant.inner_states if state in (BASE, BALL))


@compiled
def _twist_basis(machines: Machines) -> Kernel:
    """The kernel pose -> T of twist = T u, also of a compliant machine that deviates from rigid."""
    T = Argument("T", (TWIST.size, machines.structure.dof))
    return machines.kernel("twist_basis", kinematics.twist_basis, [POSE], [T])


@compiled
def _independent_velocities(machines: Machines) -> Kernel:
    """The kernel twist -> u = S · twist."""
    u = Argument("u", (machines.structure.dof,))
    twist = Argument(TWIST.name, TWIST.shape)
    equation = kinematics.independent_velocities
    return machines.kernel("independent_velocities", equation, [twist], [u])


@dataclass(frozen=True)
class LegMargins:
    """Stability margins of an actuator's loop, with the others' loops closed."""

    leg: int  # number of the actuator, counted from 1: in a hexapod its leg
    gain: float  # maximum factor of its gain; infinite if no factor makes it unstable
    least_gain: float  # minimum factor of its gain; zero if none makes it unstable
    phase: float  # [rad]
    delay: float  # delay margin [s]
    bandwidth: float  # frequency above which its complementary sensitivity stays below -3 dB [Hz]


@dataclass(frozen=True, repr=False)
class Quality(Brief):
    """A loop's poles and margins."""

    poles: Array  # per sample: stable inside the unit circle
    legs: tuple[LegMargins, ...]
    period: float  # period of the samples [s]

    @property
    def stable(self) -> bool:
        """Whether all poles are inside the unit circle."""
        return bool((np.abs(self.poles) < 1).all())

    @property
    def largest_pole(self) -> float:
        """Modulus of the maximum pole."""
        return float(np.abs(self.poles).max())

    @property
    def slowest_decay(self) -> float:
        """Decay rate of the slowest pole [1/s]; not above zero if the loop is unstable."""
        return -float(np.log(self.largest_pole)) / self.period


@dataclass(frozen=True, repr=False)
class StepResponse(Brief):
    """Response to a small step of the reference along each degree of freedom of the platform."""

    axes: tuple[str, ...]  # names of the degrees of freedom: of a hexapod x, y, z, rx, ry, rz
    time: Array  # (T,) [s]
    response: Array  # (T, n): fraction of the step; column k is the response along axis k

    def tables(self) -> list[Table]:
        """Final value, overshoot, rise time and settling time along each axis."""
        columns = (
            *(100 * self.final, 100 * self.overshoot),
            *(1e3 * self.rise_time, 1e3 * self.settling_time),
        )
        rows = [(axis, *map(float, row)) for axis, *row in zip(self.axes, *columns, strict=True)]
        heads = ("axis", "final [%]", "overshoot [%]", "rise [ms]", "settling to 2 % [ms]")
        return [Table.of("Step responses of the platform", heads, rows)]

    @property
    def overshoot(self) -> Array:
        """(n,) overshoot of each over its final value, as a fraction of it."""
        return np.asarray(self.response.max(axis=0) / self.final - 1)

    @property
    def rise_time(self) -> Array:
        """(n,) rise time from 10 % to 90 % of the final value [s]."""
        shares = (self.response / self.final).T
        times = [[self.time[np.argmax(y >= s)] for s in (0.1, 0.9)] for y in shares]
        return np.asarray(np.diff(np.array(times), axis=1)[:, 0])

    @property
    def final(self) -> Array:
        """(n,) final values, as fractions of the step; without integral action not always one."""
        return np.asarray(self.response[-1])

    @property
    def settling_time(self) -> Array:
        """(n,) time after which each stays within 2 % of its final value [s]."""
        outside = np.abs(self.response - self.final) > 0.02 * np.abs(self.final)
        last = len(outside) - 1 - np.argmax(outside[::-1], axis=0)
        settled = self.time[np.minimum(last + 1, len(self.time) - 1)]
        return np.where(outside.any(axis=0), settled, 0.0)


def at_rest(loop: ClosedLoop, pose: ArrayLike | None = None) -> LinearLoop:
    """Return a loop linearised at rest at a pose, by default the robot's home."""
    memory = loop.start(loop.robot.home if pose is None else pose)
    return linear_loop(loop, memory, np.concatenate([memory[:7], np.zeros(12)]))


def quality(loop: ClosedLoop, pose: ArrayLike | None = None) -> Quality:
    """Return poles and margins of a loop at rest at a pose, by default the robot's home."""
    linear = at_rest(loop, pose)
    legs = tuple(_margins(linear, leg) for leg in range(1, loop.plant.actuators + 1))
    return Quality(linear.poles, legs, linear.period)


def step_response(
    loop: ClosedLoop, *, duration: float = 0.5, size: float = 1e-4, pose: ArrayLike | None = None
) -> StepResponse:
    """Simulate steps of the reference along each degree of freedom, of a size [m, rad], at a pose.

    The loop includes its limits, its delay and its sensors, without noise.
    """
    start = loop.start(loop.robot.home if pose is None else pose)
    names, machines = loop.plant.structure.degrees_of_freedom, Machines(loop.plant.robot)
    axes, n, at = len(names), len(start), start[:7]
    time = loop.sampling.times(duration, NUMBERS_OF_A_STEP + axes * n, runs=axes)
    length = require_positive("size", size, "a length and an angle")
    targets = displace(at, length * np.asarray(_twist_basis(machines)(at)).T)
    reference = np.concatenate([targets, np.zeros((axes, 12))], axis=-1)
    references = np.broadcast_to(reference, (len(time), *reference.shape))
    runs = loop.run(np.broadcast_to(start, (axes, n)), references, side_by_side=False)
    S_T = _independent_velocities(machines)(np.eye(TWIST.size))
    done = difference(runs.memory[..., :7], at) @ S_T
    return StepResponse(names, time, np.diagonal(done, axis1=1, axis2=2) / size)


def _margins(linear: LinearLoop, leg: int) -> LegMargins:
    highest = np.pi / linear.period
    omega = np.geomspace(1e-4 * highest, 0.999 * highest, 500)
    L = linear.loop_gain(leg, omega)
    gains, phases, crossings = stability_margins(partial(linear.loop_gain, leg), omega)
    at_highest = linear.loop_gain(leg, [highest]).real  # real there, and seen by no crossing
    gains = np.concatenate([gains, -1 / at_highest[at_highest < 0]])
    delays = np.where(phases > 0, phases, phases + 2 * np.pi) / crossings
    T = np.abs(L / (1 + L))
    passband = omega[np.sqrt(0.5) <= T]
    return LegMargins(
        leg,
        gain=float(gains[gains > 1].min(initial=np.inf)),
        least_gain=float(gains[gains < 1].max(initial=0.0)),
        phase=float(phases[np.argmin(np.abs(phases))]) if len(phases) else np.inf,
        delay=float(delays.min(initial=np.inf)),
        bandwidth=float(passband[-1]) / (2 * np.pi) if len(passband) else 0.0,
    )


def stability_margins(
    gain: Callable[[Array], AnyArray], omega: Array
) -> tuple[Array, Array, Array]:
    """Return every gain margin [–], every phase margin [rad], and the frequencies of these [rad/s].

    `gain` returns the complex gain of the open loop, negative feedback assumed, at frequencies
    [rad/s]; `omega` (n), increasing, are so close that at most one margin is between two of them.
    """
    L = gain(omega)
    opposite = _crossings(lambda w: np.angle(-gain(w)), omega, np.angle(-L), L.real <= 0)
    as_large = _crossings(lambda w: np.abs(gain(w)) - 1, omega, np.abs(L) - 1)
    with np.errstate(divide="ignore"):
        gain_margins = 1 / np.abs(gain(opposite))
    phases = np.remainder(np.angle(gain(as_large), deg=True), 360.0) - 180.0
    return gain_margins, np.radians(phases), as_large


def _crossings(
    function: Callable[[Array], Array], omega: Array, values: Array, counts: Any = True
) -> Array:
    """Return zeros of a function, one between two frequencies if it `counts` at the first.

    Found by regula falsi, for all at once; a value that stays at its end twice is halved [Dowell &
    Jarratt 1971, BIT 11, 168-174].
    """
    here = (np.diff(np.sign(values)) != 0) & np.broadcast_to(counts, omega.shape)[:-1]
    a, b, f_a, f_b = (
        x[at] for x in (omega, values) for at in (np.r_[here, False], np.r_[False, here])
    )
    for _ in range(MOST_STEPS):
        c = b - f_b * (b - a) / (f_b - f_a)
        if np.allclose(c, b, rtol=EXACT, atol=0.0):
            break
        f_c = function(c)
        between_a_and_c = np.sign(f_c) == np.sign(f_b)
        a, f_a = np.where(between_a_and_c, (a, f_a / 2), (b, f_b))
        b, f_b = c, f_c
    return np.asarray(b)
