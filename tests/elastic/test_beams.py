"""Beams of finite elements: closed forms, orders of convergence, and what a reduction keeps."""

import numpy as np
import pytest
from scipy.linalg import eigh

from gough.elastic.flexible.beam import (
    BeamStiffness,
    FlexibleLink,
    assembled,
    of_elements,
    reduced,
    spread,
)
from gough.errors import GoughError, RobotError
from gough.model.mechanism.numbers.mass import Mass

L, MASS, EI, EA, GJ = 0.8, 1.3, 200.0, 3e5, 90.0
BEAM = BeamStiffness((EI, None), side=(0, 1, 0))
Y, RZ = 1, 5


def uniform(radius=0.0):
    return Mass(
        MASS, np.array([MASS * L / 2, 0, 0]), MASS * np.diag([L**2 / 3, radius**2, radius**2])
    )


def frequencies(beam, elements, body=None, held=()):
    """Angular frequencies [rad/s] without rigid motions, with some nodal displacements held."""
    points = spread("bar", body or uniform(), L, of_elements(L, elements))
    K, M = assembled(beam, L, elements), points.mass_matrix
    moving = [6 * node + k for node in range(elements + 1) for k in beam.compliant_directions]
    free = np.array([k for k in moving if k not in held])
    squares = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True)
    return np.sqrt(squares[squares > 1e-13 * squares.max()])


def bending(roots):
    """ω = λ² √(E I / μ L⁴)."""
    return np.array(roots) ** 2 * np.sqrt(EI * L / MASS) / L**2


CANTILEVER = bending([1.8751040687119611, 4.694091132974175, 7.854757438237613])
FREE = bending([4.730040744862704, 7.853204624095838, 10.995607838001671])
PINNED = bending([np.pi, 2 * np.pi, 3 * np.pi])


@pytest.mark.parametrize(
    ("held", "exact"),
    [
        (lambda n: (Y, RZ), CANTILEVER),
        (lambda n: (), FREE),
        (lambda n: (Y, 6 * n + Y), PINNED),
        (lambda n: (Y, RZ, 6 * n + Y, 6 * n + RZ), FREE),
    ],
    ids=["cantilever", "free", "pinned", "clamped"],
)
def test_bending_frequencies_converge_at_fourth_order(held, exact):
    errors = [frequencies(BEAM, n, held=held(n))[:3] / exact - 1 for n in (12, 24)]
    assert (errors[0] > 0).all()  # displacements that are restrained make a beam stiffer
    assert errors[0][0] < 2e-5
    assert np.log2(errors[0] / errors[1]) == pytest.approx([4, 4, 4], abs=0.1)


@pytest.mark.parametrize(
    ("beam", "first", "stiffness"),
    [
        (BeamStiffness(axial=EA), 0, EA / MASS * L),
        (BeamStiffness(torsion=GJ), 3, GJ / (MASS / L * 2 * 0.02**2)),
    ],
    ids=["axial", "torsion"],
)
def test_waves_along_a_clamped_bar_converge_at_second_order(beam, first, stiffness):
    exact = np.pi * np.array([0.5, 1.5, 2.5]) / L * np.sqrt(stiffness)
    body = uniform(0.02)
    errors = [frequencies(beam, n, body, held=(first,))[:3] / exact - 1 for n in (16, 32)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx([2, 2, 2], abs=0.1)


def test_sections_turn_as_in_rayleighs_beam():
    radius = 0.05
    k = np.pi * np.arange(1, 4) / L
    exact = PINNED / np.sqrt(1 + (radius * k) ** 2)
    n = 32
    found = frequencies(BEAM, n, uniform(radius), held=(Y, 6 * n + Y))[:3]
    assert found == pytest.approx(exact, rel=1e-5)


def test_all_modes_are_the_whole_beam_and_few_are_nearly_its_lowest():
    exact = frequencies(BEAM, 8, held=(Y, RZ))
    whole = reduced("bar", FlexibleLink(BEAM, 14, 8), uniform(), L)
    found = np.sqrt(eigh(whole.stiffness, whole.points.mass_matrix, eigvals_only=True))
    assert found == pytest.approx(exact, rel=1e-9)
    errors = []
    for modes in (0, 1, 2, 3):
        few = reduced("bar", FlexibleLink(BEAM, modes, 8), uniform(), L)
        squares = eigh(few.stiffness, few.points.mass_matrix, eigvals_only=True)
        errors.append(np.sqrt(squares[0]) / exact[0] - 1)
    assert errors[0] < 5e-3
    assert 0 < errors[3] < 2e-5
    assert (np.diff(errors) < 0).all()


def test_points_have_the_bodys_mass_properties():
    sigma = np.diag([0.07, 0.002, 0.0005])
    body = Mass(0.4, np.array([0.14, 0, 0]), sigma)
    points = spread("bar", body, L, of_elements(L, 3))
    assert (points.masses > 0).all()
    assert points.masses.sum() == pytest.approx(0.4)
    assert points.masses @ points.places == pytest.approx(body.ms)
    assert points.places.T * points.masses @ points.places == pytest.approx(sigma)


def test_a_tip_bends_as_the_tables_say():
    bar = reduced("bar", FlexibleLink(BEAM, 2, 5), uniform(), L)
    tip = np.linalg.solve(bar.stiffness, [1.0, 0.0, 0.0, 0.0])
    assert tip == pytest.approx([L**3 / (3 * EI), L**2 / (2 * EI), 0, 0])
    tip = np.linalg.solve(bar.stiffness, [0.0, 1.0, 0.0, 0.0])
    assert tip == pytest.approx([L**2 / (2 * EI), L / EI, 0, 0])


def test_a_tube_has_the_stiffness_of_its_section():
    tube = BeamStiffness.tube(young=7e10, shear=2.6e10, outer=0.02, inner=0.018)
    area, second = np.pi * (0.02**2 - 0.018**2), np.pi / 4 * (0.02**4 - 0.018**4)
    assert tube.axial == pytest.approx(7e10 * area)
    assert tube.planes == pytest.approx((7e10 * second, 7e10 * second))
    assert tube.torsion == pytest.approx(2.6e10 * 2 * second)


def test_modes_of_one_frequency_in_two_planes_are_not_parted():
    """A round bar that kept one of a pair would be stiffer in one plane, whichever that is."""
    round_bar, body = BeamStiffness(EI, EA, GJ), uniform(0.01)
    for modes in (1, 3):
        with pytest.raises(RobotError) as caught:
            reduced("bar", FlexibleLink(round_bar, modes, 8), body, L)
        assert (caught.value.key, caught.value.value) == ("bar.beam.modes", modes)
        assert caught.value.expected == f"{modes - 1} or {modes + 1}"
    kept = reduced("bar", FlexibleLink(round_bar, 2, 8), body, L)
    squares = eigh(kept.stiffness, kept.points.mass_matrix, eigvals_only=True)
    assert squares[0] == pytest.approx(squares[1], rel=1e-9)
    assert len(reduced("bar", FlexibleLink(BEAM, 1, 8), uniform(), L).names) == 3


def test_bad_beams_are_refused():
    with pytest.raises(GoughError, match="expected positive numbers"):
        BeamStiffness(-1.0)
    with pytest.raises(GoughError, match="one at least"):
        BeamStiffness()
    with pytest.raises(GoughError, match="expected a side"):
        BeamStiffness((1.0, 2.0))
    with pytest.raises(GoughError, match="along its line"):
        BeamStiffness((1.0, 2.0), side=(1, 0, 0)).axes(np.array([2.0, 0, 0]))
    with pytest.raises(GoughError, match="inner < outer"):
        BeamStiffness.tube(7e10, 2.6e10, 0.01, 0.02)
    with pytest.raises(GoughError, match="at most 6"):
        reduced("bar", FlexibleLink(BEAM, 7, 4), uniform(), L)
    lump = Mass(1.0, np.array([L, 0, 0]), np.diag([L**2, 0, 0]))
    with pytest.raises(RobotError) as refused:
        spread("bar", lump, L, of_elements(L, 4))
    assert refused.value.key == "bar"
    assert refused.value.value.startswith("mass centre at 1 of the line")
    aside = Mass(1.0, np.array([L / 2, 0.1, 0]), np.diag([L**2 / 3, 0.01, 0]))
    with pytest.raises(RobotError) as refused:
        spread("bar", aside, L, of_elements(L, 4))
    assert refused.value.key == "bar"
    assert refused.value.expected.startswith("a straight link")
    with pytest.raises(RobotError) as refused:
        spread("bar", Mass(0.0, np.zeros(3), np.zeros((3, 3))), L, of_elements(L, 4))
    assert (refused.value.key, refused.value.expected) == ("bar", "a mass > 0")
    with pytest.raises(RobotError) as refused:
        reduced("bar", FlexibleLink(BeamStiffness(torsion=GJ), 1, 4), uniform(), L)
    assert refused.value.key == "bar"
    assert refused.value.expected.startswith("an inertia about the line")


def test_a_beam_of_segments_converges_at_second_order():
    """With springs in the middle of equal parts the tip has 1 - 1/4n² of the compliance."""
    errors = []
    for n in (4, 8, 16):
        bar = reduced("bar", FlexibleLink(BEAM, segments=n), uniform(), L)
        tip = np.linalg.solve(bar.stiffness, np.eye(len(bar.stiffness))[0])
        assert tip[0] == pytest.approx(L**3 / (3 * EI) * (1 - 1 / (4 * n**2)))
        squares = eigh(bar.stiffness, bar.points.mass_matrix, eigvals_only=True)
        errors.append(np.sqrt(squares[:2]) / CANTILEVER[:2] - 1)
    assert np.abs(errors[2]).max() < 4e-3
    assert np.log2(np.divide(errors[1], errors[2])) == pytest.approx([2, 2], abs=0.1)


def test_two_segments_on_springs_are_those_of_a_textbook():
    """Two bars on hinges with springs: Lagrange's equations by hand, in angles from each other."""
    k, mu = EI / (L / 2), MASS / L
    arms = np.array([0.25, 0.75]) * L
    x = (np.arange(4000) + 0.5) / 4000 * L
    moved = np.maximum(x[:, None] - arms, 0)
    M, K = moved.T @ moved * mu * L / 4000, np.diag([k, k])
    bar = reduced("bar", FlexibleLink(BEAM, segments=2), uniform(), L)
    found = eigh(bar.stiffness, bar.points.mass_matrix, eigvals_only=True)
    assert found == pytest.approx(eigh(K, M, eigvals_only=True), rel=1e-5)
    assert bar.end[[Y, RZ]] == pytest.approx(np.eye(2), abs=1e-12)


def test_segments_stretch_and_twist_too():
    beam = BeamStiffness(EI, EA, GJ)
    bar = reduced("bar", FlexibleLink(beam, segments=3), uniform(0.02), L)
    assert len(bar.names) == 12
    compliance = np.linalg.inv(bar.stiffness)
    assert np.diag(compliance)[[0, 3]] == pytest.approx([L / EA, L / GJ])
    points = bar.points
    assert points.masses @ points.places == pytest.approx(uniform().ms)


@pytest.mark.parametrize("segments", [1, 0, -2])
def test_too_few_segments_are_refused(segments):
    with pytest.raises(RobotError, match=r"bar\.beam\.segments: too few"):
        reduced("bar", FlexibleLink(BEAM, segments=segments), uniform(), L)
