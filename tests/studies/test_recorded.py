"""Recordings laid over results: E of Bingul (70) by hand, other sampling, and what is refused."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from study_samples import SWING, data
from typer.testing import CliRunner

import gough
from gough.cli.command_group import app
from gough.disk.tables import write_csv
from gough.errors import GoughError, InputError
from gough.report.charts import chart_plan
from gough.report.study_page import study_page

MOTIONS = {
    "demo-hexapod": SWING,
    "delta": {"kind": "line", "displacement": [0.05, 0.02, -0.03], "duration": 1},
}


@pytest.fixture(scope="module")
def hexapod():
    return gough.run(data(samples=401))


def computed(robot):
    tasks = [] if robot == "delta" else data()["tasks"]
    return gough.run(data(robot=robot, motion=MOTIONS[robot], tasks=tasks, samples=401))


def only(results, *names):
    kept = {h: x for h, x in results.columns().items() if re.sub(r"_[\w-]+ \[.*", "", h) in names}
    exact = {h: x for n in names for h, x in columns_of(results, n).items()}
    return {"time [s]": results.time, **kept, **exact}


def columns_of(results, name):
    quantity = results.quantity(name)
    flat = quantity.values.reshape(len(results.time), -1).T
    return dict(zip(quantity.columns, flat.copy(), strict=True))


@pytest.mark.parametrize("robot", MOTIONS)
def test_results_are_a_recording_of_themselves_without_error(robot):
    results = computed(robot)
    found = gough.with_recording(results, results)
    positions = "leg_length" if robot == "demo-hexapod" else "actuator_position"
    for name in (positions, "force", "motor_current", "pose", "twist"):
        recorded = found[f"recorded_{name}"]
        np.testing.assert_allclose(recorded, found[name], rtol=1e-12, atol=1e-12)
    errors = {n: f for n, f in found.summary.items() if n.startswith("recording_error")}
    assert errors[f"recording_error_{positions}"].unit == results.quantity(positions).unit
    assert {"recording_error_pose_linear", "recording_error_pose_angular"} <= errors.keys()
    assert all(abs(figure.value) < 1e-9 for figure in errors.values())
    assert not any("interpolated" in words for words in found.warnings)


def test_the_error_is_that_of_the_paper_written_out(hexapod):
    rng = np.random.default_rng(5)
    columns = only(hexapod, "leg_length", "force")
    errors = 1e-3 * rng.normal(size=(6, 401))
    for k in range(6):
        columns[f"leg_length_{k + 1} [m]"] = columns[f"leg_length_{k + 1} [m]"] + errors[k]
    total = 0.0
    for i in range(401):  # (70): 1/N sum over i of |e1(i)| + ... + |e6(i)|
        total += sum(abs(errors[k][i]) for k in range(6))
    found = gough.with_recording(hexapod, columns)
    figure = found.summary["recording_error_leg_length"]
    assert figure.value == pytest.approx(total / 401, rel=1e-9)
    assert figure.per_leg == pytest.approx(np.abs(errors).mean(axis=1), rel=1e-9)
    assert found.summary["recording_error_force"].value == pytest.approx(0, abs=1e-9)
    assert "recording_error_pose_linear" not in found.summary
    assert "leg length" in found.report()
    shown = [row for t in found.tables() for row in t.rows if row.cells[0].value == "leg length"]
    assert shown[0].cells[1].value == pytest.approx(figure.value)
    feet = gough.with_recording(gough.run(data(samples=401, units={"length": "ft"})), columns)
    (row,) = [r for t in feet.tables() for r in t.rows if r.cells[0].value == "leg length"]
    assert (row.cells[1].value, row.cells[2].value) == (pytest.approx(figure.value / 0.3048), "ft")


def test_attitudes_are_compared_as_rotations(hexapod):
    columns = only(hexapod, "pose")
    turn = Rotation.from_rotvec([0, 0, 0.01])
    quaternions = np.array([columns[f"pose_{q} [1]"] for q in ("qx", "qy", "qz", "qw")]).T
    turned = (turn * Rotation.from_quat(quaternions)).as_quat() * np.where(
        np.arange(401) % 7 == 0, -1, 1
    )[:, None]  # q and -q are the same
    columns |= dict(zip([f"pose_q{k} [1]" for k in "xyzw"], turned.T, strict=True))
    found = gough.with_recording(hexapod, columns).summary
    angular = found["recording_error_pose_angular"]
    assert angular.value == pytest.approx(0.01, rel=1e-6)
    assert angular.per_leg == pytest.approx([0, 0, 0.01], abs=1e-8)
    assert found["recording_error_pose_linear"].value == pytest.approx(0, abs=1e-12)


def test_other_sampling_and_length_are_stated(hexapod):
    time = np.arange(-0.2, 5.0, 1 / 137)
    columns = {"t [s]": time, "remark [1]": time}
    motion = gough.Study.from_dict(data()).motion
    lengths = gough.Model(hexapod.robot).inverse_kinematics(motion(np.clip(time, 0, None)).pose)
    columns |= {f"leg_length_{k + 1} [m]": lengths[:, k] for k in range(6)}
    found = gough.with_recording(hexapod, columns)
    told = [words for words in found.warnings if words.startswith("recording: ")]
    rate = 400 / hexapod.time[-1]
    assert f"recording: recorded at 137 Hz, interpolated at the {rate:g} Hz of the results" in told
    assert any("s before the results are not compared" in words for words in told)
    assert "recording: not compared: remark [1]" in told
    assert found.summary["recording_error_leg_length"].value < 1e-5
    short = {heading: values[time < 1.5] for heading, values in columns.items()}
    found = gough.with_recording(hexapod, short)
    lacking = int(np.isnan(found["recorded_leg_length"]).any(axis=1).sum())
    assert 0 < lacking < 401
    words = f"recording: no leg_length at {lacking} of 401 samples of the results"
    assert words in found.warnings
    assert found.summary["recording_error_leg_length"].value < 1e-5


def test_gaps_are_left_open(hexapod):
    columns = only(hexapod, "leg_length")
    gone = (hexapod.time > 1.0) & (hexapod.time < 1.5)
    columns["leg_length_3 [m]"][gone] = np.nan
    found = gough.with_recording(hexapod, columns)
    assert np.isnan(found["recorded_leg_length"][gone]).any(axis=1).sum() >= gone.sum() - 2
    assert np.isfinite(found.summary["recording_error_leg_length"].value)
    assert any("no leg_length at" in words for words in found.warnings)


def test_samples_without_a_computed_number_are_left_out_and_counted(hexapod):
    columns = {h: x + 1e-3 * ("length" in h) for h, x in only(hexapod, "leg_length").items()}
    lengths = hexapod["leg_length"].copy()
    lengths[7, 2] = np.nan
    quantity = replace(hexapod.quantity("leg_length"), values=lengths)
    holed = replace(hexapod, quantities={**hexapod.quantities, "leg_length": quantity})
    found = gough.with_recording(holed, columns)
    assert found.summary["recording_error_leg_length"].value == pytest.approx(6e-3)
    words = "no leg_length is computed at 1 of 401 samples, which its error leaves out"
    assert f"recording: {words}" in found.warnings


def test_noise_of_a_faster_recording_counts(hexapod):
    rng = np.random.default_rng(3)
    time = np.linspace(0, hexapod.time[-1], 4001)
    motion = gough.Study.from_dict(data()).motion
    lengths = gough.Model(hexapod.robot).inverse_kinematics(motion(time).pose)
    noise = 1e-3 * rng.normal(size=lengths.shape)
    columns = {f"leg_length_{k + 1} [m]": (lengths + noise)[:, k] for k in range(6)}
    error = gough.with_recording(hexapod, {"time [s]": time, **columns}).summary
    wanted = np.abs(noise[::10]).sum(axis=1).mean()
    assert error["recording_error_leg_length"].value == pytest.approx(wanted, rel=1e-6)


def test_what_cannot_be_compared_is_refused(hexapod):
    columns = only(hexapod, "leg_length")
    lost = {h: x for h, x in columns.items() if not h.startswith("leg_length_4")}
    with pytest.raises(InputError, match=r"^leg_length_4 \[m\]: missing"):
        gough.with_recording(hexapod, lost)
    with pytest.raises(InputError, match=r"nothing to compare; expected columns such as pose_x"):
        gough.with_recording(hexapod, {"time [s]": hexapod.time, "lengths": hexapod.time})
    later = columns | {"time [s]": hexapod.time + 1e4}
    with pytest.raises(InputError, match=r"times from 10000 to .*; expected some between 0 and"):
        gough.with_recording(hexapod, later)
    with pytest.raises(InputError, match="too short"):
        gough.with_recording(hexapod, {h: x[:50] for h, x in columns.items()})
    with pytest.raises(InputError, match="another length"):
        gough.with_recording(hexapod, columns | {"leg_length_2 [m]": hexapod.time[:300]})
    feet = {h.replace("[m]", "[ft]"): x for h, x in columns.items()}
    with pytest.raises(InputError, match="nothing to compare"):
        gough.with_recording(hexapod, feet)
    with pytest.raises(GoughError, match="expected a file, results, or columns"):
        gough.with_recording(hexapod, 3)


def test_a_command_lays_a_recording_over_a_simulation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    simulated = data(
        samples=None,
        motion={"kind": "line", "displacement": [0, 0, 0.02], "duration": 0.2},
        controller={"kind": "joint-pid", "frequency": 10},
        plant={"drives": True},
        tasks=[],
    )
    Path("study.json").write_text(json.dumps({k: v for k, v in simulated.items() if v is not None}))
    truth = gough.run("study.json")
    columns = only(truth, "leg_length", "motor_current")
    columns = {h: x + 1e-3 if "length" in h else x for h, x in columns.items()}
    write_csv(columns, Path("measured.csv"))
    run = ["run", "study.json", "--compare", "measured.csv", "-o", "out"]
    shown = CliRunner().invoke(app, run)
    assert shown.exit_code == 0, shown.output
    assert "Recorded less computed" in shown.output
    loaded = gough.Results.load("out")
    error = loaded.summary["recording_error_leg_length"]
    assert error.value == pytest.approx(6e-3, rel=1e-9)
    np.testing.assert_allclose(loaded["recorded_leg_length"], truth["leg_length"] + 1e-3)
    page = Path("out/report.html").read_text()
    assert "Recorded and computed" in page
    plan = chart_plan(loaded)
    (section,) = [s for s in plan.sections if s["title"] == "Recorded and computed"]
    titles = [chart["title"] for chart in section["charts"]]
    assert titles == ["Leg length, recorded and computed", "Motor current, recorded and computed"]
    assert {chart["wanted"] for chart in section["charts"]} <= plan.numbers.keys()
    assert study_page(loaded)
    other = CliRunner().invoke(app, ["run", "study.json", "-o", "out"])
    assert other.exit_code != 0  # results of other inputs stay
    missing = CliRunner().invoke(app, ["run", "study.json", "--compare", "no.csv", "-o", "new"])
    assert missing.exit_code != 0
    assert not Path("new").exists()
