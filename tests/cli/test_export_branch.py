"""Exports in another branch than that of the home configuration."""

import json

import numpy as np
import pytest

import gough as library
from gough.errors import RobotError
from gough.exchange import export_machine


@pytest.fixture
def five_bar():
    """Its right motor turns farther than the library's, so that it can stand in both branches."""
    given = library.load("five-bar").to_dict()
    given["joints"][2]["range"] = [-0.4, 3.0]
    return library.Robot.from_dict(given)


def test_a_machine_is_exported_in_the_branch_that_is_given(succeeds, tmp_path, five_bar):
    file = tmp_path / "five-bar.json"
    file.write_text(json.dumps(five_bar.to_dict()))
    succeeds("export machine", file, "--to", "firmware", "--branch", "-1", "-o", tmp_path)
    text = (tmp_path / "five_bar_ik" / "five_bar_ik.c").read_text()
    _, _, rest = text.partition("home_positions[N] = {")
    home = [float(x) for x in rest.partition("}")[0].split(",")]
    model = library.Model(five_bar, branch=[-1])
    np.testing.assert_allclose(home, model.inverse_kinematics(np.array(model.robot.home)))


@pytest.mark.parametrize("to", ["firmware", "linuxcnc", "ros2-node", "mjcf"])
def test_a_branch_in_which_a_motor_would_stand_outside_its_range_is_refused(to, tmp_path):
    robot = library.Model(library.load("delta"), branch=[-1, 1, 1]).robot
    words = "hip-1 in its range, -45 to 80 deg: at home it is at -171.4 deg"
    with pytest.raises(RobotError, match=words):
        export_machine(robot, tmp_path, to)
    assert not [*tmp_path.iterdir()]


def test_branches_that_a_machine_does_not_have_are_refused(gough, tmp_path):
    for robot, words in (("demo-hexapod", "has one branch"), ("five-bar", "branch")):
        done = gough("export machine", robot, "--to", "mjcf", "--branch", "1", "7", "-o", tmp_path)
        assert words in done.complaint()
    assert not [*tmp_path.iterdir()]
