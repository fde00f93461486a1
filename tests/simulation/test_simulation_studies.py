"""The simulation studies of the repository: what the papers' machines do, against theory."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.elastic import damped
from gough.fields.user_files import read_table
from gough.motion import hold
from gough.simulation import open_loop, real_plant
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate

STUDIES = Path(__file__).parents[2] / "studies" / "simulation"
MODELS = ("weights alone", "platform inertia", "all inertias")
FEET, POUNDS_PER_FOOT = 0.3048, 4.4482216152605 / 0.3048


@cache
def found(name):
    results = gough.run(STUDIES / f"{name}.toml")
    return getattr(results, "runs", results)


def test_every_study_is_tested_here_or_in_its_own_file():
    assert {path.stem for path in STUDIES.glob("*.toml")} == {
        "baiges-feed-forward",
        "baiges-force-step",
        "bingul-open-loop-1",
        "bingul-open-loop-2",
        "bingul-open-loop-3",
        "delta-adept-cycle",  # test_any_machine_runs.py
        "demo-active-damping",
        "demo-impact-limit",  # test_curved_surfaces.py
        "demo-implicit-force",  # test_surface.py
        "demo-mirror-polishing",  # test_curved_surfaces.py
        "demo-pid",  # test_simulation_files.py
        "demo-valves",  # test_valves.py
        "demo-wrong-payload",
        "kalani-round-trip",
    }


def test_a_pd_makes_up_for_what_a_model_without_leg_inertia_leaves_out():
    """In 5 s errors hardly accelerate: kp e is what the model lacks at the pose reached."""
    cases = found("baiges-feed-forward")
    run = cases["platform inertia, 5 s"]
    study = gough.Study.load(STUDIES / "baiges-feed-forward.toml")
    motion = study.variant(4).motion(run.time)
    at = (motion.pose, motion.twist, motion.acceleration)
    exact = gough.Model(run.robot)
    lacking = exact.inverse_dynamics(*at) + exact.inverse_dynamics(run["pose"])
    lacking -= exact.inverse_dynamics(motion.pose)
    lacking -= gough.Model(run.robot, formulation="gravity-only-legs").inverse_dynamics(*at)
    made_up = 40000 * run["leg_length_error"]
    assert np.abs(lacking - made_up).max() < 0.2 * np.abs(made_up).max()
    peaks = [cases[f"{model}, 5 s"].summary["peak_position_error"].value for model in MODELS]
    assert peaks[0] > peaks[1] > 10 * peaks[2]


def test_the_round_trip_of_kalani_gives_back_the_motion():
    """At a tolerance of 1e-10 the issue is 1e-7 m and rad."""
    run = found("kalani-round-trip")["hanging"]
    assert np.abs(run["pose_error"]).max() <= 1e-7
    assert run.time[-1] == pytest.approx(12.56)


def test_standing_the_same_forces_lose_the_platform_at_the_rate_of_its_instability():
    run = found("kalani-round-trip")["standing"]
    error = np.abs(run["pose_error"]).max(axis=1)
    grown = error[400] / error[300]
    assert error[:300].max() < 1e-4
    assert np.log(grown) == pytest.approx(6.6, abs=0.8)  # 1/s, see test_adaptive.py
    assert run.study["run"]["ended"]["kind"] in ("singular", "end stop", "diverged")


def test_a_blow_dies_away_as_the_poles_of_each_feedback_say():
    """Peaks of the swinging along x, one period apart: e^(-2π ζ/√(1 - ζ²))."""
    cases = found("demo-active-damping")
    rigid = dict.fromkeys(("leg.stiffness", "leg.screw", "leg.joint_stiffness"))
    robot = cases["held"].robot.replace(rigid)  # as simulated: connectors alone yield
    system = gough.elastic_state_space(robot, actuators=4e6)
    quiet = damped(system, "velocity", 8000.0)
    poles = quiet.poles()
    first = min(poles[poles.imag > 1], key=abs)
    run = cases["velocity feedback"]
    way = run["pose"][:, 0] - run["pose"][0, 0]
    peaks = way[1:-1][(way[1:-1] > way[:-2]) & (way[1:-1] > way[2:]) & (run.time[1:-1] > 0.15)]
    each = np.log(peaks[:3] / peaks[1:4])
    np.testing.assert_allclose(each, -2 * np.pi * first.real / first.imag, rtol=0.03)
    for name, least, most in (("held", 1e-4, 2e-4), ("integral force feedback", 0, 1e-6)):
        way = cases[name]["pose"][:, 0] - cases[name]["pose"][0, 0]
        assert least <= np.abs(way[cases[name].time > 0.4]).max() < most


@pytest.mark.parametrize(("number", "amplitude"), [(1, 9.4e-3), (2, 21.3e-3), (3, 14.1e-3)])
def test_blind_voltages_move_bingul_s_legs_as_wanted(number, amplitude):
    cases = found(f"bingul-open-loop-{number}")
    known, alone = cases["load known"], cases["drives alone"]
    length = known["leg_length"]
    middle = gough.Model(known.robot).inverse_kinematics(known.robot.home)
    assert np.abs(length - middle).max() == pytest.approx(amplitude, rel=0.02)  # ERRATA.md
    E = np.abs(known["leg_length_error"]).sum(axis=1).mean()  # (70)
    assert E < 4e-4  # half a sample's delay of a hold at 1 ms
    assert known.summary["mean_leg_error"].value == pytest.approx(E / 6, rel=1e-3)
    assert alone.summary["mean_leg_error"].value > 5 * E / 6


def test_without_sampling_and_inductance_blind_voltages_are_exact():
    """The inverse of drive and machine, then drive and machine: nothing is left."""
    data = read_table(STUDIES / "bingul-open-loop-3.toml", "a study")
    del data["cases"]
    data["changes"] = {"robot.leg.drive.inductance": 0}
    data["simulation"] = {"period": "10 ms", "integrator": "DOP853", "tolerance": 1e-10}
    run = gough.run(data)
    assert np.abs(run["leg_length_error"]).max() < 1e-9


def test_a_motor_without_voltage_lets_its_leg_sink_at_the_speed_of_theory():
    """The short-circuited motor and all friction brake: v = -F / (N² (K_t K_b / R + b))."""
    robot = gough.load("bingul-2012")
    plant = real_plant(robot, joint_friction=False, stops=False)
    controller = open_loop(load=0.0, command="voltage")
    run = simulate(
        Scenario(
            robot, controller, hold(robot.home, 0.15), plant=plant, sampling=Sampling(1e-3, 12)
        )
    )
    d, N = robot.legs[0].drive, 2 * np.pi / 1e-3
    brake = N**2 * (
        d.torque_constant * d.back_emf / d.resistance + d.rotor_damping + d.screw_damping
    )
    F = gough.Model(robot).inverse_dynamics(np.array(robot.home))
    np.testing.assert_allclose(run["leg_speed"][-1], -F / brake, rtol=2e-3)


def test_baiges_s_connectors_yield_by_the_compliance_of_their_mode():
    """PID holds the actuators: what is left of the leg's error is springs under its force."""
    K_L, K_c = 1e5 * POUNDS_PER_FOOT, 5e3 * POUNDS_PER_FOOT
    compliance = {
        "rigid": 0.0,
        "simple": 1 / K_L,
        "low-frequency": 1 / K_L + 1 / K_c,
        "high-frequency": 1 / K_L,
        "complete": 1 / K_L + 1 / K_c,
    }
    for mode, run in found("baiges-force-step").items():
        actuator = run["actuator_length"][-1] if mode != "rigid" else run["leg_length"][-1]
        yielded = actuator - run["leg_length"][-1]
        pose = run["pose"][-1]
        s = np.array(
            [
                pose[:3] + gough.poses.rotation(pose).apply(leg.platform) - leg.base
                for leg in run.robot.legs
            ]
        )
        s /= np.linalg.norm(s, axis=1, keepdims=True)
        spring = run["force"][-1] + s @ np.array(run.robot.gravity) * run.robot.legs[0].piston.mass
        assert yielded == pytest.approx(compliance[mode] * spring, rel=0.05, abs=2e-6), mode


def test_the_decoupling_stage_takes_the_edge_off_the_step():
    runs = found("baiges-force-step")
    peak = {mode: run.summary["peak_position_error"].value for mode, run in runs.items()}
    assert peak["high-frequency"] < peak["simple"] < peak["rigid"] < peak["low-frequency"]
    assert peak["complete"] < peak["low-frequency"]


def test_with_a_wrong_payload_computed_torque_sags_and_pid_does_not():
    """30 % more mass than the controller knows: an acceleration error over kp, for ever."""
    runs = found("demo-wrong-payload")
    torque, pid, known = runs.values()
    assert torque.robot.platform.mass == pytest.approx(195.0)
    sag, left, none = (np.abs(run["pose_error"][-1, 2]) for run in (torque, pid, known))
    model = gough.Model(gough.load("demo-hexapod"))
    home = np.array(model.robot.home)
    M = model.mass_matrix(home)
    load = np.array([0, 0, -45 * 9.81, 0, 0.05 * 45 * 9.81, 0])  # 45 kg at x = 0.05 m
    expected = np.linalg.solve(M, load) / (2 * np.pi * 6) ** 2
    assert sag == pytest.approx(-expected[2], rel=0.02)
    assert left < 0.05 * sag
    assert none < 0.05 * sag
