"""A controller tuned for a machine: its gains, the margins of its loop and its step responses.

Gains are placed by the poles of the linear machine, or optimised along a motion: on the nonlinear
closed loop, by the adjoint of the whole run.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_not_negative, require_positive, unknown
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Rows, Table, data_of
from gough.elastic.kernels import joint_damping_kernel
from gough.equations.actuators.drive import DriveLaw, reflected_damping, reflected_mass
from gough.equations.forces.passive_joints import without_dry_friction
from gough.errors import GoughError
from gough.kinematics.model import Model, model_of
from gough.kinematics.state_space import holding_force
from gough.model.actuators import drives_of
from gough.model.parameters import machine_of
from gough.robot import Robot, actuator_names
from gough.simulation.closed_loop import ClosedLoop, Runs
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.kinds import computed_torque, feed_forward, joint_pid, pd_gravity
from gough.simulation.controllers.sensors import ONE_KILOHERTZ, Sampling
from gough.simulation.events import first_ending
from gough.simulation.gradient import gradient
from gough.simulation.plants.actuators import Amplifiers
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.real import real_plant, rigid_plant
from gough.simulation.rollout import TrackingCost, run_with_derivatives
from gough.simulation.scenario import Run, Scenario
from gough.simulation.tuning.margins import Quality, StepResponse, quality, step_response

TUNABLE = ("joint-pid", "pd-gravity", "feed-forward", "computed-torque", "computed-torque-task")

TIME_CONSTANTS = 16  # of the slowest pole, in a step response: a rest of 2e-6 is left
MOST_SAMPLES = 100_000
FEWEST_SAMPLES = 20


@dataclass(frozen=True, eq=False)
class Tuned(Displayable):
    """A tuned controller at the home pose of its machine."""

    controller: Controller
    plant: Plant
    quality: Quality
    steps: StepResponse | None
    """Step responses until the loop is at rest; None if they were not computed."""
    obstacle: str
    """Reason why there are no step responses; empty if there are."""

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and its controller."""
        return self.plant.robot.name, f"{self.controller.name}, {self.controller.description}"

    @property
    def warnings(self) -> list[str]:
        """Reason why there are no step responses, if there are none."""
        return [f"no step responses: {self.obstacle}"] if self.steps is None else []

    def tables(self) -> list[Table]:
        """Gains, stability margins and step responses."""
        names, found = actuator_names(self.plant.robot), self.quality
        loop: Rows = [("sampled loop", "stable" if found.stable else "not stable", "")]
        loop.append(("maximum pole", f"{found.largest_pole:.4f}", ""))
        heads = ("gain", "unit", "minimum", "maximum", f"maximum between {names.word}s")
        tables = [
            Table.properties("", loop),
            Table.of("Gains", heads, gain_rows(self.controller, self.plant)),
        ]
        if found.stable:
            words = "gain up to; gain down to; phase [deg]; delay [ms]; bandwidth [Hz]"
            title = f"Margins, one {names.word}'s loop cut at a time"
            tables.append(Table.of(title, (names.word, *words.split("; ")), self._margin_rows()))
        return tables if self.steps is None else [*tables, *self.steps.tables()]

    def _margin_rows(self) -> Iterator[tuple[object, ...]]:
        names = actuator_names(self.plant.robot).short
        for name, leg in zip(names, self.quality.legs, strict=True):
            gains = leg.gain, leg.least_gain
            yield name, *gains, math.degrees(leg.phase), 1e3 * leg.delay, leg.bandwidth

    def to_dict(self) -> PlainData:
        """Return everything as plain data."""
        names = ("overshoot", "rise_time", "settling_time", "final")
        controller = self.controller.described(self.plant)
        return {
            "controller": controller.pop("kind"),
            **controller,
            "stable": self.quality.stable,
            "largest_pole": self.quality.largest_pole,
            "names": [actuator.name for actuator in self.plant.robot.actuators],
            "legs": [vars(leg) for leg in self.quality.legs],
            **{name: getattr(self.steps, name, None) for name in names},
            "warnings": self.warnings,
        }


def gain_rows(
    controller: Controller, plant: Plant
) -> Iterator[tuple[str, str, float, float, float]]:
    """Yield name, unit, minimum, maximum, and maximum between actuators, of each gain."""
    for gain in controller.gains:
        values = gain.array(plant.actuators, plant.dof)
        own = np.diag(values) if values.ndim == 2 else values
        across = np.abs(values - np.diag(own)).max() if values.ndim == 2 else 0.0
        ends = float(own.min()), float(own.max()), float(across)
        yield gain.name, gain.unit_on(plant.structure), *ends


def tune(
    robot: Robot | Model,
    kind: str,
    frequency: float,
    *,
    damping: float = 1.0,
    integral_rate: float = 0.0,
    sampling: Sampling = ONE_KILOHERTZ,
    drives: bool = False,
) -> Tuned:
    """Place the poles of a loop at a frequency [Hz] (see `place_poles`), and analyse the loop.

    The machine has damping and springs of its joints, as its file states them, and no dry friction.
    With `drives` it is on its motors, gears and screws, without their dry friction, too.
    """
    controller = place_poles(
        robot, kind, frequency, damping=damping, integral_rate=integral_rate, drives=drives
    )
    loop = smooth_loop(model_of(robot).robot, controller, sampling, drives=drives)
    found = quality(loop)
    if not found.stable:
        return Tuned(controller, loop.plant, found, None, "the loop is not stable")
    duration = float(max(TIME_CONSTANTS / found.slowest_decay, FEWEST_SAMPLES * found.period))
    if duration <= MOST_SAMPLES * found.period:
        return Tuned(controller, loop.plant, found, step_response(loop, duration=duration), "")
    took = f"the slowest pole dies away in {duration:.4g} s, more than {MOST_SAMPLES:,} samples"
    return Tuned(controller, loop.plant, found, None, took)


def smooth_loop(
    robot: Robot,
    controller: Controller,
    sampling: Sampling,
    *,
    drives: bool = False,
    joint_friction: bool = True,
) -> ClosedLoop:
    """Return a controller on its machine, with `drives` on those, without all dry friction."""
    viscous = without_dry_friction(machine_of(robot)).frictions if joint_friction else ()
    if not (drives or viscous):
        return ClosedLoop(rigid_plant(robot), controller, robot, sampling)
    plant = real_plant(robot, drives=False, joint_friction=False, stops=False)
    plant = replace(plant, frictions=tuple(law for law in viscous if not law.of_transmission))
    if drives:
        amplifiers, none = Amplifiers.of(robot), ca.DM(0)
        dry = {"rotor_friction": none, "screw_friction": none, "torque_offset": none}
        laws = tuple(replace(law, **dry, efficiency=None) for law in amplifiers.drives)
        plant = replace(plant, actuation=replace(amplifiers, drives=laws))
    return ClosedLoop(plant, controller, robot, sampling)


def place_poles(
    robot: Robot | Model,
    kind: str,
    frequency: float,
    *,
    damping: float = 1.0,
    integral_rate: float = 0.0,
    pose: ArrayLike | None = None,
    drives: bool = False,
    joint_friction: bool = True,
) -> Controller:
    """Return a controller with which all degrees of freedom near a pose have the same poles.

    They are those of s² + 2 ζ ω s + ω², with ω = 2π `frequency` [Hz] and ζ = `damping`. A joint-pid
    has one more at -`integral_rate` [1/s]; where that is zero it has no integral part. Exact for
    continuous control of the linearised machine: sampling and delay move them, see `margins`. Gains
    of the actuators are matrices, because the machine couples them. The pose is the home pose
    unless stated. The machine must have as many actuators as degrees of freedom.

    Springs of the joints count as far as the robot file states them, and with `joint_friction`
    their damping, too; springs and dampers between bodies always count. Computed torque does not
    know damping: it adds to that of the poles.

    With `drives` the poles are those of the machine on its drives, commanded by forces
    (`force_commanded`): the drives' inertia and viscous friction count, and feed-forward and
    computed torque include them. Dry friction and the drives' efficiency are left out: they have no
    derivative to place poles with.
    """
    model = model_of(robot)
    model.own_robot("tuning", of_forces=True)
    if kind not in TUNABLE:
        raise GoughError(f"cannot tune {kind!r}; expected one of {', '.join(TUNABLE)}")
    w = 2 * math.pi * require_positive("frequency", frequency)
    z = require_positive("damping", damping)
    p = require_not_negative("integral rate", integral_rate)
    _check_machine(model)
    known = drives_of(model.robot) if drives else None
    if kind.startswith("computed-torque"):
        space = "task" if kind.endswith("task") else "joint"
        return computed_torque(w * w, 2 * z * w, space=space, drives=drives)
    at = np.array(model.robot.home if pose is None else pose, dtype=float)
    # (s + p)(s² + 2 ζ ω s + ω²) = s³ + a_2 s² + a_1 s + a_0
    p = p if kind == "joint-pid" else 0.0
    a_2, a_1, a_0 = 2 * z * w + p, w * w + 2 * z * w * p, w * w * p
    by_pose, by_twist, by_force, J = _linear_machine(model, at, known, joint_friction)
    if kind == "pd-gravity":
        by_pose = np.zeros_like(by_pose)  # the law takes the weights off wherever the platform is
    with np.errstate(all="ignore"):
        kp, kd, ki = (
            np.linalg.solve(by_force, a * np.eye(len(J)) + by) @ np.linalg.inv(J)
            for a, by in ((a_1, by_pose), (a_2, by_twist), (a_0, 0.0))
        )
    if not np.isfinite([kp, kd, ki]).all():
        raise GoughError(
            f"{model.robot.name}: gains for poles of {frequency:g} Hz are beyond all numbers; "
            "expected a lower frequency, damping or gravity"
        )
    if kind == "joint-pid":
        return joint_pid(kp, kd, ki)
    return pd_gravity(kp, kd) if kind == "pd-gravity" else feed_forward(kp, kd, drives=drives)


def _check_machine(model: Model) -> None:
    """Refuse a machine whose poles do not determine its gains, or without inertia somewhere."""
    name, structure = model.robot.name, model.structure
    if not structure.determined:
        raise GoughError(
            f"{name}: {structure.actuators} actuators share {structure.dof} degrees of freedom, so "
            "poles do not determine gains; expected as many actuators as degrees of freedom, or "
            "gains of your own"
        )
    M = model.mass_matrix(np.array(model.robot.home))
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    if not scale.all() or np.linalg.cond(M / np.outer(scale, scale)) > 1e12:
        raise GoughError(
            f"{name}: no inertia against some motion of the platform; expected a robot with masses "
            "and inertias (platform.mass, platform.inertia)"
        )


def _linear_machine(
    model: Model, pose: Array, drives: Sequence[DriveLaw] | None, joint_friction: bool
) -> tuple[Array, Array, Array, Array]:
    """Return derivatives of u̇ by displacement, u and force, at rest; and J of q̇ = J u."""
    none = np.zeros(6)
    A, B = model.linearize(pose, none, holding_force(model, pose, none, none), none)
    n, J = len(A) // 2, model.jacobian(pose) @ model.twist_basis(pose)
    by_pose, by_force = A[n:, :n], B[n:]
    by_twist, M = A[n:, n:], model.mass_matrix(pose)
    if not joint_friction:  # dampers between bodies are left; at rest all of it is damping
        has_dampers, T = model.structure.sprung_bodies, model.twist_basis(pose)
        D = joint_damping_kernel(model.machines, False)(pose) if has_dampers else np.zeros((6, 6))
        by_twist = np.asarray(-np.linalg.solve(M, T.T @ D @ T))
    if drives is None:
        return by_pose, by_twist, by_force, J
    m_r, b = (np.diag([float(of(d)) for d in drives]) for of in (reflected_mass, reflected_damping))
    # bodies: M u̇ = r(pose, u, force); with drives: (M + Jᵀ m_r J) u̇ = r - Jᵀ b J u
    M_t = M + J.T @ m_r @ J
    shared = np.linalg.solve(M_t, M)
    damped = np.linalg.solve(M_t, J.T @ b @ J)
    return shared @ by_pose, shared @ by_twist - damped, shared @ by_force, J


FARTHEST = float(np.log(1e3))  # maximum change of a gain, as the logarithm of its factor
STATIONARY = 1e-7  # relative change of the cost by the logarithm of a factor: the search ends
_DIVERGED = 1e3  # logarithm of the cost of a run that diverges, over that of the first
STEPS = 60


@dataclass(frozen=True, eq=False)
class OptimisedGains(Displayable):
    """A controller whose gains make a cost along a motion stationary."""

    result_kind = "gains optimised along the motion"
    controller: Controller
    run: Run
    factors: dict[str, float]
    """Factor of each gain that was free."""
    cost: float
    """Root of the cost along the motion, see `TrackingCost` [m]."""
    first_cost: float
    """That with the gains of the scenario [m]."""
    slope: float
    """Maximum relative change of the cost by that of a gain that is free: zero at an optimum."""
    runs: int
    """Number of runs, each forwards and backwards."""
    warnings: tuple[str, ...]

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and its controller."""
        return self.run.own_robot.name, f"{self.controller.name}, {self.result_kind}"

    def tables(self) -> list[Table]:
        """The cost before and after, and the gains."""
        rows = [("cost, rms", 1e3 * self.first_cost, 1e3 * self.cost, "mm")]
        heads = ("along the motion", "as given", "optimised", "unit")
        listed = [
            (name, self.factors.get(name, 1.0), *row)
            for name, *row in gain_rows(self.controller, self.run.plant)
        ]
        between = f"maximum between {actuator_names(self.run.own_robot).word}s"
        columns = ("gain", "factor", "unit", "minimum", "maximum", between)
        return [Table.of("", heads, rows), Table.of("Gains", columns, listed)]

    def to_dict(self) -> PlainData:
        """Return everything as plain data."""
        described = self.controller.described(self.run.plant)
        found = data_of(self, "factors cost first_cost slope runs warnings")
        return {"controller": described.pop("kind"), **described, **found}


def optimise_gains(
    scenario: Scenario,
    *,
    gains: Sequence[str] | str | None = None,
    arm: float | None = None,
    smoothness: float = 0.0,
) -> OptimisedGains:
    """Optimise the gains of a scenario's controller for its whole run, from those that it has.

    Each of the named `gains`, by default all that are not zero, has a factor; how a gain couples
    actuators stays. The cost is the mean square of the position error and of the rotation error
    times `arm` [m], by default half the machine's size, plus that of the change of the command from
    sample to sample times `smoothness` [m/N, m/(N m), m/V]. Limits of the command, delay, sensors
    with their noise, drives and friction count, as they are in the run. Derivatives are exact
    (`gradient`). The optimum is a local one.
    """
    from scipy.optimize import minimize  # noqa: PLC0415  (slow to import)

    run, loop = run_with_derivatives(scenario)
    places = _places(loop, [gains] if isinstance(gains, str) else gains)
    cost = TrackingCost.of(run, arm, smoothness)
    start, count = loop.start(*run.initial), 0

    def numbers(logs: Array) -> Array:
        factors = np.ones(len(loop.gain_values))
        for where, log in zip(places.values(), logs, strict=True):
            factors[where] = np.exp(log)
        return np.asarray(factors * loop.gain_values)

    def forwards(own: Array) -> Runs:
        return loop.run(start, run.reference, gains=own, side_by_side=False, **run.signals)

    def of_factors(logs: Array) -> tuple[float, Array]:
        """Logarithm of the cost over the first one, and its derivatives."""
        nonlocal count
        count, own = count + 1, numbers(logs)
        value = cost.values(forwards(own))[0]
        if not np.isfinite(value):
            return _DIVERGED, np.zeros(len(logs))
        found = gradient(loop, start, run.reference, cost.slopes, gains=own, **run.signals)
        slopes = found.gains[0] * own
        each = [slopes[where].sum() / value for where in places.values()]
        return float(np.log(value / first)), np.array(each)

    given = forwards(loop.gain_values)
    first = cost.values(given)[0]
    if ended := _ending(run, given):
        raise GoughError(f"{run.name}: {ended}; expected gains to begin with that complete the run")
    if not first > 0:
        raise GoughError(f"{run.name}: the cost is 0 with the gains as they are; nothing to reduce")
    ends = [(-FARTHEST, FARTHEST)] * len(places)
    options = {"maxiter": STEPS, "gtol": STATIONARY, "ftol": 0.0}
    how = {"jac": True, "method": "L-BFGS-B", "bounds": ends, "options": options}
    best = minimize(of_factors, np.zeros(len(places)), **how)
    factors = dict(zip(places, np.exp(best.x).tolist(), strict=True))
    own = loop.controller.gains
    found = tuple(replace(g, values=g.values * factors.get(g.name, 1.0)) for g in own)
    at_end = [name for name, log in zip(places, best.x, strict=True) if abs(log) >= FARTHEST]
    slope = float(np.abs(best.x - np.clip(best.x - best.jac, -FARTHEST, FARTHEST)).max())
    warnings = [f"{name} is at the end of its range, factor {factors[name]:g}" for name in at_end]
    if slope > 1e3 * STATIONARY:
        warnings.append(f"no optimum is found: the cost still changes by {slope:.2g} of itself")
    if ended := _ending(run, forwards(numbers(best.x))):
        warnings.append(f"with the optimised gains {ended}")
    values = (float(np.sqrt(first * np.exp(best.fun))), float(np.sqrt(first)), slope, count)
    controller = replace(loop.controller, gains=found)
    return OptimisedGains(controller, run, factors, *values, tuple(warnings))


def _places(loop: ClosedLoop, gains: Sequence[str] | None) -> dict[str, slice]:
    """Places of the gains that are free in the row of all, by name."""
    arrays = loop.controller.gain_arrays(loop.plant.actuators, loop.plant.dof)
    ends = np.cumsum([0, *(values.size for values in arrays.values())]).tolist()
    places = dict(zip(arrays, map(slice, ends, ends[1:]), strict=True))
    free = [name for name, values in arrays.items() if values.any()]
    for name in gains if gains is not None else ():
        if name not in places:
            raise unknown(f"{loop.controller.name} has no gain {name!r}", name, places)
        if name not in free:
            raise GoughError(f"gain {name} is 0, which no factor changes; expected another value")
    chosen = {name: places[name] for name in (free if gains is None else gains)}
    if not chosen:
        raise GoughError(f"{loop.controller.name}: no gain is free; expected one that is not 0")
    return chosen


def _ending(run: Run, runs: Runs) -> str:
    """Return why a run ended early; empty if it did not."""
    states = runs.memory[:, 0, : run.plant.state.size]
    crosses = isinstance(run.controller, Controller) and run.controller.crosses
    found = first_ending(run.plant, run.time, states, runs.command[:, 0], crosses=crosses)
    return found.text if found else ""
