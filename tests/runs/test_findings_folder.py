"""What was identified, calibrated or selected comes into a folder, all of it or nothing."""

import json
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.identification import MeasuredPositions
from gough.runs import to_folder

RECORDED = Path(__file__).parents[2] / "studies" / "recorded.parquet"
MOTION = {"kind": "line", "displacement": [0, 0, 0.05], "duration": 1}
STUDY = {"schema": "gough-study/1", "name": "lift", "robot": "demo-hexapod", "motion": MOTION}


def identified():
    return gough.identify(gough.load("demo-hexapod"), RECORDED, legs="identical")


def calibrated():
    robot = gough.load("demo-hexapod")
    random = np.random.default_rng(1)
    poses = np.array(robot.home) + np.pad(random.uniform(-0.05, 0.05, (40, 3)), ((0, 0), (0, 4)))
    readings = gough.Model(robot).inverse_kinematics(poses)
    patterns = ["legs[*].length_offset"]
    measured = MeasuredPositions(readings, poses[:, :3], 1e-5)
    return gough.calibrate(robot, measured, parameters=patterns)


def selected():
    return gough.select("demo-hexapod", STUDY)


@pytest.mark.parametrize(
    ("found", "page"),
    [(identified, "report.html"), (calibrated, "calibration.png"), (selected, "report.html")],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_findings_come_into_a_folder_with_robot_numbers_and_page(found, page, tmp_path):
    thing = found()
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(gough.GoughError, match="not empty"):
        to_folder(thing, tmp_path)
    assert to_folder(thing, tmp_path, overwrite=True) is thing
    to_folder(thing, tmp_path)  # again
    names = {"robot.toml", "summary.json", "run.json", page, "mine.txt"}
    assert {path.name for path in tmp_path.iterdir()} == names
    expected = thing.robot_with(thing.choice.name) if found is selected else thing.robot
    assert gough.load(tmp_path / "robot.toml").legs == expected.legs
    assert set(json.loads((tmp_path / "summary.json").read_text())) == set(thing.to_dict())


def test_other_things_are_refused(tmp_path):
    with pytest.raises(gough.GoughError, match="has no folder; expected a study, a design"):
        to_folder(gough.load("demo-hexapod"), tmp_path)
