"""`gough tolerances`: tables, plain data, tolerances from options and files, pictures, errors."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from gough.cli.command_group import app

OFFSETS = ("demo-hexapod", "--tolerance", "legs[*].length_offset=50 um")


pytestmark = pytest.mark.usefixtures("wide")


def run(*arguments):
    return CliRunner().invoke(app, ["tolerances", *map(str, arguments)])


def test_the_tables_have_deviations_and_where_they_come_from():
    done = run(*OFFSETS, "--tolerance", "platform.mass=1 %", "--by", "pattern")
    assert done.exit_code == 0, done.output
    found = gough.tolerances(gough.load("demo-hexapod"), None, {"legs[*].length_offset": 5e-5})
    assert f"{1e3 * float(found.position_error):.4g}" in done.stdout
    assert "stroke margin" in done.stdout
    assert "legs[*].length_offset" in done.stdout


def test_a_file_says_what_options_do_and_data_are_plain(tmp_path):
    file = tmp_path / "tolerances.toml"
    file.write_text('"legs[*].length_offset" = "50 um"\n')
    data, same = (
        json.loads(run(*given, "--position", 0.1, 0, 0.95, "--json").stdout)
        for given in (OFFSETS, ("demo-hexapod", "--tolerance", file))
    )
    assert data == same
    pose = gough.pose([0.1, 0, 0.95])
    found = gough.tolerances(gough.load("demo-hexapod"), pose, {"legs[*].length_offset": 5e-5})
    np.testing.assert_allclose(data["covariance"], found.covariance)
    assert data["shares"]["position"] == pytest.approx(found.shares("position"))
    assert data["numbers"]["legs[3].length_offset"] == 5e-5
    assert data["monte_carlo"] is None


def test_samples_are_shown_and_pictures_saved(tmp_path):
    picture = tmp_path / "one.png"
    done = run(*OFFSETS, "--monte-carlo", 200, "--plot", picture)
    assert done.exit_code == 0, done.output
    assert "of 200 samples" in done.stdout
    assert "of 95 % of the samples" in done.stdout
    assert picture.exists()


def test_unknown_names_are_refused_with_the_nearest():
    done = run("demo-hexapod", "--tolerance", "legs[0].bose=50 um")
    assert done.exit_code != 0
    assert "did you mean legs[0].base" in str(done.exception or done.output)
