"""`gough pose assemblies`: tables, plain data, figures, errors."""

import json
import re

import pytest
from typer.testing import CliRunner

import gough
from gough.cli.command_group import app

pytestmark = pytest.mark.usefixtures("wide")


def run(*arguments):
    return CliRunner().invoke(app, ["pose", "assemblies", *map(str, arguments)])


def test_the_table_lists_all_modes():
    done = run("dietmaier-1998")
    assert done.exit_code == 0
    assert "40 real of 40 complex solutions; 40 certified" in done.stdout
    assert "proved complete among all poses" in done.stdout


def test_zero_has_no_sign():
    text = run("kalani-2016").stdout
    assert "0.0000" in text
    assert not re.search(r"-0\.0+\s", text)


def test_lengths_may_have_units_and_data_are_plain():
    legs = ("1200 mm", "1.2", "1.2", "1.2", "1.2", "120 cm")
    done = run("kalani-2016", "--lengths", *legs, "--json")
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    assert data["q"] == [1.2] * 6
    assert len(data["poses"]) == len(data["certified"]) == 8
    assert data["n_complex"] == 28
    assert data["n_lost"] == 0


def test_a_drawing_is_saved(tmp_path):
    file = tmp_path / "modes.png"
    done = run("kalani-2016", "--plot", file)
    assert done.exit_code == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert "figure saved" in done.stdout


def test_nothing_is_drawn_where_there_is_no_pose(tmp_path):
    file = tmp_path / "none.png"
    done = run("kalani-2016", "--lengths", 1.2, 0.8, 1.7, 1.7, 1.3, 1.2, "--plot", file)
    assert isinstance(done.exception, gough.GoughError)
    assert "no pose with these leg lengths" in str(done.exception)
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "no-such-folder/modes.png"], "cannot be written"),
        (["--lengths", *"111119"], "cannot have lengths"),
    ],
)
def test_errors_say_what_is_wrong(arguments, message):
    done = run("kalani-2016", *arguments)
    assert isinstance(done.exception, gough.GoughError)
    assert message in str(done.exception)


def test_wrong_options_are_named():
    assert run("kalani-2016", "--plot", "modes.gif").exit_code == 2
    assert run("kalani-2016", "--lengths", "1 kg", *"11111").exit_code == 2


def test_what_is_not_proved_is_said_with_its_reason():
    text = run("kalani-2016").stdout
    assert "all forty complex solutions accounted for: 28 certified, 12 at infinity" in text
    assert "not proved complete among all poses: which solutions are at infinity is" in text
    assert json.loads(run("kalani-2016", "--json").stdout)["caveats"] != []
    assert json.loads(run("dietmaier-1998", "--json").stdout)["caveats"] == []


def test_limits_are_mentioned_only_where_a_robot_has_any():
    assert sum(json.loads(run("demo-hexapod", "--json").stdout)["within_limits"]) == 1
    assert json.loads(run("dietmaier-1998", "--json").stdout)["within_limits"] is None


def test_a_platform_that_can_move_is_told_to(tmp_path):
    """Six parallel legs of one length."""
    joints = [[0, 0, 0], [1, 0.1, 0.3], [0.2, 1, -0.4], [-0.8, 0.3, 0.1], [0.3, -1, 0], [1, 1, 0.7]]
    robot = {
        "schema": "gough/1",
        "name": "parallel legs",
        "platform": {"mass": 1, "inertia": [1, 1, 1], "home": {"position": [0, 0, 1]}},
        "leg": {"kind": "SPS"},
        "legs": [{"base": joint, "platform": joint} for joint in joints],
    }
    file = tmp_path / "robot.json"
    file.write_text(json.dumps(robot))
    text = run(file).stdout
    assert "self-motion" in text
    assert (
        "not proved complete among all poses: the platform can move with these legs fixed" in text
    )
    data = json.loads(run(file, "--json").stdout)
    assert data["self_motion"][0]
    assert not data["complete"]
    assert data["n_complex"] + data["n_infinite"] + data["n_lost"] == 40
