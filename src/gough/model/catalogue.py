"""The kernels that a model offers: for each its equation, its arguments and their meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from types import ModuleType
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.dynamics import (
    decomposition,
    energy,
    joint_space,
    kane,
    lagrange,
    newton_euler,
    point_mass_legs,
    reactions,
    recursive,
    virtual_work,
)
from gough.equations.dynamics.linearization import linearize
from gough.equations.legs import closure, mass_centers, passive
from gough.equations.machine import Machine
from gough.equations.platform import singularity

FORMULATIONS: dict[str, ModuleType] = {
    "newton-euler": newton_euler,
    "lagrange": lagrange,
    "virtual-work": virtual_work,
    "kane": kane,
    "recursive": recursive,
    "point-mass-legs": point_mass_legs,
}
"""Five exact derivations, and the approximation of Bingul 2012."""
DEFAULT_FORMULATION = "newton-euler"
"""The one whose inverse dynamics takes the fewest operations."""

POSE = Argument("pose", (7,), "m, 1", "platform position x y z and quaternion w x y z")
TWIST = Argument(
    "twist", (6,), "m/s, rad/s", "velocity of the platform's origin, angular velocity", True
)
ACCELERATION = Argument(
    "acceleration", (6,), "m/s^2, rad/s^2", "time derivative of the twist", True
)
WRENCH = Argument(
    "wrench", (6,), "N, N m", "force and moment that the world exerts on the platform", True
)
FORCE = Argument("force", (6,), "N", "actuator forces, positive when they extend the legs", True)
MOTION = (POSE, TWIST, ACCELERATION)


@dataclass(frozen=True)
class Definition:
    """A kernel to be: `equation(machine, *inputs)` gives the outputs, for one state."""

    equation: Callable[..., Any]
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    doc: str


def definitions(formulation: str) -> dict[str, Definition]:
    """All kernels by name; those of the dynamics by the chosen formulation."""
    return _KINEMATICS | _dynamics(FORMULATIONS[formulation]) | _WHOLE_MACHINE


def _define(
    equation: Callable[..., Any], inputs: tuple[Argument, ...], *outputs: Argument, doc: str = ""
) -> Definition:
    return Definition(equation, inputs, outputs, doc or equation.__doc__ or "")


def _per_leg(name: str, unit: str, meaning: str) -> Argument:
    return Argument(name, (6, 3), unit, f"{meaning}, one row per leg, base axes")


_KINEMATICS = {
    "inverse_kinematics": _define(
        closure.inverse_kinematics, (POSE,), Argument("q", (6,), "m", "leg lengths")
    ),
    "jacobian": _define(
        closure.jacobian,
        (POSE,),
        Argument("J", (6, 6), "1, m/rad", "leg rates by twist; row i belongs to leg i"),
    ),
    "jacobian_rate": _define(
        closure.jacobian_rate, (POSE, TWIST), Argument("J_dot", (6, 6), "1/s, m/rad/s", "d/dt J")
    ),
    "is_singular": _define(
        closure.is_singular, (POSE,), Argument("singular", (), "", "1 if singular, else 0")
    ),
    "singular_legs": _define(
        closure.singular_legs,
        (POSE,),
        Argument("kind", (6,), "", "1 along its first axis, 2 without length, else 0"),
    ),
    "universal_joint_sines": _define(
        singularity.universal_joint_sines,
        (POSE,),
        Argument("sines", (6,), "1", "of the angle between first axis and leg"),
    ),
    "joint_velocity": _define(
        closure.joint_velocity, (POSE, TWIST), Argument("q_dot", (6,), "m/s", "leg length rates")
    ),
    "joint_acceleration": _define(
        closure.joint_acceleration,
        MOTION,
        Argument("q_ddot", (6,), "m/s^2", "second rates of the leg lengths"),
    ),
    "leg_angular_velocity": _define(
        closure.leg_angular_velocity,
        (POSE, TWIST),
        _per_leg("omega", "rad/s", "angular velocity of each leg"),
    ),
    "leg_angular_acceleration": _define(
        closure.leg_angular_acceleration,
        MOTION,
        _per_leg("alpha", "rad/s^2", "angular acceleration of each leg"),
    ),
    "leg_spin": _define(
        passive.leg_spin, (POSE, TWIST), Argument("spin", (6,), "rad/s", "turning about itself")
    ),
    "universal_joint_angles": _define(
        lambda machine, pose: passive.universal_joint_angles(machine, pose, machine.home),
        (POSE,),
        Argument("angles", (6, 2), "rad", "γ about the first and ψ about the second axis"),
        doc=passive.universal_joint_angles.__doc__ or "",
    ),
    "universal_joint_velocity": _define(
        passive.universal_joint_velocity,
        (POSE, TWIST),
        Argument("rates", (6, 2), "rad/s", "rates of γ and ψ"),
    ),
    "spherical_joint_tilt": _define(
        lambda machine, pose: passive.spherical_joint_tilt(machine, pose, machine.home),
        (POSE,),
        Argument("tilt", (6,), "rad", "angle of each platform joint away from home"),
        doc=passive.spherical_joint_tilt.__doc__ or "",
    ),
    "mass_center_position": _define(
        mass_centers.mass_center_position,
        (POSE,),
        _per_leg("cylinder", "m", "mass centres of the cylinders"),
        _per_leg("piston", "m", "mass centres of the pistons"),
    ),
    "mass_center_velocity": _define(
        mass_centers.mass_center_velocity,
        (POSE, TWIST),
        _per_leg("cylinder", "m/s", "velocities of the cylinders' mass centres"),
        _per_leg("piston", "m/s", "velocities of the pistons' mass centres"),
    ),
    "mass_center_acceleration": _define(
        mass_centers.mass_center_acceleration,
        MOTION,
        _per_leg("cylinder", "m/s^2", "accelerations of the cylinders' mass centres"),
        _per_leg("piston", "m/s^2", "accelerations of the pistons' mass centres"),
    ),
}


def _dynamics(by: ModuleType) -> dict[str, Definition]:
    """The equation of motion; where a derivation makes no Coriolis matrix, Newton-Euler's."""
    coriolis_matrix = getattr(by, "coriolis_matrix", newton_euler.coriolis_matrix)
    M = Argument("M", (6, 6), "kg, kg m, kg m^2", "mass matrix in twist coordinates")
    C = Argument("C", (6, 6), "kg/s, kg m/s, kg m^2/s", "Coriolis matrix; d/dt M - 2 C is skew")
    M_q = Argument("M_q", (6, 6), "kg", "mass matrix on the leg lengths")
    C_q = Argument("C_q", (6, 6), "kg/s", "Coriolis matrix on the leg lengths")

    def joint_mass_matrix(machine: Machine, pose: Any) -> Any:
        """M_q of M_q q̈ + C_q q̇ + G_q = force + J⁻ᵀ wrench: the mass the actuators feel."""
        direct = closure.direct_jacobian(machine, pose)
        return joint_space.mass_matrix(direct, by.mass_matrix(machine, pose))

    def joint_coriolis_matrix(machine: Machine, pose: Any, twist: Any) -> Any:
        """C_q of M_q q̈ + C_q q̇ + G_q = force + J⁻ᵀ wrench, with d/dt M_q - 2 C_q skew."""
        direct = closure.direct_jacobian(machine, pose)
        J_dot = closure.jacobian_rate(machine, pose, twist)
        M, C = by.mass_matrix(machine, pose), coriolis_matrix(machine, pose, twist)
        return joint_space.coriolis_matrix(direct, J_dot, M, C)

    def joint_gravity(machine: Machine, pose: Any) -> Any:
        """G_q of M_q q̈ + C_q q̇ + G_q = force + J⁻ᵀ wrench: forces that hold the machine still."""
        return closure.leg_forces(machine, pose, by.gravity(machine, pose))

    def actuator_power(machine: Machine, *state: Any) -> Any:
        """Mechanical power of each actuator during a motion: its force times its rate."""
        pose, twist, _, _ = state
        force = by.inverse_dynamics(machine, *state)
        return force * closure.joint_velocity(machine, pose, twist)

    def all_reactions(machine: Machine, *state: Any) -> Any:
        """Forces and moments in every joint of the legs during a motion, for sizing bearings."""
        pose, twist, acceleration, _ = state
        force = by.inverse_dynamics(machine, *state)
        return reactions.reactions(machine, pose, twist, acceleration, force)

    def linearized(machine: Machine, *state: Any) -> Any:
        """A and B of ẋ = A x + B force near a state; x = (position, rotation vector, twist)."""
        return linearize(by.forward_dynamics, machine, *state)

    return {
        "inverse_dynamics": _define(
            by.inverse_dynamics, (*MOTION, WRENCH), Argument("force", (6,), "N", FORCE.meaning)
        ),
        "forward_dynamics": _define(
            by.forward_dynamics,
            (POSE, TWIST, FORCE, WRENCH),
            Argument("acceleration", (6,), ACCELERATION.unit, ACCELERATION.meaning),
        ),
        "mass_matrix": _define(by.mass_matrix, (POSE,), M),
        "coriolis_matrix": _define(coriolis_matrix, (POSE, TWIST), C),
        "gravity": _define(
            by.gravity, (POSE,), Argument("G", (6,), "N, N m", "wrench that balances all weights")
        ),
        "bias": _define(
            by.bias, (POSE, TWIST), Argument("h", (6,), "N, N m", "C · twist + G of the motion")
        ),
        "joint_mass_matrix": _define(
            getattr(by, "joint_mass_matrix", joint_mass_matrix), (POSE,), M_q
        ),
        "joint_coriolis_matrix": _define(
            getattr(by, "joint_coriolis_matrix", joint_coriolis_matrix), (POSE, TWIST), C_q
        ),
        "joint_gravity": _define(
            getattr(by, "joint_gravity", joint_gravity),
            (POSE,),
            Argument("G_q", (6,), "N", "actuator forces at rest"),
        ),
        "actuator_power": _define(
            actuator_power, (*MOTION, WRENCH), Argument("power", (6,), "W", "of each actuator")
        ),
        "reactions": _define(
            all_reactions,
            (*MOTION, WRENCH),
            _per_leg("base_force", "N", "base on leg, at the base joint"),
            _per_leg("base_moment", "N m", "base on leg, what the universal joint blocks"),
            _per_leg("platform_force", "N", "leg on platform, at the platform joint"),
            _per_leg("slide_force", "N", "cylinder on piston, across the leg"),
            _per_leg("slide_moment", "N m", "cylinder on piston, about the platform joint"),
        ),
        "linearize": _define(
            linearized,
            (POSE, TWIST, FORCE, WRENCH),
            Argument("A", (12, 12), "SI", "state matrix"),
            Argument("B", (12, 6), "SI", "input matrix, from actuator forces"),
        ),
    }


def _wrench_decomposition(machine: Machine, *state: Any) -> Any:
    """The six wrenches whose sum the actuators exert on the platform [Baiges 1996, 6.(24)]."""
    return astuple(decomposition.wrench_decomposition(machine, *state))


def _force_decomposition(machine: Machine, *state: Any) -> Any:
    """The six shares of the actuator forces, one for each wrench [Baiges 1996, 6.(24)]."""
    return astuple(decomposition.force_decomposition(machine, *state))


def _force_parts(machine: Machine, *state: Any) -> Any:
    """The actuator forces of gravity, acceleration, velocity and wrench: their sum is the whole."""
    return tuple(ca.horzsplit(decomposition.force_parts(machine, *state)))


def _shares(unit: str) -> tuple[Argument, ...]:
    return (
        Argument("external", (6,), unit, "against the external wrench"),
        Argument("platform", (6,), unit, "for the platform's inertia and weight"),
        Argument("leg_gravity", (6,), unit, "for the weight of the legs"),
        Argument("tangential", (6,), unit, "for second rates of the legs' coordinates"),
        Argument("coriolis", (6,), unit, "for products of a length's rate and an angular rate"),
        Argument("centrifugal", (6,), unit, "for products of two angular rates of a leg"),
    )


_WHOLE_MACHINE = {
    "energy": _define(
        energy.energy, (POSE, TWIST), Argument("energy", (2,), "J", "kinetic and potential energy")
    ),
    "momentum": _define(
        energy.momentum,
        (POSE, TWIST),
        Argument("momentum", (6,), "kg m/s, kg m^2/s", "linear, and angular about the base origin"),
    ),
    "force_parts": _define(
        _force_parts,
        (*MOTION, WRENCH),
        Argument("gravity", (6,), "N", "share of all weights"),
        Argument("acceleration", (6,), "N", "share of the platform's acceleration"),
        Argument("velocity", (6,), "N", "share of the platform's velocity"),
        Argument("external", (6,), "N", "share of the external wrench"),
    ),
    "force_decomposition": _define(_force_decomposition, (*MOTION, WRENCH), *_shares("N")),
    "wrench_decomposition": _define(_wrench_decomposition, (*MOTION, WRENCH), *_shares("N, N m")),
}
