"""Runs that come to a change point end there and say so, or go on with joints as coordinates."""

import importlib
import re
from time import perf_counter

import numpy as np
import pytest
from changing_machines import ANGLE, bricard, two_parallelograms
from scipy.integrate import solve_ivp

import gough
from gough.errors import GoughError
from gough.motion import motion_from_dict, tasks_from_list
from gough.simulation import Adaptive, computed_torque, open_loop, real_plant, rigid_plant
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
    results = falling(machine, 2.5, integrator)
    ended = results.study["run"]["ended"]
    assert ended["kind"] in ("out of reach", "singular", "change point")
    assert "controller" not in ended["text"]
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
    monkeypatch.setattr(module, "first_endings", lambda *_, **__: {})
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


def all_joints(machine, **options):
    ideal = {"drives": False, "joint_friction": False, "stops": False}
    return real_plant(machine, coordinates="joints", **ideal, **options)


def dropped(machine, duration, **scenario):
    motion = motion_from_dict({"kind": "hold", "duration": duration}, machine)
    given = {"plant": all_joints(machine), "quantities": ("all",)} | scenario
    return gough.simulate(gough.Scenario(machine, open_loop(0.0), motion, **given))


def pendulum(machine, time):
    """The angle of rockers that fall from home: I a'' = p cos a + q sin a, by SciPy."""
    model, angles = gough.Model(machine), np.array([ANGLE, ANGLE - 0.5])
    place = np.stack([1 + 0.3 * np.cos(angles), 0.3 * np.sin(angles), 0 * angles], -1)
    turn = np.stack([0 * angles, 0 * angles, angles - ANGLE], -1)
    poses = gough.pose(place, rpy=turn)
    inertia, weight = model.mass_matrix(poses)[:, 0, 0], -model.gravity(poses)[:, 0]
    assert inertia[0] == pytest.approx(inertia[1], rel=1e-12)
    p, q = np.linalg.solve(np.stack([np.cos(angles), np.sin(angles)], -1), weight / inertia)

    def rates(_, y):
        return y[1], p * np.cos(y[0]) + q * np.sin(y[0])

    options = {"rtol": 1e-12, "atol": 1e-12, "t_eval": time, "method": "DOP853"}
    return solve_ivp(rates, (0.0, time[-1]), [ANGLE, 0.0], **options).y[0]


def test_with_joints_as_coordinates_parallelograms_fall_through_their_flat_positions():
    machine = two_parallelograms("r1")
    results = dropped(machine, 3.0)
    assert results.study["run"]["ended"]["kind"] == "completed"
    assert "energy" not in " ".join(results.warnings)
    names = gough.Model(machine).structure.joints
    rockers = [k for k, name in enumerate(names) if name in ("A0", "A1", "A2")]
    assert len(rockers) == 2  # the third is the platform
    turned = results["joint_position"][:, rockers]
    np.testing.assert_allclose(turned - turned[:, :1], 0, atol=1e-8)  # rockers stay parallel
    fallen = pendulum(machine, results.time) - ANGLE
    np.testing.assert_allclose(turned[:, 0] - turned[0, 0], fallen, atol=1e-6)
    assert np.ptp(fallen) > np.pi  # through both flat positions
    stored = results["stored_energy"].sum(axis=-1)
    assert np.abs(stored - stored[0]).max() < 1e-9 * np.abs(results["stored_energy"]).max()
    (words,) = [words for words in results.warnings if "change point" in words]
    assert words.startswith("a change point was passed at t = 0.39, 0.808, 1.576")


def test_with_joints_as_coordinates_a_bricard_loop_swings_on_and_on():
    """It stopped where no joints were found for the pose of the platform."""
    machine = bricard()
    results = dropped(machine, 6.0)
    assert results.study["run"]["ended"]["kind"] == "completed"
    names = gough.Model(machine).structure.joints
    first = results["joint_position"][:, names.index("J0")]
    assert np.ptp(first) > 3.3  # rad
    k = int(np.argmax(np.abs(first - first[0])))
    back = first[k:][: k + 1]  # it comes back as it went
    np.testing.assert_allclose(back, first[k - len(back) + 1 : k + 1][::-1], atol=2e-3)
    stored = results["stored_energy"].sum(axis=-1)
    assert np.abs(stored - stored[0]).max() < 1e-9 * np.abs(results["stored_energy"]).max()


def test_both_kinds_of_coordinates_make_the_same_run():
    robot = gough.load("five-bar")
    along = {"kind": "line", "displacement": [0.01, 0, 0], "duration": 0.1}
    motion = motion_from_dict(along, robot)
    given = {"quantities": ("pose", "joints", "forces")}
    plants = (all_joints(robot), rigid_plant(robot))
    runs = [
        gough.simulate(
            gough.Scenario(robot, computed_torque(900.0, 60.0), motion, plant=p, **given)
        )
        for p in plants
    ]
    for quantity in ("pose", "force", "actuator_speed"):
        np.testing.assert_allclose(runs[0][quantity], runs[1][quantity], atol=1e-7)
    for quantity in ("joint_position", "joint_speed"):
        own, other = (run[quantity] for run in runs)
        known = np.isfinite(own).all(axis=0)
        assert known.sum() >= 3
        np.testing.assert_allclose(own[:, known], other[:, known], atol=1e-6)


def test_joints_are_coordinates_of_rigid_mechanisms_only():
    with pytest.raises(GoughError, match='coordinates are "joints"; expected a machine of the sch'):
        all_joints(gough.load("demo-hexapod"))
    with pytest.raises(GoughError, match="coordinates are 'joint'; expected pose or joints"):
        real_plant(gough.load("five-bar"), coordinates="joint")


def test_angles_of_balls_have_no_number_where_joints_are_coordinates():
    """Those of the tree are about other axes than those of `all_joints`."""
    robot = gough.load("h4")
    transmission = all_joints(robot).transmission
    names = gough.Model(robot).structure.joints
    found = transmission.joints(np.zeros(transmission.states[0].size), names)
    by_name = dict(zip(names, found, strict=True))
    balls = {joint.name for joint in robot.joints if joint.type == "S"}
    parts = [name for name in names if name.rpartition(".")[0] in balls]
    assert parts
    assert np.isnan([by_name[name] for name in parts]).all()
    assert np.isfinite([by_name[joint.name] for joint in robot.driven]).all()


def test_compliant_legs_are_refused_with_joints_as_coordinates():
    with pytest.raises(GoughError, match="only extensible legs of hexapods"):
        all_joints(gough.load("five-bar"), legs="complete")
