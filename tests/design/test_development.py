"""Design, control, simulation and verdict in one loop [Baiges 1996, Fig. 1.5]."""

import json
from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.design import Design, develop, development
from gough.runs import to_folder

MOTION = {"kind": "line", "displacement": [0, 0, 0.03], "profile": "quintic", "duration": 0.4}


def study(**more):
    table = {"schema": "gough-study/1", "name": "lift", "robot": "demo-hexapod", "motion": MOTION}
    table["controller"] = {"kind": "pd-gravity", "frequency": "8 Hz"}
    table["tasks"] = [{"kind": "payload", "mass": "20 kg"}]
    return gough.Study.from_dict(table | more)


def design(force, **more):
    return Design.from_dict(
        {
            "schema": "gough-design/1",
            "name": "lifter",
            "robot": "demo-hexapod",
            "variables": [{"number": "symmetric.base_radius", "range": [0.5, 0.9]}],
            "demands": [{"name": "up", "box": {"z": 0.02, "points": 2}}],
            "requirements": {"force": force, **more},
            "objectives": {"minimise": "force"},
        }
    )


def test_a_loop_is_made_faster_until_it_follows(tmp_path):
    found = develop(design("600 N"), study(), limits={"peak_position_error": "0.5 mm"}, starts=1)
    assert found.accepted
    assert found.reasons == found.changes == ()
    assert found.design.possible
    assert found.robot == found.design.robot
    assert found.frequency > 8.0
    slower = develop(found.robot, study(), limits={"peak_position_error": "0.5 mm"})
    assert slower.frequency == found.frequency  # of a robot as it is, too
    assert slower.design is None
    error = {check.figure.name: check for check in found.checks}["peak_position_error"]
    reached = np.linalg.norm(found.results["pose_error"][:, :3], axis=1).max()
    assert error.figure.value == pytest.approx(reached)
    assert error.figure.value <= error.bound == 5e-4
    to_folder(found, tmp_path / "out")
    told = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert told["accepted"]
    assert told["frequency"] == found.frequency
    assert gough.load(tmp_path / "out" / "robot.toml").legs[0].base == found.robot.legs[0].base
    assert {"report.html", "study.json"} <= {file.name for file in (tmp_path / "out").iterdir()}
    again = gough.run(json.loads((tmp_path / "out" / "study.json").read_text()))
    np.testing.assert_allclose(again["force"], found.results["force"])


def test_a_design_that_cannot_be_is_refused_with_what_it_would_need(tmp_path):
    found = develop(design("50 N"), study(), starts=1)
    assert not found.accepted
    assert found.results is found.tuned is None
    assert "no design that was tried holds all requirements" in found.reasons[0]
    (change,) = found.changes
    assert change.startswith("force ")
    assert change.endswith("instead of 50")
    to_folder(found, tmp_path / "out")
    assert not json.loads((tmp_path / "out" / "summary.json").read_text())["accepted"]


def test_an_actuator_that_is_too_slow_is_the_reason():
    data = gough.load("demo-hexapod").to_dict()
    data["leg"]["max_speed"] = 0.05
    slow = gough.Robot.from_dict(data)
    found = develop(slow, study(), limits={"peak_position_error": 1e-6})
    assert found.frequency == 8.0  # a faster loop would not help the speed
    margin = found.results.summary["minimum_speed_margin"]
    assert margin.value < 0
    assert any(f"minimum speed margin is {margin.value:.4g} m/s" in why for why in found.reasons)
    assert any("actuators (gough select) with more speed" in change for change in found.changes)


def with_force(most):
    data = gough.load("demo-hexapod").to_dict()
    data["leg"]["max_force"] = most
    return gough.Robot.from_dict(data)


def test_commands_at_their_limit_are_a_reason():
    found = develop(with_force(380.0), study())
    assert found.results.summary["minimum_force_margin"].value == 0  # cut off there, not beyond
    assert "commands of legs 1, 2, 3, 6 at the limit for 96.8 % of the run" in found.reasons[0]
    assert "actuators (gough select) with more force, or a motion with less" in found.changes
    weak = develop(with_force(100.0), study())  # less than the machine weighs
    assert weak.results is None
    assert "the command of actuator 1 is at its limit at rest" in weak.reasons[0]


def test_the_loop_that_runs_must_be_stable():
    found = develop(
        gough.load("demo-hexapod"),
        study(plant={"legs": "complete"}, simulation={"period": "0.5 ms"}),
    )
    assert found.tuned.quality.stable  # on rigid legs
    assert found.reasons[0].startswith("the gains are not stable at this sampling")


def test_a_faster_loop_with_larger_errors_is_not_the_verdict(monkeypatch):
    errors = iter([3e-3, 2e-3, 4e-3])

    def worse(made):
        (name,) = limits
        figure = replace(given.summary[name], value=next(errors))
        return replace(given, summary=type(given.summary)({name: figure}))

    robot, limits = gough.load("demo-hexapod"), {"peak_position_error": 1e-3}
    given = gough.run(study())
    monkeypatch.setattr(development, "run_one", worse)
    found = develop(robot, study(), limits=limits)
    assert found.checks[0].figure.value == 2e-3
    assert found.frequency == 8.0 * 1.5
    assert found.reasons[-1] == "poles of 18 Hz do not help: errors are no smaller"


def test_a_sampled_loop_ends_where_it_is_no_longer_stable():
    sampled = {"period": "2 ms", "delay": 2}
    found = develop(
        gough.load("demo-hexapod"), study(simulation=sampled), limits={"peak_position_error": 1e-9}
    )
    assert not found.accepted
    assert found.tuned.quality.stable
    assert found.reasons[-1].endswith("do not help: not stable")
    assert any("shorter period or delay" in change for change in found.changes)


def test_gains_of_ones_own_are_kept_and_other_machines_serve():
    table = {"schema": "gough-study/1", "name": "across", "robot": "delta"}
    table["motion"] = {"kind": "line", "displacement": [0.02, 0, 0], "duration": 0.3}
    table["controller"] = {"kind": "computed-torque", "gains": {"kp": 4e3, "kd": 120}}
    made = gough.Study.from_dict(table)
    found = develop(gough.load("delta"), made, limits={"peak_position_error": "0.1 mm"})
    assert found.accepted
    assert found.frequency is found.tuned is None
    refused = develop(gough.load("delta"), made, limits={"peak_force": "1 mN m"})
    assert next(check.holds for check in refused.checks) is False
    assert refused.reasons[0].startswith("peak force is ")


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"peak_postion_error": 1}, "no figure is called 'peak_postion_error'.*peak_position"),
        ({"peak_position_error": "2 kg"}, "limits.peak_position_error: .*a mass"),
        ({"peak_position_error": float("nan")}, "limits.peak_position_error: not finite"),
        ({"peak_contact_force": 1}, "the simulation has no figure 'peak_contact_force'"),
    ],
)
def test_limits_of_nothing_are_refused(limits, words):
    with pytest.raises(gough.GoughError, match=words):
        develop(gough.load("demo-hexapod"), study(), limits=limits)


def test_a_study_without_a_controller_is_refused():
    table = study().written
    table = {k: v for k, v in table.items() if k not in ("controller", "plant", "simulation")}
    table.pop("start", None)
    with pytest.raises(gough.GoughError, match="a study with no controller; expected one simul"):
        develop(gough.load("demo-hexapod"), gough.Study.from_dict(table))
