"""Bodies beside the machine's own, whose states go with it: a floating base, and a rolling ball.

A base that floats is a body free to move, as that of a satellite. Its pose and twist in the world
are states beside the platform's, which stay relative to it. The machine's wrench on its base is
affine in the base's acceleration A: what moves the base body equals it at one A.

The wrench of a ball that rolls on the platform is affine in the platform's acceleration, and that
is affine in the wrench: both are solved together, exactly.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import casadi as ca
import numpy as np
from casadi import cross, dot

from gough.arrays import Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.actuators import drive
from gough.equations.actuators.drive import Actuation
from gough.equations.forces import dynamics
from gough.equations.forces.moving_base import on_moving_base
from gough.equations.forces.passive_joints import spring_energy
from gough.equations.forces.reactions import base_wrench
from gough.equations.forces.rolling_ball import SIZE, Ball, ball_energy, rolling
from gough.equations.machine import Machine
from gough.equations.solvers.implicit import by_operations
from gough.equations.solvers.linear import solve, solve_symmetric
from gough.equations.spatial.algebra import Value, angular, linear, position, rotation
from gough.equations.spatial.pose import normalised
from gough.equations.spatial.pose import rate as pose_rate
from gough.equations.tree.bodies import Body, BodyMotion, inertial_force
from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import CheckedTable, entry
from gough.model import Kernels, Machines
from gough.motion import MotionSamples
from gough.robot import Robot
from gough.simulation.plants.actuators import MachineResponse, run_outputs
from gough.simulation.plants.transmission import (
    RIGID_JOINTS,
    InitialState,
    MachineState,
    Transmission,
    with_joints,
)

BASE = Argument("base", (13,), "SI", "pose and twist of the base in the world")
BALL = Argument("ball", (SIZE,), "SI", "place x y and its rates on the plate, spin of the ball")


class BodyBeside(Transmission):
    """Rigid legs of a machine with a body beside its own, whose states are one column."""

    is_compliant = False


class BaseBody(CheckedTable):
    """The [plant.floating_base] table: the base as a body, and its first motion.

    >>> from gough.simulation import BaseBody
    >>> BaseBody(mass=20.0, inertia=[1.0, 1.0, 1.5]).center_of_mass
    (0.0, 0.0, 0.0)
    """

    mass: q.PositiveMass = entry("Mass of the base [kg].")
    inertia: q.Inertia = entry(
        "Inertia about its mass centre, base axes [kg m^2]: three principal moments or a 3x3."
    )
    center_of_mass: q.Point = entry("Mass centre [m], base frame.", (0.0, 0.0, 0.0))
    velocity: q.Velocity = entry("Velocity at the beginning [m/s].", (0.0, 0.0, 0.0))
    angular_velocity: q.AngularVelocity = entry(
        "Angular velocity at the beginning [rad/s].", (0.0, 0.0, 0.0)
    )

    @property
    def body(self) -> Body:
        """The body as the equations take it."""
        m, c, inertia = self.mass, ca.DM(self.center_of_mass), ca.DM(np.array(self.inertia))
        own = ca.trace(inertia) / 2 * ca.DM.eye(3) - inertia
        return Body(ca.DM(m), m * c, own + m * (c @ c.T))


@final
@dataclass(frozen=True)
class FloatingBase(BodyBeside):
    """Rigid legs on a base that floats: it begins at the world's origin."""

    base: BaseBody
    states = (BASE,)
    outputs = run_outputs(0, "base_pose", "base_twist")

    def base_motion(self, states: Array, rates: Array) -> MotionSamples:
        """Return the motion of the base."""
        parts = (states[..., 0:7], states[..., 7:13], rates[..., 7:13])
        return MotionSamples(*map(np.ascontiguousarray, parts))

    def switched(self, column: Value, touch: Value) -> Value:
        """Return the states with a quaternion of length one."""
        return ca.vertcat(normalised(column[0:7]), column[7:13])

    def forward_dynamics(self, at: MachineState, laws: Actuation, wrench: Value) -> MachineResponse:
        """Return the motion of platform and base; A is in base axes."""
        A, R = ca.SX.sym("A", 6), rotation(at.inner)
        in_world = ca.vertcat(R @ linear(A), R @ angular(A))
        machine = self._carried(at, in_world)
        state, loads = (machine, at.pose, at.twist), with_joints(at, wrench)
        with by_operations():
            acceleration, force = drive.forward_dynamics(*state, laws, loads)
        g = _gravity(machine)
        motion = BodyMotion(R.T @ at.inner[10:13], angular(A), linear(A) - g)
        needed = inertial_force(self.base.body, motion)
        lacking = base_wrench(*state, acceleration, wrench) - ca.vertcat(needed.f, needed.n)
        parts = [-ca.densify(ca.jacobian(lacking, A)), lacking]
        solved = solve_symmetric(*ca.substitute(parts, [A], [ca.SX.zeros(6)]))
        found = ca.substitute([acceleration, force, in_world], [A], [solved])
        rates = ca.vertcat(pose_rate(at.inner[0:7], at.inner[7:13]), found[2])
        return MachineResponse(found[0], [rates], found[1], [at.inner[0:7], at.inner[7:13]])

    def on_moving_base(self) -> Transmission:
        """Refuse it: the base moves as the machine pushes it."""
        expected = "[base] or plant.floating_base"
        raise InputError("both are given", key="plant.floating_base", expected=expected)

    def energy(self, at: MachineState) -> Value:
        """Return the energy of all bodies, the base among them, and of springs."""
        bodies = dynamics.energy(self._carried(at, ca.DM.zeros(6)), at.pose, at.twist)
        R, body = rotation(at.inner), self.base.body
        v, omega = R.T @ at.inner[7:10], R.T @ at.inner[10:13]
        momenta = body.mass * v + cross(omega, body.ms), cross(body.ms, v) + body.inertia @ omega
        g = _gravity(at.machine)
        lifted = body.mass * position(at.inner) + R @ body.ms
        own = (dot(v, momenta[0]) + dot(omega, momenta[1])) / 2, -dot(g, lifted)
        return ca.vertcat(bodies + ca.vertcat(*own), spring_energy(at.machine, at.pose))

    def start(self, robot: Robot, pose: Array, twist: Array) -> InitialState:
        """Return the machine on the base as it begins."""
        first = (0, 0, 0, 1, 0, 0, 0, *self.base.velocity, *self.base.angular_velocity)
        return pose, twist, [ca.DM(first)]

    def _carried(self, at: MachineState, acceleration: Value) -> Machine:
        """Return the machine on the base."""
        return on_moving_base(at.machine, at.inner[0:7], at.inner[7:13], acceleration)


class BallOnPlate(CheckedTable):
    """The [plant.ball] table: a ball that rolls without slipping on a plate of the platform.

    The plate is a plane across the platform's z axis.

    >>> from gough.simulation import BallOnPlate
    >>> BallOnPlate(mass=0.05, radius=0.02).height
    0.0
    """

    mass: q.PositiveMass = entry("Mass of the ball [kg].")
    radius: q.PositiveLength = entry("Radius of the ball [m].")
    hollow: q.YesOrNo = entry("Whether it is a thin shell, such as a table-tennis ball.", False)
    height: q.Length = entry("Height of the plate above the platform's origin [m].", 0.0)
    position: q.Place = entry("Initial place on the plate, x and y [m].", (0.0, 0.0))
    velocity: q.PlaneVelocity = entry("Initial velocity relative to the plate [m/s].", (0.0, 0.0))

    @property
    def ball(self) -> Ball:
        """The ball as the equations take it."""
        return Ball(self.mass, self.radius, 2 / 3 if self.hollow else 2 / 5, self.height)


@final
@dataclass(frozen=True)
class RollingBall(BodyBeside):
    """Rigid legs under a platform with a ball on it."""

    table: BallOnPlate
    states = (BALL,)
    outputs = run_outputs(0, "ball_position", "ball_velocity", "ball_wrench", "ball_force")

    def forward_dynamics(self, at: MachineState, laws: Actuation, wrench: Value) -> MachineResponse:
        """Return the motion of platform and ball: a is both its cause and its result."""
        a, state = ca.SX.sym("a", 6), (at.machine, at.pose, at.twist)
        ball = rolling(self.table.ball, at.inner, at.pose, at.twist, a, _gravity(at.machine))
        with by_operations():
            loads = with_joints(at, wrench) + ball.wrench
            found, force = drive.forward_dynamics(*state, laws, loads)
        slope = ca.DM.eye(6) - ca.densify(ca.jacobian(found, a))
        solved = solve(*ca.substitute([slope, found], [a], [ca.SX.zeros(6)]))
        parts = [force, ball.rates, ball.wrench, ball.normal_force]
        force, rates, *own = ca.substitute(parts, [a], [solved])
        return MachineResponse(solved, [rates], force, [at.inner[0:2], at.inner[2:4], *own])

    def on_moving_base(self) -> Transmission:
        """Refuse it: the ball's equations have a base at rest."""
        raise InputError("of a base at rest alone", key="plant.ball", expected="no [base]")

    def energy(self, at: MachineState) -> Value:
        """Return the energy of all bodies, the ball among them, and of springs."""
        own = ball_energy(self.table.ball, at.inner, at.pose, at.twist, _gravity(at.machine))
        return RIGID_JOINTS.energy(at) + ca.vertcat(own, 0)

    def holding_forces(self, kernels: Kernels, numbers: Array, pose: Array) -> Array:
        """Return the actuators' forces that hold the robot and the ball where it begins."""
        _, _, (inner,) = self.start(kernels.robot, pose, still := np.zeros(6))
        g = _gravity_kernel(kernels.machines)(numbers).T
        wrench = np.array(_resting(self.table.ball)(inner, pose, g)).T
        loads = still, still, wrench.reshape((*numbers.shape[:-1], 6))
        return np.asarray(kernels.actuator_force(numbers, pose, *loads))

    def start(self, robot: Robot, pose: Array, twist: Array) -> InitialState:
        """Return the machine with the ball where it begins."""
        return pose, twist, [ca.DM([*self.table.position, *self.table.velocity, 0.0])]


@lru_cache
def _resting(ball: Ball) -> ca.Function:
    """The function (state, pose, gravity) -> wrench of a ball on a platform at rest."""
    s, pose, g = map(ca.SX.sym, "spg", (SIZE, 7, 3))
    still = ca.DM.zeros(6)
    wrench = rolling(ball, s, pose, still, still, g).wrench
    return ca.Function("resting", [s, pose, g], [wrench])


def _gravity(machine: Machine) -> Value:
    """Return gravity [m/s^2] in base axes."""
    return machine.frame_convention.axes.T @ machine.gravity


@compiled
def _gravity_kernel(machines: Machines) -> Kernel:
    return machines.kernel("gravity", _gravity, [], [Argument("gravity", (3,), "m/s^2")])
