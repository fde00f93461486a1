"""Why a run ended before its time: it diverged, went through a singularity, or hit an end stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.kinematics.singularity.singularity import default_length, determinant
from gough.kinematics.size import machine_size
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.simulation.plant import Plant

Array = np.ndarray[Any, np.dtype[np.float64]]

FAR = 10.0
"""A platform that is so many machine sizes from its home has left the machine."""
NEARLY_SINGULAR = 1e3
"""Condition number of J above which a run that is lost was lost for that reason."""
GREW = "its numbers grew beyond all bounds"


@dataclass(frozen=True)
class Ending:
    """What stopped a run, when [s], and the number of samples before it."""

    kind: str
    """One of "diverged", "singular" and "end stop"."""
    time: float
    samples: int
    text: str


def first_ending(
    plant: Plant, time: Array, states: Array, commands: Array, numbers: Array | None = None
) -> Ending | None:
    """The first thing along a run, (samples, n), after which its numbers mean nothing.

    `numbers` are the machine's, of a plant that has them for several runs.
    """
    at = (plant, plant.numbers if numbers is None else numbers, time, states)
    finders = (_no_number, _divergence, _singularity, _alignment, _end_stop)
    endings = [_no_command(time, commands), *(find(*at) for find in finders)]
    found = [ending for ending in endings if ending is not None]
    return min(found, key=lambda ending: ending.samples, default=None)


def first_in_a_stop(plant: Plant, states: Array) -> int | None:
    """The first sample at which a leg is in one of its end stops; None if none is."""
    if not plant.stops:
        return None
    inside = (outside_stroke(plant, plant.numbers, states) > 0).any(axis=-1)
    return int(np.argmax(inside)) if inside.any() else None


def _no_command(time: Array, commands: Array) -> Ending | None:
    lost = ~np.isfinite(commands).all(axis=-1)
    return _ending("diverged", lost, time, "the controller gave no number at t = {:.6g} s")


def _no_number(plant: Plant, numbers: Array, time: Array, states: Array) -> Ending | None:
    lost = ~np.isfinite(states).all(axis=-1)
    if not lost.any():
        return None
    kind, why = _why_lost(plant, numbers, states[max(int(np.argmax(lost)) - 1, 0)])
    return _ending(kind, lost, time, f"the run was lost at t = {{:.6g}} s: {why}")


def _why_lost(plant: Plant, numbers: Array, last: Array) -> tuple[str, str]:
    """What is the matter with the last state that has a number: a kind of ending, and words."""
    robot = plant.robot
    J = Kernels(robot, parametric=True).jacobian(numbers, np.ascontiguousarray(last[:7]))
    if not np.isfinite(J).all():
        return "diverged", GREW
    condition = float(np.linalg.cond(J / np.repeat([1.0, default_length(robot)], 3)))
    if not condition < NEARLY_SINGULAR:
        return (
            "singular",
            f"next to a singular configuration, condition number of J {condition:.3g}",
        )
    for k, leg in enumerate(robot.legs):
        if leg.first_axis is not None:
            sine = float(np.linalg.norm(np.cross(leg.first_axis, J[k, :3])))
            if sine < 1 / np.sqrt(NEARLY_SINGULAR):
                return "singular", f"leg {k + 1} lies along the first axis of its universal joint"
    return "diverged", GREW


def _divergence(plant: Plant, numbers: Array, time: Array, states: Array) -> Ending | None:
    far = FAR * machine_size(plant.robot)
    home = np.array(plant.robot.home[:3])
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.linalg.norm(states[:, :3] - home, axis=-1) > far
    text = "the run diverged at t = {:.6g} s: the platform left the machine"
    return _ending("diverged", away, time, text)


def _singularity(plant: Plant, numbers: Array, time: Array, states: Array) -> Ending | None:
    poses = np.ascontiguousarray(states[:, :7])
    side = np.asarray(determinant(Machines(plant.robot, parametric=True))(numbers, poses))
    crossed = np.sign(side) != np.sign(side[0])
    text = "a singular configuration was crossed at t = {:.6g} s: the actuators lost control there"
    return _ending("singular", crossed & np.isfinite(side), time, text)


def _alignment(plant: Plant, numbers: Array, time: Array, states: Array) -> Ending | None:
    """A leg along the first axis of its universal joint, or past it: γ leaps by over π/2."""
    model, poses = Kernels(plant.robot, parametric=True), np.ascontiguousarray(states[:, :7])
    gamma = model.universal_joint_angles(numbers, poses)[..., 0]
    with np.errstate(invalid="ignore"):
        leaps = np.cos(np.diff(gamma, axis=0, prepend=gamma[:1])) < 0
    aligned = leaps | (model.singular_legs(numbers, poses) == 1)
    leg = int(np.argmax(aligned[np.argmax(aligned.any(axis=-1))])) + 1
    text = f"leg {leg} passed the first axis of its universal joint at t = {{:.6g}} s: the joint "
    return _ending("singular", aligned.any(axis=-1), time, text + "cannot follow it there")


def _end_stop(plant: Plant, numbers: Array, time: Array, states: Array) -> Ending | None:
    if plant.stops:
        return None
    outside = outside_stroke(plant, numbers, states)
    hit = (outside > 0).any(axis=-1)
    if not hit.any():
        return None
    leg = int(np.argmax(outside[np.argmax(hit)]))
    text = f"leg {leg + 1} hit the end of its stroke at t = {{:.6g}} s"
    return _ending("end stop", hit, time, text)


def outside_stroke(plant: Plant, numbers: Array, states: Array) -> Array:
    """(..., 6) how far legs are beyond their strokes [m]; negative inside them."""
    low, high = (numbers[..., places] for places in plant.stroke_places)
    q = leg_lengths(plant, numbers, states)
    return np.asarray(np.maximum(low - q, q - high))


def leg_lengths(plant: Plant, numbers: Array, states: Array) -> Array:
    """(..., 6) [m]."""
    kernel = Kernels(plant.robot, parametric=True).inverse_kinematics
    return np.asarray(kernel(numbers, np.ascontiguousarray(states[..., :7])))


def _ending(kind: str, bad: Any, time: Array, text: str) -> Ending | None:
    if not bad.any():
        return None
    k = int(np.argmax(bad))
    return Ending(kind, float(time[k]), k, text.format(time[k]))
