"""A ball that rolls on the platform: its states beside the machine's, and its weight on it.

The wrench of the ball is affine in the platform's acceleration, and that is affine in the wrench:
both are solved together, exactly.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import final

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators import drive
from gough.equations.actuators.drive import Actuation
from gough.equations.forces.rolling_ball import SIZE, Ball, ball_energy, rolling
from gough.equations.machine import Machine
from gough.equations.solvers.implicit import by_operations
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value
from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import CheckedTable, entry
from gough.model import Kernels, machine_of
from gough.robot import Robot, places_of
from gough.simulation.plants.actuators import MachineResponse, run_outputs
from gough.simulation.plants.transmission import (
    RIGID_JOINTS,
    BodyBeside,
    InitialState,
    MachineState,
    Transmission,
    with_joints,
)

BALL = Argument("ball", (SIZE,), "SI", "place x y and its rates on the plate, spin of the ball")


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

    own = BALL
    table: BallOnPlate

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Place and velocity of the ball, its wrench on the platform, and its normal force."""
        return run_outputs(0, "ball_position", "ball_velocity", "ball_wrench", "ball_force")

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

    def holding_forces(self, robot: Robot, numbers: Array, pose: Array) -> Array:
        """Return the actuators' forces that hold the robot and the ball where it begins."""
        _, _, (inner,) = self.start(robot, pose, still := np.zeros(6))
        g = machine_of(robot).frame_convention.axes.T @ numbers[..., places_of(robot)["gravity"]].T
        wrench = np.array(_resting(self.table.ball)(inner, pose, g)).T
        kernel = Kernels(robot, parametric=True).actuator_force
        return kernel(numbers, pose, still, still, wrench.reshape((*numbers.shape[:-1], 6)))

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
