"""Check and time exported kernels on this machine's GPU; see gpu_export."""

import sys
from pathlib import Path

import cupy as cp
import numpy as np

from gough.compiler.source.gpu import GpuKernel

SAMPLES = 2**23
REPEATS = 10


def structure_of_arrays(array):
    """The same values and shape, laid out element by element on the GPU."""
    return cp.ascontiguousarray(cp.asarray(array).T).T


def seconds_per_call(call):
    """The mean time of a call on the GPU, after one that is not counted."""
    call()
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    for _ in range(REPEATS):
        call()
    end.record()
    end.synchronize()
    return cp.cuda.get_elapsed_time(start, end) * 1e-3 / REPEATS


def main(folder):
    """Print, for each kernel and precision, the largest relative error and the rate."""
    reference = np.load(folder / "reference.npz")
    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}; {SAMPLES} states in structure-of-arrays layout")
    print(f"{'kernel':20s} {'type':8s} {'operations':>10s} {'error':>9s} {'states/s':>10s}")
    for dtype in ("float64", "float32"):
        for path in sorted((folder / dtype).glob("*.cu")):
            kernel = GpuKernel.load(path)
            inputs = [a["name"] for a in kernel.signature["inputs"]]
            small = [cp.asarray(reference[n], dtype=kernel.dtype) for n in inputs]
            output = kernel(*small)
            output = output if isinstance(output, tuple) else (output,)
            got = np.concatenate([cp.asnumpy(x).reshape(len(x), -1) for x in output], axis=1)
            expected = reference[f"result_{kernel.name}"]
            error = np.abs(got - expected).max() / np.abs(expected).max()
            copies = SAMPLES // len(small[0])
            large = [structure_of_arrays(cp.tile(x, (copies, 1))) for x in small]
            rate = SAMPLES / seconds_per_call(lambda k=kernel, x=large: k(*x))
            operations = int(reference[f"result_{kernel.name}_operations"])
            print(f"{kernel.name:20s} {dtype:8s} {operations:10d} {error:9.1e} {rate:10.3g}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
