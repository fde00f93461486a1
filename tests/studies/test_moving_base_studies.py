"""Studies of machines on a base that moves."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.analysis.quantities import table_of
from gough.motion import expression
from gough.report import write_report
from gough.runs.folder import facts_of
from gough.studies.run import input_warnings

DECK = {
    "kind": "expression",
    "duration": 2,
    "z": "0.5*sin(2*t)",
    "roll": "0.2*sin(t)",
    "pitch": "0.1*cos(t)",
}
STUDY = {
    "schema": "gough-study/1",
    "name": "deck",
    "robot": "five-bar",
    "motion": {"kind": "hold", "duration": 2},
    "base": DECK,
    "samples": 5,
    "outputs": {"quantities": ["force", "reactions", "energy"], "report": False},
}


def test_a_study_has_the_forces_of_the_moving_base():
    study = gough.Study.from_dict(STUDY)
    found, time = gough.run(study), study.times()
    model = gough.Model(study.robot, moving_base=True)
    state = (*study.base(time), *study.motion(time))
    np.testing.assert_allclose(found["force"], model.actuator_force(*state), rtol=1e-12)
    np.testing.assert_allclose(found["base_wrench"], model.base_wrench(*state), atol=1e-12)
    np.testing.assert_allclose(found["energy"], model.energy(*state[:-1]), rtol=1e-12)
    assert found.quantities["force"].meaning.endswith("on the moving base")
    assert found.quantities["pose"].meaning.endswith("relative to the base")
    assert not found.warnings
    assert "motion of the base" in found.to_dict()["forces"]["stated"]
    leaning = gough.run(replace(study, static=True))
    still = np.zeros((5, 6))
    weights = model.actuator_force(study.base(time).pose, still, still, study.motion(time).pose)
    np.testing.assert_allclose(leaning["force"], weights, rtol=1e-12)


def test_meanings_tell_what_is_of_the_moving_base():
    moving, resting = (table_of(gough.load("five-bar"), moving_base=x) for x in (True, False))
    for name, (ours, known) in {x: (moving[x].meaning, resting[x].meaning) for x in moving}.items():
        if name in ("stored_energy", "energy", "force", "base_wrench", "motor_current"):
            assert ours == f"{known}; on the moving base"
        if name.startswith(("base_p", "base_t", "measured_a", "recorded")) or name == "command":
            assert ours == known or "encoder" in known
        assert moving[name].in_a_run in ("", resting[name].in_a_run + ours[len(known) :])


def test_a_grid_varies_the_base_point_by_point():
    swell = [{"parameter": "base.z", "values": ["0", "0.5*sin(2*t)"]}]
    grid = gough.run({**STUDY, "variations": swell})
    alone = gough.run(STUDY).summary["peak_force"].value
    assert grid.figure("peak_force").values[1] == alone
    assert grid.figure("peak_force").values[0] != alone


def test_a_study_is_known_by_the_motion_of_its_base():
    robot = gough.load("five-bar")
    motion = gough.motion.hold(robot.home, 2)
    ways = [expression(2, z=text) for text in ("0.1*t", "0.2*t")]
    one, other = (facts_of(gough.Study(robot, motion, base=base, samples=3)) for base in ways)
    assert str(one[-2]) != str(other[-2])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"base": {**DECK, "kind": "wave"}}, "base.kind: not known, got 'wave'"),
        ({"base": {**DECK, "duration": 1}}, "base.duration: the base stops too soon, got 1.0"),
        ({"base": {**DECK, "z": "nan*t"}}, "base.z"),
        ({"base": 3}, "base: not a table"),
        ({"robot": "kalani-2016", "formulation": "kane"}, "a moving base has no formulation"),
    ],
)
def test_what_a_moving_base_cannot_be_is_refused(change, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.Study.from_dict({**STUDY, **change})


def test_a_controller_is_simulated_on_the_moving_base():
    law = {"controller": {"kind": "computed-torque", "gains": {"kp": 900, "kd": 60}}}
    found = gough.run({**STUDY, **law, "samples": 3})
    np.testing.assert_allclose(
        found["base_pose"], gough.Study.from_dict(STUDY).base(found.time).pose
    )
    assert found.quantities["force"].meaning.endswith("on the moving base")
    floats = {"plant": {"floating_base": {"mass": 3, "inertia": [1, 1, 1]}}}
    with pytest.raises(gough.GoughError, match="floating_base: both are given"):
        gough.Study.from_dict({**STUDY, **law, **floats})


def test_a_quantity_of_a_base_at_rest_is_missed():
    outputs = {"quantities": ["stiffness", "tolerances", "force"], "report": False}
    study = {**STUDY, "robot": "demo-hexapod", "outputs": outputs, "samples": 3}
    found = gough.run({**study, "tolerances": {"platform.mass": "1 %"}})
    assert found.warnings[0] == (
        "the results have no stiffness and no tolerances: known for a base at rest only"
    )
    assert not {"minimum_stiffness", "force_deviation"} & found.quantities.keys()
    everything = gough.Study.from_dict({**study, "outputs": {"quantities": ["all"]}})
    words = input_warnings(everything, everything.robot)
    assert any(word.startswith("the results have no coupling and no stiffness") for word in words)


def test_a_base_that_is_faster_than_the_samples_is_told():
    fast = {"kind": "expression", "duration": 2, "z": "0.001*sin(200*t)"}
    words = gough.run({**STUDY, "base": fast}).warnings
    assert any(word.startswith("the motion of the base changes between samples") for word in words)


def test_a_page_says_that_forces_include_the_motion_of_the_base(tmp_path):
    page = tmp_path / "report.html"
    write_report(gough.run({**STUDY, "samples": 3}), page)
    assert "motion of the base" in page.read_text(encoding="utf-8").partition("<table")[0]
