"""Results come into a folder in one step: killed at any time, it has the old ones or the new."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from folder_samples import files
from killed_folders import NEW, OLD, put
from study_samples import study

import gough
from gough.analysis.results import Results
from gough.disk import target
from gough.disk.files import OPENS_FOLDERS, checksum, write_text
from gough.disk.manifest import MANIFEST, written_by_gough
from gough.disk.placing import PLAN
from gough.disk.target import HIDDEN, finish_earlier, locked
from gough.runs import load_folder, to_folder


def killed(program, place, *words):
    """The folders in which a program's work was killed, by the step; it forks as it is small."""
    here = Path(__file__).parents[1] / "samples"
    subprocess.run(
        [sys.executable, here / program, place, *words],
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(here.parent)])},
    )
    return sorted(place.glob("killed-*"), key=lambda path: int(path.name.partition("-")[2]))


def found(folder):
    """What is in a folder, once what was begun is finished; all of it as its record says."""
    finish_earlier(folder)
    names = written_by_gough(folder)
    assert all(checksum(folder / name) == value for name, value in names.items())
    return {name: (folder / name).read_text() for name in names if name != MANIFEST}


@pytest.mark.posix
@pytest.mark.parametrize("old", ["nothing", "old"])
def test_a_folder_has_the_old_files_or_the_new_wherever_the_process_was_killed(tmp_path, old):
    before = OLD if old == "old" else {}
    states = []
    for folder in killed("killed_folders.py", tmp_path, old):
        states.append(found(folder) == NEW)
        assert states[-1] or found(folder) == before
        put(NEW, folder)
        assert found(folder) == NEW
        there = files(folder).keys() - NEW.keys() - {MANIFEST, "thesis.txt"}
        assert not there, "of the old files, or of work in progress"
        assert not (folder / HIDDEN).exists()
        assert (folder / "thesis.txt").read_text() == "mine"
    assert states == sorted(states)  # from some step on, the new ones
    assert states.count(False) > 5
    assert states.count(True) > 8


@pytest.mark.posix
def test_a_grid_has_the_old_results_or_the_new_wherever_its_run_was_killed(tmp_path):
    """The old ones came about in runs that were killed at every step, too."""
    folders = killed("killed_grids.py", tmp_path)
    old, new = files(tmp_path / "old"), files(tmp_path / "new")
    assert old.keys() == new.keys()
    assert len(folders) > 30
    seen = set()
    for folder in folders:
        load_folder(folder)
        after = {name: content for name, content in files(folder).items() if name in old}
        assert after in (old, new)
        seen.add(after == new)
    assert seen == {False, True}
    assert files(folders[-1]) == new


def full_disk(n):
    """The n-th wait for the disk fails."""
    real, steps = os.fsync, iter(range(n))

    def fsync(handle):
        if next(steps, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    return fsync


def test_a_folder_has_the_old_files_or_the_new_whenever_the_disk_is_full(tmp_path):
    words = []
    for n in range(100):
        folder = tmp_path / str(n)
        put(OLD, folder)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(os, "fsync", full_disk(n))
            try:
                put(NEW, folder)
            except gough.GoughError as error:
                words.append(str(error))
            else:
                break
        later = "the next run or load puts them in place" in words[-1]
        assert found(folder) == (NEW if later else OLD)
        assert not (folder / HIDDEN).exists()
    assert len(words) > (15 if OPENS_FOLDERS else 7)  # Windows syncs no folders
    assert all("cannot be written: No space left on device" in text for text in words)
    assert found(folder) == NEW


def half_way(folder, monkeypatch):
    """A folder in which a plan could not be carried out."""
    to_folder(study(samples=11), folder, report=False)
    real = Path.replace

    def stuck(path, target):
        if Path(target).name == "summary.json":
            raise OSError(errno.EIO, "Input/output error")
        return real(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stuck)
        with pytest.raises(gough.GoughError, match="the next run or load puts them in place"):
            to_folder(study(samples=12), folder, overwrite=True, report=False)
    assert (folder / HIDDEN / PLAN).exists()


def test_a_load_that_may_not_write_says_that_results_are_half_in_place(tmp_path, monkeypatch):
    half_way(tmp_path, monkeypatch)
    before = files(tmp_path)

    def read_only(*args, **options):
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as patched:
        patched.setattr(target, "_locked_file", read_only)
        with pytest.raises(gough.GoughError, match=r"not all in place yet: .* Read-only file"):
            load_folder(tmp_path)
    with locked(tmp_path), pytest.raises(gough.GoughError, match=r"not all in place yet: .* wait"):
        load_folder(tmp_path)
    assert files(tmp_path).keys() >= before.keys() - {f"{HIDDEN}/{target.LOCK}"}
    assert len(load_folder(tmp_path)) == 12


def test_what_a_user_puts_in_the_way_of_a_plan_stays(tmp_path, monkeypatch):
    half_way(tmp_path, monkeypatch)
    (tmp_path / "summary.json").write_text("mine")
    for _ in range(2):
        with pytest.raises(gough.GoughError, match=r"summary.json is in the way: changed since"):
            load_folder(tmp_path)
    assert (tmp_path / "summary.json").read_text() == "mine"
    (tmp_path / "summary.json").unlink()
    assert len(Results.load(tmp_path)) == 12
    assert not (tmp_path / HIDDEN).exists()


def test_a_damaged_plan_is_named(tmp_path, monkeypatch):
    half_way(tmp_path, monkeypatch)
    plan = tmp_path / HIDDEN / PLAN
    plan.write_text(plan.read_text().replace("summary.json", "../summary.json"))
    with pytest.raises(gough.GoughError, match=r"plan.json: damaged"):
        load_folder(tmp_path)


@pytest.mark.parametrize("tries", [3, 1000])
def test_a_file_that_another_program_holds_open_is_waited_for(tmp_path, monkeypatch, tries):
    """Windows does not replace it until a browser or a spreadsheet lets it go."""
    real, refused = Path.replace, iter(range(tries))

    def held(path, target):
        if next(refused, None) is not None:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, target)

    monkeypatch.setattr("gough.disk.files.OPENS_FOLDERS", False)
    monkeypatch.setattr("gough.disk.files._HELD", 0.3)
    monkeypatch.setattr(Path, "replace", held)
    (tmp_path / "a.txt").write_text("old")
    if tries == 3:
        write_text(tmp_path / "a.txt", "new")
    else:
        with pytest.raises(gough.GoughError, match=r"a\.txt: cannot be written: Permission denied"):
            write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == ("new" if tries == 3 else "old")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
