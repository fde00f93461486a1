"""Singular configurations on a motion: found with their times, and no forces shown there."""

import json

import numpy as np
import pytest
from study_samples import data

import gough
from gough.analysis.singular import encounters
from gough.kinematics.singularity.crossings import crossings
from gough.studies.run import run
from gough.studies.study import Study

HALF_TURN = {
    "kind": "rotation",
    "frame": "platform",
    "axis": [1, 0, 0],
    "point": [0, 0, "0.5 ft"],
    "angle": ["-90 deg", "90 deg"],
    "profile": "cosine",
    "duration": 15,
}


@pytest.fixture(scope="module")
def half_turn():
    return run(data(robot="baiges-1996", motion=HALF_TURN, tasks=[], samples=301))


def test_crossings_are_where_the_kinematics_room_finds_them(half_turn):
    study = Study.from_dict(data(robot="baiges-1996", motion=HALF_TURN, tasks=[]))
    model = gough.Model(study.robot)
    found = crossings(model, lambda t: study.motion(t).pose, (0.0, 15.0), samples=101)
    times = [p.time for p in half_turn.singularities]
    assert times == pytest.approx(found.crossing_times, abs=1e-9)
    assert {p.kind for p in half_turn.singularities} == {"crossed"}
    for point in half_turn.singularities:
        assert abs(np.linalg.det(model.jacobian(point.pose))) < 1e-9


def test_no_force_is_shown_next_to_a_singularity(half_turn):
    first = half_turn.singularities[0].time
    near = np.abs(half_turn.time - first) <= half_turn.time[1]
    assert near.sum() == 2
    for name in ("force", "power", "gravity_share", "joint_force"):
        assert np.isnan(half_turn[name][near]).all()
    assert np.isfinite(half_turn["leg_length"]).all()
    assert np.isfinite(half_turn["force"][100:200]).all()


def test_figures_of_forces_are_no_numbers_then(half_turn):
    for name in ("peak_force", "rms_force", "energy_spent", "peak_total_power", "peak_joint_force"):
        assert np.isnan(half_turn.summary[name].value)
        assert half_turn.summary[name].leg is None
    assert np.isfinite(half_turn.summary["peak_leg_speed"].value)


def test_figures_without_a_number_are_null_on_disk_and_come_back(half_turn, tmp_path):
    half_turn.save(tmp_path / "saved")
    for file in (tmp_path / "saved").glob("*.json"):
        json.loads(file.read_text(), parse_constant=pytest.fail)
    again = gough.Results.load(tmp_path / "saved")
    assert np.isnan(again.summary["peak_force"].value)
    assert np.isnan(again.summary["peak_force"].per_leg).all()


def test_singularities_are_the_first_warning(half_turn):
    assert half_turn.warnings[0].startswith("the motion meets 2 singular configurations, at 3.717")


def test_a_motion_that_is_only_ill_conditioned_is_warned_of():
    almost = {"kind": "hold", "duration": 1, "start": {"position": [0, 0, 0.002]}}
    found = run(data(robot="kalani-2016", motion=almost, tasks=[], samples=3))
    assert not found.singularities
    assert "comes near a singular configuration" in found.warnings[0]


def pose_at(t):
    """Down to height zero at t = 1, where all legs lie in one plane, and further as t goes on."""
    return np.array([0.0, 0.0, 1.0 - t, 1.0, 0.0, 0.0, 0.0])


def met_with(at, times):
    """What a motion of kalani-2016 meets, from its samples."""
    robot = gough.load("kalani-2016")
    model, poses = gough.Model(robot), np.array([at(t) for t in times])
    found = {
        "pose": poses,
        "determinant": np.linalg.det(model.jacobian(poses)),
        "leg_length": model.inverse_kinematics(poses),
    }
    parameters = gough.Model(robot, parametric=True).parameters
    return encounters(robot, parameters, at, np.asarray(times), found)


def found_with(at, times):
    return met_with(at, times).points


def test_a_sample_on_the_singularity_counts_once():
    points = found_with(pose_at, np.linspace(0, 2, 5))
    assert [(p.time, p.kind) for p in points] == [(pytest.approx(1.0, abs=1e-9), "crossed")]


def test_touching_without_crossing_is_found_between_samples():
    def touching(t):
        return pose_at(1 - (t - 1.03) ** 2)

    points = found_with(touching, np.linspace(0, 2, 21))
    assert [p.kind for p in points] == ["touched"]
    assert points[0].time == pytest.approx(1.03, abs=1e-3)


def test_two_crossings_between_two_samples_are_found():
    def twice(t):
        return pose_at(1 - ((t - 1.0) ** 2 - 0.02**2))

    points = found_with(twice, np.linspace(0, 2, 20))
    assert [p.time for p in points] == pytest.approx([0.98, 1.02], abs=1e-9)


def test_standing_on_a_singularity_counts_once():
    points = found_with(lambda t: pose_at(1.0), np.linspace(0, 2, 5))
    assert [(p.time, p.kind) for p in points] == [(0.0, "touched")]
    assert met_with(lambda t: pose_at(1.0), np.linspace(0, 2, 5)).lost.all()


def test_forces_are_masked_around_a_singularity_and_nowhere_else():
    times = np.linspace(0, 2, 2001)
    masked = met_with(pose_at, times).lost
    height = np.abs(1 - times)  # the condition number goes with 1 / height
    assert masked[height < 1e-3].all()
    assert not masked[height > 0.01].any()


def lowering(samples, **changes):
    """The platform goes down until all legs lie in the plane of the base, and stops there."""
    line = {"kind": "line", "displacement": [0, 0, -0.85], "duration": 1, **changes}
    return run(data(motion=line, tasks=[], samples=samples))


FLAT = {"position": [0, 0, 0.14]}


@pytest.mark.parametrize("samples", [101, 1001, 5003])
@pytest.mark.parametrize(
    ("changes", "when"), [({}, 1.0), ({"start": FLAT, "displacement": [0, 0, 0.85]}, 0.0)]
)
def test_a_motion_with_a_singular_end_is_singular_then_at_any_rate(samples, changes, when):
    found = lowering(samples, **changes)
    assert [(p.time, p.kind) for p in found.singularities] == [(when, "touched")]
    jacobian = gough.Model(found.robot).jacobian(found.singularities[0].pose)
    assert np.linalg.matrix_rank(jacobian) < 6
    force = np.abs(found["force"]).max(axis=1)
    assert np.nanmax(force) < 1e6
    lost = np.flatnonzero(np.isnan(force))
    assert len(lost) == lost[-1] - lost[0] + 1  # one stretch, with the singular end in it
    assert (found.time[lost] == when).any()
    assert len(lost) < 0.06 * samples


def test_touching_within_samples_that_have_no_sign_is_timed_between_them():
    def slowly(t):
        return pose_at(1 - 1e-6 * (t - 1.03) ** 2)

    for samples in (21, 57):
        points = found_with(slowly, np.linspace(0, 2, samples))
        assert [p.kind for p in points] == ["touched"]
        assert points[0].time == pytest.approx(1.03, abs=1e-3)


def test_the_least_determinant_of_a_crossing_is_zero_where_it_is_crossed():
    """Samples miss the zero between them."""
    turn = {"kind": "rotation", "axis": [0, 0, 1], "angle": 2.2, "duration": 3}
    found = run(data(motion=turn, samples=201))
    crossed = [point.time for point in found.singularities if point.kind == "crossed"]
    assert crossed
    assert np.abs(found["determinant"]).min() > 0
    least = found.summary["minimum_determinant"]
    assert (least.value, least.time) == (0.0, crossed[0])
