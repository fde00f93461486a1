"""`gough view`: a page is written, and nothing else is written over."""

import pytest
from typer.testing import CliRunner

import gough
from gough.cli.command_group import app
from gough.errors import GoughError
from gough.workbench import workbench_page, write_workbench


def test_a_page_is_written_over_a_page_only(tmp_path):
    robot, path = gough.load("planar-3rrr"), tmp_path / "page.html"
    write_workbench(robot, path)
    first = path.read_text()
    write_workbench(robot, path)
    assert path.read_text() == first
    path.write_text("<html>mine</html>")
    with pytest.raises(GoughError, match="not made by Gough"):
        write_workbench(robot, path)
    assert path.read_text() == "<html>mine</html>"


def test_a_folder_is_no_place_for_a_page(tmp_path):
    with pytest.raises(GoughError, match="not made by Gough"):
        write_workbench(gough.load("planar-3rrr"), tmp_path)


def test_a_page_is_named_after_its_file_whatever_its_robot_is_called(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    gough.save(gough.load("planar-3rrr").replace(name="../elsewhere"), folder / "mine.toml")
    assert CliRunner().invoke(app, ["view", "mine.toml", "--no-open"]).exit_code == 0
    assert sorted(path.name for path in tmp_path.rglob("*.html")) == ["mine.html"]
    assert (folder / "mine.html").is_file()


def test_only_robots_have_a_workbench():
    with pytest.raises(GoughError, match="needs a Robot"):
        workbench_page("delta")
