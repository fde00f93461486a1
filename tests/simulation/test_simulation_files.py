"""Simulations from study files, and the commands that run them."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import gough
from gough.analysis.results import Results
from gough.cli.command_group import app
from gough.errors import GoughError
from gough.runs import load_folder, to_folder
from gough.studies.grid import Comparison
from gough.studies.study import Study

STUDIES = Path(__file__).parents[2] / "studies" / "simulation"
BASE = {
    "schema": "gough-study/1",
    "name": "short",
    "robot": "demo-hexapod",
    "motion": {
        "kind": "line",
        "displacement": [0.02, 0, 0.02],
        "profile": "quintic",
        "duration": 0.3,
    },
    "controller": {"kind": "computed-torque", "gains": {"kp": 900, "kd": 60}},
    "outputs": {"quantities": ["motion", "legs", "forces"]},
}

run = CliRunner()


def changed(**tables):
    return {**BASE, **tables}


def test_a_study_with_a_controller_is_simulated():
    results = gough.run(BASE)
    assert len(results) == 301
    assert np.abs(results["pose_error"]).max() < 1e-4


def test_units_are_read():
    study = Study.from_dict(
        changed(
            controller={"kind": "joint-pid", "frequency": "5 Hz", "integral_rate": 3},
            simulation={"period": "2 ms", "delay": 1, "resolution": "1 um", "speed_filter": "3 ms"},
        )
    )
    assert study.simulation.period == pytest.approx(2e-3)
    assert study.simulation.resolution == pytest.approx(1e-6)
    own = np.linalg.eigvalsh(study.controller.gain_values(6)[:36].reshape(6, 6))
    assert own.min() > 0
    assert len(gough.run(study)) == 151


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"controller": {"kind": "lqr", "gains": {}}}, r"controller\.kind: unknown, got 'lqr'"),
        ({"controller": {"kind": "joint-pid"}}, "either gains or a frequency"),
        (
            {"controller": {"kind": "joint-pid", "gains": {"kp": 1, "kx": 2}}},
            r"controller\.gains\.kx: unknown; expected one of kp, kd, ki, kv",
        ),
        (
            {"controller": {"kind": "joint-pid", "gains": {"kp": "much", "kd": 2}}},
            r"controller\.gains: gain kp is not an array of numbers",
        ),
        (
            {"controller": {"kind": "joint-pid", "gains": {"kp": [[1, 0], [0, 1]], "kd": 2}}},
            r"controller\.gains: gain kp has shape \(2, 2\); expected .* array \(6, 6\)",
        ),
        ({"controller": {"kind": "admittance", "frequency": 3}}, "admittance needs gains instead"),
        ({"simulation": {"period": "1 m"}}, r"simulation\.period"),
        ({"simulation": {"delay": 1.5}}, r"simulation\.delay"),
        ({"simulation": {"perod": 1}}, r'simulation\.perod.*did you mean "period"'),
        ({"motion": {"kind": "hop"}}, "motion"),
        ({"plant": {"legs": "soft"}}, r"plant\.legs"),
        ({"plant": {"drives": 1}}, r"plant\.drives"),
        ({"plant": {"surface": {"point": [0, 0, 1]}}}, r"plant\.surface\.stiffness"),
        ({"simulation": {"integrator": "Euler"}}, r"simulation\.integrator"),
        ({"simulation": {"tolerance": 1}}, r"simulation\.tolerance"),
        (
            {"controller": {"kind": "open-loop", "command": "voltage"}},
            "open-loop gives a voltage .*; expected one whose output is the plant's input, a force",
        ),
        ({"cases": [{"name": "a", "changes": {"plant.legs": "soft"}}]}, r"cases\[0\]: plant\.legs"),
        ({"cases": [{"name": "a", "changes": {"plan.legs": 1}}]}, r'cases\[0\]: .*no "plan"'),
        ({"cases": [{"name": "a/b", "changes": {}}]}, r"cases\[0\]\.name"),
        ({"cases": [{"name": "a", "changes": {}}] * 2}, r'cases\[1\]\.name: "a" is taken'),
        (
            {"cases": [{"name": "a", "changes": {}}, {"name": "A", "changes": {}}]},
            r'cases\[1\]\.name: "A" is taken',
        ),
        ({"cases": [{"name": "comparison.csv", "changes": {}}]}, r"cases\[0\]\.name"),
        *[
            ({"cases": [{"name": name, "changes": {}}]}, rf'cases\[0\]\.name: "{name}" is taken')
            for name in ("Run.json", "summary.json", "results.csv", "variations.parquet", "series")
        ],
        *[
            ({"cases": [{"name": name, "changes": {}}]}, r"cases\[0\]\.name: .* on Windows")
            for name in ("NUL", "con.1", "Lpt1 ", "heavy.")
        ],
        (
            {"controller": {"kind": "joint-pid", "space": "task", "gains": {"kp": 1, "kd": 1}}},
            r"controller\.space: not used by joint-pid",
        ),
        (
            {"controller": {"kind": "computed-torque", "frequency": 5, "integral_rate": 1}},
            r"controller\.integral_rate: not used by computed-torque",
        ),
        (
            {"controller": {"kind": "joint-pid", "damping": 1, "gains": {"kp": 1, "kd": 1}}},
            r"controller\.damping: not used",
        ),
        (
            {
                "controller": {
                    "kind": "implicit-force",
                    "gains": dict.fromkeys(("wrench", "coupling", "kp", "kd"), 1)
                    | {"selection": "z"},
                }
            },
            r"controller\.gains: gain selection is not an array of numbers",
        ),
        ({"simulation": {"tolerance": 1e-6}}, r"simulation\.tolerance: RK4 has none"),
        ({"simulation": {"integrator": "BDF", "substeps": 2}}, r"simulation\.substeps: BDF"),
        ({"simulation": {"every": 0}}, r"simulation\.every"),
        ({"simulation": {"delay": 1000}}, "a whole number from 0 to 100"),
        ({"cases": {}}, "cases: not a list"),
    ],
)
def test_bad_tables_are_named(tables, words):
    with pytest.raises(GoughError, match=words):
        gough.run(changed(**tables))


def test_a_plant_has_what_its_table_says():
    plain = Study.from_dict(BASE).plant
    assert (plain.command.unit, plain.inner_states, plain.has_end_stops) == ("N", (), False)
    real = Study.from_dict(
        changed(plant={"legs": "simple", "drives": True, "joint_friction": True, "stops": True})
    ).plant
    assert [a.name for a in real.inner_states] == ["inner", "current"]
    assert real.has_end_stops
    assert real.command.unit == "N"  # amplifiers: the controller gives forces
    run = gough.run(changed(plant={"drives": True}, simulation={"duration": "20 ms"}))
    assert run["motor_current"].shape == run["motor_voltage"].shape == (21, 6)
    np.testing.assert_allclose(run["motor_power"], run["motor_current"] * run["motor_voltage"])
    assert run.summary["peak_motor_current"].value == np.abs(run["motor_current"]).max()


def test_an_integrator_may_adapt_its_steps():
    ways = ({}, {"integrator": "Radau", "tolerance": 1e-9})
    fixed, adaptive = (gough.run(changed(simulation={"duration": "50 ms", **way})) for way in ways)
    np.testing.assert_allclose(adaptive["pose"], fixed["pose"], atol=1e-8)
    assert adaptive.study["run"]["integrator"]["method"] == "Radau"


def test_results_say_what_was_simulated():
    tables = {"plant": {"drives": True}, "simulation": {"duration": "10 ms"}}
    run = gough.run(changed(**tables))
    assert run.study["plant"] == {"drives": True}
    assert run.study["controller"]["kind"] == "computed-torque"


def test_motors_at_their_limit_are_named():
    """The amplifier has too little voltage for the speed, whatever force it is told."""
    weak = {"robot.leg.drive.max_voltage": 20}
    tables = {"plant": {"drives": True}, "changes": weak}
    run = gough.run(changed(**tables))
    assert any(words.startswith("motor voltage") for words in run.warnings)


def test_a_case_that_fails_leaves_the_others():
    step = {"plant": {"legs": "complete"}, "simulation.period": "50 ms"}
    cases = [{"name": "fine", "changes": {}}, {"name": "coarse", "changes": step}]
    found = gough.run(changed(cases=cases, plant={}, simulation={}))
    assert list(found.runs) == ["fine"]
    assert "too large for RK4" in found.failures["coarse"]


def test_cases_are_compared(tmp_path):
    file = tmp_path / "two.toml"
    cases = (
        '[[cases]]\nname = "soft"\nchanges = {}\n'
        '[[cases]]\nname = "stiff"\nchanges = { "controller.gains" = { kp = 3600, kd = 120 } }\n'
    )
    written = (
        'schema = "gough-study/1"\nname = "two"\nrobot = "demo-hexapod"\n'
        '[motion]\nkind = "line"\ndisplacement = [0.02, 0, 0]\nprofile = "quintic"\n'
        'duration = 0.2\n[[tasks]]\nkind = "payload"\nmass = 10\n'
        '[controller]\nkind = "computed-torque"\ngains = { kp = 900, kd = 60 }\n'
    )
    file.write_text(written + cases)
    done = run.invoke(app, ["run", str(file), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    out = tmp_path / "out"
    rows = list(csv.DictReader((out / "comparison.csv").read_text().splitlines()))
    assert [row["case"] for row in rows] == ["soft", "stiff"]
    soft, stiff = (float(row["peak_position_error [m]"]) for row in rows)
    assert soft == pytest.approx(4 * stiff, rel=0.2)  # an error of the force over kp
    assert (out / "comparison.png").stat().st_size > 10_000
    page = (out / "report.html").read_text()
    assert 'href="soft/report.html"' in page
    assert (out / "soft" / "report.html").exists()
    kept = Results.load(out / "stiff")
    assert np.linalg.norm(kept["pose_error"][:, :3], axis=1).max() == pytest.approx(stiff)
    as_data = run.invoke(
        app, ["run", str(file), "-o", str(tmp_path / "again"), "--json", "--no-report"]
    )
    assert list(json.loads(as_data.stdout)["cases"]) == ["soft", "stiff"]


def test_simulations_may_be_varied():
    masses = {"parameter": "robot.platform.mass", "values": [100, 150]}
    gains = {"parameter": "controller.gains.kp", "values": [900, 400]}
    brief = {"simulation": {"duration": "20 ms"}}
    grid = gough.run(changed(variations=[masses, gains], **brief))
    alone = gough.run(
        gough.Study.from_dict(changed(variations=[masses, gains], **brief)).variant(2)
    )
    assert grid.shape == (2, 2)
    # numbers that differ between points are inputs of one compiled loop there, constants here
    force = alone.summary["peak_force"].value
    np.testing.assert_allclose(grid["peak_force"][1, 0], force, rtol=1e-13)


def test_cases_are_an_axis_beside_variations():
    masses = {"parameter": "robot.platform.mass", "values": [100, 150]}
    cases = [
        {"name": "at once", "changes": {}},
        {"name": "late", "changes": {"simulation.delay": 2}},
    ]
    grid = gough.run(changed(variations=[masses], cases=cases, simulation={"duration": "20 ms"}))
    assert [axis.name for axis in grid.variations] == ["case", "robot.platform.mass"]
    assert (grid["peak_position_error"][1] > grid["peak_position_error"][0]).all()


def test_studies_without_a_controller_have_cases(tmp_path):
    cases = [
        {"name": "light", "changes": {}},
        {"name": "heavy", "changes": {"robot.platform.mass": 200}},
    ]
    asked = {k: v for k, v in changed(cases=cases, samples=11).items() if k != "controller"}
    found = to_folder(Study.from_dict(asked), tmp_path, report=False)
    light, heavy = found["peak_force"]
    assert light < heavy
    assert found.run("heavy").summary["peak_force"].value == heavy
    assert Results.load(tmp_path / "heavy").name == "short-heavy"
    assert list(found.table)[:2] == ["case", "peak_force [N]"]


SHORT = {"simulation": {"duration": "10 ms"}, "outputs": {"csv": True, "report": False}}
CASES = [{"name": name, "changes": {}} for name in ("series-1", "results", "soft")]
ALONE = {"results.parquet", "results.csv", "summary.json", "study.json", "robot.toml", "run.json"}


@pytest.fixture
def empty_pictures(monkeypatch):
    """Pictures without curves: files as others are, and sooner."""
    empty = Figure(figsize=(1, 1)).subplots()
    monkeypatch.setattr(Comparison, "plot_histories", lambda _: [empty])


def test_cases_and_a_single_run_take_each_others_place(tmp_path, empty_pictures):
    compared = Study.from_dict(changed(cases=CASES, **SHORT))
    alone = Study.from_dict(changed(**SHORT))
    (tmp_path / "thesis.txt").write_text("mine")
    for _ in range(2):
        found = to_folder(compared, tmp_path, overwrite=True)
        for name, one in found.runs.items():
            kept = Results.load(tmp_path / name)
            np.testing.assert_array_equal(kept["force"], one["force"])
        to_folder(alone, tmp_path, overwrite=True)
        assert {path.name for path in tmp_path.iterdir()} == {*ALONE, "thesis.txt"}
    (tmp_path / "robot.toml").write_text("mine")
    with pytest.raises(GoughError, match=r"robot.toml is in the way: changed since Gough wrote it"):
        to_folder(compared, tmp_path, overwrite=True)
    assert (tmp_path / "robot.toml").read_text() == "mine"


def test_a_file_of_the_users_in_the_folder_of_a_case_stays(tmp_path, empty_pictures):
    """It once kept the case from coming back."""
    compared = Study.from_dict(changed(cases=CASES, **SHORT))
    alone = Study.from_dict(changed(**SHORT))
    to_folder(compared, tmp_path)
    (tmp_path / "soft" / "mine.txt").write_text("mine")
    to_folder(alone, tmp_path, overwrite=True)
    assert [path.name for path in (tmp_path / "soft").iterdir()] == ["mine.txt"]
    to_folder(compared, tmp_path, overwrite=True)
    assert {path.name for path in (tmp_path / "soft").iterdir()} == {*ALONE, "mine.txt"}
    assert (tmp_path / "soft" / "mine.txt").read_text() == "mine"


def test_a_case_does_not_replace_a_file_of_the_users(tmp_path):
    case = Study.from_dict(changed(cases=[{"name": "soft", "changes": {}}]))
    (tmp_path / "soft").mkdir()
    (tmp_path / "soft" / "study.json").write_text("mine")
    for overwrite, words in ((False, "not empty"), (True, "soft/study.json is in the way")):
        with pytest.raises(GoughError, match=words):
            to_folder(case, tmp_path, overwrite=overwrite)
    assert [path.name for path in tmp_path.rglob("*")] == ["soft", "study.json"]


def not_again(*_, **__):
    raise AssertionError("simulated again")


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("cases", [{}, {"cases": CASES}], ids=["alone", "cases"])
def test_a_finished_simulation_is_loaded_and_another_refused(
    tmp_path, monkeypatch, cases, empty_pictures
):
    first = to_folder(Study.from_dict(changed(**SHORT, **cases)), tmp_path)
    before = contents(tmp_path)
    for name in ("runs.study.run_one", "studies.run_grid"):
        monkeypatch.setattr(f"gough.{name}", not_again)
    again = to_folder(Study.from_dict(changed(**SHORT, **cases)), tmp_path)
    assert list(again) == list(first)
    runs = [(first, again)]
    if cases:
        runs = zip(first.runs.values(), again.runs.values(), strict=True)
    for one, other in runs:
        np.testing.assert_array_equal(one["pose"], other["pose"])
    assert contents(tmp_path) == before
    others = (
        {"simulation": {"duration": "11 ms"}},
        {"controller": {"kind": "computed-torque", "gains": {"kp": 901, "kd": 60}}},
        {"plant": {"joint_friction": True}},
        {"cases": [*CASES[:2], {"name": "soft", "changes": {"plant.joint_friction": True}}]},
    )
    for other in others:
        tables = SHORT | cases | other | {"plant": other.get("plant", {})}
        with pytest.raises(GoughError, match="has results of another study, of other inputs"):
            to_folder(Study.from_dict(changed(**tables)), tmp_path)
    assert contents(tmp_path) == before


def test_a_case_that_is_not_whole_is_simulated_again(tmp_path, empty_pictures):
    compared = Study.from_dict(changed(cases=CASES, **SHORT))
    to_folder(compared, tmp_path)
    before = contents(tmp_path)
    for names in (["soft/results.parquet"], ["comparison.csv", "comparison.png"]):
        for name in names:
            (tmp_path / name).unlink()
        to_folder(compared, tmp_path)
        assert contents(tmp_path).keys() == before.keys()


def test_a_comparison_is_no_formula_for_a_spreadsheet(tmp_path):
    run = gough.run(changed(simulation={"duration": "10 ms"}))
    Comparison.of({"name": "two"}, {"-1+1": run, "b": run}).save(tmp_path)
    rows = list(csv.DictReader((tmp_path / "comparison.csv").read_text().splitlines()))
    assert [row["case"] for row in rows] == ["'-1+1", "b"]
    assert float(rows[0]["peak_force [N]"]) == run.summary["peak_force"].value


def test_the_command_writes_results_and_a_report(tmp_path):
    path = STUDIES / "demo-pid.toml"
    done = run.invoke(app, ["run", str(path), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "peak position error" in done.output
    written = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"results.parquet", "report.html", "summary.json"} <= written
    page = (tmp_path / "out" / "report.html").read_text()
    assert "demo-pid" in page


def test_tune_prints_gains_and_margins():
    done = run.invoke(app, ["control", "tune", "demo-hexapod", "--frequency", "4"])
    assert done.exit_code == 0, done.output
    for words in ("demo-hexapod: joint-pid", "stable", "phase", "overshoot"):
        assert words in done.output


def test_tune_gives_plain_data():
    done = run.invoke(
        app, ["control", "tune", "demo-hexapod", "--controller", "computed-torque", "--json"]
    )
    data = json.loads(done.output)
    assert data["stable"]
    assert data["gains"]["kp"][0] == pytest.approx((2 * np.pi * 5) ** 2)
    assert len(data["legs"]) == 6


def test_a_folder_of_cases_says_where_its_results_are(tmp_path):
    for case in ("a", "b"):
        (tmp_path / case).mkdir()
        (tmp_path / case / "summary.json").write_text("{}")
    with pytest.raises(GoughError, match=r'no results here .*, but in its folders "a", "b"'):
        load_folder(tmp_path)
