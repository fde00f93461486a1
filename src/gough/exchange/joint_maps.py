"""Maps between a joint that motors drive through loops, such as an ankle, and these motors.

Simulators of whole robots have the joint alone, q, as a hinge or as two that follow each other. Its
motors are where θ(q) is; J = ∂θ/∂q takes rates and torques from one side to the other.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, Program, compiled
from gough.compiler.front.function import Equation, iterate
from gough.compiler.source.c import Library
from gough.compiler.source.language import c_identifier
from gough.disk.sources import Texts, write_sources
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, rotation
from gough.equations.spatial.attitude import quaternion_of_rotation_vector, quaternion_product
from gough.equations.spatial.pose import move
from gough.errors import GoughError
from gough.exchange.source import c_files, cuda_files
from gough.model.actuators import rotor_masses_of
from gough.model.machines import Machines
from gough.robot import Robot

CLOSE, STRIDE, MOST_STEPS = 1e-12, 0.1, 60
"""Last and maximum step of Newton's method [rad], and maximum number of steps."""


class JointMaps(NamedTuple):
    """Kernels between a joint q and its motors θ; torques are forces where a motor slides."""

    motor_position: Kernel[Array]
    """θ(q) [rad, m]"""
    motor_velocity: Kernel[Array]
    """J q̇, of (q, q̇) [rad/s, m/s]"""
    joint_position: Kernel[Array]
    """q(θ) [rad], near a guess, of (θ, guess); NaN where there is none"""
    joint_torque: Kernel[Array]
    """Jᵀ f, of q and the motors' torques f [N m]"""
    motor_torque: Kernel[Array]
    """J⁻ᵀ τ, of q and the joint's torques τ [N m, N]"""
    reflected_inertia: Kernel[Array]
    """Jᵀ I J of rotors and gears, of q [kg m²]"""


def joint_maps(robot: Robot) -> JointMaps:
    """Return the maps of a robot whose base and platform one hinge or universal joint connects.

    q are the angles about its axes, in their order from base to platform, from home. A
    robot with another joint, or with another number of motors, is refused.

    >>> import gough
    >>> maps = gough.exchange.joint_maps(gough.load("ankle-2rsu"))
    >>> maps.motor_velocity([[0, 0], [0.2, 0.1]], [1, 0]).shape
    (2, 2)
    """
    _axes(robot)
    return JointMaps(*(_map(Machines(robot), name) for name in JointMaps._fields))


def export_joint_maps(
    robot: Robot, directory: str | Path, *, language: str = "c", overwrite: bool = False
) -> list[Path]:
    """Write all maps of a joint: `ROBOT_joint.c`, .h and an example, or .cu and .json of each map.

    Files that are not as Gough made them are refused, unless `overwrite`.
    """
    if language not in ("c", "cuda"):
        raise GoughError(f"cannot export maps of joints to {language!r}; expected 'c' or 'cuda'")
    functions = [kernel.function for kernel in joint_maps(robot)]
    programs = [Program.of(function, robot.identity) for function in functions]
    name = f"{c_identifier(robot.name)}_joint"
    values = {a.name: np.full(a.shape, 0.05) for f in functions for a in f.inputs}
    values["theta"] = np.asarray(joint_maps(robot).motor_position(values["q"]))
    if language == "c":
        texts = c_files(name, Library(name, tuple(programs), False), values)
    else:
        texts = Texts()
        for program in programs:
            texts |= cuda_files(replace(program, name=f"{name}_{program.name}"), "float64")
    return write_sources(Path(directory), texts, overwrite=overwrite)


@compiled
def _map(machines: Machines, name: str) -> Kernel[Array]:
    robot, n = machines.robot, machines.structure.actuators
    point, axes = _axes(robot)
    rotors = ca.diag(ca.DM(rotor_masses_of(robot)))
    armatures = {j.name: getattr(j, "armature", None) for j in robot.bodies_and_joints.joints}
    rotors += ca.diag(ca.DM([armatures.get(a.name) or 0.0 for a in robot.actuators]))

    def placed(q: Value) -> tuple[Value, Value]:
        """Return the pose, and twists (6 x n) at unit rates of q."""
        turn, twists, home = ca.DM([1, 0, 0, 0]), [], ca.DM(robot.home)
        for k, axis in enumerate(axes):
            twists.append(rotation(ca.vertcat(0, 0, 0, turn)) @ axis)
            turn = quaternion_product(turn, quaternion_of_rotation_vector(q[k] * axis))
        arm = rotation(ca.vertcat(0, 0, 0, turn)) @ (home[0:3] - point)
        pose = move(home, point + arm - home[0:3], turn)
        return pose, ca.horzcat(*(ca.vertcat(ca.cross(e, arm), e) for e in twists))

    def motors(machine: Machine, q: Value) -> tuple[Value, Value]:
        """Return θ and J."""
        pose, twists = placed(q)
        rates = (kinematics.joint_velocity(machine, pose, twists[:, k]) for k in range(n))
        return kinematics.inverse_kinematics(machine, pose), ca.horzcat(*rates)

    def newton(machine: Machine, q: Value, theta: Value) -> tuple[Value, Value]:
        at, J = motors(machine, q)
        step = solve(J, theta - at)
        size = ca.mmax(ca.fabs(step))
        return q + step * ca.fmin(1, STRIDE / ca.fmax(size, CLOSE)), size < CLOSE

    def searched(machine: Machine, theta: Value, guess: Value) -> Value:
        given = [Argument("q", (n,)), Argument("theta", (n,))]
        step = Function.from_equation(
            "map_step", lambda *x: newton(machine, *x), given, [given[0], Argument("status")]
        )
        q, _, status = iterate(step, MOST_STEPS, constant=True)(guess, theta)
        found = newton(machine, q, theta)[0]  # has the derivatives that q lacks
        return ca.if_else(status > 0.5, found, ca.DM.nan(n))

    unit, force = machines.structure.unit, machines.structure.force_unit
    joint, rate = Argument("q", (n,), "rad", "angles"), Argument("q_dot", (n,), "rad/s", "rates")
    motor = Argument("theta", (n,), unit, "positions of the motors")
    torque = Argument("tau", (n,), "N m", "torques about the joint's axes")
    pull = Argument("f", (n,), force, "torques, or forces, of the motors")
    made: dict[str, tuple[Equation, list[Argument], Argument]] = {
        "motor_position": (lambda m, q: motors(m, q)[0], [joint], motor),
        "motor_velocity": (
            lambda m, q, v: motors(m, q)[1] @ v,
            [joint, rate],
            Argument("theta_dot", (n,), f"{unit}/s", "rates of the motors"),
        ),
        "joint_position": (searched, [motor, replace(joint, name="guess")], joint),
        "joint_torque": (lambda m, q, f: motors(m, q)[1].T @ f, [joint, pull], torque),
        "motor_torque": (lambda m, q, t: solve(motors(m, q)[1].T, t), [joint, torque], pull),
        "reflected_inertia": (
            lambda m, q: motors(m, q)[1].T @ rotors @ motors(m, q)[1],
            [joint],
            Argument("inertia", (n, n), "kg m^2", "of rotors and gears, at the joint"),
        ),
    }
    equation, inputs, output = made[name]
    return machines.kernel(name, equation, inputs, [output], getattr(JointMaps, name).__doc__ or "")


def _axes(robot: Robot) -> tuple[Value, list[Value]]:
    """Return the joint between base and platform: its centre [m] and its axes, base frame."""
    joints = (j for j in robot.bodies_and_joints.joints if {*j.between} == {"base", "platform"})
    between = [joint for joint in joints if joint.type in ("R", "U")]
    if len(between) != 1 or len(between[0].axes) != len(robot.actuators):
        raise GoughError(
            f"{robot.name}: no hinge or universal joint connects its base with its platform, with "
            "one motor for each axis; expected an ankle, a knee or a wrist, such as ankle-2rsu"
        )
    (joint,) = between
    axes = [ca.DM(axis) for axis in joint.axes]
    return ca.DM(joint.at), axes if joint.between[0] == "base" else axes[::-1]
