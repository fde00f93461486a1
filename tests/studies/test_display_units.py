"""Results are displayed in the units that a study states; pint knows every factor on its own."""

import csv
import json
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pint
import pytest
from drawn_machines import planar
from study_samples import LINE, SWING, data
from typer.testing import CliRunner

import gough
from gough.analysis.singular import Approach, Encounters
from gough.analysis.storage import RESULTS
from gough.analysis.warnings import warnings_of
from gough.cli.command_group import app
from gough.digits import short_decimal
from gough.errors import GoughError, InputError
from gough.fields.display_units import SI, DisplayUnits
from gough.report.charts import chart_plan, limits_of, series_of
from gough.report.comparison_page import comparison_page
from gough.report.study_page import grid_page, study_page
from gough.runs import to_folder

FEET = {"length": "ft", "force": "lbf", "angle": "deg"}
MIXED = {"length": "mm", "force": "kN"}
REGISTRY = pint.LazyRegistry()
KEPT = ("", "1", "SI", "%", "kg^(1/2) m")
"""Units that have none of another kind: plain numbers, fractions, roots of masses."""


@cache
def factor(unit, shown):
    """How many of a unit one other is; pint refuses units of another kind."""
    if unit == shown:
        return 1.0
    return float((1 * REGISTRY.parse_units(unit)).to(REGISTRY.parse_units(shown)).magnitude)


def unit_of(heading):
    return heading.rpartition(" [")[2].removesuffix("]")


@cache
def found(robot, kind):
    stated = {"SI": {}, "feet": {"units": FEET}, "mixed": {"units": MIXED}}[kind]
    motion = LINE if robot == "demo-hexapod" else {**LINE, "displacement": [0.05, 0.02, -0.03]}
    more = {} if robot == "demo-hexapod" else {"tasks": []}
    outputs = {"quantities": ["all", "vibration"] if robot == "demo-hexapod" else ["all"]}
    study = data(robot=robot, motion=motion, samples=5, outputs=outputs, **more, **stated)
    return gough.run(study)


SIXTEEN = "N m|N/m|N m/rad|m/s^2|W|J|Pa|kg m^2|rad/s|N s/m|N/(m s)|m^3|N m s/rad|V s/rad|N m/A|kW"


@pytest.mark.parametrize("stated", [FEET, MIXED, {"length": "in"}, {"force": "kgf"}])
@pytest.mark.parametrize("unit", SIXTEEN.split("|"))
def test_derived_units_follow_by_exact_factors(stated, unit):
    size, name = DisplayUnits(**stated).of(unit)
    assert pytest.approx(size * factor(unit, name), rel=1e-15) == 1.0
    chosen = {*stated.values()}
    assert any(one in name for one in chosen) or name == unit


def test_usual_compounds_have_their_usual_names():
    feet, metric = DisplayUnits(**FEET), DisplayUnits(**MIXED)
    names = [feet.of(unit)[1] for unit in ("m/s", "N m", "W", "N/m", "Pa", "rad/s", "Hz", "1/s")]
    assert names == ["ft/s", "ft lbf", "ft lbf/s", "lbf/ft", "lbf/ft^2", "deg/s", "Hz", "1/s"]
    assert [metric.of(unit)[1] for unit in ("N m", "W", "J")] == ["kN mm", "W", "J"]
    assert [SI.of(unit) for unit in ("N m", "")] == [(1.0, "N m"), (1.0, "")]
    assert [feet.name(unit) for unit in ("N m, N", "m, 1")] == ["ft lbf, lbf", "ft, 1"]
    with pytest.raises(GoughError, match="N m, N are several units"):
        feet.of("N m, N")


@pytest.mark.parametrize("kind", ["feet", "mixed"])
@pytest.mark.parametrize("robot", ["demo-hexapod", "delta"])
def test_every_column_of_a_study_is_scaled_by_the_factor_of_its_unit(robot, kind, tmp_path):
    plain, shown = found(robot, "SI"), found(robot, kind)
    plain.save(tmp_path / "SI")
    shown.save(tmp_path / kind)
    names, numbers = zip(*plain.columns().items(), strict=True)
    with (tmp_path / kind / "results.csv").open(newline="") as file:
        headings, *rows = csv.reader(file)
    columns = np.array([[float(x) if x else np.nan for x in row] for row in rows]).T
    assert len(headings) == len(names)
    changed = set()
    for heading, name, column, number in zip(headings, names, columns, numbers, strict=True):
        unit, other = unit_of(name), unit_of(heading)
        assert heading.rpartition(" [")[0] == name.rpartition(" [")[0]
        scale = 1.0 if unit in KEPT else factor(unit, other)
        np.testing.assert_allclose(column, scale * number, rtol=1e-12)
        changed |= {unit} if unit != other else set()
    assert {"m", "m/s", "N", "N m"} <= changed
    loaded = RESULTS.load(tmp_path / kind)  # of Parquet, in SI units
    assert loaded.units == shown.units
    assert unit_of(list(loaded.columns())[1]) == "m"
    np.testing.assert_array_equal(loaded["force"], plain["force"])


def test_every_figure_in_the_tables_has_the_factor_of_its_unit():
    plain, shown = found("demo-hexapod", "SI"), found("demo-hexapod", "feet")
    rows = [
        [cell.value for cell in row.cells]
        for table in shown.tables()
        for row in table.rows
        if len(row.cells) == 5
    ]
    by_name = {name.replace("_", " "): figure for name, figure in plain.summary.items()}
    compared = 0
    for name, text, unit, *_ in rows:
        figure = by_name.get(name)
        if figure is not None and text not in (None, "0"):
            value = figure.value if not unit else figure.value * factor(figure.unit, unit)
            assert text == short_decimal(value, 5), name
            compared += unit in ("ft", "ft/s", "lbf", "ft lbf/s", "ft lbf", "lbf/ft", "deg")
    assert compared > 12
    assert plain.summary["peak_force"].unit == shown.summary["peak_force"].unit == "N"
    assert shown.to_dict()["summary"]["peak_force"]["unit"] == "N"


def test_charts_and_their_limits_are_in_the_units_stated():
    plain, shown = found("demo-hexapod", "SI"), found("demo-hexapod", "feet")
    one, other = series_of(plain), series_of(shown)
    assert one.keys() == other.keys()
    for key, series in one.items():
        scale = (
            1.0 if series.unit in KEPT else factor(series.unit.replace("µ", "u"), other[key].unit)
        )
        np.testing.assert_allclose(other[key].values, scale * series.values, rtol=1e-9, atol=1e-12)
        assert not {"m", "N", "rad", "mm", "mrad"} & {*other[key].unit.replace("/", " ").split()}
    titles = [section["title"] for section in chart_plan(shown).sections]
    assert "Passive joints" in titles
    assert "Further quantities" not in titles  # every quantity is known to the page
    limit = limits_of(shown.robot, shown.units)["force"][0]
    most = shown.robot.legs[0].max_force
    assert limit["value"] == pytest.approx(most / 4.4482216152605, rel=1e-15)
    assert limit["label"].endswith("lbf")
    page = study_page(shown)
    assert "<td>lbf" in page or "[lbf]" in page
    assert " [N]" not in page
    assert '"unit":"N"' not in page
    assert '"unit":"m"' not in page


def test_warnings_and_plots_are_in_the_units_stated():
    far = {"kind": "line", "displacement": [0.5, 0, 0.3], "duration": 0.3}
    feet = {"length": "ft"}
    plain, shown = (gough.run(data(motion=far, samples=21, **u)) for u in ({}, {"units": feet}))
    beyond = [(-r.summary["minimum_stroke_margin"].value, r.warnings) for r in (plain, shown)]
    for (size, warnings), scale, unit in zip(beyond, (1.0, 0.3048), ("m", "ft"), strict=True):
        assert any(f"exceeds its stroke by {size / scale:.4g} {unit} at" in w for w in warnings)
    met = Encounters(approaches=(Approach("first axis", 3, 100.0, 0.5),))
    for units, angle in ((SI, "0.573 deg"), (DisplayUnits(angle="mrad"), "10 mrad")):
        (words,) = warnings_of({}, 5, met, units=units)
        assert f"universal joint: {angle} from it at 0.5 s" in words
    lines = [r.plot("leg_length")[0].get_lines() for r in (plain, shown)]
    for a, b in zip(*lines, strict=True):
        if a.get_label() != "singular":
            np.testing.assert_allclose(np.ravel(b.get_ydata()), np.ravel(a.get_ydata()) / 0.3048)
    assert shown.plot("leg_length")[0].get_ylabel() == "leg length [ft]"


@pytest.mark.parametrize("kind", ["SI", "feet"])
def test_every_quantity_of_a_study_can_be_plotted(kind):
    results = found("demo-hexapod", kind)
    for name in results:
        (figure,) = {axis.figure for axis in np.ravel(results.plot(name))}
        plt.close(figure)


def compared(robot, displacement, **stated):
    cases = [{"name": name, "changes": {"notes": name}} for name in ("one", "other")]
    motion = {**LINE, "displacement": displacement}
    return gough.run(
        data(robot=robot, motion=motion, tasks=[], samples=5, cases=cases, units=stated)
    )


def test_comparisons_of_hinges_and_slides_have_torques_and_forces_apart():
    robot = planar(1, legs="RPR").to_dict()
    for joint in robot["joints"]:
        joint["driven"] = joint["name"] in ("hip0", "slide1", "slide2")
    cases = compared(robot, [0.02, 0.01, 0], **FEET)
    torque, force = cases.histories()
    titles = "maximum actuator torque", "maximum actuator force"
    assert ((torque.title, force.title), torque.unit, force.unit) == (titles, "ft lbf", "lbf")
    size = np.abs(cases.run("one")["force"])
    np.testing.assert_allclose(torque.values["one"], size[:, 0] / 1.3558179483314004)
    np.testing.assert_allclose(force.values["one"], size[:, 1:].max(axis=1) / 4.4482216152605)


def test_the_page_of_cases_calls_torques_so_in_any_unit():
    page = comparison_page(compared("delta", [0.05, 0.02, -0.03], length="mm"))
    assert "Minimum peak torque" in page
    assert "peak force" not in page.lower().partition("<script")[0]


def test_grids_and_comparisons_are_in_the_units_stated(tmp_path):
    mass = {"name": "mass", "parameter": "tasks[1].mass", "values": ["10 kg", "20 lb"]}
    study = data(motion=SWING, samples=11, variations=[mass], units=FEET)
    grid = to_folder(gough.Study.from_dict(study), tmp_path / "grid", report=False)
    with (tmp_path / "grid" / "variations.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    shown = [float(row["peak_force [lbf]"]) for row in rows]
    np.testing.assert_allclose(shown, grid["peak_force"] / 4.4482216152605, rtol=1e-12)
    assert "peak force [lbf]" in grid.report()
    assert "[N]" not in grid.report()
    assert '"unit":"N"' not in grid_page(grid)
    assert "lbf" in grid_page(grid)
    assert grid.plot("peak_force").get_ylabel() == "peak force [lbf]"
    listed = [
        CliRunner().invoke(app, ["plot", str(tmp_path / "grid"), *json_or_not]).output
        for json_or_not in ([], ["--json"])
    ]
    assert "peak_force [lbf]" in listed[0]
    assert json.loads(listed[1])["peak_force"]["unit"] == "N"
    envelope = gough.envelope(grid)
    assert "lbf" in envelope.report()
    assert " N " not in envelope.report()
    assert envelope["peak_force"].unit == "N"
    cases = [{"name": f"{m}", "changes": {"tasks[1].mass": m}} for m in (10, 20)]
    compared = gough.run(data(motion=SWING, samples=11, cases=cases, units=FEET))
    assert "peak force [lbf]" in compared.report()
    (history,) = compared.histories()
    largest = np.abs(compared.run("20")["force"]).max(axis=1)
    np.testing.assert_allclose(history.values["20"], largest / 4.4482216152605)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"length": "foot"}, 'units.length: not known, got \'foot\'; expected "m", "cm"'),
        ({"force": "N m"}, "units.force: not known"),
        ({"torque": "N m"}, "expected one of length, force, angle"),
        ({"angle": 3}, "units.angle: not known, got 3"),
        ("ft", "units: not a table"),
    ],
)
def test_units_that_are_not_known_are_refused_with_those_that_are(stated, words):
    with pytest.raises(InputError) as refused:
        gough.Study.from_dict(data(units=stated))
    assert words in str(refused.value)
