"""FMUs of controllers, alone and in a closed loop, against Gough's own simulation."""

from functools import cache

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from fmus import POSE, Opened

import gough
from gough.exchange import export_fmu
from gough.motion import Quintic, line
from gough.simulation import computed_torque, place_poles, rigid_plant

DELTA = gough.load("delta")
MOTION = line(DELTA.home, [0.02, 0.01, -0.03], Quintic(0.1))
PERIOD, SAMPLES = 1e-3, 100


@cache
def controller(kind):
    if kind == "computed-torque":
        return computed_torque(kp=900, kd=60, space="task")
    return place_poles(gough.Model(DELTA), kind, 5, integral_rate=5.0)


@cache
def simulated(kind):
    """Poses (samples, 7) of Gough's own run."""
    run = gough.simulate(gough.Scenario(DELTA, controller(kind), MOTION, duration=PERIOD * SAMPLES))
    return run["pose"]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    @cache
    def path(parts, kind="joint-pid", fmi=3):
        law = controller(kind) if "controller" in parts else None
        system, around = (rigid_plant(DELTA), law) if "plant" in parts else (law, None)
        folder = tmp_path_factory.mktemp("fmu")
        return export_fmu(system, folder, controller=around, robot=DELTA, fmi=fmi, period=PERIOD)

    return path


def wanted(unit, time):
    numbers = np.concatenate(MOTION(time))
    return dict(zip(unit.starting("reference."), numbers.tolist(), strict=True))


@pytest.mark.parametrize(("kind", "fmi"), [("joint-pid", 2), ("computed-torque", 3)])
def test_a_closed_loop_is_our_own(exported, kind, fmi):
    path = exported("plant controller", kind, fmi)
    assert validate_fmu(str(path)) == []
    unit = Opened(path).begin()
    for k in range(SAMPLES):
        assert np.abs(unit.get(POSE) - simulated(kind)[k]).max() < 1e-9
        unit.set(wanted(unit, k * PERIOD))
        unit.step(k * PERIOD, PERIOD)
    assert np.abs(unit.get(POSE)[:3] - DELTA.home[:3]).max() > 0.02
    unit.close()


@pytest.mark.parametrize(("kind", "fmi"), [("joint-pid", 2), ("computed-torque", 3)])
def test_a_closed_loop_samples_at_events_of_model_exchange(exported, kind, fmi):
    path = exported("plant controller", kind, fmi)
    unit = Opened(path)
    names = unit.starting("reference.")
    time = PERIOD * np.arange(SAMPLES + 1)
    rows = np.column_stack([time, np.concatenate(MOTION(time), axis=-1)])
    kinds = [("time", float), *((name, float) for name in names)]
    signals = np.array([tuple(row) for row in rows], dtype=kinds)
    found = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=PERIOD * SAMPLES, relative_tolerance=1e-11,
        output_interval=PERIOD, record_events=False, input=signals, output=POSE,
    )  # fmt: skip
    poses = np.array([list(row)[1:] for row in found.tolist()])
    assert np.abs(poses[:SAMPLES] - simulated(kind)[:SAMPLES]).max() < 1e-7
    unit.fmu.freeInstance()


def test_plant_and_controller_in_two_fmus_are_one_loop(exported):
    plant, law = Opened(exported("plant")).begin(), Opened(exported("controller")).begin()
    assert validate_fmu(str(exported("controller"))) == []
    measured = plant.starting("position") + plant.starting("speed")
    commands = plant.starting("command")
    for k in range(SAMPLES):
        assert np.abs(plant.get(POSE) - simulated("joint-pid")[k]).max() < 1e-9
        seen = dict(zip(measured, plant.get(measured), strict=True))
        law.set(seen | wanted(law, k * PERIOD))
        law.step(k * PERIOD, PERIOD)
        plant.set(dict(zip(commands, law.get(commands), strict=True)))
        plant.step(k * PERIOD, PERIOD)
    plant.close()
    law.close()


def test_gains_are_parameters(exported):
    """The proportional gain once more makes K_p e more of force, of an error e."""
    law, error = Opened(exported("controller")), 0.01
    at, forces = {"position[0]": float(law.variables["position[0]"].start) - error}, []
    gains = law.starting("gain.kp")
    for share in (1, 2):
        values = share * np.array([float(law.variables[name].start) for name in gains])
        law.begin(**dict(zip(gains, values, strict=True)), **at)
        law.step(0.0, PERIOD)
        forces.append(law.get(law.starting("command")))
        law.fmu.reset()
    kp = np.reshape([float(law.variables[name].start) for name in gains], (3, 3))
    assert np.allclose(forces[1] - forces[0], kp[:, 0] * error, rtol=1e-9)
    law.fmu.freeInstance()


def test_a_controller_holds_its_command_between_samples(exported):
    law = Opened(exported("controller")).begin()
    commands = law.starting("command")
    law.step(0.0, 0.4 * PERIOD)
    first = law.get(commands)
    law.set({"position[0]": float(law.variables["position[0]"].start) + 0.01})
    law.step(0.4 * PERIOD, 0.4 * PERIOD)
    assert (law.get(commands) == first).all()
    law.step(0.8 * PERIOD, 0.4 * PERIOD)  # over the next sample
    assert np.abs(law.get(commands) - first).max() > 1e-3
    law.close()


@pytest.mark.parametrize("parts", ["controller", "plant controller"])
def test_more_samples_than_anybody_waits_for_are_refused(exported, parts):
    unit = Opened(exported(parts)).begin()
    with pytest.raises(FMICallException):
        unit.step(0.0, 1e9)
    assert "1e+12 steps of 0.001 s to t = 1e+09 s; expected at most 1e+09" in unit.words
    unit.step(0.0, PERIOD)
    unit.close()


@pytest.mark.parametrize("start", [3e4, 1.8e9])
def test_a_controller_that_begins_late_samples_once_a_period(exported, start):
    """Where a sample's time is rounded to less than it, as clocks of computers have them."""
    memories, off = [], {"position[0]": 1.0}
    for begin in (0.0, start):
        law = Opened(exported("controller"))
        law.fmu.enterInitializationMode(startTime=begin)
        law.set(off)
        law.fmu.exitInitializationMode()
        law.step(begin, 20.5 * PERIOD)
        memories.append(law.get(law.starting("controller.")))
        law.close()
    assert np.abs(memories[0]).max() > 1e-3
    np.testing.assert_allclose(memories[1], memories[0], rtol=1e-12)
