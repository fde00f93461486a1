"""Every kernel of a hexapod. Shapes: n actuators, m legs, six components of a twist."""

from __future__ import annotations

from dataclasses import astuple, replace
from functools import partial
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations import any_machine
from gough.equations.dynamics import Formulation, decomposition, energy, regressor
from gough.equations.elastic import stiffness, vibration
from gough.equations.legs import closure, parts, passive
from gough.equations.machine import Machine
from gough.equations.platform import singularity
from gough.model.actuator_kernels import of_capacity, of_encoders
from gough.model.crossing import of_crossings
from gough.model.definition import (
    ACCELERATION,
    MOTION,
    POSE,
    POWER,
    RIGID_BODIES,
    SPRINGS,
    TWIST,
    WITH_JOINTS,
    WRENCH,
    Definition,
    actuator_compliances,
    define,
    forces,
)
from gough.model.standard import REGRESSOR, standard_names
from gough.model.structure import Structure


def of_hexapods(structure: Structure, by: Formulation) -> dict[str, Definition]:
    """The kernels by name; those of the dynamics by one derivation."""
    found = _kinematics(structure) | of_encoders(structure)
    found |= _dynamics(structure, by) | _whole_machine(structure)
    for more in (of_crossings, of_capacity):
        found |= more(structure, any_machine.required_with_joints(by.required_forces))
    return found | of_elastic_hexapods(structure) if structure.elastic else found


def _per_leg(structure: Structure, name: str, unit: str, meaning: str) -> Argument:
    shape = (len(structure.legs), 3)
    return Argument(name, shape, unit, f"{meaning}, one row per leg, base axes")


def _kinematics(structure: Structure) -> dict[str, Definition]:
    n, m, per_leg = structure.actuators, len(structure.legs), partial(_per_leg, structure)
    return {
        "inverse_kinematics": define(
            closure.inverse_kinematics, (POSE,), Argument("q", (n,), "m", "leg lengths")
        ),
        "jacobian": define(
            closure.jacobian,
            (POSE,),
            Argument("J", (n, 6), "1, m/rad", "leg rates by twist; row i belongs to leg i"),
        ),
        "jacobian_rate": define(
            closure.jacobian_rate,
            (POSE, TWIST),
            Argument("J_dot", (n, 6), "1/s, m/rad/s", "d/dt J"),
        ),
        "is_singular": define(
            closure.is_singular,
            (POSE,),
            Argument("singular", (), "", "1 if singular, else 0"),
            needs_inverse=True,
        ),
        "singular_legs": define(
            closure.singular_legs,
            (POSE,),
            Argument("kind", (m,), "", "1 along its first axis, 2 without length, 0 regular"),
        ),
        "universal_joint_sines": define(
            singularity.universal_joint_sines,
            (POSE,),
            Argument("sines", (m,), "1", "of the angle between first axis and leg"),
        ),
        "joint_velocity": define(
            closure.joint_velocity,
            (POSE, TWIST),
            Argument("q_dot", (n,), "m/s", "leg length rates"),
        ),
        "joint_acceleration": define(
            closure.joint_acceleration,
            MOTION,
            Argument("q_ddot", (n,), "m/s^2", "second rates of the leg lengths"),
        ),
        "leg_angular_velocity": define(
            closure.leg_angular_velocity,
            (POSE, TWIST),
            per_leg("omega", "rad/s", "angular velocity of each leg"),
        ),
        "leg_angular_acceleration": define(
            closure.leg_angular_acceleration,
            MOTION,
            per_leg("alpha", "rad/s^2", "angular acceleration of each leg"),
        ),
        "leg_spin": define(
            passive.leg_spin, (POSE, TWIST), Argument("spin", (m,), "rad/s", "turning about itself")
        ),
        "universal_joint_angles": define(
            lambda machine, pose: passive.universal_joint_angles(machine, pose, machine.home),
            (POSE,),
            Argument("angles", (m, 2), "rad", "γ about the first and ψ about the second axis"),
            doc=passive.universal_joint_angles.__doc__ or "",
        ),
        "universal_joint_velocity": define(
            passive.universal_joint_velocity,
            (POSE, TWIST),
            Argument("rates", (m, 2), "rad/s", "rates of γ and ψ"),
        ),
        "spherical_joint_tilt": define(
            lambda machine, pose: passive.spherical_joint_tilt(machine, pose, machine.home),
            (POSE,),
            Argument("tilt", (m,), "rad", "angle of each platform joint away from home"),
            doc=passive.spherical_joint_tilt.__doc__ or "",
        ),
        "mass_center_position": define(
            parts.mass_center_position,
            (POSE,),
            per_leg("cylinder", "m", "mass centres of the cylinders"),
            per_leg("piston", "m", "mass centres of the pistons"),
        ),
        "mass_center_velocity": define(
            parts.mass_center_velocity,
            (POSE, TWIST),
            per_leg("cylinder", "m/s", "velocities of the cylinders' mass centres"),
            per_leg("piston", "m/s", "velocities of the pistons' mass centres"),
        ),
        "mass_center_acceleration": define(
            parts.mass_center_acceleration,
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
        "inverse_dynamics": define(
            by.inverse_dynamics,
            (*MOTION, WRENCH),
            Argument("force", (n,), "N", force.meaning),
            doc=f"{by.inverse_dynamics.__doc__}\n{RIGID_BODIES}",
            needs_inverse=True,
        ),
        "actuator_force": define(
            any_machine.with_joints(by.inverse_dynamics),
            (*MOTION, WRENCH),
            Argument("force", (n,), "N", force.meaning),
            doc=WITH_JOINTS,
            needs_inverse=True,
        ),
        "spring_energy": define(
            any_machine.spring_energy,
            (POSE,),
            Argument("energy", (), "J", "of springs of passive joints"),
            doc=SPRINGS,
        ),
        "forward_dynamics": define(
            by.forward_dynamics,
            (POSE, TWIST, force, WRENCH),
            Argument("acceleration", (6,), ACCELERATION.unit, ACCELERATION.meaning),
        ),
        "mass_matrix": define(
            by.mass_matrix, (POSE,), M, doc="M of M · acceleration + C · twist + G."
        ),
        "coriolis_matrix": define(
            by.coriolis_matrix,
            (POSE, TWIST),
            C,
            doc="C of M · acceleration + C · twist + G, with Ṁ - 2C skew, torsion-free.",
        ),
        "gravity": define(
            by.gravity, (POSE,), Argument("G", (6,), "N, N m", "wrench that balances all weights")
        ),
        "bias": define(
            by.bias, (POSE, TWIST), Argument("h", (6,), "N, N m", "C · twist + G of the motion")
        ),
        "joint_mass_matrix": define(by.joint_mass_matrix, (POSE,), M_q, needs_inverse=True),
        "joint_coriolis_matrix": define(
            by.joint_coriolis_matrix, (POSE, TWIST), C_q, needs_inverse=True
        ),
        "joint_gravity": define(
            by.joint_gravity,
            (POSE,),
            Argument("G_q", (n,), "N", "actuator forces at rest"),
            needs_inverse=True,
        ),
        "actuator_power": define(
            any_machine.power_with_joints(by.inverse_dynamics),
            (*MOTION, WRENCH),
            Argument("power", (n,), "W", "of each actuator"),
            doc=POWER,
            needs_inverse=True,
        ),
        "reactions": define(
            by.reactions,
            (*MOTION, WRENCH),
            per_leg("base_force", "N", "base on leg, at the base joint"),
            per_leg("base_moment", "N m", "base on leg, what the universal joint blocks"),
            per_leg("platform_force", "N", "leg on platform, at the platform joint"),
            per_leg("slide_force", "N", "cylinder on piston, across the leg"),
            per_leg("slide_moment", "N m", "cylinder on piston, about the platform joint"),
            needs_inverse=True,
        ),
        "linearize": define(
            by.linearize,
            (POSE, TWIST, force, WRENCH),
            Argument("A", (12, 12), "SI", "state matrix"),
            Argument("B", (12, n), "SI", "input matrix, from actuator forces"),
        ),
    }


def of_elastic_hexapods(structure: Structure) -> dict[str, Definition]:
    """Those of machines whose legs all yield."""
    force, yielding = replace(forces(structure), optional=False), actuator_compliances(structure)
    size = 6 + sum(_moving_springs(leg.springs) for leg in structure.legs)
    return {
        "stiffness": define(
            stiffness.stiffness,
            (POSE, force, yielding),
            Argument("K", (6, 6), "N/m, N, N m/rad", "wrench by displacement of the platform"),
        ),
        "compliance": define(
            stiffness.compliance,
            (POSE, force, yielding),
            Argument("C", (6, 6), "m/N, rad/N, rad/(N m)", "displacement by wrench"),
        ),
        "deflection": define(
            stiffness.deflection,
            (POSE, replace(WRENCH, optional=False), yielding),
            Argument("displacement", (6,), "m, rad", "way and rotation vector, base axes"),
            needs_inverse=True,
        ),
        "vibration": define(
            vibration.vibration,
            (POSE, force, yielding),
            Argument("M", (size, size), "SI", "mass matrix"),
            Argument("K", (size, size), "SI", "stiffness matrix"),
        ),
    }


def _moving_springs(keys: tuple[str, ...]) -> int:
    """How many masses in a leg move on springs: its piston, its decoupling stage."""
    piston = {"connector.stiffness", "connector.coupling.stiffness"} & {*keys}
    return bool(piston) + ("connector.decoupling.stiffness" in keys)


def _wrench_decomposition(machine: Machine, *state: Any) -> Any:
    """Six wrenches whose sum is Jᵀ force.

    They are those of [Baiges 1996, 6.(24)], with what each piston takes along its leg, 6.(29).
    """
    return astuple(decomposition.wrench_decomposition(machine, *state))


def _force_decomposition(machine: Machine, *state: Any) -> Any:
    """Six parts of the actuator forces, one for each wrench of `wrench_decomposition`.

    They are those of [Baiges 1996, 6.(24)], with what each piston takes along its leg, 6.(29).
    """
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
        "energy": define(
            energy.energy,
            (POSE, TWIST),
            Argument("energy", (2,), "J", "kinetic and potential energy"),
        ),
        "momentum": define(
            energy.momentum,
            (POSE, TWIST),
            Argument(
                "momentum", (6,), "kg m/s, kg m^2/s", "linear, and angular about the base origin"
            ),
        ),
        "force_parts": define(
            _force_parts,
            state,
            Argument("gravity", (n,), "N", "share of all weights"),
            Argument("acceleration", (n,), "N", "share of the platform's acceleration"),
            Argument("velocity", (n,), "N", "share of the platform's velocity"),
            Argument("external", (n,), "N", "share of the external wrench"),
            needs_inverse=True,
        ),
        "regressor": define(
            regressor.regressor,
            MOTION,
            Argument("Y", (n, len(standard_names(structure))), "SI", REGRESSOR),
            needs_inverse=True,
        ),
        "force_decomposition": define(
            _force_decomposition, state, *_shares(n, "N"), needs_inverse=True
        ),
        "wrench_decomposition": define(_wrench_decomposition, state, *_shares(6, "N, N m")),
    }
