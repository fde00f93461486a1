"""Derivatives of whole simulations on this computer's GPU: errors, and times as ratios to runs.

python -m benchmarks.gpu_gradients     on a computer with a GPU and the extras gpu, torch and jax
"""

from __future__ import annotations

import sys
import time
from dataclasses import fields
from functools import partial
from pathlib import Path

import cupy as cp
import numpy as np

import gough
from benchmarks.gpu_simulation import seconds
from gough.exchange import joint_maps
from gough.learning import Episodes, LearningTask, task_names
from gough.motion import Quintic, line
from gough.simulation import (
    Sampling,
    Scenario,
    computed_torque,
    force_commanded,
    gradient,
    joint_pid,
    real_plant,
    rigid_plant,
    rollout,
)
from gough.simulation.closed_loop import ClosedLoop
from gough.studies.grid import GridRows
from gough.studies.run import run_together

FEW, STEPS = 64, 1000


def slopes(_, runs):
    """Of a sum of squared positions and forces."""
    by_memory = np.zeros_like(runs.memory)
    by_memory[..., :3] = 2 * runs.memory[..., :3]
    return by_memory, 1e-4 * runs.command


def made(name, runs):
    """Return a loop, and what runs are given: memories, a reference, and masses if they vary."""
    robot, sampling, rng = gough.load(name), Sampling(1e-3), np.random.default_rng(0)
    if name == "demo-hexapod":  # with drives
        plant, control = force_commanded(real_plant(robot)), joint_pid(1e6, 1e4, 1e6)
        sampling = Sampling(1e-4)
    else:
        plant, control = rigid_plant(robot, ("platform.mass",)), computed_torque(900, 60)
    loop = ClosedLoop(plant, control, robot, sampling)
    motion = line(robot.home, [0.02, 0.01, 0.03], Quintic(sampling.period * (STEPS - 1)))
    along = np.concatenate(motion(sampling.period * np.arange(STEPS)), axis=-1)
    start = np.tile(loop.start(robot.home), (runs, 1))
    start[:, :3] += rng.uniform(-1e-4, 1e-4, (runs, 3))
    masses = robot.platform.mass * rng.uniform(0.8, 1.2, (runs, 1))
    return loop, start, along, {"parameters": masses} if plant.varied else {}


def derivatives():
    """Print errors beside processors, and the time of a gradient in those of a run."""
    for name in ("delta", "kalani-2016", "demo-hexapod"):
        loop, start, along, given = made(name, FEW)
        begin = time.perf_counter()
        ours = gradient(loop, start, along, slopes, device="gpu", **given)
        built = time.perf_counter() - begin
        expected = gradient(loop, start, along, slopes, **given)
        errors = {
            f.name: float(np.abs(getattr(ours, f.name).get() - want).max() / np.abs(want).max())
            for f in fields(expected)
            if (want := getattr(expected, f.name)).size
        }
        listed = ", ".join(f"{key} {error:.1e}" for key, error in errors.items())
        print(f"{name}: errors of {listed}; first call {built:.1f} s", flush=True)
        for runs, every in ((2**14, None), (2**14, 50), (2**16, 50)):
            loop, start, along, given = made(name, runs)
            many = [cp.asarray(x) for x in (start, along)]
            given = {key: cp.asarray(x) for key, x in given.items()}
            run = seconds(partial(loop.run, *many, every=every or 1, device="gpu", **given))
            took = seconds(
                partial(gradient, loop, *many, slopes, every=every, device="gpu", **given)
            )
            print(
                f"{name}: {runs:,} gradients of {STEPS} steps, every {every}: {took:.3f} s; "
                f"{took / run:.2f} runs ({run:.3f} s)",
                flush=True,
            )


def doors():
    """Print errors and times of kernels and rollouts in PyTorch and JAX, on the GPU."""
    import jax  # noqa: PLC0415
    import torch  # noqa: PLC0415

    from gough.jax import differentiable as in_jax  # noqa: PLC0415
    from gough.torch import differentiable as in_torch  # noqa: PLC0415

    jax.config.update("jax_enable_x64", True)
    print("JAX", jax.__version__, jax.default_backend(), "PyTorch", torch.__version__, flush=True)
    model = gough.Model(gough.load("kalani-2016"))
    poses = np.tile(model.robot.home, (2**20, 1))
    poses[:, :3] += np.random.default_rng(0).uniform(-0.05, 0.05, (len(poses), 3))
    expected = model.inverse_dynamics(poses[:1000])
    force_of = in_jax(model.inverse_dynamics)
    slope_of = jax.jit(jax.grad(lambda x: (force_of(x) ** 2).sum()))
    d_force = model.inverse_dynamics.adjoint(poses[:1000], *(np.zeros(6),) * 3, 2 * expected).d_pose
    there = jax.device_put(poses)
    for title, call, wanted in (
        ("kernel", jax.jit(force_of), expected),
        ("gradient", slope_of, d_force),
    ):
        found = call(there)
        assert found.devices() == there.devices()
        error = np.abs(np.asarray(found[:1000]) - wanted).max() / np.abs(wanted).max()
        jax.block_until_ready(call(there))
        begin = time.perf_counter()
        for _ in range(10):
            jax.block_until_ready(call(there))
        took = 100 * (time.perf_counter() - begin)
        print(f"JAX, 2^20 states of kalani-2016, {title}: {took:.2f} ms, error {error:.1e}")
    vmapped = jax.vmap(force_of)(there[:8])
    print("vmap", float(np.abs(np.asarray(vmapped) - expected[:8]).max()))
    robot = gough.load("delta")
    motion = line(robot.home, [0.02, -0.01, 0.03], Quintic(0.2))
    run = rollout(Scenario(robot, computed_torque(900, 60), motion, every=10), ["platform.mass"])
    masses = np.linspace(0.1, 0.5, 4096)[:, None]

    def cost(follow):
        return lambda mass: (follow(parameters=mass)[0][..., :3] ** 2).sum()

    value, slope = jax.jit(jax.value_and_grad(cost(in_jax(run))))(jax.device_put(masses))
    tensor = torch.tensor(masses, device="cuda", requires_grad=True)
    total = cost(in_torch(run))(tensor)
    total.backward()
    memory, command = run(parameters=masses)
    d_memory = np.zeros_like(memory)
    d_memory[..., :3] = 2 * memory[..., :3]
    own = [np.broadcast_to(x, (len(masses), *x.shape)) for x in run.defaults.values()]
    wanted = run.adjoint(*own[:-1], masses, d_memory, np.zeros_like(command))[-1]
    for title, found in (("JAX", np.asarray(slope)), ("PyTorch", tensor.grad.cpu().numpy())):
        error = np.abs(found - wanted).max() / np.abs(wanted).max()
        print(f"{title}: 4,096 rollouts of delta, 201 samples: error of slopes {error:.1e}")
    sums = float(value), float(total.detach()), float((memory[..., :3] ** 2).sum())
    print("sums of JAX, PyTorch and processors:", *sums, flush=True)


def maps():
    """Print errors of the joint maps of humanoids beside processors, and their rates."""
    for name in ("ankle-2rsu", "ankle-2spu", "knee"):
        found = joint_maps(gough.load(name))
        n = found.motor_position.description.inputs[0].size
        q = np.random.default_rng(0).uniform(-0.2, 0.2, (2**20, n))
        theta, other = found.motor_position(q), np.ones_like(q)
        calls = {
            **dict.fromkeys(("motor_position", "reflected_inertia"), (q,)),
            **dict.fromkeys(("motor_velocity", "joint_torque", "motor_torque"), (q, other)),
            "joint_position": (theta, q + 0.02),
        }
        for key, given in calls.items():
            kernel = getattr(found, key)
            wanted, there = kernel(*given), [cp.asarray(x) for x in given]
            ours = kernel(*there).get()
            bad = np.isnan(wanted) != np.isnan(ours)
            error = np.nanmax(np.abs(ours - wanted)) / np.nanmax(np.abs(wanted))
            rate = len(q) / seconds(partial(kernel, *there))
            print(
                f"{name} {key}: error {error:.1e}, NaN elsewhere {bad.sum()}, {rate:.2g} /s",
                flush=True,
            )


def observed(task, device="cpu", rounding=0.0):
    """Return observations of 256 episodes after 20 actions, with one more rounding in each."""
    episodes = Episodes(task, 256, device)
    episodes.rngs = [np.random.default_rng(k) for k in range(256)]
    episodes.reset(np.arange(256))
    rng, signs = np.random.default_rng(0), np.random.default_rng(1)
    for _ in range(20):
        if rounding:
            episodes.state *= 1 + rounding * signs.choice([-1, 1], episodes.state.shape)
        seen = episodes.step(rng.uniform(-1, 1, (256, len(task.action_names)))).observation
    return seen if device == "cpu" else seen.get()


def environments(count=32768):
    """Print actions a second of the library's tasks, and deviations from processors.

    Beside them are those of processors whose states are rounded once more at each action.
    """
    for name in task_names():
        task = LearningTask.load(name)
        expected, apart = observed(task), []
        for seen in (observed(task, "gpu"), observed(task, rounding=2.0**-52)):
            most = np.nanmax(np.abs(seen - expected), axis=1)
            apart.append(f"at most {most.max():.1e}, median {np.median(most):.1e}")
        many = Episodes(task, count, "gpu")
        many.reset(np.arange(count))
        actions = cp.random.uniform(-1, 1, (23, count, len(task.action_names)))
        for chosen in actions[:3]:
            many.step(chosen)
        cp.cuda.Device().synchronize()
        begin = time.perf_counter()
        for chosen in actions[3:]:
            many.step(chosen)
        cp.cuda.Device().synchronize()
        rate = 20 * count / (time.perf_counter() - begin)
        print(
            f"{name}: {rate / 1e6:.3g} million actions/s; deviation {apart[0]}; of processors with "
            f"one more rounding {apart[1]}",
            flush=True,
        )


def grids():
    """Print the times of 256 points of a grid, on processors and on the GPU, and differences."""
    line = {"kind": "line", "displacement": [0.02, 0.03, 0.05], "profile": "quintic", "duration": 5}
    masses = np.linspace(1, 3, 256).tolist()
    study = {
        **{"schema": "gough-study/1", "name": "grid", "robot": "kalani-2016", "motion": line},
        "controller": {"kind": "computed-torque", "gains": {"kp": 900, "kd": 60}},
        "variations": [{"parameter": "robot.platform.mass", "values": masses}],
    }
    peaks = {}
    for device in ("cpu", "gpu", "gpu"):
        made = gough.Study.from_dict(study | {"executor": {"device": device}})
        rows = GridRows(made.points, made.variations, made.robot, simulated=True)
        points = [made.variant(k) for k in range(len(masses))]
        dict(run_together(points[:2], rows._kind, device=device))  # compiles
        begin = time.perf_counter()
        found = dict(run_together(points, rows._kind, device=device))
        took = time.perf_counter() - begin
        peaks[device] = np.array([found[k].results["force"] for k in sorted(found)])
        apart = np.abs(peaks[device] - peaks["cpu"]).max() / np.abs(peaks["cpu"]).max()
        print(f"{device}: {len(points)} points of 5,001 samples in {took:.2f} s, {apart:.1e} apart")


def designs():
    """Print the times of simulated objectives of 4,096 designs, and differences."""
    studies = Path(__file__).parents[1] / "studies"
    facts = {
        **{"schema": "gough-design/1", "name": "light", "robot": "delta"},
        "variables": [{"number": "platform.mass", "range": [0.8, 2.0]}],
        "demands": [{"name": "home", "poses": [{}]}],
        "requirements": {"limits": False, "force": 100},
        "objectives": {"minimise": ["simulated_error"], "simulate": "delta-tuned.toml"},
    }
    masses, found = np.linspace(0.8, 2.0, 4096)[:, None], {}
    for device in ("cpu", "gpu"):
        made = gough.Design.from_dict(facts | {"executor": {"device": device}}, folder=studies)
        objective = made.problem.simulations["simulated_error"]
        objective.values(masses[:32])  # compiles
        begin = time.perf_counter()
        found[device] = objective.values(masses)
        took = time.perf_counter() - begin
        apart = np.abs(found[device] / found["cpu"] - 1).max()
        print(f"{device}: simulated_error of 4,096 designs in {took:.2f} s, {apart:.1e} apart")
    begin = time.perf_counter()
    best = made.optimise(starts=1)
    took, mass = time.perf_counter() - begin, best.variables["platform.mass"]
    print(f"optimised with device gpu in {took:.2f} s: platform.mass {mass:.4g} kg", flush=True)


def main():
    """Print all."""
    print(cp.cuda.runtime.getDeviceProperties(0)["name"].decode())
    parts = {f.__name__: f for f in (derivatives, doors, maps, environments, grids, designs)}
    for name in sys.argv[1:] or parts:
        try:
            parts[name]()
        except Exception as error:  # the others are still of interest
            print(f"{name} failed: {type(error).__name__}: {error}", flush=True)


if __name__ == "__main__":
    main()
