"""Control laws: from errors of the driven joints, or of the platform, to forces or voltages."""

from dataclasses import replace

import casadi as ca
from casadi import dot

from gough.equations.actuators.compliant_leg import Inner, legs_of
from gough.equations.actuators.drive import demand
from gough.equations.closure import closing
from gough.equations.control import signals
from gough.equations.control.signals import SIZE, Estimate, Reference, Sample, estimated
from gough.equations.dynamics.formulation import AT_REST, NO_WRENCH
from gough.equations.forces import dynamics
from gough.equations.forces.capacity import move_units
from gough.equations.forces.contact import contact_of, task_frame
from gough.equations.forces.passive_joints import spring_wrench
from gough.equations.legs.closure import leg_position
from gough.equations.legs.extensible import RIGID
from gough.equations.motion import kinematics
from gough.equations.solvers.linear import DampedFit
from gough.equations.spatial.algebra import Value, position, unit, vector
from gough.equations.spatial.pose import displace, nudge, turn_between


def joint_pid(at: Sample) -> tuple[Value, Value]:
    """force = kp e + kd ė + kv q̇ᵣ + ∫ ki e, the state (n) [N, N m], which stops at the limit."""
    gains, limit, (e, _), (q_dot, _) = at.gains, at.limit, at.joint_errors, at.reference_rates
    growth = gains["ki"] @ e * at.period
    forces = at.correction() + gains["kv"] @ q_dot + at.state
    integral = at.state + signals.without_windup(forces + growth, growth, limit)
    return signals.limited(forces + integral - at.state, limit), integral


def pd_gravity(at: Sample) -> tuple[Value, Value]:
    """force = kp e + kd ė + what holds the machine where it is; the state is an estimate."""
    now, machine = estimated(at), at.machine
    springs = spring_wrench(machine, now.pose)
    holding = dynamics.inverse_dynamics(machine, now.pose, AT_REST, AT_REST, springs)
    return at.correction() + holding, now.state


def feed_forward(at: Sample) -> tuple[Value, Value]:
    """force = inverse dynamics of the reference, known drives' too, + kp e + kd ė; no state."""
    needed = signals.with_drives(at.drives, at.reference_forces, *at.reference_rates)
    return needed + at.correction(), at.state


def gravity_feed_forward(at: Sample) -> tuple[Value, Value]:
    """force = what the reference needs if legs have weight and no inertia + kp e + kd ė."""
    machine, wanted = at.machine, at.reference
    motion = (wanted.pose, wanted.twist, wanted.acceleration)
    needed = dynamics.gravity_only_dynamics(machine, *motion, spring_wrench(machine, wanted.pose))
    return needed + at.correction(), at.state


def open_loop_forces(at: Sample) -> tuple[Value, Value]:
    """The share `load` (n) of the forces [N, N m] that the reference needs; there is no state."""
    return at.gains["load"] * at.reference_forces, at.state


def open_loop_voltages(at: Sample) -> tuple[Value, Value]:
    """The voltages [V] that the reference needs, with the share `load` (n) of its forces."""
    (speed, q_ddot), (force, _) = at.reference_rates, open_loop_forces(at)
    drives = enumerate(at.drives or ())
    return ca.vertcat(
        *(demand(d, speed[k], q_ddot[k], force[k]).voltage for k, d in drives)
    ), at.state


def computed_torque_joint(at: Sample) -> tuple[Value, Value]:
    """Forces of q̈ = q̈ᵣ + kd ė + kp e, kp [1/s^2], kd [1/s] per joint; the state: an estimate."""
    now, gains, (e, e_dot) = estimated(at), at.gains, at.joint_errors
    _, q_ddot = at.reference_rates
    wanted = q_ddot + gains["kd"] * e_dot + gains["kp"] * e
    return now.force(now.acceleration_of_joints(wanted), NO_WRENCH), now.state


def active_damping(at: Sample) -> tuple[Value, Value]:
    """force = what the reference needs + kp e + kd ė - kf ∫ (push - that of the reference).

    Integral force feedback of a sensor in each leg is a damper in series with the spring by which
    its actuator is held, velocity feedback one beside it [Preumont 2011, chapters 5 and 8]. The
    state (n) [N] is the last term; it fades by `leak` [1/s], and does not grow where the command is
    at its limit.
    """
    gains, wanted = at.gains, at.reference
    legs = at.machine.hexapod  # others have no connectors
    on_joints, (l_dot, l_ddot) = at.reference_forces, at.reference_rates
    held = at.correction() + signals.with_drives(at.drives, on_joints, l_dot, l_ddot)
    n = len(legs.legs)
    moving = legs_of(legs, (RIGID,) * n, wanted.pose, wanted.twist, Inner.none(n))
    pistons = vector(*(leg.moving_force(l_ddot[k]) for k, leg in enumerate(moving)))
    excess = at.measurement.push - (on_joints - pistons)  # pistons precede the sensors
    growth = -at.period * (gains["kf"] * excess + gains["leak"] * at.state)
    integral = at.state + signals.without_windup(held + at.state + growth, growth, at.limit)
    return signals.limited(held + integral, at.limit), integral


def computed_torque_task(at: Sample) -> tuple[Value, Value]:
    """Forces of ë + kd ė + kp e = 0 of moves, kp [1/s^2], kd [1/s]; the state is an estimate."""
    now = estimated(at)
    return now.force(_wanted_acceleration(at, now, at.reference), NO_WRENCH), now.state


def admittance(at: Sample) -> tuple[Value, Value]:
    """m ẍ + d ẋ + k x = measured wrench; x is added to the reference, which is then followed.

    x (n) is small, and along the moves: of a hexapod a displacement [m] and a rotation vector
    [rad], base axes. `mass`, `damping` and `stiffness` are one per freedom. The inner law is
    computed torque in task space, and knows the wrench. The state is an estimate, then x and ẋ.
    """
    now, gains, wanted, h = estimated(at), at.gains, at.reference, at.period
    x, x_dot = ca.vertsplit(at.state[SIZE:], now.T.shape[1])
    pushed = now.T.T @ at.measurement.wrench
    x_ddot = (pushed - gains["damping"] * x_dot - gains["stiffness"] * x) / gains["mass"]
    T = kinematics.twist_basis(at.machine, wanted.pose)
    compliant = Reference(
        displace(wanted.pose, T @ x), wanted.twist + T @ x_dot, wanted.acceleration + T @ x_ddot
    )
    force = now.force(_wanted_acceleration(at, now, compliant), at.measurement.wrench)
    x_dot_next = x_dot + h * x_ddot
    x_next = x + h * x_dot_next  # the new rate: more stable than the old one
    return force, ca.vertcat(now.state, x_next, x_dot_next)


def implicit_force(at: Sample) -> tuple[Value, Value]:
    """Along selected axes the platform pushes with a wrench; along the others it is held.

    The coupling stage of a leg pushes the platform with K_c times its compression: the actuator
    moves until that is the one of the wanted force, wherever the surface is [Baiges 1996, 2.3].

    Task axes: `selection` (6) is 1 where the platform is to do `wrench` (6) [N, N m] to the world,
    and 0 where `stiffness` and `damping` (6) hold it to the reference. Where it pushes, `damping`
    resists its motion: a tool that touches nothing approaches at wrench / damping. The weights, as
    the controller knows them, are borne besides. Each leg's share F is made by its compression
    Δ = F / K_c, with K_c = `coupling` [N/m]: force = F + kp (Δ - measured) + integral - kd q̇. The
    state is an estimate, then the integral of ki (Δ - measured) [N].
    """
    gains, measured, machine = at.gains, at.measurement, at.machine
    lengths = replace(measured, q=measured.q - measured.deflection)
    now, integral = estimated(replace(at, measurement=lengths)), at.state[SIZE:]
    chosen, damping, (X, _) = gains["selection"], gains["damping"], task_frame(at.surface, now.pose)
    held = gains["stiffness"] * (X @ pose_error(at.reference.pose, now.pose))
    held += damping * (X @ (at.reference.twist - now.twist))
    pushing = chosen * (gains["wrench"] - damping * (X @ now.twist)) + (1 - chosen) * held
    outside = spring_wrench(machine, now.pose) - X.T @ pushing
    force = dynamics.inverse_dynamics(machine, now.pose, AT_REST, AT_REST, outside)
    legs = machine.hexapod.legs  # others have no coupling stages
    weights = [x.piston.mass * dot(machine.gravity, leg_position(x, now.pose).s) for x in legs]
    missing = (force + ca.vertcat(*weights)) / gains["coupling"] - measured.deflection
    growth = at.period * gains["ki"] * missing
    without_growth = force + gains["kp"] * missing + integral - gains["kd"] * measured.q_dot
    grown = signals.without_windup(without_growth + growth, growth, at.limit)
    return without_growth + grown, ca.vertcat(now.state, integral + grown)


def hybrid_force(at: Sample) -> tuple[Value, Value]:
    """Along selected task axes the platform pushes with a wrench; along the others it follows.

    Where `selection` (6) is 1 it does `wrench` (6) [N, N m] to the world, corrected by the integral
    of ki [1/s] times what a force sensor misses of it, while `damping` (6) resists its motion;
    where 0, computed torque with kp [1/s^2] and kd [1/s] (6) [Raibert, Craig 1981; Khatib 1987].
    The integral changes only in contact, along all axes: where the tool is inside the surface that
    it knows, or without one where any measured component is along its wanted one, unless all wanted
    are zero. The state is an estimate, then the integral (6) [N, N m].
    """
    now, gains, chosen, integral = estimated(at), at.gains, at.gains["selection"], at.state[SIZE:]
    (X, Y), wanted = task_frame(at.surface, now.pose), at.gains["wrench"]
    pushed = -Y.T @ at.measurement.wrench
    if at.surface is None:
        touches = ca.logic_or(
            ca.mmax(chosen * pushed * wanted) > 0, ca.mmax(chosen * wanted**2) == 0
        )
    else:
        touches = contact_of(at.surface, now.pose, now.twist).distance < 0
    integral += at.period * gains["ki"] * chosen * touches * (wanted - pushed)
    pushing = chosen * (wanted + integral - gains["damping"] * (X @ now.twist))
    e, e_dot = X @ pose_error(at.reference.pose, now.pose), X @ (at.reference.twist - now.twist)
    second = X @ at.reference.acceleration + gains["kd"] * e_dot + gains["kp"] * e
    moved = kinematics.independent_velocities(at.machine, Y @ ((1 - chosen) * second))
    return now.force(now.acceleration(moved), -X.T @ pushing), ca.vertcat(now.state, integral)


def crossing_torque(at: Sample) -> tuple[Value, Value]:
    """Computed torque through a parallel singularity; kp [1/s^2], kd [1/s] per degree of freedom.

    There the actuators neither feel nor drive the escaping motion. A motion that can cross needs no
    force along it, so that what is left of the equations is enough [Six, Briot, Chriette, Martinet
    2017, ASME J. Mechanisms and Robotics 9(5)]. Pose and twist along the escaping motion are
    carried on by the machine's own dynamics, and the actuators keep what they do to each other.

    `near` is the share of the maximum pivot of J below which its weakest direction is left out;
    elsewhere the law is computed torque. The state is an estimate of pose and twist, the
    acceleration (6) that the last forces cause, and these forces (n).
    """
    now = _carried_estimate(at)
    wanted = now.force(_wanted_acceleration(at, now, at.reference), NO_WRENCH)
    force = signals.limited(wanted, at.limit)
    springs = spring_wrench(now.machine, now.pose)
    made = dynamics.forward_dynamics(now.machine, now.pose, now.twist, force, springs)
    return force, ca.vertcat(now.state, made, force)


def _carried_estimate(at: Sample) -> Estimate:
    """Pose and twist at this sample: carried on, and corrected as far as the joints tell."""
    machine, h, q, q_dot = at.machine, at.period, at.measurement.q, at.measurement.q_dot
    twist, acceleration, last = at.state[7:SIZE], at.state[SIZE : SIZE + 6], at.state[SIZE + 6 :]

    def fit(pose: Value) -> DampedFit:
        J = kinematics.actuation_matrix(machine, pose)
        return DampedFit.of(J, move_units(machine), at.gains["near"], last)

    carried = nudge(at.state[0:7], h * twist + h * h / 2 * acceleration)
    pose = nudge(carried, closing.step_to(machine, carried, q, fit(carried)))
    T, J = kinematics.twist_basis(machine, pose), fit(pose)
    u = kinematics.independent_velocities(machine, twist + h * acceleration)
    u += J.solve(q_dot - kinematics.joint_velocity(machine, pose, T @ u))
    return Estimate(machine, pose, T @ u, T, J)


def _wanted_acceleration(at: Sample, now: Estimate, wanted: Reference) -> Value:
    """The reference's acceleration, with what corrects the errors of pose and twist."""
    errors = (wanted.acceleration, pose_error(wanted.pose, now.pose), wanted.twist - now.twist)
    u_ddot, e, e_dot = (kinematics.independent_velocities(now.machine, x) for x in errors)
    return now.acceleration(u_ddot + at.gains["kd"] * e_dot + at.gains["kp"] * e)


def pose_error(wanted: Value, pose: Value) -> Value:
    """From a pose to a wanted one: the way [m], and twice the sine of half the turn [rad]."""
    turn = unit(turn_between(wanted, pose))
    shorter = ca.if_else(turn[0] < 0, -1, 1)  # q and -q are the same attitude
    return ca.vertcat(position(wanted) - position(pose), 2 * shorter * turn[1:4])
