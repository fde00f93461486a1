"""What hexapods and machines of any kind both answer: one equation each, by the kind of machine.

For a hexapod all six components of a twist are free, u is the twist itself and T is one; its
equations are the shorter ones of extensible legs. Those of machines of any kind are imported when
the first of these is met: hexapods never wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import casadi as ca

from gough.equations.actuators import friction as leg_friction
from gough.equations.actuators import joint_springs as leg_springs
from gough.equations.dynamics import default
from gough.equations.dynamics.energy import energy as hexapod_energy
from gough.equations.elastic import holding
from gough.equations.elastic import stiffness as hexapod_stiffness
from gough.equations.elastic import vibration as hexapod_vibration
from gough.equations.legs import closure, parts
from gough.equations.machine import Machine as Hexapod
from gough.equations.platform import newton
from gough.equations.platform import singularity as platform
from gough.equations.spatial import size
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import rate as pose_rate

if TYPE_CHECKING:
    from gough.equations.mechanism.machine import Machine as AnyKind

AnyMachine: TypeAlias = "Hexapod | AnyKind"
Equation = Callable[..., Any]


def _by_kind(of_hexapod: Equation, of_any: str) -> Equation:
    """An equation for both; `of_any` is a module of `equations.mechanism`, and what it offers."""
    module, _, name = of_any.partition(".")

    def equation(machine: AnyMachine, *state: Value) -> Any:
        if isinstance(machine, Hexapod):
            return of_hexapod(machine, *state)
        return getattr(import_module(f"gough.equations.mechanism.{module}"), name)(machine, *state)

    equation.__doc__ = of_hexapod.__doc__
    return equation


def _all_moves(machine: Hexapod, pose: Value) -> Value:
    return ca.DM.eye(6)


def _own_home(machine: Hexapod) -> Value:
    """The home pose."""
    return machine.home


def _all_admissible(machine: Hexapod, pose: Value, twist: Value) -> Value:
    return twist


def _no_coasting(machine: Hexapod, pose: Value, twist: Value) -> Value:
    return ca.DM.zeros(6)


def _closed(machine: Hexapod, pose: Value) -> Value:
    return ca.DM.zeros(6)


def _no_gaps(machine: Hexapod, pose: Value) -> Value:
    return ca.DM(0, 1)


def _twist_itself(machine: Hexapod, twist: Value) -> Value:
    return twist


def _newton_step(machine: Hexapod, pose: Value, q: Value) -> Value:
    step, _ = newton.newton_step(machine, pose, q)
    return step


def _six(machine: Hexapod) -> int:
    return 6


def drift(machine: AnyMachine, pose: Value, twist: Value) -> Value:
    """Second rates of the driven joints (m) [m/s^2, rad/s^2] while u does not change: J̇_u u."""
    return joint_acceleration(machine, pose, twist, coasting(machine, pose, twist))


def body_frame_rates(machine: AnyMachine, pose: Value, twist: Value) -> Value:
    """How fast `body_frames` change, in their shape [1/s, m/s]."""
    x = ca.SX.sym("pose", pose.shape[0])
    frames = body_frames(machine, x)
    rates = ca.jtimes(ca.vec(frames), x, pose_rate(x, twist))
    return ca.reshape(ca.substitute(rates, x, pose), frames.shape)


def joint_wrench(machine: AnyMachine, pose: Value, twist: Value) -> Value:
    """The wrench (6) [N, N m] on the platform of all friction, damping and springs in the joints.

    That of all passive joints, and of driven ones that are described one by one.
    """
    wrench, frictions = spring_wrench(machine, pose), stated_frictions(machine)
    if frictions:
        wrench += friction_wrench(machine, frictions, pose, twist)
    return wrench


def resists(machine: AnyMachine) -> bool:
    """Whether a machine states friction, damping or springs of its joints."""
    if not isinstance(machine, Hexapod):
        return bool(machine.frictions or machine.flexures)
    return any(
        fact is not None
        for leg in machine.legs
        for fact in (leg.friction, leg.flexures, leg.damping)
    )


def with_joints(inverse_dynamics: Equation) -> Equation:
    """The inverse dynamics of rigid bodies, made that of machines whose joints resist.

    A machine that states no friction, damping and springs has the same equations as before.
    """

    def equation(
        machine: AnyMachine, pose: Value, twist: Value, acceleration: Value, wrench: Value
    ) -> Value:
        if not resists(machine):
            return inverse_dynamics(machine, pose, twist, acceleration, wrench)
        loaded = wrench + joint_wrench(machine, pose, twist)
        force = inverse_dynamics(machine, pose, twist, acceleration, loaded)
        return force + own_friction(machine, pose, twist)

    return equation


def power_with_joints(inverse_dynamics: Equation) -> Equation:
    """Mechanical power (n) [W] of each actuator: its force, as above, times its rate."""
    force = with_joints(inverse_dynamics)

    def equation(machine: AnyMachine, pose: Value, twist: Value, *rest: Value) -> Value:
        return force(machine, pose, twist, *rest) * joint_velocity(machine, pose, twist)

    return equation


def required_with_joints(required_forces: Equation) -> Equation:
    """What a motion of rigid bodies takes, made that of machines whose joints resist."""

    def equation(
        machine: AnyMachine, pose: Value, twist: Value, acceleration: Value
    ) -> tuple[Value, Value]:
        across, along = required_forces(machine, pose, twist, acceleration)
        if not resists(machine):
            return across, along
        resisting = moves(machine, pose).T @ joint_wrench(machine, pose, twist)
        return across - resisting, along + own_friction(machine, pose, twist)

    return equation


home = _by_kind(_own_home, "stance.home")
freedoms = _by_kind(_six, "freedom.count")
characteristic_length = _by_kind(size.platform_reach, "nearness.arm")
inverse_kinematics = _by_kind(closure.inverse_kinematics, "kinematics.inverse_kinematics")
body_frames = _by_kind(parts.part_frames, "places.body_frames")
jacobian = _by_kind(closure.jacobian, "kinematics.jacobian")
joint_velocity = _by_kind(closure.joint_velocity, "kinematics.joint_velocity")
joint_acceleration = _by_kind(closure.joint_acceleration, "kinematics.joint_acceleration")
moves = _by_kind(_all_moves, "kinematics.moves")
along_moves = _by_kind(_twist_itself, "kinematics.along_moves")
admissible = _by_kind(_all_admissible, "kinematics.admissible")
open_gaps = _by_kind(_no_gaps, "closing.open_gaps")
closing_step = _by_kind(_closed, "closing.closing_step")
newton_step = _by_kind(_newton_step, "pose_step.newton_step")
actuation_matrix = _by_kind(closure.jacobian, "singularity.actuation_matrix")
determinant = _by_kind(platform.determinant, "nearness.determinant")
scaled_jacobian = _by_kind(platform.scaled_jacobian, "nearness.scaled_jacobian")
unscaled_moves = _by_kind(platform.unscaled_moves, "nearness.unscaled_moves")
singular_distance = _by_kind(platform.distance, "nearness.distance")
coasting = _by_kind(_no_coasting, "kinematics.coasting_acceleration")
inverse_dynamics = _by_kind(default.inverse_dynamics, "dynamics.inverse_dynamics")
forward_dynamics = _by_kind(default.forward_dynamics, "dynamics.forward_dynamics")
balancing_forces = _by_kind(closure.leg_forces, "dynamics.balancing_forces")
required_forces = _by_kind(default.required_forces, "dynamics.required_forces")
mass_matrix = _by_kind(default.mass_matrix, "dynamics.mass_matrix")
bias = _by_kind(default.bias, "dynamics.bias")
gravity = _by_kind(default.gravity, "dynamics.gravity")
holding_force = _by_kind(holding.holding_force, "stiffness.holding_force")
stiffness = _by_kind(hexapod_stiffness.stiffness, "stiffness.stiffness")
compliance = _by_kind(hexapod_stiffness.compliance, "stiffness.compliance")
deflection = _by_kind(hexapod_stiffness.deflection, "stiffness.deflection")
vibration = _by_kind(hexapod_vibration.vibration, "stiffness.vibration")
friction_wrench = _by_kind(leg_friction.friction_wrench, "friction.friction_wrench")
actuator_force = with_joints(inverse_dynamics)
stated_frictions = _by_kind(leg_friction.stated_frictions, "friction.stated_frictions")
own_friction = _by_kind(leg_friction.own_friction, "friction.own_friction")
spring_wrench = _by_kind(leg_springs.spring_wrench, "joint_springs.spring_wrench")
spring_energy = _by_kind(leg_springs.spring_energy, "joint_springs.spring_energy")
energy = _by_kind(hexapod_energy, "dynamics.energy")
