"""What may happen to a machine on its way: it diverges, becomes singular, or comes to a limit.

An event is where a margin is used up. Integrators that adapt look for it between their steps; of
all other runs, alone or many side by side, `first_endings` looks at the samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.kinematics.singularity.singularity import determinant
from gough.kinematics.size import machine_size
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.parameters import machine_of_parameters
from gough.simulation.plants.plant import Plant

Margin = Callable[[Any, Array, Array], Any]

FAR = 10.0
"""A platform that is so many machine sizes from its home has left the machine."""
NEARLY_SINGULAR = 1e3
"""Condition number of J above which a run that is lost was lost for that reason."""
GREW = "its numbers grew beyond all bounds"


@dataclass(frozen=True, eq=False)
class Event:
    """Something that may happen: where its margin falls below zero.

    `margin` is a function of time, state (..., n) and command (..., m); it gives one number for a
    state, or one for each leg. An event that is `terminal` ends a run.
    """

    name: str
    margin: Margin
    terminal: bool = True
    text: str = ""
    """Of an ending: words with places for the time t [s], the leg and why."""


@dataclass(frozen=True)
class Ending:
    """What stopped a run, when [s], and the number of samples before it."""

    kind: str
    """One of "diverged", "singular" and "end stop"."""
    time: float
    samples: int
    text: str


def end_stop(plant: Plant, numbers: Array | None = None) -> Event:
    """A leg reaches an end of its stroke."""
    own = plant.numbers if numbers is None else numbers
    text = "leg {leg} hit the end of its stroke at t = {t:.6g} s"
    return Event("end stop", lambda t, state, _: stroke_margin(plant, own, state), text=text)


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
    """A command reaches the largest that its leg's actuator can do."""
    limit = np.array(plant.limit)
    return Event("limit", lambda t, state, command: limit - np.abs(command), terminal)


def speed_limit(plant: Plant, *, terminal: bool = False) -> Event:
    """A leg reaches its largest speed."""
    kernel = _kernels(plant).joint_velocity
    limit = np.array([leg.max_speed or np.inf for leg in plant.robot.legs])

    def margin(t: Any, state: Array, command: Array) -> Any:
        twist = np.ascontiguousarray(state[..., 7:13])
        return limit - np.abs(kernel(plant.numbers, _poses(state), twist))

    return Event("speed", margin, terminal)


def endings_of(plant: Plant, numbers: Array, start: Array) -> list[Event]:
    """All after which the numbers of a run from a state mean nothing, in samples of its time."""
    events = [
        Event(
            "diverged",
            lambda t, state, command: _sign(np.isfinite(command).all(axis=-1)),
            text="the controller gave no number at t = {t:.6g} s",
        ),
        Event(
            "lost",
            lambda t, state, command: _sign(np.isfinite(state).all(axis=-1)),
            text="the run was lost at t = {t:.6g} s: {why}",
        ),
        Event(
            "diverged",
            lambda t, state, command: _distance_left(plant, state),
            text="the run diverged at t = {t:.6g} s: the platform left the machine",
        ),
        singularity(plant, numbers, seen_from=start),
        Event(
            "singular",
            lambda t, state, command: _joint_margin(plant, numbers, state),
            text="leg {leg} passed the first axis of its universal joint at t = {t:.6g} s: the "
            "joint cannot follow it there",
        ),
    ]
    return events if plant.bounces else [*events, end_stop(plant, numbers)]


def first_endings(plant: Plant, time: Array, states: Array, commands: Array) -> list[Ending | None]:
    """The first thing along each run, (samples, runs, n), after which its numbers mean nothing."""
    runs = states.shape[1]
    numbers = np.broadcast_to(plant.numbers, (runs, plant.numbers.shape[-1]))
    found: list[Ending | None] = [None] * runs
    for event in endings_of(plant, numbers, states[0]):
        margins = np.reshape(event.margin(time, states, commands), (len(time), runs, -1))
        used_up = np.asarray((margins < 0).any(axis=-1))
        for run in np.flatnonzero(used_up.any(axis=0)):
            k, earlier = int(np.argmax(used_up[:, run])), found[run]
            if earlier is None or k < earlier.samples:
                kind, why = event.name, ""
                if kind == "lost":
                    kind, why = _why_lost(plant, numbers[run], states[max(k - 1, 0), run])
                leg = int(np.argmin(margins[k, run])) + 1
                text = event.text.format(t=time[k], leg=leg, why=why)
                found[run] = Ending(kind, float(time[k]), k, text)
    return found


def first_ending(plant: Plant, time: Array, states: Array, commands: Array) -> Ending | None:
    """The same of one run, (samples, n)."""
    return first_endings(plant, time, states[:, None], commands[:, None])[0]


def stroke_margin(plant: Plant, numbers: Array, states: Array) -> Array:
    """(..., legs) how far legs are from the ends of their strokes [m]; negative beyond them."""
    low, high = (numbers[..., places] for places in plant.stroke_places)
    q = leg_lengths(plant, numbers, states)
    return np.asarray(np.minimum(q - low, high - q))


def leg_lengths(plant: Plant, numbers: Array, states: Array) -> Array:
    """(..., legs) [m]."""
    return np.asarray(_kernels(plant).inverse_kinematics(numbers, _poses(states)))


def _distance_left(plant: Plant, states: Array) -> Any:
    """How far the platform is from having left the machine [m]."""
    home = np.array(plant.robot.home[:3])
    with np.errstate(over="ignore", invalid="ignore"):
        return FAR * machine_size(plant.robot) - np.linalg.norm(states[..., :3] - home, axis=-1)


def _joint_margin(plant: Plant, numbers: Array, states: Array) -> Array:
    """(samples, ..., legs): below zero where a leg is along the first axis of its universal joint.

    Or where it is past it since the sample before: γ leaps by over π/2.
    """
    model, poses = _kernels(plant), _poses(states)
    gamma = model.universal_joint_angles(numbers, poses)[..., 0]
    with np.errstate(invalid="ignore"):
        leaps = np.cos(np.diff(gamma, axis=0, prepend=gamma[:1])) < 0
    return _sign(~(leaps | (model.singular_legs(numbers, poses) == 1)))


def _why_lost(plant: Plant, numbers: Array, last: Array) -> tuple[str, str]:
    """What is the matter with the last state that has a number: a kind of ending, and words."""
    J = _kernels(plant).jacobian(numbers, _poses(last))
    if not np.isfinite(J).all():
        return "diverged", GREW
    legs = machine_of_parameters(plant.robot, ca.DM(numbers)).legs
    length = max(float(ca.norm_2(leg.platform)) for leg in legs)
    condition = float(np.linalg.cond(J / np.repeat([1.0, length], 3)))
    if not condition < NEARLY_SINGULAR:
        return (
            "singular",
            f"next to a singular configuration, condition number of J {condition:.3g}",
        )
    sines = _kernels(plant).universal_joint_sines(numbers, _poses(last))
    along = np.flatnonzero(sines < 1 / np.sqrt(NEARLY_SINGULAR))
    if len(along):
        return "singular", f"leg {along[0] + 1} lies along the first axis of its universal joint"
    return "diverged", GREW


def _kernels(plant: Plant) -> Kernels:
    return Kernels(plant.robot, parametric=True)


def _poses(states: Array) -> Array:
    return np.ascontiguousarray(states[..., :7])


def _sign(good: Any) -> Array:
    """A margin of what is or is not so."""
    return np.where(good, 1.0, -1.0)
