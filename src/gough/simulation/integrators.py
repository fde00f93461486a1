"""Integrators of plants: the maximum of fixed steps, and SciPy's, which adapt them.

An error of a mode with eigenvalue λ is multiplied by R(hλ), of RK4 1 + z + z²/2 + z³/6 + z⁴/24, in
each step of `held_period`, and a mode that decays must not grow by it. SciPy's solvers, also of
stiff plants and with events, run on compiled rates and, for the implicit methods, on compiled
derivatives of them.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_instance, require_positive, require_row
from gough.disk.plain_data import PlainData
from gough.display.brief import Brief
from gough.equations.solvers.runge_kutta import STEPS
from gough.errors import GoughError
from gough.memory import require_memory
from gough.poses.given import array_of_numbers
from gough.simulation.controllers.sensors import NUMBER, Sampling
from gough.simulation.events import Event
from gough.simulation.plants.connectors import STATE
from gough.simulation.plants.plant import Plant

SURELY_STABLE = 0.4
"""Step times eigenvalue below which no decaying mode grows: at least 0.448 in any direction."""
GROWTH = 1e-6  # growth of a mode in a step that is none: with RK6 undamped ones grow a little


class StepTooLarge(GoughError):  # noqa: N818  (a fact about the step)
    """A step with which RK4 or RK6 is not stable; `largest` [s] is the maximum stable step."""

    def __init__(self, step: float, largest: float, eigenvalue: complex, order: int = 4) -> None:
        self.step, self.largest, self.eigenvalue = step, largest, eigenvalue
        super().__init__(
            f"step of {step:.4g} s is too large for RK{order}: a mode of the plant has the "
            f"eigenvalue {eigenvalue:.4g} 1/s; expected at most {largest:.4g} s (more substeps, a "
            "shorter period, or a stiff integrator)"
        )


def check_step(sampling: Sampling, eigenvalues: Array) -> None:
    """Refuse steps with which RK4 or RK6 makes a decaying mode of a plant grow."""
    if sampling.step * np.abs(eigenvalues).max(initial=0.0) < SURELY_STABLE:
        return
    largest, of = largest_stable_step(eigenvalues, sampling.order)
    if sampling.step > largest * (1 + 1e-9):
        raise StepTooLarge(sampling.step, largest, of, sampling.order)


def plant_eigenvalues(
    plant: Plant,
    state: Array,
    command: Array,
    *parameters: Array,
    wrench_slope: Array | None = None,
) -> Array:
    """Return eigenvalues (..., n) [1/s] of the plant near states (..., n), under constant commands.

    `wrench_slope` (6, 13) is the derivative of an external wrench by pose and twist, if any.
    """
    steps = 1e-6 * np.maximum(1e-2, np.abs(state))
    ways = steps[..., None] * np.eye(state.shape[-1])
    moved = state[..., None, :] + np.concatenate([ways, -ways], axis=-2)
    held = (command[..., None, :], plant.no_load, *(rows[..., None, :] for rows in parameters))
    A = central_differences(plant.rate_kernel(moved, *held), steps)
    if wrench_slope is not None:
        wrenches = np.tile(plant.no_load, (12, 1))
        wrenches[:, :6] = np.concatenate([np.eye(6), -np.eye(6)])
        pushed = plant.rate_kernel(state, command, wrenches, *parameters)
        A[:, : wrench_slope.shape[1]] += central_differences(pushed, np.ones(6)) @ wrench_slope
    if not np.isfinite(A).all():
        raise GoughError(
            "the plant has no derivative near a state of the run: it is singular there, or its "
            "numbers are too large; expected another start, or an integrator that adapts"
        )
    return np.asarray(np.linalg.eigvals(A))


def central_differences(values: Array, steps: Array) -> Array:
    """Return derivatives (..., m, n) from values (..., 2 n, m).

    These are at places moved by steps (..., n), one way and then the other.
    """
    ahead, behind = np.split(values, 2, axis=-2)
    return np.asarray(np.swapaxes(ahead - behind, -1, -2) / (2 * steps[..., None, :]))


def largest_stable_step(eigenvalues: Array, order: int = 4) -> tuple[float, complex]:
    """Return the maximum step [s] at which every decaying mode decays, and the mode that limits."""
    stiffest, largest = 0j, np.inf
    fastest = np.abs(eigenvalues).max(initial=0.0)
    for eigenvalue in eigenvalues:
        noise = 1e-6 * fastest
        if abs(eigenvalue) <= noise or eigenvalue.real > noise:
            continue
        step = _stable_radius(eigenvalue / abs(eigenvalue), order) / abs(eigenvalue)
        if step < largest:
            stiffest, largest = complex(eigenvalue), float(step)
    return largest, stiffest


def _stable_radius(direction: complex, order: int) -> float:
    """Return the modulus of z in a direction of the left half-plane above which a mode grows."""
    direction = complex(min(direction.real, 0.0), direction.imag)
    radii = np.linspace(0.0, 4.0, 4001)[1:]
    z = radii * direction / abs(direction)
    growth = np.abs(STEPS[order](lambda _, x: z * x, np.ones_like(z), 1.0))
    unstable = radii[growth > 1 + GROWTH]
    return float(unstable[0]) if len(unstable) else 4.0


Signal = Callable[[float], Any]
Law = Callable[[float, Array], Any]

METHODS = {"DOP853": False, "RK45": False, "RK23": False, "Radau": True, "BDF": True, "LSODA": True}
"""SciPy's methods, and whether they use derivatives."""


@dataclass(frozen=True)
class Adaptive:
    """Adaptive integration: one of SciPy's methods, and the tolerances of its steps."""

    method: str = "DOP853"
    rtol: float = 1e-10
    atol: float = 1e-12

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or self.method not in METHODS:
            names = ", ".join(METHODS)
            raise GoughError(f"unknown method {self.method!r}; expected one of {names}")
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if require_positive(name, value) >= 1:
                raise GoughError(f"{name} is {value!r}; expected a number between 0 and 1")


EXPLICIT = Adaptive()
COPIES, MANY = 3, 10_000
"""Copies of states in memory (as found, in order, and put together), and the number of states below
which memory is not checked."""

FEW_STEPS, LEAST_SHARE, LEAST_OF_A_PERIOD = 200, 1e-6, 1e-3
"""Number of steps after which a run is given up if they cover less than this fraction of the time:
of a run, and of one period of a controller."""


@dataclass(frozen=True, repr=False)
class Trajectory(Brief):
    """Results of an adaptive integration."""

    time: Array
    """(T,) [s]; ends early if an event ended the run."""
    state: Array
    """(T, n); quaternions have length one."""
    events: tuple[tuple[str, float], ...]
    """Events and their times [s]."""
    evaluations: int
    """Number of evaluations of the rates."""

    @property
    def pose(self) -> Array:
        """(T, 7), with quaternions of length one."""
        return self.state[:, :7]

    @property
    def twist(self) -> Array:
        """(T, 6), base axes."""
        return self.state[:, 7:13]


def integrate(
    plant: Plant,
    start: ArrayLike,
    times: ArrayLike,
    command: Signal | Law | ArrayLike,
    *,
    feedback: bool = False,
    wrench: Signal | None = None,
    parameters: ArrayLike | None = None,
    integrator: Adaptive = EXPLICIT,
    events: Iterable[Event] = (),
    breaks: Iterable[float] = (),
    least_share: float = LEAST_SHARE,
) -> Trajectory:
    """Integrate a plant from a state over increasing times [s].

    `command` is constant, or a function of time; with `feedback`, of time and state. `breaks` are
    times at which command or wrench jump: the integration restarts there. A run that cannot
    continue (at a singular configuration, say), or only with vanishing steps, ends at its last
    valid sample, with the event "lost".
    """
    require_instance("integrator", integrator, Adaptive)
    wanted, expected = _checked_times(times), f"{plant.state.size} numbers: {plant.state.meaning}"
    state = require_row("start", start, plant.state.size, expected=f"{expected}, finite")
    if not state[3:7].any():
        raise GoughError(f"start is {state.tolist()}; expected {expected}, with a rotation")
    if len(wanted) > MANY:
        needed = NUMBER * COPIES * len(wanted) * len(state)
        require_memory(needed, f"states at {len(wanted):,} times")
    varied = len(plant.varied)
    numbers = () if parameters is None else (require_row("parameters", parameters, varied),)
    given = _command(plant, command, feedback)
    if wrench is not None and not callable(wrench):
        raise GoughError(f"wrench is {short(wrench)}; expected a function of time")
    outside = (lambda t: plant.no_load) if wrench is None else wrench
    events = list(events)

    def rates(t: float, state: Array) -> Array:
        return np.asarray(plant.rate_kernel(state, given(t, state), _row(outside(t)), *numbers))

    options: PlainData = asdict(integrator)
    if METHODS[integrator.method] and not feedback:
        slope, axes = plant.rate_slope, np.eye(plant.state.size)

        def jacobian(t: float, state: Array) -> Array:
            return np.asarray(slope(state, given(t, state), _row(outside(t)), *numbers, axes).T)

        options["jac"] = jacobian
    stalls = _Stalls(least_share)
    options["events"] = [*(_scipy_event(event, given) for event in events), stalls]
    pieces = [(wanted[:1], state[None])]
    happened: list[tuple[str, float]] = []
    evaluations = 0
    for begin, end in pairwise(_corners(wanted, list(breaks))):
        inside = wanted[(wanted > begin) & (wanted <= end)]
        stalls.begin(begin, end)
        found = _solved(rates, (begin, end), state, np.union1d(inside, end), options)
        if found is None:
            happened.append(("lost", float(begin)))
            break
        states = _trusted(found, len(state))
        reached = min(len(states), len(inside))
        pieces.append((found.t[:reached], states[:reached]))
        evaluations += found.nfev
        *occurred, stalled = found.t_events
        for event, at in zip(events, occurred, strict=True):
            happened += [(event.name, float(t)) for t in at]
        lost = found.status < 0 or len(states) < len(found.t) or len(stalled)
        if lost:
            happened.append(("lost", float(found.t[len(states) - 1] if len(states) else begin)))
        if lost or found.status:
            break
        state = states[-1]
    states = np.concatenate([y for _, y in pieces])
    states[:, 3:7] /= np.linalg.norm(states[:, 3:7], axis=-1, keepdims=True)
    happened.sort(key=lambda event: event[1])
    time = np.concatenate([t for t, _ in pieces])
    return Trajectory(time, states, tuple(happened), int(evaluations))


class _Stalls:
    """SciPy event: steps become so small, as beside a jump, that the end is not reached."""

    terminal = True

    def __init__(self, least_share: float) -> None:
        self._least_share = least_share

    def begin(self, start: float, end: float) -> None:
        """Begin to monitor an integration."""
        self._least, self._stopped = self._least_share * (end - start), np.inf
        self._steps, self._marked, self._last = 0, start, start

    def __call__(self, t: float, state: Array) -> float:
        """Return a value below zero from the middle of the first step that makes no progress."""
        if np.isfinite(self._stopped):
            return self._stopped - t  # SciPy looks for the time between two steps
        self._steps += 1
        if self._steps % FEW_STEPS == 0:
            if t - self._marked < self._least:
                self._stopped = (self._last + t) / 2
            self._marked = t
        self._last = t
        return min(self._stopped, np.finfo(float).max) - t


def _checked_times(times: ArrayLike) -> Array:
    wanted = array_of_numbers(times, "times")
    rising = wanted.ndim == 1 and len(wanted) >= 2 and (np.diff(wanted) > 0).all()
    if not rising or not np.isfinite(wanted).all():
        raise GoughError("times must be at least two, each after the one before it, and finite")
    return wanted


def _corners(times: Array, breaks: list[float]) -> list[float]:
    """Return the times where the integration restarts, with its beginning and its end."""
    jumps = np.unique(require_row("breaks", breaks, len(breaks)))
    inside = jumps[(jumps > times[0]) & (jumps < times[-1])]
    return [float(t) for t in (times[0], *inside, times[-1])]


def _solved(
    rates: Law, span: tuple[float, float], state: Array, times: Array, options: PlainData
) -> Any:
    """Return SciPy's solution from a state on; None if it cannot do a step."""
    from scipy.integrate import solve_ivp  # noqa: PLC0415  (slow to import)

    with np.errstate(all="ignore"):
        first = rates(span[0], state)
        if not np.isfinite(first @ first):  # no size, from which it would choose a step
            return None
        try:
            return solve_ivp(rates, span, state, t_eval=times, **options)
        except ValueError as error:
            if "must not contain infs or NaNs" in str(error):  # a derivative, or 1 / step
                return None
            raise


def _trusted(found: Any, size: int) -> Array:
    """Return the states that SciPy found (T, size), up to the first that is not finite."""
    states = np.reshape(found.y, (size, -1)).T  # of an empty list, if none was reached
    good = np.isfinite(states).all(axis=1)
    return np.asarray(states if good.all() else states[: np.argmin(good)])


def _command(plant: Plant, command: Any, feedback: bool) -> Law:
    if STATE in plant.inner_states:
        raise GoughError("valves change their mode at steps of RK4; expected that integrator")
    if not callable(command):
        constant = _row(command)
        return lambda t, state: constant
    return lambda t, state: _row(command(t, state) if feedback else command(t))


def _row(value: ArrayLike) -> Array:
    try:
        return np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError):
        words = f"command or wrench is {short(value)}; expected a row of numbers"
        raise GoughError(words) from None


def _scipy_event(event: Event, command: Law) -> Any:
    def margin(t: float, state: Array) -> float:
        value = float(np.min(event.margin(t, state, command(t, state))))
        return value if np.isfinite(value) else 1.0  # no limit, no event

    margin.terminal = event.terminal  # type: ignore[attr-defined]
    return margin
