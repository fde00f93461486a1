"""Force over speed: every sample of motions, and what actuators can give at each speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple

import casadi as ca
import numpy as np

from gough.analysis.results import Results
from gough.arrays import Array
from gough.equations.actuators.drive import DriveLaw, back_emf, friction, reduction
from gough.model.actuators import DRIVE_NUMBERS, as_screw
from gough.robot import Actuator, Drive, GearDrive, Robot, actuator_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gough.sizing.mounting import ActuatorLoad
    from gough.sizing.records import CatalogueActuator

_STEPS = 61
"""Number of speeds at which the force of a motor is computed."""


class Outline(NamedTuple):
    """The maximum force over the speed, from rest on."""

    label: str
    speed: Array
    force: Array
    kind: Literal["closed", "level", "along"] = "closed"
    """Whether it bounds the speed as well, or the force alone, or forces along the motion only."""
    dashed: bool = False

    def parts(self) -> list[tuple[Array, Array]]:
        """Its lines in the plane of signed speeds and forces."""
        if self.kind == "along":
            return [(sign * self.speed, sign * self.force) for sign in (1, -1)]
        speed = np.concatenate([-self.speed[::-1], self.speed])
        force = np.concatenate([self.force[::-1], self.force])
        if self.kind == "level":
            return [(speed, force), (speed, -force)]
        around = np.concatenate([speed, speed[::-1], speed[:1]])
        return [(around, np.concatenate([force, -force[::-1], force[:1]]))]


class ForceSpeed(NamedTuple):
    """Contents of a chart of force over speed."""

    names: tuple[str, ...]
    """Names of the actuators."""
    numbers: tuple[int, ...]
    """Which of the machine's actuators they are, counted from 0."""
    speed: tuple[Array, ...]
    """Speeds of each at every sample of all motions [m/s, rad/s]."""
    force: tuple[Array, ...]
    """Forces or torques of each [N, N m]."""
    outlines: tuple[Outline, ...]
    turning: bool = False

    @property
    def units(self) -> tuple[str, str]:
        """Units of speeds and of forces."""
        return ("rad/s", "N m") if self.turning else ("m/s", "N")

    def plot(self, title: str, ax: Axes | None = None) -> Axes:
        """Plot every sample in the plane of speed and force, and the outlines."""
        from gough.plots import pictures, style  # noqa: PLC0415  (matplotlib is slow)

        axis = pictures.single_axes(ax, (7.5, 4.8))
        each = zip(self.numbers, self.names, self.speed, self.force, strict=True)
        for k, name, speed, force in each:
            colour, label = style.line_colour(k), style.literal(name)
            axis.plot(speed, force, ".", markersize=2.5, color=colour, label=label)
        for outline in self.outlines:
            for n, (x, y) in enumerate(outline.parts()):
                line, label = "--" if outline.dashed else "-", "_" * (n > 0) + outline.label
                axis.plot(x, y, line, color="black", linewidth=1.1, label=label)
        axis.set_xlabel(style.axis_label("speed", self.units[0]))
        axis.set_ylabel(style.axis_label("torque" if self.turning else "force", self.units[1]))
        style.with_grid(axis)
        style.with_legend_beside(axis)
        if ax is None:
            style.titled(axis, title)
        return axis


def of_results(results: Results) -> list[ForceSpeed]:
    """Charts of a motion: of linear actuators, and of rotary ones."""
    speeds_of = ("actuator_length_rate", "leg_speed", "actuator_speed")  # first on compliant legs
    speed = next((n for n in speeds_of if n in results), None)
    if speed is None or "force" not in results:
        return []
    names, charts = actuator_names(results.robot).titles, []
    kinds = [actuator.turns for actuator in results.robot.actuators]
    for turning in sorted({*kinds}):
        which = [k for k, turns in enumerate(kinds) if turns == turning]
        speeds, forces = (results[name][:, which] for name in (speed, "force"))
        outlines = _stated(results.robot, which, float(np.nanmax(np.abs(speeds), initial=0.0)))
        own = tuple(names[k] for k in which), tuple(which), tuple(speeds.T), tuple(forces.T)
        charts.append(ForceSpeed(*own, outlines, turning))
    return charts


def of_candidate(
    robot: Robot, actuator: CatalogueActuator, loads: Sequence[ActuatorLoad]
) -> ForceSpeed:
    """The chart of an actuator of a catalogue, with all motions."""
    names = actuator_names(robot).titles
    speeds = tuple(np.concatenate([load.speed for load in loads]).T)
    forces = tuple(np.concatenate([load.force for load in loads]).T)
    speed, force = map(np.array, zip(*actuator.corners, strict=True))
    outlines = [Outline("envelope", speed, force)]
    if actuator.continuous_force is not None:
        ends = np.array([0.0, actuator.max_speed])
        outlines.append(_level("continuous force", ends, actuator.continuous_force, dashed=True))
    return ForceSpeed(names, tuple(range(len(names))), speeds, forces, tuple(outlines))


def _level(label: str, ends: Array, force: float, *, dashed: bool = False) -> Outline:
    """A force that does not depend on the speed."""
    return Outline(label, ends, np.full(2, force), "level", dashed)


def _stated(robot: Robot, which: Sequence[int], fastest: float) -> tuple[Outline, ...]:
    """Return the limits that the robot's file states for some actuators, each outline once."""
    found: dict[bytes, Outline] = {}
    for k in which:
        for outline in _of_actuator(robot.actuators[k], fastest):
            found.setdefault(outline.speed.tobytes() + outline.force.tobytes(), outline)
    return tuple(found.values())


def _of_actuator(actuator: Actuator, fastest: float) -> Iterator[Outline]:
    """Yield the limits of an actuator; without a maximum speed, up to the fastest sample."""
    force, speed, drive = actuator.max_force, actuator.max_speed, actuator.drive
    if force is not None and speed is not None:
        yield Outline("max_force, max_speed", np.array([0.0, speed]), np.array([force, force]))
    elif force is not None:
        yield _level("max_force", np.array([0.0, fastest]), force)
    if drive is not None and drive.max_voltage is not None and drive.back_emf != 0.0:
        yield _of_motor(drive, drive.max_voltage)


def _of_motor(drive: Drive | GearDrive, voltage: float) -> Outline:
    """Return the motor's force at steady speed within its current and voltage, while driving."""
    facts = as_screw(drive) | {"torque_offset": abs(drive.torque_offset)}
    law = DriveLaw(**{name: facts[name] for name in DRIVE_NUMBERS})
    emf = float(back_emf(law, 1.0))  # at unit speed
    speed = np.linspace(0.0, voltage / emf, _STEPS)
    most = inf if drive.max_current is None else drive.max_current
    current = np.minimum((voltage - emf * speed) / max(drive.resistance, 1e-12), most)
    rubbing = np.array(friction(law, ca.DM(speed)))[:, 0]
    pushed = reduction(law) * drive.torque_constant * current - rubbing
    force = np.maximum(pushed * drive.efficiency, 0.0)
    return Outline("motor, at steady speed", speed, force, "along", dashed=True)
