"""Simulations from study files, and the commands that run them."""

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from gough.cli.simulate import simulate as simulate_command
from gough.cli.tune import tune
from gough.errors import GoughError
from gough.simulation.reading import SimulationStudy

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

app = typer.Typer()
app.command()(simulate_command)
app.command()(tune)
run = CliRunner()


def changed(**tables):
    return {**BASE, **tables}


def test_a_study_with_a_controller_is_simulated():
    results = SimulationStudy.from_dict(BASE).run()
    assert len(results) == 301
    assert np.abs(results["pose_error"]).max() < 1e-4


def test_units_are_read():
    study = SimulationStudy.from_dict(
        changed(
            controller={"kind": "joint-pid", "frequency": "5 Hz", "integral_rate": 3},
            simulation={"period": "2 ms", "delay": 1, "resolution": "1 um", "speed_filter": "3 ms"},
        )
    )
    assert study.facts.period == pytest.approx(2e-3)
    assert study.facts.resolution == pytest.approx(1e-6)
    own = np.linalg.eigvalsh(study.controller.gain_values[:36].reshape(6, 6))
    assert own.min() > 0
    assert len(study.run()) == 151


def test_with_a_wrong_payload_computed_torque_sags_and_pid_does_not():
    """30 % more mass than the controller knows."""
    torque, pid = (
        SimulationStudy.load(STUDIES / f"demo-{name}.toml").run()
        for name in ("computed-torque", "pid")
    )
    assert torque.robot.platform.mass == pytest.approx(195.0)
    sag, left = (np.abs(results["pose_error"][-1, :3]).max() for results in (torque, pid))
    assert 5e-4 < sag < 5e-3
    assert left < 0.5 * sag


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"controller": {"kind": "lqr", "gains": {}}}, r"controller\.kind: unknown, got 'lqr'"),
        ({"controller": {"kind": "joint-pid"}}, "either gains or a frequency"),
        (
            {"controller": {"kind": "joint-pid", "gains": {"kp": 1, "kx": 2}}},
            r"controller\.gains: .*kx",
        ),
        (
            {"controller": {"kind": "joint-pid", "gains": {"kp": "much", "kd": 2}}},
            r"controller\.gains: gain kp is not a number",
        ),
        ({"controller": {"kind": "admittance", "frequency": 3}}, "admittance needs gains instead"),
        ({"simulation": {"period": "1 m"}}, r"simulation\.period"),
        ({"simulation": {"delay": 1.5}}, r"simulation\.delay"),
        ({"simulation": {"perod": 1}}, r'simulation\.perod.*did you mean "period"'),
        ({"motion": {"kind": "hop"}}, "motion"),
    ],
)
def test_bad_tables_are_named(tables, words):
    with pytest.raises(GoughError, match=words):
        SimulationStudy.from_dict(changed(**tables))


def test_a_study_without_a_controller_is_no_simulation():
    with pytest.raises(GoughError, match=r"expected a table \[controller\]"):
        SimulationStudy.from_dict({k: v for k, v in BASE.items() if k != "controller"})


def test_the_command_writes_results_and_a_report(tmp_path):
    path = STUDIES / "demo-computed-torque.toml"
    done = run.invoke(app, ["simulate", str(path), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "largest error" in done.output
    written = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"results.parquet", "report.html", "summary.json"} <= written
    page = (tmp_path / "out" / "report.html").read_text()
    assert "demo-computed-torque" in page


def test_tune_prints_gains_and_margins(tmp_path):
    folder = tmp_path / "c"
    done = run.invoke(app, ["tune", "demo-hexapod", "--frequency", "4", "--export", str(folder)])
    assert done.exit_code == 0, done.output
    for words in ("joint_pid for demo-hexapod", "stable", "phase", "overshoot"):
        assert words in done.output
    assert (folder / "controller.c").exists()


def test_tune_gives_plain_data():
    done = run.invoke(app, ["tune", "demo-hexapod", "--kind", "computed-torque", "--json"])
    data = json.loads(done.output)
    assert data["stable"]
    assert data["gains"]["kp"][0] == pytest.approx((2 * np.pi * 5) ** 2)
    assert len(data["legs"]) == 6
