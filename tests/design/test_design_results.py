"""What is written of designs: robots that can be loaded, a table, and a page to look at."""

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from browser import Page, open_context, until

import gough
from designs import two_aims
from gough.design import Choices
from gough.runs import to_folder

SEARCH = {"points": 4, "starts": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("designs") / "out"


@pytest.fixture(scope="module")
def front(folder):
    return to_folder(two_aims(), folder, **SEARCH)


def in_vain(*_, **__):
    pytest.fail("searched in vain")


def test_robots_and_table_are_those_that_were_found(front, folder):
    with (folder / "designs.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(front)
    for row, one in zip(rows, front, strict=True):
        written = gough.load(folder / row["robot"])
        assert written.legs == one.robot.legs
        assert f"{written.name}.toml" == row["robot"]
        assert written.reference == "Found by Gough, from demo-hexapod"
        assert float(row["force [N]"]) == one.objectives["force"]
        assert float(row["symmetric.base_radius [m]"]) == one.variables["symmetric.base_radius"]
    told = json.loads((folder / "summary.json").read_text("utf-8"))
    assert [one["possible"] for one in told["designs"]] == [True] * len(front)


def test_on_paper_all_machines_are_drawn_at_one_scale(front, folder):
    """The plate of the base is as wide as its radius says."""
    page = (folder / "report.html").read_text("utf-8")
    assert "Forces include" in page
    figures = re.findall(r"<figure>.*?</figure>", page)
    corners = [re.search(r'polygon points="([^"]*)"', figure)[1].split() for figure in figures]
    widths = [np.ptp([float(corner.split(",")[0]) for corner in places]) for places in corners]
    radii = [one.variables["symmetric.base_radius"] for one in front]
    assert len(figures) == len(front)
    assert np.divide(widths, radii) == pytest.approx(widths[0] / radii[0], rel=5e-3)


def test_another_design_is_refused_before_it_is_searched_for(front, folder, monkeypatch):
    monkeypatch.setattr("gough.runs.design.searched", in_vain)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for other, search in (
        (replace(two_aims(), fixed={"gravity.z": -1.6}), SEARCH),
        (two_aims(), {**SEARCH, "rng": 1}),
    ):
        with pytest.raises(gough.GoughError, match="overwrite"):
            to_folder(other, folder, **search)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_the_same_design_comes_into_its_folder_again(front, tmp_path, monkeypatch):
    monkeypatch.setattr("gough.runs.design.searched", lambda *_, **__: front[0])
    for _ in range(2):
        to_folder(two_aims(), tmp_path / "out")
    monkeypatch.setattr("gough.runs.design.searched", lambda *_, **__: Choices("none", ()))
    to_folder(two_aims(), tmp_path / "none")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_robots_are_written_in_the_folder_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("gough.runs.design.searched", in_vain)
    outside = replace(two_aims(), name="../outside")
    with pytest.raises(gough.GoughError, match="without slashes"):
        to_folder(outside, tmp_path / "inside")
    assert not list(tmp_path.iterdir())


def test_the_page_shows_the_machine_that_is_chosen_where_it_is_worst(front, folder, browser):
    opened = Page(open_context(browser), folder / "report.html")
    page = opened.tab
    forces = "document.getElementById('force-cells').textContent"
    until(page, f"{forces}.includes('N')")
    at_home = page.evaluate(forces)
    page.evaluate("document.querySelectorAll('table.all [data-point]')[2].click()")
    until(page, "document.querySelector('[data-machine=\"2\"]').hidden === false")
    assert page.evaluate(forces) != at_home
    page.evaluate('document.querySelector(\'[data-machine="2"] [data-point="1"]\').click()')
    until(page, "document.getElementById('machine-name').textContent.includes('stroke is worst')")
    opened.pictures()
    held = front[2].requirements[0]
    cells = "[...document.querySelectorAll('.force-cell b')]"
    peak = max(page.evaluate(f"{cells}.map((b) => parseFloat(b.textContent))"))
    model = gough.Model(front[2].robot)
    assert peak == pytest.approx(model.inverse_dynamics(held.pose).max(), rel=2e-3)
    assert opened.complaints() == []
