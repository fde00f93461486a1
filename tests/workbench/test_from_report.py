"""From a report to the workbench beside it, at the time that is looked at."""

import json

import numpy as np
import pytest
from browser import Page, open_context, until
from typer.testing import CliRunner

import gough
from gough.cli.command_group import app
from gough.disk.manifest import Manifest
from gough.errors import GoughError
from gough.runs import to_folder
from gough.studies.grid_storage import REPORT, WORKBENCH

STUDY = {
    "schema": "gough-study/1",
    "name": "mine",
    "robot": "demo-hexapod",
    "samples": 31,
    "motion": {"kind": "rotation", "axis": [0, 0, 1], "angle": 0.3, "duration": 0.6},
    "outputs": {"quantities": ["pose", "force"], "csv": False},
}
GRID = STUDY | {"variations": [{"parameter": "motion.angle", "values": [0.1, 0.2]}]}


def test_a_report_opens_every_time_in_the_workbench(browser, tmp_path):
    study = gough.Study.from_dict(STUDY)
    results = to_folder(study, tmp_path, workbench=True)
    report = Page(open_context(browser), tmp_path / REPORT)
    k = 17
    report.slide("#player input[type=range]", 1000 * k / 30)
    with report.tab.context.expect_page() as opening:
        report.press("text=Open in the workbench")
    bench = opening.value
    until(bench, "window.gough")
    found = bench.evaluate("() => [...window.gough.now.pose, ...window.gough.now.force]")
    expected = np.concatenate([results["pose"][k], results["force"][k]])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert report.complaints() == []
    report.tab.context.close()


def test_the_workbench_comes_and_goes_with_the_results(tmp_path):
    study, page = gough.Study.from_dict(STUDY), tmp_path / WORKBENCH
    to_folder(study, tmp_path, workbench=True)
    assert WORKBENCH in Manifest.read(tmp_path).files
    assert WORKBENCH in (tmp_path / REPORT).read_text()
    to_folder(study, tmp_path)
    assert not page.exists()
    assert WORKBENCH not in (tmp_path / REPORT).read_text()
    page.write_text("mine")
    with pytest.raises(GoughError, match="is in the way"):
        to_folder(study, tmp_path, workbench=True)
    assert page.read_text() == "mine"


def test_a_point_of_a_grid_has_a_report_and_a_workbench_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "grid.json").write_text(json.dumps(GRID))
    refused = CliRunner().invoke(app, ["run", "grid.json", "--workbench"])
    assert refused.exit_code != 0
    assert "a grid has no workbench" in str(refused.exception)
    assert CliRunner().invoke(app, ["run", "grid.json", "-o", "grid"]).exit_code == 0
    monkeypatch.chdir(tmp_path / "grid")
    done = CliRunner().invoke(app, ["run", "study.json", "--point", "1", "--workbench"])
    assert done.exit_code == 0
    folder = tmp_path / "grid" / "mine-1-results"
    assert (folder / WORKBENCH).is_file()
    whole, alone = gough.run(GRID), gough.Results.load(folder)
    assert alone.summary["peak_force"].value == whole["peak_force"][1]
