"""Damage is noticed: bits that flipped in results, and wrong chunks in the record of a grid."""

import json
import os
import random
import shutil

import pytest
from folder_samples import GRID, POINTS, SERIES, chunks, files, points_of, small_grid
from study_samples import study

import gough
from gough.analysis.storage import RESULTS
from gough.disk import manifest, target
from gough.disk.manifest import MANIFEST, sealed
from gough.disk.placing import PLAN
from gough.disk.target import HIDDEN, LOCK
from gough.runs import load_folder, to_folder
from gough.studies import grid, grid_storage

FLIPS = 40


def flipped(content, rng):
    """The same bytes with one bit changed."""
    place, bit = rng.randrange(len(content)), rng.randrange(8)
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, RESULTS.names()),
        ({"variations": GRID[1:]}, grid_storage.GRID.names()),
    ],
    ids=["single", "grid"],
)
def test_a_bit_that_flips_in_any_file_that_is_read_is_noticed(tmp_path, changes, names):
    to_folder(study(samples=11, **changes), tmp_path, report=False)
    rng = random.Random(0)
    for name in (*names, MANIFEST):
        path = tmp_path / name
        content = path.read_bytes()
        for _ in range(FLIPS):
            path.write_bytes(flipped(content, rng))
            with pytest.raises(gough.GoughError, match=f"{name}: damaged"):
                load_folder(tmp_path)
        path.write_bytes(content)
    load_folder(tmp_path)


def test_a_file_of_other_results_is_noticed(tmp_path):
    for name, samples in (("one", 11), ("other", 12)):
        to_folder(study(samples=samples), tmp_path / name, report=False)
    shutil.copy(tmp_path / "other" / "summary.json", tmp_path / "one" / "summary.json")
    with pytest.raises(gough.GoughError, match=r"summary.json: damaged or changed"):
        load_folder(tmp_path / "one")


def test_a_file_that_is_missing_is_made_again(tmp_path):
    to_folder(study(samples=11), tmp_path, report=False)
    before = files(tmp_path)
    for name in before.keys() - {MANIFEST}:
        (tmp_path / name).unlink()
        to_folder(study(samples=11), tmp_path, report=False)
        assert files(tmp_path) == before


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A grid that was interrupted after some thirty points, and the folder of a whole one."""
    place = tmp_path_factory.mktemp("grids")
    to_folder(small_grid(outputs=SERIES), place / "whole", report=False)
    count = iter(range(1000))

    def interrupted(*args, **options):
        if next(count) >= POINTS // 2:
            raise KeyboardInterrupt
        return run_one(*args, **options)

    run_one = grid.run_one
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(grid, "run_one", interrupted)
        with pytest.raises(KeyboardInterrupt):
            to_folder(small_grid(outputs=SERIES), place / "begun", report=False)
    return place


def _cut(chunk):
    chunk.write_bytes(chunk.read_bytes()[:-1])


def _flip(chunk):
    chunk.write_bytes(flipped(chunk.read_bytes(), random.Random(1)))


def _of_other_points(chunk):
    """The right content under the name of points that are not there yet."""
    chunk.rename(chunk.with_name(chunk.name.replace(chunk.name[:18], f"chunk-{POINTS - 4:012}", 1)))


DAMAGES = {
    "missing": lambda chunk: chunk.unlink(),
    "cut off": _cut,
    "a flipped bit": _flip,
    "empty": lambda chunk: chunk.write_bytes(b""),
    "of other points": _of_other_points,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_points_of_a_chunk_that_is_not_right_are_computed_again(
    tmp_path, begun, monkeypatch, damage
):
    """Values were once taken in the order of the lines, whatever had happened to these."""
    folder = shutil.copytree(begun / "begun", tmp_path / "out")
    first, *others = chunks(folder)
    assert others
    DAMAGES[damage](first)
    computed = counted(monkeypatch)
    to_folder(small_grid(outputs=SERIES), folder, report=False)
    assert len(computed) == POINTS - sum(len(points_of(chunk)) for chunk in others)
    assert files(folder) == files(begun / "whole")


def counted(monkeypatch):
    computed, run_one = [], grid.run_one
    monkeypatch.setattr(
        grid, "run_one", lambda *args, **options: computed.append(1) or run_one(*args, **options)
    )
    return computed


def _pipe(path):
    os.mkfifo(path)


def _endless(path):
    path.symlink_to("/dev/zero")


LARGE = 2**20


@pytest.fixture(autouse=True)
def few_bytes(monkeypatch):
    """Files are too large soon."""
    for module in (manifest, target):
        monkeypatch.setattr(module, "MOST_BYTES", LARGE)


def _huge(path):
    with path.open("wb") as file:
        file.truncate(LARGE + 1)


def _deep(path):
    path.write_text("[" * 100_000)


NO_FILES = {"a pipe": _pipe, "a link": _endless, "too large": _huge, "nested too deeply": _deep}
SPOILT = [pytest.param("a pipe", marks=pytest.mark.posix), *list(NO_FILES)[1:]]


@pytest.mark.parametrize("spoil", SPOILT)
@pytest.mark.parametrize("name", [MANIFEST, "summary.json", "study.json"])
def test_what_is_no_file_of_gough_is_refused_at_once(tmp_path, name, spoil):
    """Reading waited for a pipe, had no end, or ended in Python's own words."""
    to_folder(study(samples=11), tmp_path, report=False)
    (tmp_path / name).unlink()
    NO_FILES[spoil](tmp_path / name)
    for use in (load_folder, lambda folder: to_folder(study(samples=11), folder, report=False)):
        with pytest.raises(gough.GoughError, match=name):
            use(tmp_path)


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_plan_that_is_none_is_refused_at_once(tmp_path, spoil):
    to_folder(study(samples=11), tmp_path, report=False)
    (tmp_path / HIDDEN).mkdir()
    (tmp_path / HIDDEN / LOCK).write_text("1\n")
    NO_FILES[spoil](tmp_path / HIDDEN / PLAN)
    for use in (load_folder, lambda folder: to_folder(study(samples=11), folder, report=False)):
        with pytest.raises(gough.GoughError, match=PLAN):
            use(tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"files": ["robot.toml"]},
        {"files": None},
        {"files": {"robot.toml": 1}},
        {"files": {"robot\0.toml": "0"}},
        {"folders": [1]},
        {"folders": "series"},
        {"folders": ["a\0b"]},
        {"name": 3},
        {"inputs": []},
        {"versions": []},
    ],
    ids=str,
)
def test_a_record_with_values_of_another_kind_is_refused(tmp_path, wrong):
    to_folder(study(samples=11), tmp_path, report=False)
    facts = json.loads((tmp_path / MANIFEST).read_text())
    del facts["checksum"]
    (tmp_path / MANIFEST).write_text(sealed(facts | wrong))
    for use in (load_folder, lambda folder: to_folder(study(samples=12), folder)):
        with pytest.raises(gough.GoughError, match=MANIFEST):
            use(tmp_path)


@pytest.mark.parametrize("wrong", [None, ["robot.toml"], {"robot.toml": 1}, {"a\0b": "c"}])
def test_a_plan_with_values_of_another_kind_is_refused(tmp_path, wrong):
    (tmp_path / HIDDEN).mkdir()
    (tmp_path / HIDDEN / LOCK).write_text("1\n")
    plan = {"before": {}, "after": wrong, "sources": {}}
    (tmp_path / HIDDEN / PLAN).write_text(sealed(plan))
    with pytest.raises(gough.GoughError, match=PLAN):
        to_folder(study(samples=12), tmp_path)


@pytest.mark.parametrize("content", ["[]", "null", "7", '"study"'])
@pytest.mark.parametrize("name", ["summary.json", "study.json"])
@pytest.mark.parametrize("variations", [[], GRID[1:]], ids=["single", "grid"])
def test_facts_that_are_no_table_are_damaged(tmp_path, name, content, variations):
    """In a folder without a record, which has no checksums."""
    to_folder(study(samples=11, variations=variations), tmp_path, report=False)
    (tmp_path / MANIFEST).unlink()
    (tmp_path / name).write_text(content)
    with pytest.raises(gough.GoughError, match=f"{name}: damaged: not a table"):
        load_folder(tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"versions": []},
        {"versions": {"gough": 1}},
        {"warnings": [1]},
        {"warnings": "none"},
        {"summary": []},
        {"summary": {"peak_force": {"value": "much"}}},
        {"quantities": 1},
        {"quantities": [["force", "N", "", [10**9]]]},
    ],
    ids=str,
)
def test_facts_of_another_kind_are_damaged(tmp_path, wrong):
    to_folder(study(samples=11), tmp_path, report=False)
    (tmp_path / MANIFEST).unlink()
    path = tmp_path / "summary.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | wrong))
    with pytest.raises(gough.GoughError, match="damaged"):
        load_folder(tmp_path)
