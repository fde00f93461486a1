"""The reports' scripts, run by a JavaScript engine: ticks, outlines, projection, colours."""

import json
import re
from importlib.resources import files

import numpy as np
import pytest
from py_mini_racer import mini_racer
from report_samples import page, payload, results

import gough
from gough.report.assembly import page_file
from gough.report.packing import pack, unpack

SCRIPTS = [
    "numbers.js",
    "series.js",
    "colours.js",
    "space.js",
    "slices.js",
    "sorting.js",
    "chart_drawing.js",
]


@pytest.fixture(scope="module")
def engine():
    with mini_racer() as context:
        for name in SCRIPTS:
            context.eval(page_file(name))
        yield context


@pytest.fixture(scope="module")
def js(engine):
    """Calls a function of the scripts with plain data; a string that starts with = is code."""

    def call(name, *arguments):
        given = ", ".join(a[1:] if str(a).startswith("=") else json.dumps(a) for a in arguments)
        keep_nan = "(_, v) => typeof v === 'number' && !Number.isFinite(v) ? null : v"
        return json.loads(engine.eval(f"JSON.stringify({name}({given}), {keep_nan}) ?? 'null'"))

    return call


@pytest.mark.parametrize(
    ("low", "high"), [(0, 4), (-950, 1010), (1e-7, 3e-7), (0.99999, 1.00001), (-2e9, 5e9)]
)
def test_ticks_are_round_inside_and_evenly_spaced(js, low, high):
    ticks = js("linearTicks", low, high, 6)
    span = high - low
    assert 2 <= len(ticks) <= 8
    assert low - 1e-9 * span <= ticks[0]
    assert ticks[-1] <= high + 1e-9 * span
    steps = np.diff(ticks)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)
    mantissa = steps[0] / 10 ** np.floor(np.log10(steps[0]) + 1e-9)
    assert min(abs(mantissa - m) for m in (1, 2, 5, 10)) < 1e-3
    texts = js("tickTexts", ticks)
    assert len(set(texts)) == len(texts)


def test_logarithmic_ticks_are_powers_of_ten_over_many_decades(js):
    np.testing.assert_allclose(js("logTicks", 2, 3e5, 6), [1e1, 1e2, 1e3, 1e4, 1e5])
    np.testing.assert_allclose(js("logTicks", 1.5, 25, 6), [2, 5, 10, 20])


@pytest.mark.parametrize(
    ("value", "text"),
    [(267.4183, "267.4"), (-12345.6, "−12\u2009346"), (0, "0"), (2.5e7, "2.5·10⁷"), (None, "–")],
)
def test_values_read_as_in_the_tables(js, value, text):
    assert js("valueText", value, 4) == text


def test_values_have_no_digits_below_the_resolution(js):
    assert js("valueText", 0.123456, 5, 0.01) == "0.12"
    assert js("valueText", 0.123456, 5, 0.02) == "0.12"
    assert js("valueText", 0.123456, 5, 0.04) == "0.1"
    assert js("valueText", 0.009, 5, 0.01) == "0"


def test_unpacking_undoes_the_packing(js):
    rows = np.random.default_rng(0).normal(size=(3, 50))
    rows[1, 4:9] = np.nan
    packed = pack(rows)
    again = np.array(js("unpack", packed and f"={json.dumps(packed)}"), dtype=object)
    values = np.array([[np.nan if v is None else v for v in row.values()] for row in again])
    assert (np.isnan(values) == np.isnan(rows)).all()
    assert np.nanmax(np.abs(values - rows)) <= max(packed["step"]) * 0.5001


def test_unpacking_beside_a_very_high_peak_is_as_exact(js):
    rows = np.random.default_rng(1).normal(size=(2, 40))
    rows[0, 7], rows[1, 20] = 3e12, -5e12
    packed = pack(rows)
    again = js("unpack", f"={json.dumps(packed)}")
    values = np.array([list(row.values()) for row in again], dtype=float)
    np.testing.assert_allclose(values, rows, atol=0.5001 * max(packed["step"]))
    np.testing.assert_array_equal(values, unpack(packed))


def test_an_outline_keeps_every_peak_with_few_points(js):
    x = np.linspace(0, 10, 5000)
    y = np.sin(40 * x)
    y[2345] = 7.5
    points = js("outline", x.tolist(), y.tolist(), 0, 4999, "=(t) => 30 * t")
    assert len(points) <= 4 * 301
    heights = [p[1] for p in points]
    assert max(heights) == 7.5
    assert min(heights) == y.min()
    assert (np.diff([p[0] for p in points]) >= 0).all()


def test_an_outline_breaks_where_values_are_missing(js):
    code = "=[1, 2, NaN, NaN, 5, 6]"
    points = js("outline", [0, 1, 2, 3, 4, 5], code, 0, 5, "=(t) => 10 * t")
    assert points == [[0, 1], [10, 2], None, [40, 5], [50, 6]]


def test_an_axis_shows_near_limits_cuts_unbounded_peaks_and_no_rounding(js):
    asked = {"first": 0, "last": 99, "log": False, "limits": [], "mayCut": False}
    wave = np.sin(np.linspace(0, 6, 100)).tolist()
    limits = [{"value": 1.5}, {"value": 40.0}]
    shown = js("verticalRange", {**asked, "list": [wave], "limits": limits})
    assert 1.5 < shown["high"] < 2
    spike = [*wave[:50], 1e6, *wave[51:]]
    assert js("verticalRange", {**asked, "list": [spike]})["high"] > 1e6
    cut = js("verticalRange", {**asked, "list": [spike], "mayCut": True})
    assert cut["cut"]
    assert cut["high"] < 10
    still = js("verticalRange", {**asked, "list": [[4.0391, 4.0392] * 50]})
    assert still["high"] - still["low"] > 0.005


def test_places_in_ascending_numbers(js):
    x = [0.0, 1.0, 2.0, 4.0]
    assert [js("nearest", x, v) for v in (-5, 0.4, 0.6, 2.9, 3.1, 9)] == [0, 0, 1, 2, 3, 3]
    assert js("inView", x, [0.5, 1.5]) == [0, 2]
    assert js("extent", [[1, 5, 2, 0]], 1, 2) == [2, 5]
    assert js("extent", "=[[NaN, NaN]]", 0, 1) is None


def test_platform_joints_are_drawn_where_the_kinematics_has_them(js):
    found = results("circle")
    machine = payload(page("circle"))["machine"]
    pose = found["pose"][77].tolist()
    tops = np.array([js("placed", pose, point) for point in machine["platform"]])
    lengths = np.linalg.norm(tops - machine["base"], axis=1)
    np.testing.assert_allclose(lengths, found["leg_length"][77], atol=1e-5)


def test_half_way_between_two_turns_is_the_half_turn(js):
    start, end = gough.pose([0, 0, 1]), gough.pose([2, 0, 1], rpy=[0, 0, 1.2])
    middle = js("poseBetween", start.tolist(), (-end * [-1, -1, -1, 1, 1, 1, 1]).tolist(), 0.5)
    np.testing.assert_allclose(middle, gough.pose([1, 0, 1], rpy=[0, 0, 0.6]), atol=1e-12)


def test_the_camera_looks_at_its_target_with_z_upwards(js):
    camera = (
        "createCamera({target: [1, 2, 3], distance: 10, yaw: 0.3, pitch: 0.5, focal: 800, "
        "width: 640, height: 480}).project"
    )
    centre, above, nearer = (
        js(camera, point) for point in ([1, 2, 3], [1, 2, 4], [1 + np.cos(0.3), 2 + np.sin(0.3), 3])
    )
    assert (centre["x"], centre["y"], centre["scale"]) == (320, 240, 80)
    assert above["y"] < centre["y"]
    assert above["x"] == pytest.approx(320)
    assert nearer["depth"] < centre["depth"]


def test_pushing_and_pulling_have_colours_of_their_own(js):
    for theme in ("light", "dark"):
        push, none, pull = (js("forceColour", f, 100, theme) for f in (80, 0, -80))
        assert push[0] > push[2] + 60  # towards red
        assert pull[2] > pull[0] + 60  # towards blue
        assert max(none) - min(none) < 20  # grey
        assert js("forceColour", 1e9, 100, theme) == js("forceColour", 100, 100, theme)
    assert js("forceColour", 5, 0, "light") == js("forceColour", 0, 1, "light")


def test_slices_of_a_grid_are_those_of_the_array(js):
    grid = np.arange(24).reshape(2, 3, 4)
    assert js("placesOf", int(grid[1, 2, 1]), grid.shape) == [1, 2, 1]
    assert js("sliceAlong", 1, [1, 0, 3], grid.shape) == grid[1, :, 3].tolist()
    assert js("sliceAlong", 2, [1, 2, 0], grid.shape) == grid[1, 2, :].tolist()


def test_cells_are_sorted_by_size_with_missing_ones_last(js):
    assert js("compareCells", "9", "10", False) < 0
    assert js("compareCells", "9", "10", True) > 0
    assert js("compareCells", "", "10", False) > 0
    assert js("compareCells", "", "10", True) > 0
    assert js("compareCells", "[0, 1]", "[0, 2]", False) < 0


def test_charts_use_only_colours_that_the_style_sheet_has():
    used = set()
    for script in (files("gough.report") / "page").iterdir():
        if script.name.endswith(".js"):
            used |= set(re.findall(r'"(--[a-z-]+)"', page_file(script.name)))
    assert len(used) > 10
    light, dark = page_file("theme.css").split("@media")
    for colour in used:
        assert f"{colour}:" in light, colour
        assert f"{colour}:" in dark, colour
