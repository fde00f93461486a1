"""Every kernel of a machine, in the independent velocities u of its platform.

Shapes: m driven joints, n degrees of freedom, six components of a twist.
"""

from collections.abc import Callable
from dataclasses import astuple, replace
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.actuators import drive
from gough.equations.closure import closing
from gough.equations.dynamics import FORMULATIONS, kane, leg_form, newton_euler
from gough.equations.elastic import stiffness
from gough.equations.forces import dynamics, passive_joints, reactions
from gough.equations.forces.capacity import RequiredForces
from gough.equations.forces.moving_base import on_moving_base
from gough.equations.legs import closure
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.machine import Machine
from gough.equations.motion import kinematics, motions, singularity_measures
from gough.equations.spatial.algebra import Value, vector
from gough.equations.usual_formulations import GENERAL_FORMULATION, ON_MOVING_BASE
from gough.model import definition as defined
from gough.model.actuators import drive_laws, drive_places, of_capacity, of_encoders
from gough.model.crossing import of_crossings
from gough.model.definition import MOTION, POSE, TWIST, WRENCH, Definition, define, forces
from gough.model.standard import REGRESSOR, standard_names
from gough.model.structure import Structure

Equation = Callable[..., Value]
P = ParamSpec("P")
Result = TypeVar("Result")

RIGID_BODIES = (
    "Rigid bodies, and armatures of joints: without friction, damping and springs, which "
    "`actuator_force` has."
)
WITH_JOINTS = """Actuator forces (n) [N, N m] of a motion, with all friction, damping and springs.

Inverse dynamics of the rigid bodies, with dry friction, viscous damping and springs of the joints,
springs and dampers between bodies, and the damping of transmissions, as far as the robot file
states them. What motors need beyond it, for rotors, gears and screws, is of their drives.
"""
FORWARD = (
    "Forces and wrench act on the rigid bodies: with friction, damping and springs, add "
    "`joint_wrench` to the wrench."
)


def kernel_table(structure: Structure, formulation: str) -> dict[str, Definition]:
    """The kernels by name; those of the dynamics by one derivation."""
    by = _derived(GENERAL_FORMULATION if formulation == ON_MOVING_BASE else formulation)
    parts = [_kinematics, of_encoders, _places, _singularity, _whole_machine, _joint_forces]
    parts += [of_extensible_legs] if structure.extensible else []
    parts += [elastic_kernels] if structure.has_stiffness else []
    parts += [_coupling_forces] if structure.couplings else []
    found = {name: kernel for part in parts for name, kernel in part(structure).items()}
    found |= _dynamics(structure, by) | _on_motors(structure, by) | _of_drives(structure, by)
    for more in (of_crossings, of_capacity):
        found |= more(structure, passive_joints.required_with_joints(by.required_forces))
    found = {
        name: _on_home_branch(definition)
        for name, definition in found.items()
        if all(output.size for output in definition.outputs)  # else there is no such joint
    }
    return _carried(found) if formulation == ON_MOVING_BASE else found


def _carried(found: dict[str, Definition]) -> dict[str, Definition]:
    """Return the kernels of a machine on a base that moves: its motion first, where it matters."""

    def on_base(definition: Definition) -> Definition:
        def equation(machine: Machine, *given: Value) -> Value | tuple[Value, ...]:
            base, state = given[: len(defined.BASE_MOTION)], given[len(defined.BASE_MOTION) :]
            return definition.equation(on_moving_base(machine, *base), *state)

        return replace(
            definition, equation=equation, inputs=(*defined.BASE_MOTION, *definition.inputs)
        )

    known = {name: x for name, x in found.items() if name not in defined.OF_RESTING_BASE}
    return known | {name: on_base(x) for name, x in known.items() if name in defined.OF_MOVING_BASE}


class _Derivation(NamedTuple):
    """Equations of one derivation of the dynamics."""

    inverse_dynamics: Equation
    forward_dynamics: Equation
    required_forces: RequiredForces
    mass_matrix: Equation
    coriolis_matrix: Equation
    bias: Equation
    gravity: Equation


def _derived(formulation: str) -> _Derivation:
    """A derivation by its name: for all machines, or for extensible legs."""
    if formulation == GENERAL_FORMULATION:
        general = (_without_legs(getattr(dynamics, name)) for name in _Derivation._fields[1:])
        return _Derivation(_recursive_inverse_dynamics, *general)
    by = FORMULATIONS[formulation]
    return _Derivation(*(_of_legs(getattr(by, name)) for name in _Derivation._fields))


def _without_legs(
    general: Callable[Concatenate[Machine, P], Result],
) -> Callable[Concatenate[Machine, P], Result]:
    """An equation as it is for all machines, also where a shorter one is known."""

    def equation(machine: Machine, /, *state: P.args, **more: P.kwargs) -> Result:
        return general(replace(machine, extensible=None), *state, **more)

    equation.__doc__ = general.__doc__
    return equation


def _recursive_inverse_dynamics(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Efforts of the actuators [N m, N] for a motion of the platform under an external wrench.

    Of extensible legs, too, the recursion says what the motion takes; how forces along the legs
    balance that is the same for all derivations.
    """
    if machine.extensible is None:
        return dynamics.inverse_dynamics(machine, pose, twist, acceleration, wrench)
    required = _without_legs(dynamics.required_forces)
    across, along = required(machine, pose, twist, acceleration)
    return along + dynamics.balancing_forces(machine, pose, across - wrench)


def _of_legs(
    short: Callable[Concatenate[ExtensibleLegs, P], Result],
) -> Callable[Concatenate[Machine, P], Result]:
    """An equation of extensible legs as one of their machine."""

    def equation(machine: Machine, /, *state: P.args, **more: P.kwargs) -> Result:
        return short(machine.hexapod, *state, **more)

    equation.__doc__ = short.__doc__
    return equation


def _on_home_branch(definition: Definition) -> Definition:
    """A kernel that gives no number, and calls a pose singular, where it is not on home's branch.

    The equations themselves are asked at other poses, too: by iterations on their way.
    """
    if definition.inputs[0] is not POSE:
        return definition

    def gated(machine: Machine, pose: Value, *rest: Value) -> Value | tuple[Value, ...]:
        found = definition.equation(machine, pose, *rest)
        test = closing.is_on_home_branch(machine, pose)
        if test.is_constant():
            return found
        fallback = 1 if definition.equation is singularity_measures.is_singular else ca.DM.nan()
        several = found if isinstance(found, tuple) else (found,)
        results = tuple(ca.if_else(test, x, fallback * ca.DM.ones(*x.shape)) for x in several)
        return results if isinstance(found, tuple) else results[0]

    return replace(definition, equation=gated, ungated=definition.equation)


def _kinematics(structure: Structure) -> dict[str, Definition]:
    n, m, unit = structure.dof, structure.actuators, structure.unit
    joints, u = len(structure.joints), _moves(structure)
    rate, second = _per(unit, "s"), _per(unit, "s^2")
    return {
        "inverse_kinematics": define(kinematics.inverse_kinematics, (POSE,),
            Argument("q", (m,), unit, "positions of the driven joints")),
        "jacobian": define(kinematics.jacobian, (POSE,),
            Argument("J", (m, 6), "SI", "rates of the driven joints by twist, one row each")),
        "jacobian_rate": define(dynamics.jacobian_rate, (POSE, TWIST),
            Argument("J_dot", (m, 6), "SI", "d/dt J")),
        "joint_velocity": define(kinematics.joint_velocity, (POSE, TWIST),
            Argument("q_dot", (m,), rate, "rates of the driven joints")),
        "joint_acceleration": define(kinematics.joint_acceleration, MOTION,
            Argument("q_ddot", (m,), second, "second rates of the driven joints")),
        "all_joints": define(kinematics.all_joints, MOTION,
            Argument("position", (joints,), "rad, m", "positions of all joints"),
            Argument("velocity", (joints,), "rad/s, m/s", "rates of all joints"),
            Argument("acceleration", (joints,), "rad/s^2, m/s^2", "second rates of all joints")),
        "twist_basis": define(kinematics.twist_basis, (POSE,),
            Argument("T", (6, n), "SI", f"the twists that the platform can do, by {u}")),
        "admissible": define(kinematics.admissible, (POSE, TWIST),
            Argument("possible", (6,), TWIST.unit, "what the platform can do of the twist")),
        "branch_of": define(closing.branch_of,
            (Argument("joints", (joints,), "rad, m", "positions of all joints"), POSE),
            Argument("branch", (len(structure.roots),), "1", "1 for roots as at home, else -1"),
            Argument("deviation", (), "rad, m", "maximum distance of a joint from that branch")),
        "actuation_matrix": define(kinematics.actuation_matrix, (POSE,),
            Argument("J_u", (m, n), "SI", f"rates of the driven joints by {u}")),
    }  # fmt: skip


def _places(structure: Structure) -> dict[str, Definition]:
    centers, tilts = len(structure.centers), len(structure.tilts)
    bodies = len(structure.bodies)
    each = "of each body's mass centre, the platform's first, base axes"
    return {
        "joint_centers": define(motions.joint_centers, (POSE,),
            Argument("centers", (centers, 3), "m", "where the joints are, base axes")),
        "mass_center_position": define(motions.mass_center_position, (POSE,),
            Argument("position", (bodies, 3), "m", f"position {each}")),
        "mass_center_velocity": define(motions.mass_center_velocity, (POSE, TWIST),
            Argument("velocity", (bodies, 3), "m/s", f"velocity {each}")),
        "mass_center_acceleration": define(motions.mass_center_acceleration, MOTION,
            Argument("acceleration", (bodies, 3), "m/s^2", f"acceleration {each}")),
        "body_frames": define(motions.body_frames, (POSE,),
            Argument("frames", (bodies - 1, 3, 4), "1, m", "rotation and origin, base axes")),
        "body_jacobians": define(motions.body_jacobians, (POSE,),
            Argument("J", (bodies - 1, 6, 6), "SI", "twists of these frames by the platform's")),
        "joint_tilts": define(motions.joint_tilts, (POSE,),
            Argument("tilts", (tilts,), "rad", "of ball and universal joints, away from home")),
    }  # fmt: skip


def _singularity(structure: Structure) -> dict[str, Definition]:
    """Return kernels that vanish where the machine is singular, and whether it is."""
    legs, groups = len(structure.motor_legs), len(structure.passive_groups)
    found = {
        "is_singular": define(singularity_measures.is_singular, (POSE,),
            Argument("singular", (), "", "1 if singular, or not a pose that it can take, else 0"),
            needs_inverse=structure.extensible),
        "serial_pivots": define(singularity_measures.serial, (POSE,),
            Argument("pivots", (legs,), "1", "of legs with motors; 0 in a serial singularity")),
        "constraint_pivot": define(singularity_measures.constraint, (POSE,),
            Argument("pivot", (), "1", "0 in a constraint singularity")),
        "passive_pivots": define(singularity_measures.passive, (POSE,),
            Argument("pivots", (groups,), "1", "of passive joints; 0 where these are stuck")),
    }  # fmt: skip
    if structure.extensible:
        del found["constraint_pivot"]
    return found


def _dynamics(structure: Structure, by: _Derivation) -> dict[str, Definition]:
    """The equation of motion, by one derivation."""
    n, u, force = structure.dof, _moves(structure), forces(structure)
    needed = Argument("force", (structure.actuators,), force.unit, force.meaning)
    return {
        "inverse_dynamics": define(by.inverse_dynamics, (*MOTION, WRENCH), needed,
            doc=f"{by.inverse_dynamics.__doc__}\n{RIGID_BODIES}",
            needs_inverse=structure.extensible),
        "actuator_force": define(passive_joints.with_joints(by.inverse_dynamics), (*MOTION, WRENCH),
            needed, doc=WITH_JOINTS, needs_inverse=structure.extensible),
        "forward_dynamics": define(by.forward_dynamics, (POSE, TWIST, force, WRENCH),
            Argument("acceleration", (6,), defined.ACCELERATION.unit, defined.ACCELERATION.meaning),
            doc=f"{by.forward_dynamics.__doc__}\n{FORWARD}"),
        "joint_wrench": define(passive_joints.joint_wrench, (POSE, TWIST),
            Argument("wrench", (6,), WRENCH.unit, "of friction, damping and springs, base axes")),
        "mass_matrix": define(by.mass_matrix, (POSE,),
            Argument("M", (n, n), "SI", f"mass matrix for {u}")),
        "coriolis_matrix": define(by.coriolis_matrix, (POSE, TWIST),
            Argument("C", (n, n), "SI", "Coriolis matrix; d/dt M - 2 C is skew"),
            doc="C of M u̇ + C u + G, with Ṁ - 2C skew, torsion-free."),
        "bias": define(by.bias, (POSE, TWIST), Argument("h", (n,), "SI", f"C u + G, for {u}")),
        "gravity": define(by.gravity, (POSE,),
            Argument("G", (n,), "SI", f"what balances weights, for {u}")),
    }  # fmt: skip


def _whole_machine(structure: Structure) -> dict[str, Definition]:
    n, u, force = structure.dof, _moves(structure), forces(structure)
    return {
        "spring_energy": define(passive_joints.spring_energy, (POSE,),
            Argument("energy", (), "J", "of springs, counted from home"),
            doc="Energy [J] of the springs of joints and between bodies, counted from home."),
        "energy": define(dynamics.energy, (POSE, TWIST),
            Argument("energy", (2,), "J", "kinetic and potential energy")),
        "momentum": define(motions.momentum, (POSE, TWIST),
            Argument("momentum", (6,), "kg m/s, kg m^2/s",
                "linear, and angular about the base origin")),
        "linearize": define(stiffness.linearize, (POSE, TWIST, force, WRENCH),
            Argument("A", (2 * n, 2 * n), "SI", f"state matrix of moves and {u}"),
            Argument("B", (2 * n, structure.actuators), "SI", "input matrix, from efforts")),
    }  # fmt: skip


def _of_drives(structure: Structure, by: _Derivation) -> dict[str, Definition]:
    """Kernels of what motions ask of motors; none unless all actuators state a drive."""
    m, n = structure.actuators, structure.dof
    with_joints = passive_joints.with_joints(by.inverse_dynamics)
    if len(drive_places(structure)) != m:
        return {}

    def motor_demand(machine: Machine, *state: Value) -> tuple[Value, ...]:
        """Demands of a motion on the motors, with rotors, gears, screws, friction, efficiencies.

        `actuator_force` with what the drives take, as far as the robot file states it, while
        currents hardly change; limits are not applied.
        """
        speed = kinematics.joint_velocity(machine, *state[:2])
        acceleration = kinematics.joint_acceleration(machine, *state[:3])
        state_of = map(ca.vertsplit, (speed, acceleration, with_joints(machine, *state)))
        asked = map(drive.demand, drive_laws(structure, machine), *state_of)
        return tuple(vector(*column) for column in zip(*map(astuple, asked), strict=True))

    def motor_matrices(machine: Machine, pose: Value, twist: Value) -> tuple[Value, Value, Value]:
        state, drives = (pose, twist), drive_laws(structure, machine)
        M, C = by.mass_matrix(machine, pose), by.coriolis_matrix(machine, *state)
        return drive.motor_matrices(machine, drives, state, (M, C, by.gravity(machine, pose)))

    u = _moves(structure)
    return {
        "motor_demand": define(motor_demand, (*MOTION, WRENCH),
            Argument("motor_speed", (m,), "rad/s", "of each motor"),
            Argument("motor_torque", (m,), "N m", "of the field"),
            Argument("current", (m,), "A", "of each motor"),
            Argument("voltage", (m,), "V", "at the terminals"),
            needs_inverse=structure.extensible),
        "motor_matrices": define(motor_matrices, (POSE, TWIST),
            Argument("M_c", (m, n), "SI", f"motor torques by the rates of {u}"),
            Argument("N_c", (m, n), "SI", f"motor torques by {u}"),
            Argument("G_c", (m,), "N m", "motor torques against weights"),
            doc=drive.motor_matrices.__doc__ or "", needs_inverse=True),
    }  # fmt: skip


def _on_motors(structure: Structure, by: _Derivation) -> dict[str, Definition]:
    m, force = structure.actuators, forces(structure)

    def joint_mass_matrix(machine: Machine, pose: Value) -> Value:
        return dynamics.joint_mass_matrix(machine, pose, by.mass_matrix(machine, pose))

    def joint_coriolis_matrix(machine: Machine, pose: Value, twist: Value) -> Value:
        M, C = by.mass_matrix(machine, pose), by.coriolis_matrix(machine, pose, twist)
        return dynamics.joint_coriolis_matrix(machine, pose, twist, M, C)

    def joint_gravity(machine: Machine, pose: Value) -> Value:
        """G_q (m): efforts against weights alone; of least squares if it has more motors."""
        none = ca.DM.zeros(6)
        return by.inverse_dynamics(replace(machine, base=None), pose, none, none, none)

    return {
        "joint_mass_matrix": define(joint_mass_matrix, (POSE,),
            Argument("M_q", (m, m), "SI", "mass matrix on the driven joints"),
            doc=dynamics.joint_mass_matrix.__doc__ or "", needs_inverse=True),
        "joint_coriolis_matrix": define(joint_coriolis_matrix, (POSE, TWIST),
            Argument("C_q", (m, m), "SI", "Coriolis matrix on the driven joints"),
            doc=dynamics.joint_coriolis_matrix.__doc__ or "", needs_inverse=True),
        "joint_gravity": define(joint_gravity, (POSE,),
            Argument("G_q", (m,), force.unit, "efforts against weights"),
            needs_inverse=structure.extensible),
        "actuator_power": define(
            passive_joints.power_with_joints(by.inverse_dynamics), (*MOTION, WRENCH),
            Argument("power", (m,), "W", "of each driven joint"),
            doc="Mechanical power of each actuator: `actuator_force` times its rate.",
            needs_inverse=structure.extensible),
    }  # fmt: skip


def _joint_forces(structure: Structure) -> dict[str, Definition]:
    """Return kernels of the parts of the efforts, and of the joints' reactions."""
    m, unit, state = structure.actuators, structure.force_unit, (*MOTION, WRENCH)
    joints, axes = len(structure.reactions), "in the joint's own axes; see structure.reactions"
    carried = (
        Argument("force", (joints, 3), "N", f"first body on second, {axes}"),
        Argument("moment", (joints, 3), "N m", f"first body on second, {axes}"),
    )
    legs = structure.extensible
    return {
        "force_parts": define(dynamics.force_parts, state,
            Argument("gravity", (m,), unit, "share of all weights"),
            Argument("acceleration", (m,), unit, "share of the platform's acceleration"),
            Argument("velocity", (m,), unit, "share of the platform's velocity"),
            Argument("external", (m,), unit, "share of the external wrench"), needs_inverse=legs),
        "regressor": define(dynamics.regressor, MOTION,
            Argument("Y", (m, len(standard_names(structure))), "SI", REGRESSOR),
            needs_inverse=legs),
        "reactions": define(reactions.reactions, state, *carried, needs_inverse=legs),
        "all_reactions": define(reactions.all_reactions, state, *carried, needs_inverse=legs),
        "base_wrench": define(reactions.base_wrench, state,
            Argument("wrench", (6,), WRENCH.unit, "of the machine on its base, about its origin")),
        "reaction_axes": define(reactions.reaction_axes, (POSE,),
            Argument("centers", (joints, 3), "m", "where reactions are given, base axes"),
            Argument("axes", (joints, 3, 3), "1", "x, y, z as rows, base axes"),
            Argument("second_axes", (joints, 3), "1", "of universal joints, base axes")),
    }  # fmt: skip


def of_extensible_legs(structure: Structure) -> dict[str, Definition]:
    """Return the kernels that only hexapods have: what papers ask of their legs."""
    n, state = structure.actuators, (*MOTION, WRENCH)

    def legs(name: str, unit: str, meaning: str) -> Argument:
        return Argument(name, (n, 3), unit, f"{meaning}, one row per leg, base axes")

    return {
        "singular_legs": define(_of_legs(closure.singular_legs), (POSE,),
            Argument("kind", (n,), "", "1 along its first axis, 2 without length, 0 regular")),
        "universal_joint_sines": define(_of_legs(closure.universal_joint_sines), (POSE,),
            Argument("sines", (n,), "1", "of the angle between first axis and leg")),
        "leg_angular_velocity": define(_of_legs(closure.leg_angular_velocity), (POSE, TWIST),
            legs("omega", "rad/s", "angular velocity of each leg")),
        "leg_angular_acceleration": define(_of_legs(closure.leg_angular_acceleration), MOTION,
            legs("alpha", "rad/s^2", "angular acceleration of each leg")),
        "limb_matrices": define(_of_legs(newton_euler.limb_matrices), (POSE, TWIST),
            Argument("M", (n, 3, 3), "kg", "Mᵢ of each leg, at its platform joint"),
            Argument("C", (n, 3, 3), "kg/s", "Cᵢ of each leg"),
            legs("G", "N", "Gᵢ of each leg")),
        **({"leg_form": define(leg_form.leg_form, MOTION,
            Argument("q_i", (n, 3), "rad, m", "(24), whose last column is q_a (23)"),
            Argument("R_3i", (n, 3, 3), "1", "axes of frame 3i as columns"),
            Argument("J_i", (n, 3, 3), "m, 1", "(26), v_i = J_i q̇_i, frame 3i"),
            Argument("J_vi", (n, 3, 6), "1, m", "(29), v_i = J_vi · twist"),
            Argument("J_inv", (n, 6), "1, m", "(32), q̇_a = J_inv · twist"),
            Argument("G_i", (n, 3, n), "1/m, 1", "(8), q̇_i = G_i q̇_a"),
            Argument("w_P", (6,), "N, N m", "(10), wrench on the free platform"),
            Argument("tau_i", (n, 3), "N m, N", "efforts of a free leg whose joints are driven"),
            Argument("tau_a", (n,), "N", "(33), actuator forces"), needs_inverse=True)}
            if all(leg.joints[0] == "U" for leg in structure.legs) else {}),
        "leg_spin": define(_of_legs(closure.leg_spin), (POSE, TWIST),
            Argument("spin", (n,), "rad/s", "turning about itself")),
        "force_decomposition": define(_of_legs(kane.force_decomposition), state, *_shares(n, "N"),
            needs_inverse=True),
        "wrench_decomposition": define(_of_legs(kane.wrench_decomposition), state,
            *_shares(6, "N, N m")),
    }  # fmt: skip


def _shares(size: int, unit: str) -> tuple[Argument, ...]:
    return (
        Argument("external", (size,), unit, "against the external wrench"),
        Argument("platform", (size,), unit, "for the platform's inertia and weight"),
        Argument("leg_gravity", (size,), unit, "for the weight of the legs across them"),
        Argument("tangential", (size,), unit, "for second rates of the legs' angles"),
        Argument("coriolis", (size,), unit, "for products of a length's rate and an angular rate"),
        Argument("centrifugal", (size,), unit, "for products of two angular rates of a leg"),
        Argument("piston_gravity", (size,), unit, "for the pistons' weight along the legs"),
        Argument("piston_inertia", (size,), unit, "for the pistons' acceleration along the legs"),
    )


def _coupling_forces(structure: Structure) -> dict[str, Definition]:
    units = ", ".join(dict.fromkeys(coupling.force_unit for coupling in structure.couplings))
    names = ", ".join(coupling.name for coupling in structure.couplings)
    effort = Argument("effort", (len(structure.couplings),), units, f"on the first joint: {names}")
    return {"coupling_efforts": define(reactions.coupling_efforts, (*MOTION, WRENCH), effort)}


def elastic_kernels(structure: Structure) -> dict[str, Definition]:
    """Return the kernels of machines whose driven joints are all compliant."""
    n, u = structure.dof, _moves(structure)
    force = replace(forces(structure), optional=False)
    compliances = defined.actuator_compliances(structure)
    found = {
        "stiffness": define(stiffness.stiffness, (POSE, force, compliances),
            Argument("K", (n, n), "SI", f"force by displacement along {u}")),
        "compliance": define(stiffness.compliance, (POSE, force, compliances),
            Argument("C", (6, 6), "m/N, rad/N, rad/(N m)", "displacement by wrench")),
        "deflection": define(stiffness.deflection,
            (POSE, replace(WRENCH, optional=False), compliances),
            Argument("displacement", (6,), "m, rad", "way and rotation vector, base axes")),
    }  # fmt: skip
    if not structure.has_compliant_links:
        size = n + sum(_moving_springs(leg.springs) for leg in structure.legs)
        more = f"{u}, and of masses on springs" if size > n else u
        found["vibration"] = define(
            stiffness.vibration,
            (POSE, force, compliances),
            Argument("M", (size, size), "SI", f"mass matrix for {more}"),
            Argument("K", (size, size), "SI", f"stiffness matrix for {more}"),
        )
    return found


def _moving_springs(keys: tuple[str, ...]) -> int:
    """Return the number of masses on springs in a leg: its piston, its decoupling stage."""
    piston = {"connector.stiffness", "connector.coupling.stiffness"} & {*keys}
    return bool(piston) + ("connector.decoupling.stiffness" in keys)


def _moves(structure: Structure) -> str:
    return f"u = {' '.join(structure.degrees_of_freedom)}"


def _per(units: str, time: str) -> str:
    return ", ".join(f"{unit}/{time}" for unit in units.split(", "))
