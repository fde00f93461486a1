"""A study as the page takes it: its machine, way, load and frames, and in words what else it has.

A motion that waypoints make is given as waypoints, which can be changed there. Every other one is
given by its samples, with what acts at each of them, and nothing is made up in between.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from gough import motion as motions
from gough.analysis.freedoms import possible_motion
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import GoughError
from gough.model.catalogue import chosen_formulation
from gough.poses import Frames
from gough.report.packing import byte_text
from gough.report.packing import frames as spread
from gough.robot import UPPER, Robot
from gough.studies.run import with_balance
from gough.studies.study import DEFAULT_SAMPLES, Study

PROFILES = ("quintic", "cycloidal", "cosine", "trapezoidal", "s-curve")
SMOOTH = "smooth"  # motion between waypoints in the page: with stops, by a profile, or without
MOST_POINTS = 200
SECONDS_BETWEEN = (0.01, 10_000.0)
"""Maximum number of waypoints, and minimum and maximum time from one to the next [s]."""
SAME = 1e-10
"""Maximum difference of equal motions in poses, twists and accelerations, over the maximum."""

MOST_SAMPLES = 2001  # maximum number of samples of a study in the page


class PageContent(NamedTuple):
    """Contents of a page: a machine, its number of samples of a path, and a study."""

    robot: Robot
    samples: int = DEFAULT_SAMPLES
    study: PlainData | None = None


def studied(robot: Robot, study: Study, point: int | None = None) -> PageContent:
    """A study of a robot, or a point of its grid."""
    one = _one(study, point)
    if one.robot.name != robot.name:
        problem = f"{study.name}: a study of the robot {one.robot.name}, not of {robot.name}"
        raise GoughError(f"{problem}; expected a study of the robot that is viewed")
    time = one.times()[spread(one.count, MOST_SAMPLES)]
    motion = possible_motion(one.robot, one.motion, time)
    samples = motion(time)
    machine = one.robot
    if one.balance is not None:  # its masses may follow from all of the motion
        machine = with_balance(one, one.robot, motion(one.times()).pose)
    simple = [task for task in one.tasks if _is_simple(task)]
    others = [task for task in one.tasks if not _is_simple(task)]
    way = None if one.static or others else waypoints_of(one.motion, one.robot, time)
    frames = one.frames or Frames()
    shown = {
        "name": one.name,
        "load": _load(machine, simple, samples),
        "frames": {"work": list(frames.work), "tool": list(frames.tool)},
        "way": way,
        "samples": None if way else _samples(one, others, time, samples),
        "remarks": list(_remarks(one, robot, len(time), way is None)),
    }
    return PageContent(machine, len(time), shown)


def _one(study: Study, point: int | None) -> Study:
    """The study itself, or one of its variations."""
    if point is not None:
        return study.variant(point)
    if study.variations:
        count = int(np.prod(study.shape))
        problem = f"{study.name}: a study with {count} variations"
        expected = f"the number of one of them, from 0 to {count - 1}, as --point or point="
        raise GoughError(f"{problem}; expected {expected}")
    return study


def _is_simple(task: motions.Task) -> bool:
    """Whether it is a payload, or a force on the platform's origin, that never changes."""
    return isinstance(task, motions.Payload) or (
        isinstance(task, motions.Constant) and task.place == motions.Place()
    )


def _load(robot: Robot, tasks: Sequence[motions.Task], samples: motions.MotionSamples) -> PlainData:
    """Return the constant load: one body of all payloads, and one wrench of all forces."""
    first = motions.MotionSamples(*(array[:1] for array in samples))
    wrench = motions.total_wrench(tasks, np.zeros(1), first)[0]
    return _body(motions.carrying(_without_mass(robot), tasks)) | {"wrench": wrench.tolist()}


def _without_mass(robot: Robot) -> Robot:
    """The robot with a platform of no mass: what it carries is then all that it has."""
    nothing = {"mass": 0.0, "center_of_mass": (0.0,) * 3, "inertia": ((0.0,) * 3,) * 3}
    platform = robot.platform.model_copy(update=nothing)
    return robot.model_copy(update={"platform": platform})


def _body(robot: Robot) -> PlainData:
    """Mass [kg], centre [m] and inertia [kg m^2] of a platform, as the page has them."""
    platform = robot.platform
    inertia = np.array(platform.inertia)[UPPER]
    centre = list(platform.center_of_mass)
    return {"mass": platform.mass, "centre": centre, "inertia": inertia.tolist()}


def _samples(
    study: Study, tasks: Sequence[motions.Task], time: Array, samples: motions.MotionSamples
) -> PlainData:
    """The motion at some times, with the wrench and the body of all that changes meanwhile."""
    moving = 0.0 if study.static else 1.0
    carried = motions.carried_over(_without_mass(study.robot), tasks, time)
    numbers = {
        "time": time,
        "pose": samples.pose,
        "twist": moving * samples.twist,
        "acceleration": moving * samples.acceleration,
    }
    wrench = motions.total_wrench(tasks, time, samples)
    return {
        **{name: byte_text(values, "<f8") for name, values in numbers.items()},
        "wrench": byte_text(wrench, "<f8") if wrench.any() else None,
        "bodies": [{"first": where.start, **_body(robot)} for where, robot in carried],
    }


def _remarks(study: Study, robot: Robot, count: int, sampled: bool) -> Iterator[str]:
    if study.robot != robot:
        yield f"The machine is {robot.name} as the study has it, not as in the file that was named."
    if study.balance is not None:
        yield "The study's balancing masses are part of the machine."
    floats = study.plant and any(a.name == "base_pose" for a in study.plant.outputs)
    if study.base is not None or floats:
        yield "The base, which moves in the study, rests here: forces are others."
    if sampled:
        which = f"its {count}" if count == study.count else f"{count} of its {study.count}"
        yield (
            f"The way of the study is that of {which} samples, with what acts at each of them; "
            "between two samples the nearer one is shown. It can be played, but not changed."
        )
    else:
        yield "The way of the study is given by waypoints, which can be changed."
    if not sampled and count < study.count:
        yield f"The study looks at its way {study.count} times, the page {count} times."
    if study.static:
        yield "The study is static: speeds and accelerations along its way count as zero."
    usual = chosen_formulation(study.robot, None)
    if study.formulation not in (None, usual):
        yield f"Forces are found by {usual} here, by {study.formulation} in the study."


def waypoints_of(motion: motions.Motion, robot: Robot, time: Array) -> PlainData | None:
    """Waypoints whose way is the motion at some times [s]; None if those of the page make none."""
    stops = np.unique(_stops(motion))
    steps, (least, most) = np.diff(stops), SECONDS_BETWEEN
    if len(stops) > MOST_POINTS or steps.min() < least or steps.max() > most:
        return None
    poses = motion(stops).pose
    seconds = steps[[0, *range(len(steps))]]  # the first waypoint has one for when it is moved
    for profile in (*PROFILES, SMOOTH):
        if _is_same(_way(stops, poses, profile, robot), motion, time):
            rows = zip(poses.tolist(), seconds.tolist(), strict=True)
            points = [{"pose": pose, "seconds": step} for pose, step in rows]
            return {"points": points, "profile": profile}
    return None


def _stops(motion: motions.Motion) -> Array:
    """The times [s] of the poses that a motion may have been made from."""
    if isinstance(motion, motions.InFrames):
        return _stops(motion.given)
    if isinstance(motion, motions.Sequence):
        ends = np.cumsum([part.duration for part in motion.parts])
        starts = [0.0, *ends[:-1]]
        parts = zip(starts, motion.parts, strict=True)
        return np.concatenate([start + _stops(part) for start, part in parts])
    return np.array(motion.waypoint_times or (0.0, motion.duration))


def _way(times: Array, poses: Array, profile: str, robot: Robot) -> motions.Motion | None:
    """The way as a study file has it; None if there is none between these poses."""
    gone = {"stops": False} if profile == SMOOTH else {"stops": True, "profile": profile}
    points = [
        {"time": t, "position": pose[:3], "quaternion": pose[3:]}
        for t, pose in zip(times.tolist(), poses.tolist(), strict=True)
    ]
    with motions.quiet(), suppress(motions.MotionError):
        return motions.motion_from_dict({"kind": "waypoints", **gone, "waypoints": points}, robot)
    return None


def _is_same(way: motions.Motion | None, motion: motions.Motion, time: Array) -> bool:
    """Whether two motions have the same poses, twists and accelerations at some times."""
    if way is None:
        return False
    pairs = zip(way(time), motion(time), strict=True)
    return all(np.abs(a - b).max() <= SAME * max(np.abs(b).max(), SAME) for a, b in pairs)
