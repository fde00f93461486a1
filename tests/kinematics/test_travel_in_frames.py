"""Travel of a tool in a work frame: against bisection on what is reachable, and by symmetry."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.kinematics import Limits, reachable
from gough.poses import displace
from gough.robot.mechanism import MOVES

FRAMES = gough.Frames(
    work=gough.pose([0.1, -0.2, 0.3], rpy=[0.3, -0.2, 0.7]),
    tool=gough.pose([0.0, 0.0, 0.2], rpy=[0.0, 0.1, 0.0]),
)
AWAY = gough.pose([0.05, -0.03, 1.02], rpy=[0.05, 0.1, -0.1])


def at(frames, pose, axis, distances):
    """The platform's poses when the tool went along, or turned about, an axis of the work frame."""
    steps = np.zeros((*np.shape(distances), 6))
    steps[..., MOVES.index(axis)] = distances
    return frames.platform_pose(displace(frames.tool_pose(pose), steps))


def first_end(model, frames, pose, axis, sign, limits):
    """Where what is reachable first ends, by small steps and halving."""
    steps = np.linspace(0, np.pi, 2001)
    k = int(np.argmin(reachable(model, at(frames, pose, axis, sign * steps), limits)))
    low, high = steps[k - 1], steps[k]
    for _ in range(45):
        middle = (low + high) / 2
        inside = reachable(model, at(frames, pose, axis, sign * middle), limits)
        low, high = (middle, high) if inside else (low, middle)
    return low


@pytest.mark.parametrize("limits", [Limits(), Limits(families=("stroke",))])
@pytest.mark.parametrize("pose", [None, AWAY])
def test_a_hexapod_goes_as_far_as_bisection_says(pose, limits):
    model = gough.Model(gough.load("demo-hexapod"))
    start = np.array(model.robot.home) if pose is None else pose
    ways, turns = model.travel(pose, frames=FRAMES, limits=limits)
    assert (ways.degrees_of_freedom, turns.degrees_of_freedom) == (
        ("x", "y", "z"),
        ("rx", "ry", "rz"),
    )
    assert ways.frames == turns.frames == FRAMES
    for part, k in ((ways, 0), (ways, 2), (turns, 0), (turns, 1)):
        for side, sign in enumerate((-1, 1)):
            expected = first_end(model, FRAMES, start, part.degrees_of_freedom[k], sign, limits)
            assert part.distances[k, side] == pytest.approx(expected, abs=1e-11)


def test_the_platform_joint_that_ends_a_turn_is_beyond_its_limit():
    model = gough.Model(gough.load("demo-hexapod"))
    _, turns = model.travel(frames=FRAMES)
    assert "platform joint" in {end for row in turns.limited_by for end in row}
    for (axis, distances), ends in zip(
        zip(turns.degrees_of_freedom, turns.distances, strict=True), turns.limited_by, strict=True
    ):
        for sign, distance, end in zip((-1, 1), distances, ends, strict=True):
            beyond = at(FRAMES, np.array(model.robot.home), axis, sign * distance * (1 + 1e-6))
            assert not reachable(model, beyond, Limits(families=(end,)))
            assert reachable(
                model, at(FRAMES, model.robot.home, axis, sign * distance * (1 - 1e-6))
            )


def test_frames_that_change_nothing_change_no_travel():
    model = gough.Model(gough.load("demo-hexapod"))
    for own, framed in zip(
        model.travel(AWAY), model.travel(AWAY, frames=gough.Frames()), strict=True
    ):
        np.testing.assert_allclose(framed.distances, own.distances, rtol=1e-13)
        assert framed.limited_by == own.limited_by


def test_a_tool_changes_turns_but_no_ways():
    model = gough.Model(gough.load("demo-hexapod"))
    own, tooled = model.travel(), model.travel(frames=gough.Frames(tool=FRAMES.tool))
    np.testing.assert_allclose(tooled[0].distances, own[0].distances, rtol=1e-12)
    assert (np.abs(tooled[1].distances[:2] - own[1].distances[:2]) > 1e-2).any()
    np.testing.assert_allclose(tooled[1].distances[2], own[1].distances[2], rtol=1e-12)


def test_a_delta_goes_along_the_axes_of_any_work_frame():
    model = gough.Model(gough.load("delta"))
    (ways,) = model.travel(frames=FRAMES)
    assert ways.degrees_of_freedom == ("x", "y", "z")
    home = np.array(model.robot.home)
    for side, sign in enumerate((-1, 1)):
        expected = first_end(model, FRAMES, home, "y", sign, Limits())
        assert ways.distances[1, side] == pytest.approx(expected, abs=1e-9)


def test_a_planar_machine_turns_about_a_tool_in_its_plane():
    model = gough.Model(gough.load("planar-3rrr"))
    frames = gough.Frames(
        work=gough.pose([0, 0, 0], rpy=[0, 0, 0.4]), tool=gough.pose([0.05, 0, 0])
    )
    ways, turns = model.travel(frames=frames)
    assert (ways.degrees_of_freedom, turns.degrees_of_freedom) == (("x", "y"), ("rz",))
    home = np.array(model.robot.home)
    expected = first_end(model, frames, home, "rz", 1, Limits())
    assert turns.distances[0, 1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("robot", "frames", "words"),
    [
        ("planar-3rrr", FRAMES, "planar-3rrr moves in x, y, rz: along no axis of this work frame"),
        ("agile-eye", FRAMES, "agile-eye moves in rx, ry, rz: along no axis"),
        ("tripod-3rps", FRAMES, r"got a tool at \[0.0, 0.0, 0.2\] m, expected one at \[0, 0, 0\]"),
    ],
)
def test_what_a_machine_cannot_do_in_frames_is_refused(robot, frames, words):
    with pytest.raises(GoughError, match=words):
        gough.Model(gough.load(robot)).travel(frames=frames)
