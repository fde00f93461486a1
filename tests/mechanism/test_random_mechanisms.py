"""Random machines of all kinds, geometry and masses, against Pinocchio at random states.

Equations are evaluated as they are, without the compiler, so that there can be many machines.
"""

import casadi as ca
import numpy as np
import pytest
from drawn_machines import MACHINES
from interpreted import numbers, placed
from oracles.pinocchio_mechanism import PinocchioMechanism

from gough.equations.forces import dynamics
from gough.equations.motion import kinematics
from gough.model.mechanism import analysed

SEEDS = (1,)
TOLERANCE = 1e-9
"""Of the largest number, for a machine whose equations are not badly conditioned there."""


@pytest.mark.parametrize("name", MACHINES)
def test_random_machines_are_pinocchios(name):
    for seed in SEEDS:
        mechanism = MACHINES[name](seed)
        oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(seed)
        machine, state = regular_state(mechanism, oracle, rng)
        wrench = rng.standard_normal(6)
        x, V, V_dot, w = map(ca.DM, (state.pose, state.twist, state.acceleration, wrench))
        efforts = dynamics.inverse_dynamics(machine, x, V, V_dot, w)
        pairs = {
            "efforts": (efforts, oracle.efforts(state, wrench)),
            "acceleration": (
                dynamics.forward_dynamics(machine, x, V, efforts, w),
                oracle.accelerations(state, oracle.efforts(state, wrench), wrench),
            ),
        }
        for quantity, (ours, theirs) in pairs.items():
            error = np.abs(numbers(ours).reshape(theirs.shape) - theirs).max()
            scale = max(1.0, np.abs(theirs).max())
            assert error < TOLERANCE * scale, (name, seed, quantity, error)


def regular_state(mechanism, oracle, rng):
    """Return the machine and a state on the drawing's branch, away from singularities."""
    found = analysed(mechanism).machine
    for _ in range(10):
        state = oracle.random_state(rng)
        machine = placed(found, state.pose)
        q = numbers(kinematics.inverse_kinematics(machine, ca.DM(state.pose))).ravel()
        if np.abs(q - oracle.positions(state)).max() < 1e-6 and oracle.steepness(state) < 1e3:
            return machine, state
    raise AssertionError("no regular state on the branch of the drawing")
