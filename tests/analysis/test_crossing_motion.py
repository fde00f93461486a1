"""Time laws through parallel singularities, and studies of motions that cross them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from study_samples import data

import gough
from gough.errors import GoughError
from gough.motion import Quintic, line, motion_from_dict, rotation, waypoints

ROOT = Path(__file__).parents[2]
DOWN = {
    "kind": "line",
    "start": {"position": [0, 0.16, 0], "yaw": "-40 deg"},
    "displacement": [0, -0.12, 0],
    "duration": 0.25,
}
"""Of the five-bar: through the pose in which its two links lie in one line."""


@pytest.fixture(scope="module")
def five_bar():
    return gough.load("five-bar")


@pytest.fixture(scope="module")
def crossing(five_bar):
    return gough.crossing_motion(five_bar, motion_from_dict(DOWN, five_bar), DOWN["duration"])


def studied(profile, **changes):
    motion = DOWN | {"profile": profile}
    return gough.run(data(robot="five-bar", motion=motion, tasks=[], samples=201, **changes))


def test_the_law_passes_the_singular_pose_as_briot_and_arakelian_ask(five_bar, crossing):
    model = gough.Model(five_bar)
    assert crossing.poses[0, 1] == pytest.approx(np.sqrt(0.2**2 - 0.175**2), rel=1e-12)
    assert model.singularity(crossing.poses[0]).parallel < 1e-12
    assert model.crossing_share(*crossing.motion(crossing.times[0])) < 1e-9


def test_the_law_goes_from_rest_to_rest_and_never_back(crossing):
    s, speed, acceleration = crossing.profile(np.linspace(0, DOWN["duration"], 1001))
    np.testing.assert_allclose([s[0], s[-1]], [0, 1], atol=1e-9)
    np.testing.assert_allclose([*speed[[0, -1]], *acceleration[[0, -1]]], 0, atol=1e-6)
    assert (np.diff(s) > 0).all()


def test_its_forces_are_bounded_where_those_of_another_law_are_not(five_bar, crossing):
    model, t = gough.Model(five_bar), np.linspace(0, DOWN["duration"], 20_001)
    force = np.abs(model.actuator_force(*crossing.motion(t)))
    near = np.abs(t - crossing.times[0]) < 0.02
    assert np.nanmax(force[near]) < 2 * np.nanmax(force[~near])
    np.testing.assert_allclose(np.nanmax(force, axis=0), crossing.force, rtol=1e-3)
    assert crossing.usage == pytest.approx(crossing.force.max() / 8)  # N m
    assert studied("quintic").singularities[0].residual == pytest.approx(2.627, abs=1e-3)


def test_a_study_has_forces_all_along_a_motion_that_can_cross(crossing):
    results = studied(crossing.table)
    (point,) = results.singularities
    assert point.bounded
    assert point.time == pytest.approx(crossing.times[0], abs=1e-9)
    assert np.isfinite(results["force"]).all()
    assert results.summary["peak_force"].value == pytest.approx(crossing.force.max(), rel=1e-2)
    assert np.isnan(results.summary["peak_gravity_share"].value)
    assert results.warnings[0].startswith("the motion crosses 1 singular configuration, at 0.13")


def test_a_study_says_how_far_another_motion_is_from_crossing():
    results = studied("quintic")
    (point,) = results.singularities
    assert not point.bounded
    assert point.share > 0.9
    assert np.isnan(results.summary["peak_force"].value)
    assert "the actuators lack 2.627 N at 0.12853 s (99.8 %)" in results.warnings[0]


def test_crossings_come_back_from_disk(crossing, tmp_path):
    results = studied(crossing.table)
    results.save(tmp_path / "saved")
    assert gough.Results.load(tmp_path / "saved").singularities == results.singularities
    json.dumps(results.study)


def order_8(speed, acceleration):
    """The polynomial from rest at 0 to rest at 1, half-way at 0.5 with a speed and acceleration."""
    powers, rows = np.arange(9), []
    for x in (0.0, 0.5, 1.0):
        for rate in ([1] * 9, powers, powers * (powers - 1)):
            lowered = np.maximum(powers - len(rows) % 3, 0)
            rows.append(rate * x**lowered)
    wanted = [0, 0, 0, 0.5, speed, acceleration, 1, 0, 0]
    return np.linalg.solve(np.array(rows, dtype=float), wanted)


def test_a_sample_at_the_singular_pose_has_the_limit_of_forces():
    """A hexapod turned through 90 deg, where it is singular, at half of its time: a sample."""
    robot = gough.load("demo-hexapod")
    model, duration, speed = gough.Model(robot), 0.6, 1.6
    ends = np.radians([30.0, 150.0])
    pose = gough.pose(robot.home[:3], rpy=[0, 0, ends.mean()])
    slope = np.array([0, 0, 0, 0, 0, np.ptp(ends)])
    twist = slope * speed / duration
    without, with_one = (
        model.crossing_residual(pose, twist, slope * a / duration**2) for a in (0.0, 1.0)
    )
    law = order_8(speed, without / (without - with_one))
    way = " + ".join(f"({c!r})*(t/T)**{k}" for k, c in enumerate(law.tolist()))
    yaw = f"{float(ends[0])!r} + {float(np.ptp(ends))!r}*({way})"
    turn = {"kind": "expression", "duration": duration, "yaw": yaw}
    results = gough.run(data(motion=turn, tasks=[], samples=1001))
    (point,) = results.singularities
    assert point.bounded
    assert results.time[500] == pytest.approx(point.time, abs=1e-12)
    assert np.isnan(model.inverse_dynamics(results["pose"][500])).all()
    force = results["force"]
    around = (force[[499, 501]].sum(axis=0) * 4 - force[[498, 502]].sum(axis=0)) / 6
    np.testing.assert_allclose(force[500], around, rtol=1e-6)
    assert np.isfinite(results["joint_force"]).all()


def test_a_path_through_waypoints_is_crossed_as_well(five_bar):
    model = gough.Model(five_bar)
    places = [[0, 0.16, 0], [0.01, 0.1, 0], [0, 0.04, 0]]
    poses = [model.possible_pose(gough.pose(p, rpy=[0, 0, -0.7])).pose for p in places]
    found = gough.crossing_motion(five_bar, waypoints([0, 1, 2], poses), 0.25)
    assert found.motion.duration == 0.25
    np.testing.assert_allclose(found.motion(0.25).pose, poses[-1], atol=1e-9)
    assert model.crossing_share(*found.motion(found.times[0])) < 1e-9


def test_a_machine_that_carries_no_weight_crosses_as_slowly_as_it_likes():
    """The 3-RRR lies in a plane: all that escapes is its own turning, which it may stop doing."""
    frictionless = {"leg.motor.damping": 0.0, "leg.motor.friction": 0.0}
    robot = gough.load("planar-3rrr").replace(frictionless)
    turn = rotation(robot.home, [0, 0, 1], [0, 0, 0], np.radians([-60, 60]), Quintic(1.0))
    slow, fast = (gough.crossing_motion(robot, turn, duration) for duration in (20.0, 10.0))
    assert gough.Model(robot).crossing_share(*slow.motion(slow.times[0])) < 1e-9
    np.testing.assert_allclose(4 * slow.force, fast.force, rtol=1e-3)


def test_the_half_turn_of_baiges_is_crossed_twice_while_it_cuts():
    """Singular at -64.1 and 64.1 deg: there the hexapod must brake, and hurry, by itself."""
    study = gough.Study.load(ROOT / "studies/baiges-half-turn.toml").variant(0)
    found = gough.crossing_motion(study.robot, study.motion, 15.0, tasks=study.tasks)
    model = gough.Model(study.robot)
    turned = np.degrees(2 * np.arctan2(found.poses[:, 4], found.poses[:, 3]))
    np.testing.assert_allclose(turned, [-64.07, 64.07], atol=0.01)
    assert model.singularity(found.poses).parallel.max() < 1e-9
    assert (found.profile(np.linspace(0, 15, 20_001)[1:-1]).speed > 0).all()
    results = gough.run(replace(study, motion=found.motion))
    assert [point.bounded for point in results.singularities] == [True, True]
    np.testing.assert_allclose([point.time for point in results.singularities], found.times)
    assert found.force.max() == pytest.approx(2515, rel=0.01)  # N; weight 667 N, cut 890 N


@pytest.mark.parametrize("duration", [5.0, 1e4])
def test_a_slow_crossing_hurries_where_it_must(five_bar, crossing, duration):
    """What falls by itself cannot be slow there, however long the motion takes."""
    slow = gough.crossing_motion(five_bar, motion_from_dict(DOWN, five_bar), duration, max_force=2)
    speeds = [found.profile(found.times).speed[0] for found in (crossing, slow)]
    assert speeds[1] > 0.3 * speeds[0]
    assert slow.force.max() < 1.001 * crossing.force.max()
    assert gough.Model(five_bar).crossing_share(*slow.motion(slow.times[0])) < 1e-9


def test_damping_and_tasks_over_time_are_crossed_as_they_are(five_bar):
    """Neither is linear in the square of the pace."""
    path = motion_from_dict(DOWN, five_bar)
    force = gough.motion.Sinusoidal(force=[0, 2.0, 0], frequency=3.0)
    found = gough.crossing_motion(five_bar, path, 0.4, tasks=[force])
    (t,) = found.times
    moved = found.motion(t)
    wrench = [0, 2 * np.sin(6 * np.pi * t), 0, 0, 0, 0]
    assert gough.Model(five_bar).crossing_share(*moved, wrench) < 1e-9


def test_what_cannot_be_crossed_is_refused(five_bar):
    path = motion_from_dict(DOWN, five_bar)
    with pytest.raises(GoughError, match=r"at best; expected at most 0.5: another duration"):
        gough.crossing_motion(five_bar, path, 0.25, max_force=0.5)
    with pytest.raises(GoughError, match="max_force is 'much'; expected one number or 2, above 0"):
        gough.crossing_motion(five_bar, path, 0.25, max_force="much")
    up = line(five_bar.home, [0, 0.05, 0], Quintic(1.0))
    with pytest.raises(GoughError, match="crosses no parallel singularity"):
        gough.crossing_motion(five_bar, up, 0.25)
