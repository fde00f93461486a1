"""`gough view`: a page is written, and nothing else is written over."""

import pytest

import gough
from gough.errors import GoughError
from gough.workbench import write_workbench


def test_a_page_is_written_over_a_page_only(tmp_path):
    robot, path = gough.load("planar-3rrr"), tmp_path / "page.html"
    write_workbench(robot, path)
    first = path.read_text()
    write_workbench(robot, path)
    assert path.read_text() == first
    path.write_text("<html>mine</html>")
    with pytest.raises(GoughError, match="is there already and no workbench"):
        write_workbench(robot, path)
    assert path.read_text() == "<html>mine</html>"


def test_a_folder_is_no_place_for_a_page(tmp_path):
    with pytest.raises(GoughError, match="cannot be written"):
        write_workbench(gough.load("planar-3rrr"), tmp_path)
