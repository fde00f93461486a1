"""Events that end a run: divergence, a singular configuration, or a limit.

An event is where a margin becomes negative. Integrators that adapt look for it between their steps;
in all other runs, alone or many side by side, `first_endings` checks the samples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, on_host
from gough.compiler import Argument, Kernel, compiled
from gough.display.brief import Brief
from gough.equations.legs.closure import leg_position
from gough.equations.legs.extensible import platform_reach
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.solvers.linear import factorise
from gough.equations.spatial.algebra import Value
from gough.kinematics.singularity.singularity import condition_number, determinant
from gough.kinematics.size import default_length, machine_size, size_in
from gough.model import Kernels, Machines
from gough.model.machines import home_kernel
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.transmission import touched

Margin = Callable[[Any, Array, Array], Any]
Condition = Callable[[Machine, Value, Value, Value], Value]

FAR = 10.0  # distance of the platform from home, in machine sizes, at which a run has diverged
NEARLY_SINGULAR = 1e3  # condition number of J above which a failed run is reported as singular
GREW = "its numbers grew beyond all bounds"
HUGE = 1e4  # maximum magnitude of a state (in m, rad, s) before it counts as diverged
UNREACHED = "no joints were found for the pose of the platform"
LOST = "the run was lost at t = {t:.6g} s: {why}"
STUCK = 1e-3
"""Fraction of their sizes at home at which pivots of joints end a run whose steps adapt: steps
would become ever smaller beside a change point."""
NEAR = 1e-6  # share of its range, or of its value at the start, at which a quantity is near its end
LEAP = 0.1  # maximum motion of a joint in addition to three times its rate times the step [rad, m]


@dataclass(frozen=True, eq=False, repr=False)
class Event(Brief):
    """An event: its margin falls below zero.

    `margin` is a function of time, state (..., n) and command (..., m); it returns one number for a
    state, or one for each actuator. An event that is `terminal` ends a run.
    """

    name: str
    margin: Margin
    terminal: bool = True
    text: str = ""
    """Message of an ending, with places for the time t [s], the component, and the reason."""
    names: tuple[str, ...] = ()
    """Names of the components whose margins they are, if there are several."""


@dataclass(frozen=True)
class Ending:
    """Reason why a run stopped, its time [s], and the number of samples before it."""

    kind: str  # one of "diverged", "singular", "change point", "out of reach" and "end stop"
    time: float
    samples: int
    text: str


def end_stop(plant: Plant, numbers: Array | None = None) -> Event:
    """An actuator reaches an end of its travel."""
    own = plant.numbers if numbers is None else numbers
    driven, text = plant.structure.driven, "{who} at t = {t:.6g} s"
    names = tuple(f"{joint.name} hit the end of its {joint.travel}" for joint in driven)
    margin = partial(travel_margin, plant, own)
    return Event("end stop", lambda t, x, _: margin(x), text=text, names=names)


def singularity(
    plant: Plant, numbers: Array | None = None, *, seen_from: Array | None = None
) -> Event:
    """The platform crosses a singular configuration, away from a state; by default from home."""
    own = plant.numbers if numbers is None else numbers
    kernel = determinant(plant.machines)
    beginning = np.array(plant.robot.home) if seen_from is None else seen_from
    side = np.sign(kernel(own, _poses(beginning)))
    text = "a singular configuration was crossed at t = {t:.6g} s: the actuators lost control there"
    return Event("singular", lambda t, state, _: side * kernel(own, _poses(state)), text=text)


def command_limit(plant: Plant) -> Event:
    """Return the event of a command that reaches its actuator's maximum."""
    limit = np.array(plant.limit)
    return Event("limit", lambda t, state, command: limit - np.abs(command), terminal=False)


def first_endings(
    plant: Plant, time: Array, states: Array, commands: Array, *, crosses: bool = False
) -> dict[int, Ending]:
    """Return the first event along each run, (samples, runs, n), that ends its validity, by run.

    States and commands may be on a GPU.
    """
    runs, times = states.shape[1], np.asarray(time, like=states)
    own = plant.numbers if varied_in_kinematics(plant) else plant.machines.values
    numbers = np.asarray(own, like=states)
    found = dict[int, Ending]()
    for event in _endings(plant, numbers, states[0], crosses):
        margins = np.reshape(event.margin(times, states, commands), (len(time), runs, -1))
        used_up: Any = (margins < 0).any(axis=-1)
        for run in np.flatnonzero(on_host(used_up.any(axis=0))).tolist():
            k, earlier = int(used_up[:, run].argmax()), found.get(run)
            if earlier is None or k < earlier.samples:
                kind, why = event.name, ""
                if event.text == LOST:
                    joints = _Joints(plant, own if own.ndim == 1 else own[run])
                    last = on_host(states[max(k - 1, 0) : k + 1, run])
                    kind, why = joints.why_lost(last, command_lost=kind == "no command")
                who = event.names[int(margins[k, run].argmin())] if event.names else ""
                text = event.text.format(t=time[k], who=who, why=why)
                found[run] = Ending(kind, float(time[k]), k, text)
    return found


def surely_goes_on(plant: Plant, start: Array, *, crosses: bool) -> Condition | None:
    """Return an equation of (machine, state, next state, command): 1 where no event ends a run.

    Near an event it may be 0 as well. `start` is the first state of all runs. None where events are
    no equations of the platform alone: of machines other than hexapods, or of varied lengths.
    """
    legs = plant.structure.extensible and not plant.transmission.has_all_joints
    if not legs or plant.has_end_stops or varied_in_kinematics(plant):
        return None
    robot, numbers = plant.robot, plant.machines.values
    low, high = plant.travel(numbers)
    at_start = float(determinant(plant.machines)(numbers, _poses(start)))

    def equation(machine: Machine, state: Value, following: Value, command: Value) -> Value:
        pose, moved, hexapod = state[0:7], following[0:7] - state[0:7], machine.hexapod
        q = kinematics.inverse_kinematics(machine, pose)
        turned = 2 * platform_reach(hexapod) * moved[3:7]
        way2 = 2 * (ca.sumsqr(moved[0:3]) + ca.sumsqr(turned))  # no joint's is longer, squared
        far, size = ca.sumsqr(pose[0:3] - ca.DM(robot.home[:3])), FAR * machine_size(robot)
        good = [
            ca.sumsqr(ca.vertcat(state, following, command)) < HUGE**4,
            far < (1 - NEAR) * size**2,
            *(q[k] > low[k] * (1 + NEAR) for k in range(plant.actuators)),
            *(q[k] < high[k] * (1 - NEAR) for k in range(plant.actuators)),
        ]
        if not crosses:
            J = kinematics.actuation_matrix(machine, pose)
            good.append(factorise(J).determinant / at_start > NEAR)
        for leg in hexapod.legs:
            if leg.base_joint.first_axis is not None:  # γ cannot leap: s moves less than its sine
                at = leg_position(leg, pose)
                good.append(leg.base_joint.alignment(at.s) + 4 * way2 * at.inverse_l**2 < 1 - NEAR)
        all_good: Value = reduce(ca.logic_and, good)
        return all_good

    return equation


def varied_in_kinematics(plant: Plant) -> bool:
    """Whether positions of joints or ends of travel depend on numbers that the plant varies."""
    if not plant.varied:
        return False
    numbers, home = plant.machines.values.copy(), np.array(plant.robot.home)
    numbers[plant.varied_places] = np.nan
    kernels = plant.kernels
    known = [
        kernels.inverse_kinematics(numbers, home),
        kernels.all_joints(numbers, home).position,
        *plant.travel(numbers),
    ]
    return any(np.isnan(values).any() for values in known)


def first_ending(
    plant: Plant, time: Array, states: Array, commands: Array, *, crosses: bool = False
) -> Ending | None:
    """Return the first such event of one run, (samples, n)."""
    return first_endings(plant, time, states[:, None], commands[:, None], crosses=crosses).get(0)


def travel_margin(plant: Plant, numbers: Array, states: Array) -> Array:
    """Return (..., n) the distance of actuators to the ends of travel [m, rad]; negative beyond."""
    low, high = plant.travel(numbers)
    q = plant.positions(numbers, states)
    margin: Array = np.minimum(q - low, high - q)
    return margin


def _endings(plant: Plant, numbers: Array, start: Array, crosses: bool) -> list[Event]:
    """Return all events after which a run from a state is meaningless; it may cross on purpose."""
    diverged = "the run diverged at t = {t:.6g} s: the platform left the machine"
    events = [
        Event("lost", lambda t, state, command: _finite(state), text=LOST),
        Event("no command", lambda t, state, command: _finite(command), text=LOST),
        Event("diverged", lambda t, state, _: _distance_left(plant, numbers, state), text=diverged),
    ]
    if not plant.transmission.has_all_joints:  # those go on in such configurations
        events += [] if crosses else [singularity(plant, numbers, seen_from=start)]
        events += _Joints(plant, numbers).events(start)
    return events if plant.has_end_stops else [*events, end_stop(plant, numbers)]


def _distance_left(plant: Plant, numbers: Array, states: Array) -> Any:
    """Return the distance of the platform to its divergence limit [m]."""
    home, size = home_kernel(plant.machines)(numbers)[..., :3], np.array(machine_size(plant.robot))
    if plant.structure.extensible and numbers.ndim > 1:  # of runs with different legs
        size = _machine_size(plant.machines)(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.linalg.norm(states[..., :3] - np.asarray(home, like=states), axis=-1)
        return FAR * np.asarray(size, like=states) - away


@compiled
def _machine_size(machines: Machines) -> Kernel:
    """The kernel of the size of a hexapod."""
    return machines.kernel("machine_size", partial(size_in, machines), [], [Argument("size")])


def stuck_joints(plant: Plant) -> list[Event]:
    """Joints that cannot follow the platform: for integrators that adapt their steps."""
    own, home = plant.numbers, np.array(plant.robot.home)
    if plant.transmission.has_all_joints:
        return []

    def margin(pivots: Kernel, t: ArrayLike, state: Array, command: Array) -> Array:
        return np.asarray(np.abs(pivots(own, _poses(state)) / pivots(own, home)) - STUCK)

    pivots = _Joints(plant, own).pivots
    return [Event("singular", partial(margin, kernel)) for kernel, *_ in pivots]


_ALONG_AXIS = (
    "{who} passed the first axis of its universal joint at t = {t:.6g} s: the joint cannot follow "
    "it there"
)
_CHANGE_POINT = (
    "{who} came to a change point at t = {t:.6g} s: from there the joints can go on in two ways"
)
_OTHER_BRANCH = (
    "the machine left the branch of its home at t = {t:.6g} s: it passed a change point, or its "
    "loops opened"
)
_LEAPT = "{who} leapt at t = {t:.6g} s, against its rate: the joints took another branch"
_PIVOTS = (
    (
        *("serial_pivots", "motor_legs"),
        "the leg of {who} was stretched out or folded at t = {t:.6g} s: it cannot be assembled "
        "beyond that",
        "the leg of {} is nearly stretched out or folded",
    ),
    (
        *("passive_pivots", "passive_groups"),
        "{who} could not follow the platform at t = {t:.6g} s: the joints are singular there",
        "{} can hardly follow the platform, next to a change point or a singular configuration",
    ),
)
"""Kernel of pivots and groups of joints; messages where a pivot is zero, and nearly zero."""


@dataclass(frozen=True, eq=False)
class _Joints:
    """The joints of a plant with some numbers: where the platform's motion cannot go on."""

    plant: Plant
    numbers: Array

    @property
    def kernels(self) -> Kernels:
        return self.plant.kernels

    @cached_property
    def pivots(self) -> list[tuple[Kernel, tuple[str, ...], str, str]]:
        """The rows of _PIVOTS that a mechanism has, with its kernels and groups."""
        structure = self.plant.structure
        return [
            (getattr(self.kernels, kernel), getattr(structure, groups), crossed, nearly)
            for kernel, groups, crossed, nearly in _PIVOTS
            if not structure.extensible and getattr(structure, groups)
        ]

    def events(self, start: Array) -> list[Event]:
        """Return the events of single joints, of runs from a state."""
        structure = self.plant.structure
        if structure.extensible:
            names = tuple(f"leg {k + 1}" for k in range(len(structure.legs)))
            return [Event("singular", self._universal_margin, text=_ALONG_AXIS, names=names)]
        found = list[Event]()
        for kernel, groups, text, _ in self.pivots:
            side = np.sign(kernel(self.numbers, _poses(start)))
            margin = partial(self._side_margin, kernel, side)
            found.append(Event("singular", margin, text=text, names=groups))
            margin = partial(self._not_touched, kernel)
            found.append(Event("change point", margin, text=_CHANGE_POINT, names=groups))
        if self.plant.is_compliant:  # a platform on links that bend is where rigid ones cannot be
            return found
        found.append(Event("change point", self._on_branch, text=_OTHER_BRANCH))
        from gough.model.mechanism.kept import findings  # noqa: PLC0415  (hexapods need none)

        if findings(self.plant.robot).iterates:
            names = structure.joints
            found.append(Event("change point", self._without_leaps, text=_LEAPT, names=names))
        return found

    def _side_margin(self, pivots: Kernel, side: Array, t: Array, states: Array, _: Array) -> Array:
        return side * pivots(self.numbers, _poses(states))

    def _not_touched(self, pivots: Kernel, t: Array, states: Array, _: Array) -> Array:
        """Below zero where a pivot came to zero between samples, and went back as it had come.

        A root that keeps its sign does so where the joints continue in another branch.
        """
        return _sign(~touched(np.abs(pivots(self.numbers, _poses(states)))))

    def _on_branch(self, t: Array, states: Array, command: Array) -> Array:
        """Below zero where kernels have no number for a pose."""
        found = self.kernels.inverse_kinematics(self.numbers, _poses(states))
        unknown = ~np.isfinite(states).all(axis=-1)
        return _sign(np.isfinite(found).all(axis=-1) | unknown)

    def _without_leaps(self, t: Array, states: Array, command: Array) -> Array:
        """(samples, ..., joints): below zero where a joint is not where its rate has brought it."""
        twists = states[..., 7:13]
        q, rate, _ = self.kernels.all_joints(self.numbers, _poses(states), twists, np.zeros(6))
        step = np.reshape(np.diff(t), (-1, *[1] * (q.ndim - 1)))
        good = np.ones_like(q, dtype=bool)
        with np.errstate(invalid="ignore"):
            moved = np.abs(np.angle(np.exp(1j * np.diff(q, axis=0))))
            fastest = np.fmax(np.abs(rate[1:]), np.abs(rate[:-1]))
            good[1:] = ~(moved > LEAP + 3 * step * fastest)
        return _sign(good)

    def _universal_margin(self, t: Array, states: Array, command: Array) -> Array:
        """(samples, ..., legs): below zero where a leg is along its universal joint's first axis.

        Or where it is past it since the sample before: γ leaps by over π/2.
        """
        at = self.numbers, _poses(states)
        gamma = self.kernels.all_joints(*at).position[..., ::3]
        legs = [leg.joints[0] == "U" for leg in self.plant.structure.legs]
        universal = np.array(legs, like=states)
        with np.errstate(invalid="ignore"):
            leaps = universal & (np.cos(np.diff(gamma, axis=0, prepend=gamma[:1])) < 0)
        return _sign(~(leaps | (self.kernels.singular_legs(*at) == 1)))

    def why_lost(self, last: Array, *, command_lost: bool) -> tuple[str, str]:
        """Return the kind of ending and its reason, from the last states (at most 2, n)."""
        before = last[max(len(last) - 2, 0)]
        if self.plant.transmission.has_all_joints:
            return "diverged", "the controller gave no number" if command_lost else GREW
        if command_lost and np.isfinite(self.plant.positions(self.numbers, last[-1])).all():
            return self._ill(last[-1]) or ("diverged", "the controller gave no number")
        if command_lost:
            return self._ill(before) or ("out of reach", UNREACHED)
        if not np.isfinite(self.plant.positions(self.numbers, before)).all():
            return "diverged", GREW
        if ill := self._ill(before):
            return ill
        grown = self.plant.robot.has_extensible_legs or np.abs(before).max() > HUGE
        return ("diverged", GREW) if grown else ("out of reach", UNREACHED)

    def _ill(self, state: Array) -> tuple[str, str] | None:
        """Return the kind of ending and its reason where a state is singular or nearly so."""
        pose, robot = _poses(state), self.plant.robot
        if stuck := self._stuck(pose):
            return "singular", stuck
        kernel = condition_number(self.plant.machines)
        condition = float(kernel(self.numbers, pose, np.array(default_length(robot))))
        if condition < NEARLY_SINGULAR:
            return None
        words = "next to a singular configuration, condition number of J"
        return "singular", f"{words} {condition:.3g}"

    def _stuck(self, pose: Array) -> str:
        """Return words for a joint that is nearly singular at a pose; empty if none is."""
        nearly = 1 / np.sqrt(NEARLY_SINGULAR)
        if self.plant.structure.extensible:
            along = np.flatnonzero(self.kernels.universal_joint_sines(self.numbers, pose) < nearly)
            words = "leg {} lies along the first axis of its universal joint"
            return words.format(along[0] + 1) if len(along) else ""
        for kernel, groups, _, words in self.pivots:
            sizes = np.abs(kernel(self.numbers, pose))
            if (sizes < nearly).any():
                return words.format(groups[int(np.argmin(sizes))])
        return ""


def _poses(states: Array) -> Array:
    return states[..., :7]


def _finite(values: Array) -> Array:
    """Return a margin of rows: below zero where one has a number that is not finite."""
    return _sign(np.isfinite(values).all(axis=-1))


def _sign(good: Any) -> Array:
    """Return a margin of a condition: positive where it holds."""
    return np.where(good, 1.0, -1.0)
