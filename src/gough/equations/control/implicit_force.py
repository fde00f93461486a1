"""Implicit force control: forces made by compressing springs of known stiffness [Baiges 1996, 2.3].

The coupling stage of a leg pushes the platform with K_c times its compression. So a force is a
length: the actuator moves until the compression is that of the wanted force. Where the surface is
that the platform leans on does not matter.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from gough.equations.control.computed_torque import pose_error
from gough.equations.control.estimate import SIZE, estimated
from gough.equations.control.signals import Gains, Measurement, Reference, Setting, without_windup
from gough.equations.dynamics import AT_REST
from gough.equations.legs.leg import leg_position
from gough.equations.mechanism import dynamics
from gough.equations.mechanism.joint_springs import spring_wrench
from gough.equations.spatial.algebra import Value, dot


def implicit_force(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """Along selected axes the platform pushes with a wrench; along the others it is held.

    Base axes: `selection` (6) is 1 where the platform is to do `wrench` (6) [N, N m] to the world,
    and 0 where `stiffness` and `damping` (6) hold it to the reference. The weights, as the
    controller knows them, are borne besides. Each leg's share F is made by its compression
    Δ = F / K_c, with K_c = `coupling` [N/m]: force = F + kp (Δ - measured) + integral - kd q̇. The
    state is an estimate, then the integral of ki (Δ - measured) [N].
    """
    machine, hexapod = setting.machine, setting.machine.extensible
    assert hexapod is not None  # others have no coupling stages
    lengths = replace(measurement, q=measurement.q - measurement.deflection)
    now = estimated(setting, state[0:SIZE], lengths)
    integral = state[SIZE:]
    held = gains["stiffness"] * pose_error(reference.pose, now.pose)
    held += gains["damping"] * (reference.twist - now.twist)
    chosen = gains["selection"]
    pushing = chosen * gains["wrench"] + (1 - chosen) * held
    outside = spring_wrench(machine, now.pose) - pushing
    force = dynamics.inverse_dynamics(machine, now.pose, AT_REST, AT_REST, outside)
    weights = [
        leg.piston.mass * dot(machine.gravity, leg_position(leg, now.pose).s)
        for leg in hexapod.legs
    ]
    compression = (force + ca.vertcat(*weights)) / gains["coupling"]
    missing = compression - measurement.deflection
    growth = setting.period * gains["ki"] * missing
    command = force + gains["kp"] * missing + integral - gains["kd"] * measurement.q_dot
    integral += without_windup(command + growth, growth, setting.limit)
    command = force + gains["kp"] * missing + integral - gains["kd"] * measurement.q_dot
    return command, ca.vertcat(now.state, integral)
