"""Exported dynamics in C: the kernel's forces to the last digits."""

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

import gough
from gough.export import export_kernel

COMPILER = ["cc"] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc"]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]


def built(folder, name):
    command = [*COMPILER, *STRICT, "-shared", "-fPIC", f"{name}.c", "-lm", "-o", f"{name}.so"]
    subprocess.run(command, cwd=folder, check=True)
    return getattr(ctypes.CDLL(str(folder / f"{name}.so")), name)


def pointers(*arrays):
    return [a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in arrays]


@pytest.mark.parametrize("robot", ["kalani-2016", "demo-hexapod"])
def test_c_forces_are_the_kernels_on_ten_thousand_states(robot, tmp_path):
    robot = gough.load(robot)
    export_kernel(robot, "inverse_dynamics", "c", tmp_path)
    function = built(tmp_path, "inverse_dynamics")
    rng = np.random.default_rng(0)
    n = 10_000
    position = np.array(robot.home[:3]) + rng.uniform(-0.1, 0.1, (n, 3))
    pose = gough.pose(position, rotation_vector=rng.uniform(-0.3, 0.3, (n, 3)))
    twist, acceleration, wrench = rng.normal(size=(3, n, 6))
    expected = gough.Model(robot).inverse_dynamics(pose, twist, acceleration, wrench)
    got = np.empty((n, 6))
    for k in range(n):
        function(*pointers(pose[k], twist[k], acceleration[k], wrench[k], got[k]))
    scale = np.abs(expected).max(axis=1, keepdims=True)
    assert (np.abs(got - expected) / scale).max() < 1e-13


def test_parametric_c_takes_the_robots_numbers_first(tmp_path):
    robot = gough.load("kalani-2016")
    export_kernel(robot, "inverse_kinematics", "c", tmp_path, parametric=True)
    model = gough.Model(robot, parametric=True)
    header = (tmp_path / "inverse_kinematics.h").read_text()
    assert f"const double parameters[{len(model.parameters)}]," in header
    function = built(tmp_path, "inverse_kinematics")
    q = np.empty(6)
    home = np.array(robot.home)
    function(*pointers(model.parameters, home, q))
    np.testing.assert_array_equal(q, model.inverse_kinematics(model.parameters, home))


def test_the_parametric_example_of_a_robot_without_strokes_prints_its_lengths(tmp_path):
    robot = gough.load("kalani-2016")
    export_kernel(robot, "inverse_kinematics", "c", tmp_path, parametric=True)
    files = ["inverse_kinematics.c", "inverse_kinematics_example.c"]
    subprocess.run([*COMPILER, *STRICT, *files, "-lm", "-o", "example"], cwd=tmp_path, check=True)
    printed = subprocess.run(tmp_path / "example", check=True, capture_output=True, text=True)
    q = [float(line.split("=")[1]) for line in printed.stdout.splitlines()]
    expected = gough.Model(robot).inverse_kinematics(np.array(robot.home))
    np.testing.assert_allclose(q, expected, rtol=1e-15)


def test_a_singular_pose_is_nan_in_c_as_well(tmp_path):
    robot = gough.load("kalani-2016")
    export_kernel(robot, "inverse_dynamics", "c", tmp_path)
    function = built(tmp_path, "inverse_dynamics")
    force, zero = np.empty(6), np.zeros(6)
    function(*pointers(gough.pose([0.05, 0.1, 0.0]), zero, zero, zero, force))
    assert np.isnan(force).all()
