"""`gough modes`: tables, plain data, drawings, errors."""

import json

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import gough
from gough.cli import modes as command
from gough.cli.modes import modes

app = typer.Typer()
app.command()(modes)


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    monkeypatch.setattr(command, "console", Console(width=100))


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_the_table_lists_all_modes():
    done = run("dietmaier-1998")
    assert done.exit_code == 0
    assert "40 real of 40 complex solutions; 40 certified" in done.stdout
    assert "proved complete" in done.stdout


def test_lengths_may_have_units_and_data_are_plain():
    legs = ("1200 mm", "1.2", "1.2", "1.2", "1.2", "120 cm")
    done = run("kalani-2016", "--lengths", *legs, "--json")
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    assert data["q"] == [1.2] * 6
    assert len(data["poses"]) == len(data["certified"]) == len(data["within_limits"]) == 8
    assert data["n_complex"] == 28
    assert data["n_lost"] == 0


def test_a_drawing_is_saved(tmp_path):
    file = tmp_path / "modes.png"
    done = run("kalani-2016", "--plot", file)
    assert done.exit_code == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert "drawing saved" in done.stdout


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
