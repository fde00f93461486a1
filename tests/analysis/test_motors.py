"""What a study says of the motors, against the equations of Bingul 2012 by hand."""

import numpy as np
import pytest

import gough
from gough.motion import Payload, Quintic, line
from gough.studies.run import run
from gough.studies.study import Study

STUDY = {
    "schema": "gough-study/1",
    "name": "motors",
    "robot": "bingul-2012",
    "samples": 2001,
    "motion": {
        "kind": "expression",
        "duration": 2,
        "x": "a*sin(pi*t)",
        "y": "0",
        "z": "0.25 + a*cos(2*pi*t)",
        "constants": {"a": "5 mm"},
    },
}


def test_motors_need_what_the_equations_of_bingul_say():
    found = run(STUDY)
    d, n = found.robot.legs[0].drive, 2 * np.pi / 1e-3
    q_dot, q_ddot = found["leg_speed"], found["leg_acceleration"]
    torque = (
        n * (d.rotor_inertia + d.screw_inertia) * q_ddot
        + n * (d.rotor_damping + d.screw_damping) * q_dot
        + found["force"] / n
    )  # (52) to (55), n = 1
    np.testing.assert_allclose(found["motor_torque"], torque, rtol=1e-9, atol=1e-12)
    current = torque / 0.0261  # (56)
    np.testing.assert_allclose(found["motor_current"], current, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found["motor_speed"], n * q_dot, rtol=1e-12)  # (58)
    rate = np.gradient(current, found.time, axis=0)
    voltage = 265e-6 * rate + 7.1 * current + 2.73e-3 * 60 / (2 * np.pi) * n * q_dot  # (57)
    np.testing.assert_allclose(found["motor_voltage"][1:-1], voltage[1:-1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        found["motor_power"], found["motor_voltage"] * found["motor_current"], rtol=1e-12
    )


def test_electrical_energy_is_work_on_the_legs_and_what_the_drives_keep_or_lose():
    found = run(STUDY)
    d = found.robot.legs[0].drive
    i, w = found["motor_current"], found["motor_speed"]
    conversion = (2.73e-3 * 60 / (2 * np.pi) - 0.0261) * w * i
    lost = 7.1 * i**2 + (d.rotor_damping + d.screw_damping) * w**2 + conversion
    spent = np.trapezoid((found["motor_power"] - found["power"] - lost).sum(axis=1), found.time)
    inertia = d.rotor_inertia + d.screw_inertia
    stored = (inertia * w**2 + 265e-6 * i**2).sum(axis=1) / 2
    scale = np.trapezoid(np.abs(found["motor_power"]).sum(axis=1), found.time)
    assert spent == pytest.approx(stored[-1] - stored[0], abs=1e-6 * scale)


def test_voltages_do_not_depend_on_the_rate_where_a_load_sets_in():
    """A step of the force is a step of the current: no inductance is asked to make it."""
    push = {"kind": "constant", "force": [0, 0, -500], "active": [0.5, 1.2]}
    base = {**STUDY, "robot": "demo-hexapod", "tasks": [push]}
    base["motion"] = {
        "kind": "line", "displacement": [0.05, 0, 0.05], "profile": "quintic", "duration": 2,
    }  # fmt: skip
    coarse, fine = (run({**base, "samples": n}) for n in (401, 40001))
    for name in ("peak_motor_voltage", "peak_motor_power"):
        assert coarse.summary[name].value == pytest.approx(fine.summary[name].value, rel=1e-3)


def test_at_rest_inductances_take_nothing():
    found = run({**STUDY, "analysis": "static"})
    current = found["motor_current"]
    np.testing.assert_allclose(found["motor_voltage"], 7.1 * current, rtol=1e-12)


@pytest.mark.parametrize("name", ["motor_current", "motor_voltage", "motor_power"])
def test_any_of_the_electrical_quantities_can_be_asked_for_alone(name):
    found = run({**STUDY, "outputs": {"quantities": [name]}})
    whole = run(STUDY)
    np.testing.assert_allclose(found[name], whole[name], rtol=1e-12)


def test_a_heavy_load_asks_for_more_current_than_the_motors_may_have():
    robot = gough.load("demo-hexapod")
    up = line(robot.home, [0, 0, 0.05], Quintic(0.5))
    light, heavy = (run(Study(robot, up, tasks)) for tasks in ((), (Payload(5000.0),)))
    assert not any("motor" in words for words in light.warnings)
    warned = [words for words in heavy.warnings if "more than its motor may have" in words]
    figure = heavy.summary["minimum_current_margin"]
    largest = np.abs(heavy["motor_current"]).max()
    assert figure.value == pytest.approx(15 - largest)
    assert len(warned) == 1
    assert f"needs {largest - 15:.3g} A" in warned[0]
    assert heavy.summary["rms_motor_current"].value < largest


def test_a_robot_without_motors_has_none_of_it():
    robot = gough.load("kalani-2016")
    found = run(Study(robot, line(robot.home, [0, 0, 0.1], Quintic(1.0))))
    assert not any(name.startswith("motor") for name in found.quantities)
    assert not any("motor" in name for name in found.summary)
