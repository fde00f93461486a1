"""The units that are known without pint have the sizes that pint gives them."""

from decimal import Decimal

import pint
import pytest

from gough.fields.units import ANGLE, DEGREES, LENGTH, SIZES, to_si, usual_unit

PINT = pint.LazyRegistry(kwargs={"non_int_type": Decimal})

COMPOUND = (
    "N m", "N*m/rad", "kN m/rad", "N/um", "N s/m", "m/s^2", "m s**-2", "mm/s", "kg m^2", "deg/s",
    "mN m/A", "V s/rad", "N/mm^2", "1/s", "m/rad", "N m s/rad", "rad s/ms", "mm·kg", "MPa mm^2",
)  # fmt: skip


@pytest.mark.parametrize("unit", [*SIZES, *DEGREES, *COMPOUND])
def test_a_usual_unit_is_what_pint_says(unit):
    size, powers = usual_unit(unit)
    factor, base = PINT.get_base_units(PINT.parse_units(unit.replace("·", "*")))
    assert Decimal(str(factor)) == size
    expected = PINT.parse_units(" * ".join(f"{name}**{power}" for name, power in powers.items()))
    assert base == expected


@pytest.mark.parametrize(
    "unit", ["ft", "lb ft^2", "rpm", "N m/deg", "deg^2", "m²", "x", "m-m", "2"]
)
def test_others_are_left_to_pint(unit):
    assert usual_unit(unit) is None


def test_quantities_in_usual_units_are_read_to_the_last_digit():
    assert to_si("763 mm", LENGTH) == 0.763
    assert to_si("180 deg", ANGLE) == 3.141592653589793
