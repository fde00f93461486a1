"""References clipped at the travel: actuators are sent to the ends, and no farther."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError, InputError
from gough.motion import Quintic, line
from gough.report.simulated import simulation_figures
from gough.simulation import (
    Scenario,
    admittance,
    computed_torque,
    gravity_feed_forward,
    joint_pid,
    open_loop,
)
from gough.simulation.batch import simulate_batch

FAR = {"kind": "line", "displacement": [0, 0, "25 cm"], "profile": "quintic", "duration": 0.8}
PID = {"kind": "joint-pid", "frequency": 15}


def run(clip, robot="demo-hexapod", motion=FAR, controller=PID, substeps=1, **more):
    clipped = {"clip_reference": clip} if clip is not None else {}
    return gough.run(
        {
            "schema": "gough-study/1",
            "name": "clipped",
            "robot": robot,
            "motion": motion,
            "controller": controller | clipped,
            "plant": {"stops": True, **more},
            "simulation": {"substeps": substeps},
        }
    )


def written(results):
    return {key: value for key, value in results.study.items() if key != "run"}


def test_a_reference_beyond_the_stroke_holds_at_the_limit():
    clipped = run(True)
    low, high = np.array([leg.stroke for leg in clipped.robot.legs]).T
    motion = gough.Study.from_dict(written(clipped)).motion
    wanted = gough.Model(clipped.robot).inverse_kinematics(motion(clipped.time).pose)
    beyond = wanted > high
    assert beyond.any()
    reference = clipped["leg_length"] + clipped["leg_length_error"]
    np.testing.assert_allclose(reference, np.clip(wanted, low, high), atol=1e-12)
    held = clipped["leg_length"][beyond.all(axis=1)]
    assert np.abs(held[50:-50] - high).max() < 2e-4
    count = int((reference != wanted).any(axis=1).sum())
    words = f"at {count} of {len(clipped.time)} samples"
    told = [w for w in clipped.warnings if "clipped at the travel" in w]
    assert len(told) == 1
    assert words in told[0]
    assert "legs 1, 2, 3, 4, 5, 6" in told[0]
    assert clipped.simulation.controller.clips
    assert "clipped at the travel" in clipped.simulation.controller.description


def test_without_clipping_the_reference_goes_beyond():
    plain, stated = run(None), run(False)
    np.testing.assert_array_equal(plain["command"], stated["command"])
    high = plain.robot.legs[0].stroke[1]
    assert (plain["leg_length"] + plain["leg_length_error"]).max() > high + 5e-3
    assert not any("clipped" in words for words in plain.warnings)
    clipped = run(True)
    assert np.abs(plain["command"][-1]).min() == 2500  # pushes against its stops
    assert np.abs(clipped["command"][-1]).max() < 400


def test_within_the_stroke_clipping_changes_nothing():
    near = FAR | {"displacement": [0, 0, 0.05]}
    plain, clipped = run(False, motion=near), run(True, motion=near)
    np.testing.assert_allclose(clipped["pose"], plain["pose"], atol=1e-12)
    assert not any("clipped" in words for words in clipped.warnings)


def test_an_open_loop_of_voltages_stands_still_where_its_reference_is_clipped():
    open_loop_of_drives = {"kind": "open-loop", "command": "voltage", "gains": {"load": 0}}
    found = run(True, controller=open_loop_of_drives, drives=True, substeps=12)
    reference = found["leg_length"] + found["leg_length_error"]
    high = np.array([leg.stroke[1] for leg in found.robot.legs])
    at_end = (reference == high).all(axis=1)
    assert at_end.sum() > 100
    np.testing.assert_allclose(found["command"][at_end], 0, atol=1e-12)
    assert np.abs(found["command"]).max() > 1
    assert simulation_figures(found)["peak_command"].unit == "V"


def test_rotary_actuators_are_clipped_at_their_range():
    robot = gough.load("delta").to_dict()
    for joint in robot["joints"]:
        if joint.get("driven"):
            joint["range"] = ["-10 deg", "10 deg"]
    motion = {"kind": "line", "displacement": [0, 0, -0.15], "duration": 0.4}
    found = run(True, robot, motion)
    reference = found["actuator_position"] + found["actuator_position_error"]
    limit = np.radians(10)
    assert np.abs(reference).max() == pytest.approx(limit, rel=1e-12)
    assert any("clipped at the travel" in words for words in found.warnings)


def test_laws_that_follow_the_platform_have_nothing_to_clip():
    robot = gough.load("demo-hexapod")
    for law in (computed_torque(900, 60, space="task"), open_loop(), admittance(1, 1, 1, 1, 1)):
        with pytest.raises(InputError, match="does not follow positions of actuators"):
            law.with_clipped_reference(robot)
    task = {"kind": "computed-torque", "space": "task", "gains": {"kp": 900, "kd": 60}}
    with pytest.raises(InputError, match=r"^controller\.clip_reference: .*follow positions"):
        run(True, controller=task)
    for law in (joint_pid(1, 1), gravity_feed_forward(1, 1)):
        assert law.with_clipped_reference(robot).clips


def test_a_batch_of_other_strokes_has_no_travel_of_its_own_to_clip_at():
    robot = gough.load("demo-hexapod")
    law = joint_pid(1, 1).with_clipped_reference(robot)
    motion = line(robot.home, [0.01, 0, 0], Quintic(0.05))
    with pytest.raises(GoughError, match="at the travel of the nominal robot; expected no varied"):
        simulate_batch(Scenario(robot, law, motion), {"legs[2].stroke.longest": [1.0, 1.1]})


def test_a_robot_without_strokes_has_nothing_to_clip_at():
    robot = gough.load("kalani-2016")
    assert robot.actuators[0].travel is None
    with pytest.raises(InputError, match="clip_reference: kalani-2016 has no travel to clip at"):
        run(True, robot="kalani-2016", motion={"kind": "hold", "duration": 0.1})


def test_stops_of_a_robot_without_any_are_refused():
    hold = {"kind": "hold", "duration": 0.1}
    with pytest.raises(InputError, match=r"^plant\.stops: kalani-2016 has none"):
        run(None, robot="kalani-2016", motion=hold)
