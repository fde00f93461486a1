"""Folders of results: complete, continued after an interruption, never half-written."""

import errno
import json
import os
import resource
import signal
import subprocess
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from folder_samples import (
    GRID,
    LONG,
    POINTS,
    SERIES,
    chunks,
    command,
    files,
    points_of,
    run_here,
    running,
    small_grid,
    written,
)
from study_samples import data, study

import gough
from gough.analysis.results import Results
from gough.disk import target
from gough.disk.target import HIDDEN, LOCK, locked
from gough.runs import load_folder, to_folder
from gough.studies import grid as grids
from gough.studies.run import COPIES, run_one
from gough.studies.study import Study


def contents(folder, *names):
    return {name: (folder / name).read_bytes() for name in names}


def test_a_study_writes_results_inputs_and_versions(tmp_path):
    found = to_folder(study(), tmp_path / "out", report=False)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "results.parquet", "results.csv", "summary.json", "study.json", "robot.toml", "run.json"
    }  # fmt: skip
    first = (tmp_path / "out" / "results.csv").read_text().splitlines()[0]
    assert first.startswith('"time [s]","pose_x [m]"')
    facts = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert facts["versions"]["gough"] == gough.__version__
    again = load_folder(tmp_path / "out")
    assert isinstance(again, Results)
    np.testing.assert_array_equal(again["force"], found["force"])


def test_csv_can_be_left_out(tmp_path):
    to_folder(study(outputs={"csv": False}), tmp_path / "out", report=False)
    assert not (tmp_path / "out" / "results.csv").exists()


def one_by_one(monkeypatch):
    """Have no points computed together, so that they can be counted."""
    monkeypatch.setattr(grids, "BatchedGrid", lambda *_: lambda indices: {})


def test_an_interrupted_grid_goes_on_and_ends_the_same(tmp_path, monkeypatch):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    to_folder(small_grid(), whole, report=False)
    one_by_one(monkeypatch)
    real, count = grids.run_one, iter(range(1000))

    def fails_half_way(*args, **options):
        if next(count) >= POINTS // 2:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(grids, "run_one", fails_half_way)
    with pytest.raises(KeyboardInterrupt):
        to_folder(small_grid(), parts, report=False)
    kept = sum(len(points_of(chunk)) for chunk in chunks(parts))
    assert 2 < kept <= POINTS // 2
    draft = chunks(parts)[0].with_name(f".{'0' * 32}.parquet")
    draft.write_bytes(b"PAR1")  # as if it had been killed while writing
    computed = []
    monkeypatch.setattr(
        grids,
        "run_one",
        lambda *args, **options: computed.append(1) or real(*args, **options),
    )
    to_folder(small_grid(), parts, report=False)
    assert len(computed) == POINTS - kept
    assert files(parts) == files(whole)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What the command writes for the long grid when nothing comes between."""
    place = tmp_path_factory.mktemp("whole")
    run_here(written(place, LONG), place / "out")
    return files(place / "out")


def test_a_killed_command_goes_on_and_ends_the_same_bit_for_bit(tmp_path, whole):
    file, folder = written(tmp_path, LONG), tmp_path / "killed"
    with running(file, folder) as process:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the run ended before it could be killed"
    assert [path.name for path in folder.iterdir()] == [HIDDEN]
    run_here(file, folder)
    assert files(folder) == whole


def test_an_interrupted_command_says_so_and_goes_on(tmp_path, whole):
    file, folder = written(tmp_path, LONG), tmp_path / "interrupted"
    with running(file, folder) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert err == (
        "gough: interrupted; the points that are done are kept, "
        "and the same command goes on from there\n"
    )
    assert [path.name for path in folder.iterdir()] == [HIDDEN]
    run_here(file, folder)
    assert files(folder) == whole


@pytest.mark.parametrize("moment", ["mkdir", "_lock", "_is_at"])
def test_an_interrupt_while_a_folder_is_taken_leaves_nothing(tmp_path, monkeypatch, moment):
    real = {"mkdir": Path.mkdir, "_lock": target._lock, "_is_at": target._is_at}[moment]
    calls = []

    def interrupted(*args, **options):
        done = real(*args, **options)
        calls.append(done)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(Path if moment == "mkdir" else target, moment, interrupted)
    with pytest.raises(KeyboardInterrupt):
        to_folder(small_grid(), tmp_path / "out", report=False)
    assert not (tmp_path / "out").exists()


def test_an_interrupt_before_the_first_chunk_is_stored_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("gough.disk.files.sync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        to_folder(small_grid(), tmp_path / "out", report=False)
    assert not (tmp_path / "out").exists()


def test_two_runs_cannot_share_a_folder(tmp_path, whole):
    file, folder = written(tmp_path, LONG), tmp_path / "shared"
    with running(file, folder) as process:
        process.send_signal(signal.SIGSTOP)
        second = subprocess.run(command(file, folder), capture_output=True, text=True, check=False)
        process.send_signal(signal.SIGCONT)
        process.communicate()
    assert second.returncode == 1
    assert f"{folder}: process {process.pid} is running a study in it" in second.stderr
    assert len(second.stderr.splitlines()) == 1
    assert process.returncode == 0
    assert files(folder) == whole


def test_a_folder_can_be_had_again_after_its_run(tmp_path):
    with locked(tmp_path / "out"):
        assert (tmp_path / "out" / HIDDEN / LOCK).read_text() == f"{os.getpid()}\n"
        with pytest.raises(gough.GoughError, match=rf"process {os.getpid()} is running a study"):
            to_folder(study(), tmp_path / "out")
    assert not (tmp_path / "out").exists()  # nothing came into it
    to_folder(study(), tmp_path / "out", report=False)


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path):
    (tmp_path / HIDDEN).mkdir()
    (tmp_path / HIDDEN / LOCK).write_text("1\n")  # a process that is there, but does not hold it
    to_folder(study(), tmp_path, report=False)
    assert not (tmp_path / HIDDEN).exists()


def test_a_run_that_fails_leaves_no_folder(tmp_path):
    bad = replace(study(), samples=-1)
    with pytest.raises(ValueError, match="-1"):
        to_folder(bad, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("variations", [[], GRID])
def test_a_study_that_does_not_fit_in_memory_is_refused_at_once(tmp_path, monkeypatch, variations):
    monkeypatch.setattr("gough.memory.available_memory", lambda: 10**9)
    written = data(variations=variations, rate="4 MHz")
    del written["samples"]
    huge = Study.from_dict(written)
    for run in (gough.run, lambda study: to_folder(study, tmp_path / "out")):
        with pytest.raises(gough.GoughError, match=r"need about \S+ GB of memory, and 1 GB are"):
            run(huge)
    assert not (tmp_path / "out").exists()


def test_so_is_a_grid_of_more_points_than_memory_holds(monkeypatch):
    many = [GRID[0] | {"range": {"from": 1, "to": 40, "count": 100_000}}]
    monkeypatch.setattr("gough.memory.available_memory", lambda: 10**9)
    with pytest.raises(gough.GoughError, match=r"test: 100,000 points .* and 1 GB are free"):
        gough.run(data(variations=many, samples=3))


def test_the_memory_that_a_study_needs_is_not_guessed_too_low():
    large = study(samples=50_000)
    run_one(study(samples=11))
    tracemalloc.start()
    found = run_one(large)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 1.0 < peak / (50_000 * len(found.columns()) * 8) < COPIES


def test_a_finished_grid_is_not_computed_again(tmp_path, monkeypatch):
    to_folder(small_grid(), tmp_path, report=False)
    monkeypatch.setattr(grids, "run_one", None)
    assert to_folder(small_grid(), tmp_path, report=False).shape == (POINTS // 3, 3)


def test_nor_for_a_report_or_if_a_point_of_it_failed(tmp_path, monkeypatch):
    lengths = [{"parameter": "motion.duration", "values": [-1, 1]}]
    grid = study(variations=lengths, samples=11, outputs=SERIES)
    first = to_folder(grid, tmp_path)
    before = files(tmp_path)
    (tmp_path / "report.html").unlink()
    monkeypatch.setattr(grids, "run_one", None)
    again = to_folder(grid, tmp_path)
    assert again.errors == first.errors
    assert files(tmp_path) == before
    to_folder(grid, tmp_path, report=False)
    assert files(tmp_path).keys() == before.keys() - {"report.html"}


def test_series_of_a_grid_are_kept_when_asked(tmp_path):
    to_folder(small_grid(outputs=SERIES), tmp_path, report=False)
    files = sorted((tmp_path / "series").iterdir())
    assert len(files) == POINTS
    assert pd.read_parquet(files[17])["force_3 [N]"].shape == (51,)


def test_results_of_another_study_are_not_overwritten_by_accident(tmp_path):
    to_folder(study(), tmp_path, report=False)
    before = contents(tmp_path, "results.csv")
    with pytest.raises(gough.GoughError, match=r"of another study.* overwrite them \(--"):
        to_folder(study(samples=11), tmp_path, report=False)
    assert contents(tmp_path, "results.csv") == before
    to_folder(study(samples=11), tmp_path, overwrite=True, report=False)
    assert len(Results.load(tmp_path)) == 11


def test_a_grid_of_other_inputs_does_not_continue_the_record(tmp_path):
    to_folder(small_grid(), tmp_path, report=False)
    with pytest.raises(gough.GoughError, match="of other inputs"):
        to_folder(small_grid(rate=None, analysis="static"), tmp_path, report=False)
    other = to_folder(small_grid(analysis="static"), tmp_path, overwrite=True, report=False)
    assert (other["peak_inertia_share"] == 0).all()
    assert not (tmp_path / HIDDEN).exists()


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(gough.GoughError, match=r"no results of Gough; .* beside .* \(--overwrite"):
        to_folder(study(), tmp_path, report=False)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(gough.GoughError, match=r"thesis\.tex: a file; expected a folder"):
        to_folder(study(), tmp_path / "thesis.tex", report=False)
    assert (tmp_path / "thesis.tex").read_text() == "mine"


@pytest.mark.parametrize("variations", [[], GRID])
def test_a_place_that_cannot_be_written_gives_a_clear_error(tmp_path, variations):
    (tmp_path / "file").write_text("")
    with pytest.raises(gough.GoughError, match="cannot be written: Not a directory"):
        to_folder(study(variations=variations, samples=11), tmp_path / "file" / "out", report=False)


@pytest.mark.parametrize("variations", [[], GRID])
def test_a_full_disk_gives_a_clear_error_and_leaves_earlier_results(tmp_path, variations):
    """The limit on the size of files stands for the end of the disk: writing fails half-way."""
    folder = tmp_path / "out"
    to_folder(study(variations=variations, samples=51), folder, report=False)
    before = files(folder)
    changed = data(variations=variations, samples=51, analysis="static")

    def nearly_full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = subprocess.run(
        [*command(written(tmp_path, changed), folder), "--overwrite"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=nearly_full,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 1
    assert "cannot be written: File too large" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert {name: files(folder)[name] for name in before} == before
    assert set(folder.glob(".*")) == {path.parents[1] for path in chunks(folder)}
    assert bool(chunks(folder)) == bool(variations)  # the points that are done


def test_a_report_that_the_disk_cannot_hold_is_said_of_the_folder(tmp_path, monkeypatch):
    real = Path.write_bytes

    def full(path, content):
        if path.suffix == ".html":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return real(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(gough.GoughError) as error:
        to_folder(study(samples=11), tmp_path / "out")
    assert str(error.value) == f"{tmp_path / 'out'}: cannot be written: No space left on device"


def test_what_is_no_folder_of_results_is_named(tmp_path):
    with pytest.raises(gough.GoughError, match="no results here"):
        load_folder(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(gough.GoughError, match="not a folder of results; expected one that"):
        load_folder(Path(tmp_path / "file"))


def test_a_killed_run_that_left_parts_does_not_block_the_next(tmp_path):
    left = tmp_path / HIDDEN / "new"
    left.mkdir(parents=True)
    (left / "results.csv").write_text("half")
    (left / "report.html").write_text("half")
    (tmp_path / HIDDEN / LOCK).write_text("1\n")
    to_folder(study(), tmp_path, report=False)
    assert (tmp_path / "results.csv").stat().st_size > 1000
    assert not (tmp_path / "report.html").exists()
    assert not (tmp_path / HIDDEN).exists()


def test_a_grid_does_not_continue_when_a_file_that_it_reads_has_changed(tmp_path):
    def loads(force):
        rows = f"t,fx\n0,{force}\n9,{force}\n"
        (tmp_path / "load.csv").write_text(rows)
        task = {"kind": "table", "file": str(tmp_path / "load.csv")}
        return study(variations=GRID[1:], samples=11, tasks=[task])

    first = to_folder(loads(10), tmp_path / "out", report=False)
    with pytest.raises(gough.GoughError, match="of other inputs"):
        to_folder(loads(2000), tmp_path / "out", report=False)
    other = to_folder(loads(2000), tmp_path / "out", overwrite=True, report=False)
    assert (other["peak_force"] > first["peak_force"]).all()
