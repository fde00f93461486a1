"""Margins of stability of a gain that is known at all frequencies."""

import control
import numpy as np
import pytest

from gough.simulation.tuning.margins import stability_margins

OMEGA = np.geomspace(1e-3, 1e3, 500)


def resonant(seed):
    """Three lightly damped oscillators one after the other, with a gain that crosses one."""
    rng = np.random.default_rng(seed)
    s, gain = control.tf("s"), 3.0
    for natural in rng.uniform(0.1, 100.0, 3):
        gain = gain / ((s / natural) ** 2 + 2 * rng.uniform(0.05, 0.5) * s / natural + 1)
    return gain


@pytest.mark.parametrize("seed", range(4))
def test_margins_are_those_of_python_control(seed):
    gain = resonant(seed)
    gains, phases, _, _, crossings, _ = control.stability_margins(gain, returnall=True)
    assert len(gains)
    assert len(crossings)
    found = stability_margins(lambda omega: gain(1j * omega), OMEGA)
    for ours, theirs in zip(found, (gains, np.radians(phases), crossings), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8)


def test_margins_of_a_third_order_lag_are_those_of_the_formula():
    """4 / (s + 1)³ turns by half a circle at √3 rad/s, where it is 4/8; it is one at √(4^⅔ − 1)."""
    gains, phases, crossings = stability_margins(lambda omega: 4 / (1j * omega + 1) ** 3, OMEGA)
    at = np.sqrt(4 ** (2 / 3) - 1)
    assert gains == pytest.approx([2.0], rel=1e-12)
    assert crossings == pytest.approx([at], rel=1e-12)
    assert phases == pytest.approx([np.pi - 3 * np.arctan(at)], rel=1e-12)


def test_a_small_gain_has_no_margins():
    gains, phases, crossings = stability_margins(lambda omega: 0.5 / (1j * omega + 1), OMEGA)
    assert len(gains) == len(phases) == len(crossings) == 0
