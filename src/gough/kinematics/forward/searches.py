"""What a search for a pose has to know of a kind of machine: its steps, and what fits q.

For hexapods the pose alone is sought: a leg's length follows from it. For machines of any kind the
passive joints are sought with the pose, so that every step has an answer: there are poses that no
leg can reach on the way to one that all do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.equations.legs.closure import inverse_kinematics
from gough.equations.legs.possible_lengths import lengths_possible
from gough.equations.machine import Machine as HexapodMachine
from gough.equations.mechanism import closing, kinematics
from gough.equations.mechanism.joints import Hinge
from gough.equations.mechanism.machine import Machine
from gough.equations.platform.newton import newton_step, third_order_step
from gough.equations.platform.singularity import determinant
from gough.equations.solvers.elimination import Factors
from gough.errors import GoughError
from gough.kinematics.forward.precision import DOUBLE
from gough.kinematics.forward.status import Status
from gough.kinematics.size import machine_size
from gough.model.parameters import machine_of
from gough.robot import Hexapod, Robot

HexapodStep = Callable[[HexapodMachine, Any, Any], tuple[Any, Factors]]
METHODS: dict[str, HexapodStep] = {"newton": newton_step, "third-order": third_order_step}

OTHER_MODE = 1e-3
"""A motor that is as far [rad, m] from where a pose wants it is bent the other way."""


@dataclass(frozen=True)
class Step:
    """A step of the platform (6), base axes, and of the joints sought with it."""

    platform: Any
    joints: list[Any]
    sizes: list[Any]
    """All of it as numbers: lengths over the machine's size, and angles."""
    regularity: Any
    """The smallest pivot of J with rotations measured at the machine's size."""
    determinant: Any
    """Of J."""


class Search(ABC):
    """Newton's method for a kind of machine."""

    joints: tuple[Argument, ...] = ()
    """What is sought beside the pose."""
    misfit: Status = Status.NO_CONVERGENCE
    """What it means if steps become small, and yet q does not fit."""

    @abstractmethod
    def side_at(self, machine: Any, home: Any) -> float:
        """The sign of det J at home."""

    @abstractmethod
    def possible(self, machine: Any, q: Any, size: Any) -> Any:
        """Whether q passes the cheap tests."""

    @abstractmethod
    def start(self, machine: Any, guess: Any, q: Any) -> list[Any]:
        """Where the joints start."""

    @abstractmethod
    def step(self, machine: Any, pose: Any, joints: Sequence[Any], q: Any, size: Any) -> Step:
        """A step towards q."""

    @abstractmethod
    def away(self, machine: Any, pose: Any, joints: Sequence[Any], q: Any) -> Any:
        """How far each actuator is from q [rad, m]."""

    @abstractmethod
    def units(self, size: Any) -> Any:
        """What each actuator's position is measured by: the machine's size, or 1 rad."""

    @abstractmethod
    def inside(self, machine: Any, q: Any, size: Any) -> Any:
        """Whether all actuators are within their travel."""

    @abstractmethod
    def in_other_mode(self, machine: Any, pose: Any, q: Any) -> Any:
        """Whether a leg is bent as it is not on the drawing."""


def search_of(robot: Robot, method: str, slack: float = DOUBLE.slack) -> Search:
    """The search for this kind of robot, whose q may miss bounds by some slack."""
    if isinstance(robot, Hexapod):
        return OfLengths(METHODS[method], slack)
    if method != "newton":
        raise GoughError(
            f'forward_kinematics: method {method!r} is for hexapods; expected "newton" for '
            f"{robot.name}"
        )
    return OfJoints(robot, slack)


@dataclass(frozen=True)
class OfLengths(Search):
    """The pose of a hexapod at leg lengths."""

    method: HexapodStep
    slack: float

    def side_at(self, machine: HexapodMachine, home: Any) -> float:
        """The sign of det J at home."""
        return float(np.sign(float(determinant(machine, ca.DM(home)))))

    def possible(self, machine: HexapodMachine, q: Any, size: Any) -> Any:
        """Whether no two lengths contradict each other."""
        return lengths_possible(machine, q, self.slack * size)

    def start(self, machine: HexapodMachine, guess: Any, q: Any) -> list[Any]:
        """Nothing is sought beside the pose."""
        return []

    def step(
        self, machine: HexapodMachine, pose: Any, joints: Sequence[Any], q: Any, size: Any
    ) -> Step:
        """J⁻¹ (q - l), or what converges faster."""
        motion, factors = self.method(machine, pose, q)
        scaled = [motion[k] / size for k in range(3)] + [motion[k] for k in range(3, 6)]
        pivots = [ca.fabs(p) / (1 if k < 3 else size) for k, p in enumerate(factors.pivots)]
        return Step(motion, [], scaled, reduce(ca.fmin, pivots), factors.determinant)

    def away(self, machine: HexapodMachine, pose: Any, joints: Sequence[Any], q: Any) -> Any:
        """Legs less their lengths [m]."""
        return q - inverse_kinematics(machine, pose)

    def units(self, size: Any) -> Any:
        """The machine's size."""
        return size

    def inside(self, machine: HexapodMachine, q: Any, size: Any) -> Any:
        """Whether all legs are within their strokes."""
        slack = self.slack * size
        tests = (
            ca.logic_and(q[k] >= leg.stroke[0] - slack, q[k] <= leg.stroke[1] + slack)
            for k, leg in enumerate(machine.legs)
        )
        return reduce(ca.logic_and, tests)

    def in_other_mode(self, machine: HexapodMachine, pose: Any, q: Any) -> Any:
        """Never: a leg's length has one sign."""
        return ca.DM(0)


class OfJoints(Search):
    """The pose and all joints of a machine of any kind, which start where its loops are closed."""

    def __init__(self, robot: Robot, slack: float) -> None:
        machine = machine_of(robot)
        assert isinstance(machine, Machine)
        self._actuators, self._size, self._slack = robot.actuators, machine_size(robot), slack
        count = sum(len(leg.joints) for leg in machine.legs)
        self.joints = (Argument("joints", (count,), "rad, m", "of all joints"),)
        if len(machine.motors) > machine.freedom.S.shape[0]:
            self.misfit = Status.IMPOSSIBLE_LENGTHS

    def side_at(self, machine: Machine, home: Any) -> float:
        """The sign of det J at home."""
        joints = _home(machine)
        q = joints[closing.motor_places(machine)]
        step = closing.driven_step(machine, ca.DM(home), joints, q, self._size)
        return float(np.sign(float(ca.evalf(step.factors.determinant))))

    def possible(self, machine: Machine, q: Any, size: Any) -> Any:
        """Whether all are numbers."""
        return ca.fabs(ca.sum1(q)) < np.inf

    def start(self, machine: Machine, guess: Any, q: Any) -> list[Any]:
        """Joints as the guess wants them, or as they are at home."""
        wanted = closing.all_positions(machine, guess)
        return [ca.if_else(ca.fabs(wanted) < np.inf, wanted, _home(machine))]

    def step(self, machine: Machine, pose: Any, joints: Sequence[Any], q: Any, size: Any) -> Step:
        """The step that brings motors to q and closes all rows to first order."""
        done = closing.driven_step(machine, pose, joints[0], q, self._size)
        pivots = reduce(ca.fmin, (ca.fabs(p) for p in done.factors.pivots))
        if self.misfit is Status.IMPOSSIBLE_LENGTHS:
            pivots = ca.sqrt(pivots)  # of the squared matrix
        followed = ca.SX(done.joints) / self._scales(machine)
        sizes = [*ca.vertsplit(done.by_size), *ca.vertsplit(followed)]
        return Step(done.platform, [done.joints], sizes, pivots, done.factors.determinant)

    def away(self, machine: Machine, pose: Any, joints: Sequence[Any], q: Any) -> Any:
        """Motors from where they close their legs [rad, m]."""
        return closing.motors_off(machine, pose, joints[0])

    def units(self, size: Any) -> Any:
        """1 rad of what turns, the machine's size of what slides."""
        return ca.vertcat(*(1 if a.turns else size for a in self._actuators))

    def inside(self, machine: Machine, q: Any, size: Any) -> Any:
        """Whether all motors are within their travel."""
        tests = [ca.DM(1)]
        for k, a in enumerate(self._actuators):
            low, high = ca.vertsplit(machine.limit(f"{a.key}.{a.travel_key}"))
            slack = self._slack * (1 if a.turns else size)
            tests.append(ca.logic_and(q[k] >= low - slack, q[k] <= high + slack))
        return reduce(ca.logic_and, tests)

    def in_other_mode(self, machine: Machine, pose: Any, q: Any) -> Any:
        """Whether the pose wants a motor elsewhere; where legs are as long as can be it may be NaN.

        A leg that is solved by iteration has no positions in any other mode.
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

    def _scales(self, machine: Machine) -> Any:
        joints = [joint for leg in machine.legs for joint in leg.joints]
        return ca.DM([1.0 if isinstance(joint, Hinge) else self._size for joint in joints])


def _home(machine: Machine) -> Any:
    """Positions of all joints at home [rad, m]."""
    return ca.vertcat(*(joint.at_home for leg in machine.legs for joint in leg.joints))
