"""A stand-in for CuPy: CUDA text is compiled for the processor and run a thread at a time.

All but the GPU itself: texts, strides, pieces of time, and arrays that NumPy does not convert.
"""

import ctypes
import shutil
import subprocess
import sys
import types
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

_HEAD = """
#include <cmath>
using namespace std;
#define __device__
#define __global__
#define __constant__
#define __shared__ static
#define __noinline__
#define __umul64hi(a, b) ((unsigned long long)(((unsigned __int128)(a) * (b)) >> 64))
static struct { long long x; } blockIdx, blockDim, threadIdx;
extern "C" void be_thread(long long i) { blockDim.x = 1; blockIdx.x = i; }
"""


class OnGpu(np.ndarray):
    """An array that refuses arrays of NumPy beside it, as CuPy's do."""

    __cuda_array_interface__ = None

    def __array_ufunc__(self, ufunc, method, *given, **options):
        if any(type(x) is np.ndarray and x.ndim for x in given):
            raise TypeError(f"{ufunc.__name__}: an array on a GPU and one that is not")
        plain = [x.view(np.ndarray) if isinstance(x, OnGpu) else x for x in given]
        found = getattr(ufunc, method)(*plain, **options)
        return found.view(OnGpu) if isinstance(found, np.ndarray) else found

    def __array_function__(self, function, kinds, given, options):
        found = super().__array_function__(function, kinds, given, options)
        return found.view(OnGpu) if isinstance(found, np.ndarray) else found

    def get(self):
        """Return it as an array of NumPy."""
        return np.array(self)


@cache
def _library(source):
    """What a text is compiled to, once however many tests have the same."""
    compiler = ["c++"] if shutil.which("c++") else [sys.executable, "-m", "ziglang", "c++"]
    with TemporaryDirectory() as folder:
        path, library = Path(folder, "kernel.cpp"), Path(folder, "kernel.so")
        path.write_text(_HEAD + source)
        command = [*compiler, "-w", "-O0", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([*command, str(path), "-o", str(library)], check=True)
        return ctypes.CDLL(str(library))


class RawKernel:
    """Threads of a kernel, one after the other."""

    def __init__(self, source, name, options=()):
        self._library = _library(source)
        self._function = getattr(self._library, name)

    def __call__(self, blocks, threads, parameters, shared_mem=0):
        assert shared_mem <= getattr(self, "max_dynamic_shared_size_bytes", 0)
        given = [
            ctypes.c_void_p(x.ctypes.data) if isinstance(x, np.ndarray) else ctypes.c_longlong(x)
            for x in parameters
        ]
        threads_in_use = int(parameters[0]) + 1  # and one of those beyond the last, if any
        for i in range(min(blocks[0] * threads[0], threads_in_use)):
            self._library.be_thread(ctypes.c_longlong(i))
            self._function(*given)


def _on_gpu(make):
    return lambda *arguments, **options: make(*arguments, **options).view(OnGpu)


def _device():
    attributes = {"MultiProcessorCount": 2, "MaxSharedMemoryPerBlockOptin": 232_448}
    return types.SimpleNamespace(attributes=attributes)


def stand_in(free_bytes=10**9):
    """Return a module that does what Gough needs of CuPy, on a GPU with so much memory."""
    runtime = types.SimpleNamespace(
        getDeviceCount=lambda: 1,
        memGetInfo=lambda: (free_bytes, free_bytes),
        CUDARuntimeError=RuntimeError,
    )
    return types.SimpleNamespace(
        RawKernel=RawKernel,
        asarray=_on_gpu(np.asarray),
        empty=_on_gpu(np.empty),
        broadcast_to=np.broadcast_to,
        moveaxis=np.moveaxis,
        cuda=types.SimpleNamespace(runtime=runtime, Device=_device),
        get_default_memory_pool=lambda: types.SimpleNamespace(free_bytes=lambda: 0),
    )
