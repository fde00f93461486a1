"""Whether a motion is one that a machine can do: it may have fewer freedoms than six."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.model.kernels import Kernels
from gough.model.mechanism.reading import analysed
from gough.model.parameters import parameters_of
from gough.model.structure import structure_of
from gough.motion import MotionError, MotionSamples
from gough.poses import difference
from gough.robot import Mechanism, Robot
from gough.robot.mechanism import MOVES

TOLERANCE = 1e-9
"""What counts as standing still [m, rad, m/s, rad/s]: more than rounding, less than any motion."""
_UNITS = ("m",) * 3 + ("rad",) * 3


def check_freedoms(robot: Robot, time: Array, samples: MotionSamples) -> None:
    """Refuse a motion that asks for what a machine cannot do, with the time and the component.

    Where the machine's moves are the same everywhere the way from home is looked at; where they
    change with the pose, the velocity.
    """
    if not isinstance(robot, Mechanism) or len(robot.platform.moves) == len(MOVES):
        return
    constant = analysed(robot).constant_moves
    asked = difference(samples.pose, np.array(robot.home)) if constant else samples.twist
    beyond = asked - _possible(robot, samples.pose, asked)
    k, component = np.unravel_index(np.argmax(np.abs(beyond)), beyond.shape)
    size = float(beyond[k, component])
    if abs(size) <= TOLERANCE * max(1.0, float(np.abs(asked).max())):
        return
    unit = _UNITS[component] + "/s" * (not constant)
    what = f"{MOVES[component]}{'' if constant else ' to move'}"
    freedoms = " ".join(structure_of(robot).freedoms)
    raise MotionError(
        f"at t = {time[k]:.6g} s the motion asks for {what} = {size:.4g} {unit}, which "
        f"{robot.name} ({freedoms}) cannot do",
        key="motion",
        expected="what its moves allow" + (", seen from home" if constant else ""),
    )


def _possible(robot: Robot, pose: Array, asked: Array) -> Array:
    """(..., 6) T S · asked: what the machine can do of ways or velocities."""
    kernel = Kernels(robot, parametric=True).admissible
    return np.asarray(kernel(parameters_of(robot), pose, np.ascontiguousarray(asked)))
