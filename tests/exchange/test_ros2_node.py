"""A ROS 2 package that computes: its part without ROS is run, the node is compiled with stubs."""

import re
import runpy
import subprocess
import sys
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest
from compiled_c import COMPILER

import gough
from gough.errors import GoughError
from gough.exchange import export_machine, joint_states
from gough.kinematics.freedoms.nearest_pose import acceleration_violation, closed_poses
from gough.poses import displace

CALLS = """
#include "machine.hpp"
#include <cstdio>
using namespace {package};
int main() {{
    Pose pose, found;
    Six twist, acceleration;
    Motors q, effort;
    Follower follower;
    int status;
    while (true) {{
        for (double &x : pose) if (scanf("%lf", &x) != 1) return 0;
        for (double &x : twist) scanf("%lf", &x);
        for (double &x : acceleration) scanf("%lf", &x);
        const std::string why = command(pose, twist, acceleration, q, effort);
        if (!why.empty()) {{ printf("%s\\n", why.c_str()); continue; }}
        const bool ok = follower.locate(q, found, status);
        for (double x : q) printf("%.17g ", x);
        for (double x : effort) printf("%.17g ", x);
        for (double x : found) printf("%.17g ", x);
        printf("%d %d\\n", ok, status);
    }}
}}
"""
STUB = """
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>
struct Vector { double x, y, z; };
struct Quaternion { double x, y, z, w; };
struct Stamp {};
struct Header { Stamp stamp; std::string frame_id; };
namespace geometry_msgs::msg {
struct Pose { Vector position; Quaternion orientation; };
struct PoseStamped { Header header; Pose pose; };
struct Transform { Vector translation; Quaternion rotation; };
struct Twist { Vector linear, angular; };
}
namespace sensor_msgs::msg {
struct JointState {
    Header header; std::vector<std::string> name; std::vector<double> position, velocity, effort;
};
}
namespace trajectory_msgs::msg {
struct MultiDOFJointTrajectoryPoint {
    std::vector<geometry_msgs::msg::Transform> transforms;
    std::vector<geometry_msgs::msg::Twist> velocities, accelerations;
};
}
namespace rclcpp {
struct Logger {};
template <class M> struct Publisher {
    using SharedPtr = std::shared_ptr<Publisher>; void publish(const M &) {}
};
template <class M> struct Subscription { using SharedPtr = std::shared_ptr<Subscription>; };
struct Node {
    explicit Node(const std::string &) {}
    template <class T> T declare_parameter(const std::string &, const T &value) { return value; }
    template <class M> std::shared_ptr<Publisher<M>> create_publisher(const std::string &, int)
        { return {}; }
    template <class M, class F> std::shared_ptr<Subscription<M>> create_subscription(
        const std::string &, int, F &&does) { std::function<void(const M &)> f = does; return {}; }
    Logger get_logger() { return {}; }
    Stamp now() { return {}; }
    int *get_clock() { static int clock; return &clock; }
};
inline void init(int, char **) {}
inline void spin(std::shared_ptr<Node>) {}
inline void shutdown() {}
}
#define RCLCPP_WARN(logger, ...) ((void)(logger), (void)std::snprintf(nullptr, 0, __VA_ARGS__))
#define RCLCPP_WARN_THROTTLE(logger, clock, period, ...) \\
    ((void)(clock), (void)(period), RCLCPP_WARN(logger, __VA_ARGS__))
"""
HEADERS = (
    "rclcpp/rclcpp.hpp", "geometry_msgs/msg/pose_stamped.hpp", "sensor_msgs/msg/joint_state.hpp",
    "trajectory_msgs/msg/multi_dof_joint_trajectory_point.hpp",
)  # fmt: skip
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-std=c++17", "-O1")


@pytest.fixture(scope="module")
def robot():
    """A Delta with a spring, whose name has capitals."""
    given = gough.load("delta").to_dict() | {"name": "My Delta"}
    ends = {"between": ["base", "platform"], "start": [0.1, -0.3, 0], "end": [0, 0.1, -0.9]}
    given["springs"] = [{"name": "weak", "stiffness": 800.0, "length": 0.1, **ends}]
    return gough.Robot.from_dict(given)


@pytest.fixture(scope="module")
def package(tmp_path_factory, robot):
    folder = tmp_path_factory.mktemp("workspace")
    export_machine(robot, folder, "ros2-node")
    return folder / "my_delta_kinematics"


@pytest.fixture(scope="module")
def answers(package):
    """What the package's part without ROS answers to motions, in one run of it."""
    return built(package)


def built(package):
    source = package / "src" / "calls.cpp"
    source.write_text(CALLS.format(package=package.name))
    (library,) = re.findall(r"src/(\w+)\.c\)", (package / "CMakeLists.txt").read_text())
    c = [*COMPILER, "-std=c99", "-O0", "-c", f"{library}.c", "-o", "library.o"]
    subprocess.run(c, cwd=source.parent, check=True)
    link = ["g++", *WARNINGS, source.name, "library.o", "-lm", "-o", "calls"]
    subprocess.run(link, cwd=source.parent, check=True)

    def of(motions):
        text = "\n".join(" ".join(map(repr, map(float, motion))) for motion in motions)
        done = subprocess.run(
            [source.parent / "calls"], input=text, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    return of


def test_commands_and_poses_are_those_of_the_kernels(answers, robot):
    model, rng = gough.Model(robot), np.random.default_rng(0)
    home = np.array(model.robot.home)
    motions = []
    for step in np.linspace(0, 0.1, 6):
        pose = home + np.array([step, -step / 2, step / 3, 0, 0, 0, 0])
        twist, acceleration = (np.r_[rng.normal(size=3), 0, 0, 0] for _ in range(2))
        motions.append(np.r_[pose, twist, acceleration])
    for motion, line in zip(motions, answers(motions), strict=True):
        numbers = np.array(line.split(), float)
        pose, twist, acceleration = motion[:7], motion[7:13], motion[13:]
        np.testing.assert_allclose(numbers[:3], model.inverse_kinematics(pose), rtol=1e-12)
        efforts = model.actuator_force(pose, twist, acceleration, np.zeros(6))
        np.testing.assert_allclose(numbers[3:6], efforts, rtol=1e-9)
        np.testing.assert_allclose(numbers[6:13], pose, atol=1e-9)
        assert numbers[13:].tolist() == [1, 1]


def test_commands_are_of_the_motion_that_the_machine_can_do(tmp_path):
    """A 3-RPS platform moves sideways as its tilt asks: what a target adds to that is left out."""
    robot, rng = gough.load("tripod-3rps"), np.random.default_rng(1)
    model = gough.Model(robot)
    export_machine(robot, tmp_path, "ros2-node")
    target = displace(robot.home, [0.02, -0.01, 0.03, 0.1, -0.05, 0.04])
    given, wanted = rng.normal(size=(2, 6))
    (line,) = built(tmp_path / "tripod_3rps_kinematics")([np.r_[target, given, wanted]])
    pose, _ = closed_poses(robot, target)
    twist = model.admissible(pose, given)
    acceleration = wanted - acceleration_violation(robot, pose, twist, wanted).parts
    efforts = model.actuator_force(pose, twist, acceleration, np.zeros(6))
    numbers = np.array(line.split(), float)
    np.testing.assert_allclose(numbers[:3], model.inverse_kinematics(pose), rtol=1e-12)
    np.testing.assert_allclose(numbers[3:6], efforts, rtol=1e-9)


def test_a_jump_gives_a_pose_of_these_joint_states(answers, robot):
    home = np.array(robot.home)
    away = np.r_[home + np.array([0.25, 0.2, 0.1, 0, 0, 0, 0]), np.zeros(12)]
    (line,) = answers([away])
    *pose, found, status = np.array(line.split()[6:], float)
    np.testing.assert_allclose(pose, away[:7], atol=1e-9)
    assert (found, status) == (1, gough.Status.CONVERGED)


def test_a_robot_may_have_a_word_of_cpp_for_its_name(tmp_path):
    export_machine(gough.load("delta").replace({"name": "new"}), tmp_path, "ros2-node")
    header = tmp_path / "new_kinematics" / "src" / "machine.hpp"
    subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-x", "c++", str(header)], check=True)


def test_bad_targets_are_refused_in_words(answers, robot):
    still = np.zeros(12)
    home, (low, high) = robot.home, robot.actuators[0].travel
    above = np.tile(home, (60, 1)) + np.outer(np.linspace(0, 0.6, 60), [0, 0, 1, 0, 0, 0, 0])
    q = gough.Model(robot).inverse_kinematics(above)[:, 0]
    (beyond, *_) = above[(q < low) | (q > high)]
    far, high = np.r_[9.0, home[1:], still], np.r_[beyond, still]
    long = np.r_[home[:3], 1.1, 0, 0, 0, still]
    none = np.r_[np.nan, home[1:], still]
    found = answers([far, high, long, none])
    assert found[0] == "the target is out of reach"
    assert "would leave its range, at " in found[1]
    assert found[2] == "the target's quaternion is not of length one"
    assert found[3] == "the target is not finite"


def test_the_node_compiles_against_the_interfaces_that_it_uses(package, tmp_path):
    for name in HEADERS:
        header = tmp_path / name
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(f'#include "{tmp_path}/stub.hpp"\n')
    (tmp_path / "stub.hpp").write_text(STUB)
    node = package / "src" / "kinematics_node.cpp"
    command = ["g++", *WARNINGS, "-fsyntax-only", "-I", str(tmp_path), str(node)]
    subprocess.run(command, check=True)


def test_package_and_build_name_the_same_dependencies(package):
    root = ElementTree.parse(package / "package.xml").getroot()
    assert (root.tag, root.get("format"), root.findtext("name")) == ("package", "3", package.name)
    needed = {part.text for part in root.findall("depend")}
    build = (package / "CMakeLists.txt").read_text()
    for name in needed:
        assert f"find_package({name} REQUIRED)" in build
    assert {name.split("/")[0] for name in HEADERS} == needed
    for part in root.findall("export/build_type"):
        assert part.text == "ament_cmake"


def test_the_launch_file_starts_the_node(package, monkeypatch):
    started = {}
    modules = {
        "launch": {"LaunchDescription": list},
        "launch.actions": {"DeclareLaunchArgument": lambda name, **_: name},
        "launch.substitutions": {"LaunchConfiguration": str},
        "launch_ros.actions": {"Node": lambda **facts: started.update(facts) or "node"},
        "launch_ros.parameter_descriptions": {"ParameterValue": lambda value, **_: value},
    }
    for name, contents in {"launch_ros": {}, **modules}.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    made = runpy.run_path(str(package / "launch" / "kinematics.launch.py"))
    assert made["generate_launch_description"]() == [
        "from_home",
        "frame_id",
        "joint_states",
        "node",
    ]
    assert (started["package"], started["executable"]) == ("my_delta_kinematics", "kinematics_node")


def test_names_of_joints_are_those_of_the_description(tmp_path):
    robot = gough.load("demo-hexapod")
    export_machine(robot, tmp_path, "ros2-node")
    header = (tmp_path / "demo_hexapod_kinematics" / "src" / "machine.hpp").read_text()
    states = joint_states(robot, robot.home)
    names = [states.names[place] for place in states.driven]
    assert ", ".join(f'"{name}"' for name in names) in header


def test_of_more_motors_than_freedoms_efforts_are_published_as_the_readme_states(tmp_path):
    export_machine(gough.load("octopod-8ups"), tmp_path, "ros2-node")
    text = (tmp_path / "octopod_8ups_kinematics" / "README.md").read_text()
    assert "those with the minimum sum\nof squares are published" in text
    assert "\n\nMotors: slide-1" in text


def test_what_is_no_robot_is_refused(tmp_path):
    with pytest.raises(GoughError, match=r"robot is 'delta'; expected a gough\.robot\.Robot"):
        export_machine("delta", tmp_path, "ros2-node")
    assert not [*tmp_path.iterdir()]
