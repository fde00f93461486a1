"""Events that end a run: divergence, a singular configuration, or a limit.

An event is where a margin becomes negative. Integrators that adapt look for it between their steps;
in all other runs, alone or many side by side, `first_endings` checks the samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.native.kernel import Kernel
from gough.display.brief import brief
from gough.kinematics.singularity.singularity import condition_number, determinant
from gough.kinematics.size import default_length, machine_size
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.mechanism import analysed
from gough.simulation.plants.plant import Plant

Margin = Callable[[Any, Array, Array], Any]

FAR = 10.0
"""Distance of the platform from its home, in machine sizes, at which the run has diverged."""
NEARLY_SINGULAR = 1e3
"""Condition number of J above which a failed run is reported as singular."""
GREW = "its numbers grew beyond all bounds"
HUGE = 1e4
"""Maximum magnitude of a state (in m, rad, s) before it counts as diverged."""
UNREACHED = "no joints were found for the pose of the platform"
LOST = "the run was lost at t = {t:.6g} s: {why}"
STUCK = 1e-3
"""Fraction of their sizes at home at which pivots of joints end a run whose steps adapt: steps
would become ever smaller beside a change point."""
LEAP = 0.1
"""Maximum motion of a joint in addition to three times its rate times the step [rad, m]."""


@dataclass(frozen=True, eq=False)
class Event:
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

    __repr__ = brief


@dataclass(frozen=True)
class Ending:
    """Reason why a run stopped, its time [s], and the number of samples before it."""

    kind: str
    """One of "diverged", "singular", "change point", "out of reach" and "end stop"."""
    time: float
    samples: int
    text: str


def end_stop(plant: Plant, numbers: Array | None = None) -> Event:
    """An actuator reaches an end of its travel."""
    own = plant.numbers if numbers is None else numbers
    driven, text = plant.structure.driven, "{who} at t = {t:.6g} s"
    names = tuple(f"{joint.name} hit the end of its {joint.travel}" for joint in driven)
    return Event(
        "end stop", lambda t, states, _: travel_margin(plant, own, states), text=text, names=names
    )


def singularity(
    plant: Plant, numbers: Array | None = None, *, seen_from: Array | None = None
) -> Event:
    """The platform crosses a singular configuration, away from a state; by default from home."""
    own = plant.numbers if numbers is None else numbers
    kernel = determinant(Machines(plant.robot, parametric=True))
    beginning = np.array(plant.robot.home) if seen_from is None else seen_from
    side = np.sign(kernel(own, _poses(beginning)))
    text = "a singular configuration was crossed at t = {t:.6g} s: the actuators lost control there"
    return Event("singular", lambda t, state, _: side * kernel(own, _poses(state)), text=text)


def command_limit(plant: Plant, *, terminal: bool = False) -> Event:
    """Return the event of a command that reaches its actuator's maximum."""
    limit = np.array(plant.limit)
    return Event("limit", lambda t, state, command: limit - np.abs(command), terminal)


def speed_limit(plant: Plant, *, terminal: bool = False) -> Event:
    """Return the event of an actuator that reaches its maximum speed."""
    kernel = _kernels(plant).joint_velocity
    limit = np.array([a.max_speed or np.inf for a in plant.robot.actuators])

    def margin(t: ArrayLike, state: Array, command: Array) -> Any:
        twist = np.ascontiguousarray(state[..., 7:13])
        return limit - np.abs(kernel(plant.numbers, _poses(state), twist))

    return Event("speed", margin, terminal)


def endings_of(plant: Plant, numbers: Array, start: Array, *, crosses: bool = False) -> list[Event]:
    """Return all events after which the numbers of a run from a state are meaningless.

    A run that `crosses` on purpose is not ended by a parallel singularity.
    """
    diverged = "the run diverged at t = {t:.6g} s: the platform left the machine"
    events = [
        Event("lost", lambda t, state, command: _finite(state), text=LOST),
        Event("no command", lambda t, state, command: _finite(command), text=LOST),
        Event("diverged", lambda t, state, _: _distance_left(plant, state), text=diverged),
        *([] if crosses else [singularity(plant, numbers, seen_from=start)]),
        *_of_joints(plant, numbers, start),
    ]
    return events if plant.has_end_stops else [*events, end_stop(plant, numbers)]


def first_endings(
    plant: Plant, time: Array, states: Array, commands: Array, *, crosses: bool = False
) -> list[Ending | None]:
    """Return the first event along each run, (samples, runs, n), that ends its validity."""
    runs = states.shape[1]
    numbers = np.broadcast_to(plant.numbers, (runs, plant.numbers.shape[-1]))
    found: list[Ending | None] = [None] * runs
    for event in endings_of(plant, numbers, states[0], crosses=crosses):
        margins = np.reshape(event.margin(time, states, commands), (len(time), runs, -1))
        used_up = np.asarray((margins < 0).any(axis=-1))
        for run in np.flatnonzero(used_up.any(axis=0)):
            k, earlier = int(np.argmax(used_up[:, run])), found[run]
            if earlier is None or k < earlier.samples:
                kind, why = event.name, ""
                if kind in _REASONS:
                    last = states[max(k - 1, 0) : k + 1, run]
                    kind, why = _REASONS[kind](plant, numbers[run], last)
                worst = int(np.argmin(margins[k, run]))
                who = event.names[worst] if event.names else ""
                text = event.text.format(t=time[k], who=who, why=why)
                found[run] = Ending(kind, float(time[k]), k, text)
    return found


def first_ending(
    plant: Plant, time: Array, states: Array, commands: Array, *, crosses: bool = False
) -> Ending | None:
    """Return the first such event of one run, (samples, n)."""
    return first_endings(plant, time, states[:, None], commands[:, None], crosses=crosses)[0]


def travel_margin(plant: Plant, numbers: Array, states: Array) -> Array:
    """Return (..., n) the distance of actuators to the ends of travel [m, rad]; negative beyond."""
    low, high = plant.travel(numbers)
    q = plant.positions(numbers, states)
    return np.asarray(np.minimum(q - low, high - q))


def _distance_left(plant: Plant, states: Array) -> Any:
    """Return the distance of the platform to its divergence limit [m]."""
    home = np.array(plant.robot.home[:3])
    with np.errstate(over="ignore", invalid="ignore"):
        return FAR * machine_size(plant.robot) - np.linalg.norm(states[..., :3] - home, axis=-1)


def _of_joints(plant: Plant, numbers: Array, start: Array) -> list[Event]:
    """Return the events of single joints beyond which the platform's motion cannot go."""
    structure, kernels = plant.structure, _kernels(plant)
    if structure.extensible:
        names = tuple(f"leg {k + 1}" for k in range(len(structure.legs)))
        margin = partial(_universal_margin, plant, numbers)
        return [Event("singular", margin, text=_ALONG_AXIS, names=names)]
    found = list[Event]()
    for kernel, groups, text, _ in _pivots(plant):
        side, pivots = np.sign(kernel(numbers, _poses(start))), partial(_pivots_at, kernel, numbers)
        margin = partial(lambda side, pivots, t, states, _: side * pivots(states), side, pivots)
        found.append(Event("singular", margin, text=text, names=groups))
        margin = partial(lambda pivots, t, states, _: _not_touched(pivots(states)), pivots)
        found.append(Event("change point", margin, text=_CHANGE_POINT, names=groups))
    if plant.is_compliant:  # a platform on links that bend is where the rigid machine cannot be
        return found
    margin = partial(_on_branch, kernels, numbers)
    found.append(Event("change point", margin, text=_OTHER_BRANCH))
    if any(leg.iterated for leg in analysed(plant.robot).machine.legs):
        margin = partial(_without_leaps, kernels, numbers)
        found.append(Event("change point", margin, text=_LEAPT, names=structure.joints))
    return found


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


def _pivots(plant: Plant) -> list[tuple[Kernel, tuple[str, ...], str, str]]:
    """Return the rows of _PIVOTS that a mechanism has, with its kernels and groups."""
    return [
        (getattr(_kernels(plant), kernel), getattr(plant.structure, groups), crossed, nearly)
        for kernel, groups, crossed, nearly in _PIVOTS
        if not plant.structure.extensible and getattr(plant.structure, groups)
    ]


def stuck_joints(plant: Plant) -> list[Event]:
    """Joints that cannot follow the platform: for integrators that adapt their steps."""
    own, home = plant.numbers, np.array(plant.robot.home)

    def margin(pivots: Kernel, t: ArrayLike, state: Array, command: Array) -> Array:
        return np.asarray(np.abs(pivots(own, _poses(state)) / pivots(own, home)) - STUCK)

    return [Event("singular", partial(margin, kernel)) for kernel, *_ in _pivots(plant)]


def _pivots_at(kernel: Kernel, numbers: Array, states: Array) -> Array:
    return np.asarray(kernel(numbers, _poses(states)))


def _not_touched(pivots: Array) -> Array:
    """Below zero where a pivot came to zero between samples, and went back as it had come.

    It is zero there as extrapolated from both sides, by its slopes before and behind. A root that
    keeps its sign does so where the joints continue in another branch.
    """
    size = np.abs(pivots)
    good = np.ones(size.shape, dtype=bool)
    if len(size) > 3:
        before, behind = 2 * size[1:-2] - size[:-3], 2 * size[2:-1] - size[3:]
        good[2:-1] = ~((before < 0) & (behind < 0))
    return _sign(good)


def _on_branch(
    kernels: Kernels, numbers: Array, t: ArrayLike, states: Array, command: Array
) -> Array:
    """Below zero where kernels have no number for a pose."""
    found = kernels.inverse_kinematics(numbers, _poses(states))
    unknown = ~np.isfinite(states).all(axis=-1)
    return _sign(np.isfinite(found).all(axis=-1) | unknown)


def _without_leaps(
    kernels: Kernels, numbers: Array, t: ArrayLike, states: Array, command: Array
) -> Array:
    """(samples, ..., joints): below zero where a joint is not where its rate has brought it."""
    twists = np.ascontiguousarray(states[..., 7:13])
    q, rate, _ = kernels.all_joints(numbers, _poses(states), twists, np.zeros(6))
    step = np.reshape(np.diff(t), (-1, *[1] * (q.ndim - 1)))
    good = np.ones(q.shape, dtype=bool)
    with np.errstate(invalid="ignore"):
        moved = np.abs(np.angle(np.exp(1j * np.diff(q, axis=0))))
        fastest = np.fmax(np.abs(rate[1:]), np.abs(rate[:-1]))
        good[1:] = ~(moved > LEAP + 3 * step * fastest)
    return _sign(good)


def _universal_margin(
    plant: Plant, numbers: Array, t: ArrayLike, states: Array, command: Array
) -> Array:
    """(samples, ..., legs): below zero where a leg is along the first axis of its universal joint.

    Or where it is past it since the sample before: γ leaps by over π/2.
    """
    model, poses = _kernels(plant), _poses(states)
    gamma = model.all_joints(numbers, poses).position[..., ::3]
    universal = np.array([leg.joints[0] == "U" for leg in plant.structure.legs])
    with np.errstate(invalid="ignore"):
        leaps = universal & (np.cos(np.diff(gamma, axis=0, prepend=gamma[:1])) < 0)
    return _sign(~(leaps | (model.singular_legs(numbers, poses) == 1)))


def _why_lost(plant: Plant, numbers: Array, last: Array) -> tuple[str, str]:
    """Return the kind of ending and its reason, from the last finite state."""
    before = last[max(len(last) - 2, 0)]
    if not np.isfinite(plant.positions(numbers, before)).all():
        return "diverged", GREW
    if ill := _ill(plant, numbers, before):
        return ill
    grown = plant.robot.has_extensible_legs or np.abs(before).max() > HUGE
    return ("diverged", GREW) if grown else ("out of reach", UNREACHED)


def _why_no_command(plant: Plant, numbers: Array, last: Array) -> tuple[str, str]:
    """Return the kind of ending and its reason where a command is not a number."""
    if not np.isfinite(plant.positions(numbers, last[-1])).all():
        return _ill(plant, numbers, last[max(len(last) - 2, 0)]) or ("out of reach", UNREACHED)
    return _ill(plant, numbers, last[-1]) or ("diverged", "the controller gave no number")


def _ill(plant: Plant, numbers: Array, state: Array) -> tuple[str, str] | None:
    """Return the kind of ending and its reason where a state is singular or nearly so."""
    pose, length = _poses(state), np.array(default_length(plant.robot))
    if stuck := _stuck_joint(plant, numbers, pose):
        return stuck
    machines = Machines(plant.robot, parametric=True)
    condition = float(condition_number(machines)(numbers, pose, length))
    if condition < NEARLY_SINGULAR:
        return None
    return "singular", f"next to a singular configuration, condition number of J {condition:.3g}"


_REASONS = {"lost": _why_lost, "no command": _why_no_command}
"""Functions that return the reason of such an ending, from the states up to it (at most 2, n)."""


def _stuck_joint(plant: Plant, numbers: Array, pose: Array) -> tuple[str, str] | None:
    """A joint that is nearly singular at a pose."""
    nearly = 1 / np.sqrt(NEARLY_SINGULAR)
    if plant.structure.extensible:
        along = np.flatnonzero(_kernels(plant).universal_joint_sines(numbers, pose) < nearly)
        words = "leg {} lies along the first axis of its universal joint"
        return ("singular", words.format(along[0] + 1)) if len(along) else None
    for kernel, groups, _, words in _pivots(plant):
        sizes = np.abs(kernel(numbers, pose))
        if (sizes < nearly).any():
            return "singular", words.format(groups[int(np.argmin(sizes))])
    return None


def _kernels(plant: Plant) -> Kernels:
    return Kernels(plant.robot, parametric=True)


def _poses(states: Array) -> Array:
    return np.ascontiguousarray(states[..., :7])


def _finite(values: Array) -> Array:
    """Return a margin of rows: below zero where one has a number that is not finite."""
    return _sign(np.isfinite(values).all(axis=-1))


def _sign(good: Any) -> Array:
    """Return a margin of a condition: positive where it holds."""
    return np.where(good, 1.0, -1.0)
