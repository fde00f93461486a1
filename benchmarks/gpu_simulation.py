"""Whole simulations on this computer's GPU: steps a second, beside all processors, and errors.

python -m benchmarks.gpu_simulation          on a computer with a GPU, Gough and its extra `gpu`
"""

from __future__ import annotations

import time
from functools import partial

import cupy as cp
import numpy as np

import gough
from gough.compiler import Program
from gough.motion import Quintic, line
from gough.simulation import (
    Sampling,
    Scenario,
    computed_torque,
    force_commanded,
    joint_pid,
    open_loop,
    real_plant,
    rigid_plant,
    simulate_batch,
)
from gough.simulation.closed_loop import ClosedLoop

MACHINES, STEPS = 2**20, 200


def loops():
    """Name, loop, and samples of the reference."""
    kalani, demo, delta = map(gough.load, ("kalani-2016", "demo-hexapod", "delta"))
    control = computed_torque(900, 60)
    yield "kalani-2016, no controller", ClosedLoop(rigid_plant(kalani), open_loop(), kalani)
    yield "kalani-2016, computed torque", ClosedLoop(rigid_plant(kalani), control, kalani)
    driven, pid = force_commanded(real_plant(demo)), joint_pid(1e6, 1e4, 1e6)
    yield "demo-hexapod, drives, joint PID", ClosedLoop(driven, pid, demo, Sampling(1e-4))
    yield "delta, computed torque", ClosedLoop(rigid_plant(delta), control, delta)


def seconds(call):
    """The time of a call on the GPU, after one that is not counted."""
    call()
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    call()
    end.record()
    end.synchronize()
    return cp.cuda.get_elapsed_time(start, end) * 1e-3


def inputs(loop, samples):
    """A reference at rest at home, from random states beside it."""
    robot, rng = loop.robot, np.random.default_rng(0)
    reference = np.concatenate([robot.home, np.zeros(12)])
    given = {name: np.zeros(a.shape) for name, a in loop.arguments.items()}
    start = np.array(loop.start(robot.home))
    many = np.tile(start, (samples, 1))
    many[:, :3] += rng.uniform(-1e-3, 1e-3, (samples, 3))
    return given | {"reference": reference, "gains": loop.gain_values, "memory": many}


def time_of_loops():
    """Print steps a second of each loop in both precisions, and its errors."""
    print(f"{MACHINES:,} machines, {STEPS} steps of RK4; error: of 256 machines in 1,000 steps")
    print(f"{'loop':32s} {'type':8s} {'operations':>10s} {'steps/s':>9s} {'error':>8s} compiled")
    for name, loop in loops():
        few, operations = inputs(loop, 256), Program.of(loop.function).n_operations
        along = np.tile(few["reference"], (1000, 1))
        expected = loop.run(few["memory"], along).memory[-1]
        for dtype in ("float64", "float32"):
            begin = time.perf_counter()
            recurrence = loop.on_gpu(dtype)
            found = recurrence(few, 1000, every=999)[0]["kept_memory"][-1].get()
            built = time.perf_counter() - begin
            error = np.abs(found - expected).max() / np.abs(expected).max()
            many = {name: recurrence.to_gpu(x) for name, x in inputs(loop, MACHINES).items()}
            many["memory"] = cp.ascontiguousarray(many["memory"].T).T
            rate = MACHINES * STEPS / seconds(partial(recurrence, many, STEPS, every=STEPS))
            row = f"{name:32s} {dtype:8s} {operations:10d} {rate:9.3g} {error:8.1e} {built:.1f} s"
            print(row, flush=True)


def time_of_batches():
    """Print the time of whole batches of payloads, with what ends runs, beside processors."""
    robot = gough.load("kalani-2016")
    for runs, duration in ((10_000, 1.0), (1_000_000, 10.0)):
        motion = line(robot.home, [0.02, 0.03, 0.05], Quintic(duration))
        scenario = Scenario(robot, computed_torque(900, 60), motion, every=1000)
        varied = {"platform.mass": np.random.default_rng(1).uniform(1, 3, runs)}
        took = {}
        for device in ("gpu", "gpu", "cpu") if runs < 100_000 else ("gpu",):
            begin = time.perf_counter()
            simulate_batch(scenario, varied, device=device)
            took[device] = time.perf_counter() - begin
        times = ", ".join(f"{device} {seconds:.2f} s" for device, seconds in took.items())
        print(f"{runs:,} payloads, {duration:g} s at 1 kHz, computed torque: {times}", flush=True)


def main():
    """Print all."""
    print(cp.cuda.runtime.getDeviceProperties(0)["name"].decode())
    time_of_loops()
    time_of_batches()


if __name__ == "__main__":
    main()
