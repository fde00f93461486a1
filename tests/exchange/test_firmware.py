"""Inverse kinematics for microcontrollers: compiled here, with its checks, and its sketch."""

import ctypes
import json
import shutil
import subprocess

import numpy as np
import pytest
from compiled_c import COMPILER, QUICK, pointers

import gough
from gough.errors import GoughError
from gough.exchange import export_machine

OK, NOT_FINITE, UNREACHABLE, OUT_OF_RANGE = range(4)
STUB = """
#include <cstdio>
struct Port { // what arrives is there at once, and then nothing
    void begin(long) {}
    int available() { const int c = std::getchar(); std::ungetc(c, stdin); return c != EOF; }
    int read() { return std::getchar(); }
    void print(const char *text) { std::printf("%s", text); }
    void print(int x) { std::printf("%d", x); }
    void println(const char *text) { std::printf("%s\\n", text); }
    void println(int x) { std::printf("%d\\n", x); }
    void println(double x, int digits) { std::printf("%.*f\\n", digits, x); }
} Serial;
"""


class Firmware:
    def __init__(self, folder, name, real=np.float64):
        command = [*COMPILER, *QUICK, "-shared", "-fPIC", f"{name}.c", "-lm", "-o", "ik.so"]
        subprocess.run(command, cwd=folder / name, check=True)
        self.call, self.real = getattr(ctypes.CDLL(str(folder / name / "ik.so")), name), real

    def __call__(self, pose, before):
        """Status, actuator and positions, which were something before."""
        pose, found, actuator = (
            np.array(pose, self.real),
            np.array(before, self.real),
            np.int32([7]),
        )
        status = self.call(*pointers(pose, found, actuator))
        return status, int(actuator[0]), found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("firmware")


@pytest.fixture(scope="module")
def hexapod(folder):
    export_machine(gough.load("demo-hexapod"), folder, "firmware")
    return Firmware(folder, "demo_hexapod_ik")


def test_positions_at_roll_pitch_and_yaw_are_those_of_the_kernel(hexapod):
    model, rng = gough.Model(gough.load("demo-hexapod")), np.random.default_rng(0)
    for axes in [0, 0, 0.99, 0, 0, 0] + rng.uniform(-0.05, 0.05, (20, 6)):
        status, actuator, found = hexapod(axes, np.zeros(6))
        assert (status, actuator) == (OK, -1)
        pose = gough.pose(axes[:3], rpy=axes[3:])
        np.testing.assert_allclose(found, model.inverse_kinematics(pose), rtol=1e-14)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(6))
def test_nothing_leaves_the_function_of_a_pose_that_is_none(hexapod, bad, place):
    pose = np.array([0, 0, 0.99, 0, 0, 0])
    pose[place] = bad
    status, actuator, found = hexapod(pose, np.arange(6))
    assert (status, actuator) == (NOT_FINITE, -1)
    np.testing.assert_array_equal(found, np.arange(6))


def test_an_actuator_out_of_its_range_is_named(hexapod):
    status, actuator, found = hexapod([0.1, 0, 1.2, 0, 0, 0], np.arange(6))
    q = gough.Model(gough.load("demo-hexapod")).inverse_kinematics([0.1, 0, 1.2, 1, 0, 0, 0])
    low, high = gough.load("demo-hexapod").legs[0].stroke
    assert status == OUT_OF_RANGE
    assert actuator == np.flatnonzero((q < low) | (q > high))[0]
    np.testing.assert_array_equal(found, np.arange(6))


def test_a_delta_out_of_reach_and_in_single_precision(folder):
    robot = gough.load("delta")
    export_machine(robot, folder / "single", "firmware", dtype="float32")
    delta, model = Firmware(folder / "single", "delta_ik", np.float32), gough.Model(robot)
    status, _, found = delta([0.05, -0.03, -1.0, 9, 9, 9], np.zeros(3))  # it has no attitude
    assert status == OK
    np.testing.assert_allclose(
        found, model.inverse_kinematics([0.05, -0.03, -1.0, 1, 0, 0, 0]), atol=1e-5
    )
    status, _, found = delta([0, 0, -2.5, 0, 0, 0], np.arange(3))
    assert status == UNREACHABLE
    np.testing.assert_array_equal(found, np.arange(3))


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
def test_the_sketch_holds_positions_at_a_pose_that_is_none(hexapod, folder):
    project = folder / "demo_hexapod_ik"
    main = f'{STUB}#include "demo_hexapod_ik.ino"\nint main() {{ setup(); loop(); loop(); }}\n'
    (project / "sketch.cpp").write_text(main)
    command = ["g++", "-Wall", "-Werror", "sketch.cpp", "ik.so", "-Wl,-rpath,.", "-o", "sketch"]
    subprocess.run(command, cwd=project, check=True)

    def said(line):
        run = {"capture_output": True, "text": True, "cwd": project}
        return subprocess.run(["./sketch"], input=line, check=True, **run).stdout

    lengths = gough.Model(gough.load("demo-hexapod")).inverse_kinematics([0, 0, 0.99, 1, 0, 0, 0])
    found = [float(line) for line in said("0 0 0.99 0 0 0\r\n").splitlines()]
    np.testing.assert_allclose(found, lengths, atol=1e-12)
    assert said("nan 0 0.99 0 0 0\n") == "refused, status 1, actuator -1\n"
    assert said("0 0 0.99 0 0 0") == ""  # its end is not there yet
    none = ["", "0 0 0.99 0 0", "0 0 0.99 0 0 0 0", "x0 0 0.99 0 0 0", "0 0.0.99 0 0 0"]
    none += ["0 0 0.99 0 0 0\0", "0 0 0.99 0 0 0" + 300 * " "]
    assert said("\n".join(none) + "\n") == len(none) * "refused, not six numbers\n"


def test_checks_are_not_compiled_away(hexapod, folder):
    command = [*COMPILER, "-ffast-math", "-fsyntax-only", "demo_hexapod_ik.c"]
    with pytest.raises(subprocess.CalledProcessError) as refused:
        subprocess.run(command, cwd=folder / "demo_hexapod_ik", check=True, capture_output=True)
    assert b"compile without -ffast-math" in refused.value.stderr


def test_the_header_names_actuators_without_a_range(tmp_path):
    data = gough.load("five-bar").to_dict()
    driven = [joint for joint in data["joints"] if joint.get("driven")]
    driven[0].pop("range", None)
    driven[1]["range"] = [-3.0, 6.0]
    (path, *_) = export_machine(gough.Robot.from_dict(data), tmp_path, "firmware")
    free, held = (line for line in path.read_text().splitlines() if "  positions[" in line)
    assert free.endswith("[rad], any: it has no range")
    assert held.endswith("[rad]")


def test_names_of_actuators_cannot_end_the_comment_of_the_header(tmp_path):
    data = gough.load("five-bar").to_dict()
    text = json.dumps(data).replace(data["joints"][0]["name"], "*/ x")
    paths = export_machine(gough.Robot.from_dict(json.loads(text)), tmp_path, "firmware")
    assert paths[0].read_text().count("*/") == 4


def test_what_is_no_robot_is_refused(tmp_path):
    with pytest.raises(GoughError, match="robot is 'delta'"):
        export_machine("delta", tmp_path, "firmware")
    assert not any(tmp_path.iterdir())
