"""Folders that are used again: nothing of the study before, and studies told apart."""

import json
import signal
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from folder_samples import GRID, LONG, SERIES, files, run_here, running, small_grid, written
from study_samples import data, study
from typer.testing import CliRunner

import gough
from gough.cli.command_group import app
from gough.motion import Payload, line, recorded
from gough.motion.profiles import Quintic
from gough.runs import to_folder
from gough.studies import Balance, Outputs, Study
from gough.studies.run import run_one


def test_a_finished_grid_keeps_its_series_when_run_again(tmp_path):
    to_folder(small_grid(outputs=SERIES), tmp_path, report=False)
    before = files(tmp_path)
    to_folder(small_grid(outputs=SERIES), tmp_path, report=False)
    assert files(tmp_path) == before


def test_old_series_stay_until_the_new_ones_are_done(tmp_path):
    old = data(variations=GRID, samples=51, outputs=SERIES)
    new = LONG | {"outputs": SERIES}
    file, folder = written(tmp_path, new), tmp_path / "killed"
    for place in (folder, tmp_path / "whole"):
        to_folder(Study.from_dict(old), place, report=False)
    before = files(folder)
    with running(file, folder, "--overwrite") as process:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the run ended before it could be killed"
    assert {name: files(folder).get(name) for name in before} == before
    for place in (folder, tmp_path / "whole"):
        run_here(file, place, "--overwrite")
    assert files(folder) == files(tmp_path / "whole")
    assert sum(name.startswith("series/") for name in files(folder)) == 60
    assert len(pd.read_parquet(folder / "series" / "000017.parquet")["time [s]"]) == 2001
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {"series"}


def outcome(*arguments):
    done = CliRunner().invoke(app, ["run", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_a_report_of_other_numbers_does_not_stay(tmp_path):
    first = written(tmp_path, data(samples=11), "first")
    second = written(tmp_path, data(samples=13), "second")
    page = tmp_path / "out" / "report.html"
    assert f"report saved in {page}" in outcome(first, "-o", page.parent)
    said = outcome(second, "-o", page.parent, "--overwrite", "--no-report")
    assert "report saved in" not in said
    assert not page.exists()


KINDS = {
    "single": {},
    "without csv": {"outputs": {"csv": False}},
    "grid": {"variations": GRID[1:]},
    "grid with series": {"variations": GRID[1:], "outputs": SERIES},
}


@pytest.mark.parametrize(("before", "after"), [*permutations(KINDS, 2)])
def test_a_folder_has_nothing_of_the_study_before(tmp_path, before, after):
    for kind, report in ((before, True), (after, False)):
        changed = study(samples=11 + report, **KINDS[kind])
        to_folder(changed, tmp_path / "used", overwrite=True, report=report)
    to_folder(changed, tmp_path / "new", report=False)
    assert files(tmp_path / "used") == files(tmp_path / "new")


def test_writing_results_into_a_used_folder_leaves_what_is_not_of_gough(tmp_path):
    to_folder(small_grid(outputs=SERIES), tmp_path)
    (tmp_path / "series-notes.txt").write_text("mine")
    run_one(study(samples=11)).save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "results.parquet", "results.csv", "summary.json", "study.json", "robot.toml", "run.json",
        "series-notes.txt",
    }  # fmt: skip


HEXAPOD = gough.load("demo-hexapod")


def rising(height=0.1):
    return line(HEXAPOD.home, [0, 0, height], Quintic(1.0))


def measured(middle):
    """A record that ends where it began, whatever happened in between."""
    times = np.linspace(0, 1, 41)
    poses = np.tile(HEXAPOD.home, (41, 1))
    poses[:, 2] += middle * np.sin(np.pi * times) ** 4
    return recorded(times, poses)


MADE = {
    "rate": {"rate": 100.0},
    "other rate": {"rate": 5000.0},
    "samples": {"samples": 11},
    "balance": {"balance": Balance(mass=5.0)},
    "other balance": {"balance": Balance(mass=5.0, distance=0.2)},
    "quantities": {"outputs": Outputs(quantities=("forces",))},
    "csv": {"outputs": Outputs(csv=False)},
    "task": {"tasks": (Payload(5.0),)},
    "motion": {"motion": rising(0.2)},
    "record": {"motion": measured(0.1)},
    "other record": {"motion": measured(0.1001)},
}


def made(**changes):
    return Study(**({"robot": HEXAPOD, "motion": rising()} | changes))


def test_studies_made_in_python_are_told_apart(tmp_path):
    for changes in MADE.values():
        to_folder(made(**changes), tmp_path, overwrite=True, report=False)
        for others in MADE.values():
            if others is not changes:
                with pytest.raises(gough.GoughError, match="of other inputs"):
                    to_folder(made(**others), tmp_path, report=False)


def test_a_study_made_in_python_twice_is_the_same_one(tmp_path):
    for middle in (0.1, 0.1):
        to_folder(made(motion=measured(middle), rate=100.0), tmp_path, report=False)
    facts = json.loads((tmp_path / "study.json").read_text())
    assert (facts["rate"], facts["samples"]) == (100.0, None)
