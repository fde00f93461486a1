"""--work and --tool: what commands print in them is what the library finds."""

import json

import numpy as np
import pytest

import gough as library
from gough.poses import difference

OPTIONS = (
    "--work 0.1 0 500mm --work-rpy 0 0 30 --tool 0 20mm 0.2 --tool-rpy 5 0 0 --degrees".split()
)
FRAMES = library.Frames(
    library.pose([0.1, 0, 0.5], rpy=[0, 0, 30], degrees=True),
    library.pose([0, 0.02, 0.2], rpy=[5, 0, 0], degrees=True),
)
MODEL = library.Model(library.load("demo-hexapod"))


def data(done):
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_ik_takes_the_pose_of_the_tool_in_the_work_frame(gough):
    asked = library.pose([-0.05, 0.02, 0.7], rpy=[0, 5, -30], degrees=True)
    place = "--position -0.05 0.02 70cm --rpy 0 5 -30".split()
    found = data(gough("pose ik", "demo-hexapod", *place, *OPTIONS, "--json"))
    platform = FRAMES.platform_pose(asked)
    np.testing.assert_allclose(difference(found["pose"], platform), 0, atol=1e-14)
    np.testing.assert_allclose(difference(found["tool_pose"], asked), 0, atol=1e-14)
    np.testing.assert_allclose(found["positions"], MODEL.inverse_kinematics(platform), rtol=1e-14)
    for name, pose in found["frames"].items():
        np.testing.assert_allclose(pose, getattr(FRAMES, name), atol=1e-15)


def test_what_is_left_out_is_as_at_home(gough):
    found = data(gough("pose ik", "demo-hexapod", *OPTIONS, "--json"))
    np.testing.assert_allclose(difference(found["pose"], MODEL.robot.home), 0, atol=1e-14)


def test_fk_gives_the_pose_of_the_tool(gough):
    platform = library.pose([0.01, 0.02, 1.0], rpy=[0.05, 0, 0.1])
    lengths = map(repr, MODEL.inverse_kinematics(platform).tolist())
    found = data(gough("pose fk", "demo-hexapod", "--lengths", *lengths, *OPTIONS, "--json"))
    np.testing.assert_allclose(difference(found["pose"], platform), 0, atol=1e-9)
    tool = FRAMES.tool_pose(platform)
    np.testing.assert_allclose(difference(found["tool_pose"], tool), 0, atol=1e-9)


def test_a_guess_of_fk_is_in_frames_too(gough):
    lengths = ["1.2"] * 6
    below = library.Frames(tool=[0, 0, 0.2, 1, 0, 0, 0]).tool_pose([0, 0, -1, 1, 0, 0, 0])
    near = ["--guess", *map(str, below[:3]), "--tool", 0, 0, 0.2]
    found = data(gough("pose fk", "kalani-2016", "--lengths", *lengths, *near, "--json"))
    assert found["pose"][2] < 0


@pytest.mark.parametrize("command", ["pose ik", "workspace travel"])
def test_people_read_which_frames_counted(gough, command):
    done = gough(command, "demo-hexapod", *OPTIONS)
    rows = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "work frame in the base: position 0.1 0 0.5 m" in rows
    assert "work frame in the base: roll, pitch, yaw 0 0 30 deg" in rows
    assert "tool on the platform: position 0 0.02 0.2 m" in rows
    assert any(row.startswith("tool: position") for row in rows)


def test_travel_prints_what_the_library_finds(gough):
    shown = data(
        gough("workspace travel", "demo-hexapod", *OPTIONS, "--ignore", "clearance", "--json")
    )
    limits = library.kinematics.Limits(("stroke", "base joint", "platform joint", "singularity"))
    ways, turns = MODEL.travel(frames=FRAMES, limits=limits)
    for part, found in zip(shown["travels"], (ways, turns), strict=True):
        assert part["degrees_of_freedom"] == list(found.degrees_of_freedom)
        np.testing.assert_allclose(part["travel"], found.distances, rtol=1e-12)
        assert part["limited_by"] == found.limited_by


def test_travel_without_frames_says_nothing_of_them(gough):
    done = gough("workspace travel", "demo-hexapod")
    assert "frame" not in done.out
    assert "positive [deg]" in done.out


def test_axes_that_a_machine_cannot_do_are_left_out_with_a_word(gough):
    done = gough("workspace travel", "planar-3rrr", "--work-rpy", 0.1, 0, 0)
    assert "planar-3rrr moves in x y rz" in done.out
    assert "it moves in x" in done.out


@pytest.mark.parametrize("option", ["--work", "--work-rpy", "--tool", "--tool-rpy"])
def test_what_is_no_frame_is_refused_by_its_option(gough, option):
    line = gough("pose ik", "demo-hexapod", option, 0, 0, "nan").complaint(2)
    assert f"'{option}'" in line
