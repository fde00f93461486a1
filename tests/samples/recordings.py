"""Recordings of simulated machines: a rich motion, quantised positions, noise on the motors."""

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


def motor_turns(drive):
    """Of the motor, per metre of a leg or slide or per radian of a hinge [rad/m, 1]."""
    lead = getattr(drive, "screw_lead", 2 * np.pi)
    return 2 * np.pi * drive.gear_ratio / lead


def motor_torques(robot, force, speed, acceleration):
    """What the motors do, from the numbers of the robot file [N m]."""
    torque = np.empty_like(force)
    for k, actuator in enumerate(robot.actuators):
        d, n = actuator.drive, actuator.drive.gear_ratio
        passed_on = "gear" if actuator.turns else "screw"
        behind = {x: getattr(d, f"{passed_on}_{x}") for x in ("inertia", "damping", "friction")}
        turns = motor_turns(d)
        motor_speed, motor_acceleration = turns * speed[:, k], turns * acceleration[:, k]
        sign = np.tanh(motor_speed)
        dry = (
            d.rotor_friction
            + behind["friction"] / n
            + (1 / d.efficiency - 1) * np.abs(force[:, k]) / turns
        )
        inertia, damping = (
            d.rotor_inertia + behind["inertia"] / n**2,
            d.rotor_damping + behind["damping"] / n**2,
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
        effort += [leg.connector.damping if leg.connector else 0.0 for leg in robot.legs] * speed
        turns = np.array([motor_turns(d) for d in drives])
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


def recorded_delta(robot, seed, *, noise=0.1, duration=8.0, measured="motor_torque", lag=0.0):
    """Columns of a recording of a Delta; noise [N m] at the hips, angles in steps.

    Beside them the motion that the efforts, which come a lag [s] later than angles, are of.
    """
    time, model = np.arange(0.0, duration, 1e-3), gough.Model(robot)
    angle = model.inverse_kinematics(_without_turning(robot, seed, time)[0])
    motion = _without_turning(robot, seed, time - lag)
    speed, force = model.joint_velocity(*motion[:2]), model.inverse_dynamics(*motion)
    for k, hip in enumerate(robot.driven):
        fading = speed[:, k] / np.sqrt(speed[:, k] ** 2 + 1e-4)
        force[:, k] += hip.damping * speed[:, k] + hip.friction * fading
    torque = motor_torques(robot, force, speed, model.joint_acceleration(*motion))
    rng, columns = np.random.default_rng(seed + 1000), {"time [s]": time}
    for k, hip in enumerate(robot.driven):
        disturbance, drive = noise * rng.standard_normal(len(time)), hip.drive
        at_motor = torque[:, k] + disturbance / drive.gear_ratio
        effort, unit = {
            "motor_current": (at_motor / drive.torque_constant, "A"),
            "motor_torque": (at_motor, "N m"),
            "force": (force[:, k] + disturbance, "N m"),
        }[measured]
        columns[f"actuator_position_{hip.name} [rad]"] = np.round(angle[:, k] / 1e-5) * 1e-5
        columns[f"{measured}_{hip.name} [{unit}]"] = effort
    return columns, motion


def _without_turning(robot, seed, time):
    """A rich motion of a platform that does not turn, three times as large."""
    _, *rich = rich_motion(seed, time=time)
    return states(robot.home, *(3.0 * np.pad(x[:, :3], ((0, 0), (0, 3))) for x in rich))
