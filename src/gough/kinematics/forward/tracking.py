"""Forward kinematics for a controller: one sample of a path per call, with a state."""

from __future__ import annotations

from textwrap import fill, indent

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.equations.spatial.algebra import Value
from gough.kinematics.forward.kernel import (
    DOUBT,
    GUESS,
    LAST,
    RESULTS,
    SIDE,
    lengths_of,
    path_equation,
)
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE, Precision, Status
from gough.kinematics.freedoms.nearest_pose import pose_projection
from gough.model.machines import Machines
from gough.robot import Robot

_CARRIED = (GUESS, SIDE, LAST, DOUBT)
STATE = Argument(
    "state",
    (sum(a.size for a in _CARRIED),),
    "SI",
    "pose found last (7), sign of det J (0: not known yet), det J, whether the mode is in doubt",
)


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

    return Function.from_equation(
        "forward_kinematics",
        equation,
        [*machines.numbers, lengths_of(machines), STATE],
        [*RESULTS, STATE],
        _words(machines.robot),
    )


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
