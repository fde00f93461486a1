"""`gough vibration`: tables, plain data, maps, errors."""

import json

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import gough
from gough.cli.command_class import GoughCommand
from gough.cli.commands import vibration as command
from gough.cli.commands.vibration import vibration

app = typer.Typer()
app.command(cls=GoughCommand)(vibration)
RIGID = ("demo-hexapod", "--connectors", "rigid")


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    monkeypatch.setattr(command, "console", Console(width=100))


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_the_table_has_frequencies_and_what_moves():
    done = run(*RIGID)
    assert done.exit_code == 0
    assert "51.27" in done.stdout
    assert "platform along z" in done.stdout


def test_a_position_control_has_a_stiffness_with_a_unit_and_data_are_plain():
    data = json.loads(run(*RIGID, "--actuators", "5 N/um", "--json").stdout)
    expected = gough.modes(gough.load("demo-hexapod"), connectors="rigid", actuators=5e6)
    assert data["frequencies"] == pytest.approx(expected.frequencies)
    rotors = [f"leg {k} rotor" for k in range(1, 7)]
    assert data["coordinates"] == ["x", "y", "z", "rx", "ry", "rz", *rotors]


def test_what_gives_way_is_warned_of():
    done = run(*RIGID, "--actuators", "free")
    assert done.exit_code == 0
    assert "-0.4222" in done.stdout
    assert "it gives way" in done.stdout


def test_a_map_is_saved(tmp_path):
    file = tmp_path / "map.png"
    assert "picture saved" in run(*RIGID, "--map", file).stdout
    assert file.read_bytes().startswith(b"\x89PNG")


def test_wrong_actuators_are_refused():
    done = run(*RIGID, "--actuators", "soft")
    assert done.exit_code == 2
    assert "or locked, or free" in " ".join(done.stderr.split())
