"""Control laws of the driven joints: from their errors to forces, or to voltages of drives."""

from __future__ import annotations

import casadi as ca

from gough.equations.actuators.compliant_leg import Inner, legs_of
from gough.equations.actuators.connector import RIGID
from gough.equations.actuators.drive import demand
from gough.equations.control.signals import Sample, estimated, limited, with_drives, without_windup
from gough.equations.dynamics.formulation import AT_REST, NO_WRENCH
from gough.equations.forces.dynamics import inverse_dynamics
from gough.equations.forces.joint_springs import spring_wrench
from gough.equations.spatial.algebra import Value, vector


def joint_pid(at: Sample) -> tuple[Value, Value]:
    """force = kp e + kd ė + kv q̇ᵣ + integral of ki e; the integral [N, N m] is the state (n).

    Gains may couple joints. Anti-windup: a joint whose force is at its limit does not integrate
    further that way.
    """
    gains, limit, (e, _), (q_dot, _) = (at.gains, at.limit, at.joint_errors, at.reference_rates)
    growth = gains["ki"] @ e * at.period
    forces = at.correction() + gains["kv"] @ q_dot + at.state
    integral = at.state + without_windup(forces + growth, growth, limit)
    return limited(forces + integral - at.state, limit), integral


def pd_gravity(at: Sample) -> tuple[Value, Value]:
    """force = kp e + kd ė + what holds the machine where it is; the state is an estimate."""
    now, machine = estimated(at), at.machine
    springs = spring_wrench(machine, now.pose)
    holding = inverse_dynamics(machine, now.pose, AT_REST, AT_REST, springs)
    return at.correction() + holding, now.state


def feed_forward(at: Sample) -> tuple[Value, Value]:
    """force = inverse dynamics of the reference + kp e + kd ė; there is no state.

    Where drives are known, what they need to follow the reference is added.
    """
    needed = with_drives(at.drives, at.reference_forces, *at.reference_rates)
    return needed + at.correction(), at.state


def open_loop_forces(at: Sample) -> tuple[Value, Value]:
    """The share `load` (n) of the forces [N, N m] that the reference needs; there is no state."""
    return at.gains["load"] * at.reference_forces, at.state


def open_loop_voltages(at: Sample) -> tuple[Value, Value]:
    """The voltages [V] that the reference needs of the drives; there is no state.

    Of the forces they know the share `load` (n): with zero every drive goes by the position of
    its joint alone. What inductances take is left out.
    """
    (speed, q_ddot), (force, _) = at.reference_rates, open_loop_forces(at)
    drives = enumerate(at.drives or ())
    return ca.vertcat(
        *(demand(d, speed[k], q_ddot[k], force[k]).voltage for k, d in drives)
    ), at.state


def computed_torque_joint(at: Sample) -> tuple[Value, Value]:
    """Return the forces of q̈ = q̈ᵣ + kd ė + kp e; kp [1/s^2] and kd [1/s] one per joint.

    The errors of an exactly known machine obey ë + kd ė + kp e = 0. The state is an estimate.
    """
    now, gains, (e, e_dot), (_, q_ddot) = (
        estimated(at),
        at.gains,
        at.joint_errors,
        at.reference_rates,
    )
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
    legs = at.machine.extensible
    assert legs is not None  # others have no connectors
    on_joints, (l_dot, l_ddot) = at.reference_forces, at.reference_rates
    held = at.correction() + with_drives(at.drives, on_joints, l_dot, l_ddot)
    n = len(legs.legs)
    moving = legs_of(legs, (RIGID,) * n, wanted.pose, wanted.twist, Inner.none(n))
    pistons = vector(*(leg.moving_force(l_ddot[k]) for k, leg in enumerate(moving)))
    felt = at.measurement.push - (on_joints - pistons)  # pistons precede the sensors
    growth = -at.period * (gains["kf"] * felt + gains["leak"] * at.state)
    integral = at.state + without_windup(held + at.state + growth, growth, at.limit)
    return limited(held + integral, at.limit), integral
