"""Fronts of designs that evolved first, against brute force and against fronts without it."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from pieces import BASE, in_pieces, lattice
from pymoo.indicators.hv import HV

import gough
from designs import two_aims
from gough.design import Objective
from gough.design.search import lattice as shares_of
from gough.design.search import steps_for

POINTS, GENERATIONS = 12, 20


@pytest.fixture(scope="module")
def parted():
    """A design, its front as gradients find it, and as it is found of designs that evolved."""
    design = in_pieces()
    return design, design.front(POINTS), design.front(POINTS, generations=GENERATIONS)


@pytest.fixture(scope="module")
def three():
    """The same with a third objective."""
    two = in_pieces()
    design = replace(two, objectives=[*two.objectives, Objective("condition")])
    return design, design.front(10), design.front(10, generations=GENERATIONS)


def possible(design, count):
    """Objectives of all designs of a lattice that hold all requirements."""
    judged = design.evaluate(lattice(design, count))
    return judged.objectives[(judged.slack >= 0).all(axis=1)]


def missed(front, brute):
    """How far the front is from a design of which nobody is better, at most, by its size."""
    size = np.ptp(brute[unbeaten(brute)], axis=0)
    off = (front.objectives[:, None] - brute[unbeaten(brute)]) / size
    return float(off.max(axis=-1).min(axis=0).max())


def unbeaten(costs):
    """Which of many (N, 2) nobody is better than in both."""
    order = np.lexsort(costs.T[::-1])
    least = np.minimum.accumulate(np.append(np.inf, costs[order, 1]))[:-1]
    return order[costs[order, 1] < least]


def worth(front, others):
    """The volume of what is worse than some machine of a front, up to the worst of two fronts."""
    both = np.concatenate([front.objectives, others.objectives])
    low, high = both.min(axis=0), both.max(axis=0)
    return HV(np.full(len(low), 1.1))((front.objectives - low) / (high - low))


def test_a_piece_that_no_start_reaches_is_found(parted):
    """Of four pieces gradients alone find two, and miss the longest and the better end."""
    design, alone, evolved = parted
    brute = possible(design, 100)
    assert alone.pieces.tolist() == [0, 1]
    assert missed(alone, brute) > 0.13
    assert set(evolved.pieces.tolist()) == {0, 1, 2, 3}
    assert missed(evolved, brute) < 1 / (POINTS - 1)
    middle = evolved.objectives[evolved.pieces == 1, 0]
    assert len(middle) > 4
    assert 0.45 < middle.min() < middle.max() < 0.92
    assert evolved.objectives[-1, 1] < alone.objectives[-1, 1]


@pytest.mark.parametrize("case", ["parted", "three"])
def test_machines_of_a_front_hold_and_none_is_better_in_all(case, request):
    design, _, evolved = request.getfixturevalue(case)
    costs, brute = np.array([one.costs for one in evolved]), possible(design, 60)
    assert all(one.possible for one in evolved)
    for one in costs:
        assert not ((costs <= one).all(axis=1) & (costs < one).any(axis=1)).any()
        assert not (brute < one * (1 - 1e-9)).all(axis=1).any()


@pytest.mark.parametrize(("case", "more"), [("parted", 1.2), ("three", 1.02)])
def test_a_front_of_pieces_is_better_for_evolving(case, more, request):
    _, alone, evolved = request.getfixturevalue(case)
    assert worth(evolved, alone) > more * worth(alone, evolved)


def test_a_front_of_one_piece_is_not_worse_for_evolving():
    design = two_aims()
    alone, evolved = design.front(5, starts=3), design.front(5, starts=3, generations=5)
    assert not evolved.pieces.any()
    assert worth(evolved, alone) >= worth(alone, evolved) * (1 - 1e-6)


def test_the_same_seed_finds_the_same_bits():
    first, again = (in_pieces().front(4, starts=2, generations=4, rng=7) for _ in range(2))
    assert len(first) > 2
    np.testing.assert_array_equal(again.objectives, first.objectives)


def test_another_seed_finds_the_same_pieces(parted):
    design, _, evolved = parted
    other = design.front(POINTS, starts=1, generations=GENERATIONS, rng=5)
    assert other.pieces.tolist() == evolved.pieces.tolist()
    assert other.objectives == pytest.approx(evolved.objectives, rel=1e-4)


def test_a_machine_of_the_middle_has_the_travel_that_is_told(parted):
    _, _, evolved = parted
    one = evolved[int(np.argmax(evolved.pieces == 1))]
    model, home = gough.Model(one.robot), np.array(one.robot.home)
    (corners,) = in_pieces().demands
    lengths = model.inverse_kinematics(np.concatenate([home[None], corners.pose]))
    assert one.objectives["travel"] == pytest.approx(np.ptp(lengths), rel=1e-12)
    assert one.objectives[BASE] == one.variables[BASE]


def test_generations_without_pymoo_are_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymoo.core.problem", None)
    with pytest.raises(gough.GoughError, match=r"need the package pymoo; expected .*pip install"):
        two_aims().front(3, starts=1, generations=1)


@pytest.mark.parametrize(("count", "points", "size"), [(2, 15, 15), (3, 91, 91), (4, 100, 120)])
def test_shares_are_spread_evenly(count, points, size):
    shares = shares_of(count, steps_for(count, points))
    assert shares.shape == (size, count)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert len(np.unique(shares, axis=0)) == size
