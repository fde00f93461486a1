"""The kernels that a machine has: for each its equation, its arguments and their meaning.

Shapes follow from the machine's structure: n actuators, m legs, six components of a twist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.dynamics import (
    FORMULATIONS,
    GENERAL_FORMULATION,
    Formulation,
    decomposition,
    energy,
)
from gough.equations.legs import closure, mass_centers, passive
from gough.equations.machine import Machine
from gough.equations.mechanism import dynamics, kinematics, nearness, places
from gough.equations.mechanism import singularity as singular
from gough.equations.platform import singularity
from gough.model.structure import MechanismStructure, Structure
from gough.robot import Hexapod, Robot

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
MOTION = (POSE, TWIST, ACCELERATION)


def forces(structure: Structure) -> Argument:
    """The forces of all actuators."""
    slides = "actuator forces, positive when they extend the legs"
    meaning = "actuator torques and forces" if isinstance(structure, MechanismStructure) else slides
    return Argument("force", (structure.actuators,), structure.force_unit, meaning, True)


@dataclass(frozen=True)
class Definition:
    """A kernel to be: `equation(machine, *inputs)` gives the outputs, for one state."""

    equation: Callable[..., Any]
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    doc: str
    needs_inverse: bool
    """Whether it needs J⁻¹: only machines have it whose motion determines the forces."""


def formulations(robot: Robot) -> tuple[str, ...]:
    """By which derivations a robot's dynamics can be made; the first is the default."""
    return tuple(FORMULATIONS) if isinstance(robot, Hexapod) else (GENERAL_FORMULATION,)


@lru_cache(maxsize=64)
def definitions(structure: Structure, formulation: str) -> Mapping[str, Definition]:
    """The kernels of a machine by name; those of the dynamics by the chosen formulation."""
    return MappingProxyType(
        {
            name: definition
            for name, definition in _all(structure, FORMULATIONS[formulation]).items()
            if structure.determined or not definition.needs_inverse
        }
    )


def why_absent(structure: Structure, formulation: str, name: str) -> str | None:
    """Why a machine has not a kernel that others have; None for what no machine has."""
    known = _all(structure, FORMULATIONS[formulation])
    if name not in known or name in definitions(structure, formulation):
        return None
    n, freedoms = structure.actuators, len(structure.freedoms)
    return (
        f"this machine has no {name}: its motion does not determine the forces, as it has {n} "
        f"actuators for {freedoms} freedoms; expected as many actuators as freedoms"
    )


def _all(structure: Structure, by: Formulation) -> dict[str, Definition]:
    if isinstance(structure, MechanismStructure):
        return _of_any_kind(structure)
    return _kinematics(structure) | _dynamics(structure, by) | _whole_machine(structure)


def _define(
    equation: Callable[..., Any],
    inputs: tuple[Argument, ...],
    *outputs: Argument,
    doc: str = "",
    needs_inverse: bool = False,
) -> Definition:
    return Definition(equation, inputs, outputs, doc or equation.__doc__ or "", needs_inverse)


def _per_leg(structure: Structure, name: str, unit: str, meaning: str) -> Argument:
    shape = (len(structure.legs), 3)
    return Argument(name, shape, unit, f"{meaning}, one row per leg, base axes")


def _kinematics(structure: Structure) -> dict[str, Definition]:
    n, m, per_leg = structure.actuators, len(structure.legs), partial(_per_leg, structure)
    return {
        "inverse_kinematics": _define(
            closure.inverse_kinematics, (POSE,), Argument("q", (n,), "m", "leg lengths")
        ),
        "jacobian": _define(
            closure.jacobian,
            (POSE,),
            Argument("J", (n, 6), "1, m/rad", "leg rates by twist; row i belongs to leg i"),
        ),
        "jacobian_rate": _define(
            closure.jacobian_rate,
            (POSE, TWIST),
            Argument("J_dot", (n, 6), "1/s, m/rad/s", "d/dt J"),
        ),
        "is_singular": _define(
            closure.is_singular,
            (POSE,),
            Argument("singular", (), "", "1 if singular, else 0"),
            needs_inverse=True,
        ),
        "singular_legs": _define(
            closure.singular_legs,
            (POSE,),
            Argument("kind", (m,), "", "1 along its first axis, 2 without length, else 0"),
        ),
        "universal_joint_sines": _define(
            singularity.universal_joint_sines,
            (POSE,),
            Argument("sines", (m,), "1", "of the angle between first axis and leg"),
        ),
        "joint_velocity": _define(
            closure.joint_velocity,
            (POSE, TWIST),
            Argument("q_dot", (n,), "m/s", "leg length rates"),
        ),
        "joint_acceleration": _define(
            closure.joint_acceleration,
            MOTION,
            Argument("q_ddot", (n,), "m/s^2", "second rates of the leg lengths"),
        ),
        "leg_angular_velocity": _define(
            closure.leg_angular_velocity,
            (POSE, TWIST),
            per_leg("omega", "rad/s", "angular velocity of each leg"),
        ),
        "leg_angular_acceleration": _define(
            closure.leg_angular_acceleration,
            MOTION,
            per_leg("alpha", "rad/s^2", "angular acceleration of each leg"),
        ),
        "leg_spin": _define(
            passive.leg_spin, (POSE, TWIST), Argument("spin", (m,), "rad/s", "turning about itself")
        ),
        "universal_joint_angles": _define(
            lambda machine, pose: passive.universal_joint_angles(machine, pose, machine.home),
            (POSE,),
            Argument("angles", (m, 2), "rad", "γ about the first and ψ about the second axis"),
            doc=passive.universal_joint_angles.__doc__ or "",
        ),
        "universal_joint_velocity": _define(
            passive.universal_joint_velocity,
            (POSE, TWIST),
            Argument("rates", (m, 2), "rad/s", "rates of γ and ψ"),
        ),
        "spherical_joint_tilt": _define(
            lambda machine, pose: passive.spherical_joint_tilt(machine, pose, machine.home),
            (POSE,),
            Argument("tilt", (m,), "rad", "angle of each platform joint away from home"),
            doc=passive.spherical_joint_tilt.__doc__ or "",
        ),
        "mass_center_position": _define(
            mass_centers.mass_center_position,
            (POSE,),
            per_leg("cylinder", "m", "mass centres of the cylinders"),
            per_leg("piston", "m", "mass centres of the pistons"),
        ),
        "mass_center_velocity": _define(
            mass_centers.mass_center_velocity,
            (POSE, TWIST),
            per_leg("cylinder", "m/s", "velocities of the cylinders' mass centres"),
            per_leg("piston", "m/s", "velocities of the pistons' mass centres"),
        ),
        "mass_center_acceleration": _define(
            mass_centers.mass_center_acceleration,
            MOTION,
            per_leg("cylinder", "m/s^2", "accelerations of the cylinders' mass centres"),
            per_leg("piston", "m/s^2", "accelerations of the pistons' mass centres"),
        ),
    }


def _dynamics(structure: Structure, by: Formulation) -> dict[str, Definition]:
    """The equation of motion, on the platform's twist and on the legs' lengths."""
    n, force, per_leg = structure.actuators, forces(structure), partial(_per_leg, structure)
    M = Argument("M", (6, 6), "kg, kg m, kg m^2", "mass matrix in twist coordinates")
    C = Argument("C", (6, 6), "kg/s, kg m/s, kg m^2/s", "Coriolis matrix; d/dt M - 2 C is skew")
    M_q = Argument("M_q", (n, n), "kg", "mass matrix on the leg lengths")
    C_q = Argument("C_q", (n, n), "kg/s", "Coriolis matrix on the leg lengths")
    return {
        "inverse_dynamics": _define(
            by.inverse_dynamics,
            (*MOTION, WRENCH),
            Argument("force", (n,), "N", force.meaning),
            needs_inverse=True,
        ),
        "forward_dynamics": _define(
            by.forward_dynamics,
            (POSE, TWIST, force, WRENCH),
            Argument("acceleration", (6,), ACCELERATION.unit, ACCELERATION.meaning),
        ),
        "mass_matrix": _define(
            by.mass_matrix, (POSE,), M, doc="M of M · acceleration + C · twist + G."
        ),
        "coriolis_matrix": _define(
            by.coriolis_matrix, (POSE, TWIST), C, doc="C of M · acceleration + C · twist + G."
        ),
        "gravity": _define(
            by.gravity, (POSE,), Argument("G", (6,), "N, N m", "wrench that balances all weights")
        ),
        "bias": _define(
            by.bias, (POSE, TWIST), Argument("h", (6,), "N, N m", "C · twist + G of the motion")
        ),
        "joint_mass_matrix": _define(by.joint_mass_matrix, (POSE,), M_q, needs_inverse=True),
        "joint_coriolis_matrix": _define(
            by.joint_coriolis_matrix, (POSE, TWIST), C_q, needs_inverse=True
        ),
        "joint_gravity": _define(
            by.joint_gravity,
            (POSE,),
            Argument("G_q", (n,), "N", "actuator forces at rest"),
            needs_inverse=True,
        ),
        "actuator_power": _define(
            by.actuator_power,
            (*MOTION, WRENCH),
            Argument("power", (n,), "W", "of each actuator"),
            needs_inverse=True,
        ),
        "reactions": _define(
            by.reactions,
            (*MOTION, WRENCH),
            per_leg("base_force", "N", "base on leg, at the base joint"),
            per_leg("base_moment", "N m", "base on leg, what the universal joint blocks"),
            per_leg("platform_force", "N", "leg on platform, at the platform joint"),
            per_leg("slide_force", "N", "cylinder on piston, across the leg"),
            per_leg("slide_moment", "N m", "cylinder on piston, about the platform joint"),
            needs_inverse=True,
        ),
        "linearize": _define(
            by.linearize,
            (POSE, TWIST, force, WRENCH),
            Argument("A", (12, 12), "SI", "state matrix"),
            Argument("B", (12, n), "SI", "input matrix, from actuator forces"),
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


def _shares(size: int, unit: str) -> tuple[Argument, ...]:
    return (
        Argument("external", (size,), unit, "against the external wrench"),
        Argument("platform", (size,), unit, "for the platform's inertia and weight"),
        Argument("leg_gravity", (size,), unit, "for the weight of the legs"),
        Argument("tangential", (size,), unit, "for second rates of the legs' coordinates"),
        Argument("coriolis", (size,), unit, "for products of a length's rate and an angular rate"),
        Argument("centrifugal", (size,), unit, "for products of two angular rates of a leg"),
    )


def _whole_machine(structure: Structure) -> dict[str, Definition]:
    n, state = structure.actuators, (*MOTION, WRENCH)
    return {
        "energy": _define(
            energy.energy,
            (POSE, TWIST),
            Argument("energy", (2,), "J", "kinetic and potential energy"),
        ),
        "momentum": _define(
            energy.momentum,
            (POSE, TWIST),
            Argument(
                "momentum", (6,), "kg m/s, kg m^2/s", "linear, and angular about the base origin"
            ),
        ),
        "force_parts": _define(
            _force_parts,
            state,
            Argument("gravity", (n,), "N", "share of all weights"),
            Argument("acceleration", (n,), "N", "share of the platform's acceleration"),
            Argument("velocity", (n,), "N", "share of the platform's velocity"),
            Argument("external", (n,), "N", "share of the external wrench"),
            needs_inverse=True,
        ),
        "force_decomposition": _define(
            _force_decomposition, state, *_shares(n, "N"), needs_inverse=True
        ),
        "wrench_decomposition": _define(_wrench_decomposition, state, *_shares(6, "N, N m")),
    }


def _of_passive_joints(structure: MechanismStructure) -> dict[str, Definition]:
    """The kernels that only machines have with joints that no motor moves, beside balls."""
    if not structure.passive_groups:
        return {}
    pivots = Argument("pivots", (len(structure.passive_groups),), "1", "0 where joints are stuck")
    return {"passive_pivots": _define(nearness.passive, (POSE,), pivots)}


def _of_any_kind(structure: MechanismStructure) -> dict[str, Definition]:
    """The kernels of machines that are no hexapods, in the coordinates u of their freedoms."""
    n, m, force = len(structure.freedoms), structure.actuators, forces(structure)
    unit, joints = structure.unit, len(structure.joints)
    rate, second = (", ".join(f"{u}/{s}" for u in unit.split(", ")) for s in ("s", "s^2"))
    u = f"u = {' '.join(structure.freedoms)}"
    return {
        "inverse_kinematics": _define(
            kinematics.inverse_kinematics,
            (POSE,),
            Argument("q", (m,), unit, "positions of the driven joints"),
        ),
        "jacobian": _define(
            kinematics.jacobian,
            (POSE,),
            Argument("J", (m, 6), "SI", "rates of the driven joints by twist, one row each"),
        ),
        "joint_velocity": _define(
            kinematics.joint_velocity,
            (POSE, TWIST),
            Argument("q_dot", (m,), rate, "rates of the driven joints"),
        ),
        "joint_acceleration": _define(
            kinematics.joint_acceleration,
            MOTION,
            Argument("q_ddot", (m,), second, "second rates of the driven joints"),
        ),
        "all_joints": _define(
            kinematics.all_joints,
            MOTION,
            Argument("position", (joints,), "rad, m", "positions of all joints"),
            Argument("velocity", (joints,), "rad/s, m/s", "rates of all joints"),
            Argument("acceleration", (joints,), "rad/s^2, m/s^2", "second rates of all joints"),
        ),
        "moves": _define(
            kinematics.moves,
            (POSE,),
            Argument("T", (6, n), "SI", f"the twists that the platform can do, by {u}"),
        ),
        "admissible": _define(
            kinematics.admissible,
            (POSE, TWIST),
            Argument("possible", (6,), TWIST.unit, "what the platform can do of the twist"),
        ),
        "joint_centers": _define(
            places.joint_centers,
            (POSE,),
            Argument(
                "centers", (len(structure.centers), 3), "m", "where the joints are, base axes"
            ),
        ),
        "joint_tilts": _define(
            places.joint_tilts,
            (POSE,),
            Argument("tilts", (len(structure.tilts),), "rad", "of ball and universal joints"),
        ),
        "is_singular": _define(
            nearness.is_singular,
            (POSE,),
            Argument("singular", (), "", "1 if singular, or not a pose that it can take, else 0"),
        ),
        "serial_pivots": _define(
            nearness.serial,
            (POSE,),
            Argument("pivots", (len(structure.motor_legs),), "1", "0 in a serial singularity"),
        ),
        "constraint_pivot": _define(
            nearness.constraint,
            (POSE,),
            Argument("pivot", (), "1", "0 in a constraint singularity"),
        ),
        **_of_passive_joints(structure),
        "inverse_dynamics": _define(
            dynamics.inverse_dynamics,
            (*MOTION, WRENCH),
            Argument("force", (m,), force.unit, force.meaning),
        ),
        "forward_dynamics": _define(
            dynamics.forward_dynamics,
            (POSE, TWIST, force, WRENCH),
            Argument("acceleration", (6,), ACCELERATION.unit, ACCELERATION.meaning),
        ),
        "mass_matrix": _define(
            dynamics.mass_matrix, (POSE,), Argument("M", (n, n), "SI", f"mass matrix for {u}")
        ),
        "bias": _define(
            dynamics.bias,
            (POSE, TWIST),
            Argument("h", (n,), "SI", f"what velocities and weights ask for, for {u}"),
        ),
        "gravity": _define(
            dynamics.gravity, (POSE,), Argument("G", (n,), "SI", f"what weights ask for, for {u}")
        ),
        "energy": _define(
            dynamics.energy,
            (POSE, TWIST),
            Argument("energy", (2,), "J", "kinetic and potential energy"),
        ),
        "actuation_matrix": _define(
            singular.actuation_matrix,
            (POSE,),
            Argument("J_u", (m, n), "SI", f"rates of the driven joints by {u}"),
        ),
    }
