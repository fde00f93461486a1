"""Branches of a machine at a pose: all configurations of its legs, and with them working modes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.compiler import Argument, Kernel, compiled
from gough.compiler.native.disk_kernels import kept_data
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table
from gough.equations.closure.closing import leg_branches, motor_places, own_joints
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import possible_pose
from gough.model import Kernels, Machines, machine_of, structure_of
from gough.model.definition import POSE
from gough.model.kernels import kernels_of
from gough.poses.given import finite
from gough.robot import Robot

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value

_CLOSED = 1e-9
"""Residual of a leg [rad, lengths of the platform's arm] below which it is closed."""
_SAME = 1e-9
"""Difference of motor positions [rad, m] below which they are equal."""


@dataclass(frozen=True)
class Branches(Displayable):
    """All branches of a machine at a pose; the robot's own first."""

    robot: Robot
    pose: Array
    """(7) a possible pose."""
    branch: AnyArray
    """(k, b) numbers of each, as `gough.Model(robot, branch=...)` takes them: 1 for the solution of
    the home configuration, -1 for the other one of a root; see `structure.roots`."""
    joints: Array
    """(k, j) positions of all joints [rad, m]; see `structure.joints`."""
    q: Array
    """(k, n) positions of the motors [rad, m]."""
    own: AnyArray
    """(k) whether it is the robot's own, as of inverse_kinematics: at most one is."""
    working_mode: AnyArray
    """(k) number of the working mode, from 1: branches of one differ in passive joints alone."""
    unsolved: tuple[str, ...]
    """First joints of the legs without a closed form, of which branches may be missing."""

    result_kind: ClassVar = "branches"
    listed: ClassVar = "pose branch joints q own working_mode unsolved complete"

    def __repr__(self) -> str:
        return f"<gough branches of {self.robot.name}: {self}>"

    def __len__(self) -> int:
        return len(self.branch)

    @property
    def complete(self) -> bool:
        """Whether these are all: legs without a closed form are searched by random starts."""
        return not self.unsolved

    def tables(self) -> list[Table]:
        """Positions of the motors, a row for each branch."""
        motors = [f"{a.name} [{'rad' if a.turns else 'm'}]" for a in self.robot.actuators]
        branches = (" ".join(map(str, branch)) for branch in self.branch)
        each = zip(self.working_mode.tolist(), branches, self.q.tolist(), self.own, strict=True)
        rows = [(mode, branch, *q, "yes" if own else "") for mode, branch, q, own in each]
        return [Table.of("", ("working mode", "branch", *motors, "own"), rows, f"{self}.")]

    def __str__(self) -> str:
        modes = int(self.working_mode.max())
        count = f"{len(self)} branch{'es' if len(self) != 1 else ''}"
        count += f", {modes} working mode{'s' if modes != 1 else ''}"
        if self.complete:
            return f"{count}: all that there are"
        legs = ", ".join(self.unsolved)
        return f"{count}; there may be others of the legs without a closed form, of {legs}"


def branches(robot: Robot | Kernels, pose: ArrayLike) -> Branches:
    """All branches of a machine at a pose (7): which solution each of its legs has.

    Of a leg in closed form these are the signs of its roots; of others, the configurations that a
    search finds at home, followed to the pose. Legs of a hexapod have one. GoughError where the
    legs cannot reach the pose.
    """
    model = kernels_of(robot)
    robot = model.own_robot("branches")
    given = finite(pose, "pose", 7)
    if given.shape != (7,):
        raise GoughError(f"branches: the pose has shape {given.shape}; expected (7,)")
    at = np.asarray(possible_pose(model, given).pose)
    by_leg = _closed_legs(robot, at)
    if not all(by_leg):
        problem = f"branches: {robot.name}: the legs cannot reach the pose {at.tolist()}"
        raise GoughError(f"{problem}; expected a reachable one")
    machine, modes, found = machine_of(robot), dict[tuple[int, ...], int](), [*product(*by_leg)]
    numbers = np.array([[x for leg in legs for x in leg.numbers] for legs in found], int)
    own = (numbers == (getattr(robot, "branch", None) or 1)).all(-1)
    order = np.argsort(~own, kind="stable")
    joints = np.array([np.concatenate([leg.joints for leg in found[k]]) for k in order])
    mode = [tuple(leg.mode for leg in found[k]) for k in order]
    working_mode = np.array([modes.setdefault(by_leg, len(modes) + 1) for by_leg in mode])
    legs = zip(machine.legs, own_joints(machine), strict=True)
    unsolved = tuple(model.structure.joints[mine.start] for leg, mine in legs if leg.iterated)
    q = joints[:, motor_places(machine)]
    return Branches(robot, at, numbers[order], joints, q, own[order], working_mode, unsolved)


def branches_at_home(robot: Robot) -> int:
    """Return the number of branches that close all legs at home."""
    return int(_count_at_home(robot)["branches"])


@kept_data
def _count_at_home(robot: Robot) -> PlainData:
    by_leg = (leg.branches for leg in machine_of(robot).legs)
    return {"branches": prod(len(some.at_home()) for some in by_leg if some is not None)}


class _LegBranch(NamedTuple):
    """A branch of a leg at a pose: its numbers, positions, and which of the leg's working modes."""

    numbers: tuple[int, ...]
    joints: Array
    mode: int


def _closed_legs(robot: Robot, pose: Array) -> list[list[_LegBranch]]:
    """Branches of each leg that close it at a pose."""
    any_branch = bool(structure_of(robot).roots)
    machines = Machines(robot, branch=any_branch)
    machine, by_leg = machine_of(machines.robot), []
    for number, (leg, mine) in enumerate(zip(machine.legs, own_joints(machine), strict=True)):
        known, found = leg_branches(leg), list[_LegBranch]()
        rows = np.ones((len(known), len(machines.structure.roots)))
        rows[:, machine.own_numbers[number]] = known
        joints, gaps = _leg_kernel(machines)(*([rows] if any_branch else []), pose)
        closed = np.atleast_2d(gaps)[:, number] < _CLOSED**2  # false for NaN, too
        for k in np.flatnonzero(closed):
            q = np.atleast_2d(joints)[k, mine]
            away = [np.abs(x.joints - q)[[*leg.plan.driven]].max(initial=0.0) for x in found]
            same = (x.mode for x, gap in zip(found, away, strict=True) if gap < _SAME)
            found.append(_LegBranch(known[k], q, next(same, len(found))))
        by_leg.append(found)
    return by_leg


@compiled
def _leg_kernel(machines: Machines) -> Kernel:
    from gough.equations.closure import closing  # noqa: PLC0415  (slow)

    def equation(machine: Machine, pose: Value) -> tuple[Value, Value]:
        gaps = [sum(gap * gap for gap in of_leg) for of_leg in closing.gaps_by_leg(machine, pose)]
        return closing.all_positions(machine, pose), ca.vertcat(*gaps)

    structure = machines.structure
    outputs = (
        Argument("joints", (len(structure.joints),), "rad, m", "positions of all joints"),
        Argument("gaps", (len(structure.loop_joints),), "1", "squared, by leg"),
    )
    return machines.kernel("branch_joints", equation, (POSE,), outputs)
