"""The pose of a machine of any kind from its driven joints: one step of Newton's method."""

from __future__ import annotations

from gough.equations.mechanism.closing import closing_step
from gough.equations.mechanism.kinematics import inverse_kinematics, jacobian, moves
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.singularity import actuation_matrix
from gough.equations.solvers.least_squares import Fit
from gough.equations.spatial.algebra import Value


def newton_step(machine: Machine, pose: Value, q: Value) -> Value:
    """The step (6) [m, rad] towards positions q of the driven joints, with all loops closed.

    Beside its moves, T J_u⁻¹ (q - those at the pose), it does what closes the loops.
    """
    closed = closing_step(machine, pose)
    missing = q - inverse_kinematics(machine, pose) - jacobian(machine, pose) @ closed
    J_u = Fit.of(actuation_matrix(machine, pose))
    return moves(machine, pose) @ J_u.solve(missing) + closed
