"""Closed loops against MuJoCo, one and many; a batch against runs one by one; drift of energy."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import mujoco
import numpy as np

import gough
from benchmarks.measure import Report, best_times
from benchmarks.mujoco_runs import MujocoRuns
from gough.compiler.native.threads import available, on_one_thread
from gough.exchange import machine_export
from gough.model import machine_of
from gough.motion import MotionSamples
from gough.robot import parameters_of
from gough.robot.numbers import layout
from gough.simulation import Sampling, computed_torque, joint_pid, open_loop, rigid_plant
from gough.simulation.closed_loop import ClosedLoop
from gough.studies.grid import run_grid
from gough.studies.run import run_one

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracles.hexapod import HexapodData, State
from oracles.mujoco_hexapod import MujocoHexapod

PERIOD = 1e-3
SECONDS = 10.0
RUNS = 1000
KP, KD = 900.0, 60.0
COUNT, STEPS, POINTS = 512, 500, 200
SERVO_KP, SERVO_KD = 2e4, 200.0
LONG = 1_000_000
INTEGRATORS = {
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}


def swinging(robot, times):
    """A platform that swings in all three directions and turns about a fixed axis."""
    w = 2 * np.pi * 0.5
    phases = np.arange(3) * 2 * np.pi / 3
    t = times[:, None]
    position = np.array(robot.home[:3]) + 0.04 * (np.sin(w * t + phases) - np.sin(phases))
    velocity = 0.04 * w * np.cos(w * t + phases)
    acceleration = -0.04 * w * w * np.sin(w * t + phases)
    axis = np.array([0.48, -0.6, 0.64])
    angle, rate, second = (
        0.1 * f for f in (np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t))
    )
    return MotionSamples(
        gough.pose(position, rotation_vector=angle * axis),
        np.hstack([velocity, rate * axis]),
        np.hstack([acceleration, second * axis]),
    )


class MujocoLoop:
    """The same machine in MuJoCo, RK4 with a step of one period, the controller in Python."""

    def __init__(self, robot):
        self.hexapod = MujocoHexapod(HexapodData.from_machine(machine_of(robot).extensible))
        self.hexapod.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.hexapod.model.opt.timestep = PERIOD
        self.inverse_dynamics = gough.Model(robot).inverse_dynamics
        self.slides = self.hexapod._slides

    def run(self, samples):
        """Follow the samples under computed torque; the poses on the way."""
        model, data = self.hexapod.model, self.hexapod.data
        zero = np.zeros(6)
        start = State(samples.pose[0], samples.twist[0], zero, zero)
        self.hexapod.set_state(start, zero)
        data.time = 0.0
        poses = np.empty_like(samples.pose)
        R, error, conjugate, turn = np.empty(9), np.empty(6), np.empty(4), np.empty(4)
        twist = np.empty(6)
        for k, (pose, wanted_twist, wanted) in enumerate(zip(*samples, strict=True)):
            now = data.qpos[:7]
            poses[k] = now
            mujoco.mju_quat2Mat(R, now[3:])
            twist[:3], twist[3:] = data.qvel[:3], R.reshape(3, 3) @ data.qvel[3:6]
            error[:3] = pose[:3] - now[:3]
            mujoco.mju_negQuat(conjugate, now[3:])
            mujoco.mju_mulQuat(turn, pose[3:], conjugate)
            error[3:] = 2 * turn[1:]
            acceleration = wanted + KD * (wanted_twist - twist) + KP * error
            data.qfrc_applied[self.slides] = self.inverse_dynamics(now, twist, acceleration, zero)
            mujoco.mj_step(model, data)
        return poses


def run():
    report = Report(f"Simulation: {SECONDS:g} s of computed torque at 1 kHz, RK4, rigid legs")
    for name in ("kalani-2016", "demo-hexapod"):
        against_mujoco(report, gough.load(name))
    many_payloads(report, gough.load("demo-hexapod"))
    grid_of_payloads(report)
    report.show()
    many_servos(gough.load("kalani-2016"))
    report = Report(f"Energy over {LONG:,} steps of 1 ms: machines on springs, without friction")
    for name, stiffness in (("kalani-2016", 500.0), ("delta", 200.0)):
        for order in (4, 6):
            energy_drift(report, gough.load(name), stiffness, order)
    report.show()


def against_mujoco(report, robot):
    loop, start, samples, reference = prepared(robot, ())
    other = MujocoLoop(robot)
    ours, theirs = loop.run(start, reference).memory[:, 0, :7], other.run(samples)
    errors = f"{_largest(ours, samples):.2g} m, {_largest(theirs, samples):.2g} m"
    report.fact(f"{robot.name}: largest error of the position, here and in MuJoCo", errors)
    compiled, stepped = best_times(
        lambda: loop.run(start, reference),
        lambda: other.run(samples),
        seconds=4.0,
        clock=process_time,
    )
    report.at_least(
        f"{robot.name}: one run against mj_step (RK4, constraints), controller in Python",
        stepped / compiled,
        30,
        f"{1e3 * compiled:.1f} ms against {1e3 * stepped:.0f} ms of CPU time",
    )


def many_payloads(report, robot):
    names = tuple(name for name in layout(robot) if name.startswith("platform."))
    own = parameters_of(robot)[[layout(robot).index(name) for name in names]]
    payloads = np.tile(own, (RUNS, 1))
    payloads[:, 0] *= np.linspace(0.7, 1.3, RUNS)
    loop, start, _, reference = prepared(robot, names)
    for numbers in (payloads, payloads[0]):  # compiled for many and for one
        loop.run(start, reference[:10], parameters=numbers)
    single, batch = best_times(
        lambda: loop.run(start, reference, parameters=payloads[0]),
        lambda: loop.run(start, reference, parameters=payloads, every=100),
        seconds=5.0,
        clock=process_time,
    )
    cores, each = available(), batch / RUNS
    report.at_least(
        f"{robot.name}: {RUNS} payloads in one batch on {cores} cores, per run against one by one",
        single / (each / cores),
        8,
        f"{1e3 * each:.2f} ms of CPU time against {1e3 * single:.1f} ms",
    )


def grid_of_payloads(report):
    """Points of a grid, from study to figures, beside each of them by itself, in one process."""
    together, alone = [], []
    line = {"kind": "line", "displacement": [0.02, 0.03, 0.05], "profile": "quintic"}
    masses = {"from": 100, "to": 190, "count": POINTS}
    for repeat in range(3):  # the first compiles, of single runs a loop for each robot
        data = {
            **{"schema": "gough-study/1", "name": "grid", "robot": "demo-hexapod"},
            "motion": line | {"duration": 1 + 1e-3 * repeat},
            "controller": {"kind": "computed-torque", "gains": {"kp": KP, "kd": KD}},
            "variations": [{"parameter": "robot.platform.mass", "range": masses}],
        }
        grid = gough.Study.from_dict(data)
        start = process_time()
        with on_one_thread():
            run_grid(grid)
        together.append((process_time() - start) / POINTS)
        start = process_time()
        for index in range(0, POINTS, 20):
            run_one(grid.variant(index), threads=1)
        alone.append((process_time() - start) / len(range(0, POINTS, 20)))
    one, many = min(alone[1:]), min(together[1:])
    what = f"demo-hexapod: a point of {POINTS} payloads for 1 s, from study to figures, one process"
    report.fact(what, f"{1e3 * many:.1f} ms of CPU time, by itself {1e3 * one:.1f} ms")


def many_servos(robot):
    """The same law of the legs, f = f_0 + kp e + kd e', in both, along the same motion."""
    samples = swinging(robot, PERIOD * np.arange(STEPS + 1))
    loop = ClosedLoop(rigid_plant(robot), joint_pid(SERVO_KP, SERVO_KD, kv=0.0), robot)
    start = loop.start(samples.pose[0], 0 * samples.twist[0])
    along, starts = np.concatenate(samples, axis=-1), np.tile(start, (COUNT, 1))
    model = gough.Model(robot)
    lengths, speeds = (
        model.inverse_kinematics(samples.pose),
        model.joint_velocity(samples.pose, samples.twist),
    )
    held = loop.plant.holding(samples.pose[0])
    title = f"{COUNT} runs of {STEPS:,} steps of 1 ms, {robot.name} under PD of its legs, all cores"
    report, ours = Report(title), partial(loop.run, starts, along, every=STEPS)
    end = ours().memory[-1, 0, :3]
    for name, kind in INTEGRATORS.items():
        other = mujoco.MjModel.from_xml_string(machine_export(robot, "mjcf").text)
        other.opt.timestep, other.opt.integrator = PERIOD, kind
        theirs = MujocoRuns(other, SERVO_KP, SERVO_KD, COUNT, STEPS, held)
        theirs.control[:] = (lengths + SERVO_KD / SERVO_KP * speeds)[:STEPS]
        apart = 1e3 * np.linalg.norm(theirs.position(theirs.run()[0]) - end)
        own, taken = best_times(ours, theirs.run, seconds=5.0)
        rates = f"{COUNT * STEPS / own:,.0f} against {COUNT * STEPS / taken:,.0f} steps/s"
        report.at_least(f"RK4 against mujoco.rollout, {name}", taken / own, 1, rates)
        report.fact(f"last positions apart, {name}", f"{apart:.2g} mm")
    report.show()


def energy_drift(report, robot, stiffness, order):
    """Let go beside its equilibrium, between six springs and without forces of actuators."""
    home, angles = np.array(robot.home), np.pi / 3 * np.arange(6)
    rings = [np.stack([np.cos(a), np.sin(a), 0 * a], axis=-1) for a in (angles, angles + 1.0)]
    ends = (0.5 * rings[0] + [0, 0, 0.3] * (angles % 2 < 1)[:, None], home[:3] + 0.2 * rings[1])
    common = {"between": ("base", "platform"), "stiffness": stiffness}
    springs = [
        common | {"name": f"spring-{k}", "start": tuple(a), "end": tuple(b)}
        for k, (a, b) in enumerate(zip(*(end.tolist() for end in ends), strict=True))
    ]
    sprung = robot.replace(springs=springs)
    sampling = Sampling(PERIOD, order=order)
    loop = ClosedLoop(rigid_plant(sprung), open_loop(0.0), sprung, sampling)
    start = loop.start(gough.pose(home[:3] + [0.01, 0.0, 0.01]))
    along = np.broadcast_to(np.concatenate([home, np.zeros(12)]), (LONG + 1, 19))
    loop.run(start, along[:2])  # compiled
    begin = perf_counter()
    states = loop.run(start, along, every=1000).memory[:, 0]
    taken = perf_counter() - begin
    no_force = np.zeros(loop.plant.actuators), loop.plant.no_load
    parts = loop.plant.output_kernel(states[:, : loop.plant.state.size], *no_force)[2]
    moving, total = parts[:, 0].max(), parts.sum(axis=-1)
    drift = f"{(total[-1] - total[0]) / moving:.1e} of the maximum kinetic energy"
    report.fact(
        f"{robot.name}, RK{order}: drift after {PERIOD * LONG:g} s", f"{drift}, {taken:.1f} s"
    )


def prepared(robot, varied):
    """A loop, its start, and what it follows."""
    samples = swinging(robot, PERIOD * np.arange(round(SECONDS / PERIOD)))
    loop = ClosedLoop(rigid_plant(robot, varied), computed_torque(KP, KD, space="task"), robot)
    start = loop.start(samples.pose[0], samples.twist[0])
    return loop, start, samples, np.concatenate(samples, axis=-1)


def _largest(poses, samples):
    return np.abs(poses[:, :3] - samples.pose[:, :3]).max()


if __name__ == "__main__":
    run()
