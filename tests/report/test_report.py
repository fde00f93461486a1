"""Reports: whole in one file, warnings first, with units; no number where none is known."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from report_samples import page, payload, results, unpack

import gough
from gough.analysis.results import Scalar
from gough.report import write_report
from gough.report.assembly import in_few_lines, inputs
from gough.report.packing import MOST_POINTS, pack, thin, thin_times
from gough.report.study_page import grid_page, study_page
from gough.report.text import number_text, unit_text
from gough.studies.grid_results import GridFigure

VOID = {"meta", "link", "input", "br"}
KINDS = ("circle", "turn", "down", "long", "grid", "singular grid", "simulation")


class Outline(HTMLParser):
    """Collects attributes and complains of tags that are not closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.attributes, self.words = [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def parsed(text):
    outline = Outline()
    outline.feed(text)
    assert outline.open == []
    return outline


def cells(text, title):
    """The rows of the table with this title."""
    table = text[text.index(f"<h3>{title}</h3>") :]
    table = table[: table.index("</table>")]
    rows = re.findall(r"<tr>(.*?)</tr>", table)
    return [[re.sub(r"<.*?>", "", c) for c in re.findall(r"<t[hd].*?</t[hd]>", r)] for r in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_asks_for_nothing_from_elsewhere(kind):
    text = page(kind)
    assert not re.search(r"https?:|//[a-z]+\.[a-z]|@import|url\(|import\s*\(|fetch\(", text)
    for tag, name, value in parsed(text).attributes:
        assert name not in ("src", "srcset", "action")
        assert name != "href" or value == "data:,", tag


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_well_formed_small_and_has_data_of_plain_json(kind):
    text = page(kind)
    parsed(text)
    assert payload(text)
    assert len(text.encode()) < 2_360_000  # positions, speeds, reactions, force parts, base wrench


def test_writing_gives_the_page_and_a_date_only_if_asked(tmp_path):
    write_report(results("circle"), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page("circle")
    write_report(results("grid"), tmp_path / "grid.html", date="2026-01-02")
    assert "<b>2026-01-02</b>" in (tmp_path / "grid.html").read_text(encoding="utf-8")
    assert ">Date " not in page("circle")


def test_an_unwritable_place_is_a_clear_error(tmp_path):
    with pytest.raises(gough.GoughError, match="cannot be written"):
        write_report(results("circle"), tmp_path / "no" / "report.html")


def test_warnings_stand_before_all_figures():
    text = page("turn")
    assert text.index("4 warnings") < text.index('class="figures"') < text.index("<table")
    assert "singular configuration" in text[text.index("<main>") : text.index('class="figures"')]
    assert "No warnings" in page("circle")


def test_tables_have_the_figures_of_every_leg_with_units():
    rows = cells(page("circle"), "Forces, power and energy")
    assert rows[0][1:3] == ["Peak force [N]", "RMS force [N]"]
    assert "Energy spent [J]" in rows[0]
    summary = results("circle").summary
    for leg in range(6):
        assert rows[leg + 1][0] == str(leg + 1)
        assert rows[leg + 1][1] == number_text(summary["peak_force"].per_leg[leg])
        assert rows[leg + 1][3] == number_text(summary["minimum_force_margin"].per_leg[leg])
    joints = cells(page("circle"), "Positions, speeds and joints")
    assert "Peak speed [m/s]" in joints[0]


def test_every_figure_of_the_summary_is_on_the_page():
    text, summary = page("circle"), results("circle").summary
    for figure in summary.values():
        shown = np.degrees(figure.value) if figure.unit == "rad" else figure.value
        if "deflection" in figure.name:  # in mm and mrad
            shown = 1e3 * figure.value
        assert number_text(shown) in text, figure.name


def test_the_first_cards_choose_actuators():
    cards = re.findall(r"<dt>(.*?)</dt>", page("circle"))
    assert cards[:3] == ["Stroke used", "Peak leg speed", "Peak force"]
    assert cards[4] == "Peak power"


def test_minor_figures_are_below_the_fold():
    above, _, below = page("circle").partition('<details class="minor">')
    for name in ("Minimum determinant", "Sine to first axis"):
        assert name in below
        assert name not in above


def test_charts_of_zeros_are_one_line_and_slides_are_not_drawn_twice():
    found = results("circle")
    wrench = found.quantity("wrench")
    still = replace(wrench, values=0.0 * wrench.values)
    data = payload(study_page(replace(found, quantities={**found.quantities, "wrench": still})))
    (section,) = [s for s in data["sections"] if s["title"].startswith("Motion and load")]
    assert section["zero"] == ["Force of the tasks", "Moment of the tasks"]
    charted = {chart["quantity"] for chart in section["charts"]}
    assert not any(key.startswith("wrench.") for key in {*charted, *data["quantities"]})
    assert "joint_speed.m/s" not in data["quantities"]
    slides = [unit == "m/s" for unit in found.quantity("joint_speed").units]
    np.testing.assert_allclose(found["joint_speed"][:, slides], found["leg_speed"], atol=1e-14)


def test_every_quantity_is_charted_with_its_unit():
    data = payload(page("circle"))
    charted = {key.split(".")[0] for key in data["quantities"]}
    assert charted == set(results("circle").quantities)
    for key, quantity in data["quantities"].items():
        assert quantity["unit"], key
    assert data["quantities"]["joint_tilt"]["unit"] == "deg"
    assert data["quantities"]["leg_acceleration"]["unit"] == "m/s²"


def test_charted_numbers_are_those_of_the_study():
    data, found = payload(page("circle")), results("circle")
    force = unpack(data["quantities"]["force"]["packed"])
    np.testing.assert_allclose(force.T, found["force"], atol=np.ptp(found["force"]) / 30_000)
    np.testing.assert_allclose(unpack(data["time"])[0], found.time, atol=1e-5)
    size = np.linalg.norm(found["joint_force"], axis=2)
    drawn = unpack(data["quantities"]["joint_force.size"]["packed"])
    np.testing.assert_allclose(drawn.T, size, atol=np.ptp(size) / 30_000)


def test_peaks_beside_a_singular_configuration_take_nothing_from_other_values():
    data, found = payload(page("down")), results("down")
    assert np.nanmax(found["force"]) > 500 * found["force"][0].max()
    for packed in (data["quantities"]["force"]["packed"], data["machine"]["force"]):
        force = unpack(packed)
        before, step = found["force"][:500].T, 2e-4 * np.abs(found["force"][:500]).max()
        np.testing.assert_allclose(force[:, :500], before, rtol=0, atol=step)
        np.testing.assert_allclose(np.nanmax(force), np.nanmax(found["force"]), rtol=1e-6)


def test_the_machine_that_is_drawn_is_the_machine_that_was_studied():
    machine, found = payload(page("circle"))["machine"], results("circle")
    pose = unpack(machine["pose"]).T
    np.testing.assert_allclose(pose, found["pose"], atol=1e-5)
    feet, tops = np.array(machine["base"]), np.array(machine["platform"])
    placed = pose[:, None, :3] + np.einsum("tij,nj->tni", gough.rotation(pose).as_matrix(), tops)
    lengths = np.linalg.norm(placed - feet, axis=2)
    np.testing.assert_allclose(lengths, found["leg_length"], atol=2e-5)
    assert [scale["unit"] for scale in machine["scales"]] == ["N"]
    assert machine["scales"][0]["limit"] >= found.summary["peak_force"].value


def test_at_singular_configurations_forces_are_not_numbers():
    text, found = page("turn"), results("turn")
    data, (point,) = payload(text), found.singularities
    assert data["singular_times"] == [point.time]
    near = int(np.argmin(np.abs(found.time - point.time)))
    assert all(row[near] is None for row in data["quantities"]["force"]["packed"]["rows"])
    assert None in data["machine"]["force"]["rows"][0]
    assert "no bound, not shown as numbers" in text
    rows = cells(text, "Forces, power and energy")
    assert {row[1] for row in rows[1:8]} == {"–"}
    assert "crossed" in cells(text, "Singular configurations on the way")[1]


def test_a_leg_that_leaves_its_stroke_is_marked_with_more_than_a_colour():
    place = cells(page("turn"), "Positions, speeds and joints")
    column = place[0].index("Stroke margin [m]")
    assert all(row[column].startswith("⚠ −") for row in place[1:7])


@pytest.mark.parametrize("name", ["current", "voltage"])
def test_a_motor_beyond_its_limits_is_marked_and_counted(name):
    found = results("circle")
    figure = f"minimum_{name}_margin"
    beyond = Scalar(figure, "A", "what is left", -2.0, (1.0, -2.0, 3.0, 4.0, 5.0, 6.0), 2, 0.5)
    text = study_page(replace(found, summary={**found.summary, figure: beyond}))
    rows = cells(text, "Motors")
    column = rows[0].index(f"{name.capitalize()} margin [A]")
    assert [row[column].startswith("⚠ −") for row in rows[1:7]] == [False, True, *[False] * 4]
    grid = results("grid")
    margins = np.array([[1.0, -1.0], [-2.0, 3.0], [-4.0, 5.0]])
    figures = {figure: GridFigure(figure, "A", "what is left", margins)}
    (warning,) = replace(grid, figures=figures).remarks()
    assert warning.startswith(f"3 of 6 points exceed the {name} of")


def test_shares_by_cause_and_by_coupling_stand_apart():
    title = "Peak contributions to the force, by"
    cause, coupling = (cells(page("circle"), f"{title} {word}") for word in ("cause", "coupling"))
    assert cause[0] == [
        "Leg",
        *(f"{w} [N]" for w in ("Weights", "Acceleration", "Velocity", "Tasks", "Joints")),
    ]
    assert coupling[0][1:4] == ["Platform [N]", "Legs&#39; weight [N]", "Tangential [N]"]
    peaks = np.abs(results("circle")["gravity_share"]).max(axis=0)
    assert [row[1] for row in cause[1:7]] == [number_text(peak) for peak in peaks]


def test_rounding_noise_is_shown_as_nothing_and_as_no_worst_leg():
    found = results("circle")
    spent = Scalar("energy_spent", "J", "put in", 300.0, (50.0,) * 6)
    noise = Scalar("energy_net", "J", "kept", -4e-12, (-4.1e-12, 2e-12, 0.0, 1e-13, 3e-12, -1e-12))
    power = Scalar("peak_power", "W", "at most", 80.0, (80.0, 5e-12, 3e-4, 1.0, 2.0, 3.0), 1, 0.5)
    summary = {figure.name: figure for figure in (spent, noise, power)}
    text = study_page(replace(found, summary=summary))
    rows = cells(text, "Forces, power and energy")
    assert [row[rows[0].index("Net energy [J]")] for row in rows[1:8]] == ["0"] * 7
    assert [row[1] for row in rows[1:4]] == ["80.00", "0", "0.0003000"]
    assert text.count('class="worst"') == 1  # the peak power; all energies are alike
    grid = results("grid")
    spent, net = (
        GridFigure(name, "J", "", size * np.ones(grid.shape), size * np.ones((*grid.shape, 6)))
        for name, size in (("energy_spent", 300.0), ("energy_net", 4e-12))
    )
    text = grid_page(replace(grid, figures={"energy_spent": spent, "energy_net": net}))
    drawn = [payload(text)["figures"][1][name] for name in ("packed", "per_leg")]
    assert not any(unpack(packed).any() for packed in drawn)


def test_a_long_study_keeps_its_peaks():
    data, found = payload(page("long")), results("long")
    force = unpack(data["quantities"]["force"]["packed"])
    assert force.shape[1] <= MOST_POINTS
    assert unpack(data["time"])[0, 0] == 0.0
    step = max(data["quantities"]["force"]["packed"]["step"])
    np.testing.assert_allclose(force.max(axis=1), found["force"].max(axis=0), atol=step)
    np.testing.assert_allclose(force.min(axis=1), found["force"].min(axis=0), atol=step)
    most = -(-100_000 // (MOST_POINTS // 2))  # samples for each pair of points
    assert f"Charts show <b>minimum and maximum of every {most} samples</b>" in page("long")
    assert "Charts show" not in page("circle")


def test_names_cannot_break_out_of_the_page():
    name = "</script><script>alert(1)</script><b>&\u2028\"' $title ${x} {{ 7 * 7 }} {% raw %}"
    found = results("circle")
    robot = found.robot.model_copy(update={"name": name})
    study = {**found.study, "name": name, "notes": name}
    wicked = replace(found, robot=robot, study=study, warnings=(name,))
    text = study_page(wicked)
    outline = parsed(text)
    assert [tag for tag, *_ in outline.attributes].count("script") == 3  # types, and id of the data
    assert text.count("<script") == page("circle").count("<script")
    assert "alert(1)</script>" not in text
    assert name in "".join(outline.words)
    grid = results("grid")
    axes = (replace(grid.variations[0], name=name), *grid.variations[1:])
    text = grid_page(replace(grid, variations=axes, errors=(name, *grid.errors[1:])))
    parsed(text)
    assert text.count("<script") == page("grid").count("<script")
    assert payload(text)["variations"][0]["name"] == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (":x: [bold]", ":x: [bold]"),
        ("\x1b[31mred", "␛[31mred"),
        ("مرحبا <i>", "مرحبا &lt;i&gt;"),
        ("旋转 " * 200, "旋转 " * 200),
    ],
)
def test_names_are_shown_as_they_are(name, shown):
    found = results("circle")
    text = study_page(replace(found, study={**found.study, "name": name}, warnings=(name,)))
    assert f'<h1 dir="auto">{shown}</h1>' in text
    assert shown.strip()[1:] in text[text.index('class="warnings"') :]
    assert "\x1b" not in text


def test_folders_of_the_machine_that_made_it_are_not_on_the_page():
    study = {"motion": {"file": "/home/me/data/ride.csv"}, "tasks": [{"file": r"C:\me\load.csv"}]}
    text = str(inputs(study))
    assert "/home" not in text
    assert "C:" not in text
    assert "ride.csv" in text
    assert "load.csv" in text


def test_a_study_of_few_quantities_has_a_page_as_well():
    found = results("circle")
    few = {name: found.quantities[name] for name in ("pose", "leg_length", "force", "determinant")}
    text = study_page(replace(found, quantities=few, summary={}))
    assert set(payload(text)["quantities"]) >= {"force", "leg_length", "determinant"}
    parsed(text)


def test_forces_that_are_nowhere_known_leave_an_empty_chart():
    found = results("circle")
    force = replace(found.quantities["force"], values=np.full((201, 6), np.nan))
    data = payload(study_page(replace(found, quantities={**found.quantities, "force": force})))
    assert [scale["limit"] for scale in data["machine"]["scales"]] == [1.0]
    assert "force" not in data["quantities"]


def test_the_same_results_give_the_same_page():
    assert study_page(results("circle")) == page("circle")


def test_a_grid_page_has_every_point_and_every_figure():
    text, grid = page("grid"), results("grid")
    data = payload(text)
    assert [v["values"] for v in data["variations"]] == [
        [0.95, 0.99, 1.25],
        ["[0, 0, -100]", "[200, 0, -300]"],
    ]
    assert [v["numeric"] for v in data["variations"]] == [True, False]
    assert len(data["figures"]) == len(grid.figures)
    peak = data["figures"][0]
    assert (peak["title"], peak["unit"]) == ("Peak force", "N")
    values = grid["peak_force"].reshape(-1)
    np.testing.assert_allclose(unpack(peak["packed"])[0], values, atol=peak["packed"]["step"][0])
    legs = grid.per_leg("peak_force").reshape(-1, 6)
    np.testing.assert_allclose(unpack(peak["per_leg"]).T, legs, atol=max(peak["per_leg"]["step"]))
    assert text.count("<tr data-point=") == 6
    assert data["start"] == int(np.argmax(values))


def test_a_grid_without_forces_opens_on_a_figure_that_has_numbers():
    data, grid = payload(page("singular grid")), results("singular grid")
    assert not np.isfinite(grid["peak_force"]).any()
    assert data["figures"][0]["title"] == "Stroke margin"
    assert data["start"] == int(np.argmin(grid["minimum_stroke_margin"]))
    assert len(data["figures"]) == len(grid.figures)


def test_a_point_that_was_not_computed_is_not_counted_as_free_of_singularities():
    grid = replace(results("grid"), errors=("no such leg", "", "", "", "", ""))
    text = grid_page(grid)
    assert "<dd>0</dd><dd>of 5 that were computed</dd>" in text
    lost, computed = (
        re.search(rf'<tr data-point="{k}">.*?</tr>', text, re.DOTALL)[0] for k in (0, 1)
    )
    assert '<td class="none" data-value="">–</td><td class="words alert"' in lost
    assert '<td data-value="0">0</td>' in computed


def test_a_grid_page_warns_of_its_points_together():
    grid = results("grid")
    counts = np.zeros(grid.shape)
    counts[0, 0] = 2
    some = replace(grid, singularities=counts, errors=("no such leg", "", "", "", "", ""))
    first, second, *_ = some.remarks()
    assert first == "1 of 6 points could not be computed, the first: no such leg"
    assert second.startswith("1 of 6 points meet singular configurations")
    assert grid.remarks() == ["2 of 6 points exceed the stroke of a leg"]
    jumps, cold = ("the motion jumps",), ("the motion jumps", "leg 2 is cold")
    fine = {name: figure for name, figure in grid.figures.items() if "margin" not in name}
    same = replace(grid, figures=fine, warnings=(jumps,) * 6)
    assert same.remarks() == ["the motion jumps"]
    apart = replace(same, warnings=(jumps,) * 4 + (cold,) * 2)
    assert apart.remarks() == [
        "the motion jumps",
        "2 of 6 points have warnings of their own: see the table of all points",
    ]


def test_a_large_grid_stays_small():
    grid = results("grid")
    figures = {
        name: replace(
            figure,
            values=np.random.default_rng(1).normal(size=(300, 200)),
            per_leg=None if figure.per_leg is None else np.zeros((300, 200, 6)),
        )
        for name, figure in grid.figures.items()
    }
    axes = [
        replace(v, values=tuple(range(n)), labels=())
        for v, n in zip(grid.variations, (300, 200), strict=True)
    ]
    large = replace(
        grid,
        variations=tuple(axes),
        figures=figures,
        singularities=np.zeros((300, 200)),
        warnings=((),) * 60_000,
        errors=("",) * 60_000,
    )
    text = grid_page(large)
    assert len(text.encode()) < 4_000_000
    assert "The first 2000 of 60000 points" in text


@pytest.mark.parametrize("length", [1, 2, 1599, 1600, 1601, 5003, 100_000])
def test_thinning_keeps_extremes_order_and_gaps(length):
    rng = np.random.default_rng(length)
    time, rows = np.linspace(0, 7, length), rng.normal(size=(3, length))
    short, times = thin(rows), thin_times(time)
    assert short.shape == (3, len(times))
    assert len(times) <= MOST_POINTS
    assert (times[0], times[-1]) == (time[0], time[-1])
    assert (np.diff(times) >= 0).all()
    np.testing.assert_array_equal(short.max(axis=1), rows.max(axis=1))
    np.testing.assert_array_equal(short.min(axis=1), rows.min(axis=1))
    rows[1, length // 2] = np.nan
    with_gap = thin(rows)
    assert np.isnan(with_gap[1]).any()
    gap = times[np.isnan(with_gap[1])]
    assert np.abs(gap - time[length // 2]).max() <= 7 * 2.0 / MOST_POINTS + 1e-12


def test_packing_is_exact_to_half_a_step_and_keeps_what_is_missing():
    rows = np.random.default_rng(2).normal(size=(4, 300)) * 1e5
    rows[0, :3] = rows[2, -1] = np.nan
    rows[3, 7] = np.inf
    packed = pack(rows)
    again = unpack(packed)
    known = np.isfinite(rows)
    assert (np.isnan(again) == ~known).all()
    halves = 0.5001 * np.array(packed["step"])[:, None] * np.ones(rows.shape)
    assert (np.abs(again - rows)[known] <= halves[known]).all()
    assert json.dumps(packed).count("null") == 5


@pytest.mark.parametrize("samples", [1, 20, 70])
@pytest.mark.parametrize("rest", [0.0, 344.0])
@pytest.mark.parametrize("height", [1e-3, 1e7])
def test_packing_keeps_a_pulse_and_the_rest_beside_it(samples, rest, height):
    rows = np.full((2, 300), rest)
    pulse = slice(100, 100 + samples)
    rows[1, pulse] -= height * np.sin(np.pi * np.arange(1, samples + 1) / (samples + 1))
    again = unpack(pack(rows))
    np.testing.assert_array_equal(again[rows == rest], rest)
    np.testing.assert_allclose(again[1, pulse] - rest, rows[1, pulse] - rest, rtol=1e-3)


def test_packing_of_rounding_noise_is_short():
    rows = 344.0 + 1e-13 * np.random.default_rng(3).normal(size=(6, 1000))
    assert len(json.dumps(pack(rows), separators=(",", ":"))) < 3 * rows.size


@pytest.mark.parametrize("value", [0.0, 3.0, -1e9])
def test_packing_of_equal_numbers_is_exact(value):
    np.testing.assert_array_equal(unpack(pack(np.full((2, 5), value))), np.full((2, 5), value))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (977.52, "977.5"),
        (-0.034119, "−0.03412"),
        (12345.6, "12\u2009346"),
        (999.96, "1000"),
        (1.5e7, "1.5·10⁷"),
        (-2.5e-6, "−2.5·10⁻⁶"),
        (float("nan"), "–"),
    ],
)
def test_numbers_have_few_digits(value, text):
    assert number_text(value) == text


def test_units_are_written_as_people_write_them():
    assert unit_text("m/s^2") == "m/s²"
    assert unit_text("N m") == "N\u202fm"
    assert unit_text("1") == "–"


def test_a_count_has_no_decimals():
    summary = results("turn").summary
    count = int(summary["samples_without_forces"].value)
    assert count > 0
    assert f"Samples without forces</th><td>{count}</td>" in page("turn")


def test_the_chart_of_the_condition_says_where_it_is_cut_off():
    found = results("circle")
    condition = replace(found.quantities["condition"], values=np.full(len(found), 1e13))
    text = study_page(replace(found, quantities={**found.quantities, "condition": condition}))
    assert "Condition number of J, cut off at 10¹²" in json.dumps(payload(text), ensure_ascii=False)
    assert "cut off at" not in page("circle")


def test_numbers_of_inputs_stand_in_one_line():
    matrix = [[k + 0.123456789 for k in range(12)] for _ in range(3)]
    study = {"name": "x" * 90, "rows": matrix, "deep": {"empty": {}, "none": None, "e": "é"}}
    text = in_few_lines(study)
    assert json.loads(text) == study
    assert len(text.splitlines()) == 9
    assert all(json.dumps(row) in text for row in matrix)


def test_the_page_of_a_grid_lists_what_its_forces_include():
    assert "friction of passive joints" in page("grid")
