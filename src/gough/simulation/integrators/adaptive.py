"""Integration with a step that adapts itself, also of stiff plants, and with events.

SciPy's solvers on compiled rates and, for the implicit methods, on compiled derivatives of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from reprlib import repr as short
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.memory import require_memory
from gough.shown.brief import brief
from gough.simulation.arguments import instance, positive, row
from gough.simulation.events import Event
from gough.simulation.plants.plant import Plant
from gough.simulation.sampling import NUMBER

Signal = Callable[[float], Any]
Law = Callable[[float, Array], Any]

METHODS = {"DOP853": False, "RK45": False, "RK23": False, "Radau": True, "BDF": True, "LSODA": True}
"""SciPy's methods, and whether they use derivatives."""


@dataclass(frozen=True)
class Adaptive:
    """How to integrate: one of SciPy's methods, and the tolerances of its steps."""

    method: str = "DOP853"
    rtol: float = 1e-10
    atol: float = 1e-12

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or self.method not in METHODS:
            names = ", ".join(METHODS)
            raise GoughError(f"unknown method {self.method!r}; expected one of {names}")
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if positive(name, value) >= 1:
                raise GoughError(f"{name} is {value!r}; expected a number between 0 and 1")


EXPLICIT = Adaptive()
COPIES, MANY = 3, 10_000
"""How often states lie in memory: as found, in order, and put together; how many are so few that
they fit."""

FEW_STEPS, LEAST_SHARE = 200, 1e-6
"""So many steps that cover less than this share of the time lead nowhere."""


@dataclass(frozen=True)
class Trajectory:
    """What an adaptive integration found."""

    time: Array
    """(T,) [s]; ends early if an event ended the run."""
    state: Array
    """(T, n); quaternions have length one."""
    events: tuple[tuple[str, float], ...]
    """What happened, and when [s]."""
    evaluations: int
    """How often the rates were computed."""

    __repr__ = brief

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
    start: Any,
    times: Any,
    command: Signal | Law | Any,
    *,
    feedback: bool = False,
    wrench: Signal | None = None,
    parameters: Any = None,
    integrator: Adaptive = EXPLICIT,
    events: Iterable[Event] = (),
    breaks: Iterable[float] = (),
) -> Trajectory:
    """Integrate a plant from a state over times [s], which increase.

    `command` is constant, or a function of time; with `feedback`, of time and state. `breaks` are
    times at which command or wrench jump: the integration starts afresh there. A run that cannot
    go on (a singular configuration, say), or only by steps that lead nowhere, ends where it can be
    trusted, with the event "lost".
    """
    instance("integrator", integrator, Adaptive)
    wanted, state = _checked_times(times), _checked_start(plant, start)
    if len(wanted) > MANY:
        needed = NUMBER * COPIES * len(wanted) * len(state)
        require_memory(needed, f"states at {len(wanted):,} times")
    numbers = () if parameters is None else (row("parameters", parameters, len(plant.varied)),)
    given = _command(command, feedback)
    if wrench is not None and not callable(wrench):
        raise GoughError(f"wrench is {short(wrench)}; expected a function of time")
    outside = (lambda t: np.zeros(6)) if wrench is None else wrench
    watched = list(events)

    def rates(t: float, state: Array) -> Array:
        return np.asarray(plant.rate_kernel(state, given(t, state), _row(outside(t)), *numbers))

    options: dict[str, Any] = asdict(integrator)
    if METHODS[integrator.method] and not feedback:
        slope = plant.rate_slope
        axes = np.eye(plant.state.size)
        options["jac"] = lambda t, state: (
            slope(state, given(t, state), _row(outside(t)), *numbers, axes).T
        )
    stalls = _Stalls()
    options["events"] = [*(_scipy_event(event, given) for event in watched), stalls]
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
        *seen, stalled = found.t_events
        for event, at in zip(watched, seen, strict=True):
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
    return Trajectory(
        np.concatenate([t for t, _ in pieces]), states, tuple(happened), int(evaluations)
    )


class _Stalls:
    """An event of SciPy's: steps that have become so small that the end is out of reach.

    Beside a pose at which rates end, or jump, steps may be accepted that lead nowhere.
    """

    terminal = True

    def begin(self, start: float, end: float) -> None:
        """Watch an integration from now on."""
        self._least, self._stopped = LEAST_SHARE * (end - start), np.inf
        self._steps, self._marked, self._last = 0, start, start

    def __call__(self, t: float, state: Array) -> float:
        """Below zero from the middle of the step on that was one too many."""
        if np.isfinite(self._stopped):
            return self._stopped - t  # SciPy looks for the time between two steps
        self._steps += 1
        if self._steps % FEW_STEPS == 0:
            if t - self._marked < self._least:
                self._stopped = (self._last + t) / 2
            self._marked = t
        self._last = t
        return min(self._stopped, np.finfo(float).max) - t


def _checked_times(times: Any) -> Array:
    try:
        wanted = np.asarray(times, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(f"times are {short(times)}; expected numbers of seconds") from None
    rising = wanted.ndim == 1 and len(wanted) >= 2 and (np.diff(wanted) > 0).all()
    if not rising or not np.isfinite(wanted).all():
        raise GoughError("times must be at least two, each after the one before it, and finite")
    return wanted


def _corners(times: Array, breaks: list[float]) -> list[float]:
    """Where the integration starts afresh, with its beginning and its end."""
    jumps = row("breaks", breaks, len(breaks))
    inside = jumps[(jumps > times[0]) & (jumps < times[-1])]
    return [float(times[0]), *sorted(set(inside.tolist())), float(times[-1])]


def _checked_start(plant: Plant, start: Any) -> Array:
    expected = f"{plant.state.size} numbers: {plant.state.meaning}, finite"
    state = row("start", start, plant.state.size, expected=expected)
    if not state[3:7].any():
        raise GoughError(f"start is {state.tolist()}; expected {expected}, with a rotation")
    return state


def _solved(
    rates: Law, span: tuple[float, float], state: Array, times: Array, options: dict[str, Any]
) -> Any:
    """What SciPy found from a state on; None if it cannot do a step."""
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
    """The states that SciPy found (T, size), up to the first that is no number."""
    states = np.reshape(found.y, (size, -1)).T  # of an empty list, if none was reached
    good = np.isfinite(states).all(axis=1)
    return np.asarray(states if good.all() else states[: np.argmin(good)])


def _command(command: Any, feedback: bool) -> Law:
    if not callable(command):
        constant = _row(command)
        return lambda t, state: constant
    if feedback:
        return lambda t, state: _row(command(t, state))
    return lambda t, state: _row(command(t))


def _row(value: Any) -> Array:
    try:
        return np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(
            f"command or wrench is {short(value)}; expected a row of numbers"
        ) from None


def _scipy_event(event: Event, command: Law) -> Any:
    def margin(t: float, state: Array) -> float:
        value = float(np.min(event.margin(t, state, command(t, state))))
        return value if np.isfinite(value) else 1.0  # no limit, no event

    margin.terminal = event.terminal  # type: ignore[attr-defined]
    return margin
