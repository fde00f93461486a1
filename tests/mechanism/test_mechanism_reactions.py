"""Reactions of all joints against the balance of all bodies, overconstrained machines too."""

import numpy as np
import pytest
from drawn_machines import MACHINES, turned
from mechanism_kernels import kernels
from oracles.dense_balance import dense_balance
from oracles.pinocchio_mechanism import PinocchioMechanism

TOLERANCE = 1e-9


class Case:
    """A machine in motion, with its reactions by our equations and by the balance of all bodies."""

    def __init__(self, name):
        mechanism = MACHINES[name](0)
        self.mechanism = turned(mechanism, 4) if name in ("3-RRR", "agile eye") else mechanism
        self.k, self.oracle = kernels(self.mechanism), PinocchioMechanism(self.mechanism)
        rng = np.random.default_rng(7)
        self.state, wrench = self.oracle.random_state(rng), rng.standard_normal(6)
        s = self.state
        self.effort = self.oracle.efforts(s, wrench)
        self.force, self.moment = self.k.reactions(s.pose, s.twist, s.acceleration, wrench)
        self.balance = dense_balance(self.oracle, s, wrench, self.effort)

    def in_joint_axes(self, vectors):
        """Vectors (joints, 3, ...) of base axes in the axes of their joints."""
        rows = []
        for row, vector in zip(self.k.analysis.reactions, vectors, strict=True):
            rows.append(row.axes @ self.oracle.turn(self.state, row.body).T @ vector)
        return np.array(rows)


@pytest.fixture(scope="module", params=MACHINES)
def case(request):
    return Case(request.param)


def test_all_bodies_are_in_balance(case):
    assert case.balance.residual < 1e-10


def test_known_reactions_are_those_of_the_balance_and_others_are_nan(case):
    known = np.array([row.known for row in case.k.analysis.reactions])
    ours = np.hstack([case.force, case.moment])
    halves = (case.in_joint_axes(half) for half in (case.balance.force, case.balance.moment))
    theirs = np.hstack(list(halves))
    scale = max(1.0, np.abs(theirs).max())
    assert np.isnan(ours[~known]).all()
    assert np.abs(ours - theirs)[known].max() <= TOLERANCE * scale


def test_what_is_known_is_what_no_other_solution_changes(case):
    known = np.array([row.known for row in case.k.analysis.reactions])
    unfelt = case.balance.unfelt
    changed = [case.in_joint_axes(half) for half in (unfelt[:, :3], unfelt[:, 3:])]
    sizes = np.abs(np.hstack(changed)).max(axis=2, initial=0.0)
    np.testing.assert_array_equal(sizes < 1e-8, known)


def test_the_axis_carries_the_motors_effort_and_nothing_else(case):
    efforts = dict(zip((j.name for j in case.mechanism.driven), case.effort, strict=True))
    for k, joint in enumerate(case.mechanism.joints):
        along = {"R": case.moment, "P": case.force}.get(joint.type)
        if along is not None:
            np.testing.assert_allclose(along[k, 0], efforts.get(joint.name, 0.0), atol=1e-9)
