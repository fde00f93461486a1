"""Transmissions from actuators to the platform: rigid ones, and links that bend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, final

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler import Argument
from gough.equations.actuators import drive
from gough.equations.actuators.drive import Actuation
from gough.equations.closure.closing import closing_step
from gough.equations.flexible import dynamics
from gough.equations.forces import dynamics as rigid_dynamics
from gough.equations.forces import passive_joints
from gough.equations.legs.extensible import Mode
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import BAUMGARTE_RATE
from gough.equations.spatial.pose import rate as pose_rate
from gough.equations.tree.bodies import MovingBase, Twist
from gough.errors import GoughError
from gough.model import Kernels
from gough.motion import MotionSamples
from gough.robot import MOVES, Mechanism, Robot, as_mechanism
from gough.simulation.plants.actuators import MachineResponse, run_outputs

if TYPE_CHECKING:
    from gough.elastic import FlexibleMachine

SMALL = 0.1  # rotations [rad] of a link's end that count as small: their neglected squares are 1 %
TURNS = (".rx", ".ry", ".rz", "bearing rx", "bearing ry", "bearing rz", "guide ry", "guide rz")
"""Suffixes of the names of rotations that must stay small: of links' ends, bearings, pistons."""
OPEN = 1e-6  # gap [m, rad] of loops that exceeds errors of integration
SHOWN = 8  # number of change points that a warning names


def as_row(column: Value) -> Array:
    """Return a column of numbers as a row."""
    return np.array(column, dtype=float).ravel()


def joined_rows(parts: Sequence[Array]) -> Array:
    """Return rows (..., n), some of which are one for all runs, side by side."""
    runs = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(x, (*runs, x.shape[-1])) for x in parts], axis=-1)


class CompliantParts(NamedTuple):
    """Compliant parts of all legs, and their use by a controller."""

    name: str
    use: str
    modes: tuple[Mode, ...]  # modes in which connectors have them


CONNECTORS = CompliantParts(
    "connectors", "feels forces in", ("simple", "low-frequency", "high-frequency", "complete")
)
COUPLINGS = CompliantParts("coupling stages", "compresses", ("low-frequency", "complete"))


class MachineState(NamedTuple):
    """A machine at one moment."""

    machine: Machine
    pose: Value
    twist: Value
    inner: Any  # states of the transmission, in its own form
    frictions: Sequence[passive_joints.FrictionLaw] = ()  # friction of the joints


class ActuatorState(NamedTuple):
    """The actuators at one moment."""

    q: Value  # their positions [m, rad], of rigid legs
    q_dot: Value
    deflection: Value  # compression of the coupling stages [m]; zero where there are none
    push: Value  # forces in the connectors [N]; zero in rigid legs


InitialState = tuple[Array, Array, list[Value]]
"""Pose and twist of the platform, and states of the transmission, which carries the weight."""


class Transmission(ABC):
    """Transmission from the actuators to the platform; by default without states of its own."""

    varies = True  # whether numbers of the robot may differ from run to run
    has_all_joints = False  # whether its states are all joints: runs go on through change points

    @property
    def states(self) -> tuple[Argument, ...]:
        """State variables; none if it is rigid."""
        return ()

    @property
    def is_compliant(self) -> bool:
        """Whether a part between actuators and platform is compliant."""
        return bool(self.states)

    def base_motion(self, states: Array, rates: Array) -> MotionSamples | None:
        """Return the motion of the base from its states and their rates; None: it rests."""
        return None

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Outputs in a run, as returned by `forward_dynamics`."""
        return ()

    @property
    def springs(self) -> tuple[CompliantParts, ...]:
        """Compliant parts of all legs."""
        return ()

    def inner(self, column: Value) -> Any:
        """Return its states in its own form, from their column: by default that."""
        return column

    def actuator_state(self, at: MachineState) -> ActuatorState:
        """Return positions, speeds, deflections and forces of the actuators: of rigid joints."""
        q = kinematics.inverse_kinematics(at.machine, at.pose)
        q_dot = kinematics.joint_velocity(at.machine, at.pose, at.twist)
        none = ca.DM.zeros(q.shape[0])
        return ActuatorState(q, q_dot, none, none)

    @abstractmethod
    def forward_dynamics(self, at: MachineState, laws: Actuation, wrench: Value) -> MachineResponse:
        """Return the motion under the actuators' laws and a wrench on the platform."""

    def platform_rates(self, at: MachineState, acceleration: Value) -> Value:
        """Return time derivatives of pose and twist (13), corrected for constraint violations.

        Where the twist basis is constant, or has all six columns, there are none.
        """
        velocity = at.twist + BAUMGARTE_RATE * closing_step(at.machine, at.pose)
        violation = at.twist - kinematics.admissible(at.machine, at.pose, at.twist)
        return ca.vertcat(pose_rate(at.pose, velocity), acceleration - BAUMGARTE_RATE * violation)

    def driven(self, states: Array) -> tuple[Array, Array] | None:
        """Return positions and rates (..., n) of driven joints; None: from pose and twist."""
        return None

    def switched(self, column: Value, touch: Value) -> Value:
        """Return its states after a step, at a force [N] and distance [m] of contact."""
        return column

    def validity_warnings(self, time: Array, states: Array) -> list[str]:
        """Return reasons why its states (T, s) at times [s] are not to be trusted."""
        return []

    def carrying(self, robot: Robot) -> Self:
        """Return the transmission of a robot that differs in its platform alone."""
        return self

    def on_moving_base(self) -> Transmission:
        """Return the transmission on a base whose motion is prescribed; refused if compliant."""
        return self

    @abstractmethod
    def energy(self, at: MachineState) -> Value:
        """Return kinetic, potential and elastic energy [J], 3x1."""

    def holding_forces(self, kernels: Kernels, numbers: Array, pose: Array) -> Array:
        """Return the actuators' forces (..., n) [N, N m] that hold a robot of some numbers.

        Those of inverse dynamics at rest, on a base at rest.
        """
        return np.asarray(kernels.actuator_force(numbers, pose))

    def start(self, robot: Robot, pose: Array, twist: Array) -> InitialState:
        """Return the machine at a pose and twist: those of the platform, and its own states."""
        return pose, twist, []


def with_joints(at: MachineState, wrench: Value) -> Value:
    """Return a wrench on the platform, with those of friction, springs and dampers."""
    wrench += passive_joints.spring_wrench(at.machine, at.pose, at.twist)
    if not at.frictions:
        return wrench
    return wrench + passive_joints.friction_wrench(at.machine, at.frictions, at.pose, at.twist)


@final
@dataclass(frozen=True)
class RigidJoints(Transmission):
    """Rigid transmission: the driven joints move the platform directly."""

    def forward_dynamics(self, at: MachineState, laws: Actuation, wrench: Value) -> MachineResponse:
        """Return forward dynamics, with the actuators' own inertia and friction."""
        state = (at.machine, at.pose, at.twist)
        acceleration, force = drive.forward_dynamics(*state, laws, with_joints(at, wrench))
        return MachineResponse(acceleration, [], force, [])

    def energy(self, at: MachineState) -> Value:
        """Return the energy of bodies, and of springs of joints and between bodies."""
        bodies = rigid_dynamics.energy(at.machine, at.pose, at.twist)
        return ca.vertcat(bodies, passive_joints.spring_energy(at.machine, at.pose))


RIGID_JOINTS = RigidJoints()


def _base_of(machine: Machine) -> MovingBase | None:
    """Return the base that moves, its motion in its own axes; None: it rests."""
    if machine.base is None:
        return None
    axes, base = machine.frame_convention.axes, machine.base
    turned = (Twist(axes.T @ x.v, axes.T @ x.omega) for x in (base.twist, base.acceleration))
    return MovingBase(base.position, base.rotation @ axes, *turned)


@dataclass(frozen=True)
class FlexibleLinks(Transmission):
    """Bodies with a `beam` bend, bearings and flexures are compliant; motors have encoders."""

    robot: Mechanism
    varies = False

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """Return the links of a robot; one without flexible links is refused."""
        if robot.has_compliant_links:
            return cls(as_mechanism(robot))
        raise GoughError(
            f"{robot.name}: no body of it is a beam, so that no link is flexible, and no bearing "
            "is compliant; expected the key beam in some of its links or bodies, or in cylinders "
            "and pistons, or bearing in some of its joints"
        )

    @cached_property
    def _flexible(self) -> FlexibleMachine:
        from gough.elastic import FlexibleMachine  # noqa: PLC0415  (few have one)

        return FlexibleMachine(self.robot)

    @property
    def _motors(self) -> list[int]:
        return [int(k) for k in self._flexible.motors]

    @property
    def states(self) -> tuple[Argument, ...]:
        """All coordinates, and their rates."""
        words = f"{', '.join(self._flexible.coordinates)}, and their rates"
        return (Argument("bent", (2 * self._flexible.tree.size,), "SI", words),)

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Displacements and rotations of the ends of flexible links, and modal coordinates."""
        modes = run_outputs(len(self._modes), "link_mode") if self._modes else ()
        beams = len(self._flexible.beams)
        ends = run_outputs(beams, "link_deflection", "link_turn") if beams else ()
        return ends + modes

    @cached_property
    def _modes(self) -> list[int]:
        return [k for k, name in enumerate(self._flexible.coordinates) if ".mode " in name]

    def inner(self, column: Value) -> tuple[Value, ...]:
        """Return coordinates z of all joints and of links that bend, and their rates."""
        return tuple(ca.vertsplit(column, self._flexible.tree.size))

    def actuator_state(self, at: MachineState) -> ActuatorState:
        """Return the state of the motors."""
        z, rate = at.inner
        none = ca.DM.zeros(len(self._motors))
        return ActuatorState(z[self._motors], rate[self._motors], none, none)

    def driven(self, states: Array) -> tuple[Array, Array]:
        """Return positions and rates of the motors."""
        motors = self._flexible.motors
        return states[..., motors], states[..., self._flexible.tree.size + motors]

    def validity_warnings(self, time: Array, states: Array) -> list[str]:
        """Return warnings of links that bend beyond small deformation, and of loops that opened.

        Also of a run that ends where the parts of a telescoping leg do not overlap any more.
        """
        z, rate = np.split(states[:, : 2 * self._flexible.tree.size], 2, axis=1)
        ahead = z[-1:] + rate[-1:] * np.diff(time[-2:], prepend=time[-1:])[-1]
        z = np.ascontiguousarray(z)
        names, words = self._flexible.coordinates, []
        turns = [k for k, name in enumerate(names) if name.endswith(TURNS)]
        largest = np.abs(z[:, turns]).max(initial=0.0)
        if largest > SMALL:
            sample, worst = np.argwhere(np.abs(z[:, turns]) == largest)[0]
            words.append(
                f"{names[turns[worst]].rpartition('.')[0]} bends by {largest:.3g} rad at t = "
                f"{time[sample]:.6g} s: equations are for small deformation, below {SMALL:g} rad"
            )
        if np.isnan(self._flexible.gaps(ahead)).any():
            words.append(
                f"a piston leaves its cylinder, or a part is longer than its leg, after t = "
                f"{time[-1]:.6g} s"
            )
        gaps = np.abs(self._flexible.gaps(z)).max(axis=1, initial=0.0)
        if gaps.max() > OPEN:
            words.append(
                f"loops came open by {gaps.max():.3g} m or rad, at t = "
                f"{time[np.argmax(gaps)]:.6g} s: expected less than {OPEN:g}; steps are too long"
            )
        return words

    def forward_dynamics(self, at: MachineState, laws: Actuation, wrench: Value) -> MachineResponse:
        """Return the motion of all coordinates; the motors' laws are F = (f - m q̈) / α."""
        from gough.elastic.flexible.link_tree import beams_of, loop_rows  # noqa: PLC0415

        (z, rate), machine = at.inner, self._flexible.tree
        load = 1.0 if laws.load is None else laws.load
        efforts, inertias = ca.SX(machine.size, 1), ca.SX(machine.size, 1)
        efforts[self._motors], inertias[self._motors] = laws.force / load, laws.mass / load
        efforts -= self._resistance(rate, at.frictions)
        rows = loop_rows(self.robot, tuple(beams_of(self.robot).items()))
        given = (z, rate, efforts, inertias, wrench, _base_of(at.machine))
        second = dynamics.forward_dynamics(machine, rows, *given)
        _, acceleration = dynamics.platform_motion(machine, z, rate, second)
        force = (laws.force - laws.mass * second[self._motors]) / load
        rates = [ca.vertcat(rate, second)]
        return MachineResponse(acceleration, rates, force, self._output_values(z))

    def _resistance(self, rate: Value, frictions: Sequence[passive_joints.FrictionLaw]) -> Value:
        """Return the resistance of joints with friction (n) [N m, N], along their coordinates."""
        resisting = ca.SX(self._flexible.tree.size, 1)
        names = self._flexible.coordinates
        for law in frictions:
            joint = self.robot.joints[law.joint]
            if joint.name not in names:
                raise GoughError(
                    f"{self.robot.name}: {joint.name} has friction, and closes a loop or has "
                    "several degrees of freedom; expected joint_friction = false, or "
                    "friction in motors and other joints of one degree of freedom"
                )
            place = names.index(joint.name)
            resisting[place] = passive_joints.resistance(law, rate[place], slides=joint.kind.slides)
        return resisting

    def _output_values(self, z: Value) -> list[Value]:
        """Return the `outputs`, in the axes of each beam: x along it."""
        places = {name: k for k, name in enumerate(self._flexible.coordinates)}

        def displaced(components: Sequence[str]) -> Value:
            names = [[f"{body}.{one}" for one in components] for body in self._flexible.beams]
            rows = [[z[places[n]] if n in places else ca.DM(0) for n in row] for row in names]
            return ca.blockcat(rows)

        if not self._flexible.beams:
            return []
        modes = [z[self._modes]] if self._modes else []
        return [displaced(MOVES[:3]), displaced(MOVES[3:]), *modes]

    def platform_rates(self, at: MachineState, acceleration: Value) -> Value:
        """Return the platform's rates from the links that carry it, with constraint correction."""
        (z, rate), machine = at.inner, self._flexible.tree
        twist = dynamics.platform_rates(machine, z) @ rate
        velocity = twist + BAUMGARTE_RATE * dynamics.platform_error(machine, z, at.pose)
        corrected = acceleration - BAUMGARTE_RATE * (at.twist - twist)
        return ca.vertcat(pose_rate(at.pose, velocity), corrected)

    def energy(self, at: MachineState) -> Value:
        """Return kinetic and potential energy of the bodies, and elastic energy of the links."""
        z, rate = at.inner
        return ca.vertcat(*dynamics.energies(self._flexible.tree, z, rate, _base_of(at.machine)))

    def holding_forces(self, kernels: Kernels, numbers: Array, pose: Array) -> Array:
        """Return efforts of the motors, at their places in the rigid machine."""
        return np.asarray(self._flexible.deflected(pose).force)

    def start(self, robot: Robot, pose: Array, twist: Array) -> InitialState:
        """Return links that bend under the weight; the platform deviates a little from its pose."""
        flexible = self._flexible
        z, rate = flexible.steady_motion(pose, twist)
        return flexible.pose(z), flexible.twist(z, rate), [ca.DM(z), ca.DM(rate)]

    def carrying(self, robot: Robot) -> Self:
        """Return the links with a payload on the platform."""
        return replace(self, robot=as_mechanism(robot))


@final
@dataclass(frozen=True)
class AllJoints(FlexibleLinks):
    """Rigid links, with positions of all joints as states: they keep their branch by moving on."""

    has_all_joints = True

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """Return the links of a mechanism; one with compliant links is refused."""
        if isinstance(robot, Mechanism) and not robot.has_compliant_links:
            return cls(robot)
        raise GoughError(
            f'{robot.name}: coordinates are "joints"; expected a machine of the schema gough/2 '
            'with rigid links and bearings ("flexible" links have all joints as states anyway)'
        )

    def start(self, robot: Robot, pose: Array, twist: Array) -> InitialState:
        """Return the joints as they are drawn: no springs of passive joints are in equilibrium."""
        z = self._flexible.at(pose)
        rate, _ = self._flexible.rigid_motion(z, twist, np.zeros(6))
        return pose, twist, [ca.DM(z), ca.DM(rate)]

    def joints(self, states: Array, names: Sequence[str]) -> Array:
        """Return (..., m) the positions of joints by their names; NaN of balls, and in closures.

        Of rates of the states they are the joints' speeds. Joints that close loops are no states,
        and the angles of a ball are about other axes.
        """
        own = self._flexible.coordinates
        balls = {joint.name for joint in self.robot.joints if joint.kind.is_ball}
        known = [name in own and name.rpartition(".")[0] not in balls for name in names]
        pairs = zip(names, known, strict=True)
        found = [states[..., own.index(name)] if stated else np.nan for name, stated in pairs]
        return np.stack(np.broadcast_arrays(*found), axis=-1)

    def validity_warnings(self, time: Array, states: Array) -> list[str]:
        """Return warnings of loops that opened, and the change points that were passed."""
        from gough.elastic.flexible.link_tree import loop_rows  # noqa: PLC0415

        z = np.ascontiguousarray(states[:, : self._flexible.tree.size])
        rows = list(loop_rows(self.robot, ()))
        if not rows:
            return super().validity_warnings(time, states)
        _, C, _ = self._flexible.closing(z)
        size = np.linalg.svd(C[:, rows], compute_uv=False)[:, -1:]
        passed = time[touched(np.asarray(size, dtype=float)).any(axis=1)]
        words = super().validity_warnings(time, states)
        if len(passed):
            at = ", ".join(f"{t:.6g}" for t in passed[:SHOWN])
            more = f" and {len(passed) - SHOWN} more" * (len(passed) > SHOWN)
            words.append(f"a change point was passed at t = {at} s{more}: the joints went on")
        return words


def touched(size: Array) -> AnyArray:
    """Return (T, ...) where numbers that are not negative came to zero between two samples.

    They do as extrapolated from both sides, by the slopes before and behind.
    """
    found = np.zeros_like(size, dtype=bool)
    if len(size) > 3:
        before, behind = 2 * size[1:-2] - size[:-3], 2 * size[2:-1] - size[3:]
        found[2:-1] = (before < 0) & (behind < 0)
    return found
