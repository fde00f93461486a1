"""Cases of a simulation: the same files whoever simulates them, and after an interruption."""

import numpy as np
import pytest
from folder_samples import files
from simulated_cases import CASES, compared

import gough
from gough.errors import GoughError
from gough.executors import Processes
from gough.runs import to_folder
from gough.studies import Study, grid

FAILING = "coarse"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What this process finds, and the files of it."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    return to_folder(compared(), folder), files(folder)


@pytest.fixture
def interrupted(monkeypatch):
    """Have a run end at a case, as by Ctrl-C; gives the names of all that were begun."""
    begun, run_together = [], grid.run_together

    def run(studies, *how, **options):
        studies = list(studies)
        begun.extend(study.name.removeprefix("compared-") for study in studies)
        if "soft" in begun and begun.count("soft") == 1 and begun[-1] == "soft":
            raise KeyboardInterrupt
        return run_together(studies, *how, **options)

    monkeypatch.setattr(grid, "run_together", run)
    return begun


def test_processes_write_the_same_files(whole, tmp_path):
    """Also of a study that was simulated in this process before."""
    study = compared()
    here = gough.run(study)
    with Processes(2) as workers:
        found = to_folder(study, tmp_path, executor=workers)
    assert files(tmp_path) == whole[1]
    assert found.failures == here.failures == whole[0].failures
    assert "too large for RK4" in found.failures[FAILING]
    for case, run in here.runs.items():
        for name in run.quantities:
            np.testing.assert_array_equal(found.run(case)[name], run[name])


def test_cases_that_are_done_are_not_simulated_again(whole, interrupted, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        to_folder(compared(), tmp_path)
    assert interrupted == ["heavy", "noisy", "soft"]
    assert not list(tmp_path.glob("*"))[1:]  # but for what is hidden
    found = to_folder(compared(), tmp_path)
    assert interrupted[3:] == ["soft", FAILING, "stiff"]
    assert list(found.runs) == [name for name in CASES if name != FAILING]
    assert files(tmp_path) == whole[1]


def test_cases_that_were_begun_are_not_taken_for_others(interrupted, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        to_folder(compared(), tmp_path)
    with pytest.raises(GoughError, match="has results of another study"):
        to_folder(compared("stiff", "heavy"), tmp_path)
    found = to_folder(compared("stiff", "heavy"), tmp_path, overwrite=True)
    assert list(found.runs) == ["stiff", "heavy"]


def test_where_every_case_fails_nothing_is_kept(tmp_path):
    folder = tmp_path / "out"
    with pytest.raises(GoughError, match=f"^{FAILING}: .*too large for RK4"):
        to_folder(compared(FAILING), folder)
    assert not list(folder.rglob("chunk-*"))
    assert list(to_folder(compared("stiff"), folder).runs) == ["stiff"]


def test_the_study_of_a_case_simulates_as_it_is(whole, tmp_path):
    folder = tmp_path / "all"
    to_folder(compared("stiff", "noisy"), folder)
    again = Study.load(folder / "noisy" / "study.json")
    to_folder(again, tmp_path / "one")
    for name in ("study.json", "results.parquet", "robot.toml"):
        written = (tmp_path / "one" / name).read_bytes()
        assert written == (folder / "noisy" / name).read_bytes()
