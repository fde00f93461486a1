"""Recordings of simulated hexapods: a rich motion, quantised lengths, noise on the motors."""

import numpy as np
from scipy.spatial.transform import Rotation

import gough

HARMONICS = np.arange(1, 11) / 10.0
"""Of the motion [Hz]."""


def rich_motion(seed, duration=30.0, rate=1000.0, time=None):
    """Time, poses, twists and accelerations of a random Fourier series about home."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, duration, 1.0 / rate) if time is None else time
    scale = np.array([0.05, 0.05, 0.05, 0.12, 0.12, 0.16])
    a, b = rng.standard_normal((2, len(HARMONICS), 6)) * scale / len(HARMONICS) ** 0.5 / 1.5
    w = 2 * np.pi * HARMONICS[:, None]
    phase = 2 * np.pi * np.outer(time, HARMONICS)
    x = np.sin(phase) @ a + np.cos(phase) @ b
    x_dot = np.cos(phase) @ (a * w) - np.sin(phase) @ (b * w)
    x_ddot = -np.sin(phase) @ (a * w**2) - np.cos(phase) @ (b * w**2)
    return time, x, x_dot, x_ddot


def states(home, x, x_dot, x_ddot):
    """Poses, twists and accelerations from places and Euler angles about the fixed axes x, y, z."""
    turn = Rotation.from_euler("xyz", x[:, 3:])
    quaternion = np.roll(turn.as_quat(), 1, axis=-1)
    pose = np.concatenate([np.array(home[:3]) + x[:, :3], quaternion], -1)
    # ω = E(angles) · rates, with columns Rz Ry ex, Rz ey, ez
    _, pitch, yaw = x[:, 3:].T
    zero, one = np.zeros_like(yaw), np.ones_like(yaw)
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    E = np.array([[cy * cp, -sy, zero], [sy * cp, cy, zero], [-sp, zero, one]])
    pd, yd = x_dot[:, 4], x_dot[:, 5]
    E_dot = np.array(
        [
            [-sy * cp * yd - cy * sp * pd, -cy * yd, zero],
            [cy * cp * yd - sy * sp * pd, -sy * yd, zero],
            [-cp * pd, zero, zero],
        ]
    )
    omega = np.einsum("ijt,tj->ti", E, x_dot[:, 3:])
    alpha = np.einsum("ijt,tj->ti", E, x_ddot[:, 3:])
    alpha += np.einsum("ijt,tj->ti", E_dot, x_dot[:, 3:])
    twist = np.concatenate([x_dot[:, :3], omega], -1)
    return pose, twist, np.concatenate([x_ddot[:, :3], alpha], -1)


def motor_torques(robot, force, speed, acceleration):
    """What the motors do, from the numbers of the robot file [N m]."""
    torque = np.empty_like(force)
    for k, leg in enumerate(robot.legs):
        d, n = leg.drive, leg.drive.gear_ratio
        turns = 2 * np.pi * n / d.screw_lead
        motor_speed, motor_acceleration = turns * speed[:, k], turns * acceleration[:, k]
        sign = np.tanh(motor_speed)
        dry = (
            d.rotor_friction
            + d.screw_friction / n
            + (1 / d.efficiency - 1) * np.abs(force[:, k]) / turns
        )
        inertia, damping = (
            d.rotor_inertia + d.screw_inertia / n**2,
            d.rotor_damping + d.screw_damping / n**2,
        )
        torque[:, k] = (
            inertia * motor_acceleration + damping * motor_speed + dry * sign + force[:, k] / turns
        )
    return torque


def recorded(
    robot,
    seed,
    *,
    step=1e-6,
    noise=7.5,
    duration=30.0,
    measured="motor_torque",
    time=None,
    lag=0.0,
    motion=None,
):
    """Columns of a recording; noise [N] at the legs, lengths in steps [m].

    The motion, from times to poses, twists and accelerations, is a rich one. `time` [s] are the
    samples', if not 1000 a second; efforts come a lag [s] later than lengths.
    """
    time = np.arange(0.0, duration, 1e-3) if time is None else time
    motion = motion or (lambda t: states(robot.home, *rich_motion(seed, time=t)[1:]))
    model = gough.Model(robot)
    length = model.inverse_kinematics(motion(time)[0])
    motion = motion(time - lag)
    speed = model.joint_velocity(*motion[:2])
    effort = model.inverse_dynamics(*motion)
    rng = np.random.default_rng(seed + 1000)
    disturbance = noise * rng.standard_normal(effort.shape)
    unit = "N"
    if measured != "force":
        drives = [leg.drive for leg in robot.legs]
        turns = np.array([2 * np.pi * d.gear_ratio / d.screw_lead for d in drives])
        effort = motor_torques(robot, effort, speed, model.joint_acceleration(*motion))
        disturbance, unit = disturbance / turns, "N m"
    if measured == "motor_current":
        constants = np.array([d.torque_constant for d in drives])
        effort, disturbance, unit = effort / constants, disturbance / constants, "A"
    length = np.round(length / step) * step if step else length
    columns = {"t [s]": time}
    for k in range(length.shape[1]):
        columns[f"leg_length_{k + 1} [m]"] = length[:, k]
        columns[f"{measured}_{k + 1} [{unit}]"] = effort[:, k] + disturbance[:, k]
    return columns
