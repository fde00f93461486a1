"""Integrators of plants: RK4 and RK6 with fixed steps, as equations, and SciPy's that adapt them.

RK4 goes through a period of constant command, in the platform's pose and twist, or in positions and
speeds of the driven joints, where forward kinematics finds the platform. It also determines the
maximum step: an error of a mode with eigenvalue λ is multiplied by R(hλ), of RK4 1 + z + z²/2 +
z³/6 + z⁴/24, in each step, and a mode that decays must not grow by it. SciPy's solvers, also of
stiff plants and with events, run on compiled rates and, for the implicit methods, on compiled
derivatives of them.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from reprlib import repr as short
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_instance, require_positive, require_row
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Equation, Function, iterate
from gough.disk.plain_data import PlainData
from gough.display.brief import Brief
from gough.equations.forces import dynamics
from gough.equations.motion import kinematics
from gough.equations.solvers.runge_kutta import STEPS, rk4_step
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.kinematics.forward.kernel import path_equation
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE
from gough.memory import require_memory
from gough.model.machines import Machines
from gough.poses.given import array_of_numbers
from gough.simulation.controllers.sensors import NUMBER, Sampling
from gough.simulation.events import Event
from gough.simulation.plants.connectors import STATE
from gough.simulation.plants.plant import PLATFORM, Plant

STEP, STAGE = "one_step", "one_stage"
"""Names of the functions of one of several steps in a period, and of one evaluation of a step."""
RK4 = 4
"""Order of RK4, and its number of evaluations."""
SURELY_STABLE = 0.4
"""Step times eigenvalue below which no decaying mode grows: at least 0.448 in any direction."""
GROWTH = 1e-6
"""Growth of a mode in one step that is none: with RK6 undamped ones always grow a little."""
INDEX = Argument("index", (), "1", "steps done within the period")


class StepTooLarge(GoughError):  # noqa: N818  (a fact about the step)
    """A step with which RK4 or RK6 is not stable; `largest` [s] is the maximum stable step."""

    def __init__(self, step: float, largest: float, eigenvalue: complex, order: int = 4) -> None:
        self.step, self.largest, self.eigenvalue = step, largest, eigenvalue
        super().__init__(
            f"step of {step:.4g} s is too large for RK{order}: a mode of the plant has the "
            f"eigenvalue {eigenvalue:.4g} 1/s; expected at most {largest:.4g} s (more substeps, a "
            "shorter period, or a stiff integrator)"
        )


def held_loads(plant: Plant) -> tuple[Argument, Argument]:
    """Return the external inputs at the beginning and at the end of a period."""
    loads = plant.loads
    meaning = f"{loads.name} at the end of the period"
    return loads, Argument("wrench_next", loads.shape, loads.unit, meaning)


def held_period(
    plant: Plant, sampling: Sampling, *, unrolled: bool = False, rolled: bool = False
) -> Callable[..., Value]:
    """(state, command, wrench, wrench_next, *parameters) -> the state after a period.

    The command is constant; the wrench goes from one value to the other on a straight line, and so
    does the motion of a base that moves, with it. Steps are repeated or, where they have
    derivatives, `unrolled`; with `rolled`, so are the four evaluations of a step of RK4, for code
    that is short.
    """
    rates = plant.rate_function.with_equal_parts_once() if unrolled else plant.rate_function
    step, substeps = _step(plant, sampling, rates, rolled), sampling.substeps

    def one_by_one(state: Value, *inputs: Value) -> Value:
        for k in range(substeps):
            state = step(state, k, *inputs)
        return state

    def one_of_them(state: Value, k: Value, *inputs: Value) -> tuple[Value, Value, int]:
        return step(state, k, *inputs), k + 1, 0

    if unrolled or substeps == 1:
        return one_by_one
    results = [plant.state, INDEX, Argument("status")]
    repeated = iterate(
        Function.from_equation(STEP, one_of_them, _inputs_of_a_step(plant), results), substeps
    )
    return lambda state, *inputs: repeated(state, 0, *inputs)[0]


def adjoint_of_period(plant: Plant, sampling: Sampling) -> Callable[..., list[Value]]:
    """(state, command, wrench, wrench_next, *parameters, d_moved) -> d_state, d_command, ….

    From the derivative of a number by the state after a period, those by the state before it, by
    the command and by parameters: the adjoint of each step, the last one first.
    """
    rates, substeps = plant.rate_function.with_equal_parts_once(), sampling.substeps
    moved, inputs = replace(plant.state, name="moved"), _inputs_of_a_step(plant)
    step = Function.from_equation(STEP, _step(plant, sampling, rates), inputs, [moved])
    if sampling.order == RK4:
        back = _adjoint_in_stages(plant, rates, sampling.step, substeps)
    else:
        back = step.adjoint()

    def period(state: Value, *given: Value) -> list[Value]:
        *held, d_state = given
        states = [state]
        for k in range(substeps - 1):
            states.append(step(states[-1], k, *held))
        sums = [ca.DM.zeros(a.size) for a in (plant.command, *plant.parameters)]
        for k in reversed(range(substeps)):
            d_state, _, d_command, _, _, *d_p = back(states[k], k, *held, d_state)
            sums = [total + d for total, d in zip(sums, (d_command, *d_p), strict=True)]
        return [d_state, *sums]

    return period


def _inputs_of_a_step(plant: Plant) -> list[Argument]:
    return [plant.state, INDEX, plant.command, *held_loads(plant), *plant.parameters]


def _step(
    plant: Plant, sampling: Sampling, rates: Function, rolled: bool = False
) -> Callable[..., Value]:
    """(state, index, command, wrench, wrench_next, *parameters) -> the state after a step."""
    h, substeps, advanced = sampling.step, sampling.substeps, STEPS[sampling.order]
    in_joints = _joint_step(plant) if sampling.joint_space else None
    in_stages = rolled and sampling.order == RK4 and in_joints is None
    stages = _stages(plant, rates, h, substeps) if in_stages else None

    def step(
        state: Value, k: Value | float, command: Value, w_0: Value, w_1: Value, *p: Value
    ) -> Value:
        def at(share: float, x: Value) -> Value:
            rate: Value = rates(x, command, w_0 + (w_1 - w_0) * ((k + share) / substeps), *p)
            return rate

        if in_joints is not None:
            return in_joints(at, state, h)
        if stages is not None:
            none = ca.DM.zeros(plant.state.size)
            rate_sum = stages(none, none, 0, state, k, command, w_0, w_1, *p)[1]
            return plant.settled(state + h / 6 * rate_sum)
        return plant.settled(advanced(at, state, h))

    return step


def _stages(plant: Plant, rates: Function, h: float, substeps: int) -> Callable[..., Any]:
    """(rate, sum of rates, index, state, …) -> these after the evaluations of a step of RK4."""

    def stage(
        rate: Value, rate_sum: Value, j: Value, state: Value, k: Value,
        command: Value, w_0: Value, w_1: Value, *p: Value,
    ) -> tuple[Value, Value, Value, int]:  # fmt: skip
        share, weight = _share_and_weight(j)
        wrench = w_0 + (w_1 - w_0) * ((k + share) / substeps)
        new = rates(state + h * share * rate, command, wrench, *p)
        return new, rate_sum + weight * new, j + 1, 0

    states = [*(replace(plant.state, name=name) for name in ("rate", "rate_sum")), INDEX]
    return _repeated(STAGE, stage, states, _held_in_stages(plant))


def _adjoint_in_stages(
    plant: Plant, rates: Function, h: float, substeps: int
) -> Callable[..., Any]:
    """(state, index, …, d_moved) -> derivatives by these: the adjoint of a step of RK4.

    Its evaluations, and then their adjoints, are one piece of code each.
    """
    slopes, n = rates.adjoint(), plant.state.size
    settled = Function.from_equation("settled", plant.settled, [plant.state], [plant.state])
    by_state, rate, rate_sum = (
        replace(plant.state, name=name) for name in ("by_state", "rate", "rate_sum")
    )
    by_others = [replace(a, name=f"by_{a.name}") for a in (plant.command, *plant.parameters)]
    places, held = Argument("places", (RK4 * n,)), _held_in_stages(plant)

    def forwards(
        before: Value, rate: Value, rate_sum: Value, j: Value, state: Value, k: Value,
        command: Value, w_0: Value, w_1: Value, *p: Value,
    ) -> list[Value]:  # fmt: skip
        share, weight = _share_and_weight(j)
        here = state + h * share * rate
        new = rates(here, command, w_0 + (w_1 - w_0) * ((k + share) / substeps), *p)
        return [ca.vertcat(before[n:], here), new, rate_sum + weight * new, j + 1, 0]

    def backwards(
        before: Value, d_rate: Value, d_sum: Value, j: Value, *given: Value
    ) -> list[Value]:
        sums, others = given[: len(by_others)], given[len(by_others) :]
        by_end, _, k, command, w_0, w_1, *p = others
        share, _ = _share_and_weight(j)
        wrench = w_0 + (w_1 - w_0) * ((k + share) / substeps)
        d_here, d_command, _, *d_p = slopes(before[-n:], command, wrench, *p, d_rate)
        earlier = h / 6 * _share_and_weight(j - 1)[1] * by_end + h * share * d_here
        found = (total + d for total, d in zip(sums, (d_command, *d_p), strict=True))
        return [ca.vertcat(before[:n], before[:-n]), earlier, d_sum + d_here, j - 1, *found, 0]

    ahead = _repeated(STAGE, forwards, [places, rate, rate_sum, INDEX], held)
    behind = [places, rate, by_state, INDEX, *by_others]
    back = _repeated("stage_back", backwards, behind, [replace(rate, name="by_end"), *held])

    def adjoint(state: Value, *given: Value) -> list[Value]:
        *inputs, d_moved = given
        none = ca.DM.zeros(n)
        before, _, total, *_ = ahead(ca.DM.zeros(RK4 * n), none, none, 0, state, *inputs)
        by_end = settled.adjoint()(state + h / 6 * total, d_moved)
        sums = [ca.DM.zeros(a.size) for a in by_others]
        start = before, h / 6 * by_end, by_end, RK4 - 1, *sums
        _, _, d_state, _, *found = back(*start, by_end, state, *inputs)
        d_command, *d_p = found[: len(by_others)]
        return [d_state, 0, d_command, 0, 0, *d_p]

    return adjoint


def _share_and_weight(j: Value) -> tuple[Value, Value]:
    """Share of a step at which RK4 evaluates the rates for the j-th time, and their weight."""
    inside = ca.logic_and(j > 0, j < RK4 - 1)
    share = ca.if_else(inside, 0.5, ca.if_else(j > 0, 1.0, 0.0))
    return share, ca.if_else(inside, 2.0, 1.0)


def _held_in_stages(plant: Plant) -> list[Argument]:
    state, index, *others = _inputs_of_a_step(plant)
    return [state, replace(index, name="step"), *others]


def _repeated(
    name: str, equation: Equation, states: list[Argument], held: list[Argument]
) -> Callable[..., Any]:
    """(*states, *held) -> the states after as many evaluations as RK4 has."""
    results = [*states, Argument("status")]
    return iterate(Function.from_equation(name, equation, [*states, *held], results), RK4)


def _joint_step(plant: Plant) -> Callable[..., Value]:
    """(rates, state, h) -> the state after a step of RK4 in y = (q, q̇, inner states).

    Forward kinematics begins at the pose where the step does. Refused where q does not determine
    the pose.
    """
    if plant.is_compliant or plant.varied or not plant.structure.determined:
        raise GoughError(
            f"{plant.robot.name}: RK4 in joint space needs rigid transmissions, as many actuators "
            "as degrees of freedom, and numbers that do not differ from run to run or within one; "
            "expected RK4 in the pose"
        )
    machine, n, control = plant.machine(()), plant.actuators, ca.DM([DOUBLE.tolerance, STRIDE])
    forward = path_equation(Machines(plant.robot), "newton", AT_MOST)

    def step(rates: Callable[[float, Value], Value], state: Value, h: float) -> Value:
        pose, twist = state[0:7], state[7:PLATFORM]

        def state_of(y: Value) -> Value:
            found = forward(y[0:n], pose, 0, control, 0, 0)[0]
            u = dynamics.direct_jacobian(machine, found) @ y[n : 2 * n]
            return ca.vertcat(found, kinematics.twist_basis(machine, found) @ u, y[2 * n :])

        def at(share: float, y: Value) -> Value:
            x = state_of(y)
            rate = rates(share, x)
            moving = x[0:7], x[7:PLATFORM], rate[7:PLATFORM]
            q_ddot = kinematics.joint_acceleration(machine, *moving)
            return ca.vertcat(y[n : 2 * n], q_ddot, rate[PLATFORM:])

        q = kinematics.inverse_kinematics(machine, pose)
        q_dot = kinematics.joint_velocity(machine, pose, twist)
        return state_of(rk4_step(at, ca.vertcat(q, q_dot, state[PLATFORM:]), h))

    return step


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
            found = slope(state, given(t, state), _row(outside(t)), *numbers, axes)
            return np.asarray(found.T)

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
