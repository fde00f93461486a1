"""`gough workspace`, `gough pose singularity`: the library's numbers, pictures, errors as words."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from gough.cli.command_group import app
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import possible_pose
from gough.kinematics.singularity.singularity import singularity as measure
from gough.kinematics.workspace import workspace as library
from gough.kinematics.workspace.reach import Limits
from gough.kinematics.workspace.workspace import (
    constant_orientation_workspace,
    orientation_workspace,
    workspace_overview,
)

GROUP = {"volume": "workspace", "singularity": "pose"}


def invoke(command, *arguments):
    result = CliRunner().invoke(app, [GROUP[command], command, *map(str, arguments)])
    if isinstance(result.exception, GoughError):
        raise result.exception
    return result


def run(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def data(*arguments):
    return json.loads(run(*arguments, "--json"))


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("demo-hexapod"))


def test_the_table_shows_what_the_library_finds(hexapod):
    arguments = (
        "volume",
        "demo-hexapod",
        "--rpy",
        5,
        0,
        0,
        "--degrees",
        "--relative-error",
        0.02,
    )
    pose = gough.pose(hexapod.robot.home[:3], rpy=[5, 0, 0], degrees=True)
    found = constant_orientation_workspace(hexapod, pose, tolerance=0.02)
    shown = data(*arguments)
    assert shown["volume"] == found.volume
    assert shown["volume_error"] == found.volume_error
    along, about = (part.distances for part in hexapod.travel(pose).parts)
    np.testing.assert_array_equal(shown["travel"], along)
    np.testing.assert_array_equal(shown["rotation"]["travel"], about)
    assert shown["rotation"]["limited_by"][0] == ["stroke", "stroke"]
    text = workspace_overview(hexapod, pose, tolerance=0.02).report()
    for number in (
        found.volume,
        found.inscribed,
        along[0, 1],
        math.degrees(about[2, 0]),
    ):
        assert f"{number:.4g}" in text
    assert f"{found.volume:.5g} ± {found.volume_error:.1g}" in text


def test_orientations_at_a_position_with_limits_left_out(hexapod):
    shown = data(
        "volume", "demo-hexapod", "--orientation", "--position", 0, 0, "95 cm",
        "--ignore", "stroke", "--ignore", "platform-joint", "--relative-error", 0.05,
    )  # fmt: skip
    limits = Limits(families=("base joint", "clearance", "singularity"))
    pose = [0, 0, 0.95, 1, 0, 0, 0]
    assert shown["centre"] == pose
    expected = orientation_workspace(hexapod, pose, limits=limits, tolerance=0.05)
    assert shown["volume"] == expected.volume
    assert shown["unit"] == "rad"


@pytest.mark.parametrize(
    ("cut", "axes", "fixed"),
    [
        ("z=0.9", ["x", "y"], ("z", 0.9)),
        ("x = 5 cm", ["y", "z"], ("x", 0.05)),
        ("yaw=10deg", ["roll", "pitch"], ("yaw", math.radians(10))),
        ("pitch=0.1", ["roll", "yaw"], ("pitch", 0.1)),
    ],
)
def test_slices_keep_one_coordinate(cut, axes, fixed):
    shown = data("volume", "demo-hexapod", "--slice", cut)
    assert shown["axes"] == axes
    assert shown["fixed"][fixed[0]] == pytest.approx(fixed[1], rel=1e-12)
    assert shown["area"] > 0


def test_angles_may_be_typed_in_degrees():
    shown = data("volume", "demo-hexapod", "--slice", "yaw=10", "--degrees")
    assert shown["fixed"]["yaw"] == pytest.approx(math.radians(10), rel=1e-12)


@pytest.fixture
def few_rays(monkeypatch):
    """Coarse grids, for what is shown and not how exactly."""
    for name, value in (("_COARSEST", 4), ("_SHOWN", 8), ("_ROUNDS", 1)):
        monkeypatch.setattr(library, name, value)


MACHINES = (
    *("agile-eye", "five-bar", "four-post", "hexaglide", "knee", "kossel", "planar-3rrr"),
    "tricept",
)
"""With different degrees of freedom, or more motors than those."""


@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_is_shown_in_its_own_freedoms(name, few_rays):
    shown = workspace_overview(gough.Model(gough.load(name)), tolerance=0.9).to_dict()
    parts = [shown, *([shown["rotation"]] if "rotation" in shown else [])]
    freedoms = [freedom for part in parts for freedom in part["degrees_of_freedom"]]
    assert freedoms == list(gough.Model(gough.load(name)).structure.degrees_of_freedom)
    for part in parts:
        assert part["unit"] == ("rad" if part["degrees_of_freedom"][0].startswith("r") else "m")
        assert (
            np.shape(part["travel"])
            == np.shape(part["limited_by"])
            == (len(part["degrees_of_freedom"]), 2)
        )
        assert (np.array(part["travel"]) > 0).all()
    ways = {freedom for freedom in freedoms if freedom in "xyz"}
    assert ("area" in shown) == (len(ways) == 2)
    assert ("volume" in shown) == (len(ways) == 3 or freedoms == ["rx", "ry", "rz"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("five-bar", ["area", "inscribed disc", "moves in x y: this is the area"]),
        ("tripod-3rps", ["negative [m]", "about y", "this is its travel"]),
    ],
)
def test_what_is_shown_of_a_machine_is_said(name, words, few_rays):
    found = workspace_overview(gough.Model(gough.load(name)), tolerance=0.9)
    text = found.report()
    assert all(word in text for word in words)


def test_a_machine_is_shown_in_the_pose_that_it_can_take(few_rays):
    asked = ("--position", 0.05, 0.3, 0.2, "--relative-error", 0.9)
    model = gough.Model(gough.load("five-bar"))
    taken = possible_pose(model, gough.pose([0.05, 0.3, 0.2])).pose
    np.testing.assert_allclose(data("volume", "five-bar", *asked)["centre"], taken, atol=1e-9)
    assert "off by 0  0  0.2 m" in run("volume", "five-bar", *asked)


@pytest.mark.parametrize(
    ("arguments", "axes", "units"),
    [
        (["planar-3rrr", "--slice", "rz=0.1"], ["x", "y"], ["m", "m"]),
        (["planar-3rrr", "--slice", "x=1 cm"], ["y", "yaw"], ["m", "rad"]),
        (["planar-3rrr", "--axes", "x", "rz"], ["x", "rz"], ["m", "rad"]),
        (["tripod-3rps", "--slice", "ry=5deg"], ["z", "roll"], ["m", "rad"]),
        (["five-bar", "--axes", "y", "x"], ["y", "x"], ["m", "m"]),
        (["demo-hexapod", "--slice", "z=0.95", "--axes", "x", "yaw"], ["x", "yaw"], ["m", "rad"]),
    ],
)
def test_slices_between_any_two_freedoms(arguments, axes, units):
    shown = data("volume", *arguments)
    assert (shown["axes"], shown["units"]) == (axes, units)
    assert shown["area"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["delta", "--slice", "yaw=0.1"], "not in rz"),
        (["h4", "--slice", "rz=0.1"], "x, y, z remain"),
        (["delta", "--slice", "z=-1", "--axes", "z", "x"], "z is fixed"),
    ],
)
def test_slices_that_are_not_clear_are_refused(gough, arguments, message):
    assert message in gough("workspace volume", *arguments).complaint()


@pytest.mark.parametrize("name", ["five-bar", "tricept"])
def test_pictures_of_machines_without_a_volume_are_their_slices(name, tmp_path, few_rays, coarse):
    run("volume", name, "--relative-error", 0.9, "--plot", tmp_path / "w.png")
    assert (tmp_path / "w.png").read_bytes().startswith(b"\x89PNG")


def test_pictures_are_saved(tmp_path, few_rays, coarse):
    for extra in (["--slice", "z=0.95"], ["--relative-error", 0.2]):
        file = tmp_path / f"{extra[0]}.png"
        assert str(file) in run("volume", "demo-hexapod", *extra, "--plot", file).replace("\n", "")
        assert file.read_bytes().startswith(b"\x89PNG")
    assert len(list(tmp_path.iterdir())) == 2


def test_an_interruption_leaves_nothing_and_says_so(tmp_path, monkeypatch, gough):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gough.kinematics.workspace_overview", interrupted)
    done = gough("workspace volume", "demo-hexapod", "--plot", tmp_path / "w.png")
    assert done.complaint(130) == "gough: interrupted"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["volume", "kalani-2016"], "stroke"),
        (["volume", "kalani-2016", "--orientation"], "base_joint_limit"),
        (["singularity", "no-such-robot"], "no-such-robot"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, message):
    with pytest.raises(GoughError, match=message):
        invoke(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--slice", "q=1"], "as in z=0.9"),
        (["--slice", "z"], "as in z=0.9"),
        (["--slice", "z=1 lb"], "for '--slice': \"1 lb\" is a mass"),
        (["--slice", "z=1", "--orientation"], "not with --orientation"),
        (["--ignore", "wind"], "for '--ignore': unknown limit 'wind'; expected one of"),
        (["--position", "0", "0", "a"], "'--position'"),
        (["--rpy", "0", "0", "1 m"], "for '--rpy': \"1 m\" is a length"),
        (["--plot", "a.xyz"], "unknown kind of file"),
        (["--max-condition", "0.1"], "for '--max-condition': out of range, got 0.1"),
        (["--relative-error", "nan"], "for '--relative-error': out of range, got nan"),
    ],
)
def test_wrong_options_are_named(gough, arguments, message):
    assert message in gough("workspace volume", "demo-hexapod", *arguments).complaint(2)


def test_singularity_shows_what_the_library_finds():
    arguments = ("singularity", "kalani-2016", "--rpy", 0, 0, "85deg")
    model = gough.Model(gough.load("kalani-2016"))
    expected = measure(model, gough.pose([0, 0, 1], rpy=[0, 0, 85], degrees=True))
    shown = data(*arguments)
    assert shown["determinant"] == pytest.approx(float(expected.determinant), rel=1e-12)
    assert shown["parallel"] == pytest.approx(float(expected.parallel), rel=1e-12)
    assert shown["pitch"] == pytest.approx(float(expected.pitch), rel=1e-9)
    text = run(*arguments)
    for number in (expected.condition, expected.parallel, expected.serial, expected.distance):
        assert f"{float(number):.4g}" in text


def test_plain_data_have_null_for_what_is_not_a_number():
    leg = gough.load("kalani-2016").legs[0]
    place = np.array(leg.base) - leg.platform
    shown = data("singularity", "kalani-2016", "--position", *place)
    assert shown["determinant"] is None
    assert shown["serial"] == 0
