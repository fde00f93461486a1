"""`gough pose ik` and `gough pose fk`: one is the other's inverse, and errors are words."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gough.cli.command_group import app
from gough.errors import GoughError


def run(*arguments):
    """What the command printed; GoughError as it is, other failures as they are."""
    result = CliRunner().invoke(app, ["pose", *map(str, arguments)])
    if isinstance(result.exception, GoughError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def data(*arguments):
    return json.loads(run(*arguments, "--json"))


def test_ik_and_fk_are_inverse_to_each_other():
    at = data("ik", "demo-hexapod", "--position", 0, 0, 1, "--rpy", 0, 10, 0, "--degrees")
    assert at["within_stroke"] == [True] * 6
    back = data("fk", "demo-hexapod", "--lengths", *at["leg_lengths"])
    np.testing.assert_allclose(back["pose"], at["pose"], atol=1e-14)
    assert back["status"] == "converged"
    assert back["residual"] < 1e-14


@pytest.mark.parametrize(
    "pose",
    [(0, 0, 1.03, 0, 0, 0), (0.012345678, -0.023456789, 1, 1.2345678, -2.3456789, -3.4567891)],
)
def test_fk_prints_a_pose_in_lines_of_its_own_without_rounding(pose):
    at = data("ik", "demo-hexapod", "--position", *pose[:3], "--rpy", *pose[3:], "--degrees")
    text = run("fk", "demo-hexapod", "--lengths", *at["leg_lengths"])
    shown = {line[:18].strip(): line[18:].split() for line in text.splitlines()}
    assert [float(x) for x in shown["position"][:3]] == pytest.approx(pose[:3], rel=1e-8)
    assert [float(x) for x in shown["quaternion"][:4]] == pytest.approx(at["pose"][3:], abs=5e-9)
    assert [float(x) for x in shown["roll, pitch, yaw"][:3]] == pytest.approx(pose[3:], rel=1e-8)
    assert shown["quaternion"][4:] == ["w", "x", "y", "z"]
    assert all(shown["position"][k] == "0" for k in range(3) if pose[k] == 0)
    assert all(shown["roll, pitch, yaw"][k] == "0" for k in range(3) if pose[3 + k] == 0)


def test_angles_are_radians_unless_said_otherwise():
    poses = [
        data("ik", "demo-hexapod", "--rpy", *rpy)["pose"]
        for rpy in ((0, "0.1", 0), (0, "5.729577951308232", 0, "--degrees"), (0, "0.1 rad", 0),
                    (0, "0.1 rad", 0, "--degrees"), (0, "5.729577951308232 deg", 0))
    ]  # fmt: skip
    for pose in poses[1:]:
        np.testing.assert_allclose(pose, poses[0], atol=1e-15)


def test_ik_is_at_home_if_no_pose_is_given_and_takes_units():
    home = data("ik", "kalani-2016")
    assert home["pose"] == [0, 0, 1, 1, 0, 0, 0]
    assert home["within_stroke"] == [None] * 6
    assert data("ik", "kalani-2016", "--position", 0, 0, "100 cm") == home


def test_ik_says_which_legs_are_outside_their_strokes():
    text = run("ik", "demo-hexapod", "--position", 0.3, 0, 1.2)
    assert "outside its stroke" in text
    inside = data("ik", "demo-hexapod", "--position", 0.3, 0, 1.2)["within_stroke"]
    assert text.count("outside its stroke") == inside.count(False) > 0


def test_fk_shows_the_pose_in_words():
    text = run("fk", "kalani-2016", "--lengths", *["1200 mm"] * 6)
    for words in ("position", "quaternion", "roll, pitch, yaw", "deg", "converged"):
        assert words in text


def test_fk_starts_from_a_guess():
    lengths = data("ik", "kalani-2016")["leg_lengths"]
    below = data("fk", "kalani-2016", "--lengths", *lengths, "--guess", 0, 0, -1)
    np.testing.assert_allclose(below["pose"][:3], [0, 0, -1], atol=1e-14)
    turned = data(
        "fk", "kalani-2016", "--lengths", *lengths, "--guess-rpy", 5, 0, 0, "--degrees",
        "--method", "third-order",
    )  # fmt: skip
    np.testing.assert_allclose(turned["pose"], [0, 0, 1, 1, 0, 0, 0], atol=1e-14)


def test_fk_notes_what_speaks_against_a_pose():
    lengths = data("ik", "demo-hexapod", "--position", 0, 0, 1.4)["leg_lengths"]
    assert data("fk", "demo-hexapod", "--lengths", *lengths)["status"] == "outside_stroke"
    assert "outside the strokes" in run("fk", "demo-hexapod", "--lengths", *lengths)


def test_fk_without_a_pose_is_an_error():
    with pytest.raises(GoughError, match="kalani-2016: no pose has these leg lengths"):
        run("fk", "kalani-2016", "--lengths", 1, 1, 1, 1, 1, 9)


SIX = ("--lengths", "1", "1", "1", "1", "1", "1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--lengths", "1", "1"], "'--lengths' requires 6 arguments; see 'gough pose fk --help'"),
        (["--lengths", "1", "1", "1", "1", "1", "x"], "for '--lengths'"),
        (["--lengths", "1", "1", "1", "1", "1", "1 kg"], "for '--lengths': \"1 kg\" is a mass"),
        ([*SIX, "--guess", "0", "0", "nan"], "for '--guess'"),
        ([*SIX, "--guess-rpy", "nan", "0", "0"], "for '--guess-rpy'"),
        ([*SIX, "--start", "there"], "'there' is not one of 'home', 'neural'"),
    ],
)
def test_wrong_options_are_named(gough, arguments, words):
    assert words in gough("pose fk", "kalani-2016", *arguments).complaint(2)


def test_fk_takes_the_neural_start(quick):
    lengths = data("ik", "kalani-2016")["leg_lengths"]
    found = data("fk", "kalani-2016", "--lengths", *lengths, "--start", "neural")
    np.testing.assert_allclose(found["pose"], [0, 0, 1, 1, 0, 0, 0], atol=1e-14)


@pytest.mark.parametrize(
    "command",
    ["pose ik demo-hexapod --rpy 0 {} 0", "pose fk delta --joints {} 0 0"],
)
def test_a_bare_angle_of_more_than_a_turn_asks_for_degrees(gough, command):
    words = command.format(10).split()
    assert "did you mean 10 deg?" in gough(" ".join(words[:2]), *words[2:]).complaint(2)
    for angle in ("10deg", "0.1745", "6.28"):
        words = command.format(angle).split()
        assert gough(" ".join(words[:2]), *words[2:]).code in (0, 1)


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("control tune delta --frequency 6Hz --period 1ms", "--frequency 6 --period 0.001"),
        ("select demo-hexapod STUDY --life 1day", "--life 24"),
        ("elastic vibration demo-hexapod --base-excitation 0.06kHz", "--base-excitation 60"),
    ],
)
def test_quantities_take_units_wherever_a_number_does(gough, words, same):
    study = str(Path(__file__).parents[2] / "studies" / "demo-machining.toml")
    group, *rest = words.replace("STUDY", study).split()
    plain = rest[: next(k for k, word in enumerate(rest) if word.startswith("--"))] + same.split()
    one, other = (gough(group, *line, "--json") for line in (rest, plain))
    assert one.code == 0, one.err
    assert one.out == other.out
