"""What a user has in a folder of results stays as it is, wherever it lies, whatever its name."""

import json
import shutil

import numpy as np
import pytest
import tomli_w
from folder_samples import GRID, SERIES, files, small_grid
from study_samples import data, study
from typer.testing import CliRunner

import gough
from gough.analysis.results import Results
from gough.cli.command_group import app
from gough.disk import target
from gough.disk.manifest import MANIFEST, sealed
from gough.exchange import export_controller
from gough.exchange.source import export_kernels
from gough.runs import load_folder, to_folder
from gough.simulation import joint_pid
from gough.studies.run import run_one


def two_points(**changes):
    """A grid of two points with their series."""
    return study(variations=[GRID[1] | {"values": [1, 2]}], samples=11, **changes)


def everything(folder):
    """All entries of a folder: what is in files, and where links point."""

    def content(path):
        if path.is_symlink():
            return path.readlink()
        return path.read_bytes() if path.is_file() else None

    return {str(path.relative_to(folder)): content(path) for path in folder.rglob("*")}


def a_file(name):
    def put(folder):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")

    return put


def a_link(name, *, to_folder):
    def put(folder):
        mine = folder.parent / "mine"
        if to_folder:
            mine.mkdir()
            (mine / "000000.parquet").write_text("mine")
        else:
            mine.write_text("mine")
        (folder / name).symlink_to(mine)

    return put


IN_THE_WAY = {
    "series/000000.parquet": a_file("series/000000.parquet"),
    "series/000023.parquet": a_file("series/000023.parquet/thesis.txt"),
    "series": a_file("series"),
    "report.html": a_file("report.html"),
    "robot.toml": a_file("robot.toml"),
    "run.json": a_file("run.json"),
    "variations.csv": a_file("variations.csv/thesis.txt"),
    ".gough": a_file(".gough/thesis.txt"),
    "study.json": a_link("study.json", to_folder=False),
    "summary.json": a_link("summary.json", to_folder=True),
    "series, linked": a_link("series", to_folder=True),
    ".gough, linked": a_link(".gough", to_folder=True),
}
BESIDE = {
    "thesis.txt": a_file("thesis.txt"),
    "series": a_file("series/thesis.txt"),
    "results.csv": a_file("results.csv"),
    ".x.part": a_file(".x.part"),
    ".lock": a_file(".lock"),
    ".0123.part": a_file(".0123.part/thesis.txt"),
    "comparison.png": a_file("comparison.png"),
    "journal": a_file("journal-0123456789ab.jsonl"),
    "link": a_link("notes", to_folder=False),
    "linked folder": a_link("series-0123456789ab", to_folder=True),
}


@pytest.mark.parametrize("name", [*IN_THE_WAY, *BESIDE])
def test_a_folder_with_files_of_the_users_is_refused(tmp_path, name):
    folder = tmp_path / "out"
    folder.mkdir()
    (IN_THE_WAY | BESIDE)[name](folder)
    before = everything(tmp_path)
    with pytest.raises(gough.GoughError):
        to_folder(small_grid(outputs=SERIES), folder)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", IN_THE_WAY)
def test_what_is_in_the_way_is_refused_by_name_even_if_results_may_be_overwritten(tmp_path, name):
    folder = tmp_path / "out"
    folder.mkdir()
    IN_THE_WAY[name](folder)
    before = everything(tmp_path)
    with pytest.raises(gough.GoughError) as caught:
        to_folder(small_grid(outputs=SERIES), folder, overwrite=True)
    assert f"{folder / name.partition(',')[0]}" in str(caught.value)
    assert "move it away, or give another folder" in str(caught.value)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_not_in_the_way_is_left(tmp_path, name):
    folder = tmp_path / "out"
    folder.mkdir()
    BESIDE[name](folder)
    before = everything(tmp_path)
    for changes in ({}, {"analysis": "static"}, {"outputs": SERIES}):
        to_folder(two_points(**changes), folder, overwrite=True, report=False)
        after = everything(tmp_path)
        assert {path: after.get(path) for path in before} == before


def test_a_folder_that_is_a_link_is_written_into(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    for overwrite in (False, True):
        to_folder(study(samples=11 + overwrite), tmp_path / "out", overwrite=overwrite)
    assert len(Results.load(tmp_path / "disk")) == 12
    assert (tmp_path / "out").is_symlink()


CHANGES = {
    "report.html": lambda path: path.write_text("with my notes"),
    "series/000001.parquet": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "variations.csv": lambda path: (path.unlink(), path.symlink_to("study.json")),
    "robot.toml": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """A folder of a grid with its series and its page."""
    folder = tmp_path_factory.mktemp("reported")
    to_folder(two_points(outputs=SERIES), folder)
    return folder


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_the_user_has_changed_is_the_users(reported, tmp_path, name):
    shutil.copytree(reported, tmp_path, dirs_exist_ok=True)
    CHANGES[name](tmp_path / name)
    before = everything(tmp_path)
    single = study(samples=11)
    for write in (
        lambda: to_folder(single, tmp_path, overwrite=True, report=False),
        lambda: to_folder(two_points(outputs=SERIES), tmp_path),
        lambda: run_one(single).save(tmp_path),
    ):
        with pytest.raises(gough.GoughError, match=f"{name} is in the way: changed since Gough"):
            write()
        assert everything(tmp_path) == before


def test_what_the_user_adds_to_the_series_outlasts_them(tmp_path):
    to_folder(two_points(outputs=SERIES), tmp_path, report=False)
    (tmp_path / "series" / "thesis.txt").write_text("mine")
    to_folder(study(samples=11), tmp_path, overwrite=True, report=False)
    assert [path.name for path in (tmp_path / "series").iterdir()] == ["thesis.txt"]
    to_folder(two_points(outputs=SERIES), tmp_path, overwrite=True, report=False)
    assert len(list((tmp_path / "series").iterdir())) == 2 + 1
    assert (tmp_path / "series" / "thesis.txt").read_text() == "mine"


def test_results_saved_beside_the_study_do_not_change_its_robot(tmp_path, monkeypatch):
    """With its payload, which results have, the robot would be heavier from run to run."""
    monkeypatch.chdir(tmp_path)
    gough.save(gough.load("demo-hexapod"), "robot.toml")
    (tmp_path / "study.toml").write_text(tomli_w.dumps(data(robot="robot.toml", samples=11)))
    before = files(tmp_path)
    forces = []
    for _ in range(2):
        results = gough.run("study.toml")
        forces.append(results.summary["peak_force"].value)
        with pytest.raises(gough.GoughError, match=r"robot.toml is in the way"):
            results.save(".")
    assert forces[0] == forces[1]
    assert files(tmp_path) == before


def test_results_saved_twice_take_the_place_of_the_first(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    grid = gough.run(data(variations=GRID[1:], samples=11))
    for results in (run_one(study(samples=11)), grid, run_one(study(samples=12))):
        results.save(tmp_path)
    assert len(load_folder(tmp_path)) == 12
    assert {path.name for path in tmp_path.iterdir()} == {
        "results.parquet", "results.csv", "summary.json", "study.json", "robot.toml", "run.json",
        "thesis.txt",
    }  # fmt: skip


def test_a_folder_without_a_record_is_read_but_not_written(tmp_path):
    found = to_folder(study(samples=11), tmp_path, report=False)
    (tmp_path / MANIFEST).unlink()
    np.testing.assert_array_equal(load_folder(tmp_path)["force"], found["force"])
    before = files(tmp_path)
    for overwrite, words in ((False, "not empty"), (True, "is in the way: Gough has no record")):
        with pytest.raises(gough.GoughError, match=words):
            to_folder(study(samples=11), tmp_path, overwrite=overwrite, report=False)
    assert files(tmp_path) == before


def test_a_record_cannot_claim_what_is_outside_its_folder(tmp_path):
    folder, mine = tmp_path / "out", tmp_path / "mine"
    to_folder(study(samples=11), folder, report=False)
    mine.write_text("mine")
    facts = json.loads((folder / MANIFEST).read_text())
    del facts["checksum"]
    for path in ("../mine", str(mine)):
        (folder / MANIFEST).write_bytes(sealed(facts | {"files": {path: "0"}}).encode())
        with pytest.raises(gough.GoughError, match="which is not in its folder"):
            to_folder(study(samples=12), folder, overwrite=True, report=False)
    assert mine.read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def read_only(path, *args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(target.Path, "mkdir", read_only)
    results = run_one(study(samples=11))
    for write in (lambda: to_folder(study(), tmp_path), lambda: results.save(tmp_path)):
        with pytest.raises(gough.GoughError, match=f"{tmp_path}: cannot be written: Permission"):
            write()
    assert not list(tmp_path.iterdir())


def test_a_plot_in_the_folder_replaces_plots_only(tmp_path):
    to_folder(study(samples=11), tmp_path, report=False)
    (tmp_path / "power.png").write_text("mine")
    plot = lambda name: CliRunner().invoke(app, ["plot", str(tmp_path), name])  # noqa: E731
    assert [plot("force").exit_code for _ in range(2)] == [0, 0]
    assert (tmp_path / "force.png").stat().st_size > 10_000
    done = plot("power")
    assert isinstance(done.exception, gough.GoughError)
    assert "power.png is in the way" in str(done.exception)
    assert (tmp_path / "power.png").read_text() == "mine"
    to_folder(study(samples=12), tmp_path, overwrite=True, report=False)
    assert not (tmp_path / "force.png").exists()  # of other numbers
    assert (tmp_path / "power.png").read_text() == "mine"


def _link_to(place):
    return lambda path: path.symlink_to(place)


NOT_OURS = {
    "thesis.txt": lambda path: path.write_text("mine"),
    "notes": lambda path: path.mkdir(),
    "link": _link_to("/"),
    "grid-notes": lambda path: path.write_text("mine"),
    ".notes.json": lambda path: path.write_text("mine"),
}


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_the_user_has_in_the_hidden_folder_is_refused_by_name(tmp_path, name):
    """A note there was once deleted by the next run."""
    (tmp_path / target.HIDDEN).mkdir()
    (tmp_path / target.HIDDEN / target.LOCK).write_text("1\n")
    NOT_OURS[name](tmp_path / target.HIDDEN / name)
    before = everything(tmp_path)
    for write in (
        lambda: to_folder(study(samples=11), tmp_path, overwrite=True, report=False),
        lambda: run_one(study(samples=11)).save(tmp_path),
    ):
        with pytest.raises(gough.GoughError, match=f"{target.HIDDEN}/{name} is in the way"):
            write()
        assert everything(tmp_path).keys() == before.keys()
    if name == "thesis.txt":
        assert (tmp_path / target.HIDDEN / name).read_text() == "mine"


@pytest.mark.parametrize("name", ["new", f"grid-{'0' * 64}", f".{'0' * 32}.json"])
def test_links_in_the_hidden_folder_are_removed_as_links(tmp_path, name):
    """One once made clearing stop, so that the hidden folder stayed for ever."""
    folder, mine = tmp_path / "out", tmp_path / "mine"
    (folder / target.HIDDEN).mkdir(parents=True)
    mine.mkdir()
    (mine / "thesis.txt").write_text("mine")
    (folder / target.HIDDEN / target.LOCK).write_text("1\n")
    (folder / target.HIDDEN / name).symlink_to(mine)
    to_folder(study(samples=11), folder, overwrite=True, report=False)
    assert not (folder / target.HIDDEN).exists()
    assert (mine / "thesis.txt").read_text() == "mine"


def _kernel(folder):
    return export_kernels(gough.Model(gough.load("kalani-2016")), folder, ["jacobian"]).paths


def _cuda(folder):
    return export_kernels(
        gough.Model(gough.load("kalani-2016")), folder, ["jacobian"], language="cuda"
    ).paths


def _controller(folder):
    return export_controller(
        joint_pid(1e4, 1e2), folder, robot=gough.load("kalani-2016"), period=1e-3
    )


@pytest.mark.parametrize("export", [_kernel, _cuda, _controller])
def test_an_export_replaces_what_gough_made_only(tmp_path, export):
    paths = export(tmp_path)
    before = files(tmp_path)
    assert export(tmp_path) == paths
    assert files(tmp_path) == before
    for path in paths:
        for spoil in (lambda p: p.write_text("int mine;\n"), lambda p: p.symlink_to(__file__)):
            path.unlink()
            spoil(path)
            spoilt = everything(tmp_path)
            with pytest.raises(gough.GoughError, match=f"{path.name}: not made by Gough; move"):
                export(tmp_path)
            assert everything(tmp_path) == spoilt
        path.unlink()
        export(tmp_path)
    assert files(tmp_path) == before
