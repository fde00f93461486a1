"""Positions and speeds of all joints of a machine, passive ones too, as its URDF counts them.

Where every body is follows from the platform's pose by Gough's own kinematics; a joint's positions
are what takes its second body from home to there, as seen from the first.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import GoughError, RobotError
from gough.exchange.tree.machine_tree import closed, tree_of
from gough.exchange.tree.urdf import hinges_and_slides
from gough.kinematics.body_frames import body_poses, body_twists
from gough.kinematics.freedoms.nearest_pose import closed_poses
from gough.kinematics.model import Model
from gough.poses import compose, inverse, relative, transform
from gough.poses.given import finite
from gough.poses.quaternions import (
    conjugate,
    euler_angles,
    of_rotation_vector,
    product,
    rotated,
    unit,
)
from gough.robot import BASE, PLATFORM, HomeConfiguration, HomeJoint, Robot
from gough.robot.home.configuration import Frame, Travel, cleaned, point, total

_STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
_ROUNDING = 1e-9  # distance to a range that counts as rounding [rad, m]


@dataclass(frozen=True, eq=False)
class JointStates:
    """All joints of one freedom, in the order of the URDF file."""

    names: tuple[str, ...]
    positions: Array
    """(..., joints) [rad, m]: zero at home; NaN where the machine cannot be."""
    velocities: Array | None
    """(..., joints) [rad/s, m/s]; None without twists."""
    driven: tuple[int, ...]
    """Which of them have motors, in the order of the actuators."""

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.positions.shape))
        return f"<gough joint states: {size}, {len(self.driven)} driven>"


_BYTES = 8 * 60
"""Memory that motions of two bodies take for a joint at a pose, while they are computed."""


def joint_states(robot: Robot, poses: ArrayLike, twists: ArrayLike | None = None) -> JointStates:
    """The joints of the robot's URDF at poses (..., 7) of its platform, with twists (..., 6).

    A universal joint is two hinges and a ball three, as in the URDF. Where the first and the last
    hinge of a ball are parallel, at a quarter turn from home, their speeds are not determined.
    Of poses and twists its degrees of freedom count; what it cannot do beside them follows, so that
    its loops are closed.
    """
    machine = tree_of(robot)
    tree = closed(machine)
    at = finite(poses, "poses", 7, bytes_each=_BYTES * len(tree.joints))
    twist = None if twists is None else finite(twists, "twists", 6)
    if twist is not None and twist.shape[:-1] != at.shape[:-1]:
        expected = (*at.shape[:-1], 6)
        raise GoughError(f"twists have shape {twist.shape}; expected {expected}, as the poses")
    possible, _ = closed_poses(robot, at.reshape(-1, 7))  # of which the machine is capable
    admissible = None
    if twist is not None:
        admissible = np.asarray(Model(robot).admissible(possible, twist.reshape(-1, 6)))
    bodies = _motions(machine.home, possible, admissible)
    for half, body in (closure.bodies for closure in tree.closures):
        bodies.setdefault(half, bodies[body])
    names, states = list[str](), list[Array]()
    for joint in tree.joints:
        first, second = (bodies[body] for body in joint.between)
        names += [step.name for step in hinges_and_slides(joint)]
        states.append(_states(tree.home, joint, first, second))
    positions, velocities = np.concatenate(states, axis=-1).reshape(2, *at.shape[:-1], len(names))
    driven = tuple(names.index(joint.name) for joint in tree.driven)
    return JointStates(tuple(names), positions, None if twist is None else velocities, driven)


def motors_at_home(robot: Robot) -> Array:
    """Positions (n) of the actuators at home [m, rad]; refused out of their ranges by a branch."""
    found = np.asarray(Model(robot).inverse_kinematics(np.array(robot.home)))
    for motor, x in zip(robot.actuators, found.tolist(), strict=True):
        _require_in_range(robot, motor.name, Travel(x, motor.travel), turns=motor.turns)
    return found


def _require_in_range(robot: Robot, name: str, travel: Travel, *, turns: bool) -> None:
    branch = getattr(robot, "branch", None)
    if branch and travel.range and _is_outside(travel):
        unit, factor = ("deg", np.degrees(1.0)) if turns else ("m", 1.0)
        x, low, high = (f"{factor * x:.4g}" for x in (travel.home, *travel.range))
        expected = f"one with {name} in its range, {low} to {high} {unit}: at home it is at {x}"
        raise RobotError(robot.name, key="branch", value=branch, expected=f"{expected} {unit}")


def _is_outside(travel: Travel) -> bool:
    low, high = travel.from_home or (0.0, 0.0)
    return not (low <= _ROUNDING and high >= -_ROUNDING)


def _elsewhere(travel: Travel, by: float, *, turns: bool) -> Travel:
    """Travel of a joint that is elsewhere at home; of a hinge by whole turns in its range."""
    moved = replace(travel, home=total(travel.home, by))
    if turns and travel.range and _is_outside(moved):
        low, _ = travel.range
        return replace(travel, home=low + (moved.home - low) % (2 * np.pi))
    return moved


def in_branch(home: HomeConfiguration) -> HomeConfiguration:
    """A mechanism at its home pose in the branch that it has, of its home configuration."""
    robot, pose = home.robot, np.array(home.robot.home)[None]
    names = [name for name in home.bodies if name != PLATFORM]
    there, here = (body_poses(of, pose)[0] for of in (robot, robot.replace(branch=None)))
    sprung = bool(robot.springs) or any(joint.stiffness or joint.preload for joint in home.joints)
    if sprung or not np.isfinite(there).all():
        expected = "no springs beside it" if sprung else "one in which the home pose is possible"
        value = getattr(robot, "branch", None)
        raise RobotError(robot.name, key="branch", value=value, expected=expected)
    steps = dict(zip(names, compose(there, inverse(here)), strict=True)) if names else {}
    moved = {
        name: _MovingBody(step[None], np.zeros((1, 3)), np.zeros((1, 6)))
        for name, step in ({BASE: _STILL, PLATFORM: _STILL} | steps).items()
    }
    positions, joints = iter(Model(robot).inverse_kinematics(pose[0]).tolist()), []
    for joint in home.joints:
        first, second = pair = [moved[body] for body in joint.between]
        carried = zip(pair, joint.axes, strict=False)  # of a U the second is the second body's
        axes = (rotated(body.displacement[0, 3:], np.array(axis)) for body, axis in carried)
        by = _states(home, joint, first, second)[0, 0].tolist()
        hinged = [step.kind == "hinge" for step in joint.kind.steps]
        parts = zip(joint.travel, by, hinged, strict=False)
        travel = tuple(_elsewhere(t, x, turns=turns) for t, x, turns in parts)
        if joint.driven:
            travel = (replace(joint.travel[0], home=next(positions)),)
        for found, turns in zip(travel, hinged, strict=False):
            _require_in_range(robot, joint.name, found, turns=turns)
        at = point(transform(first.displacement[0], np.array(joint.at, float)))
        joints.append(replace(joint, at=at, axes=tuple(map(point, axes)), travel=travel))
    bodies = {}
    for name, body in home.bodies.items():
        place = np.array([*body.frame.position, *body.frame.quaternion])
        x, y, z, *turn = cleaned(compose(moved[name].displacement[0], place)).tolist()
        bodies[name] = replace(body, frame=Frame((x, y, z), (turn[0], turn[1], turn[2], turn[3])))
    return replace(home, bodies=bodies, joints=tuple(joints))


@dataclass(frozen=True, eq=False)
class _MovingBody:
    """A body at many poses of the platform."""

    displacement: Array  # (T, 7) what takes it from home to where it is, base frame
    origin: Array  # (T, 3) of its frame [m]
    twist: Array  # (T, 6) of its frame; zero where nothing is known of it

    def velocity(self, place: Array) -> Array:
        """(T, 3) of what of it is at a place [m/s]."""
        return np.asarray(self.twist[:, :3] + np.cross(self.twist[:, 3:], place - self.origin))


def _motions(home: HomeConfiguration, poses: Array, twists: Array | None) -> dict[str, _MovingBody]:
    """All bodies by their names in the home configuration."""
    robot, pose = home.robot, np.array(home.robot.home)
    given = np.zeros((len(poses), 6)) if twists is None else twists
    frames, at_home = body_poses(robot, poses), body_poses(robot, pose[None])[0]
    still = np.zeros((*frames.shape[:2], 6))
    moving = body_twists(robot, poses, given) if still.size and twists is not None else still
    found = {
        BASE: _MovingBody(np.tile(_STILL, (len(poses), 1)), np.zeros((1, 3)), np.zeros_like(given)),
        PLATFORM: _MovingBody(compose(poses, inverse(pose)), poses[:, :3], given),
    }
    for k, name in enumerate(name for name in home.bodies if name != PLATFORM):
        displacement = compose(frames[:, k], inverse(at_home[k]))
        found[name] = _MovingBody(displacement, frames[:, k, :3], moving[:, k])
    return found


def _states(
    home: HomeConfiguration, joint: HomeJoint, first: _MovingBody, second: _MovingBody
) -> Array:
    """(2, T, n) positions and speeds of a joint, in the first body's axes, at home the base's."""
    steps = hinges_and_slides(joint)
    moved = relative(first.displacement, second.displacement)
    back = conjugate(first.displacement[:, 3:])
    frame = home.frame(joint.first)
    arm = rotated(np.array(frame.quaternion), np.array(joint.places[0], float))
    centre = np.array(frame.position, float) + arm
    place = transform(second.displacement, centre)
    way = transform(moved, centre) - centre
    speed = rotated(back, second.velocity(place) - first.velocity(place))
    turning = rotated(back, second.twist[:, 3:] - first.twist[:, 3:])
    axes = [np.array(step.axis) for step in steps]
    if joint.kind.is_ball:  # whose axes are the outer body's
        axes = [rotated(np.array(home.frame(joint.second).quaternion), axis) for axis in axes]
    else:
        axes = [unit(axis) for axis in axes]
    hinges = [axis for axis, step in zip(axes, steps, strict=True) if step.kind == "hinge"]
    turns = iter(np.moveaxis(_turns(hinges, moved[:, 3:], turning), -1, 0))
    along = [np.stack([way @ axis, speed @ axis]) for axis in axes]
    found = [
        a if step.kind == "slide" else next(turns) for a, step in zip(along, steps, strict=True)
    ]
    return np.stack(found, axis=-1) if found else np.zeros((2, len(place), 0))


def _turns(axes: list[Array], q: Array, turning: Array) -> Array:
    """(2, T, n) angles [rad] of up to three hinges in a row that make a turn q; speeds [rad/s]."""
    angles = _angles(axes, q)
    seen, before = [], np.array([[1.0, 0.0, 0.0, 0.0]])
    for axis, angle in zip(axes, angles, strict=True):
        seen.append(np.broadcast_to(rotated(before, axis), turning.shape))
        before = product(before, of_rotation_vector(angle[:, None] * axis))
    if not axes:
        return np.zeros((2, len(q), 0))
    known = np.isfinite(q).all(axis=-1)
    speeds = np.full((len(q), len(axes)), np.nan)
    inverted = np.linalg.pinv(np.stack(seen, axis=-1)[known])
    speeds[known] = np.einsum("tij,tj->ti", inverted, turning[known])
    return np.stack([np.stack(angles, axis=-1), speeds])


def _angles(axes: list[Array], q: Array) -> list[Array]:
    if len(axes) == 3:  # at right angles
        x, y, z = axes
        parts = np.stack([q[:, 0], q[:, 1:] @ x, q[:, 1:] @ y, q[:, 1:] @ z], axis=-1)
        return list(euler_angles("XYZ", parts).T)
    if len(axes) == 2:
        first, second = axes
        turned = rotated(q, second)
        across, reached = np.cross(first, second), turned - np.outer(turned @ first, first)
        angle = np.arctan2(reached @ across, reached @ np.cross(across, first))
        rest = product(conjugate(of_rotation_vector(angle[:, None] * first)), q)
        return [angle, *_angles([second], rest)]
    turns = [2.0 * np.arctan2(q[:, 1:] @ axis, q[:, 0]) for axis in axes]
    return [np.arctan2(np.sin(turn), np.cos(turn)) for turn in turns]  # within half a turn
