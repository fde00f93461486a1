"""Forward kinematics as one kernel: leg lengths and a first guess in, the pose and a status out.

The iteration is inside, each sample stops by itself. Three things are known about a solution that
Newton's method found: how regular J is there (its pivots), how well the legs fit (the residual),
and whether det J has the same sign as at the start. If it has not, a singularity lies between the
two: the solution belongs to another assembly mode than the start. Two assembly modes also meet
where a path touches a singularity and turns back; the leg lengths do not tell which of them goes
on. So a path that comes near one is in doubt from there on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from typing import Any

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.native.kernel import Kernel
from gough.compiler.native.recurrence import Recurrence
from gough.compiler.remembered import remembered
from gough.equations.legs.closure import inverse_kinematics
from gough.equations.legs.possible_lengths import lengths_possible
from gough.equations.machine import Machine
from gough.equations.platform.newton import newton_step, third_order_step
from gough.equations.solvers.elimination import Factors
from gough.equations.spatial.pose import distance, normalised, nudge
from gough.equations.spatial.size import machine_size
from gough.model.catalogue import POSE
from gough.model.machines import Machines


class Status(IntEnum):
    """How the search for a pose ended."""

    NO_CONVERGENCE = 0
    CONVERGED = 1
    SINGULAR = 2
    IMPOSSIBLE_LENGTHS = 3
    OUTSIDE_STROKE = 4
    OTHER_ASPECT = 5
    UNCERTAIN = 6

    @property
    def meaning(self) -> str:
        """The same in words."""
        return _MEANINGS[self]


_MEANINGS = {
    Status.NO_CONVERGENCE: "no pose found: the iteration did not end",
    Status.CONVERGED: "a pose with these leg lengths",
    Status.SINGULAR: "no pose given: the Jacobian is singular at the start or where it led",
    Status.IMPOSSIBLE_LENGTHS: "no pose has these leg lengths",
    Status.OUTSIDE_STROKE: "a pose with these leg lengths, which are outside the strokes",
    Status.OTHER_ASPECT: "a pose with these leg lengths, but behind a singularity from the start",
    Status.UNCERTAIN: "a pose with these leg lengths, but maybe of another assembly mode: the path "
    "came too near a singularity, or leapt",
}

Step = Callable[[Machine, Any, Any], tuple[Any, Factors]]
METHODS: dict[str, Step] = {"newton": newton_step, "third-order": third_order_step}

SLACK = 1e-9
"""How much of the machine's size lengths may miss a bound by: above rounding, below play."""
DEGENERATE = 1e-12
"""A pivot of J (lengths over the machine's size) below which a step is only rounding error."""
SINGULAR = 1e-7
"""A pivot below which a pose is not determined by its leg lengths to half of the digits."""
LARGEST_FALL = 0.3
"""How much of det J a path may lose in one sample: at this rate it vanishes after two or three."""
LARGEST_LEAP = 0.3
"""How far a path may go in one sample, in machine sizes or radians, and be sure to be followed."""

GUESS = Argument("guess", (7,), "m, 1", "a pose near the one sought")
SIDE = Argument("side", (), "1", "sign of det J where the start belongs; 0: that of the guess")
CONTROL = Argument("control", (2,), "1", "largest last step; longest step (machine sizes, radians)")
RESULTS = (
    POSE,
    Argument("residual", (), "m", "largest difference between a leg and its length"),
    Argument("iterations", (), "1", "steps done"),
    Argument("status", (), "1", "see Status"),
)


# What a path hands on from sample to sample.
LAST = Argument("last_determinant", (), "m^3", "det J at the last pose found; 0: none yet")
DOUBT = Argument("doubt", (), "1", "whether the assembly mode may have changed on the way")
CARRIED = {name: f"next_{name}" for name in (GUESS.name, SIDE.name, LAST.name, DOUBT.name)}


@dataclass(frozen=True)
class _Search:
    """The end of an iteration, symbolically."""

    pose: Any
    side: Any
    """Sign of det J where the start belongs."""
    determinant: Any
    """det J at the end (before the last step, which is small if it converged)."""
    found: Any
    results: tuple[Any, ...]
    """As RESULTS."""


def lengths_of(machines: Machines) -> Argument:
    """The leg lengths q as an input."""
    return Argument("q", (machines.structure.actuators,), "m", "leg lengths")


@remembered
def forward_kernel(machines: Machines, method: str, at_most: int) -> Kernel:
    """The kernel (q, guess, side, control) -> (pose, residual, iterations, status)."""
    search = _search(machines, method, at_most)
    return Kernel.from_equation(
        "forward_kinematics",
        lambda *inputs: search(*inputs).results,
        [*machines.numbers, lengths_of(machines), GUESS, SIDE, CONTROL],
        RESULTS,
        f"The pose at given leg lengths by {method} iteration from a guess.",
    )


@remembered
def path_kernel(machines: Machines, method: str, at_most: int) -> Recurrence:
    """The same for a path: each sample starts from what CARRIED hands on from the one before."""
    search = _search(machines, method, at_most)

    def equation(*inputs: Any) -> tuple[Any, ...]:
        *start, last, doubt = inputs
        *p, _, guess, _, _ = start
        size = machine_size(machines.machine(*p))
        end = search(*start)
        fallen = end.determinant / last < 1 - LARGEST_FALL
        strange = ca.logic_or(fallen, distance(guess, end.pose, size) > LARGEST_LEAP)
        follows = ca.logic_and(end.found, last != 0)
        doubt = ca.logic_or(doubt, ca.logic_and(follows, strange))
        *results, status = end.results
        uncertain = ca.logic_and(ca.logic_and(end.found, doubt), status != Status.OTHER_ASPECT)
        return (
            *results,
            ca.if_else(uncertain, Status.UNCERTAIN, status),
            ca.if_else(end.found, end.pose, guess),
            end.side,
            ca.if_else(end.found, end.determinant, last),
            doubt,
        )

    carried = (GUESS, SIDE, LAST, DOUBT)
    function = Function.from_equation(
        "forward_kinematics",
        equation,
        [*machines.numbers, lengths_of(machines), GUESS, SIDE, CONTROL, LAST, DOUBT],
        [*RESULTS, *(Argument(CARRIED[a.name], a.shape) for a in carried)],
        f"The pose at given leg lengths by {method} iteration from the sample before.",
    )
    return Recurrence(function, CARRIED)


def _search(machines: Machines, method: str, at_most: int) -> Callable[..., _Search]:
    """The iteration as a function of (the machine's numbers, q, guess, side, control)."""
    repeat = iterate(_step_function(machines, method), at_most)

    def search(*inputs: Any) -> _Search:
        *p, q, guess, side, control = inputs
        machine = machines.machine(*p)
        size = machine_size(machine)
        possible = lengths_possible(machine, q, SLACK * size)
        pose, side, det, iterations, ended = repeat(guess, side, 0, q, control, possible, size, *p)
        residual = ca.mmax(ca.fabs(q - inverse_kinematics(machine, pose)))
        found = ca.logic_and(ended == Status.CONVERGED, residual <= control[0] * size)
        failed = ca.if_else(ended == Status.CONVERGED, Status.NO_CONVERGENCE, ended)
        results = (
            ca.if_else(found, pose, ca.DM.nan(7)),
            ca.if_else(possible, residual, np.nan),
            ca.if_else(possible, iterations, 0),
            ca.if_else(found, _found_status(machine, q, side * det, size), failed),
        )
        return _Search(pose, side, det, found, results)

    return search


def _step_function(machines: Machines, method: str) -> Function:
    """One step: moves the pose, and says whether to stop."""

    def step(
        pose: Any, side: Any, _: Any, q: Any, control: Any, possible: Any, size: Any, *p: Any
    ) -> Any:
        motion, factors = METHODS[method](machines.machine(*p), pose, q)
        scaled = [motion[k] / size for k in range(3)] + [motion[k] for k in range(3, 6)]
        regular = _regularity(factors, size)
        longest = reduce(ca.fmax, (ca.fabs(x) for x in scaled))
        small = reduce(ca.logic_and, (ca.fabs(x) <= control[0] for x in scaled))
        finite = ca.fabs(sum(scaled)) < np.inf
        stuck = ca.logic_or(ca.logic_not(finite), regular < DEGENERATE)
        status = ca.if_else(
            small, ca.if_else(regular < SINGULAR, Status.SINGULAR, Status.CONVERGED), 0
        )
        status = ca.if_else(stuck, Status.SINGULAR, status)
        status = ca.if_else(possible, status, Status.IMPOSSIBLE_LENGTHS)
        new_pose = normalised(nudge(pose, motion * ca.fmin(1, control[1] / longest)))
        det = factors.determinant
        return new_pose, ca.if_else(side == 0, ca.sign(det), side), det, status

    det = Argument("determinant", (), "m^3", "of J, before the last step")
    possible = Argument("possible", (), "1", "whether the lengths pass the cheap tests")
    size = Argument("size", (), "m", "of the machine")
    return Function.from_equation(
        "forward_step",
        step,
        [POSE, SIDE, det, lengths_of(machines), CONTROL, possible, size, *machines.numbers],
        [POSE, SIDE, det, Argument("status")],
    )


def _regularity(factors: Factors, size: Any) -> Any:
    """The smallest pivot of J with rotations measured at the machine's size."""
    scaled = [ca.fabs(p) / (1 if k < 3 else size) for k, p in enumerate(factors.pivots)]
    return reduce(ca.fmin, scaled)


def _found_status(machine: Machine, q: Any, sides: Any, size: Any) -> Any:
    """The status of a solution: whether it is where it should be."""
    slack = SLACK * size
    inside = reduce(
        ca.logic_and,
        (
            ca.logic_and(q[k] >= leg.stroke[0] - slack, q[k] <= leg.stroke[1] + slack)
            for k, leg in enumerate(machine.legs)
        ),
    )
    status = ca.if_else(inside, Status.CONVERGED, Status.OUTSIDE_STROKE)
    return ca.if_else(sides < 0, Status.OTHER_ASPECT, status)
