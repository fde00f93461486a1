"""Prepare a check for a machine with a GPU: exported CUDA sources, inputs and expected results.

python -m benchmarks.gpu_export FOLDER [ROBOT]      here; ROBOT is kalani-2016 if left out
python -m benchmarks.gpu_run FOLDER                 there: needs NumPy, CuPy and this repository
"""

import sys
from pathlib import Path

import numpy as np

import gough
from gough.exchange.source import export_kernels
from gough.kinematics import random_poses
from gough.robot import Hexapod

KERNELS = ("inverse_kinematics", "jacobian", "inverse_dynamics", "forward_dynamics", "reactions")
SAMPLES = 4096


def random_states(robot, n):
    """Inputs of every kernel, around the home pose."""
    rng = np.random.default_rng(0)
    if not isinstance(robot, Hexapod):
        model = gough.Model(robot)
        pose = random_poses(model, n, rng)
        twist, acceleration, load = (model.admissible(pose, x) for x in rng.normal(size=(3, n, 6)))
        force = rng.normal(size=(n, model.structure.actuators))
        return _named(pose, twist, acceleration, load, force)
    position = np.array(robot.home[:3]) + rng.uniform(-0.1, 0.1, (n, 3))
    pose = gough.pose(position, rotation_vector=rng.uniform(-0.3, 0.3, (n, 3)))
    return _named(pose, *rng.normal(size=(4, n, 6)))


def _named(pose, twist, acceleration, load, force):
    return {
        "pose": pose,
        "twist": twist,
        "acceleration": acceleration,
        "wrench": 10 * load,
        "force": 10 * force,
    }


def main(folder, robot_name="kalani-2016"):
    """Write one folder per precision, and the reference results by this machine's processor."""
    robot = gough.load(robot_name)
    model, states = gough.Model(robot), random_states(robot, SAMPLES)
    results = {}
    for name in KERNELS:
        for dtype in ("float64", "float32"):
            export_kernels(gough.Model(robot), folder / dtype, [name], language="cuda", dtype=dtype)
        kernel = getattr(model, name)
        output = kernel(*(states[a.name] for a in kernel.function.inputs))
        results[name] = np.concatenate([np.reshape(x, (SAMPLES, -1)) for x in _several(output)], 1)
        results[f"{name}_operations"] = np.array(kernel.program.n_operations)
    np.savez_compressed(
        folder / "reference.npz", **states, **{f"result_{k}": v for k, v in results.items()}
    )


def _several(output):
    return output if isinstance(output, tuple) else (output,)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
