"""Prepare a check for a machine with a GPU: exported CUDA sources, inputs and expected results.

python -m benchmarks.gpu_export FOLDER      here
python -m benchmarks.gpu_run FOLDER         there: needs NumPy, CuPy and this repository
"""

import sys
from pathlib import Path

import numpy as np

import gough
from gough.exchange.source import export_kernel

KERNELS = ("inverse_kinematics", "jacobian", "inverse_dynamics", "forward_dynamics", "reactions")
SAMPLES = 4096


def random_states(robot, n):
    """Inputs of every kernel, around the home pose."""
    rng = np.random.default_rng(0)
    position = np.array(robot.home[:3]) + rng.uniform(-0.1, 0.1, (n, 3))
    pose = gough.pose(position, rotation_vector=rng.uniform(-0.3, 0.3, (n, 3)))
    twist, acceleration, load, force = rng.normal(size=(4, n, 6))
    return {
        "pose": pose,
        "twist": twist,
        "acceleration": acceleration,
        "wrench": 10 * load,
        "force": 10 * force,
    }


def main(folder):
    """Write one folder per precision, and the reference results by this machine's processor."""
    robot = gough.load("kalani-2016")
    model, states = gough.Model(robot), random_states(robot, SAMPLES)
    results = {}
    for name in KERNELS:
        for dtype in ("float64", "float32"):
            export_kernel(gough.Model(robot), name, "cuda", folder / dtype, dtype=dtype)
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
    main(Path(sys.argv[1]))
