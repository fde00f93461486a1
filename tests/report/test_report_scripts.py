"""The modules of the page, imported by a browser: ticks, outlines, projection, colours, meshes."""

import re
from importlib.resources import files

import numpy as np
import pytest
from report_samples import page, payload, results, unpack

import gough
from gough.report.assembly import joined, page_file
from gough.report.packing import pack


@pytest.mark.parametrize(
    ("low", "high"), [(0, 4), (-950, 1010), (1e-7, 3e-7), (0.99999, 1.00001), (-2e9, 5e9)]
)
def test_ticks_are_round_inside_and_evenly_spaced(js, low, high):
    ticks = js("numbers.linearTicks", low, high, 6)
    span = high - low
    assert 2 <= len(ticks) <= 8
    assert low - 1e-9 * span <= ticks[0]
    assert ticks[-1] <= high + 1e-9 * span
    steps = np.diff(ticks)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)
    mantissa = steps[0] / 10 ** np.floor(np.log10(steps[0]) + 1e-9)
    assert min(abs(mantissa - m) for m in (1, 2, 5, 10)) < 1e-3
    texts = js("numbers.tickTexts", ticks)
    assert len(set(texts)) == len(texts)


def test_an_axis_of_any_range_and_size_has_three_numbers(js):
    random = np.random.default_rng(1)
    for _ in range(150):
        size, span = 10 ** random.uniform([-6, -3], [6, 1])
        low, count = size * random.uniform(-1, 1), int(random.integers(1, 13))
        high = low + size * span
        ticks = np.array(js("numbers.linearTicks", low, high, count))
        assert 3 <= ticks.size <= max(count + 1, 8), (low, high, count)
        assert np.all((ticks >= low - 1e-6 * size * span) & (ticks <= high + 1e-6 * size * span))


def test_a_logarithmic_axis_of_any_range_and_size_has_three_numbers(js):
    random = np.random.default_rng(2)
    for _ in range(150):
        low, ratio = 10 ** random.uniform([-6, 0.2], [6, 9])
        count = int(random.integers(1, 13))
        ticks = np.array(js("numbers.logTicks", low, low * ratio, count))
        assert 3 <= ticks.size <= max(count + 1, 8), (low, low * ratio, count)
        assert np.all((ticks > 0.99 * low) & (ticks < 1.01 * low * ratio))
        assert np.all(np.diff(ticks) > 0)


def test_logarithmic_ticks_are_powers_of_ten_over_many_decades(js):
    np.testing.assert_allclose(js("numbers.logTicks", 2, 3e5, 6), [1e1, 1e2, 1e3, 1e4, 1e5])
    np.testing.assert_allclose(js("numbers.logTicks", 1.5, 25, 6), [2, 5, 10, 20])


@pytest.mark.parametrize(
    ("value", "text"),
    [(267.4183, "267.4"), (-12345.6, "−12\u2009346"), (0, "0"), (2.5e7, "2.5·10⁷"), (None, "–")],
)
def test_values_read_as_in_the_tables(js, value, text):
    assert js("numbers.valueText", value, 4) == text


def test_values_have_no_digits_below_the_resolution(js):
    assert js("numbers.valueText", 0.123456, 5, 0.01) == "0.12"
    assert js("numbers.valueText", 0.123456, 5, 0.02) == "0.12"
    assert js("numbers.valueText", 0.123456, 5, 0.04) == "0.1"
    assert js("numbers.valueText", 0.009, 5, 0.01) == "0"


def test_unpacking_undoes_the_packing(js):
    rows = np.random.default_rng(0).normal(size=(3, 50))
    rows[1, 4:9] = np.nan
    packed = pack(rows)
    again = np.array(js("series.unpack", packed), dtype=object)
    values = np.array([[np.nan if v is None else v for v in row.values()] for row in again])
    assert (np.isnan(values) == np.isnan(rows)).all()
    assert np.nanmax(np.abs(values - rows)) <= max(packed["step"]) * 0.5001


def test_unpacking_beside_a_very_high_peak_is_as_exact(js):
    rows = np.random.default_rng(1).normal(size=(2, 40))
    rows[0, 7], rows[1, 20] = 3e12, -5e12
    packed = pack(rows)
    again = js("series.unpack", packed)
    values = np.array([list(row.values()) for row in again], dtype=float)
    np.testing.assert_allclose(values, rows, atol=0.5001 * max(packed["step"]))
    np.testing.assert_array_equal(values, unpack(packed))


def test_an_outline_keeps_every_peak_with_few_points(js):
    x = np.linspace(0, 10, 5000)
    y = np.sin(40 * x)
    y[2345] = 7.5
    points = js("series.outline", x.tolist(), y.tolist(), 0, 4999, "=(t) => 30 * t")
    assert len(points) <= 4 * 301
    heights = [p[1] for p in points]
    assert max(heights) == 7.5
    assert min(heights) == y.min()
    assert (np.diff([p[0] for p in points]) >= 0).all()


def test_an_outline_breaks_where_values_are_missing(js):
    code = "=[1, 2, NaN, NaN, 5, 6]"
    points = js("series.outline", [0, 1, 2, 3, 4, 5], code, 0, 5, "=(t) => 10 * t")
    assert points == [[0, 1], [10, 2], None, [40, 5], [50, 6]]


def test_an_axis_shows_near_limits_cuts_unbounded_peaks_and_no_rounding(js):
    asked = {"first": 0, "last": 99, "log": False, "limits": [], "mayCut": False}
    wave = np.sin(np.linspace(0, 6, 100)).tolist()
    limits = [{"value": 1.5}, {"value": 40.0}]
    shown = js("chart_drawing.verticalRange", {**asked, "list": [wave], "limits": limits})
    assert 1.5 < shown["high"] < 2
    spike = [*wave[:50], 1e6, *wave[51:]]
    assert js("chart_drawing.verticalRange", {**asked, "list": [spike]})["high"] > 1e6
    cut = js("chart_drawing.verticalRange", {**asked, "list": [spike], "mayCut": True})
    assert cut["cut"]
    assert cut["high"] < 10
    still = js("chart_drawing.verticalRange", {**asked, "list": [[4.0391, 4.0392] * 50]})
    assert still["high"] - still["low"] > 0.005


def test_places_in_ascending_numbers(js):
    x = [0.0, 1.0, 2.0, 4.0]
    assert [js("series.nearest", x, v) for v in (-5, 0.4, 0.6, 2.9, 3.1, 9)] == [0, 0, 1, 2, 3, 3]
    assert js("series.inView", x, [0.5, 1.5]) == [0, 2]
    assert js("series.extent", [[1, 5, 2, 0]], 1, 2) == [2, 5]
    assert js("series.extent", "=[[NaN, NaN]]", 0, 1) is None


def test_platform_joints_are_drawn_where_the_kinematics_has_them(js):
    found = results("circle")
    machine = payload(page("circle"))["machine"]
    pose = found["pose"][77].tolist()
    tops = np.array([js("space.placed", pose, point) for point in machine["platform"]])
    lengths = np.linalg.norm(tops - machine["base"], axis=1)
    np.testing.assert_allclose(lengths, found["leg_length"][77], atol=1e-5)


def test_half_way_between_two_turns_is_the_half_turn(js):
    start, end = gough.pose([0, 0, 1]), gough.pose([2, 0, 1], rpy=[0, 0, 1.2])
    middle = js(
        "space.poseBetween", start.tolist(), (-end * [-1, -1, -1, 1, 1, 1, 1]).tolist(), 0.5
    )
    np.testing.assert_allclose(middle, gough.pose([1, 0, 1], rpy=[0, 0, 0.6]), atol=1e-12)


CAMERA = (
    "createCamera({target: [1, 2, 3], distance: 10, yaw: 0.3, pitch: 0.5, focal: 800, "
    "width: 640, height: 480})"
)


def test_the_camera_looks_at_its_target_with_z_upwards(js):
    centre, above, nearer = (
        js(f"space.{CAMERA}.project", point)
        for point in ([1, 2, 3], [1, 2, 4], [1 + np.cos(0.3), 2 + np.sin(0.3), 3])
    )
    assert (centre["x"], centre["y"], centre["scale"]) == (320, 240, 80)
    assert above["y"] < centre["y"]
    assert above["x"] == pytest.approx(320)
    assert nearer["depth"] < centre["depth"]


def test_labels_stand_where_the_graphics_card_puts_their_points(js):
    entries = js(f"space.{CAMERA}.matrix.map", "=(x) => x")
    matrix = np.array([entries[str(k)] for k in range(16)]).reshape(4, 4).T
    for point in np.random.default_rng(4).normal([1, 2, 3], 1.0, size=(8, 3)):
        x, y, z, depth = matrix @ [*point, 1.0]
        seen = js(f"space.{CAMERA}.project", point.tolist())
        assert 320 * (1 + x / depth) == pytest.approx(seen["x"], abs=1e-3)
        assert 240 * (1 - y / depth) == pytest.approx(seen["y"], abs=1e-3)
        assert depth == pytest.approx(seen["depth"], rel=1e-5)
        assert -1 < z / depth < 1


def triangles(js, code):
    """(n, 3, 3) corners of a mesh, and the normals there."""
    mesh = js(code)
    return tuple(
        np.array(list(mesh[k].values())).reshape(-1, 3, 3) for k in ("positions", "normals")
    )


@pytest.mark.parametrize(
    ("code", "volume", "share"),
    [
        ("meshes.BAR", np.pi, 0.02),
        ("meshes.BALL", 4 * np.pi / 3, 0.06),
        (
            "meshes.prism([[0, 0, 0], [2, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0]], [0, 0, -0.5])",
            3.0,
            1e-6,
        ),
    ],
)
def test_bodies_are_closed_with_normals_outwards(js, code, volume, share):
    corners, normals = triangles(js, f"{code}.valueOf")
    a, b, c = corners.transpose(1, 0, 2)
    area = np.cross(b - a, c - a) / 2
    np.testing.assert_allclose(area.sum(axis=0), 0, atol=1e-5)  # closed
    assert (np.einsum("ni,ni->n", a, area) / 3).sum() == pytest.approx(volume, rel=share)
    assert (np.einsum("ni,nki->nk", area, normals) >= -1e-7).all()
    sizes = np.linalg.norm(normals[np.linalg.norm(area, axis=1) > 1e-9], axis=2)
    np.testing.assert_allclose(sizes, 1, atol=1e-6)


def test_a_bar_goes_from_one_joint_to_the_other(js):
    start, end = [0.3, -1.0, 0.2], [1.0, 0.5, 2.0]
    entries = js("space.barMatrix", start, end, 0.1)
    matrix = np.array([entries[str(k)] for k in range(16)]).reshape(4, 4).T
    np.testing.assert_allclose(matrix @ [0, 0, 0, 1], [*start, 1], atol=1e-6)
    np.testing.assert_allclose(matrix @ [0, 0, 1, 1], [*end, 1], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(matrix[:3, :2], axis=0), 0.1, rtol=1e-5)
    np.testing.assert_allclose(matrix[:3, :2].T @ (np.array(end) - start), 0, atol=1e-6)


def test_the_nearer_of_two_bodies_is_seen_and_found(modules):
    seen = modules.evaluate("""async () => {
      const names = ["renderer", "meshes", "space", "picking"];
      const [{ createRenderer }, { BALL, polyline }, { ballMatrix, createCamera }, { pick }] =
        await Promise.all(names.map((name) => import(`./${name}.js`)));
      const canvas = Object.assign(document.createElement("canvas"), { width: 200, height: 100 });
      const camera = createCamera(
        { target: [0, 0, 0], distance: 5, yaw: 0, pitch: 0, focal: 100, width: 200, height: 100 });
      const renderer = createRenderer(canvas);
      const things = [ // the eye is at x = 5, y goes to the right
        { mesh: BALL, place: ballMatrix([1, 0, 0], 0.5), colour: [200, 0, 0], name: "near" },
        { mesh: BALL, place: ballMatrix([0, 0.5, 0], 1), colour: [0, 0, 200], name: "far" },
        { lines: polyline([[-2, -4, 1], [-2, 4, 1]]), colour: [0, 200, 0], width: 3 },
      ];
      renderer.draw(camera, things);
      const copy = Object.assign(document.createElement("canvas"), { width: 200, height: 100 });
      const pen = copy.getContext("2d");
      pen.drawImage(canvas, 0, 0);
      const colour = (x, y) => [...pen.getImageData(x, y, 1, 1).data];
      const places = [[100, 50], [125, 50], [60, 35], [10, 90]];
      return places.map(([x, y]) => [colour(x, y), pick(camera, things, x, y)]);
    }""")
    (red, near), (blue, far), (green, line), (nothing, nobody) = seen
    assert (near, far, line, nobody) == ("near", "far", None, None)
    assert red[0] > red[2] + 80
    assert blue[2] > blue[0] + 80
    assert green == [0, 200, 0, 255]
    assert nothing == [0, 0, 0, 0]


def test_listeners_are_told_once_for_each_picture_what_changed(modules):
    told = modules.evaluate("""async () => {
      const { createAxis, showWindow } = await import("./state.js");
      const axis = createAxis({ label: "time", unit: "s", low: 0, high: 4 }), told = [];
      axis.listen((names) => told.push([...names].sort()));
      const picture = () => new Promise(requestAnimationFrame);
      axis.set({ cursor: 1 });
      axis.set({ cursor: 2, pointed: null });
      await picture();
      showWindow(axis, -1, 3);
      showWindow(axis, 2, 2); // too little to be seen
      await picture();
      return [told, axis.window, axis.cursor];
    }""")
    assert told == [[["cursor", "pointed"], ["window"]], [0, 3], 2]


def test_modules_are_joined_in_the_order_in_which_they_need_each_other(modules):
    texts = {
        "start": 'import { twice } from "./sum.js";\nimport { one } from "./one.js";\n'
        "const sum = twice(one);\nwindow.joinedResult = sum;",
        "sum": 'import { one } from "./one.js";\nconst hidden = one;\n'
        "export function twice(x) { return x + hidden; }",
        "one": "const hidden = 21;\nexport const one = hidden;",
    }
    script = joined("start", texts.__getitem__)
    assert "import" not in script
    assert modules.evaluate(f"() => {{ {script}\n return joinedResult; }}") == 42


def test_pushing_and_pulling_have_colours_of_their_own(js):
    for theme in ("light", "dark"):
        push, none, pull = (js("colours.forceColour", f, 100, theme) for f in (80, 0, -80))
        assert push[0] > push[2] + 60  # towards red
        assert pull[2] > pull[0] + 60  # towards blue
        assert max(none) - min(none) < 20  # grey
        assert js("colours.forceColour", 1e9, 100, theme) == js(
            "colours.forceColour", 100, 100, theme
        )
    assert js("colours.forceColour", 5, 0, "light") == js("colours.forceColour", 0, 1, "light")


def test_slices_of_a_grid_are_those_of_the_array(js):
    grid = np.arange(24).reshape(2, 3, 4)
    assert js("slices.placesOf", int(grid[1, 2, 1]), grid.shape) == [1, 2, 1]
    assert js("slices.sliceAlong", 1, [1, 0, 3], grid.shape) == grid[1, :, 3].tolist()
    assert js("slices.sliceAlong", 2, [1, 2, 0], grid.shape) == grid[1, 2, :].tolist()


def test_cells_are_sorted_by_size_with_missing_ones_last(js):
    assert js("sorting.compareCells", "9", "10", False) < 0
    assert js("sorting.compareCells", "9", "10", True) > 0
    assert js("sorting.compareCells", "", "10", False) > 0
    assert js("sorting.compareCells", "", "10", True) > 0
    assert js("sorting.compareCells", "[0, 1]", "[0, 2]", False) < 0


def test_cells_of_a_map_are_darker_the_more_they_stand_for(js):
    bounds = js("heat_map.extent", [3, None, 1, 2])
    assert bounds == [1, 3]
    assert js("heat_map.shade", 1, bounds) < js("heat_map.shade", 2, bounds)
    assert js("heat_map.shade", 3, bounds) == pytest.approx(0.9)
    assert js("heat_map.shade", 5, [5, 5]) == 0.4


def test_charts_use_only_colours_that_the_style_sheet_has():
    used = set()
    for script in (files("gough.report") / "page" / "scripts").iterdir():
        used |= set(re.findall(r'"(--[a-z-]+)"', page_file(f"scripts/{script.name}")))
    assert len(used) > 10
    light, dark = page_file("styles/theme.css").split("@media")
    for colour in used - {"--cells", "--shade"}:  # numbers
        assert f"{colour}:" in light, colour
        assert f"{colour}:" in dark, colour
