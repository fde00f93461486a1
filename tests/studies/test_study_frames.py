"""Studies in a work frame and of a tool: the same as a study of the platform, by other words."""

import json

import numpy as np
import pytest

import gough
from gough.analysis.freedoms import possible_motion
from gough.errors import GoughError
from gough.motion import in_frames, motion_from_dict, total_wrench
from gough.poses import compose, difference, inverse, transform

FRAMES = {
    "work": {"position": ["100 mm", 0, "0.9 m"], "rpy": [0, 0, "90 deg"]},
    "tool": {"z": "200 mm", "yaw": "30 deg"},
}
WORK = gough.pose([0.1, 0, 0.9], rpy=[0, 0, np.pi / 2])
TOOL = gough.pose([0, 0, 0.2], rpy=[0, 0, np.pi / 6])
TURN = {"kind": "rotation", "axis": [1, 0, 0], "angle": "10 deg", "duration": 1}
LINE = {"kind": "line", "displacement": [0.05, 0, 0], "duration": 1}


def study(motion=TURN, robot="demo-hexapod", frames=FRAMES, **more):
    data = {"schema": "gough-study/1", "name": "framed", "robot": robot, "motion": motion}
    return gough.Study.from_dict({**data, "samples": 11, "frames": frames, **more})


def test_a_turn_is_about_the_tools_origin_and_an_axis_of_the_work_frame():
    made = study()
    np.testing.assert_allclose([made.frames.work, made.frames.tool], [WORK, TOOL], atol=1e-15)
    poses = made.motion(made.times()).pose
    pivot = transform(poses, TOOL[:3])
    np.testing.assert_allclose(pivot, np.tile(pivot[0], (11, 1)), atol=1e-14)
    turned = difference(poses[-1], poses[0])[3:]
    np.testing.assert_allclose(turned, [0, np.radians(10), 0], atol=1e-14)  # x of the work frame
    home = np.array(made.robot.home)
    np.testing.assert_allclose(difference(poses[0], home), 0, atol=1e-14)


def test_a_line_goes_along_the_axes_of_the_work_frame():
    made = study(LINE)
    way = difference(made.motion(1.0).pose, made.motion(0.0).pose)
    np.testing.assert_allclose(way, [0, 0.05, 0, 0, 0, 0], atol=1e-15)


def test_waypoints_are_poses_of_the_tool_in_the_work_frame():
    points = [{"time": 0}, {"time": 1, "position": [0, 0.05, 0.3], "rpy": [0.1, 0, 0]}]
    end = study({"kind": "waypoints", "waypoints": points}).motion(1.0).pose
    tool = compose(compose(inverse(WORK), end), TOOL)
    expected = gough.pose([0, 0.05, 0.3], rpy=[0.1, 0, 0])
    np.testing.assert_allclose(difference(tool, expected), 0, atol=1e-14)


@pytest.mark.parametrize(
    ("frame", "axis", "point"),
    [
        ("work", [0, 0, 1], [0.1, 0.2, 0.3]),
        ("base", [0, 0, 1], transform(WORK, [0.1, 0.2, 0.3]).tolist()),
    ],
)
def test_an_axis_may_be_given_in_any_frame(frame, axis, point):
    motion = {**TURN, "axis": axis, "point": point, "frame": frame}
    plain = {**TURN, "axis": [0, 0, 1], "point": transform(WORK, [0.1, 0.2, 0.3]).tolist()}
    own = motion_from_dict(plain, gough.load("demo-hexapod"))
    t = np.linspace(0, 1, 5)
    for found, expected in zip(study(motion).motion(t)[1:], own(t)[1:], strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_axes_of_platform_and_tool_differ_by_the_tools_turn():
    by_tool = study({**TURN, "frame": "tool"}).motion(1.0).pose
    along = transform([0, 0, 0, *TOOL[3:]], [1, 0, 0]).tolist()
    by_platform = study({**TURN, "frame": "platform", "axis": along}).motion(1.0).pose
    np.testing.assert_allclose(by_tool, by_platform, atol=1e-14)
    home = np.array(study().robot.home)
    np.testing.assert_allclose(
        difference(by_tool, home)[3:], np.radians(10) * np.array(along), atol=1e-13
    )


def loaded(task, motion=TURN):
    made = study(motion, tasks=[task])
    t = made.times()
    samples = made.motion(t)
    return total_wrench(made.tasks, t, samples), samples


def test_a_load_on_axes_of_the_work_frame_acts_at_the_tool():
    force, moment = [10.0, -20.0, 5.0], [1.0, 2.0, 3.0]
    task = {"kind": "constant", "frame": "work", "force": force, "moment": moment}
    found, samples = loaded(task)
    frames = gough.Frames(WORK, TOOL)
    expected = frames.platform_wrench(frames.tool_pose(samples.pose), np.array(force + moment))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_load_on_axes_of_the_tool_turns_with_it():
    found, samples = loaded({"kind": "constant", "frame": "tool", "force": [7.0, 0, 0]})
    tools = compose(samples.pose, TOOL)
    along = transform(tools, [1.0, 0, 0]) - tools[:, :3]
    np.testing.assert_allclose(found[:, :3], 7 * along, atol=1e-12)
    moment = np.cross(tools[:, :3] - samples.pose[:, :3], 7 * along)
    np.testing.assert_allclose(found[:, 3:], moment, atol=1e-12)


@pytest.mark.parametrize(
    "task",
    [
        {"kind": "sinusoidal", "frequency": 0.3, "force": [0, 5, 0]},
        {"kind": "table", "times": [0, 2], "forces": [[0, 5, 0], [0, 9, 0]]},
        {"kind": "constant", "force": [0, 5, 0], "point": [0.01, 0, 0]},
        {
            "kind": "polishing", "normal_force": 5, "friction": 0.1, "point": [0.01, 0, 0],
            "direction": [0, 1, 0],
        },
    ],
)  # fmt: skip
def test_other_tasks_in_frames_are_those_on_the_machine(task):
    is_tool = task["kind"] == "polishing"
    key = "direction_frame" if is_tool else "frame"
    framed, _ = loaded({**task, key: "work", "point_frame": "tool"})
    turned = dict(task)
    name = "direction" if is_tool else "forces" if "forces" in task else "force"
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])  # the work frame in the base
    turned[name] = (np.array(task[name]) @ quarter.T).tolist()
    turned["point"] = transform(TOOL, task.get("point", [0, 0, 0])).tolist()
    own, _ = loaded(turned)
    np.testing.assert_allclose(framed, own, atol=1e-12)
    assert np.abs(own).max() > 1


def test_loads_on_axes_of_base_and_platform_stay_there():
    task = {"kind": "constant", "force": [1.0, 0, 0]}
    found, _ = loaded(task)
    np.testing.assert_array_equal(found, np.tile([1.0, 0, 0, 0, 0, 0], (11, 1)))


def test_results_say_which_frames_counted():
    results = gough.run(study())
    assert results.study["frames"] == FRAMES
    plain = gough.Study(
        study().robot, study().motion, samples=3, frames=gough.Frames(tool=TOOL)
    ).resolved()
    assert json.loads(json.dumps(plain))["frames"]["tool"] == pytest.approx(TOOL.tolist())


def test_forces_are_those_of_the_platforms_motion():
    made = study()
    tool = motion_from_dict(
        {**TURN, "start": {"position": [0, 0.1, 0.29], "rpy": [0, 0, np.radians(-60)]}},
        made.robot,
    )
    own = gough.Study(made.robot, in_frames(tool, made.frames), samples=11)
    np.testing.assert_allclose(gough.run(made)["force"], gough.run(own)["force"], rtol=1e-9)


def test_frames_can_be_varied():
    heights = {"parameter": "frames.tool.z", "values": ["0 mm", "200 mm"]}
    results = gough.run(study(variations=[heights], tasks=[]))
    low, high = results["peak_force"]
    assert low == pytest.approx(gough.run(study(frames={**FRAMES, "tool": {"yaw": "30 deg"}}))
                                .summary["peak_force"].value)  # fmt: skip
    assert abs(high - low) > 1e-3 * low


def test_a_delta_moves_its_tool_along_a_work_frame_but_does_not_turn_it():
    frames = {"work": {"yaw": "45 deg"}, "tool": {"position": [0.02, 0, -0.1]}}
    made = study(LINE, "delta", frames)
    way = difference(made.motion(1.0).pose, made.motion(0.0).pose)
    np.testing.assert_allclose(way[:2], [0.05 * np.sqrt(0.5)] * 2, atol=1e-14)
    t = made.times()
    assert possible_motion(made.robot, made.motion, t) is made.motion
    turning = study(TURN, "delta", frames)
    with pytest.raises(
        GoughError, match=r"t = 1 s the motion asks for rx .* delta \(x y z\) cannot"
    ):
        possible_motion(turning.robot, turning.motion, t)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"frames": {"tol": {}}}, r"frames\.tol: unknown key.*did you mean .tool"),
        ({"frames": {"tool": {"position": [1, 2]}}}, r"frames\.tool\.position"),
        ({"frames": {"work": {"rpy": ["1 m", 0, 0]}}}, r"frames\.work\.rpy\[0\]"),
        ({"frames": [1]}, "frames: not a table"),
        (
            {"frames": None, "motion": {**TURN, "frame": "tool"}},
            r"motion\.frame: not known without frames, got .*\[frames\]",
        ),
        (
            {"frames": None, "tasks": [{"kind": "constant", "frame": "work"}]},
            r"tasks\[0\]\.frame: not known without frames",
        ),
        (
            {"frames": None, "tasks": [{"kind": "constant", "point_frame": "tool"}]},
            r"tasks\[0\]\.point_frame: not known without frames",
        ),
        ({"motion": {**TURN, "frame": "world"}}, r"motion\.frame"),
    ],
)
def test_what_is_wrong_with_frames_is_said_by_key(changes, words):
    with pytest.raises(GoughError, match=words):
        study(**changes)


def test_a_simulation_in_frames_starts_with_the_tool_in_the_work_frame():
    data = {**study().written, "controller": {"kind": "joint-pid", "frequency": "5 Hz"}}
    start = {"z": 0.27, "velocity": [0.1, 0, 0], "angular_velocity": [0, 0, 0.2]}
    made = gough.Study.from_dict({**data, "start": start})
    first = made.motion(0.0).pose
    pose, twist = made.start.pose_and_twist(first, made.frames)
    np.testing.assert_allclose(difference(pose, first), [0, 0, -0.02, 0, 0, 0], atol=1e-14)
    assert twist[3:] == pytest.approx([0, 0, 0.2], abs=1e-15)
    arm = transform(pose, TOOL[:3]) - pose[:3]
    at_tool = twist[:3] + np.cross(twist[3:], arm)
    np.testing.assert_allclose(at_tool, [0, 0.1, 0], atol=1e-15)  # x of the work frame
