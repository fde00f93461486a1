"""Mechanisms with flexible links or compliant bearings.

Motors move joints of a tree of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self, final

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.elastic.flexible.link_tree import (
    Beams,
    Spanned,
    beams_of,
    bending_mechanism,
    loop_rows,
    spanned,
)
from gough.elastic.flexible.machine import FlexibleMachine
from gough.equations.actuators.drive import Actuation
from gough.equations.flexible import dynamics
from gough.equations.flexible.machine import LinkTree
from gough.equations.forces.passive_joints import FrictionLaw, resistance
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import BAUMGARTE_RATE
from gough.equations.spatial.pose import rate as pose_rate
from gough.errors import GoughError
from gough.robot import Mechanism, Robot
from gough.simulation.plants.actuators import MachineResponse, run_outputs
from gough.simulation.plants.transmission import (
    ActuatorState,
    InitialState,
    MachineState,
    Transmission,
)

SMALL = 0.1
"""Rotations [rad] of a link's end that count as small: their neglected squares are 1 %."""
TURNS = (".rx", ".ry", ".rz", "bearing rx", "bearing ry", "bearing rz")
"""Suffixes of the names of rotations that must stay small: of links' ends, and in bearings."""
OPEN = 1e-6
"""Gap [m, rad] of loops that exceeds errors of integration."""


class Bent(NamedTuple):
    """Coordinates of all joints and of links that bend, and their rates."""

    z: Value
    rate: Value


@final
@dataclass(frozen=True)
class FlexibleLinks(Transmission):
    """Links with a `beam` in the machine's file bend; bearings and flexures are compliant.

    Encoders measure the motors.
    """

    robot: Mechanism
    varies = False

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """Return the links of a robot; one without flexible links is refused."""
        return cls(bending_mechanism(robot))

    @cached_property
    def _beams(self) -> Beams:
        return tuple(beams_of(self.robot).items())

    @cached_property
    def _spanned(self) -> Spanned:
        return spanned(self.robot, self._beams)

    @property
    def _machine(self) -> LinkTree:
        return self._spanned.machine

    @cached_property
    def _motors(self) -> list[int]:
        """Return the indices of the coordinates of the driven joints."""
        joints = self._machine.joints
        return [joints.index(k) for k in self._machine.driven]

    @property
    def states(self) -> tuple[Argument, ...]:
        """All coordinates, and their rates."""
        names = ", ".join(self._spanned.coordinates)
        return (Argument("bent", (2 * self._machine.size,), "SI", f"{names}, and their rates"),)

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Displacements and rotations of the ends of flexible links, and modal coordinates."""
        modes = run_outputs(len(self._modes), "link_mode") if self._modes else ()
        ends = run_outputs(len(self._beams), "link_deflection", "link_turn") if self._beams else ()
        return ends + modes

    @cached_property
    def _modes(self) -> list[int]:
        names = self._spanned.coordinates
        return [k for k, name in enumerate(names) if ".mode " in name]

    def inner(self, column: Value) -> Bent:
        """Return coordinates and rates."""
        return Bent(*ca.vertsplit(column, self._machine.size))

    def actuator_state(self, at: MachineState) -> ActuatorState:
        """Return the state of the motors."""
        z, rate = at.inner
        none = ca.DM.zeros(len(self._motors))
        return ActuatorState(z[self._motors], rate[self._motors], none, none)

    def driven(self, states: Array) -> tuple[Array, Array]:
        """Return positions and rates of the motors."""
        motors = np.array(self._motors)
        return states[..., motors], states[..., self._machine.size + motors]

    def validity_warnings(self, time: Array, states: Array) -> list[str]:
        """Return warnings of links that bend beyond small deformation, and of loops that opened."""
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

    def forward_dynamics(
        self, at: MachineState, laws: Actuation, wrench: Value, frictions: Sequence[FrictionLaw]
    ) -> MachineResponse:
        """Return the motion of all coordinates; the motors' laws are F = (f - m q̈) / α."""
        (z, rate), machine = at.inner, self._machine
        load = 1.0 if laws.load is None else laws.load
        efforts, inertias = ca.SX(machine.size, 1), ca.SX(machine.size, 1)
        efforts[self._motors], inertias[self._motors] = laws.force / load, laws.mass / load
        efforts -= self._resistance(rate, frictions)
        rows = loop_rows(self.robot, self._beams)
        second = dynamics.forward_dynamics(machine, rows, z, rate, efforts, inertias, wrench)
        _, acceleration = dynamics.platform_motion(machine, z, rate, second)
        force = (laws.force - laws.mass * second[self._motors]) / load
        rates = [ca.vertcat(rate, second)]
        return MachineResponse(acceleration, rates, force, self._output_values(z))

    def _resistance(self, rate: Value, frictions: Sequence[FrictionLaw]) -> Value:
        """Return the resistance of joints with friction (n) [N m, N], along their coordinates."""
        resisting = ca.SX(self._machine.size, 1)
        names = self._spanned.coordinates
        for law in frictions:
            joint = self.robot.joints[law.joint]
            if joint.name not in names:
                raise GoughError(
                    f"{self.robot.name}: {joint.name} has friction, and closes a loop of flexible "
                    "links or has several degrees of freedom; expected joint_friction = false, or "
                    "friction in motors and other joints of one degree of freedom"
                )
            place = names.index(joint.name)
            resisting[place] = resistance(law, rate[place], slides=joint.kind.slides)
        return resisting

    def _output_values(self, z: Value) -> list[Value]:
        """Return the `outputs`, in the axes of each beam: x along it."""
        places = {name: k for k, name in enumerate(self._spanned.coordinates)}

        def displaced(ways: Sequence[str]) -> Value:
            names = [[f"{body}.{way}" for way in ways] for body, _ in self._beams]
            rows = [[z[places[n]] if n in places else ca.DM(0) for n in row] for row in names]
            return ca.blockcat(rows)

        if not self._beams:
            return []
        swinging = [z[self._modes]] if self._modes else []
        return [displaced(("x", "y", "z")), displaced(("rx", "ry", "rz")), *swinging]

    def platform_rates(self, at: MachineState, acceleration: Value) -> Value:
        """Return the platform's rates from the links that carry it, with constraint correction."""
        (z, rate), machine = at.inner, self._machine
        twist = dynamics.platform_rates(machine, z) @ rate
        way = twist + BAUMGARTE_RATE * dynamics.platform_error(machine, z, at.pose)
        correction = BAUMGARTE_RATE * (at.twist - twist)
        return ca.vertcat(pose_rate(at.pose, way), acceleration - correction)

    def energy(self, at: MachineState) -> Value:
        """Return kinetic and potential energy of the bodies, and elastic energy of the links."""
        return ca.vertcat(*dynamics.energies(self._machine, *at.inner))

    def holding_forces(self, robot: Robot, numbers: Array, pose: Array) -> Array:
        """Return efforts of the motors, at their places in the rigid machine."""
        return np.asarray(self._numbers.deflected(pose).force)

    def start(self, robot: Robot, pose: Array, twist: Array) -> InitialState:
        """Return links that bend under the weight; the platform deviates a little from its pose."""
        flexible = self._numbers
        z, rate = flexible.steady_motion(pose, twist)
        return InitialState(flexible.pose(z), flexible.twist(z, rate), [ca.DM(z), ca.DM(rate)])

    @cached_property
    def _numbers(self) -> FlexibleMachine:
        return FlexibleMachine(self.robot)

    def carrying(self, robot: Robot) -> Self:
        """Return the links with a payload on the platform."""
        assert isinstance(robot, Mechanism)
        return replace(self, robot=robot)
