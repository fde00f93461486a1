"""The links of a machine of any kind, of which some bend or stand on bearings that yield.

Motors move joints of a tree of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, final

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.flexible import dynamics, motion
from gough.equations.flexible.machine import Machine
from gough.equations.mechanism.friction import Rubbing, resistance
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import LEADING_BACK
from gough.equations.spatial.pose import rate as pose_rate
from gough.errors import GoughError
from gough.kinematics.flexible.machine import FlexibleMachine
from gough.model.flexible.spanning import (
    Beams,
    Spanned,
    beams_of,
    bending_mechanism,
    loop_rows,
    spanned,
)
from gough.robot import Mechanism, Robot
from gough.simulation.plants.actuators import Moved, of_a_run
from gough.simulation.plants.transmission import At, Begun, Seen, Transmission

SMALL = 0.1
"""Turns [rad] of a link's end that count as small: their squares, which are left out, are 1 %."""
TURNS = (".rx", ".ry", ".rz", "bearing rx", "bearing ry", "bearing rz")
"""How the names of turns end that are to be small: of links' ends, and in bearings."""
OPEN = 1e-6
"""A gap [m, rad] of loops that is more than an error of integration."""


class Bent(NamedTuple):
    """The coordinates of all joints and of links that bend, and their rates."""

    z: Value
    rate: Value


@final
@dataclass(frozen=True)
class FlexibleLinks(Transmission):
    """Bodies that are beams in the machine's file bend, bearings and flexures yield as it says.

    Encoders see the motors.
    """

    robot: Mechanism
    springs = ()
    varies = False

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """Those of a robot; one without any is refused."""
        return cls(bending_mechanism(robot))

    @cached_property
    def _beams(self) -> Beams:
        return tuple(beams_of(self.robot).items())

    @cached_property
    def _spanned(self) -> Spanned:
        return spanned(self.robot, self._beams)

    @property
    def _machine(self) -> Machine:
        return self._spanned.machine

    @cached_property
    def _motors(self) -> list[int]:
        """Which coordinates are those of the driven joints."""
        joints = self._machine.joints
        return [joints.index(k) for k in self._machine.driven]

    @property
    def states(self) -> tuple[Argument, ...]:
        """All coordinates, and their rates."""
        names = ", ".join(self._spanned.coordinates)
        return (Argument("bent", (2 * self._machine.size,), "SI", f"{names}, and their rates"),)

    @property
    def watched(self) -> tuple[Argument, ...]:
        """How the ends of links that bend are displaced and turned, and how their modes swing."""
        modes = of_a_run(len(self._modes), "link_mode") if self._modes else ()
        ends = of_a_run(len(self._beams), "link_deflection", "link_turn") if self._beams else ()
        return ends + modes

    @cached_property
    def _modes(self) -> list[int]:
        names = self._spanned.coordinates
        return [k for k, name in enumerate(names) if ".mode " in name]

    def inner(self, column: Value) -> Bent:
        """Coordinates and rates."""
        return Bent(*ca.vertsplit(column, self._machine.size))

    def seen(self, at: At) -> Seen:
        """The motors."""
        z, rate = at.inner
        none = ca.DM.zeros(len(self._motors))
        return Seen(z[self._motors], rate[self._motors], none, none)

    def driven(self, states: Array) -> tuple[Array, Array]:
        """The motors."""
        motors = np.array(self._motors)
        return states[..., motors], states[..., self._machine.size + motors]

    def doubts(self, time: Array, states: Array) -> list[str]:
        """Links that bend too far for what is known of them, and loops that came open."""
        z = np.ascontiguousarray(states[:, : self._machine.size])
        names, words = self._spanned.coordinates, []
        turns = [k for k, name in enumerate(names) if name.endswith(TURNS)]
        largest = np.abs(z[:, turns]).max(initial=0.0)
        if largest > SMALL:
            sample, worst = np.argwhere(np.abs(z[:, turns]) == largest)[0]
            words.append(
                f"{names[turns[worst]].rpartition('.')[0]} bends by {largest:.3g} rad at t = "
                f"{time[sample]:.6g} s: equations are for small deformation, below {SMALL:g} rad"
            )
        gaps = np.abs(self._numbers.gaps(z)).max(axis=1, initial=0.0)
        if gaps.max() > OPEN:
            words.append(
                f"loops came open by {gaps.max():.3g} m or rad, at t = "
                f"{time[np.argmax(gaps)]:.6g} s: expected less than {OPEN:g}; steps are too long"
            )
        return words

    def moved(self, at: At, laws: Actuation, wrench: Value, frictions: Sequence[Any]) -> Moved:
        """The motion of all coordinates; the motors' laws are F = (f - m q̈) / α."""
        (z, rate), machine = at.inner, self._machine
        load = 1.0 if laws.load is None else laws.load
        efforts, inertias = ca.SX(machine.size, 1), ca.SX(machine.size, 1)
        efforts[self._motors], inertias[self._motors] = laws.force / load, laws.mass / load
        efforts -= self._resistance(rate, frictions)
        rows = loop_rows(self.robot, self._beams)
        second = motion.forward_dynamics(machine, rows, z, rate, efforts, inertias, wrench)
        _, acceleration = motion.platform_motion(machine, z, rate, second)
        force = (laws.force - laws.mass * second[self._motors]) / load
        return Moved(acceleration, [ca.vertcat(rate, second)], force, self._watch(z))

    def _resistance(self, rate: Value, frictions: Sequence[Rubbing]) -> Value:
        """Of the joints that rub (n) [N m, N], along their coordinates."""
        resisting = ca.SX(self._machine.size, 1)
        names = self._spanned.coordinates
        for rub in frictions:
            joint = self.robot.joints[rub.joint]
            if joint.name not in names:
                raise GoughError(
                    f"{self.robot.name}: {joint.name} rubs, and closes a loop of flexible links or "
                    "has several freedoms; expected joint_friction = false, or friction in motors "
                    "and other joints of one freedom"
                )
            place = names.index(joint.name)
            resisting[place] = resistance(rub, rate[place], slides=joint.kind.slides)
        return resisting

    def _watch(self, z: Value) -> list[Value]:
        """What `watched` lists, in the axes of each beam: x along it."""
        places = {name: k for k, name in enumerate(self._spanned.coordinates)}

        def displaced(ways: Sequence[str]) -> Value:
            names = [[f"{body}.{way}" for way in ways] for body, _ in self._beams]
            rows = [[z[places[n]] if n in places else ca.DM(0) for n in row] for row in names]
            return ca.blockcat(rows)

        if not self._beams:
            return []
        swinging = [z[self._modes]] if self._modes else []
        return [displaced(("x", "y", "z")), displaced(("rx", "ry", "rz")), *swinging]

    def platform_rates(self, at: At, acceleration: Value) -> Value:
        """Those of the platform that the links carry, to which pose and twist are led back."""
        (z, rate), machine = at.inner, self._machine
        twist = dynamics.platform_rates(machine, z) @ rate
        way = twist + LEADING_BACK * motion.platform_off(machine, z, at.pose)
        return ca.vertcat(pose_rate(at.pose, way), acceleration - LEADING_BACK * (at.twist - twist))

    def energy(self, at: At) -> Value:
        """Of bodies that move and are lifted, and of links that are bent."""
        return ca.vertcat(*dynamics.energies(self._machine, *at.inner))

    def holding(self, robot: Robot, pose: Array) -> Value:
        """Efforts of the motors, at their places in the rigid machine."""
        return ca.DM(self._numbers.deflected(pose).force)

    def start(self, robot: Robot, pose: Array, twist: Array) -> Begun:
        """Links that its weight bends; the platform hangs a little off its pose."""
        flexible = self._numbers
        z, rate = flexible.led(pose, twist)
        return Begun(flexible.pose(z), flexible.twist(z, rate), [ca.DM(z), ca.DM(rate)])

    @cached_property
    def _numbers(self) -> FlexibleMachine:
        return FlexibleMachine(self.robot)

    def carrying(self, robot: Robot) -> Self:
        """The same with a payload on its platform."""
        assert isinstance(robot, Mechanism)
        return replace(self, robot=robot)
