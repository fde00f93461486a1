"""Exports in another branch than that of the home configuration."""

import numpy as np

import gough as library


def test_a_machine_is_exported_in_the_branch_that_is_given(succeeds, tmp_path):
    succeeds("export machine", "five-bar", "--to", "firmware", "--branch", "-1", "-o", tmp_path)
    text = (tmp_path / "five_bar_ik" / "five_bar_ik.c").read_text()
    _, _, rest = text.partition("home_positions[N] = {")
    home = [float(x) for x in rest.partition("}")[0].split(",")]
    model = library.Model(library.load("five-bar"), branch=[-1])
    np.testing.assert_allclose(home, model.inverse_kinematics(np.array(model.robot.home)))


def test_branches_that_a_machine_does_not_have_are_refused(gough, tmp_path):
    for robot, words in (("demo-hexapod", "has one branch"), ("five-bar", "branch")):
        done = gough("export machine", robot, "--to", "mjcf", "--branch", "1", "7", "-o", tmp_path)
        assert words in done.complaint()
    assert not [*tmp_path.iterdir()]
