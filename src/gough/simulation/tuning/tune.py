"""A controller tuned for a machine: its gains, the margins of its loop and its step responses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from gough.kinematics.model import Model
from gough.robot import Robot
from gough.shown.brief import brief
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers import Controller
from gough.simulation.plants import Plant, force_commanded, real_plant, rigid_plant
from gough.simulation.plants.drives import Motors
from gough.simulation.sampling import ONE_KILOHERTZ, Sampling
from gough.simulation.tuning.margins import Quality, StepResponse, quality, step_response
from gough.simulation.tuning.pole_placement import place_poles

TIME_CONSTANTS = 16
"""So many of the slowest pole a step response lasts: of double poles, too, 2e-6 is left."""
MOST_SAMPLES = 100_000
FEWEST_SAMPLES = 20


@dataclass(frozen=True, eq=False)
class Tuned:
    """A controller at the home pose of the machine that it was tuned for."""

    controller: Controller
    plant: Plant
    quality: Quality
    steps: StepResponse | None
    """Until the loop is at rest; None if that is not seen."""
    obstacle: str
    """Why there are no step responses; empty if there are."""

    __repr__ = brief


def tune(
    robot: Robot,
    kind: str,
    frequency: float,
    *,
    damping: float = 1.0,
    integral_rate: float = 0.0,
    sampling: Sampling = ONE_KILOHERTZ,
    drives: bool = False,
) -> Tuned:
    """Place the poles of a loop (see `place_poles`, frequency in rad/s), and look at what it does.

    With `drives` the machine is on its motors, gears and screws, without their dry friction.
    """
    facts = {"damping": damping, "integral_rate": integral_rate}
    controller = place_poles(Model(robot), kind, frequency, **facts, drives=drives)
    loop = smooth_loop(robot, controller, sampling, drives=drives)
    found = quality(loop)
    obstacle = _obstacle(found)
    steps = None if obstacle else step_response(loop, duration=_until_rest(found))
    return Tuned(controller, loop.plant, found, steps, obstacle)


def smooth_loop(
    robot: Robot, controller: Controller, sampling: Sampling, *, drives: bool = False
) -> ClosedLoop:
    """A controller on its machine, with `drives` on those without their dry friction."""
    plant = _smooth_drives(robot) if drives else rigid_plant(robot)
    return ClosedLoop(plant, controller, robot, sampling)


def _smooth_drives(robot: Robot) -> Plant:
    """The machine on its drives, told forces; without dry friction, which is not linear at rest."""
    plant = force_commanded(real_plant(robot, joint_friction=False, stops=False))
    assert isinstance(plant.mover, Motors)
    none = ca.DM(0)
    smooth = tuple(
        replace(
            drive, rotor_friction=none, screw_friction=none, torque_offset=none, efficiency=None
        )
        for drive in plant.mover.drives
    )
    return replace(plant, mover=replace(plant.mover, drives=smooth))


def _until_rest(found: Quality) -> float:
    """Until the slowest pole has died away [s]."""
    return float(max(TIME_CONSTANTS / found.slowest_decay, FEWEST_SAMPLES * found.period))


def _obstacle(found: Quality) -> str:
    """Why a loop's step responses cannot be shown; empty if they can."""
    if not found.stable:
        return "the loop is not stable"
    if _until_rest(found) > MOST_SAMPLES * found.period:
        took = f"the slowest pole dies away in {_until_rest(found):.4g} s"
        return f"{took}, more than {MOST_SAMPLES:,} samples"
    return ""
