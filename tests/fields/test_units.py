"""Text with units to SI, and its refusals."""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gough.errors import InputError
from gough.fields import units
from gough.fields.units import (
    ACCELERATION,
    ANGLE,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    NUMBER,
    SPEED,
    to_si,
)


@pytest.mark.parametrize(
    ("text", "dimension", "si"),
    [
        ("7.5 lb", MASS, 3.401942775),
        ("4 ft", LENGTH, 1.2192),
        ("-2.5e1mm", LENGTH, -0.025),
        ("30 deg", ANGLE, math.pi / 6),
        ("180°", ANGLE, math.pi),
        ("100 lbf", FORCE, 444.82216152605),
        ("2 lb ft^2", INERTIA, 0.0842802201876096),
        ("2 lb*ft**2", INERTIA, 0.0842802201876096),
        ("2 kg·m²", INERTIA, 2.0),
        ("36 km/h", SPEED, 10.0),
        ("-32.174 ft/s^2", ACCELERATION, -9.8066352),
    ],
)
def test_text_with_a_unit_becomes_si(text, dimension, si):
    assert to_si(text, dimension) == pytest.approx(si, rel=1e-15)


def test_customary_lengths_and_masses_are_exact():
    assert to_si("4 ft", LENGTH) == 1.2192
    assert to_si("1 in", LENGTH) == 0.0254
    assert to_si("1 lb", MASS) == 0.45359237


@pytest.mark.parametrize("number", [2, 2.0, np.float32(2), np.int64(2), Fraction(4, 2)])
def test_a_bare_number_is_si(number):
    value = to_si(number, LENGTH)
    assert value == 2.0
    assert type(value) is float


def test_negative_zero_becomes_zero():
    assert math.copysign(1.0, to_si(-0.0, LENGTH)) == 1.0


@pytest.mark.parametrize(
    ("value", "dimension", "message"),
    [
        ("3 kg", LENGTH, '"3 kg" is a mass; expected a length, like 0.25 or "25 cm"'),
        ("3 m", MASS, '"3 m" is a length; expected a mass'),
        ("30 deg", LENGTH, '"30 deg" is an angle; expected a length'),
        ("30 lb", FORCE, '"30 lb" is a mass; expected a force'),
        ("30 lbf", MASS, '"30 lbf" is a force; expected a mass'),
        ("30 lbf ft^2", INERTIA, '"30 lbf ft^2" is in kg'),
        ("3 percent", ANGLE, '"3 percent" is a ratio; expected an angle'),
        ("3", LENGTH, '"3" has no unit; expected a length'),
        ("3 foot-long", LENGTH, "is not a number with a unit"),
        ("3 elbows", LENGTH, 'no unit is called "elbows"'),
        ("m", LENGTH, "is not a number with a unit"),
        ("", LENGTH, "is not a number with a unit"),
        ("nan m", LENGTH, "is not a number with a unit"),
        ("0.5", NUMBER, '"0.5" is text; expected a number'),
        (True, LENGTH, "not a number, got True"),
        (None, LENGTH, "not a number"),
        ([1.0], LENGTH, "not a number, got [1.0]"),
        (1j, LENGTH, "not a number, got 1j"),
        (math.nan, LENGTH, "not finite, got nan"),
        (-math.inf, LENGTH, "not finite, got -inf"),
        ("1e999 m", LENGTH, "not finite"),
        (1e308, LENGTH, "too large, got 1e+308; expected a magnitude of at most 1e100"),
        (10**400, LENGTH, "too large"),
        pytest.param(10**5000, LENGTH, "too large", id="five thousand digits"),
    ],
)
def test_what_is_no_such_quantity_is_refused(value, dimension, message):
    with pytest.raises(InputError) as caught:
        to_si(value, dimension)
    assert message in str(caught.value)
    assert caught.value.expected


@given(st.text(max_size=12) | st.from_regex(r"[0-9]{1,3} ?[a-zµ°·²*/^ 0-9-]{1,12}", fullmatch=True))
@example("9 9**9**9")
@example("1 m^m")
@example("1 e")
@example("1 m/")
@example("1 degC/dB")
@example("0A²0J")
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(InputError):
        assert math.isfinite(to_si(text, LENGTH))


def test_threads_read_units_at_once():
    """Pint refuses to compare units of two registries."""
    units._registry.cache_clear()
    units._si_factor.cache_clear()
    texts = ["1 in", "1 ft", "1 yd", "1 furlong"]
    with ThreadPoolExecutor(len(texts)) as pool:
        found = list(pool.map(to_si, texts, [LENGTH] * len(texts)))
    assert found == [0.0254, 0.3048, 0.9144, pytest.approx(201.168, rel=1e-5)]


def test_a_robot_without_units_does_not_import_pint():
    code = (
        "import sys, gough.robot\ngough.robot.load('kalani-2016')\nsys.exit('pint' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "text",
    [
        "1 kg^0",
        "1 kg**0 m",
        "1 m^1e9",
        "1 m**99999999",
        "9**9**9 m",
        "9" * 20_000,
        "9" * 20_000 + " m",
        " " * 20_000 + "x",
        "1" + " " * 20_000 + "x",
        "1 " + "m*" * 3000 + "m",
        "1 " + "m " * 3000 + "!",
        "１２ m",  # digits of another script
        "1_000 m",
        "0x10 m",
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_is_refused_at_once(text):
    to_si("1 m", LENGTH)  # pint is slow to import
    began = time.perf_counter()
    with pytest.raises(InputError) as caught:
        to_si(text, LENGTH)
    assert time.perf_counter() - began < 0.2
    assert len(str(caught.value)) < 400
