"""Numbers of a workbench beside those of Python."""

import numpy as np

import gough
from gough.compiler import Kernel
from gough.kinematics.workspace.charts import centre_of, charts
from gough.kinematics.workspace.rays import walk
from gough.kinematics.workspace.reach import ALL_LIMITS, margin_kernel, single_margins
from gough.kinematics.workspace.stated_limits import ends_of
from gough.kinematics.workspace.travels import axes_of

NEAR = {"rtol": 1e-9, "atol": 1e-9}


def same_as_python(bench, payload=None):
    """Compare all numbers of the present state with Python's at its pose."""
    robot, pose = bench.model.robot, bench.pose
    model = bench.model if payload is None else gough.Model(payload.carried_by(robot))
    np.testing.assert_allclose(bench.now("q"), model.inverse_kinematics(pose), **NEAR)
    np.testing.assert_allclose(bench.now("force"), model.inverse_dynamics(pose), **NEAR)
    margins = Kernel(single_margins(robot, ALL_LIMITS))(pose)
    np.testing.assert_allclose(bench.now("margin"), margins, **NEAR)
    shown = bench.do("""() => Object.fromEntries(
      Object.entries(window.gough.now.reactions).map(([name, x]) => [name, Array.from(x)]))""")
    zero = np.zeros(6)
    carried = dict(
        zip(
            [a.name for a in model.function("reactions").outputs],
            model.reactions(pose, zero, zero, zero),
            strict=True,
        )
    )
    for name, values in carried.items():
        found = np.reshape(np.array(shown[name], dtype=float), values.shape)
        size = np.nanmax(np.abs(values), initial=1.0)
        np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-9 * size, err_msg=name)


def takes_only_what_it_can(bench, pose):
    """Go to a pose that the machine may not be able to take: the page means the one of Python."""
    expected = bench.model.possible_pose(pose).pose
    bench.go_to(pose)
    sign = np.sign(bench.pose[3:] @ expected[3:])
    np.testing.assert_allclose(bench.pose, [*expected[:3], *sign * expected[3:]], **NEAR)


def same_travel(bench, frames=None):
    """Compare how far all axes go from the present pose, and what ends them."""
    shown, limits = bench.do("() => [window.gough.travel().travels, window.gough.data.limits]")
    parts = bench.model.travel(bench.pose, frames=frames)
    assert [row["name"] for row in shown] == [
        axis for part in parts for axis in part.degrees_of_freedom
    ]
    found = np.array([[way["distance"] for way in row["ways"]] for row in shown])
    np.testing.assert_allclose(found, np.concatenate([p.distances for p in parts]), atol=1e-9)
    ends = [_end(way["ended"], limits) for row in shown for way in row["ways"]]
    possible = [
        found for part in _charts(bench, frames) for found in _ends(bench.model.robot, part)
    ]
    assert all(end in names for end, names in zip(ends, possible, strict=True)), (ends, possible)


def _charts(bench, frames):
    robot = bench.model.robot
    return charts(robot, ALL_LIMITS, centre_of(robot, bench.pose), frames)


def _ends(robot, chart):
    """What may be said to end both ways of all axes: several where limits end them together."""
    directions = axes_of(len(chart.degrees_of_freedom))
    behind = chart.at(directions, walk(chart, directions).exits * (1 + 1e-9))
    found = [
        _names(ends_of(robot), row) for row in np.asarray(margin_kernel(robot, ALL_LIMITS)(behind))
    ]
    half = len(found) // 2
    return [way for ways in zip(found[:half], found[half:], strict=True) for way in ways]


def _names(ends, margins):
    """What margins just behind an end say against it; None where nothing does."""
    if np.isnan(margins).any():
        return {"assembly"}
    return {end for end, margin in zip(ends, margins, strict=False) if margin < 1e-8} or {None}


def _end(number, limits):
    """What Python calls the end of a way."""
    if number is None:
        return "assembly"
    return limits[number]["family"] if number >= 0 else None
