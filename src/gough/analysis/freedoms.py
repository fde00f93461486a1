"""Check of a motion against a machine's degrees of freedom, and its dependent coordinates.

A machine may have fewer degrees of freedom than six. Where its twist basis is constant, as a
Delta's, the other coordinates are constant. Where it changes with the pose they follow: a tripod
that tilts moves sideways and rotates a little, and a motion states its height and its tilt only. Or
it states some complete poses, as waypoints do: between them the other coordinates follow.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from gough.analysis.limits import travels
from gough.arrays import Array
from gough.compiler import kernel_of
from gough.display.brief import brief
from gough.kinematics.freedoms import nearest_pose
from gough.kinematics.freedoms.nearest_pose import TOLERANCE, pose_violation
from gough.kinematics.freedoms.path_following import completed_motion_function
from gough.model import Kernels, structure_of
from gough.motion import Motion, MotionError, MotionSamples
from gough.motion.samples import Derived
from gough.poses import euler
from gough.robot import MOVES, Robot
from gough.robot.remarks import counted_names


@dataclass(frozen=True, eq=False)
class Completed(Derived):
    """A motion of a machine's moves, with what the machine must do besides."""

    robot: Robot
    given: Motion

    __repr__ = brief

    def _at(self, t: Array) -> MotionSamples:
        return MotionSamples(*kernel_of(completed_motion_function, self.robot)(*self.given(t)))


def possible_motion(robot: Robot, motion: Motion, time: Array) -> Motion:
    """The motion, or what it becomes where the machine must do more than it says.

    A motion that asks for what the machine cannot do is a MotionError with time and component.
    """
    if structure_of(robot).dof == len(MOVES):
        return motion
    samples = motion(time)
    free = not nearest_pose.has_constant_basis(robot)
    if free and (_only_along_dof(robot, samples) or _has_possible_poses(robot, motion)):
        motion = Completed(robot, motion)
        samples = motion(time)
    poses = pose_violation(robot, samples.pose)
    speeds = nearest_pose.twist_violation(robot, samples.pose, samples.twist)
    for what, violation in (("", poses), ("a speed of ", speeds)):
        if worst := violation.impossible:
            words = f"{what}{nearest_pose.what_it_cannot(robot, worst)}"
            problem = f"at t = {time[worst.where]:.6g} s the motion asks for {words}"
            expected = "a motion within these degrees of freedom"
            raise MotionError(problem, key="motion", expected=expected)
    return motion


def out_of_reach(robot: Robot, motion: Motion, time: Array) -> list[str]:
    """Return in words where actuators cannot be what a possible motion asks for at times [s]."""
    q = Kernels(robot).inverse_kinematics(motion(time).pose)
    problems, missing = [], np.isnan(q).any(axis=1)
    if missing.any():
        first = f"{missing.sum()} of {len(time)} samples, first at {time[missing][0]:.6g} s"
        problems.append(f"the machine does not reach {first}")
    least, largest = travels(robot)
    beyond = np.nan_to_num(np.fmax(least - q, q - largest), nan=-np.inf)
    excess = defaultdict[str, list[str]](list)
    for actuator, own in zip(robot.actuators, beyond.T, strict=True):
        worst = int(np.argmax(own))
        if own[worst] > 0:
            unit = "rad" if actuator.turns else "m"
            excess[f"{own[worst]:.4g} {unit} at {time[worst]:.6g} s"].append(actuator.name)
    for size, names in excess.items():
        verb = "exceeds its range" if len(names) == 1 else "exceed their range"
        problems.append(f"{counted_names(names, 'actuators')} {verb} by {size}")
    return problems


def _only_along_dof(robot: Robot, samples: MotionSamples) -> bool:
    """Whether all coordinates beside the degrees of freedom are constant."""
    dof = structure_of(robot).degrees_of_freedom
    if not set(dof) <= set(MOVES):
        return False
    turns = np.unwrap(euler(samples.pose, "xyz"), axis=0)
    coordinates = np.concatenate([samples.pose[:, :3], turns], axis=-1)
    rest = [k for k, name in enumerate(MOVES) if name not in dof]
    return bool(np.ptp(coordinates[:, rest], axis=0).max() <= TOLERANCE)


def _has_possible_poses(robot: Robot, motion: Motion) -> bool:
    """Whether it is given at some times only, by poses that the machine can take."""
    if motion.waypoint_times is None:
        return False
    violation = pose_violation(robot, motion(np.array(motion.waypoint_times)).pose)
    return bool(violation.size.max() <= TOLERANCE * violation.length)
