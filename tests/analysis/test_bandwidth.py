"""Power and bandwidth that a motion asks of actuators, beside force and speed."""

from math import exp, sqrt, tau

import numpy as np
import pytest
from study_samples import LINE, data

import gough
from gough.analysis.reductions import TimeSeries, energy_bandwidth, tracking_bandwidth
from gough.errors import InputError

TIME = np.linspace(0.0, 2.0, 801)
HEAVE = {
    "kind": "expression",
    "duration": 2,
    "z": "0.99 + 0.02*sin(4*pi*t)",
}
BAND = {"quantities": ["legs", "forces", "bandwidth"]}


def band(*columns):
    return energy_bandwidth(TimeSeries(TIME, np.stack(columns, axis=-1)))


def stated(**limits):
    robot = gough.load("demo-hexapod").to_dict()
    robot["leg"] |= limits
    return gough.Robot.from_dict(robot).to_dict()


def test_bandwidth_of_sinusoids_is_the_highest_frequency_that_counts():
    low, high = np.sin(tau * 3 * TIME), np.cos(tau * 20 * TIME)
    found = band(low, low + 7.0, low + 0.09 * high, low + 0.2 * high)
    assert found == pytest.approx([3, 3, 3, 20])


def test_a_drift_and_a_constant_have_no_bandwidth():
    assert band(3 * TIME - 1, np.full_like(TIME, 1e6), 0 * TIME).tolist() == [0, 0, 0]
    assert np.isnan(band(np.where(TIME > 1, np.nan, TIME**2)))


def test_bandwidth_holds_the_share_and_one_line_less_does_not():
    rng = np.random.default_rng(3)
    values = np.cumsum(rng.normal(size=(801, 4)), axis=0)
    ramp = values[0] + (values[-1] - values[0]) * (TIME / TIME[-1])[:, None]
    rest = (values - ramp)[:-1]
    lines = np.arange(1, 401)
    waves = np.exp(-1j * tau * np.outer(lines, np.arange(800)) / 800)
    energy = np.abs(waves @ rest) ** 2 * np.where(lines < 400, 2, 1)[:, None]
    shares = np.cumsum(energy, axis=0) / energy.sum(axis=0)
    for column, f in enumerate(energy_bandwidth(TimeSeries(TIME, values))):
        k = round(f * 2.0) - 1
        assert shares[k, column] >= 0.99
        assert k == 0 or shares[k - 1, column] < 0.99


def test_two_samples_have_no_bandwidth():
    robot = stated(max_bandwidth="1 Hz")
    few = gough.run(data(robot=robot, motion=LINE, samples=2)).summary
    assert few["minimum_force_bandwidth_margin"].value == 1.0


def test_grids_count_points_beyond_each_bandwidth():
    masses = {"name": "mass", "parameter": "robot.platform.mass", "values": [50, 150]}
    robot = stated(max_bandwidth="2.5 Hz")
    grid = gough.run(data(robot=robot, motion=HEAVE, tasks=[], variations=[masses]))
    words = " ".join(grid.remarks())
    for name in ("force", "speed"):
        beyond = (grid[f"minimum_{name}_bandwidth_margin"] < 0).sum()
        assert (f"{beyond} of 2 points exceed the {name} bandwidth" in words) == (beyond > 0)


def test_tracking_bandwidth_of_a_ramp_and_of_a_sinusoid():
    omega = tau * 3
    speeds = np.stack([np.full_like(TIME, 0.5), omega * np.cos(omega * TIME)], axis=-1)
    found = tracking_bandwidth(TimeSeries(TIME, speeds), np.array([0.01, 0.1])).per_leg
    w = tau * found[0]
    assert 0.5 / w * (1 - exp(-2 * w)) == pytest.approx(0.01, rel=1e-6)
    assert tau * found[1] == pytest.approx(omega * sqrt(1 / 0.1**2 - 1), rel=1e-3)


def test_tracking_bandwidth_is_zero_where_the_bound_holds_the_motion():
    speeds = np.sin(tau * TIME)[:, None]
    assert tracking_bandwidth(TimeSeries(TIME, speeds), np.array([1.0])).value == 0.0


def test_a_study_tells_bandwidths_of_forces_and_speeds():
    results = gough.run(data(motion=HEAVE, tasks=[], outputs=BAND))
    speed = results.summary["leg_speed_bandwidth"]
    assert speed.unit == "Hz"
    assert max(speed.per_leg) == speed.value == pytest.approx(2.0)
    expected = energy_bandwidth(TimeSeries(results.time, results["force"]))
    assert results.summary["force_bandwidth"].per_leg == pytest.approx(expected)
    assert "force_bandwidth" not in gough.run(data(motion=HEAVE)).summary


def test_power_and_bandwidth_beyond_their_limits_are_warned_of():
    robot = stated(max_power="5 W", max_bandwidth="1.5 Hz")
    results = gough.run(data(robot=robot, motion=HEAVE, tasks=[]))
    power = np.abs(results["force"] * results["leg_speed"]).max()
    assert results.summary["minimum_power_margin"].value == pytest.approx(5 - power)
    assert results.summary["minimum_speed_bandwidth_margin"].value == pytest.approx(1.5 - 2.0)
    warnings = " ".join(results.warnings)
    assert f"exceeds its power by {power - 5:.3g} W" in warnings
    assert "needs 0.5 Hz more bandwidth for its speed" in warnings
    assert {"power", "force bandwidth", "speed bandwidth"} <= set(results.limits.checked)


def test_grids_have_the_same_figures_as_their_points():
    robot = stated(max_power="5 W", max_bandwidth="1.5 Hz")
    masses = {"name": "mass", "parameter": "robot.platform.mass", "values": [50, 150, 300]}
    written = data(robot=robot, motion=HEAVE, tasks=[], outputs=BAND)
    grid = gough.run(written | {"variations": [masses]})
    names = ("force_bandwidth", "minimum_power_margin", "minimum_force_bandwidth_margin")
    for k, mass in enumerate(masses["values"]):
        robot["platform"]["mass"] = mass
        one = gough.run(written | {"robot": robot}).summary
        for name in names:
            assert grid[name][k] == pytest.approx(one[name].value, rel=1e-9)


def test_rotary_motors_have_power_and_bandwidth_limits():
    robot = gough.load("delta").to_dict()
    for joint in robot["joints"]:
        if joint.get("driven"):
            joint.update(max_power="10 W", max_bandwidth="0.1 Hz")
    motion = {"kind": "line", "displacement": [0.1, 0, 0], "duration": 0.4}
    results = gough.run(data(robot=robot, motion=motion, tasks=[]))
    power = np.abs(results["power"]).max()
    assert results.summary["minimum_power_margin"].value == pytest.approx(10 - power)
    assert results.summary["minimum_speed_bandwidth_margin"].value < 0
    assert any("bandwidth" in warning for warning in results.warnings)


def test_a_study_tells_the_bandwidth_that_keeps_a_tracking_error():
    outputs = {"quantities": ["legs"], "tracking_error": "0.1 mm"}
    results = gough.run(data(motion=LINE, outputs=outputs))
    found = results.summary["tracking_bandwidth"]
    series = TimeSeries(results.time, results["leg_speed"])
    assert found.per_leg == pytest.approx(tracking_bandwidth(series, np.full(6, 1e-4)).per_leg)
    assert 0 < found.value < np.abs(results["leg_speed"]).max() / 1e-4 / tau
    rotary = gough.run(data(robot="delta", motion=LINE, tasks=[], outputs=outputs)).summary
    assert np.isnan(rotary["tracking_bandwidth"].value)


def test_a_simulation_refuses_a_tracking_error():
    controller = {"kind": "joint-pid", "frequency": "6 Hz", "damping": 1.0}
    with pytest.raises(InputError) as refused:
        gough.run(data(controller=controller, outputs={"tracking_error": "0.1 mm"}))
    assert refused.value.key == "outputs.tracking_error"


@pytest.mark.parametrize("value", [0, -1, "2 kg"])
@pytest.mark.parametrize("key", ["max_power", "max_bandwidth"])
def test_limits_without_sense_are_refused(key, value):
    with pytest.raises(InputError) as refused:
        stated(**{key: value})
    assert refused.value.key == f"leg.{key}"


def test_actuators_are_selected_by_power_and_bandwidth():
    actuator = {
        "name": "weak",
        "stroke": "0.4 m",
        "retracted_length": "0.5 m",
        "peak_force": "5 kN",
        "max_speed": "1 m/s",
        "max_power": "10 W",
        "max_bandwidth": "1 Hz",
    }
    strong = actuator | {"name": "strong", "max_power": "10 kW", "max_bandwidth": "100 Hz"}
    catalogue = {"schema": "gough-catalogue/1", "name": "own", "actuators": [actuator, strong]}
    chosen = gough.select("demo-hexapod", [data(motion=HEAVE, tasks=[])], catalogue=catalogue)
    results = gough.run(data(motion=HEAVE, tasks=[]))
    power = chosen["weak"].requirement("power")
    assert power.needed == pytest.approx(np.abs(results["power"]).max())
    assert chosen["weak"].requirement("bandwidth").needed == pytest.approx(
        max(band_of.max() for band_of in _bands(results))
    )
    assert not chosen["weak"].suffices
    assert chosen["strong"].suffices
    assert chosen.robot_with("strong").actuators[0].max_power == pytest.approx(10e3)


def _bands(results):
    return [
        energy_bandwidth(TimeSeries(results.time, results[name])) for name in ("force", "leg_speed")
    ]
