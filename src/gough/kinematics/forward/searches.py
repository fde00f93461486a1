"""Newton's method for the pose of each kind of machine: its steps and its residual.

For hexapods the pose alone is unknown: a leg's length follows from it. For mechanisms the passive
joints are unknowns as well, so that every step is defined: iterates may be poses that no leg can
reach.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.compiler.front.argument import Argument
from gough.equations.closure import closing
from gough.equations.legs.closure import lengths_possible, newton_step, third_order_step
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.solvers.linear import Factors
from gough.equations.spatial.algebra import Value
from gough.equations.tree.joints import Revolute
from gough.errors import GoughError
from gough.kinematics.forward.status import DOUBLE, Status
from gough.kinematics.size import machine_size
from gough.model.parameters import machine_of
from gough.robot import Robot

HexapodStep = Callable[[ExtensibleLegs, Value, Value], tuple[Value, Factors]]
METHODS: dict[str, HexapodStep] = {"newton": newton_step, "third-order": third_order_step}

OTHER_MODE = 1e-3
"""Difference of a motor from inverse kinematics [rad, m] above which the working mode differs."""


@dataclass(frozen=True)
class SearchStep:
    """A step of the platform (6), base axes, and of the unknown joints."""

    platform: Value
    joints: list[Value]
    sizes: list[Value]
    """All components as numbers: lengths over the machine's size, and angles."""
    regularity: Value
    """Minimum pivot of J with rotations scaled by the machine's size."""
    determinant: Value
    """Determinant of J."""


class Search(ABC):
    """Newton's method for a kind of machine, whose q may violate bounds by some slack."""

    joints: tuple[Argument, ...] = ()
    """Unknowns beside the pose."""
    misfit: Status = Status.NO_CONVERGENCE
    """Status if steps become small, but q does not fit."""

    def __init__(self, robot: Robot, slack: float) -> None:
        self._actuators, self._slack = robot.actuators, slack

    def side_at(self, machine: Machine, home: ArrayLike) -> float:
        """Return the sign of det J at home."""
        at, iterated = ca.DM(home), any(leg.iterated for leg in machine.legs)
        joints = [_home(machine)] if iterated else self.start(machine, at)
        step = self.step(machine, at, joints, ca.DM.zeros(len(machine.motors)), 1.0)
        return float(np.sign(float(ca.evalf(ca.SX(step.determinant)))))

    @abstractmethod
    def possible(self, machine: Machine, q: Value, size: Value | float) -> Value:
        """Whether q passes the cheap tests."""

    def start(self, machine: Machine, guess: Value) -> list[Value]:
        """Return the start of the joints: none, where the pose alone is unknown."""
        return []

    @abstractmethod
    def step(
        self, machine: Machine, pose: Value, joints: Sequence[Value], q: Value, size: Value | float
    ) -> SearchStep:
        """Return a step towards q."""

    @abstractmethod
    def away(self, machine: Machine, pose: Value, joints: Sequence[Value], q: Value) -> Value:
        """Return the error of each actuator's position [rad, m]."""

    def in_other_mode(self, machine: Machine, pose: Value, q: Value) -> Value:
        """Whether a leg is in another working mode than at home; legs of a hexapod have one."""
        return ca.DM(0)

    def units(self, size: Value | float) -> list[Value | float]:
        """Return the scale of each actuator's position: 1 rad, or the machine's size."""
        return [1 if a.turns else size for a in self._actuators]

    def inside(self, machine: Machine, q: Value, size: Value | float) -> Value:
        """Whether all actuators are within their travel."""
        tests = [ca.DM(1)]
        for k, (a, unit) in enumerate(zip(self._actuators, self.units(size), strict=True)):
            low, high = ca.vertsplit(machine.limit(f"{a.key}.{a.travel_key}"))
            slack = self._slack * unit
            tests.append(ca.logic_and(q[k] >= low - slack, q[k] <= high + slack))
        return reduce(ca.logic_and, tests)


def search_of(robot: Robot, method: str, slack: float = DOUBLE.slack) -> Search:
    """Return the search for this kind of robot, whose q may violate bounds by some slack."""
    if robot.has_extensible_legs:
        return _LengthSearch(robot, slack, METHODS[method])
    if method != "newton":
        raise GoughError(
            f'forward_kinematics: method {method!r} is for hexapods; expected "newton" for '
            f"{robot.name}"
        )
    return _JointSearch(robot, slack)


class _LengthSearch(Search):
    """The pose of a hexapod at leg lengths."""

    def __init__(self, robot: Robot, slack: float, method: HexapodStep) -> None:
        super().__init__(robot, slack)
        self._method = method

    def possible(self, machine: Machine, q: Value, size: Value | float) -> Value:
        """Whether no two lengths contradict each other."""
        return lengths_possible(machine.hexapod, q, self._slack * size)

    def step(
        self, machine: Machine, pose: Value, joints: Sequence[Value], q: Value, size: Value | float
    ) -> SearchStep:
        """Return J⁻¹ (q - l), or a step of higher order."""
        motion, factors = self._method(machine.hexapod, pose, q)
        scaled = [motion[k] / size for k in range(3)] + [motion[k] for k in range(3, 6)]
        pivots = [ca.fabs(p) / (1 if k < 3 else size) for k, p in enumerate(factors.pivots)]
        return SearchStep(motion, [], scaled, reduce(ca.fmin, pivots), factors.determinant)

    def away(self, machine: Machine, pose: Value, joints: Sequence[Value], q: Value) -> Value:
        return q - kinematics.inverse_kinematics(machine, pose)


class _JointSearch(Search):
    """The pose and all joints of a mechanism, which start with closed loops."""

    def __init__(self, robot: Robot, slack: float) -> None:
        super().__init__(robot, slack)
        machine, self._size = machine_of(robot), machine_size(robot)
        count = sum(len(leg.joints) for leg in machine.legs)
        self.joints = (Argument("joints", (count,), "rad, m", "of all joints"),)
        if len(machine.motors) > machine.freedom.S.shape[0]:
            self.misfit = Status.IMPOSSIBLE_LENGTHS

    def possible(self, machine: Machine, q: Value, size: Value | float) -> Value:
        """Whether all are numbers."""
        return ca.fabs(ca.sum1(q)) < np.inf

    def start(self, machine: Machine, guess: Value) -> list[Value]:
        """Return the joints by inverse kinematics of the guess, or those at home."""
        wanted = closing.all_positions(machine, guess)
        return [ca.if_else(ca.fabs(wanted) < np.inf, wanted, _home(machine))]

    def step(
        self, machine: Machine, pose: Value, joints: Sequence[Value], q: Value, size: Value | float
    ) -> SearchStep:
        """Return the step that brings motors to q and closes all loops to first order."""
        done = closing.driven_step(machine, pose, joints[0], q, self._size)
        pivots = reduce(ca.fmin, (ca.fabs(p) for p in done.factors.pivots))
        if self.misfit is Status.IMPOSSIBLE_LENGTHS:
            pivots = ca.sqrt(pivots)  # of the squared matrix
        joints_of_legs = (joint for leg in machine.legs for joint in leg.joints)
        scales = [1.0 if isinstance(x, Revolute) else self._size for x in joints_of_legs]
        followed = ca.SX(done.joints) / ca.DM(scales)
        sizes = [*ca.vertsplit(done.by_size), *ca.vertsplit(followed)]
        return SearchStep(done.platform, [done.joints], sizes, pivots, done.factors.determinant)

    def away(self, machine: Machine, pose: Value, joints: Sequence[Value], q: Value) -> Value:
        return closing.motor_errors(machine, pose, joints[0])

    def in_other_mode(self, machine: Machine, pose: Value, q: Value) -> Value:
        """Whether inverse kinematics differ from q; NaN is possible where a leg is stretched out.

        A leg that is solved by iteration has no positions in other modes.
        """
        tests = [ca.DM(0)]
        wanted = kinematics.inverse_kinematics(machine, pose)
        for k, (leg, _) in enumerate(machine.motors):
            gap = q[k] - wanted[k]
            if self._actuators[k].turns:
                gap = ca.sin(gap / 2)
            far = ca.fabs(gap) > OTHER_MODE
            iterated = machine.legs[leg].iterated
            tests.append(ca.logic_not(ca.fabs(gap) <= OTHER_MODE) if iterated else far)
        return reduce(ca.logic_or, tests)


def _home(machine: Machine) -> Value:
    """Positions of all joints at home [rad, m]."""
    return ca.vertcat(*(joint.at_home for leg in machine.legs for joint in leg.joints))
