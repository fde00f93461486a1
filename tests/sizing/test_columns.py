"""Screws as columns: textbook loads and speeds, and those of beam elements."""

from math import pi, sqrt

import numpy as np
import pytest
from scipy.linalg import eigh

from gough.sizing import buckling_load, critical_speed
from gough.sizing.criteria import EFFECTIVE_LENGTH

E, RHO, D, L = 2.06e11, 7850.0, 0.02, 0.8
COUNT = 30


def stiffness_and_mass(fixity, count=COUNT):
    """Bending of a bar of cubic (Hermite) beam elements, free degrees of freedom alone."""
    h, inertia, area = L / count, pi * D**4 / 64, pi * D**2 / 4
    k = E * inertia / h**3 * np.array(
        [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
         [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]
    )  # fmt: skip
    g = 1 / (30 * h) * np.array(
        [[36, 3 * h, -36, 3 * h], [3 * h, 4 * h**2, -3 * h, -(h**2)],
         [-36, -3 * h, 36, -3 * h], [3 * h, -(h**2), -3 * h, 4 * h**2]]
    )  # fmt: skip
    m = RHO * area * h / 420 * np.array(
        [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
         [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]
    )  # fmt: skip
    K, G, M = (np.zeros((2 * count + 2, 2 * count + 2)) for _ in range(3))
    for n in range(count):
        at = np.ix_(range(2 * n, 2 * n + 4), range(2 * n, 2 * n + 4))
        for whole, part in ((K, k), (G, g), (M, m)):
            whole[at] += part
    held = {"fixed": (0, 1), "supported": (0,), "free": ()}
    first, last = fixity.split("-")
    taken = {*held[first], *(2 * count + j for j in held[last])}
    free = [j for j in range(2 * count + 2) if j not in taken]
    return [X[np.ix_(free, free)] for X in (K, G, M)]


@pytest.mark.parametrize("fixity", sorted(EFFECTIVE_LENGTH))
def test_loads_and_speeds_are_those_of_beam_elements(fixity):
    K, G, M = stiffness_and_mass(fixity)
    buckles = 1 / eigh(G, K, eigvals_only=True)[-1]
    whirls = sqrt(eigh(K, M, eigvals_only=True, subset_by_index=[0, 0])[0])
    load = buckling_load(np.array(L), D, E, None, fixity)
    assert float(load) == pytest.approx(buckles, rel=2e-5)
    assert float(critical_speed(np.array(L), D, E, RHO, fixity)) == pytest.approx(whirls, rel=2e-5)


def test_a_column_on_two_supports_buckles_at_eulers_load():
    inertia = pi * D**4 / 64
    load = buckling_load(np.array([L, 2 * L]), D, E, None, "supported-supported")
    np.testing.assert_allclose(load, pi**2 * E * inertia / np.array([L, 2 * L]) ** 2)


def test_a_stocky_column_bears_its_yield_and_both_curves_meet_at_half_of_it():
    strength, area = 5e8, pi * D**2 / 4
    short = buckling_load(np.array(0.0), D, E, strength, "fixed-fixed")
    assert float(short) == pytest.approx(area * strength)
    meeting = np.array(sqrt(2 * pi**2 * E / strength) * (D / 4) / EFFECTIVE_LENGTH["fixed-fixed"])
    beside = meeting * np.array([1 - 1e-9, 1, 1 + 1e-9])
    for load in buckling_load(beside, D, E, strength, "fixed-fixed"):
        assert float(load) == pytest.approx(area * strength / 2)
    lengths = np.linspace(0.01, 2 * float(meeting), 50)
    loads = buckling_load(lengths, D, E, strength, "fixed-fixed")
    assert (np.diff(loads) < 0).all()
