"""Working modes: all positions of the motors at a pose, one for each configuration of the legs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table
from gough.equations.closure.assembled import platform_at, posture_at
from gough.equations.closure.constraint_rows import PlatformPlacement, row_gaps
from gough.equations.machine import Leg
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import possible_pose
from gough.model.kernels import Kernels, kernels_of
from gough.model.parameters import machine_of
from gough.poses.given import finite
from gough.robot import Robot

_CLOSED = 1e-9
"""Residual of a loop [m, rad] below which it is closed."""
_SAME = 1e-9
"""Difference of motor positions [rad, m] below which they are equal."""


@dataclass(frozen=True)
class WorkingModes(Displayable):
    """All positions of the motors at a pose; the working mode of home first."""

    robot: Robot
    pose: Array
    """(7) a possible pose."""
    q: Array
    """(k, n) positions of the motors [rad, m]."""
    own: AnyArray
    """(k) whether it is the working mode of home, as of inverse_kinematics: at most one is."""
    complete: bool
    """Whether all legs were solved in closed form: of others only home's working mode is known."""
    unsolved: tuple[str, ...]
    """Motors of the legs that were not."""

    result_kind: ClassVar = "working modes"

    def __repr__(self) -> str:
        return f"<gough working modes of {self.robot.name}: {self}>"

    def __len__(self) -> int:
        return len(self.q)

    def tables(self) -> list[Table]:
        """Positions of the motors, a row for each working mode."""
        motors = [f"{a.name} [{'rad' if a.turns else 'm'}]" for a in self.robot.actuators]
        rows = [
            (k + 1, *map(float, q), "yes" if own else "")
            for k, (q, own) in enumerate(zip(self.q, self.own, strict=True))
        ]
        return [Table.of("", ("", *motors, "as drawn"), rows, f"{self}.")]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        return {name: getattr(self, name) for name in ("pose", "q", "own", "complete", "unsolved")}

    def __str__(self) -> str:
        count = f"{len(self)} working mode{'s' if len(self) != 1 else ''}"
        if self.complete:
            return f"{count}: all that there are"
        return f"{count}; only the working mode of home for the legs of {', '.join(self.unsolved)}"


def working_modes(robot: Robot | Kernels, pose: ArrayLike) -> WorkingModes:
    """All positions of the motors at a pose (7), by the signs of the roots that solve each leg.

    Legs of a hexapod have one length each. GoughError where the legs cannot reach the pose.
    """
    model = kernels_of(robot)
    robot = model.own_robot("working_modes")
    given = finite(pose, "pose", 7)
    if given.shape != (7,):
        raise GoughError(f"working_modes: the pose has shape {given.shape}; expected (7,)")
    at = np.asarray(possible_pose(model, given).pose)
    own, machine = model.inverse_kinematics(at), machine_of(robot)
    platform = platform_at(machine, ca.DM(at))
    by_leg, unsolved = [], []
    for number, leg in enumerate(machine.legs):
        motors = machine.own_motors(number)
        found = _ways(leg, PlatformPlacement(ca.DM(platform.position), ca.DM(platform.rotation)))
        if leg.iterated and motors:
            found = [own[motors]] if np.isfinite(own[motors]).all() else []
            unsolved += [robot.actuators[k].name for k in motors]
        by_leg.append(found)
    if not all(by_leg):
        raise GoughError(
            f"working_modes: {robot.name}: the legs cannot reach the pose {at.tolist()}; expected "
            "a reachable one"
        )
    places = [(leg, machine.legs[leg].plan.driven.index(joint)) for leg, joint in machine.motors]
    q = np.array([[float(ways[leg][k]) for leg, k in places] for ways in product(*by_leg)])
    is_own = np.abs(q - own).max(-1) < 1e-6
    order = np.argsort(~is_own, kind="stable")
    return WorkingModes(robot, at, q[order], is_own[order], not unsolved, tuple(unsolved))


def _ways(leg: Leg, platform: PlatformPlacement) -> list[Array]:
    """Different positions of a leg's motors that close it, by the branches of its closed form."""
    ways: list[Array] = []
    for branch in leg.branches:
        positions = branch(platform.position, platform.rotation)
        pairs = zip(leg.joints, positions, strict=True)
        q = np.array([float(joint.counted(x)) for joint, x in pairs])
        driven = q[list(leg.plan.driven)]
        new = not any(np.abs(driven - other).max(initial=0.0) < _SAME for other in ways)
        if np.isfinite(q).all() and new:
            at = posture_at(leg, ca.DM(q), platform.position, platform.rotation)
            gaps, used = row_gaps(at.cuts), (*leg.plan.driven_rows, *leg.plan.passive_rows)
            if all(abs(float(gaps[row])) < _CLOSED for row in used):
                ways.append(driven)
    return ways if leg.plan.driven else [np.empty(0)]
