"""Bingul's two Jacobians, corrected: derivatives of the lengths, and lines through the joints."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from machines import as_machine, random_machine

from gough.equations.dynamics import explicit
from gough.equations.legs import closure
from gough.equations.spatial.algebra import rotation
from gough.equations.spatial.attitude import euler_quaternion, euler_rate_matrix

X = ca.SX.sym("X", 6)


def leg_vectors(machine, sequence):
    """T_i - B_i of each leg and R GT_i, from the paper's own kinematics (4)-(6)."""
    R = rotation(ca.vertcat(0, 0, 0, euler_quaternion(sequence, X[3:6])))
    arms = [R @ leg.platform for leg in machine.legs]
    return [X[0:3] + a - leg.base for a, leg in zip(arms, machine.legs, strict=True)], arms


@pytest.mark.parametrize("sequence", ["YXZ", "ZYX"])
def test_both_are_equal_to_each_other_and_to_ours(sequence):
    """J_A (13): dL/dX. J_B (16): [uᵀ, (R GT x u)ᵀ] diag(1, E), with the corrected E of (19)."""
    machine = random_machine(np.random.default_rng(0))
    legs, arms = leg_vectors(machine, sequence)
    lengths = ca.vertcat(*(ca.norm_2(leg) for leg in legs))
    J_A = ca.jacobian(lengths, X)
    lines = [ca.horzcat((l / n).T, ca.cross(a, l / n).T)
             for l, a, n in zip(legs, arms, ca.vertsplit(lengths), strict=True)]  # fmt: skip
    E = euler_rate_matrix(sequence, X[3:6])
    J_B = ca.vertcat(*lines) @ ca.diagcat(ca.DM.eye(3), E)
    home = ca.DM([0, 0, 1.3, 1, 0, 0, 0])
    of = explicit.PlatformCoordinates((0, 1, 2), (0, 1, 2), tuple(range(6)), sequence, home)
    whole = as_machine(replace(machine, home=home))
    ours = explicit.jacobian(whole, of, X)
    by_twist = closure.jacobian(machine, of.pose(X)) @ explicit.twist_matrix(whole, of, X)
    f = ca.Function("f", [X], [J_A, J_B, ours, by_twist])
    for seed in range(10):
        rng = np.random.default_rng(seed)
        state = np.concatenate([[0, 0, 1.3] + 0.1 * rng.normal(size=3), 0.3 * rng.normal(size=3)])
        a, b, c, d = (np.array(x) for x in f(state))
        for other in (b, c, d):
            np.testing.assert_allclose(other, a, atol=1e-14)
