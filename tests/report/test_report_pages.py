"""Reports opened and used in a real browser: no complaint, and pictures of the right numbers."""

import re
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from browser import RATIO, WIDTH, Page
from chart_reading import (
    LEFT,
    RIGHT,
    bars,
    charts_of,
    ends,
    lines,
    number,
    series_count,
    values_at,
)
from report_samples import page, payload, results

import gough
from gough.analysis.axes import LEG, NUMBER
from gough.analysis.plot import plot_quantity
from gough.analysis.results import Quantity
from gough.report.packing import MOST_POINTS
from gough.report.study_page import study_page

KINDS = ("circle", "turn", "simulation", "grid")
STUDIES = KINDS[:3]


def clock(opened_page):
    return float(opened_page.texts(".clock")[0].removesuffix(" s"))


def box(p, selector=".chart-overlay", k=0):
    """The width between the axes of a chart, and its overlay's width and height."""
    width, height = p.size(selector, k)
    return width - LEFT - RIGHT, width, height


POINT_AT_ALL = """async () => {
  const picture = () => new Promise(requestAnimationFrame), silent = [];
  for (const chart of document.querySelectorAll(".chart-frame")) {
    chart.scrollIntoView({ block: "center" });
    await sightTold();
    const overlay = chart.querySelector(".chart-overlay");
    const { left, top, width } = overlay.getBoundingClientRect();
    const tell = (kind) => overlay.dispatchEvent(
      new PointerEvent(kind, { clientX: left + width / 3, clientY: top + 90 }));
    const readout = chart.querySelector(".readout");
    for (let n = 0; n < 10 && readout.hidden; n += 1) { // a reader's pointer moves on and on
      tell("pointermove");
      await picture();
    }
    if (readout.hidden) silent.push(overlay.ariaLabel);
    tell("pointerleave");
  }
  return silent;
}"""


@pytest.mark.parametrize(
    ("kind", "width", "theme"),
    [
        ("circle", 1920, "dark"),
        ("simulation", 400, "dark"),
        ("grid", 400, "light"),
    ],
)
def test_a_reader_can_point_at_every_chart_at_any_width_in_light_and_dark(
    opened, kind, width, theme
):
    p = opened(kind)
    p.resize(width)
    p.tab.emulate_media(color_scheme=theme)
    assert p.do(POINT_AT_ALL) == []
    wider = "() => document.documentElement.scrollWidth > innerWidth"
    assert not p.do(wider)  # nothing makes the page scroll sideways


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_can_press_everything(opened, kind):
    p = opened(kind)
    for selector in (".legend-entry", ".chooser button", "button.time", "thead button", "tbody tr"):
        p.press_all(selector)
    for k in {0, p.count(".chart-overlay") - 1}:
        _, wide, _ = box(p, k=k)
        p.drag(".chart-overlay", (wide / 3, 60), (wide / 2, 80), k)
        for key in ("ArrowLeft", "ArrowRight", "Home", "End", "+", "-", "+", "Escape"):
            assert p.key(".chart-overlay", key, k)
        assert not p.key(".chart-overlay", "x", k)
        p.press(".chart-overlay", k, twice=True)
    assert p.count("details summary") == p.count("details") >= 2


@pytest.mark.parametrize("kind", STUDIES)
def test_the_machine_can_be_played(opened, kind):
    p = opened(kind, clock=True)
    before = p.pixels("#scene canvas")
    p.element(".player select").select_option("0.5")
    p.press_all(".play")
    p.pass_time(0.4)
    assert clock(p) == pytest.approx(0.2, abs=0.03)
    assert p.attributes(".play", "aria-label") == ["Pause"]
    assert p.pixels("#scene canvas") != before
    p.press_all(".play")
    stopped = clock(p)
    p.pass_time(0.5)
    assert clock(p) == stopped


def test_the_machine_is_turned_zoomed_and_set_back(opened):
    p = opened("turn")
    scene = "#scene canvas"
    p.point(scene, 5, 5)
    still = p.pixels(scene)
    seen = [still]
    p.drag(scene, (100, 100), (180, 140))
    seen.append(p.pixels(scene))
    for key in ("ArrowLeft", "ArrowUp", "+"):
        assert p.key(scene, key)
        seen.append(p.pixels(scene))
    assert not p.key(scene, "x")
    p.point(scene, 100, 100)
    for held in (False, True):
        if held:
            p.tab.keyboard.down("Control")
        p.tab.mouse.wheel(0, -30)
        p.pictures()
        if held:
            p.tab.keyboard.up("Control")
            seen.append(p.pixels(scene))
        else:
            assert p.pixels(scene) == seen[-1]  # a plain wheel scrolls the page
    assert len(set(seen)) == len(seen)
    p.press("#scene-tools button", 2)
    assert p.pixels(scene) == still
    p.press("#scene-tools button", 1)
    p.press("#scene-tools button", 0)
    assert p.pixels(scene) == still


def test_pointing_at_a_leg_names_it_with_its_force(opened):
    p, found = opened("circle"), results("circle")
    labels = [d for d in p.drawings("#scene canvas")[0] if d["kind"] == "text"]
    numbers = [d for d in labels if d["text"].isdigit()]
    assert [d["text"] for d in numbers] == list("123456")
    named = 0
    for leg, drawn in enumerate(numbers):
        x, y = drawn["points"][0]
        p.point("#scene canvas", x, y)
        words = p.texts("#scene .readout")[0]
        if not p.is_hidden("#scene .readout") and words.startswith(f"Leg {leg + 1}"):
            named += 1
            assert number(words.removeprefix(f"Leg {leg + 1}").removesuffix(" N")) == pytest.approx(
                found["force"][0, leg], abs=0.5
            )
    assert named >= 4  # the others may stand behind
    p.point("#scene canvas", 5, 5)
    assert p.is_hidden("#scene .readout")


def test_a_browser_without_webgl_says_so_and_shows_the_rest(opened):
    no_webgl = """<script>
      const real = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function get(kind) {
        return kind === "2d" ? real.call(this, kind) : null;
      };
    </script>"""
    p = opened("", page("circle").replace("<body>", f"<body>{no_webgl}"))
    assert "no WebGL2" in p.texts("#scene")[0]
    p.slide(".track input", 500)
    assert clock(p) == pytest.approx(2.0, abs=1e-3)
    assert lines(p.drawings()[0])
    p.press("#scene-tools button", 2)


class Seen(NamedTuple):
    """What a reader who scrolls through a page sees of its charts, one by one."""

    drawings: list
    sizes: list
    """Width and height [pixels], and the pixels of the screen across."""
    labels: list
    values: list
    titles: list
    legs: list
    """The colours of the legs."""


@pytest.fixture(scope="module")
def seen(tabs, tmp_path_factory):
    """What is seen of a page that nobody touched, opened once for all tests that only look."""

    @cache
    def look(kind, width):
        path = tmp_path_factory.mktemp("seen") / "page.html"
        path.write_text(page(kind), encoding="utf-8")
        p = Page(tabs, path)
        p.resize(width)
        p.scroll_through()
        sizes = "(c) => c.map((e) => [e.clientWidth, e.clientHeight, e.width])"
        found = Seen(
            p.drawings(),
            p.tab.locator(".chart-picture").evaluate_all(sizes),
            p.attributes(".chart-overlay", "aria-label"),
            p.attributes(".chart-overlay", "aria-valuetext"),
            p.texts(".chart-card h3"),
            [p.colour(f"--series-{leg}") for leg in range(1, 7)],
        )
        assert p.complaints() == []
        p.tab.close()
        return found

    return lambda kind, width=WIDTH: look(kind, width)


@pytest.mark.parametrize(
    ("kind", "width"), [("circle", WIDTH), ("simulation", WIDTH), ("circle", 500)]
)
def test_every_chart_has_all_its_lines_inside_its_picture(seen, kind, width):
    data, looks = payload(page(kind)), seen(kind, width)
    charts = charts_of(data)
    for chart, drawings, (wide, high, pixels) in zip(charts, *looks[:2], strict=True):
        assert abs(pixels - RATIO * wide) <= 0.5
        drawn = lines(drawings, dashed=True)
        assert len(drawn) == series_count(chart, data), chart["title"]
        x, y = np.concatenate([np.array(d["points"]) for d in drawn]).T
        assert x.min() == pytest.approx(LEFT, abs=0.6)
        assert x.max() == pytest.approx(wide - RIGHT, abs=0.6)
        if not chart.get("mayCut"):
            assert 0 < y.min() <= y.max() < high
        if chart["kind"] == "legs":
            assert len({d["look"] for d in drawn}) == 6


@pytest.mark.parametrize(
    ("kind", "name", "scale"),
    [
        ("circle", "force", 1.0),
        ("circle", "leg_speed", 1.0),
        ("circle", "joint_tilt", 180 / np.pi),
        ("simulation", "command", 1.0),
        ("simulation", "leg_length_error", 1e3),
        ("turn", "leg_length", 1.0),
    ],
)
def test_lines_stand_where_the_axis_says_that_the_numbers_are(seen, kind, name, scale):
    data = payload(page(kind))
    place = [chart.get("quantity") for chart in charts_of(data)].index(name)
    drawings = seen(kind).drawings[place]
    pixel = abs(np.diff(values_at(drawings, [0, 1]))[0])
    values = scale * results(kind)[name]
    for leg, drawn in enumerate(lines(drawings)):
        assert leg >= 6 or drawn["look"] == seen(kind).legs[leg]
        _, heights = np.array(drawn["points"]).T
        top, bottom = values_at(drawings, [heights.min(), heights.max()])
        assert top == pytest.approx(values[:, leg].max(), abs=pixel)
        assert bottom == pytest.approx(values[:, leg].min(), abs=pixel)
        if len(values) <= MOST_POINTS:
            assert values_at(drawings, heights[0]) == pytest.approx(values[0, leg], abs=pixel)


def test_the_clock_the_forces_and_the_charts_follow_the_slider(opened):
    p, found = opened("circle"), results("circle")
    for place in (50, 120, 200):
        p.slide(".track input", 1000 * place / 200)
        assert clock(p) == pytest.approx(found.time[place], abs=1e-3)
        shown = [number(text.removesuffix(" N")) for text in p.texts(".force-cell b")]
        np.testing.assert_allclose(shown, found["force"][place], atol=0.5)
        between, *_ = box(p)
        (cursor,) = [d for d in p.drawings(".chart-overlay")[0] if d["kind"] == "stroke"]
        expected = LEFT + found.time[place] / 4 * between
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


def test_legs_have_the_colours_of_the_other_figures(seen):
    (axis,) = plot_quantity(results("circle"), "force")
    drawn = [line.get_color().lower() for line in axis.get_lines() if line.get_linestyle() == "-"]
    assert drawn[:6] == seen("circle").legs


COLOURS_OF = """(selector) => {
  const canvas = document.querySelector(selector), { width, height } = canvas;
  const copy = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  let [blue, orange, red] = [0, 0, 0];
  for (let k = 0; k < data.length; k += 4) {
    const [r, g, b] = data.slice(k, k + 3);
    blue += b > r + 60;
    orange += r > b + 60 && g > 0.5 * r;
    red += r > b + 60 && g < 0.45 * r;
  }
  return [blue, orange, red];
}"""


def with_force(force):
    """The page of the circle with the same force in all legs."""
    found = results("circle")
    same = replace(found.quantities["force"], values=np.full((201, 6), force))
    return study_page(replace(found, quantities={**found.quantities, "force": same}))


def test_legs_are_coloured_by_their_forces(opened):
    p, found = opened("circle"), results("circle")
    p.slide(".track input", 400)
    swatches = p.backgrounds(".force-cell i")
    assert np.abs(np.diff(np.sort(found["force"][80]))).min() > 5.0  # six different forces
    assert len(set(swatches)) == 6
    pulling = opened("", with_force(-120.0))
    assert len(set(pulling.backgrounds(".force-cell i"))) == 1
    blue, orange, _ = pulling.do(COLOURS_OF, "#scene canvas")
    assert blue > 50 * max(orange, 100)
    blue, orange, _ = opened("", with_force(60.0)).do(COLOURS_OF, "#scene canvas")
    assert orange > 2 * max(blue, 1000)  # the way of the platform is blue as well


def test_legs_without_a_force_are_striped_and_said_to_be_singular(opened):
    p = opened("turn")
    (time,) = payload(page("turn"))["singular_times"]
    *_, before = p.do(COLOURS_OF, "#scene canvas")
    p.press("button.time", p.attributes("button.time", "data-time").index(repr(time)))
    assert clock(p) == pytest.approx(time, abs=1e-3)
    assert set(p.texts(".force-cell b")) == {"singular"}
    p.element("#scene").scroll_into_view_if_needed()
    p.pictures()
    *_, red = p.do(COLOURS_OF, "#scene canvas")
    assert red > before + 5_000
    marks = [d for d in p.drawings()[0] if d["dash"] == [2, 3]]
    assert len(marks) == 1


def test_pointing_at_a_chart_shows_its_values_there(opened):
    p, found = opened("circle"), results("circle")
    between, *_ = box(p)
    p.point(".chart-overlay", LEFT + between / 2, 50)
    assert p.texts(".readout b")[0] == "2.0000 s"
    shown = [number(text) for text in p.texts(".chart-frame .readout em")[:6]]
    np.testing.assert_allclose(shown, found["force"][100], atol=0.2)
    p.tab.mouse.move(0, 0)
    p.pictures()
    assert p.is_hidden(".chart-frame .readout")


def test_dragging_over_a_chart_zooms_all_of_them(opened):
    p = opened("circle")
    p.scroll_through()
    whole = p.drawings()
    between, *_ = box(p)
    per_second = between / 4
    p.drag(".chart-overlay", (LEFT + 0.99 * per_second, 40), (LEFT + 3.01 * per_second, 60))
    p.scroll_through()
    for drawings in p.drawings():
        ticks = [d for d in drawings if d["kind"] == "text" and d["points"][0][0] > LEFT]
        times = [number(d["text"].removesuffix(" s")) for d in ticks if d["text"][0].isdigit()]
        assert min(times) == pytest.approx(1.0, abs=0.1)
        assert max(times) == pytest.approx(3.0, abs=0.1)
    p.press(".player .plain")
    p.scroll_through()
    assert p.drawings() == whole
    assert p.element(".player .plain").is_disabled()


def test_a_leg_that_is_hidden_leaves_all_charts_of_legs(opened):
    p, data = opened("circle"), payload(page("circle"))
    entry = p.texts(".legend-entry").index("3")
    p.press(".legend-entry", entry)
    assert p.attributes(".legend-entry", "aria-pressed")[entry] == "false"
    p.scroll_through()
    gone = p.colour("--series-3")
    for chart, drawings in zip(charts_of(data), p.drawings(), strict=True):
        if chart["kind"] == "legs":
            looks = [d["look"] for d in lines(drawings)]
            assert len(looks) == 5
            assert gone not in looks
    p.press(".legend-entry", entry, twice=True)
    p.scroll_through()
    assert len(lines(p.drawings()[0])) == 1


def test_dark_pages_are_drawn_in_dark_colours(opened):
    p = opened("circle")
    light, scene = lines(p.drawings()[0])[0]["look"], p.pixels("#scene canvas")
    p.tab.emulate_media(color_scheme="dark")
    p.pictures()
    dark = lines(p.drawings()[0])[0]["look"]
    assert dark == p.colour("--series-1") != light
    assert p.pixels("#scene canvas") != scene


def test_a_page_can_be_used_with_the_keyboard_alone(opened):
    p, found = opened("circle"), results("circle")
    p.tab.keyboard.press(" ")
    assert p.do("() => keyHandled")
    p.pictures(30)
    assert clock(p) > 0.3
    p.key(".chart-overlay", " ")
    p.key(".chart-overlay", "Home")
    assert clock(p) == 0.0
    for _ in range(3):
        p.key(".chart-overlay", "Shift+ArrowRight")
    assert clock(p) == pytest.approx(found.time[3], abs=1e-3)
    told = p.attributes(".chart-overlay", "aria-valuetext")[0]
    assert told.startswith("0.060000 s: Leg 1 ")
    spoken = [number(text.split()[-1]) for text in told.split(": ")[1].split(", ")]
    np.testing.assert_allclose(spoken, found["force"][3], atol=0.2)
    assert not p.key("button.time", " ")  # a button keeps its own keys
    assert set(p.attributes(".chart-overlay", "role")) == {"slider"}
    assert p.do("() => document.querySelector('.chart-overlay').tabIndex") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_charts_say_in_words_what_they_show(seen, kind):
    for words in seen(kind).labels:
        assert re.match(r".+ \[.+\] over .+\. .+: .+\.$", words)
    for words in seen(kind).values:
        assert re.match(r"\S.*: .+", words)


def test_the_words_of_a_chart_have_its_range(seen):
    words = seen("circle").labels[0]
    assert words.startswith("Actuator force [N] over time [s]. ")
    ranges = re.findall(r"Leg \d: (\S+) to (\S+?)[;.]", words)
    found = np.array([[number(low), number(high)] for low, high in ranges])
    force = results("circle")["force"]
    np.testing.assert_allclose(found, np.stack([force.min(0), force.max(0)], 1), rtol=6e-3, atol=1)


PRINT, STOP = (f"() => dispatchEvent(new Event('{when}print'))" for when in ("before", "after"))


def test_charts_that_were_never_in_sight_are_drawn_for_printing(opened):
    p = opened("circle")
    p.pictures()
    first, *_, last = p.drawings()
    assert first
    assert not last
    p.do(PRINT)
    assert all(p.drawings())


def test_paper_has_light_colours_and_everything_unfolded(opened):
    p = opened("circle")
    light = p.colour("--series-1")
    p.tab.emulate_media(color_scheme="dark")
    p.pictures()
    on_screen = p.colour("--series-1")
    assert on_screen != light
    p.do(PRINT)
    assert all(light in [d["look"] for d in drawn] for drawn in p.drawings()[:2])
    count = p.count("details")
    assert p.count("details[open]") == count > 1
    p.do(STOP)
    assert all(on_screen in [d["look"] for d in drawn] for drawn in p.drawings()[:2])
    assert p.count("details[open]") == 0


def test_those_who_want_little_motion_see_few_pictures(opened):
    p = opened("circle", clock=True)
    p.tab.emulate_media(reduced_motion="reduce")
    p.press_all(".play")
    times = []
    for _ in range(20):
        p.pass_time(0.1)
        times.append(clock(p))
    assert 4 <= len(set(times)) <= 6
    assert times[-1] == pytest.approx(2.0, abs=0.6)


def test_a_simulation_shows_what_was_wanted_and_what_was_reached(seen):
    data, found = payload(page("simulation")), results("simulation")
    titles = [chart["title"] for chart in charts_of(data)]
    way, turn = (
        seen("simulation").drawings[titles.index(f"{word}, wanted and reached")]
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
    p.scroll_through()
    (section,) = [part for part in data["sections"] if part["title"] == "Further quantities"]
    facts = {c["title"]: data["quantities"][c["quantity"]] for c in section["charts"]}
    assert {title: (q["unit"], q["meaning"]) for title, q in facts.items()} == {
        "Supply": ("V", "of the amplifiers"),
        "Modes": ("Hz", "of the machine"),
        "Current": ("A", "of each motor"),
    }
    places = [chart["title"] for chart in charts_of(data)]
    drawn = p.drawings()
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
    p.scroll_through()
    titles = [chart["title"] for chart in charts_of(payload(page("simulation")))]
    drawings = p.drawings()[titles.index("Command")]
    bands = [d for d in drawings if d["look"] == p.colour("--alert-ground")]
    between, *_ = box(p, k=titles.index("Command"))
    edges = np.array([d["points"] for d in bands])[:, :, 0]
    first = 1.6 * np.arcsin(1 / 1.5) / (2 * np.pi)
    expected = np.array([[first, 0.8 - first], [0.8 + first, 1.6 - first]])
    times = 1.6 * (edges - LEFT) / between
    np.testing.assert_allclose(times, expected, atol=2.1e-3)
    assert "Shaded: a command is at its limit." in p.texts(".chart-note")
    limits = [d for d in drawings if d["dash"] == [7, 4] and d["kind"] == "stroke"]
    shown = values_at(drawings, [d["points"][0][1] for d in limits])
    np.testing.assert_allclose(sorted(shown), [-limit, limit], rtol=0.01)


def test_a_grid_is_drawn_along_each_of_its_variations(seen):
    grid = results("grid")
    peak = grid["peak_force"]
    start = np.unravel_index(np.argmax(peak), peak.shape)
    drawings, _ = seen("grid").drawings
    whole, *legs = lines(drawings)
    assert len(legs) == 6
    heights = np.array(whole["points"])[:, 1]
    pixel = abs(np.diff(values_at(drawings, [0, 1]))[0])
    np.testing.assert_allclose(values_at(drawings, heights), peak[:, start[1]], atol=pixel)


def test_values_without_order_have_bars_that_no_line_joins(seen):
    grid = results("grid")
    start = np.unravel_index(np.argmax(grid["peak_force"]), grid["peak_force"].shape)
    _, drawings = seen("grid").drawings
    drawn = bars(drawings)
    assert not lines(drawings)
    expected = np.column_stack([grid["peak_force"][start[0]], grid.per_leg("peak_force")[start[0]]])
    assert len(drawn) == expected.size
    pixel = abs(np.diff(values_at(drawings, [0, 1]))[0])
    tops = values_at(drawings, [top for *_, top in drawn]).reshape(7, -1).T
    np.testing.assert_allclose(tops, expected, atol=pixel)
    lefts = np.array([left for _, left, _ in drawn]).reshape(7, -1).T.ravel()
    assert (np.diff(lefts) > 2).all()  # side by side


def test_a_grid_without_forces_opens_on_a_chart_with_lines(seen):
    grid = results("singular grid")
    (drawings,) = seen("singular grid").drawings
    heights = np.array(lines(drawings)[0]["points"])[:, 1]
    pixel = abs(np.diff(values_at(drawings, [0, 1]))[0])
    margins = grid["minimum_stroke_margin"]
    np.testing.assert_allclose(values_at(drawings, heights), margins, atol=pixel)
    assert "Stroke margin" in seen("singular grid").titles[0]


def test_points_of_a_grid_are_chosen_and_sorted(opened):
    p, grid = opened("grid"), results("grid")
    p.press(".all tbody tr", 2)
    assert p.chosen("select")[1:] == ["1", "0"]
    assert p.attributes(".all tbody tr", "aria-current").index("true") == 2
    assert p.texts("#point") == ["2"]
    assert p.key(".all tbody tr", "Enter", 5)
    assert p.chosen("select")[1:] == ["2", "1"]
    p.choose("#figure", 2)
    assert "Peak power" in p.texts(".chart-card h3")[0]
    column = p.texts("thead button").index("Peak force")
    p.press("thead button", column)
    order = [int(point) for point in p.attributes(".all tbody tr", "data-point")]
    assert order == np.argsort(grid["peak_force"].reshape(-1)).tolist()


def test_a_grid_leaves_out_what_is_not_feasible_and_leads_to_the_best(opened):
    p, grid = opened("grid"), results("grid")
    feasible = grid.feasible.reshape(-1)
    best = np.ravel_multi_index(grid.best("peak_force"), grid.shape)
    assert p.texts("#best")[0].startswith(f"{feasible.sum()} of 6 points are feasible")
    assert not any(p.is_hidden(".all tbody tr", k) for k in range(6))
    p.press("#only-feasible")
    assert [not p.is_hidden(".all tbody tr", k) for k in range(6)] == feasible.tolist()
    p.press("#best button")
    assert p.texts("#point") == [str(best)]
    classes = p.attributes(".heat", "class")
    assert ["infeasible" not in names for names in classes] == feasible.tolist()
    assert [k for k, names in enumerate(classes) if "best" in names.split()] == [best]
    p.press("#only-feasible")
    p.press(".heat", 4)
    assert p.texts("#point") == ["4"]
