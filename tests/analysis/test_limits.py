"""Limits are judged whatever is asked for, and a study says which of them it could judge."""

import json

import numpy as np
import pytest
from study_samples import LINE, data

import gough
from gough.analysis.limits import limits_of
from gough.report.study_page import grid_page, study_page
from gough.studies.run import run

HEAVY = [{"kind": "payload", "mass": 3000}]
FAR = {"kind": "line", "displacement": [0.5, 0, 0.3], "duration": 0.3}
FEW = {"quantities": ["forces"]}


def stated(robot):
    return [limit for limit in limits_of(robot) if limit.stated(robot).any()]


@pytest.fixture(scope="module")
def overloaded():
    return run(data(motion=LINE, tasks=HEAVY, outputs=FEW))


def test_a_force_beyond_its_limit_is_warned_of_without_its_margin(overloaded):
    peak = np.abs(overloaded["force"]).max()
    excess = 100 * (peak / 2500 - 1)
    assert f"leg 1 exceeds its force by {excess:.3g} %" in overloaded.warnings[0]
    assert overloaded.summary["minimum_force_margin"].value == pytest.approx(1 - peak / 2500)
    assert overloaded.summary["saturated_time"].value == pytest.approx(1.0)


def test_what_is_only_judged_is_not_stored(overloaded):
    names = {"pose", "leg_length", "leg_speed", "force", "power", "energy", "determinant"}
    assert set(overloaded) == names
    assert "peak_motor_current" not in overloaded.summary


@pytest.mark.parametrize("changes", [{"motion": FAR}, {"motion": LINE, "tasks": HEAVY}])
@pytest.mark.parametrize("asked", ["forces", "legs", "motion", "singularity"])
def test_limits_are_judged_as_if_everything_was_asked_for(changes, asked):
    everything = run(data(**changes))
    few = run(data(outputs={"quantities": [asked]}, **changes))
    assert few.warnings == everything.warnings
    assert few.limits == everything.limits
    for limit in stated(few.robot):
        one, other = few.summary[limit.figure], everything.summary[limit.figure]
        assert one.per_leg == pytest.approx(other.per_leg, rel=1e-9, abs=1e-12)
        assert (one.leg, one.time) == (other.leg, other.time)


def test_a_margin_is_the_least_distance_between_the_columns_and_the_limit():
    found = run(data(motion=FAR))
    for limit in stated(found.robot):
        low, high = limit.ends(found.robot)
        columns = range(len(low))
        least = [np.inf for _ in columns]
        for row in found[limit.quantity]:
            for k in columns:
                for side in (row[k] - low[k], high[k] - row[k]):
                    least[k] = min(least[k], side)
        if limit.quantity == "force":
            least = [margin / 2500 for margin in least]
        figure = found.summary[limit.figure]
        assert figure.per_leg == pytest.approx(least, rel=1e-12, abs=1e-12)
        assert figure.value == min(figure.per_leg)


def test_the_worst_share_of_a_force_is_not_always_that_of_the_largest_force():
    robot = gough.load("demo-hexapod").to_dict()
    robot["leg"].pop("max_force")
    for k, leg in enumerate(robot["legs"]):
        leg["max_force"] = 2500.0 if k != 4 else 500.0
    found = run(data(robot=robot, outputs=FEW))
    assert found.summary["minimum_force_margin"].leg == 5
    assert found.summary["peak_force"].leg != 5


def test_a_study_says_which_limits_it_could_judge():
    robot = gough.load("demo-hexapod").to_dict()
    for name in ("max_speed", "base_joint_limit", "platform_joint_limit", "drive"):
        robot["leg"].pop(name)
    force = robot["leg"].pop("max_force")
    for leg in robot["legs"][1::2]:
        leg["max_force"] = force
    limits = run(data(robot=robot)).limits
    assert limits.checked == ("stroke", "force (of leg 2, 4, 6 only)")
    assert limits.not_stated == (
        "speed",
        "power",
        "force bandwidth",
        "speed bandwidth",
        "motor current",
        "amplifier voltage",
        "joint tilt",
    )
    assert limits.not_checked == ()


def test_nothing_is_called_fine_that_could_not_be_judged():
    text = study_page(run(data(robot="kalani-2016", motion={"kind": "hold", "duration": 1})))
    assert "No warnings: but no limit is known." in text
    words = "stroke, speed, force, power, force bandwidth, speed bandwidth, motor current"
    assert f"Not stated by the robot&#39;s file: {words}" in text


def test_the_report_and_the_files_say_it_too(overloaded, tmp_path):
    assert "Limits checked: stroke, speed, force, motor current" in study_page(overloaded)
    overloaded.save(tmp_path / "saved")
    facts = json.loads((tmp_path / "saved" / "summary.json").read_text())
    assert facts["limits"]["checked"][:3] == ["stroke", "speed", "force"]
    assert gough.Results.load(tmp_path / "saved").limits == overloaded.limits


def test_a_grid_of_few_quantities_is_judged():
    masses = {"name": "mass", "parameter": "tasks[0].mass", "values": [20, 3000]}
    grid = run(data(motion=LINE, tasks=HEAVY, outputs=FEW, variations=[masses]))
    assert (grid["minimum_force_margin"] < 0).tolist() == [False, True]
    assert "1 of 2 points exceed the force of an actuator" in grid.remarks()
    assert "Limits checked: stroke, speed, force" in grid_page(grid)


def test_a_simulation_of_few_quantities_is_judged():
    motion = {"kind": "hold", "duration": 0.05}
    tasks = [{"kind": "constant", "force": [0, 0, -18000]}]
    found = run(
        {
            **{key: value for key, value in data().items() if key != "samples"},
            "motion": motion,
            "tasks": tasks,
            "outputs": FEW,
            "controller": {"kind": "computed-torque", "frequency": "6 Hz"},
            "simulation": {"saturated": False},
        }
    )
    assert "force_margin" not in found
    assert found.summary["minimum_force_margin"].value < 0
    assert any("exceeds its force" in words for words in found.warnings)
