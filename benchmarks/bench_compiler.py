"""Kernels against NumPy, threads, single calls, compile and load times, the machine's limits."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from time import perf_counter, process_time

import casadi as ca
import numpy as np

import gough
from benchmarks.measure import Report, best_times, repeated
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.operations import ADD, MUL
from gough.compiler.front.program import Compute, ConstantValue, LoadInput, Program
from gough.compiler.native.cache import DIRECTORY_VARIABLE
from gough.compiler.native.kernel import Kernel, make_gufunc
from gough.compiler.native.machine_code import compile_native, host
from gough.robot import library_names

N = 1_000_000
KERNELS = ("inverse_kinematics", "jacobian", "inverse_dynamics", "forward_dynamics")


def numpy_leg_vectors(robot, pose):
    """The platform joints and each leg's vector from joint to joint, by vectorised NumPy."""
    q = pose[:, 3:] / np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    w, x, y, z = q.T
    R = np.empty((len(pose), 3, 3))
    R[:, 0, 0], R[:, 0, 1], R[:, 0, 2] = (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
    )
    R[:, 1, 0], R[:, 1, 1], R[:, 1, 2] = (
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
    )
    R[:, 2, 0], R[:, 2, 1], R[:, 2, 2] = (
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )
    platform = np.array([leg.platform for leg in robot.legs])
    base = np.array([leg.base for leg in robot.legs])
    b = platform @ R.swapaxes(1, 2)
    return b, pose[:, None, :3] + b - base


def numpy_inverse_kinematics(robot, pose):
    return np.sqrt((numpy_leg_vectors(robot, pose)[1] ** 2).sum(-1))


def numpy_jacobian(robot, pose):
    b, span = numpy_leg_vectors(robot, pose)
    s = span / np.sqrt((span**2).sum(-1, keepdims=True))
    return np.concatenate([s, np.cross(b, s)], axis=-1)


def random_poses(robot):
    rng = np.random.default_rng(0)
    position = np.array(robot.home[:3]) + rng.uniform(-0.1, 0.1, (N, 3))
    return gough.pose(position, rotation_vector=rng.uniform(-0.3, 0.3, (N, 3)))


def peak_operations_per_second():
    """Multiplications and additions that a core does when nothing hinders it.

    Independent chains x -> 0.999 x + 0.5, a step of each in turn, all in registers.
    """
    chains, steps = 12, 100
    instructions = [ConstantValue(0.999), ConstantValue(0.5), LoadInput(0)]
    heads = [2] * chains
    for _ in range(steps):
        for operation, constant in ((MUL, 0), (ADD, 1)):
            for k in range(chains):
                instructions.append(Compute(operation, (heads[k], constant)))
                heads[k] = len(instructions) - 1
    outputs = tuple(Argument(f"y{k}") for k in range(chains))
    program = Program("peak", "", (Argument("x"),), outputs, tuple(instructions), tuple(heads))
    gufunc, _alive = make_gufunc(compile_native(program))
    x, out = np.zeros(4096), tuple(np.empty((chains, 4096)))
    (elapsed,) = best_times(lambda: gufunc(x, out=out))
    return program.n_operations * len(x) / elapsed


def copy_bytes_per_second():
    source, target = np.zeros(20_000_000), np.zeros(20_000_000)
    (elapsed,) = best_times(lambda: np.copyto(target, source))
    return 2 * source.nbytes / elapsed


def kernels_against_numpy(report):
    robot = gough.load("kalani-2016")
    model, poses = gough.Model(robot), random_poses(robot)
    peak, bandwidth = peak_operations_per_second(), copy_bytes_per_second()
    report.fact("one core, mul and add without hindrance", f"{peak / 1e9:.1f} Gop/s")
    report.fact("copying memory", f"{bandwidth / 1e9:.1f} GB/s")
    for name, by_numpy in (
        ("inverse_kinematics", numpy_inverse_kinematics),
        ("jacobian", numpy_jacobian),
    ):
        kernel = getattr(model, name)
        out = np.empty((N, *kernel.function.outputs[0].shape))
        error = np.abs(kernel(poses, out=out) - by_numpy(robot, poses)).max()
        assert error < 1e-12, f"{name}: NumPy gets something else, {error}"
        one, two, slow = best_times(
            lambda k=kernel, o=out: k(poses, out=o, threads=1),
            lambda k=kernel, o=out: k(poses, out=o, threads=2),
            lambda f=by_numpy: f(robot, poses),
            seconds=1.5,
        )
        limit = max(kernel.program.n_operations / peak, (56 + 8 * out[0].size) / bandwidth)
        nano = f"{one / N * 1e9:.1f} ns; limit {limit * 1e9:.1f} ns"
        report.at_least(f"{name}: 10^6 poses, one thread, against NumPy", slow / one, 8, nano)
        report.at_least(f"{name}: two threads against one", one / two, 1.6)
    single_calls(report, model, poses[0])


def single_calls(report, model, pose):
    vector = np.array([1.0, 2.0, 3.0])
    norm, ik, jacobian = best_times(
        repeated(lambda: np.linalg.norm(vector)),
        repeated(lambda: model.inverse_kinematics(pose)),
        repeated(lambda: model.jacobian(pose)),
    )
    micro = 1e6 / 2000
    report.fact("np.linalg.norm of a 3-vector, one call", f"{norm * micro:.2f} us")
    report.at_most("inverse_kinematics, one call", ik * micro, 3, "us")
    report.at_most("jacobian, one call", jacobian * micro, 3, "us")


def compile_and_load(report):
    """A program of 2,000 operations with the mix of our equations."""

    def equation(x):
        a, b = x[:3], x[3:]
        while True:
            a, b = ca.cross(a, b) + a / ca.sqrt(1 + ca.dot(b, b)), b - 0.1 * a
            f = ca.Function("f", [x], [ca.vertcat(a, b)])
            if f.n_instructions() > 2025:
                return ca.vertcat(a, b)

    argument = Argument("x", (6,))
    kernel = Kernel(Function.from_equation("long", equation, [argument], [argument]))
    count = kernel.program.n_operations
    before = os.environ.get(DIRECTORY_VARIABLE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[DIRECTORY_VARIABLE] = folder
        start = perf_counter()
        compile_native(kernel.program)
        compiled = perf_counter() - start
        (loaded,) = best_times(lambda: compile_native(kernel.program))
    os.environ.pop(DIRECTORY_VARIABLE)
    if before is not None:
        os.environ[DIRECTORY_VARIABLE] = before
    report.at_most(f"compiling {count} operations", compiled, 1, "s")
    report.at_most("loading them from the cache", loaded * 1e3, 30, "ms")


def library_robots(report):
    """From a robot to each of four kernels, in an empty cache: CPU time, the longest first."""
    taken = {}
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get(DIRECTORY_VARIABLE)
        os.environ[DIRECTORY_VARIABLE] = folder
        for name in library_names():
            model = gough.Model(gough.load(name))
            for kernel in KERNELS:
                start = process_time()
                getattr(model, kernel)
                taken[name, kernel] = process_time() - start
        os.environ.pop(DIRECTORY_VARIABLE)
        os.environ |= {} if before is None else {DIRECTORY_VARIABLE: before}
    for name, kernel in sorted(taken, key=taken.get, reverse=True)[:4]:
        report.at_most(f"{name}: first {kernel}, CPU time", taken[name, kernel], 1.5, "s")
    report.fact("median of all robots of the library", f"{np.median(list(taken.values())):.2f} s")


def import_time(report):
    code = "from time import perf_counter as t; a = t(); import gough; print(t() - a)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
    report.at_most("import gough", min(times), 0.5, "s")


def run():
    report = Report(f"Compiler: {host().cpu}, {host().lanes} lanes, kalani-2016")
    kernels_against_numpy(report)
    compile_and_load(report)
    library_robots(report)
    import_time(report)
    report.show()
