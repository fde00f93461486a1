"""The change of a margin's sign is found to the same nearness, however the margin behaves."""

import numpy as np
import pytest

from gough.kinematics.workspace.rays import around_change

PLACES = np.linspace(0.013, 0.987, 40)
MARGINS = {
    "straight": lambda x: -x,
    "bent": lambda x: np.where(x < 0, -x, -1e-3 * x),
    "steep at its end": lambda x: -np.cbrt(x),
    "flat at its end": lambda x: -(x**5),
    "leaping": lambda x: np.where(x <= 0, 1e6, -1e-6),
    "zero for a while": lambda x: np.where(x <= 0, 0.0, -x),
    "without bounds": lambda x: np.where(x <= 0, np.inf, -1.0),
}


def found_around(margin, sign=1.0, halvings=40):
    looks = np.zeros(len(PLACES), int)

    def counted(some, at):
        looks[some] += 1
        return margin(sign * (at / 3 - 1 - PLACES[some]))

    start, end = np.full(len(PLACES), 3.0), np.full(len(PLACES), 6.0)
    margins = margin(-sign * PLACES), margin(sign * (1 - PLACES))
    before, behind = around_change(counted, (start, end), margins, halvings)
    return before / 3 - 1, behind / 3 - 1, looks


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", MARGINS)
def test_a_change_is_between_what_is_found_after_no_more_looks_than_halving_takes(name, sign):
    before, behind, looks = found_around(MARGINS[name], sign)
    assert (before <= PLACES + 1e-15).all()
    assert (behind >= PLACES - 1e-15).all()
    assert (behind - before <= 1e-12).all()
    assert looks.max() <= 41


def test_the_change_of_a_smooth_margin_takes_few_looks():
    before, behind, looks = found_around(lambda x: -np.sin(x) - x**2 / 3)
    np.testing.assert_allclose((before + behind) / 2, PLACES, atol=1e-12)
    assert looks.max() <= 12
