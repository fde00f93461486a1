"""Runs that come to a change point end there, whatever integrates them, and say so."""

import importlib
import re
from time import perf_counter

import numpy as np
import pytest
from changing_machines import bricard, two_parallelograms

import gough
from gough.motion import motion_from_dict, tasks_from_list
from gough.simulation import Adaptive, computed_torque, rigid_plant
from gough.simulation.events import first_ending


def falling(machine, duration, integrator=None):
    motion = motion_from_dict({"kind": "hold", "duration": duration}, machine)
    return gough.simulate(
        gough.Scenario(machine, lambda *_: np.zeros(1), motion, integrator=integrator)
    )


def check_energy(machine, results):
    """It is kept; in the last steps beside a change point as well as RK4 can."""
    found = gough.Model(machine).energy(results["pose"], results["twist"]).sum(axis=-1)
    lost = np.abs(found / found[0] - 1)
    assert lost[:-6].max() < 1e-5
    assert lost.max() < 0.02


@pytest.mark.parametrize("integrator", [None, Adaptive()], ids=["RK4", "adaptive"])
@pytest.mark.parametrize("platform", ["first", "r1"])
def test_parallelograms_fall_until_they_are_flat(platform, integrator):
    machine = two_parallelograms(platform)
    falling(machine, 0.01, integrator)  # compiled
    begin = perf_counter()
    results = falling(machine, 1.0, integrator)
    assert perf_counter() - begin < 10.0
    ended = results.study["run"]["ended"]
    assert ended["kind"] in ("singular", "change point")
    assert "controller" not in ended["text"]
    centers = gough.Model(machine).joint_centers(results["pose"][-1])
    assert 0 < centers[:, 1].max() < 0.02  # nearly flat
    check_energy(machine, results)


@pytest.mark.parametrize("integrator", [None, Adaptive()], ids=["RK4", "adaptive"])
def test_where_no_joints_are_found_the_controller_is_not_blamed(integrator):
    machine = bricard()
    results = falling(machine, 3.0, integrator)
    ended = results.study["run"]["ended"]
    assert ended["kind"] in ("out of reach", "singular", "change point", "completed")
    assert "controller" not in ended.get("text", "")
    check_energy(machine, results)


def test_states_beyond_a_change_point_are_no_run():
    machine = two_parallelograms("r1")
    angle = np.linspace(0.1, -0.1, 40)
    place = np.stack([1 + 0.3 * np.cos(angle), 0.3 * np.sin(angle), 0 * angle], -1)
    turn = np.stack([0 * angle, 0 * angle, angle - 1.0], -1)
    twist = np.zeros((40, 6))
    states = np.concatenate([gough.pose(place, rpy=turn), twist], axis=-1)
    ending = first_ending(rigid_plant(machine), np.arange(40) * 1e-3, states, np.zeros((40, 1)))
    assert ending.kind in ("change point", "singular")
    assert ending.samples in (19, 20)


def test_a_controller_that_gives_no_number_is_named():
    machine = two_parallelograms("first")
    motion = motion_from_dict({"kind": "hold", "duration": 0.1}, machine)
    results = gough.simulate(
        gough.Scenario(machine, lambda t, *_: [np.nan] if t > 0.05 else [0.0], motion)
    )
    assert "the controller gave no number" in results.study["run"]["ended"]["text"]


def test_energy_that_leaps_against_work_is_a_warning_with_time_and_size(monkeypatch):
    """A run that nothing ends at its change point goes on with other numbers."""
    machine = two_parallelograms("first")
    assert "energy" not in " ".join(falling(machine, 0.35).warnings)
    module = importlib.import_module("gough.simulation.simulate")
    monkeypatch.setattr(module, "first_ending", lambda *_, **__: None)
    results = falling(machine, 1.0)
    (words,) = [words for words in results.warnings if "energy" in words]
    found = re.match(
        r"the stored energy leaps by (\S+) J against the work done, at t = (\S+) s", words
    )
    size, at = map(float, found.groups())
    stored = results["stored_energy"].sum(axis=-1)
    k = int(np.argmin(np.abs(results.time - at)))
    assert np.abs(stored[:400] - stored[0]).max() < 1e-3
    assert stored[k] - stored[0] == pytest.approx(size, rel=0.01)  # no work is done
    assert abs(size) > 0.05 * np.abs(stored[k - 1])


@pytest.mark.parametrize("name", ["five-bar", "delta", "demo-hexapod"])
def test_ordinary_runs_have_no_warning_about_energy(name):
    robot = gough.load(name)
    along = {"kind": "line", "displacement": [0.01, 0, 0], "duration": 0.3}
    push = {"kind": "constant", "force": [20, 0, 0], "active": [0.1, 0.2]}
    results = gough.simulate(
        gough.Scenario(
            robot,
            computed_torque(900.0, 60.0),
            motion_from_dict(along, robot),
            tasks=tasks_from_list([push], robot),
        )
    )
    assert results.study["run"]["ended"]["kind"] == "completed"
    assert "energy" not in " ".join(results.warnings)
