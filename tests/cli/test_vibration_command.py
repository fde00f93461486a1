"""`gough elastic vibration`: tables, plain data, maps, errors."""

import json

import numpy as np
import pytest
from bending_arms import arm
from drawings import changed
from typer.testing import CliRunner

import gough
from gough.cli.command_group import app
from gough.elastic import frequency_response
from gough.robot.elastic import Beam

RIGID = ("demo-hexapod", "--connectors", "rigid")


pytestmark = pytest.mark.usefixtures("wide")


def run(*arguments):
    return CliRunner().invoke(app, ["elastic", "vibration", *map(str, arguments)])


def test_the_table_has_frequencies_and_what_moves():
    done = run(*RIGID)
    assert done.exit_code == 0
    assert "51.27" in done.stdout
    assert "platform along z" in done.stdout


def test_a_position_control_has_a_stiffness_with_a_unit_and_data_are_plain():
    data = json.loads(run(*RIGID, "--actuators", "5 N/um", "--json").stdout)
    expected = gough.natural_modes(gough.load("demo-hexapod"), connectors="rigid", actuators=5e6)
    assert data["frequencies"] == pytest.approx(expected.frequencies)
    rotors = [f"leg {k} rotor" for k in range(1, 7)]
    assert data["coordinates"] == ["x", "y", "z", "rx", "ry", "rz", *rotors]


def test_what_gives_way_is_warned_of():
    done = run(*RIGID, "--actuators", "free")
    assert done.exit_code == 0
    assert "-0.4222" in done.stdout
    assert "it is unstable" in done.stdout


def test_pictures_are_saved(tmp_path):
    files = [tmp_path / "map.png", tmp_path / "shapes.png"]
    done = run(*RIGID, "--map", files[0], "--plot", files[1])
    assert done.stdout.count("saved in") == 2
    for file in files:
        assert file.read_bytes().startswith(b"\x89PNG")


def test_a_base_that_shakes_is_told_at_a_frequency_and_drawn_over_all(tmp_path):
    file = tmp_path / "response.png"
    points = ("--response-point", "0", "0", "20cm", "--pivot", "0.1", "0", "0")
    how = ("--base-excitation", "60", "--modal-damping", "0.01", *points)
    done = run(*RIGID, *how, "--response", file)
    assert "at 60 Hz" in done.stdout
    assert file.read_bytes().startswith(b"\x89PNG")
    data = json.loads(run(*RIGID, *how, "--json").stdout)["base_excitation"]
    options = {"damping_ratio": 0.01, "tool": [0, 0, 0.2], "pivot": [0.1, 0, 0]}
    robot = gough.load("demo-hexapod")
    system = gough.elastic_state_space(robot, connectors="rigid", **options)
    expected = frequency_response(system, [60.0], "displacement", "wrench").gain[0]
    assert data["compliance"]["gain"][0] == pytest.approx(expected)
    assert data["frequency"] == [60]


def test_how_to_shake_is_refused_where_nothing_is_shaken():
    done = run(*RIGID, "--pivot", "0", "0", "1")
    assert done.exit_code == 2
    assert "expected --base-excitation or" in " ".join(done.stderr.split())


def test_wrong_actuators_are_refused():
    done = run(*RIGID, "--actuators", "soft")
    assert done.exit_code == 2
    assert "or locked, or free" in " ".join(done.stderr.split())


def test_links_that_bend_are_told_from_the_platform(tmp_path):
    file, picture = tmp_path / "arm.toml", tmp_path / "shapes.png"
    beam = Beam(diameter=0.04, modulus=2e9, modes=0)
    drawn = arm((0.8,), (1.3,), radius=0.01, tip=20.0, moves=("y",))
    gough.save(changed(drawn, bodies=(changed(drawn.bodies[0], beam=beam),)), file)
    done = run(file, "--plot", picture)
    assert done.exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    data = json.loads(run(file, "--json").stdout)
    bent = np.sqrt(3 * 2e9 * np.pi / 64 * 0.04**4 / 0.8**3 / (20 + 33 / 140 * 1.3)) / (2 * np.pi)
    assert data["frequencies"][:2] == pytest.approx([bent, bent], rel=1e-3)
    assert {"platform along y", "platform along z"} >= set(data["most"][:2])
    assert "link-1 rx beam" in data["coordinates"]


def test_what_does_not_yield_is_refused():
    done = run("five-bar")
    assert done.exit_code == 1
    assert "expected a stiffness of each driven joint" in str(done.exception) + done.stderr
