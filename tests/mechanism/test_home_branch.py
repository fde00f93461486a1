"""Kernels know one branch: that of home. Elsewhere they have no number, and say why."""

import numpy as np
import pinocchio as pin
import pytest
from changing_machines import PLATFORMS, two_parallelograms
from drawn_machines import MACHINES, UP, Drawer
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.errors import SingularConfiguration
from gough.model.mechanism import analysed

REST = np.zeros((3, 6))
STEP = 0.05
NEAR = 0.4
"""A share of the smallest singular value at home: below it joints hardly follow the platform."""


def walk(oracle, rng, steps):
    """Closed states on one smooth way from home, by the oracle's own loops."""
    q, zero = pin.neutral(oracle.model), np.zeros(oracle.model.nv)
    N = oracle.moves(q)
    way = N @ rng.standard_normal(N.shape[1])
    for _ in range(steps):
        N = oracle.moves(q)
        way = N @ (N.T @ way)
        q = pin.integrate(oracle.model, q, STEP * way / np.abs(way).max())
        for _ in range(4):
            J, gaps, _ = oracle._rows(q, zero, zero)
            q = pin.integrate(oracle.model, q, -np.linalg.lstsq(J, gaps, rcond=1e-9)[0])
        yield oracle._state(q, zero, zero)


def held(oracle, q):
    """How well joints follow: the smallest singular value of the loops with the platform held."""
    zero = np.zeros(oracle.model.nv)
    J = np.vstack([oracle._rows(q, zero, zero)[0], oracle._platform_jacobian(q)])
    return np.linalg.svd(J, compute_uv=False)[-1]


def is_right(model, oracle, state):
    found = model.inverse_dynamics(state.pose, *REST)
    known = oracle.efforts(state, np.zeros(6))
    return np.abs(found - known).max() < 1e-6 * (1 + np.abs(known).max())


NAMES = ["four-bar", "3-RPR", "agile eye", "tricept", "delta, ball-ended rods"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_answered_on_the_branch_of_home_is_true_there(name):
    mechanism = MACHINES[name](1)
    model, oracle = gough.Model(mechanism), PinocchioMechanism(mechanism)
    rng, answered = np.random.default_rng(0), 0
    least = NEAR * held(oracle, pin.neutral(oracle.model))
    for _ in range(5):
        for state in walk(oracle, rng, 30):
            if held(oracle, state.q) < least:
                break
            if model.is_singular(state.pose) == 0:
                answered += 1
                assert is_right(model, oracle, state)
    assert answered > 20


@pytest.mark.parametrize("platform", PLATFORMS)
def test_beyond_a_change_point_nothing_is_answered_that_is_not_true(platform):
    mechanism = two_parallelograms(platform)
    model, oracle = gough.Model(mechanism), PinocchioMechanism(mechanism)
    answered = 0
    for seed in (0, 1):
        for state in walk(oracle, np.random.default_rng(seed), 70):
            known = np.isfinite(model.inverse_dynamics(state.pose, *REST)).all()
            assert known == np.isfinite(model.inverse_kinematics(state.pose)).all()
            if model.is_singular(state.pose) == 0:
                answered += 1
                assert is_right(model, oracle, state)
    assert answered > 30


def test_a_parallelogram_driven_through_its_rocker_is_known_for_half_a_turn():
    low, high = analysed(two_parallelograms("r1")).machine.freedom.on_branch
    assert (low, high) == pytest.approx((-1.0, np.pi - 1.0), abs=2e-4)


@pytest.mark.parametrize("platform", ["first", "second"])
def test_a_coupler_whose_loops_stay_open_has_no_number(platform):
    mechanism = two_parallelograms(platform)
    model, home = gough.Model(mechanism), np.array(mechanism.home)
    for turned in (1e-3, 0.3):
        pose = gough.pose(home[:3], rpy=[0, 0, turned])
        assert model.is_singular(pose) == 1
        assert np.isnan(model.inverse_kinematics(pose)).all()
        with pytest.raises(SingularConfiguration, match="loops of the machine do not close"):
            model.checked_inverse_dynamics(pose)


def test_an_error_says_that_a_change_point_lies_between():
    model = gough.Model(two_parallelograms("r1"))
    angle = -0.5
    place = [1 + 0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.0]
    with pytest.raises(SingularConfiguration, match="a change point lies between home and it"):
        model.checked_inverse_dynamics(gough.pose(place, rpy=[0, 0, angle - 1.0]))


def test_numbers_that_move_a_change_point_are_no_parameters():
    machine = two_parallelograms("r1")
    names = [f"joints[*].at.{axis}" for axis in "xy"]
    with pytest.raises(gough.GoughError, match="it has other change points"):
        gough.Model(machine, parametric=names).inverse_kinematics  # noqa: B018


def rocker(head, elbow):
    """A four-bar whose platform is its second rocker; no coordinate of a joint is zero."""
    d, foot = Drawer(0), np.array([0.2, 0.3, 0.1])
    a, b, c, e = (foot + (x, y, 0.0) for x, y in ((0.0, 0.0), head, elbow, (0.45, 0.0)))
    crank, rod = d.body("crank", a, b), d.body("rod", b, c)
    d.joint("A", "R", ("base", crank), a, UP, driven=True)
    d.joint("B", "R", (crank, rod), b, UP)
    d.joint("C", "R", (rod, "platform"), c, UP)
    d.joint("D", "R", ("platform", "base"), e, UP)
    return d.machine("four-bar", ("rz",), e)


def test_branches_of_a_family_have_no_change_points_that_move():
    places = ["joints[*].at", "platform.home.position"]
    parallelogram = rocker((0.0, 0.25), (0.45, 0.25))  # any size has the same angles
    with pytest.raises(gough.GoughError, match="change points of its branches change"):
        gough.Model(parallelogram, parametric=places, branch=True).machines  # noqa: B018


def test_a_dead_centre_is_no_change_point():
    for head in ((0.115, 0.25), (0.112, 0.262)):
        assert analysed(rocker(head, (0.5, 0.35))).machine.freedom.on_branch is None
