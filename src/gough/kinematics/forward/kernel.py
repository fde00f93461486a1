"""Forward kinematics as one kernel: positions q and a first guess in, the pose and a status out.

For a controller there is one sample of a path per call, with a state.

The iteration is inside, each sample stops by itself; `searches` has the steps for each kind of
machine. Three things are known about a solution of Newton's method: the regularity of J (its
pivots), the residual of q, and whether det J has the same sign as at the start. If it has not, a
singularity lies between the two: the solution belongs to another assembly mode than the start. Two
assembly modes also meet where a path touches a singularity and turns back; q does not determine the
branch. So a path that comes near one is in doubt from there on.
"""

from collections.abc import Callable
from functools import reduce
from textwrap import fill, indent
from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler import Argument, Function, Recurrence
from gough.compiler.front.function import iterate
from gough.compiler.native.disk_kernels import compiled_recurrence
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import distance, normalised, nudge
from gough.kinematics.forward.searches import Search, search_of
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE, Precision, Status
from gough.kinematics.freedoms.nearest_pose import pose_projection
from gough.kinematics.size import size_in
from gough.model import Machines
from gough.model.definition import POSE
from gough.robot import Robot

LARGEST_FALL = 0.3
"""Maximum relative decrease of det J in one sample: at this rate it vanishes after two or three."""
LARGEST_LEAP = 0.3
"""Maximum displacement in one sample, in machine sizes or radians, that is followed reliably."""

STEP = "forward_step"
"""Name of the function of one step, which depends on the precision."""

GUESS = Argument("guess", (7,), "m, 1", "a pose near the one sought")
SIDE = Argument("side", (), "1", "sign of det J where the start belongs; 0: that of the guess")
CONTROL = Argument("control", (2,), "1", "maximum last step; maximum step (machine sizes, radians)")
RESULTS = (
    POSE,
    Argument("residual", (), "m, rad", "maximum error of an actuator's position"),
    Argument("iterations", (), "1", "number of steps"),
    Argument("status", (), "1", "see Status"),
)
# State of a path, from sample to sample.
LAST = Argument("last_determinant", (), "SI", "det J at the last pose found; 0: none yet")
DOUBT = Argument("doubt", (), "1", "whether the assembly mode may have changed on the way")
_CARRIED = (GUESS, SIDE, LAST, DOUBT)
_HELD = "pose found last (7), sign of det J (0: not known yet), det J, whether the mode is in doubt"
STATE = Argument("state", (sum(a.size for a in _CARRIED),), "SI", _HELD)
CARRIED = {a.name: f"next_{a.name}" for a in _CARRIED}


class _Found(NamedTuple):
    """The end of an iteration, symbolically."""

    pose: Value
    side: Value
    """Sign of det J where the start belongs."""
    determinant: Value
    """det J at the end (before the last step, which is small if it converged)."""
    found: Value
    other_mode: Value
    """Whether a leg is in another working mode than at home."""
    results: tuple[Value, ...]
    """Values in the order of RESULTS."""


def lengths_of(machines: Machines) -> Argument:
    """Return the input of the positions q of the actuators."""
    structure = machines.structure
    return Argument("q", (structure.actuators,), structure.unit, "positions of the actuators")


def forward_function(machines: Machines, method: str, at_most: int) -> Function:
    """The function (q, guess, side, control) -> (pose, residual, iterations, status)."""
    search = _search(machines, method, at_most)

    def equation(*inputs: Value) -> tuple[Value, ...]:
        return search(*inputs).results

    inputs = [*machines.numbers, lengths_of(machines), GUESS, SIDE, CONTROL]
    doc = f"The pose at given positions q by {method} iteration from a guess."
    return Function.from_equation("forward_kinematics", equation, inputs, RESULTS, doc)


@compiled_recurrence
def path_kernel(machines: Machines, method: str, at_most: int) -> Recurrence:
    """The kernel for a path: each sample starts from the state CARRIED from the one before."""
    equation = path_equation(machines, method, at_most)
    inputs = [*machines.numbers, lengths_of(machines), GUESS, SIDE, CONTROL, LAST, DOUBT]
    outputs = [*RESULTS, *(Argument(CARRIED[a.name], a.shape) for a in _CARRIED)]
    doc = f"The pose at given positions q by {method} iteration from the sample before."
    made = Function.from_equation("forward_kinematics", equation, inputs, outputs, doc)
    return Recurrence(made, CARRIED)


def path_equation(
    machines: Machines, method: str, at_most: int, precision: Precision = DOUBLE
) -> Callable[..., tuple[Value, ...]]:
    """(the machine's numbers, q, guess, side, control, last, doubt) -> RESULTS, what is carried."""
    search = _search(machines, method, at_most, precision)

    def equation(*inputs: Value) -> tuple[Value, ...]:
        *start, last, doubt = inputs
        *p, _, guess, _, _ = start
        size = size_in(machines, machines.machine(*p))
        end = search(*start)
        fallen = end.determinant / last < 1 - LARGEST_FALL
        strange = ca.logic_or(fallen, distance(guess, end.pose, size) > LARGEST_LEAP)
        follows = ca.logic_and(end.found, last != 0)
        *results, status = end.results
        doubt = ca.logic_or(doubt, ca.logic_and(follows, strange))
        doubt = ca.logic_or(doubt, ca.logic_and(end.found, end.other_mode))
        uncertain = ca.logic_and(ca.logic_and(end.found, doubt), status != Status.OTHER_ASPECT)
        status = ca.if_else(uncertain, Status.UNCERTAIN, status)
        pose = ca.if_else(end.found, end.pose, guess)
        last = ca.if_else(end.found, end.determinant, last)
        return *results, status, pose, end.side, last, doubt

    return equation


def _search(
    machines: Machines, method: str, at_most: int, precision: Precision = DOUBLE
) -> Callable[..., _Found]:
    """The iteration as a function of (the machine's numbers, q, guess, side, control)."""
    kind = search_of(machines.robot, method, precision.slack)
    repeat = iterate(_step_function(machines, kind, precision), at_most)

    def search(*inputs: Value) -> _Found:
        *p, q, guess, side, control = inputs
        machine = machines.machine(*p)
        size = size_in(machines, machine)
        possible = kind.possible(machine, q, size)
        start = guess, *kind.start(machine, guess), side, 0
        pose, *joints, side, det, iterations, ended = repeat(*start, q, control, possible, size, *p)
        away = kind.away(machine, pose, joints, q)
        residual = ca.mmax(ca.fabs(away))
        fits = ca.mmax(ca.fabs(away) / ca.vertcat(*kind.units(size))) <= control[0]
        found = ca.logic_and(ended == Status.CONVERGED, fits)
        failed = ca.if_else(ended == Status.CONVERGED, kind.misfit, ended)
        other_mode = kind.in_other_mode(machine, pose, q)
        status = ca.if_else(kind.inside(machine, q, size), Status.CONVERGED, Status.OUTSIDE_STROKE)
        status = ca.if_else(ca.logic_or(side * det < 0, other_mode), Status.OTHER_ASPECT, status)
        results = (
            ca.if_else(found, pose, ca.DM.nan(7)),
            ca.if_else(possible, residual, np.nan),
            ca.if_else(possible, iterations, 0),
            ca.if_else(found, status, failed),
        )
        return _Found(pose, side, det, found, other_mode, results)

    return search


def _step_function(machines: Machines, kind: Search, precision: Precision) -> Function:
    """One step: moves the pose and joints, and returns whether to stop."""

    def step(pose: Value, *rest: Value) -> tuple[Value, ...]:
        joints = rest[: len(kind.joints)]
        side, _, q, control, possible, size, *p = rest[len(kind.joints) :]
        done = kind.step(machines.machine(*p), pose, joints, q, size)
        longest = reduce(ca.fmax, (ca.fabs(x) for x in done.sizes))
        small = reduce(ca.logic_and, (ca.fabs(x) <= control[0] for x in done.sizes))
        finite = ca.fabs(sum(done.sizes)) < np.inf
        stuck = ca.logic_or(ca.logic_not(finite), done.regularity < precision.degenerate)
        singular = done.regularity < precision.singular
        status = ca.if_else(small, ca.if_else(singular, Status.SINGULAR, Status.CONVERGED), 0)
        status = ca.if_else(stuck, Status.SINGULAR, status)
        status = ca.if_else(possible, status, Status.IMPOSSIBLE_LENGTHS)
        share = ca.fmin(1, control[1] / longest)
        new_joints = [old + share * change for old, change in zip(joints, done.joints, strict=True)]
        new_pose = normalised(nudge(pose, done.platform * share))
        new_side = ca.if_else(side == 0, ca.sign(done.determinant), side)
        return new_pose, *new_joints, new_side, done.determinant, status

    det = Argument("determinant", (), "SI", "of J, before the last step")
    possible = Argument("possible", (), "1", "whether q passes the cheap tests")
    size = Argument("size", (), "m", "of the machine")
    states = [POSE, *kind.joints, SIDE, det]
    inputs = [*states, lengths_of(machines), CONTROL, possible, size, *machines.numbers]
    return Function.from_equation(STEP, step, inputs, [*states, Argument("status")])


def tracking_function(machines: Machines, precision: Precision = DOUBLE) -> Function:
    """The function (q, state) -> (pose, residual, iterations, status, state), for each sample."""
    follow = path_equation(machines, "newton", AT_MOST, precision)
    projected = pose_projection(machines.robot)
    control = ca.DM([precision.tolerance, STRIDE])

    def equation(*inputs: Value) -> tuple[Value, ...]:
        *p, q, state = inputs
        guess, (side, last, doubt) = state[:7], ca.vertsplit(state[7:])
        start = (projected(guess), side, control, last, doubt)
        *results, pose, side, last, doubt = follow(*p, q, *start)
        return *results, ca.vertcat(pose, side, last, doubt)

    inputs, outputs = [*machines.numbers, lengths_of(machines), STATE], [*RESULTS, STATE]
    doc = _words(machines.robot)
    return Function.from_equation("forward_kinematics", equation, inputs, outputs, doc)


def first_state(robot: Robot) -> Array:
    """Return the state of a platform near its home pose, before the first sample."""
    return np.concatenate([robot.home, np.zeros(STATE.size - GUESS.size)])


def _words(robot: Robot) -> str:
    """Instructions for the state, and the meaning of each status."""
    numbers = fill(", ".join(repr(float(x)) for x in first_state(robot)), 88)
    meanings = "\n".join(f"  {status.value} {status.meaning}" for status in Status)
    return (
        f"The pose at positions q by at most {AT_MOST} steps of Newton's method from the last.\n\n"
        "The state of a sample is the new_state of the one before. At first it is a pose near\n"
        "the platform's, then zeros; of a machine near its home pose\n\n"
        f"{indent(numbers, '  ')}\n\n"
        "A sample without a pose (pose is NaN) leaves the state as it was: the next one starts\n"
        "from the last pose that was found. Doubt stays until the state is set anew.\n\n"
        f"Status:\n{meanings}"
    )
