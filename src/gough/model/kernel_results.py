"""Results of kernels with several outputs, for type checkers; each has batch axes in front."""

from __future__ import annotations

from typing import NamedTuple

from gough.arrays import Array


class JointMotions(NamedTuple):
    """Positions [rad, m], velocities and accelerations of all joints."""

    position: Array
    velocity: Array
    acceleration: Array


class JointReactions(NamedTuple):
    """Forces [N] and moments [N m] (n, 3) of each joint's first body on its second, own axes."""

    force: Array
    moment: Array


class ReactionAxes(NamedTuple):
    """Centres [m] and axes of joints whose reactions are computed."""

    centers: Array
    axes: Array
    second_axes: Array


class Linearization(NamedTuple):
    """State matrix A and input matrix B."""

    A: Array
    B: Array


class VibrationMatrices(NamedTuple):
    """Mass and stiffness matrices."""

    M: Array
    K: Array


class LimbMatrices(NamedTuple):
    """M (legs, 3, 3) [kg], C [kg/s] and G (legs, 3) [N] of each leg of a hexapod."""

    M: Array
    C: Array
    G: Array


class MotorDemands(NamedTuple):
    """Speeds [rad/s], torques [N m], currents [A] and voltages [V] of motors."""

    motor_speed: Array
    motor_torque: Array
    current: Array
    voltage: Array


class MotorMatrices(NamedTuple):
    """Motor torques by accelerations, by velocities, and at rest."""

    M_c: Array
    N_c: Array
    G_c: Array


class ForceParts(NamedTuple):
    """Actuator forces [N, N m] by cause; their sum is the inverse dynamics."""

    gravity: Array
    acceleration: Array
    velocity: Array
    external: Array


class Decomposition(NamedTuple):
    """Forces or wrenches of a hexapod by cause [Baiges 1996, 6.(24)]."""

    external: Array
    platform: Array
    leg_gravity: Array
    tangential: Array
    coriolis: Array
    centrifugal: Array
