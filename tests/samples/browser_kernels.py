"""Kernels as JavaScript and WebAssembly, run by Node: that of the system, or Playwright's own."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
from playwright._impl._driver import compute_driver_executable

from gough.compiler import Program, javascript_source, webassembly_source

NODE = shutil.which("node") or compute_driver_executable()[0]
SCRIPT = Path(__file__).with_name("run_kernels.mjs")
SAMPLES = 1000


def samples_of(function, model, rng):
    """Random states near home, and whatever else a function takes about as large as one."""
    return [_drawn(argument, model, rng) for argument in function.inputs]


def _drawn(argument, model, rng):
    if argument.name in ("pose", "guess"):
        return _poses(model, rng)
    if argument.name == "parameters":
        return model.parameters * rng.uniform(0.9, 1.1, (SAMPLES, argument.size))
    if argument.name == "q":
        return model.inverse_kinematics(*model.numbers(), _poses(model, rng))
    if argument.name == "control":  # the last step of an iteration, and the longest
        return np.tile([1e-13, 0.3], (SAMPLES, 1))
    return rng.normal(size=(SAMPLES, *argument.shape))


def _poses(model, rng):
    poses = np.tile(np.asarray(model.robot.home, float), (SAMPLES, 1))
    poses += rng.uniform(-0.03, 0.03, poses.shape)
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    return poses


def expected_of(kernel, samples):
    """What Python's kernel gives: (samples, numbers)."""
    found = kernel(*samples)
    parts = found if isinstance(found, tuple) else (found,)
    return np.hstack([np.reshape(part, (SAMPLES, -1)) for part in parts])


def run(functions, samples, folder):
    """By names, the outputs (samples, numbers) of functions by JavaScript, and by WebAssembly.

    `samples` has, by the same names, the inputs of each: arrays of as many samples.
    """
    plan = []
    (folder / "package.json").write_text('{"type": "module"}')
    for name, function in functions.items():
        program = Program.of(function)
        (folder / f"{name}.js").write_text(javascript_source(program))
        (folder / f"{name}_batch.js").write_text(webassembly_source(program))
        for argument, array in zip(function.inputs, samples[name], strict=True):
            np.ascontiguousarray(array, np.float64).tofile(folder / f"{name}.{argument.name}")
        names = [a.name for a in function.inputs]
        plan.append({"name": name, "inputs": names, "count": len(samples[name][0])})
    (folder / "plan.json").write_text(json.dumps(plan))
    # a thread that compiles and one that collects garbage may wait for each other for ever (v20)
    subprocess.run([NODE, "--single-threaded", str(SCRIPT), str(folder)], check=True)
    return {p["name"]: _found(functions[p["name"]], p["count"], folder) for p in plan}


def _found(function, count, folder):
    sizes = [a.size for a in function.outputs]
    one = np.fromfile(folder / f"{function.name}.one").reshape(count, sum(sizes))
    many = np.fromfile(folder / f"{function.name}.many")
    parts = np.split(many, np.cumsum(np.multiply(sizes, count))[:-1])
    return one, np.hstack([p.reshape(count, n) for p, n in zip(parts, sizes, strict=True)])
