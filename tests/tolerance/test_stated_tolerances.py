"""Spreads: which numbers have errors, how large they are, and what is refused."""

import numpy as np
import pytest

import gough
from gough.tolerance.stated import stated_tolerances

DEMO = gough.load("demo-hexapod")


def test_a_pattern_means_all_numbers_of_all_it_names():
    stated = stated_tolerances(DEMO, {"legs[*].base": "50 um", "platform.mass": 0.1})
    assert len(stated.places) == 19
    assert stated.names[0] == "platform.mass"
    assert stated.joints[-1] == "legs[5].base"
    assert stated.deviation.tolist() == [0.1] + [5e-5] * 18


def test_the_last_pattern_counts():
    stated = stated_tolerances(DEMO, {"legs[*].base": "50 um", "legs[2].base.x": "1 mm"})
    sizes = dict(zip(stated.names, stated.deviation, strict=True))
    assert (sizes["legs[2].base.x"], sizes["legs[2].base.y"]) == (1e-3, 5e-5)


def test_percent_are_of_the_number_itself():
    stated = stated_tolerances(DEMO, {"platform.mass": "2 %", "legs[0].base.y": "1%"})
    expected = [0.02 * DEMO.platform.mass, 0.01 * abs(DEMO.legs[0].base[1])]
    np.testing.assert_allclose(stated.deviation, expected)


@pytest.mark.parametrize("written", ["±3 mm", "+-3mm", " ± 3 mm"])
def test_a_tolerance_has_all_errors_within_alike(written):
    stated = stated_tolerances(DEMO, {"legs[1].platform": written})
    errors = stated.errors(20_000, 1)
    assert np.abs(errors).max() <= 3e-3
    assert stated.deviation[0] == pytest.approx(3e-3 / np.sqrt(3))
    np.testing.assert_allclose(errors.std(0), stated.deviation, rtol=0.02)
    middle = (np.abs(errors) < 1.5e-3).mean()
    assert middle == pytest.approx(0.5, abs=0.01)


def test_errors_are_normal_without_a_sign():
    errors = stated_tolerances(DEMO, {"legs[1].platform": "1 mm"}).errors(50_000, 2)
    assert (np.abs(errors) < 1e-3).mean() == pytest.approx(0.6827, abs=0.005)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "tolerances are {}; expected a table"),
        ("50 um", "tolerances are '50 um'; expected a table"),
        ({"legs[*].bose": 1}, r"no parameter is called 'legs\[\*\].bose'; did you mean legs"),
        ({"platform.mass": "5 mm"}, 'platform.mass: "5 mm" is a length; expected a mass'),
        ({"legs[*].base": "50"}, r'legs\[0\].base.x: "50" has no unit; expected a length'),
        ({"legs[0].base": -1e-5}, r"legs\[0\].base.x: not above 0, got -1e-05"),
        ({"platform.mass": "-1 %"}, "platform.mass: not above 0"),
        ({"platform.mass": "± lots"}, 'platform.mass: "lots" is not a number with a unit'),
        ({"gravity.x": "1 %"}, "gravity.x: 1 % of numbers that are all 0 is 0"),
        ({"legs[0].gain": None}, r"legs\[0\].gain: not a number"),
    ],
)
def test_bad_tolerances_are_refused_with_their_place(given, words):
    with pytest.raises(gough.GoughError, match=words):
        stated_tolerances(DEMO, given)


def test_a_limit_that_is_not_stated_has_no_error():
    bare = gough.load("kalani-2016")
    with pytest.raises(gough.InputError) as error:
        stated_tolerances(bare, {"legs[*].stroke": "1 mm"})
    assert error.value.key == "legs[0].stroke.shortest"
