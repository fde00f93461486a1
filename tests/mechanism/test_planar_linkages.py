"""Random six-bars and eight-bars against bodies in a plane whose hinges are all rows.

GOUGH_FUZZ says how many of each kind there are: 50 take some six minutes.
"""

from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest
from drawn_machines import five_bar
from fuzz.share import cases
from interpreted import numbers, placed
from oracles.planar_bodies import PlanarBodies
from planar_linkages import LINKAGES, linkage

from gough.equations.forces import dynamics
from gough.equations.motion import kinematics
from gough.errors import RobotError
from gough.model.mechanism import analysed
from gough.model.mechanism.decisions.closed_forms import _rates
from gough.model.mechanism.decisions.freedoms import refuse_other_motions
from gough.model.mechanism.decisions.plans import independent_rows
from gough.model.mechanism.decisions.samples import row_function

FIRST = {
    "Watt I": 5,
    "Watt II": 8,
    "Stephenson I": 16,
    "Stephenson III": 13,
    "Stephenson II and a dyad": 11,
    "Stephenson III and a dyad": 11,
    "four-bar and a triad": 3,
}
"""Seeds of linkages whose rows are dependent at each state where stacked states hide it."""
FAR = 0.05
"""How far from home the other state is [rad, m]."""
TOLERANCE = 1e-8


@pytest.mark.parametrize("kind", LINKAGES)
def test_linkages_move_and_weigh_as_bodies_held_by_all_their_hinges(kind):
    for seed, _ in cases(1, FIRST.get(kind, 0)):
        mechanism, rng = linkage(kind, seed), np.random.default_rng(seed)
        oracle, found = PlanarBodies(mechanism), analysed(mechanism)
        states = (oracle.closed(far) for far in (0.0, FAR, -FAR))
        pairs = ((placed(found.machine, oracle.pose(places)), places) for places in states)
        alike = list(
            islice((p for p in pairs if stand_alike(*p, oracle, found.structure.joints)), 2)
        )
        assert len(alike) == 2, (kind, seed)
        for machine, places in alike:
            for quantity, error in errors(machine, oracle, places, rng).items():
                assert error < TOLERANCE, (kind, seed, quantity, error)


def stand_alike(machine, places, oracle, joints):
    """Whether all hinges stand alike: at a dead centre of a loop the platform turns back."""
    rest = ca.DM.zeros(6)
    q, _, _ = kinematics.all_joints(machine, ca.DM(oracle.pose(places)), rest, rest)
    angles = oracle.angles(places)
    return np.abs(numbers(q).ravel() - [angles[name] for name in joints]).max() < 1e-6


def errors(machine, oracle, places, rng):
    """By quantity, how far both are apart, beside the largest number or one."""
    speed, acceleration, effort = rng.standard_normal(3)
    push = rng.standard_normal(3)
    x, V = ca.DM(oracle.pose(places)), oracle.seen(places) @ oracle.twists(places)
    moving, steady = (oracle.moving(places, speed, a) for a in (acceleration, 0.0))
    inertia, rate = oracle.inertia(places), oracle.motor_rate(places)
    pushed = (effort * rate - oracle.needed(steady, push)) / inertia
    twist, wrench = six(speed * V), six(push)
    given = six(oracle.platform_acceleration(*moving))
    efforts = dynamics.inverse_dynamics(machine, x, twist, given, wrench)
    accelerations = dynamics.forward_dynamics(machine, x, twist, ca.DM(effort), wrench)
    pairs = {
        "twist basis": (kinematics.twist_basis(machine, x), six(V)),
        "effort": (efforts, oracle.needed(moving, push) / rate),
        "mass matrix": (dynamics.mass_matrix(machine, x), inertia),
        "bias": (dynamics.bias(machine, x, twist), oracle.needed(steady, np.zeros(3))),
        "acceleration": (
            accelerations,
            six(oracle.platform_acceleration(*oracle.moving(places, speed, pushed))),
        ),
    }
    return {name: apart(numbers(ours), numbers(theirs)) for name, (ours, theirs) in pairs.items()}


def apart(ours, theirs):
    return np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max())


def six(planar):
    """A twist or a wrench of x, y and about z."""
    x, y, about = planar
    return ca.DM([x, y, 0.0, 0.0, 0.0, about])


def test_rows_that_depend_on_each_other_at_each_state_are_not_chosen_together():
    """The third is a mixture of the first two, at each state another one."""
    first, second = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    mixtures = [[0.9, 0.3, 0.0], [0.3, 0.9, 0.0], [-0.6, 0.7, 0.0]]
    states = [np.array([first, second, mixed, [0.0, 0.0, 0.01]]) for mixed in mixtures]
    chosen = independent_rows(states)
    assert len(chosen) == 3
    assert min(np.linalg.svd(rows[chosen], compute_uv=False).min() for rows in states) > 1e-3


def test_states_at_which_all_rows_see_less_do_not_spoil_the_choice():
    regular, singular = np.eye(2), np.array([[0.0, 0.0], [0.0, 1.0]])
    assert independent_rows([regular, singular]) == [0, 1]


def test_rows_of_which_none_is_good_at_all_states_are_fewer():
    assert independent_rows([np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])]) == []


def test_machines_whose_rows_leave_other_motions_than_all_rows_are_refused():
    """Rows that are dependent at each state: of both legs those that turn the platform."""
    found = analysed(linkage("Stephenson III", 13))
    pairs = zip(found.machine.legs, [(7, 9), (0, 2, 3)], strict=True)
    legs = tuple(replace(leg, plan=replace(leg.plan, left=rows)) for leg, rows in pairs)
    states = [found.decided.home, *found.decided.samples]
    refuse_other_motions(found.machine, states)
    with pytest.raises(RobotError) as refused:
        refuse_other_motions(replace(found.machine, legs=legs), states)
    assert refused.value.key == "platform.home"
    assert "other motions than all rows" in refused.value.problem


def test_rates_of_joints_are_seen_where_a_joint_turns():
    """The last configuration has it where it was; one that never turns has no rates."""
    seen = [SimpleNamespace(positions=np.array(q)) for q in ([0, 0], [0.3, -0.3], [0, 0])]
    assert _rates(seen, 0, (1,)) == [-1.0]
    assert _rates(seen[::2], 0, (1,)) is None


def test_rows_ask_for_a_position_of_each_joint():
    leg = analysed(five_bar(0)).machine.legs[1]
    assert len(leg.joints) == 2
    with pytest.raises(ValueError, match="size 1 into shape"):
        row_function(leg)(np.zeros(1), np.zeros(3), np.eye(3))
