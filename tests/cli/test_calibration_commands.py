"""`gough identify geometry`, `gough identify poses`: from poses to measure at to a robot file."""

import json
from pathlib import Path

import pytest

import gough as library
from gough.identification import load_measurements

MEASURED = Path(__file__).parents[2] / "studies" / "measured.csv"
EXACT = ("--sigma", "15um", "--angle-sigma", "20urad")


def test_the_calibrated_robot_is_saved_and_fits_better(gough, tmp_path):
    file = tmp_path / "calibrated.toml"
    words = ("identify geometry", "demo-hexapod", MEASURED, *EXACT)
    done = json.loads(gough(*words, "--hold-out", "0.2", "-o", file, "--json").out)
    assert (done["rank"], len(done["parameters"])) == (42, 42)
    assert done["validation"]["rms"]["position_error"]["before"] > 1e-4
    assert done["validation"]["rms"]["position_error"]["after"] < 3e-5
    assert 5e-6 < done["pose_sigma"]["position"] < 15e-6
    robot = library.load(file)
    measured = load_measurements(MEASURED, robot, sigma=15e-6, angle_sigma=20e-6)
    assert library.calibrate(robot, measured).residuals.position_error[0] < 2e-5
    before = file.read_text()
    assert "is there already" in gough(*words, "-o", file).complaint()
    assert file.read_text() == before
    assert gough(*words, "-o", file, "--overwrite").code == 0
    assert file.read_text() != before


def test_what_was_found_is_shown_with_what_it_is_worth(gough, tmp_path):
    picture = tmp_path / "before-and-after.png"
    done = gough(
        "identify geometry",
        "demo-hexapod",
        MEASURED,
        *EXACT,
        "--unknown",
        "both",
        "--plot",
        picture,
    )
    assert "42 of 54" in done.out
    assert "work frame in the base" in done.out
    assert "warning 12 of 54" in done.out
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--sigma", "15um"), "no angle_sigma; expected the standard deviation of measured angles"),
        ((*EXACT, "--parameter", "legs[*].bas"), "did you mean legs"),
        ((*EXACT, "--marker", "1,2,3"), 'no column "marker_1_x"'),
    ],
)
def test_requests_that_cannot_be_done_are_refused(gough, options, words):
    assert words in gough("identify geometry", "demo-hexapod", MEASURED, *options).complaint()


@pytest.mark.parametrize("options", [("--marker", "1,2"), ("--sigma", "3 kg"), ("--hold-out", "3")])
def test_options_that_make_no_sense_are_refused(gough, options):
    assert options[0] in gough("identify geometry", "demo-hexapod", MEASURED, *options).complaint(2)


def test_poses_to_measure_at_are_a_file_of_measurements(gough, tmp_path):
    file = tmp_path / "poses.csv"
    words = ("identify poses", "demo-hexapod", "--count", "8", "-o", file)
    assert f"saved in {file}" in gough(*words).out
    assert "is there already" in gough(*words).complaint()
    exact = json.loads(gough("identify geometry", "demo-hexapod", file, *EXACT, "--json").out)
    assert max(abs(p["change"]) for p in exact["parameters"]) < 1e-12
    poses = json.loads(gough(*words[:4], "--json").out)
    assert len(poses["readings"]) == 8
    q = library.Model(library.load("demo-hexapod")).inverse_kinematics(poses["poses"])
    assert abs(q - poses["readings"]).max() < 1e-12
