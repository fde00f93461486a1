"""The report of a simulation: errors, commands and limits, the controller, why the run ended."""

import re
from dataclasses import replace

import numpy as np
import pytest
from report_samples import page, results

from gough.analysis.summary import summarize
from gough.fields.display_units import SI
from gough.report.charts import limits_of, times_at_limit
from gough.report.simulated import simulation_figures
from gough.report.study_page import study_page
from gough.report.text import as_read, number_text


def told(text, name):
    """What the table of the run says beside a name."""
    cell = re.search(rf'<th scope="row">{name}</th><td class="words[^"]*">(.*?)</td></tr>', text)
    return re.sub(r"<.*?>", "", cell[1])


def with_simulation(**changes):
    found = results("simulation")
    facts = {**found.study["run"], **changes}
    return replace(found, study={**found.study, "run": facts})


def with_command(values, unit="N", limits=None):
    found = results("simulation")
    command = replace(found.quantities["command"], values=values, unit=unit)
    facts = {**found.study["run"], "limits": limits or [None] * 6}
    study = {**found.study, "run": facts}
    return replace(found, study=study, quantities={**found.quantities, "command": command})


def test_the_largest_errors_stand_at_the_top_in_millimetres_and_milliradians():
    text, error = page("simulation"), results("simulation")["pose_error"]
    cards = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text))
    way, turn = (np.linalg.norm(part, axis=1).max() for part in (error[:, :3], error[:, 3:]))
    assert cards["Run"] == "completed"
    assert cards["Peak position error"] == f'{number_text(1e3 * way)} <span class="unit">mm</span>'
    assert cards["Peak orientation error"].startswith(f"{number_text(1e3 * turn)} ")
    assert "mrad" in cards["Peak orientation error"]
    legs = np.abs(results("simulation")["leg_length_error"]).max()
    assert cards["Peak leg length error"].startswith(number_text(1e3 * legs))


def test_a_force_above_its_limit_stands_in_red_beside_commands_at_their_limit():
    found = results("simulation")
    legs = tuple(leg.model_copy(update={"max_force": 10.0}) for leg in found.robot.legs)
    weak = found.robot.model_copy(update={"legs": legs})
    values = {name: quantity.values for name, quantity in found.quantities.items()}
    judged = summarize(weak, found.time, values, values)
    limits = {name: judged[name] for name in ("minimum_force_margin", "saturated_time")}
    text = study_page(replace(found, robot=weak, summary={**found.summary, **limits}))
    cards = dict(re.findall(r'<dt>([^<]*)</dt><dd class="alert">(.*?)</dd>', text))
    index = 1 - np.abs(found["force"]).max() / 10.0
    assert cards["Minimum force margin"].startswith(number_text(index))
    assert cards["Force above its limit"].startswith(number_text(found.time[-1]))
    assert "Commands at their limit" in text


def test_a_study_without_a_controller_says_nothing_of_one():
    text = page("circle")
    assert "Settings of the run" not in text
    assert "Following the motion" not in text
    assert ">Controller " not in text
    assert simulation_figures(results("circle")) == {}


def test_the_controller_its_sampling_and_sensors_are_told():
    text = page("simulation")
    assert "<span>Controller <b>Joint PID</b></span>" in text
    assert told(text, "Controller") == "Joint PID"
    assert told(text, "Sampling") == "every 1 ms, 1000 Hz; commands act 1 sample (1 ms) later"
    assert told(text, "Leg length sensors") == "resolution 1 µm, noise 1 µm"
    assert told(text, "Leg speeds").endswith("through a low-pass of 2 ms")
    assert told(text, "Commands") == "held at their limits, limit 2500 N"
    assert told(text, "Integration") == "1 RK4 step of 1 ms a sample"
    assert told(text, "Ended") == "completed, at 1.6 s"
    matrix = np.array(results("simulation").study["run"]["controller"]["gains"]["kp"])
    for value in matrix.flat:
        assert f"<td>{number_text(value)}</td>" in text
    assert told(text, "Gain kv").startswith("0")


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        ((3.5 * np.eye(6)).tolist(), "3.5 N/m"),
        (np.diag([1.0, 2, 3, 4, 5, 6]).tolist(), "1, 2, 3, 4, 5, 6 N/m"),
        ([7.0] * 6, "7 N/m"),
    ],
)
def test_gains_are_as_short_as_they_can_be(gain, words):
    controller = {"kind": "pd_gravity", "gains": {"kp": gain}, "units": {"kp": "N/m"}}
    text = study_page(with_simulation(controller=controller))
    assert told(text, "Gain kp") == words
    assert told(text, "Controller") == "PD gravity"


def test_perfect_sensors_are_called_exact():
    text = study_page(
        with_simulation(sensors={"resolution": 0.0, "noise": 0, "speed_filter": None})
    )
    assert told(text, "Leg length sensors") == "exact"
    assert told(text, "Leg speeds") == "known exactly"


def test_whatever_else_is_known_of_a_run_is_told():
    text = study_page(
        with_simulation(
            plant={"kind": "drives <b>", "stops": True},
            integrator={"method": "LSODA", "rtol": 1e-8},
        )
    )
    assert told(text, "Plant") == "kind: drives &lt;b&gt;; stops: True"
    assert told(text, "Integration") == "method: LSODA; rtol: 1·10⁻⁸"


def test_why_a_run_ended_early_is_told_first():
    words = "the run diverged at t = 0.731 s: the platform left the machine"
    ended = {"kind": "diverged", "time": 0.731, "samples": 731, "text": words}
    text = study_page(replace(with_simulation(ended=ended), warnings=(words,)))
    assert text.index("The run diverged at") < text.index('class="figures"')
    assert '<dd class="alert">diverged</dd><dd class="alert">at 0.731 s</dd>' in text
    assert told(text, "Ended") == "The run diverged at t = 0.731 s: the platform left the machine."


def test_the_share_of_time_at_the_limit_is_that_of_a_clipped_wave():
    time = results("simulation").time
    wave = np.clip(1.5 * 400 * np.sin(2 * np.pi * time / 1.6), -400, 400)
    values = np.stack([wave, *np.zeros((5, len(time)))], axis=1)
    found = with_command(values, limits=[400, 400, 300, None, 500, 500])
    share = 1 - np.arcsin(1 / 1.5) * 2 / np.pi
    figure = simulation_figures(found)["command_at_limit"]
    assert figure.value == pytest.approx(100 * share, abs=0.3)
    np.testing.assert_allclose(figure.per_leg, [figure.value, 0, 0, 0, 0, 0])
    (first, half), second = times_at_limit(found)
    assert first == pytest.approx(figure.time)
    assert half == pytest.approx(0.8 - first, abs=2e-3)
    np.testing.assert_allclose(second, np.array([first, half]) + 0.8, atol=2e-3)
    assert "⚠" in study_page(found)


def test_commands_have_the_limits_of_the_plant_in_their_unit_or_none():
    values = np.full((len(results("simulation").time), 6), 12.0)
    volts = with_command(values, unit="V", limits=[325.0] * 6)
    speeds = with_command(values, unit="m/s")
    assert told(study_page(volts), "Commands").endswith("limit 325.0 V")
    assert simulation_figures(volts)["command_at_limit"].value == 0
    assert told(study_page(speeds), "Commands") == "no limits known"
    assert "command_at_limit" not in simulation_figures(speeds)


def test_limits_that_differ_from_leg_to_leg_are_named_by_leg():
    robot = results("simulation").robot
    legs = [
        leg.model_copy(update={"max_force": limit})
        for leg, limit in zip(robot.legs, [400, 400, 300, None, 400, 400], strict=True)
    ]
    limited = robot.model_copy(update={"legs": tuple(legs)})
    lines = [(line["value"], line["label"]) for line in limits_of(limited)["force"]]
    several, one = "limit of leg 1, 2, 5, 6: 400.0 N", "limit of leg 3: 300.0 N"
    assert lines == [(400, several), (-400, several), (300, one), (-300, one)]
    assert limits_of(results("circle").robot)["force"][0]["label"] == "limit 2500 N"


@pytest.mark.parametrize(
    ("largest", "unit", "shown", "factor"),
    [
        (0.02, "m", "mm", 1e3),
        (3e-5, "m", "µm", 1e6),
        (4e-9, "m", "nm", 1e9),
        (2.0, "rad", "mrad", 1e3),
        (0.0, "rad", "mrad", 1e3),
        (3e-5, "N", "N", 1.0),
    ],
)
def test_errors_have_units_that_suit_their_size(largest, unit, shown, factor):
    values, name = as_read(np.array([-largest, np.nan, largest / 2]), unit, SI, small=True)
    assert name == shown
    np.testing.assert_allclose(values, np.array([-largest, np.nan, largest / 2]) * factor)
