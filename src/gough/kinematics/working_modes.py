"""Working modes: all positions of the motors at a pose, one for each way in which legs can bend."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.equations.mechanism import elimination, rows
from gough.equations.mechanism.machine import Leg, Machine
from gough.equations.mechanism.newton import posture_at
from gough.equations.mechanism.rows import Platform
from gough.equations.mechanism.stance import platform_at
from gough.errors import GoughError
from gough.kinematics.freedoms.possible import possible_pose
from gough.model.kernels import Kernels
from gough.model.parameters import machine_of
from gough.poses.given import finite
from gough.robot import Robot

_CLOSED = 1e-9
"""Rows that are open by less [m, rad] are closed."""
_SAME = 1e-9
"""Motors at positions that differ by less [rad, m] are at the same."""


@dataclass(frozen=True)
class WorkingModes:
    """All positions of the motors at a pose; the drawing's way of bending the legs first."""

    robot: Robot
    pose: Array
    """(7) that the machine can take."""
    q: Array
    """(k, n) positions of the motors [rad, m]."""
    own: AnyArray
    """(k) whether it is that of the drawing, which inverse_kinematics gives: at most one is."""
    complete: bool
    """Whether all legs were solved in closed form: of others only the drawing's way is known."""
    unsolved: tuple[str, ...]
    """Motors of the legs that are not."""

    def __repr__(self) -> str:
        return f"<gough working modes of {self.robot.name}: {self}>"

    def __len__(self) -> int:
        return len(self.q)

    def __str__(self) -> str:
        count = f"{len(self)} working mode{'s' if len(self) != 1 else ''}"
        if self.complete:
            return f"{count}: all that there are"
        return f"{count}; only the drawing's way to bend the legs of {', '.join(self.unsolved)}"


def working_modes(model: Kernels, pose: Any) -> WorkingModes:
    """All positions of the motors at a pose (7), by the signs of the roots that solve each leg.

    Legs of a hexapod have one length each. GoughError where the legs cannot reach the pose.
    """
    robot = model.own_robot("working_modes")
    given = finite(pose, "pose", 7)
    if given.shape != (7,):
        raise GoughError(f"working_modes: the pose has shape {given.shape}; expected (7,)")
    at = np.asarray(possible_pose(model, given).pose)
    own, machine = model.inverse_kinematics(at), machine_of(robot)
    if not isinstance(machine, Machine):
        return WorkingModes(robot, at, own[None], np.array([True]), True, ())
    platform = platform_at(machine, ca.DM(at))
    by_leg, unsolved = [], []
    for number, leg in enumerate(machine.legs):
        motors = machine.own_motors(number)
        found = _ways(leg, Platform(ca.DM(platform.position), ca.DM(platform.rotation)))
        if leg.iterated and motors:
            found = [own[motors]] if np.isfinite(own[motors]).all() else []
            unsolved += [robot.actuators[k].name for k in motors]
        by_leg.append(found)
    if not all(by_leg):
        raise GoughError(
            f"working_modes: {robot.name}: the legs cannot reach the pose {at.tolist()}; expected "
            "one that they can"
        )
    q = np.array([_in_order(machine, ways) for ways in product(*by_leg)])
    is_own = np.abs(q - own).max(-1) < 1e-6
    order = np.argsort(~is_own, kind="stable")
    return WorkingModes(robot, at, q[order], is_own[order], not unsolved, tuple(unsolved))


def _ways(leg: Leg, platform: Platform) -> list[Array]:
    """Different positions of a leg's motors that close it, by the branches of its closed form."""
    ways: list[Array] = []
    for branch in leg.branches:
        positions = branch(platform.position, platform.rotation)
        pairs = zip(leg.joints, positions, strict=True)
        q = np.array([float(joint.counted(x)) for joint, x in pairs])
        driven = q[list(leg.plan.driven)]
        new = not any(np.abs(driven - other).max(initial=0.0) < _SAME for other in ways)
        if np.isfinite(q).all() and new and _closes(leg, q, platform):
            ways.append(driven)
    return ways if leg.plan.driven else [np.empty(0)]


def _closes(leg: Leg, q: Array, platform: Platform) -> bool:
    at = posture_at(leg, ca.DM(q), platform.position, platform.rotation)
    gaps = rows.gaps(at.tips)
    used = (*leg.plan.driven_rows, *elimination.passive_rows(leg.plan))
    return all(abs(float(gaps[row])) < _CLOSED for row in used)


def _in_order(machine: Machine, ways: tuple[Array, ...]) -> list[float]:
    """Positions of the motors of all legs in the motors' order."""
    places = [(leg, machine.legs[leg].plan.driven.index(joint)) for leg, joint in machine.motors]
    return [float(ways[leg][place]) for leg, place in places]
