"""FMUs of plants: as fmpy runs them, against Gough's own simulation."""

import ctypes
from functools import cache

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from fmus import POSE, Opened

import gough
from gough.exchange import export_fmu
from gough.robot.numbers import layout, parameters_of, with_parameters
from gough.simulation import Stepper, integrate, real_plant, rigid_plant

DELTA, HEXAPOD = gough.load("delta"), gough.load("demo-hexapod")
WRENCH = {"wrench.fx": 20.0, "wrench.fy": -10.0, "wrench.fz": 5.0}
_DOUBLES = ctypes.POINTER(ctypes.c_double)
OUTSIDE = np.array([20.0, -10.0, 5.0, 0, 0, 0])


@cache
def plant_of(name):
    """A few kinds, each of other parts."""
    return {
        "delta": lambda: rigid_plant(DELTA),
        "delta drives": lambda: real_plant(DELTA),
        "hexapod": lambda: rigid_plant(HEXAPOD),
    }[name]()


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    @cache
    def path(name, fmi=3):
        folder = tmp_path_factory.mktemp("fmu")
        return export_fmu(plant_of(name), folder, fmi=fmi, step=2.5e-4)

    return path


def pushed(plant, time):
    """Commands that move a machine: what holds it, and more."""
    held = plant.holding(np.array(plant.robot.home))
    size = np.abs(held).max()
    return held + 0.2 * size * np.sin(20 * time + np.arange(plant.actuators))


def inputs(commands):
    return {f"command[{k}]": float(x) for k, x in enumerate(commands)}


EACH = [
    ("delta", 3),
    ("delta drives", 2),
    ("hexapod", 3),
]


@pytest.mark.parametrize(("name", "fmi"), EACH)
def test_a_description_is_valid_and_co_simulation_is_our_own(exported, name, fmi):
    assert validate_fmu(str(exported(name, fmi))) == []
    plant = plant_of(name)
    unit, own = Opened(exported(name, fmi)).begin(), Stepper(plant, 1e-3, 4)
    states = [v.name for v in unit.description.modelVariables if v.causality == "output"]
    states = states[: plant.state.size]
    for k in range(60):
        commands = pushed(plant, k * 1e-3)
        unit.set(inputs(commands) | WRENCH)
        unit.step(k * 1e-3, 1e-3)
        expected = own.step(commands, OUTSIDE)
        assert np.abs(unit.get(states) - expected).max() < 1e-9
    assert np.abs(expected[:3] - plant.robot.home[:3]).max() > 1e-5  # it did move
    n = plant.actuators
    measured = plant.measured_kernel(expected, OUTSIDE)
    assert np.allclose(unit.get(unit.starting("position")), measured[:n], atol=1e-12)
    assert np.allclose(unit.get(unit.starting("speed")), measured[n : 2 * n], atol=1e-12)
    unit.close()


@pytest.mark.parametrize(("name", "fmi"), EACH)
def test_model_exchange_by_another_integrator_is_our_own(exported, name, fmi):
    plant, end = plant_of(name), 0.1
    commands = pushed(plant, 0.0)
    found = fmpy.simulate_fmu(
        str(exported(name, fmi)), fmi_type="ModelExchange", stop_time=end, output_interval=end,
        relative_tolerance=1e-10, start_values=inputs(commands) | WRENCH, output=POSE,
    )  # fmt: skip
    start = plant.start(plant.robot.home)
    expected = integrate(plant, start, [0, end], commands, wrench=lambda t: OUTSIDE).pose[-1]
    assert np.abs(np.array(found[-1].tolist())[1:] - expected).max() < 1e-7
    assert np.abs(expected[:3] - start[:3]).max() > 1e-5


@pytest.mark.parametrize("name", ["hexapod", "delta drives"])
def test_parameters_are_those_of_a_robot_with_other_numbers(exported, name):
    plant = plant_of(name)
    robot, names = plant.robot, layout(plant.robot)
    changed = {"platform.mass": 1.4, "gravity.z": 0.9, "platform.center_of_mass.z": 0.02}
    if name == "hexapod":
        changed |= {"legs[2].base.x": 1.01, "legs[1].piston.mass": 2.0}
    else:
        changed |= {"joints[5].drive.resistance": 1.3, "joints[0].friction": 3.0}
    numbers = parameters_of(robot).copy()
    for key, share in changed.items():
        value = numbers[names.index(key)]
        numbers[names.index(key)] = share if key.endswith("of_mass.z") else value * share
    other = with_parameters(robot, numbers)
    own = rigid_plant(other) if name == "hexapod" else real_plant(other)
    values = {key: float(numbers[names.index(key)]) for key in changed}
    unit = Opened(exported(name)).begin()
    unit.set(values | inputs(pushed(plant, 0.0)))  # while it runs
    start = plant.start(robot.home)
    expected = integrate(own, start, [0, 0.05], pushed(plant, 0.0)).pose[-1]
    for k in range(50):
        unit.step(k * 1e-3, 1e-3)
    assert np.abs(unit.get(POSE) - expected).max() < 1e-7
    before = integrate(plant, start, [0, 0.05], pushed(plant, 0.0)).pose[-1]
    assert np.abs(before - expected).max() > 1e-5
    unit.close()


def test_a_quaternion_keeps_its_length_with_a_rough_integrator(exported):
    spun = {"twist.wx": 0.8, "twist.wz": 1.5} | inputs(pushed(plant_of("hexapod"), 0.0))
    found = fmpy.simulate_fmu(
        str(exported("hexapod")), fmi_type="ModelExchange", stop_time=0.1, output_interval=0.01,
        relative_tolerance=1e-3, start_values=spun, output=POSE,
    )  # fmt: skip
    lengths = np.linalg.norm([list(row)[4:] for row in found.tolist()], axis=-1)
    assert 0 < np.abs(lengths - 1).max() < 1e-4
    unit = Opened(exported("hexapod")).begin(**spun)
    for k in range(10):
        unit.step(0.01 * k, 0.01)
    assert abs(np.linalg.norm(unit.get(POSE)[3:]) - 1) < 1e-15
    unit.close()
    unit = Opened(exported("hexapod")).begin(**{"pose.qw": 2.0})  # as long as one likes at first
    assert np.abs(unit.get(POSE) - HEXAPOD.home).max() < 1e-15
    unit.close()


@pytest.mark.parametrize("length", [0.99, 1.0, 1.02])
def test_a_quaternion_that_went_astray_is_led_back_at_fifty_a_second(exported, length):
    unit = Opened(exported("hexapod"), "ModelExchange").begin(**{"twist.wx": 0.8, "twist.wz": 1.5})
    states = unit.get(unit.starting("pose") + unit.starting("twist"))
    states[3:7] *= length
    unit.fmu.setContinuousStates(states.ctypes.data_as(_DOUBLES), len(states))
    rates = unit.get(unit.starting("der(pose.q"))
    growth = states[3:7] @ rates / length  # of the length, in a second
    assert abs(growth - 25 * (1 - length**2) * length) < 1e-12
    unit.close()


@pytest.mark.parametrize(("name", "fmi"), [("hexapod", 3), ("delta drives", 2)])
def test_directional_derivatives_are_those_of_differences(exported, name, fmi):
    plant = plant_of(name)
    unit = Opened(exported(name, fmi), "ModelExchange")
    unit.begin(**inputs(pushed(plant, 0.1)), **{"twist.vx": 0.05, "twist.vz": -0.03})
    rates, outputs = unit.starting("der("), unit.starting("position") + unit.starting("energy")
    unknowns = rates + outputs
    rng = np.random.default_rng(5)
    knowns = ["platform.mass", "gravity.z", *unit.starting("command"), *unit.starting("twist")]
    direction = rng.normal(size=len(knowns))
    ask = unit.fmu.getDirectionalDerivative
    places = [unit.reference(x) for x in unknowns], [unit.reference(x) for x in knowns]
    found = np.array(ask(*places, direction))
    states = unit.starting("pose") + unit.starting("twist") + unit.starting("current")
    at, vector = unit.get(knowns), unit.get(states)
    values = []
    for side in (1e-5, -1e-5):
        moved = dict(zip(knowns, at + side * direction, strict=True))
        unit.set({key: x for key, x in moved.items() if not key.startswith("twist")})
        new = np.array([moved.get(s, x) for s, x in zip(states, vector, strict=True)])
        unit.fmu.setContinuousStates(new.ctypes.data_as(_DOUBLES), len(new))
        values.append(unit.get(unknowns))
    differences = (values[0] - values[1]) / 2e-5
    assert np.abs(found - differences).max() < 1e-5 * np.abs(differences).max()
    unit.close()


def test_a_run_is_over_where_there_is_no_stop(exported):
    unit = Opened(exported("delta")).begin(**inputs(100 * np.ones(3)))
    for k in range(100):
        _, over, _, reached = unit.step(k * 5e-3, 5e-3)
        if over:
            break
    margins = unit.get(unit.starting("lower_margin") + unit.starting("upper_margin"))
    assert margins.min() < 1e-9 < margins.max()
    assert "the run is over at t = " in unit.words
    unit.close()
    found = fmpy.simulate_fmu(
        str(exported("delta")), fmi_type="ModelExchange", stop_time=0.5, output_interval=1e-3,
        relative_tolerance=1e-8, start_values=inputs(100 * np.ones(3)), output=["lower_margin[0]"],
    )  # fmt: skip
    assert reached - 2e-3 < found["time"][-1] <= reached < 0.4  # at the event, if not a step later


def stepped_to_the_end(unit, time, steps, size=5e-3):
    """When a run was over, step by step from a time, or None."""
    for k in range(steps):
        try:
            _, over, _, reached = unit.step(time + k * size, size) or (0, False, False, 0.0)
        except FMICallException:  # so FMI 2.0 says it
            over, reached = unit.ended()
        if over:
            return reached
    return None


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_run_that_is_over_stays_so_with_its_state(exported, fmi):
    unit = Opened(exported("delta", fmi)).begin(**inputs(100 * np.ones(3)))
    unit.step(0.0, 5e-3)
    before = unit.fmu.getFMUState()
    reached = stepped_to_the_end(unit, 5e-3, 100)
    after = unit.fmu.getFMUState()
    unit.fmu.setFMUState(after)
    assert stepped_to_the_end(unit, reached, 1) == reached
    other = Opened(exported("delta", fmi)).begin()
    other.fmu.setFMUState(other.fmu.deserializeFMUState(unit.fmu.serializeFMUState(after)))
    assert stepped_to_the_end(other, reached, 1) == reached
    unit.fmu.setFMUState(before)  # and before that it was not
    assert stepped_to_the_end(unit, 5e-3, 1) is None
    assert stepped_to_the_end(unit, 1e-2, 100) == pytest.approx(reached, abs=1e-12)
    unit.fmu.reset()
    assert stepped_to_the_end(unit.begin(), 0.0, 1) is None
    unit.close()
    other.close()


def test_a_machine_bounces_off_its_stops_as_ours(exported):
    plant, end = plant_of("delta drives"), 0.5
    commands = np.full(3, 40.0)
    found = fmpy.simulate_fmu(
        str(exported("delta drives")), fmi_type="ModelExchange", stop_time=end,
        output_interval=0.01, relative_tolerance=1e-9, start_values=inputs(commands),
        output=["upper_margin[0]", "lower_margin[0]", *POSE],
    )  # fmt: skip
    margin = np.minimum(found["upper_margin[0]"], found["lower_margin[0]"])
    assert margin.min() < 0 < margin[0]  # it came into a stop
    own = integrate(plant, plant.start(DELTA.home), [0, end], commands).pose[-1]
    assert np.abs([found[name][-1] for name in POSE] - own).max() < 1e-7


@pytest.mark.parametrize(("name", "fmi"), [("delta drives", 2), ("hexapod", 3)])
def test_a_state_is_kept_put_back_and_sent(exported, name, fmi):
    plant = plant_of(name)
    unit = Opened(exported(name, fmi)).begin(**inputs(pushed(plant, 0.0)))
    unit.step(0.0, 0.01)
    state = unit.fmu.getFMUState()
    unit.step(0.01, 0.01)
    expected = unit.get(POSE)
    unit.fmu.setFMUState(state)
    unit.step(0.01, 0.01)
    assert (unit.get(POSE) == expected).all()
    sent = unit.fmu.serializeFMUState(state)
    unit.fmu.freeFMUState(state)
    other = Opened(exported(name, fmi)).begin()
    other.fmu.setFMUState(other.fmu.deserializeFMUState(sent))
    other.step(0.01, 0.01)
    assert (other.get(POSE) == expected).all()
    with pytest.raises(FMICallException):
        other.fmu.deserializeFMUState(b"0" * len(sent))
    assert "no state of this FMU" in other.words
    unit.fmu.reset()
    assert np.abs(unit.begin().get(POSE) - plant.robot.home).max() < 1e-15
    unit.step(0.0, 1e-3)
    unit.close()
    other.close()


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("kinds", [("CoSimulation", "ModelExchange"), ("ModelExchange",) * 2])
def test_a_state_of_co_simulation_is_none_of_model_exchange(exported, fmi, kinds):
    sender, taker = (Opened(exported("delta", fmi), kind).begin() for kind in kinds)
    sent = sender.fmu.serializeFMUState(sender.fmu.getFMUState())
    state = taker.fmu.deserializeFMUState(sent)
    if kinds[0] == kinds[1]:
        taker.fmu.setFMUState(state)
    else:
        with pytest.raises(FMICallException):
            taker.fmu.setFMUState(state)
        assert "a state of another kind; expected one of model exchange" in taker.words
    taker.fmu.enterContinuousTimeMode()
    sender.close()
    taker.close()


def test_two_instances_do_not_know_of_each_other(exported):
    heavy, light = Opened(exported("hexapod")), Opened(exported("hexapod"))
    commands = inputs(pushed(plant_of("hexapod"), 0.0))
    heavy.begin(**commands)
    light.begin(**commands, **{"platform.mass": 1.0})
    alone = Opened(exported("hexapod")).begin(**commands)
    for k in range(5):
        heavy.step(0.01 * k, 0.01)
        light.step(0.01 * k, 0.01)
        alone.step(0.01 * k, 0.01)
    assert (heavy.get(POSE) == alone.get(POSE)).all()
    assert light.get(["pose.z"]) > heavy.get(["pose.z"]) + 1e-4
    for unit in (heavy, light, alone):
        unit.close()


WRONG = {
    "an unknown variable": (lambda u: u.put([99999], [1.0]), "value reference 99999 is not known"),
    "no number": (lambda u: u.set({"command[2]": np.nan}), "command[2] is set to nan; expected a"),
    "an infinite one": (lambda u: u.set({"wrench.fx": np.inf}), "wrench.fx is set to inf"),
    "an output": (lambda u: u.set({"position[0]": 1.0}), "position[0] cannot be set"),
    "a state while it runs": (
        lambda u: u.set({"pose.x": 1.0}),
        "pose.x cannot be set in this mode",
    ),
    "a step back": (lambda u: u.step(-0.5, 0.1), "step from t = -0.5 s; expected from t = 0 s"),
    "a step of nothing": (lambda u: u.step(0.0, 0.0), "step of 0 s from t = 0 s; expected above 0"),
    "a step of no length": (lambda u: u.step(0.0, np.nan), "step of nan s"),
    "a second start": (lambda u: u.fmu.enterInitializationMode(), "initialization is not possible"),
}


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_refused_in_words_and_changes_nothing(exported, what, fmi):
    do, words = WRONG[what]
    unit = Opened(exported("delta drives", fmi)).begin()
    before = unit.get(list(unit.variables))
    with pytest.raises(FMICallException):
        do(unit)
    assert words in unit.words
    assert (unit.get(list(unit.variables)) == before).all()
    unit.step(0.0, 1e-3)
    unit.close()


def test_a_start_that_cannot_be_is_refused(exported):
    unit = Opened(exported("hexapod"))
    with pytest.raises(FMICallException):
        unit.begin(**{"pose.qw": 0.0, "pose.qx": 0.0, "pose.qy": 0.0, "pose.qz": 0.0})
    assert "the machine has no motion at its start" in unit.words
    unit.fmu.reset()
    with pytest.raises(FMICallException):
        unit.begin(**{"pose.z": 2 * HEXAPOD.home[2]})
    assert "the start is not within the travels" in unit.words
    unit.set({"pose.z": HEXAPOD.home[2]})  # it may be mended
    unit.fmu.exitInitializationMode()
    unit.step(0.0, 1e-3)
    unit.close()


def test_more_steps_than_anybody_waits_for_are_refused(exported):
    unit = Opened(exported("hexapod")).begin(step=1e-15)
    with pytest.raises(FMICallException):
        unit.step(0.0, 1.0)
    assert "1e+15 steps of 1e-15 s to t = 1 s; expected at most 1e+09" in unit.words
    unit.close()


def test_modes_say_what_may_be_done(exported):
    unit = Opened(exported("delta"), "ModelExchange").begin(**{"platform.mass": 1.0})
    unit.fmu.enterContinuousTimeMode()
    unit.set({"command[0]": 1.0})
    with pytest.raises(FMICallException):
        unit.set({"platform.mass": 2.0})
    assert "platform.mass cannot be set in this mode" in unit.words
    unit.fmu.enterEventMode()
    unit.set({"platform.mass": 2.0})
    unit.fmu.guid = "{another}"
    with pytest.raises(Exception, match="Failed to instantiate"):
        unit.fmu.instantiate()
    unit.fmu.freeLibrary()
