"""What a run shows of legs that yield: inner lengths, their rates, and forces on the platform."""

import numpy as np
import pytest

import gough
from gough.motion import Constant
from gough.simulation import Sampling, open_loop, real_plant

ROBOT = gough.load("demo-hexapod")
INNER = {
    "actuator_length": "actuator_length_rate",
    "coupling_deflection": "coupling_deflection_rate",
    "decoupling_position": "decoupling_speed",
}
"""Lengths [m], each with its rate [m/s]."""


@pytest.fixture(scope="module")
def pushed():
    """A machine in balance that is pushed by 200 N, from the first moment on."""
    plant = real_plant(ROBOT, legs="complete", drives=False, joint_friction=False, stops=False)
    rest = gough.motion.hold(ROBOT.home, 0.02)
    push = Constant((0.0, 0.0, 200.0))
    return gough.simulate(
        gough.Scenario(
            ROBOT, open_loop(), rest, plant=plant, tasks=[push], sampling=Sampling(1e-4, 2)
        )
    )


def test_springs_bear_at_rest_what_the_legs_push_with(pushed):
    connector = ROBOT.legs[0].connector
    force, deflection = pushed["leg_force"][0], pushed["coupling_deflection"][0]
    assert force == pytest.approx(connector.coupling.stiffness * deflection, rel=1e-9)
    yielded = pushed["actuator_length"][0] - pushed["leg_length"][0]
    compliance = 1 / connector.stiffness + 1 / connector.coupling.stiffness
    assert yielded == pytest.approx(compliance * force, rel=1e-6)


def test_legs_carry_the_platform_at_rest(pushed):
    """Along z: the platform's weight, and what of the legs' own hangs on it: less than theirs."""
    lines = gough.Model(ROBOT).jacobian(pushed["pose"][0])[:, 2]
    legs = sum(leg.cylinder.mass + leg.piston.mass for leg in ROBOT.legs)
    carried = lines @ pushed["leg_force"][0] / 9.81
    assert ROBOT.platform.mass < carried < ROBOT.platform.mass + legs


@pytest.mark.parametrize(("length", "rate"), INNER.items())
def test_rates_are_those_of_the_lengths(pushed, length, rate):
    made = np.gradient(pushed[length], pushed.time, axis=0)[2:-2]
    largest = np.abs(pushed[rate]).max()
    assert largest > 1e-6
    assert pushed[rate][2:-2] == pytest.approx(made, abs=2e-2 * largest)


def test_limits_are_those_of_the_actuators(pushed):
    """Not of the legs with their springs: as of a study on compliant legs."""
    actuator = ROBOT.actuators[0]
    low, high = actuator.travel
    length, speed = pushed["actuator_length"], np.abs(pushed["actuator_length_rate"])
    margins = np.fmin(length - low, high - length), actuator.max_speed - speed
    for name, margin in zip(("stroke_margin", "speed_margin"), margins, strict=True):
        np.testing.assert_allclose(pushed[name], margin, rtol=0, atol=1e-14)
        assert pushed.summary[f"minimum_{name}"].value == pytest.approx(margin.min(), abs=1e-14)
    assert np.abs(length - pushed["leg_length"]).min() > 1e-5


def test_they_are_in_tables_figures_and_files(pushed, tmp_path):
    names = [*INNER, *INNER.values(), "leg_force"]
    columns = pushed.to_pandas().columns
    assert {"leg_force_1 [N]", "decoupling_speed_6 [m/s]"} <= set(columns)
    assert "peak_leg_force" in pushed.summary
    pushed.save(tmp_path / "run")
    again = gough.Results.load(tmp_path / "run")
    for name in names:
        assert again[name] == pytest.approx(pushed[name])
        assert again.quantity(name).unit == pushed.quantity(name).unit


def test_legs_without_decoupling_stages_show_none():
    simple = ROBOT.replace({"leg.connector": {"stiffness": "20 N/um"}})
    plant = real_plant(simple, legs="simple", drives=False)
    shown = [argument.name for argument in plant.outputs]
    assert "leg_force" in shown
    assert "decoupling_position" not in shown
    assert real_plant(ROBOT, drives=False).outputs == ()
