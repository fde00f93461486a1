"""Every kernel of a machine of any kind, in the coordinates u of its freedoms.

Shapes: m driven joints, n freedoms, six components of a twist.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations import any_machine
from gough.equations.mechanism import (
    branch,
    coriolis,
    dynamics,
    joint_space,
    kinematics,
    linearization,
    mass_centers,
    nearness,
    places,
    reactions,
    singularity,
    stiffness,
)
from gough.equations.mechanism.machine import Machine
from gough.equations.spatial.algebra import Value
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
from gough.model.structure import MechanismStructure


def of_any_kind(structure: MechanismStructure) -> dict[str, Definition]:
    """The kernels by name."""
    parts = [_kinematics, of_encoders, _places, _singularity, _dynamics, _on_motors, _forces]
    parts += [of_elastic_machines] if structure.elastic else []
    found = {name: kernel for part in parts for name, kernel in part(structure).items()}
    for more in (of_crossings, of_capacity):
        found |= more(structure, any_machine.required_with_joints(dynamics.required_forces))
    return {name: _on_home_branch(definition) for name, definition in found.items()}


def _on_home_branch(definition: Definition) -> Definition:
    """A kernel that gives no number, and calls a pose singular, where it is not on home's branch.

    The equations themselves are asked at other poses, too: by iterations on their way.
    """
    if definition.inputs[0] is not POSE:
        return definition

    def gated(machine: Machine, pose: Value, *rest: Value) -> Any:
        found = definition.equation(machine, pose, *rest)
        test = branch.is_on_home_branch(machine, pose)
        if test.is_constant():
            return found
        off = 1 if definition.equation is nearness.is_singular else ca.DM.nan()
        several = found if isinstance(found, tuple) else (found,)
        results = tuple(ca.if_else(test, x, off * ca.DM.ones(*x.shape)) for x in several)
        return results if isinstance(found, tuple) else results[0]

    return replace(definition, equation=gated)


def _kinematics(structure: MechanismStructure) -> dict[str, Definition]:
    n, m, unit = len(structure.freedoms), structure.actuators, structure.unit
    joints, u = len(structure.joints), _moves(structure)
    rate, second = _per(unit, "s"), _per(unit, "s^2")
    return {
        "inverse_kinematics": define(
            kinematics.inverse_kinematics,
            (POSE,),
            Argument("q", (m,), unit, "positions of the driven joints"),
        ),
        "jacobian": define(
            kinematics.jacobian,
            (POSE,),
            Argument("J", (m, 6), "SI", "rates of the driven joints by twist, one row each"),
        ),
        "jacobian_rate": define(
            joint_space.jacobian_rate, (POSE, TWIST), Argument("J_dot", (m, 6), "SI", "d/dt J")
        ),
        "joint_velocity": define(
            kinematics.joint_velocity,
            (POSE, TWIST),
            Argument("q_dot", (m,), rate, "rates of the driven joints"),
        ),
        "joint_acceleration": define(
            kinematics.joint_acceleration,
            MOTION,
            Argument("q_ddot", (m,), second, "second rates of the driven joints"),
        ),
        "all_joints": define(
            kinematics.all_joints,
            MOTION,
            Argument("position", (joints,), "rad, m", "positions of all joints"),
            Argument("velocity", (joints,), "rad/s, m/s", "rates of all joints"),
            Argument("acceleration", (joints,), "rad/s^2, m/s^2", "second rates of all joints"),
        ),
        "moves": define(
            kinematics.moves,
            (POSE,),
            Argument("T", (6, n), "SI", f"the twists that the platform can do, by {u}"),
        ),
        "admissible": define(
            kinematics.admissible,
            (POSE, TWIST),
            Argument("possible", (6,), TWIST.unit, "what the platform can do of the twist"),
        ),
        "actuation_matrix": define(
            singularity.actuation_matrix,
            (POSE,),
            Argument("J_u", (m, n), "SI", f"rates of the driven joints by {u}"),
        ),
    }


def _places(structure: MechanismStructure) -> dict[str, Definition]:
    centers, tilts = len(structure.centers), len(structure.tilts)
    found = {
        "joint_centers": define(
            places.joint_centers,
            (POSE,),
            Argument("centers", (centers, 3), "m", "where the joints are, base axes"),
        )
    }
    for rate, inputs, unit in (
        ("position", (POSE,), "m"),
        ("velocity", (POSE, TWIST), "m/s"),
        ("acceleration", MOTION, "m/s^2"),
    ):
        meaning = f"{rate} of each body's mass centre, the platform's first, base axes"
        found[f"mass_center_{rate}"] = define(
            getattr(mass_centers, f"mass_center_{rate}"),
            inputs,
            Argument(rate, (len(structure.bodies), 3), unit, meaning),
        )
    if tilts:
        found["joint_tilts"] = define(
            places.joint_tilts,
            (POSE,),
            Argument("tilts", (tilts,), "rad", "of ball and universal joints, away from home"),
        )
    return found


def _singularity(structure: MechanismStructure) -> dict[str, Definition]:
    """What vanishes where the machine is singular, and whether it is."""
    legs, groups = len(structure.motor_legs), len(structure.passive_groups)
    found = {
        "is_singular": define(
            nearness.is_singular,
            (POSE,),
            Argument("singular", (), "", "1 if singular, or not a pose that it can take, else 0"),
        ),
        "serial_pivots": define(
            nearness.serial,
            (POSE,),
            Argument("pivots", (legs,), "1", "of legs with motors; 0 in a serial singularity"),
        ),
        "constraint_pivot": define(
            nearness.constraint,
            (POSE,),
            Argument("pivot", (), "1", "0 in a constraint singularity"),
        ),
    }
    if groups:
        found["passive_pivots"] = define(
            nearness.passive,
            (POSE,),
            Argument("pivots", (groups,), "1", "of passive joints; 0 where these are stuck"),
        )
    return found


def _dynamics(structure: MechanismStructure) -> dict[str, Definition]:
    n, u, force = len(structure.freedoms), _moves(structure), forces(structure)
    return {
        "inverse_dynamics": define(
            dynamics.inverse_dynamics,
            (*MOTION, WRENCH),
            Argument("force", (structure.actuators,), force.unit, force.meaning),
            doc=f"{dynamics.inverse_dynamics.__doc__}\n{RIGID_BODIES}",
        ),
        "actuator_force": define(
            any_machine.with_joints(dynamics.inverse_dynamics),
            (*MOTION, WRENCH),
            Argument("force", (structure.actuators,), force.unit, force.meaning),
            doc=WITH_JOINTS,
        ),
        "spring_energy": define(
            any_machine.spring_energy,
            (POSE,),
            Argument("energy", (), "J", "of springs of passive joints"),
            doc=SPRINGS,
        ),
        "forward_dynamics": define(
            dynamics.forward_dynamics,
            (POSE, TWIST, force, WRENCH),
            Argument("acceleration", (6,), ACCELERATION.unit, ACCELERATION.meaning),
        ),
        "mass_matrix": define(
            dynamics.mass_matrix, (POSE,), Argument("M", (n, n), "SI", f"mass matrix for {u}")
        ),
        "coriolis_matrix": define(
            coriolis.coriolis_matrix,
            (POSE, TWIST),
            Argument("C", (n, n), "SI", "Coriolis matrix; d/dt M - 2 C is skew"),
        ),
        "bias": define(
            dynamics.bias, (POSE, TWIST), Argument("h", (n,), "SI", f"C u + G, for {u}")
        ),
        "gravity": define(
            dynamics.gravity, (POSE,), Argument("G", (n,), "SI", f"what balances weights, for {u}")
        ),
        "energy": define(
            dynamics.energy,
            (POSE, TWIST),
            Argument("energy", (2,), "J", "kinetic and potential energy"),
        ),
        "momentum": define(
            mass_centers.momentum,
            (POSE, TWIST),
            Argument(
                "momentum", (6,), "kg m/s, kg m^2/s", "linear, and angular about the base origin"
            ),
        ),
        "linearize": define(
            linearization.linearize,
            (POSE, TWIST, force, WRENCH),
            Argument("A", (2 * n, 2 * n), "SI", f"state matrix of moves and {u}"),
            Argument("B", (2 * n, structure.actuators), "SI", "input matrix, from efforts"),
        ),
    }


def _on_motors(structure: MechanismStructure) -> dict[str, Definition]:
    m, force = structure.actuators, forces(structure)
    return {
        "joint_mass_matrix": define(
            joint_space.joint_mass_matrix,
            (POSE,),
            Argument("M_q", (m, m), "SI", "mass matrix on the driven joints"),
            needs_inverse=True,
        ),
        "joint_coriolis_matrix": define(
            joint_space.joint_coriolis_matrix,
            (POSE, TWIST),
            Argument("C_q", (m, m), "SI", "Coriolis matrix on the driven joints"),
            needs_inverse=True,
        ),
        "joint_gravity": define(
            joint_space.joint_gravity,
            (POSE,),
            Argument("G_q", (m,), force.unit, "efforts at rest"),
        ),
        "actuator_power": define(
            any_machine.power_with_joints(dynamics.inverse_dynamics),
            (*MOTION, WRENCH),
            Argument("power", (m,), "W", "of each driven joint"),
            doc=POWER,
        ),
    }


def _forces(structure: MechanismStructure) -> dict[str, Definition]:
    """What efforts are made of, and what the joints carry."""
    m, unit, state = structure.actuators, structure.force_unit, (*MOTION, WRENCH)
    joints, axes = len(structure.reactions), "in the joint's own axes; see structure.reactions"
    carried = (
        Argument("force", (joints, 3), "N", f"first body on second, {axes}"),
        Argument("moment", (joints, 3), "N m", f"first body on second, {axes}"),
    )
    return {
        "force_parts": define(
            dynamics.force_parts,
            state,
            Argument("gravity", (m,), unit, "share of all weights"),
            Argument("acceleration", (m,), unit, "share of the platform's acceleration"),
            Argument("velocity", (m,), unit, "share of the platform's velocity"),
            Argument("external", (m,), unit, "share of the external wrench"),
        ),
        "regressor": define(
            dynamics.regressor,
            MOTION,
            Argument("Y", (m, len(standard_names(structure))), "SI", REGRESSOR),
        ),
        "reactions": define(reactions.reactions, state, *carried),
        "all_reactions": define(reactions.all_reactions, state, *carried),
        "reaction_axes": define(
            reactions.reaction_axes,
            (POSE,),
            Argument("centers", (joints, 3), "m", "where reactions are given, base axes"),
            Argument("axes", (joints, 3, 3), "1", "x, y, z as rows, base axes"),
            Argument("second_axes", (joints, 3), "1", "of universal joints, base axes"),
        ),
    }


def of_elastic_machines(structure: MechanismStructure) -> dict[str, Definition]:
    """Those of machines whose driven joints all yield."""
    n, u = len(structure.freedoms), _moves(structure)
    force, yielding = replace(forces(structure), optional=False), actuator_compliances(structure)
    found = {
        "stiffness": define(
            stiffness.stiffness,
            (POSE, force, yielding),
            Argument("K", (n, n), "SI", f"force by displacement along {u}"),
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
        ),
    }
    if not structure.links_yield:
        found["vibration"] = define(
            stiffness.vibration,
            (POSE, force, yielding),
            Argument("M", (n, n), "SI", f"mass matrix for {u}"),
            Argument("K", (n, n), "SI", f"stiffness matrix for {u}"),
        )
    return found


def _moves(structure: MechanismStructure) -> str:
    return f"u = {' '.join(structure.freedoms)}"


def _per(units: str, time: str) -> str:
    return ", ".join(f"{unit}/{time}" for unit in units.split(", "))
