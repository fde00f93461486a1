"""Whether leg lengths can belong to one pose: conditions that are necessary, not sufficient."""

from __future__ import annotations

from functools import reduce
from itertools import combinations

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, norm


def lengths_possible(machine: Machine, q: Value, slack: Value) -> Value:
    """Whether no length is negative and no two contradict each other by more than `slack` [m].

    Legs i and j, with distances a of their base joints and b of their platform joints, close a
    quadrangle: none of its sides qᵢ, qⱼ, a, b is longer than the other three together. False for
    what is not a number.
    """
    legs = machine.legs
    tests = [q[i] >= 0 for i in range(len(legs))]
    for i, j in combinations(range(len(legs)), 2):
        a = norm(legs[i].base - legs[j].base)
        b = norm(legs[i].platform - legs[j].platform)
        tests.append(ca.fabs(q[i] - q[j]) <= a + b + slack)
        tests.append(q[i] + q[j] >= ca.fabs(a - b) - slack)
    return reduce(ca.logic_and, tests)
