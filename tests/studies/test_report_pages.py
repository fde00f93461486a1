"""Reports opened and used in a small browser: no complaint, and pictures of the right numbers."""

import re
from dataclasses import replace

import numpy as np
import pytest
from chart_reading import (
    LEFT,
    RIGHT,
    charts_of,
    ends,
    lines,
    number,
    series_count,
    values_at,
)
from page_driver import DARK, LITTLE_MOTION, Page
from report_samples import page, payload, results

import gough
from gough.analysis.axes import LEG, NUMBER
from gough.analysis.plot import plot_quantity
from gough.analysis.results import Quantity
from gough.report.study_page import study_page
from gough.report.thinning import MOST_POINTS

KINDS = ("circle", "turn", "simulation", "grid")
STUDIES = KINDS[:3]


@pytest.fixture
def opened():
    """Opens a page; in the end nothing may have been written to the console."""
    pages = []

    def open_page(kind, text=None):
        pages.append(Page(page(kind) if text is None else text))
        pages[-1].scroll_through()
        return pages[-1]

    yield open_page
    for each in pages:
        assert each.complaints() == []


def clock(opened_page):
    return float(opened_page.texts(".clock")[0].removesuffix(" s"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_can_point_at_every_chart_at_any_width_in_light_and_dark(opened, kind):
    p = opened(kind)
    for width in (1920, 1366, 700):
        p.resize(width)
        wide, _ = p.size(".chart-overlay")
        for k in range(p.count(".chart-overlay")):
            p.tell(".chart-overlay", "pointermove", k, clientX=wide / 3, clientY=90)
            assert not p.value(".readout", "hidden", k)
            p.tell(".chart-overlay", "pointerleave", k)
        for dark in (True, False):
            p.set_media(DARK, dark)


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_can_press_everything(opened, kind):
    p = opened(kind)
    for selector in (".legend-entry", ".chooser button", "button.time", "thead button", "tbody tr"):
        for k in range(p.count(selector)):
            p.press(selector, k)
    wide, _ = p.size(".chart-overlay")
    for k in {0, p.count(".chart-overlay") - 1}:
        p.drag(".chart-overlay", (wide / 3, 60), (wide / 2, 80), k)
        for key in ("ArrowLeft", "ArrowRight", "Home", "End", "+", "-", "+", "Escape"):
            assert p.key(".chart-overlay", key, k)
        assert not p.key(".chart-overlay", "x", k)
        p.tell(".chart-overlay", "dblclick", k)
    for k in range(p.count("select")):
        p.choose("select", p.value("select", k=k), "change", k)
    assert p.count("details summary") == p.count("details") >= 2


@pytest.mark.parametrize("kind", STUDIES)
def test_the_machine_can_be_played_and_turned(opened, kind):
    p = opened(kind)
    before = p.drawings("#scene")
    p.choose(".player select", 0.5, "change")
    p.press(".play")
    p.pictures(100)
    assert clock(p) == pytest.approx(0.5 * 99 / 60, abs=1 / 60)
    assert p.attributes(".play", "aria-label") == ["Pause"]
    assert p.drawings("#scene") != before
    p.press(".play")
    stopped = clock(p)
    p.pictures(10)
    assert clock(p) == stopped
    still = p.drawings("#scene")
    p.drag("#scene", (100, 100), (180, 140))
    turned = p.drawings("#scene")
    assert turned != still
    p.tell("#scene", "wheel", deltaY=-40.0, ctrlKey=True)
    assert p.drawings("#scene") != turned
    for key in ("ArrowLeft", "ArrowUp", "+", "-"):
        assert p.key("#scene", key)
    p.press("#reset-view")
    assert p.drawings("#scene") == still


@pytest.mark.parametrize("kind", STUDIES)
def test_every_chart_has_all_its_lines_inside_its_picture(opened, kind):
    p, data = opened(kind), payload(page(kind))
    for width in (1366, 700, 1920):
        p.resize(width)
        pictures = p.drawings(".chart-picture")
        charts = charts_of(data)
        assert len(pictures) == len(charts)
        wide, high = p.size(".chart-picture")
        assert p.value(".chart-picture", "width") == round(2 * wide)
        for chart, drawings in zip(charts, pictures, strict=True):
            drawn = lines(drawings, dashed=True)
            assert len(drawn) == series_count(chart, data), chart["title"]
            x, y = np.concatenate([np.array(d["points"]) for d in drawn]).T
            assert x.min() == pytest.approx(LEFT, abs=0.6)
            assert x.max() == pytest.approx(wide - RIGHT, abs=0.6)
            if not chart.get("mayCut"):
                assert 0 < y.min() <= y.max() < high
            if chart["kind"] == "legs":
                assert len({tuple(d["look"]) for d in drawn}) == 6


@pytest.mark.parametrize(
    ("kind", "name", "scale"),
    [
        ("circle", "force", 1.0),
        ("circle", "leg_speed", 1.0),
        ("circle", "base_joint_tilt", 180 / np.pi),
        ("simulation", "command", 1.0),
        ("simulation", "leg_length_error", 1e3),
        ("turn", "leg_length", 1.0),
    ],
)
def test_lines_stand_where_the_axis_says_that_the_numbers_are(opened, kind, name, scale):
    p, data = opened(kind), payload(page(kind))
    place = [chart.get("quantity") for chart in charts_of(data)].index(name)
    drawings = p.drawings(".chart-picture")[place]
    pixel = abs(np.diff(values_at(drawings, [0, 1]))[0])
    values = scale * results(kind)[name]
    for leg, drawn in enumerate(lines(drawings)):
        assert drawn["look"] == [p.colour(f"--series-{leg + 1}")]
        _, heights = np.array(drawn["points"]).T
        top, bottom = values_at(drawings, [heights.min(), heights.max()])
        assert top == pytest.approx(values[:, leg].max(), abs=pixel)
        assert bottom == pytest.approx(values[:, leg].min(), abs=pixel)
        if len(values) <= MOST_POINTS:
            assert values_at(drawings, heights[0]) == pytest.approx(values[0, leg], abs=pixel)


def test_the_clock_the_forces_and_the_charts_follow_the_slider(opened):
    p, found = opened("circle"), results("circle")
    for place in (50, 120, 200):
        p.choose(".track input", 1000 * place / 200, "input")
        assert clock(p) == pytest.approx(found.time[place], abs=1e-3)
        shown = [number(text.removesuffix(" N")) for text in p.texts(".force-cell b")]
        np.testing.assert_allclose(shown, found["force"][place], atol=0.5)
        wide, _ = p.size(".chart-overlay")
        (cursor,) = [d for d in p.drawings(".chart-overlay")[0] if d["kind"] == "stroke"]
        expected = LEFT + found.time[place] / 4 * (wide - LEFT - RIGHT)
        assert cursor["points"][0][0] == pytest.approx(expected, abs=0.5)


def test_forces_far_from_a_singular_configuration_read_as_they_are(opened):
    p, found = opened("down"), results("down")
    p.key(".chart-overlay", "Home")
    for place in (0, 1, 2):
        cells = [number(text.removesuffix(" N")) for text in p.texts(".force-cell b")]
        readout = [number(text) for text in p.texts(".readout em")[:6]]
        np.testing.assert_allclose(cells, found["force"][100 * place], rtol=1e-3)
        np.testing.assert_allclose(readout, found["force"][100 * place], rtol=1e-3)
        for _ in range(10):
            p.key(".chart-overlay", "ArrowRight")


def test_legs_have_the_colours_of_the_other_figures(opened):
    p = opened("circle")
    (axis,) = plot_quantity(results("circle"), "force").axes
    drawn = [line.get_color().lower() for line in axis.get_lines() if line.get_linestyle() == "-"]
    assert drawn[:6] == [p.colour(f"--series-{leg}") for leg in range(1, 7)]


def leg_colours(p):
    """The different colours of the legs' bars, and those that stand beside the numbers."""
    bars = {tuple(d["look"]) for d in p.drawings("#scene")[0] if len(d["look"]) == 4}
    return bars, p.backgrounds(".force-cell i")


def test_legs_are_coloured_by_their_forces(opened):
    p, found = opened("circle"), results("circle")
    p.choose(".track input", 400, "input")
    bars, swatches = leg_colours(p)
    assert np.abs(np.diff(np.sort(found["force"][80]))).min() > 5.0  # six different forces
    assert len(bars) == 12  # a cylinder and a piston each
    assert len(set(swatches)) == 6
    assert set(swatches) <= {stop for bar in bars for stop in bar}
    same = replace(found.quantities["force"], values=np.full((201, 6), 120.0))
    alike = replace(found, quantities={**found.quantities, "force": same})
    bars, swatches = leg_colours(opened("circle", study_page(alike)))
    assert (len(bars), len(set(swatches))) == (2, 1)


def test_legs_without_a_force_are_dashed_and_said_to_be_singular(opened):
    p = opened("turn")
    (time,) = payload(page("turn"))["singular_times"]
    p.press("button.time", p.attributes("button.time", "data-time").index(repr(time)))
    assert clock(p) == pytest.approx(time, abs=1e-3)
    assert set(p.texts(".force-cell b")) == {"singular"}
    dashed = [d for d in p.drawings("#scene")[0] if d["dash"] == [5, 4] and d["kind"] == "stroke"]
    assert len(dashed) == 12
    assert {tuple(d["look"]) for d in dashed} == {(p.colour("--alert"),)}
    marks = [d for d in p.drawings(".chart-picture")[0] if d["dash"] == [2, 3]]
    assert len(marks) == 1


def test_pointing_at_a_chart_shows_its_values_there(opened):
    p, found = opened("circle"), results("circle")
    wide, _ = p.size(".chart-overlay")
    middle = 20 + LEFT + (wide - LEFT - RIGHT) / 2
    p.tell(".chart-overlay", "pointermove", clientX=middle, clientY=50)
    assert p.texts(".readout b")[0] == "2.0000 s"
    shown = [number(text) for text in p.texts(".readout em")]
    np.testing.assert_allclose(shown, found["force"][100], atol=0.2)
    p.tell(".chart-overlay", "pointerleave")
    assert p.value(".readout", "hidden")


def test_dragging_over_a_chart_zooms_all_of_them(opened):
    p = opened("circle")
    wide, _ = p.size(".chart-overlay")
    per_second = (wide - LEFT - RIGHT) / 4
    whole = p.drawings(".chart-picture")
    p.drag(".chart-overlay", (LEFT + per_second, 40), (LEFT + 3 * per_second, 60))
    for drawings in p.drawings(".chart-picture"):
        ticks = [d for d in drawings if d["kind"] == "text" and d["points"][0][0] > LEFT]
        times = [number(d["text"].removesuffix(" s")) for d in ticks if d["text"][0].isdigit()]
        assert min(times) == pytest.approx(1.0, abs=0.1)
        assert max(times) == pytest.approx(3.0, abs=0.1)
    assert not p.value("#unzoom", "disabled")
    p.press("#unzoom")
    assert p.drawings(".chart-picture") == whole
    assert p.value("#unzoom", "disabled")


def test_a_leg_that_is_hidden_leaves_all_charts_of_legs(opened):
    p, data = opened("circle"), payload(page("circle"))
    entry = p.texts(".legend-entry").index("3")
    p.press(".legend-entry", entry)
    assert p.attributes(".legend-entry", "aria-pressed")[entry] == "false"
    gone = [p.colour("--series-3")]
    for chart, drawings in zip(charts_of(data), p.drawings(".chart-picture"), strict=True):
        if chart["kind"] == "legs":
            looks = [d["look"] for d in lines(drawings)]
            assert len(looks) == 5
            assert gone not in looks
    p.tell(".legend-entry", "dblclick", entry)
    assert len(lines(p.drawings(".chart-picture")[0])) == 1


def test_dark_pages_are_drawn_in_dark_colours(opened):
    p = opened("circle")
    light = lines(p.drawings(".chart-picture")[0])[0]["look"]
    p.set_media(DARK, True)
    dark = lines(p.drawings(".chart-picture")[0])[0]["look"]
    assert dark == [p.colour("--series-1")] != light


def test_a_page_can_be_used_with_the_keyboard_alone(opened):
    p, found = opened("circle"), results("circle")
    assert p.key("body", " ")
    p.pictures(30)
    assert clock(p) > 0.3
    p.key(".chart-overlay", " ")
    p.key(".chart-overlay", "Home")
    assert clock(p) == 0.0
    for _ in range(3):
        p.key(".chart-overlay", "ArrowRight", shiftKey=True)
    assert clock(p) == pytest.approx(found.time[3], abs=1e-3)
    told = p.attributes(".chart-overlay", "aria-valuetext")[0]
    assert told.startswith("0.060000 s: Leg 1 ")
    spoken = [number(text.split()[-1]) for text in told.split(": ")[1].split(", ")]
    np.testing.assert_allclose(spoken, found["force"][3], atol=0.2)
    assert not p.key("button.time", " ")  # a button keeps its own keys
    assert set(p.attributes(".chart-overlay", "role")) == {"slider"}
    assert p.value(".chart-overlay", "tabIndex") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_charts_say_in_words_what_they_show(opened, kind):
    p = opened(kind)
    for words in p.attributes(".chart-overlay", "aria-label"):
        assert re.match(r".+ \[.+\] over .+\. .+: .+\.$", words)
    for words in p.attributes(".chart-overlay", "aria-valuetext"):
        assert re.match(r"\S.*: .+", words)


def test_the_words_of_a_chart_have_its_range(opened):
    words = opened("circle").attributes(".chart-overlay", "aria-label")[0]
    assert words.startswith("Actuator force [N] over time [s]. ")
    ranges = re.findall(r"Leg \d: (\S+) to (\S+?)[;.]", words)
    found = np.array([[number(low), number(high)] for low, high in ranges])
    force = results("circle")["force"]
    np.testing.assert_allclose(found, np.stack([force.min(0), force.max(0)], 1), rtol=6e-3, atol=1)


def test_charts_that_were_never_in_sight_are_drawn_for_printing():
    p = Page(page("circle"))
    beside, *further = p.drawings(".chart-picture")[1:]
    assert beside
    assert not any(further)
    p.begin_printing()
    assert all(p.drawings(".chart-picture"))
    assert p.complaints() == []


@pytest.mark.parametrize("dark", [False, True])
def test_paper_has_light_colours_and_everything_unfolded(dark):
    p = Page(page("circle"))
    light = p.colour("--series-1")
    p.set_media(DARK, dark)
    on_screen = p.colour("--series-1")
    assert (on_screen == light) != dark
    p.begin_printing()
    for drawn in p.drawings(".chart-picture")[:2]:
        assert light in [entry["look"][0] for entry in drawn]
    count = p.count("details")
    assert count > 1
    assert all(p.value("details", "open", k) for k in range(count))
    p.end_printing()
    for drawn in p.drawings(".chart-picture")[:2]:
        assert on_screen in [entry["look"][0] for entry in drawn]
    assert not any(p.value("details", "open", k) for k in range(count))
    assert p.complaints() == []


def test_those_who_want_little_motion_see_few_pictures(opened):
    p = opened("circle")
    p.set_media(LITTLE_MOTION, True)
    p.press(".play")
    times = []
    for _ in range(120):
        p.pictures()
        times.append(clock(p))
    assert 4 <= len(set(times)) <= 6
    assert times[-1] == pytest.approx(2.0, abs=0.6)


def test_a_simulation_shows_what_was_wanted_and_what_was_reached(opened):
    p, data, found = opened("simulation"), payload(page("simulation")), results("simulation")
    titles = [chart["title"] for chart in charts_of(data)]
    way, turn = (
        p.drawings(".chart-picture")[titles.index(f"{word}, wanted and reached")]
        for word in ("Way from the beginning", "Orientation")
    )
    assert [d["dash"] for d in lines(way, dashed=True)] == [[]] * 3 + [[6, 4]] * 3
    wanted = [[0, 0.08], [-0.05, 0], [0, 0.05]]  # the study's line there and back
    np.testing.assert_allclose(ends(way)[3:], wanted, atol=1e-3)
    gone = found["pose"][:, :3] - [0, 0, 0.99]
    np.testing.assert_allclose(ends(way)[:3], np.stack([gone.min(0), gone.max(0)], 1), atol=1e-3)
    np.testing.assert_allclose(ends(turn)[3:], np.zeros((3, 2)), atol=5e-4)  # it should not turn
    turned = gough.rotation(found["pose"]).as_euler("xyz", degrees=True)
    reached = np.stack([turned.min(axis=0), turned.max(axis=0)], axis=1)
    np.testing.assert_allclose(ends(turn)[:3], reached, atol=5e-4)


def test_quantities_that_the_page_does_not_know_are_drawn_as_well(opened):
    found = results("simulation")
    time = found.time
    some = np.where(time < 0.5, np.nan, time)
    extra = {
        "supply": Quantity("supply", "V", "of the amplifiers", 48 - time),
        "modes": Quantity("modes", "Hz", "of the machine", time[:, None] * [1, 2, 3, 4], (NUMBER,)),
        "current": Quantity(
            "current", "A", "of each motor", some[:, None] * np.arange(1, 7), (LEG,)
        ),
        "share": Quantity("share", "1", "not known at all", np.full(len(time), np.nan)),
    }
    more = replace(found, quantities={**found.quantities, **extra})
    text = study_page(more)
    data, p = payload(text), opened("simulation", text)
    (section,) = [part for part in data["sections"] if part["title"] == "Further quantities"]
    facts = {c["title"]: data["quantities"][c["quantity"]] for c in section["charts"]}
    assert {title: (q["unit"], q["meaning"]) for title, q in facts.items()} == {
        "Supply": ("V", "of the amplifiers"),
        "Modes": ("Hz", "of the machine"),
        "Current": ("A", "of each motor"),
    }
    places = [chart["title"] for chart in charts_of(data)]
    drawn = p.drawings(".chart-picture")
    supply, modes, current = (drawn[places.index(title)] for title in facts)
    np.testing.assert_allclose(ends(supply), [[46.4, 48]], atol=0.02)
    np.testing.assert_allclose(ends(modes)[:, 1], 1.6 * np.arange(1, 5), atol=0.1)
    np.testing.assert_allclose(ends(current), np.outer(np.arange(1, 7), [0.5, 1.6]), atol=0.1)


def test_commands_at_their_limits_are_shaded(opened):
    found = results("simulation")
    time, limit = found.time, 2500.0
    wave = np.clip(1.5 * limit * np.sin(2 * np.pi * time / 1.6), -limit, limit)
    values = np.stack([wave, *np.zeros((5, len(time)))], axis=1)
    command = replace(found.quantities["command"], values=values)
    p = opened("", study_page(replace(found, quantities={**found.quantities, "command": command})))
    titles = [chart["title"] for chart in charts_of(payload(page("simulation")))]
    drawings = p.drawings(".chart-picture")[titles.index("Command")]
    bands = [d for d in drawings if d["look"] == [p.colour("--alert-ground")]]
    wide, _ = p.size(".chart-picture")
    edges = np.array([d["points"] for d in bands])[:, :, 0]
    first = 1.6 * np.arcsin(1 / 1.5) / (2 * np.pi)
    expected = np.array([[first, 0.8 - first], [0.8 + first, 1.6 - first]])
    times = 1.6 * (edges - LEFT) / (wide - LEFT - RIGHT)
    np.testing.assert_allclose(times, expected, atol=2.1e-3)
    assert "Shaded: a command is at its limit." in p.texts(".chart-note")
    limits = [d for d in drawings if d["dash"] == [7, 4] and d["kind"] == "stroke"]
    shown = values_at(drawings, [d["points"][0][1] for d in limits])
    np.testing.assert_allclose(sorted(shown), [-limit, limit], rtol=0.01)


def test_a_grid_is_drawn_along_each_of_its_variations(opened):
    p, grid = opened("grid"), results("grid")
    peak = grid["peak_force"]
    start = np.unravel_index(np.argmax(peak), peak.shape)
    for axis, drawings in enumerate(p.drawings(".chart-picture")):
        whole, *legs = lines(drawings)
        assert len(legs) == 6
        heights = np.array(whole["points"])[:, 1]
        along = peak[:, start[1]] if axis == 0 else peak[start[0], :]
        pixel = abs(np.diff(values_at(drawings, [0, 1]))[0])
        np.testing.assert_allclose(values_at(drawings, heights), along, atol=pixel)


def test_a_grid_without_forces_opens_on_a_chart_with_lines(opened):
    p, grid = opened("singular grid"), results("singular grid")
    (drawings,) = p.drawings(".chart-picture")
    heights = np.array(lines(drawings)[0]["points"])[:, 1]
    pixel = abs(np.diff(values_at(drawings, [0, 1]))[0])
    margins = grid["least_stroke_margin"]
    np.testing.assert_allclose(values_at(drawings, heights), margins, atol=pixel)
    assert "Stroke margin" in p.texts(".chart-card h3")[0]


def test_points_of_a_grid_are_chosen_and_sorted(opened):
    p, grid = opened("grid"), results("grid")
    p.press("tbody tr", 2)
    assert [p.value("select", k=k) for k in (1, 2)] == ["1", "0"]
    assert p.attributes("tbody tr", "aria-current").index("true") == 2
    assert p.key("tbody tr", "Enter", 5)
    assert [p.value("select", k=k) for k in (1, 2)] == ["2", "1"]
    p.choose("#figure", 2, "change")
    assert "Peak power" in p.texts(".chart-card h3")[0]
    column = p.texts("thead button").index("Peak force")
    p.press("thead button", column)
    order = [int(point) for point in p.attributes("tbody tr", "data-point")]
    assert order == np.argsort(grid["peak_force"].reshape(-1)).tolist()
