"""Demands on a machine: poses, boxes of poses, motions, with speeds, accelerations and loads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_integer
from gough.display.brief import Brief
from gough.errors import GoughError
from gough.kinematics.freedoms import nearest_pose
from gough.model.structure import structure_of
from gough.motion import MotionSamples, carried_over, total_wrench
from gough.poses import compose
from gough.poses import pose as make_pose
from gough.poses.quaternions import rotated
from gough.robot import MOVES, Robot
from gough.studies import Study
from gough.studies.run import at_rest

AXES = ("x", "y", "z", "roll", "pitch", "yaw")
POINTS = 3  # number of points of a box along each axis: its ends and its middle
WIDEST_STEP = np.radians(30.0)
"""Maximum angle between two points of a box [rad]; there are more points where it is passed."""
SAMPLES = 100  # default number of samples of a study's motion
MOST = 200_000
_NOWHERE = np.array([0.0, 0, 0, 1, 0, 0, 0])


@dataclass(frozen=True, eq=False, repr=False)
class Demand(Brief):
    """States that a machine must take, (k) of them."""

    name: str
    pose: Array
    """(k, 7) of the platform in the base frame; of a box what is added to home."""
    offset: Array
    """(k, 6) x, y, z [m] and roll, pitch, yaw [rad] from there: what the reach makes larger."""
    from_home: bool
    twist: Array
    acceleration: Array
    wrench: Array
    seconds: Array
    """(k) the time that each state stands for [s]; 0 where there is none."""
    frequency: float = 0.0
    """Frequency at which the wrench oscillates [Hz]; 0: it is constant."""
    surface: tuple[float, float] = (0.0, 0.0)
    """Stiffness [N/m] of what the platform is pressed against, 0 without, and its error [m]."""
    in_means: bool = True
    """Whether its states count in means over all states."""
    middle: Array | None = None
    """(6) offset of the middle of a box, of which the states are lattice points."""
    half: Array | float = 0.0
    """(6) half of the sides of that box."""
    study: Study | None = None
    """The study of whose motion the states are samples, with nothing added to them."""

    def __len__(self) -> int:
        return len(self.pose)

    @property
    def numbers(self) -> tuple[Array, ...]:
        """Return the inputs of the kernels for each state."""
        weight, frequency = (np.full(len(self), x) for x in (float(self.from_home), self.frequency))
        loads = (self.twist, self.acceleration, self.wrench, frequency)
        return (self.pose, self.offset, weight, *loads, np.tile(self.surface, (len(self), 1)))

    @property
    def boxes(self) -> tuple[Array, Array]:
        """Middle and half of the sides (k, 6) of the box of each state: of no size if alone."""
        middle = self.offset if self.middle is None else self.middle
        shape = self.offset.shape
        return np.broadcast_to(middle, shape), np.broadcast_to(self.half, shape)


def of_poses(poses: ArrayLike, *, name: str = "poses") -> Demand:
    """Poses (k, 7) at rest."""
    given = np.atleast_2d(np.asarray(poses, dtype=float))
    if given.shape[-1] != 7 or given.ndim != 2 or not np.isfinite(given).all():
        raise GoughError(f"{name}: poses have shape {given.shape}; expected numbers (k, 7)")
    return _at_rest(name, given, np.zeros((len(given), 6)), from_home=False)


def box(
    ranges: Mapping[str, float | Sequence[float]], *, points: int = POINTS, name: str = "box"
) -> Demand:
    """All poses of a box about home, from each axis to its half side, or to both of its ends.

    Axes are x, y, z [m] and roll, pitch, yaw [rad]. A design begins with `points` along each axis,
    and searches the box between them.
    """
    if unknown := [axis for axis in ranges if axis not in AXES]:
        raise GoughError(f"{name}: no axis {unknown[0]!r}; expected some of {', '.join(AXES)}")
    require_integer(f"{name}: points", points, least=2)
    ends = [_ends(name, axis, ranges.get(axis, 0.0)) for axis in AXES]
    lines = []
    for axis, (low, high) in zip(AXES, ends, strict=True):
        least = 0 if axis in AXES[:3] else int(np.ceil((high - low) / WIDEST_STEP)) + 1
        lines.append(np.linspace(low, high, max(points, least)) if low < high else [low])
    count = int(np.prod([len(line) for line in lines]))
    if count > MOST:
        raise GoughError(f"{name}: {count:,} poses; expected at most {MOST:,}: use fewer points")
    offset = np.array(list(product(*lines)))
    found = _at_rest(name, np.tile(_NOWHERE, (count, 1)), offset, from_home=True)
    first, last = np.array(ends).T
    return replace(found, middle=(first + last) / 2, half=(last - first) / 2)


def at_home() -> Demand:
    """The home pose, at rest: it is looked at in any case, and counts in no mean."""
    home = _at_rest("home", _NOWHERE[None], np.zeros((1, 6)), from_home=True)
    return replace(home, in_means=False)


def along(
    name: str, pose: Array, twist: Array, acceleration: Array, wrench: Array, time: Array
) -> Demand:
    """The states of a motion at some times [s]. Each stands for half the time to its neighbours."""
    halves = np.diff(time) / 2
    seconds = np.append(halves, 0.0) + np.insert(halves, 0, 0.0)
    return Demand(name, pose, np.zeros((len(pose), 6)), False, twist, acceleration, wrench, seconds)


def demand_of_study(study: Study, name: str, samples: int = SAMPLES) -> Demand:
    """Return the states of a study: samples of its motion under the loads of its tasks."""
    if study.balance or study.variations or study.base or study.legs != "rigid":
        raise GoughError(
            f"{name}: a study with balancing masses, compliant legs, a moving base or variations "
            "is no demand; expected one motion, of the machine as it is"
        )
    found = at_times(study, name, np.linspace(0.0, float(study.motion.duration), samples))
    return found if study.static else replace(found, study=study)


def at_times(study: Study, name: str, time: Array) -> Demand:
    """Return the states of a study at some times [s]."""
    at = at_rest(study.motion(time)) if study.static else study.motion(time)
    wrench, own = total_wrench(study.tasks, time, at), inertial_wrench(study.robot, at)
    for where, carrying in carried_over(study.robot, study.tasks, time):
        wrench[where] += (own - inertial_wrench(carrying, at))[where]
    return along(name, at.pose, at.twist, at.acceleration, wrench, time)


def inertial_wrench(robot: Robot, samples: MotionSamples) -> Array:
    """Wrench (T, 6) [N, N m] about its origin that moves the platform alone, base axes."""
    body, q = robot.platform, samples.pose[:, 3:]
    omega, alpha = samples.twist[:, 3:], samples.acceleration[:, 3:]
    arm = rotated(q, np.array(body.center_of_mass))
    centre = np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    force = body.mass * (samples.acceleration[:, :3] + centre - np.array(robot.gravity))
    axes = np.stack([rotated(q, axis) for axis in np.eye(3)], axis=-1)
    inertia = axes @ np.array(body.inertia) @ axes.swapaxes(-1, -2)
    spin = np.einsum("tij,tj->ti", inertia, omega)
    moment = np.cross(arm, force) + np.einsum("tij,tj->ti", inertia, alpha) + np.cross(omega, spin)
    return np.concatenate([force, moment], axis=-1)


def loaded(
    demand: Demand,
    wrench: ArrayLike,
    *,
    frequency: float = 0.0,
    surface: tuple[float, float] = (0.0, 0.0),
) -> Demand:
    """Return the demand with an additional external wrench [N, N m], which may oscillate [Hz].

    Where it does, each state has it both ways. Or its force presses the platform against a surface
    of a stiffness [N/m], which is not where it should be by an error [m].
    """
    for name, values in (("frequency", (frequency,)), ("surface", surface)):
        if not (np.isfinite(values).all() and min(values) >= 0):
            raise GoughError(f"{demand.name}: {name} is {values}; expected at least 0")
    own, more = demand.wrench, np.asarray(wrench, dtype=float)
    made = replace(demand, wrench=own + more, frequency=frequency, surface=surface)
    made = replace(made, study=None) if more.any() else made
    back = replace(made, wrench=own - more, seconds=np.zeros(len(made)))
    return _joined(made, [made, back]) if frequency else made


def moving(
    demand: Demand, *, twist: Iterable[ArrayLike] = (), acceleration: Iterable[ArrayLike] = ()
) -> Demand:
    """Return the demand with each state also at these twists and accelerations, for no time."""
    still, parts = replace(demand, seconds=np.zeros(len(demand))), [demand]
    parts += [replace(still, twist=demand.twist + np.asarray(v, dtype=float)) for v in twist]
    ahead = (demand.acceleration + np.asarray(a, dtype=float) for a in acceleration)
    parts += [replace(still, acceleration=a) for a in ahead]
    return _joined(demand, parts)


def _joined(demand: Demand, parts: Sequence[Demand]) -> Demand:
    joined: dict[str, Any] = {
        key: np.concatenate([getattr(part, key) for part in parts])
        for key in ("pose", "offset", "twist", "acceleration", "wrench", "seconds")
    }
    return replace(demand, study=None, **joined) if len(parts) > 1 else demand


def each_way(linear: float, angular: float) -> list[Array]:
    """Six-vectors of these sizes along and against each axis; none of size zero."""
    rows = np.diag(np.repeat([linear, angular], 3))
    return [sign * row for row in rows if row.any() for sign in (1.0, -1.0)]


def platform_pose(pose: Array, offset: Array, weight: float, home: Array, reach: float) -> Array:
    """The pose (7) of a state, in numbers: what the kernels compute."""
    base = home if weight else pose
    turn = make_pose(np.zeros(3), rpy=reach * offset[3:])
    return np.concatenate([base[:3] + reach * offset[:3], compose(turn, base)[3:]])


def _at_rest(name: str, pose: Array, offset: Array, *, from_home: bool) -> Demand:
    still, none = np.zeros((len(pose), 6)), np.zeros(len(pose))
    return Demand(name, pose, offset, from_home, still, still, still, none)


def _ends(name: str, axis: str, given: float | Sequence[float]) -> tuple[float, float]:
    ends = np.atleast_1d(np.asarray(given, dtype=float))
    if len(ends) == 1:
        ends = np.array([-ends[0], ends[0]])
    if len(ends) != 2 or not (np.isfinite(ends).all() and ends[0] <= ends[1]):
        raise GoughError(f"{name}: {axis} is {given}; expected a half side, or minimum and maximum")
    low, high = ends
    if axis not in AXES[:3] and max(-low, high) > np.pi:
        problem = f"{name}: {axis} is {np.degrees(ends).tolist()} deg"
        raise GoughError(f"{problem}; expected at most half a turn, 180 deg, each way")
    return float(low), float(high)


def check_freedoms(robot: Robot, demand: Demand) -> None:
    """Refuse a demand for moves that a machine lacks, looked at where the robot's file has it."""
    if structure_of(robot).dof == len(MOVES):
        return
    home, weight = np.array(robot.home), float(demand.from_home)
    states = zip(demand.pose, demand.offset, strict=True)
    poses = np.array([platform_pose(pose, offset, weight, home, 1.0) for pose, offset in states])
    for violation in (
        nearest_pose.pose_violation(robot, poses),
        nearest_pose.twist_violation(robot, poses, demand.twist),
        nearest_pose.acceleration_violation(robot, poses, demand.twist, demand.acceleration),
    ):
        if worst := violation.impossible:
            problem = f"{demand.name}: {nearest_pose.what_it_cannot(robot, worst)}"
            raise GoughError(f"{problem}; expected a demand within its degrees of freedom")


def each_way_of(robot: Robot, linear: float, angular: float) -> list[Array]:
    """Return six-vectors of these sizes along and against each degree of freedom of the machine."""
    freedoms = structure_of(robot).degrees_of_freedom
    if not set(freedoms) <= set(MOVES):
        freedoms = MOVES
    is_dof = np.array([move in freedoms for move in MOVES])
    for size, does, mine in ((linear, "go", is_dof[:3]), (angular, "turn", is_dof[3:])):
        if size and not mine.any():
            words = " ".join(freedoms)
            raise GoughError(f"{robot.name} ({words}) does not {does}; expected no such demand")
    return [way for way in each_way(linear, angular) if way[is_dof].any()]
