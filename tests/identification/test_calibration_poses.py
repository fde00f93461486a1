"""Poses to calibrate at, and the files that go to the machine and come back from it."""

import numpy as np
import pytest

import gough
from gough.identification import (
    MeasuredDistances,
    MeasuredOrientations,
    MeasuredPoints,
    MeasuredPoses,
    MeasuredPositions,
    load_measurements,
    save_pose_table,
)
from gough.identification.calibration.found import workspace_poses
from gough.identification.calibration.unknowns import unknowns_of
from gough.kinematics import reachable

LENGTHS = ",".join(f"leg_length_{k} [mm]" for k in range(1, 7))
ROW = "960,961,962,963,964,965"


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


def information(robot, poses):
    """The logarithm of det JᵀJ, and the rms sigma of the parameters [m]."""
    unknowns = unknowns_of(gough.Model(robot), None, None, ())
    J = unknowns.slopes(unknowns.prior, poses) / np.repeat([15e-6, 20e-6], 3)[:, None]
    J = J.reshape(-1, J.shape[-1])
    return np.linalg.slogdet(J.T @ J)[1], np.sqrt(np.diag(np.linalg.inv(J.T @ J)).mean())


def test_chosen_poses_tell_more_than_random_ones_and_are_within_all_limits(robot):
    chosen = gough.calibration_poses(robot, 20, candidates=400)
    assert chosen.shape == (20, 7)
    assert reachable(gough.Model(robot), chosen).all()
    assert len(np.unique(chosen, axis=0)) == 20
    told, sigma = information(robot, chosen)
    random = [information(robot, workspace_poses(robot, 20, rng=k)) for k in range(1, 6)]
    assert told > max(r[0] for r in random)
    assert sigma < np.mean([r[1] for r in random]) / 1.5


def test_no_single_exchange_makes_the_choice_better(robot):
    """Tried with poses that were to choose from."""
    chosen = gough.calibration_poses(robot, 12, candidates=60)
    others = workspace_poses(robot, 60, rng=0)
    told, _ = information(robot, chosen)
    for k in range(0, 12, 4):
        for other in others[::6]:
            changed = chosen.copy()
            changed[k] = other
            assert information(robot, changed)[0] <= told + 1e-4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"count": 6}, "expected at least 7: 42 combinations of 42"),
        ({"count": 20, "measured": "colour"}, "expected one of pose, position"),
        ({"count": 0}, "expected a whole number"),
        ({"count": 50, "candidates": 40}, "at most as many as candidates"),
        ({"count": 20, "sigma": 0.0}, "expected numbers above 0"),
    ],
)
def test_choices_that_cannot_be_are_refused(robot, arguments, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.calibration_poses(robot, **({"candidates": 60} | arguments))


def test_poses_come_back_from_their_file(robot, tmp_path):
    poses = workspace_poses(robot, 5, rng=3)
    readings = gough.Model(robot).readings(poses)
    save_pose_table(robot, readings, poses, tmp_path / "poses.csv")
    again = load_measurements(tmp_path / "poses.csv", robot, sigma=1e-5, angle_sigma=1e-5)
    assert isinstance(again, MeasuredPoses)
    np.testing.assert_allclose(again.readings, readings, rtol=1e-15)
    assert gough.poses.distance(again.poses, poses).max() < 1e-12


@pytest.mark.parametrize(
    ("columns", "row", "kind"),
    [
        ("x [mm],y [mm],z [mm]", "1,2,990", MeasuredPositions),
        ("roll [deg],pitch [deg],yaw [deg]", "1,2,3", MeasuredOrientations),
        ("qw,qx,qy,qz", "1,0,0,0", MeasuredOrientations),
        ("x [m],y [m],z [m],qw,qx,qy,qz", "0,0,1,1,0,0,0.1", MeasuredPoses),
        ("distance [mm],work_x,work_y,work_z,tool_x,tool_y,tool_z", "900,0,0,0,0,0,0",
         MeasuredDistances),
    ],
)  # fmt: skip
def test_columns_say_what_was_measured(robot, tmp_path, columns, row, kind):
    file = tmp_path / "measured.csv"
    file.write_text(f"# a comment\n{LENGTHS},{columns}\n{ROW},{row}\n")
    found = load_measurements(file, robot, sigma=1e-5, angle_sigma=2e-5)
    assert type(found) is kind
    np.testing.assert_allclose(found.readings, [[0.960, 0.961, 0.962, 0.963, 0.964, 0.965]])


def test_markers_are_read_with_where_they_are(robot, tmp_path):
    file = tmp_path / "measured.csv"
    file.write_text(f"{LENGTHS},marker_1_x [mm],marker_1_y,marker_1_z\n{ROW},300,0,1\n")
    found = load_measurements(file, robot, sigma=1e-5, markers=[[0.3, 0, 0.01]])
    assert type(found) is MeasuredPoints
    np.testing.assert_allclose(found.points, [[[0.3, 0, 1]]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{LENGTHS}\n{ROW}", "measured.csv: nothing was measured"),
        (f"{LENGTHS},x,y\n{ROW},1,2", 'no column "z"'),
        (f"{LENGTHS},x,y,z\n{ROW},1,2,3", "no sigma; expected the standard deviation"),
        ("leg_length_1,x,y,z\n1,1,2,3", 'no column "leg_length_2"'),
        (f"{LENGTHS},u\n{ROW},1", r'unknown column "u".*columns like leg_length_1 \[m\]'),
    ],
)
def test_files_that_say_too_little_are_refused(robot, tmp_path, text, words):
    file = tmp_path / "measured.csv"
    file.write_text(text)
    with pytest.raises(gough.GoughError, match=words):
        load_measurements(file, robot)
