"""Numbers in tables: true to their digits, 0 where only rounding is left, no needless powers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gough.digits import ROUNDING, decimal_text, short_decimal, with_error

DIGITS = st.integers(1, 9)
ORDINARY = st.floats(1e-4, 9e5) | st.floats(-9e5, -1e-4)


@given(st.floats(-1e300, 1e300), DIGITS)
def test_the_text_is_the_number_to_its_digits(value: float, digits: int) -> None:
    shown = float(decimal_text(value, digits))
    assert shown == pytest.approx(value, rel=0.5001 * 10 ** (1 - digits), abs=ROUNDING)
    assert float(short_decimal(value, digits)) == shown


@given(ORDINARY, DIGITS)
def test_ordinary_sizes_are_written_out(value: float, digits: int) -> None:
    assert "e" not in decimal_text(value, digits)


@given(st.floats(1e6, 1e300), DIGITS)
def test_whole_digits_are_kept_below_a_million(value: float, digits: int) -> None:
    scaled = value % 999_999
    whole = decimal_text(scaled, digits).partition(".")[0]
    assert abs(float(whole) - scaled) <= 1.0


@given(st.floats(-1e-13, 1e-13), DIGITS)
def test_what_rounding_leaves_is_zero_without_a_sign(value: float, digits: int) -> None:
    assert decimal_text(value, digits) == short_decimal(value, digits) == "0"


@pytest.mark.parametrize(
    ("value", "text"),
    [(30000.0, "30000"), (-2.2e-14, "0"), (2.5, "2.5"), (100.0, "100"), (1.2e-5, "1.2e-5"),
     (999.96, "1000"), (123456.7, "123457"), (3.0e7, "3e7"), (float("inf"), "inf")],
)  # fmt: skip
def test_known_numbers(value: float, text: str) -> None:
    assert short_decimal(value) == text


@given(st.floats(-1e5, 1e5), st.floats(1e-9, 1e3))
def test_an_error_is_told_without_a_power_of_ten(value: float, error: float) -> None:
    shown, apart = with_error(value, error).split(" ± ")
    assert shown == short_decimal(value, 5)
    assert "e" not in apart
    assert float(apart) == pytest.approx(error, rel=0.51)
