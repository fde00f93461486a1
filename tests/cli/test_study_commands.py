"""The commands for studies: run, plot."""

import csv
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from browser import browser_program

import gough as library
from gough.analysis.results import Results

ROOT = Path(__file__).parents[2]
HELIX = 'kind="expression", duration=6.28, x="0.1*cos(2*t)", y="0.1*sin(2*t)", z="1 + 0.01*t"'
LINE = 'kind="line", displacement=[0.05, 0, 0.03], duration=0.5'
STUDY = """
schema = "gough-study/1"
name = "small"
robot = "demo-hexapod"
samples = 21
motion = { kind = "line", displacement = [0.05, 0, 0.03], duration = 1 }
"""
VARIED = STUDY + '[[variations]]\nname = "way"\nparameter = "motion.displacement[0]"\n'


def massless(folder):
    data = library.load("kalani-2016").to_dict()
    data["platform"] |= {"mass": 0, "inertia": [0, 0, 0]}
    for part in ("cylinder", "piston"):
        data["leg"].pop(part)
    library.save(library.Robot.from_dict(data), folder / "massless.toml")
    return folder / "massless.toml"


@pytest.fixture
def written(tmp_path):
    def write(text=STUDY):
        path = tmp_path / "study.toml"
        path.write_text(text)
        return path

    return write


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("command", "file", "computing"),
    [
        ("run", "baiges-balance.toml", "gough.studies.run_grid"),
        ("run", "demo-machining.toml", "gough.runs.study.run_one"),
        ("run", "simulation/demo-active-damping.toml", "gough.studies.grid.run_together"),
    ],
)
def test_an_interrupt_before_anything_is_done_promises_nothing(
    gough, monkeypatch, tmp_path, command, file, computing
):
    monkeypatch.setattr(computing, interrupt)
    folder = tmp_path / "out"
    line = gough(command, ROOT / "studies" / file, "--output", folder).complaint(130)
    assert line == "gough: interrupted; nothing was written"
    assert not folder.exists()


@pytest.fixture
def along(gough, tmp_path):
    """Run a robot along a motion; gives the results."""
    count = itertools.count()

    def run(robot, motion, *words):
        folder = tmp_path / f"run-{next(count)}"
        done = gough("run", robot, "-m", motion, *words, "--no-report", "-o", folder)
        assert (done.code, done.err) == (0, "")
        return Results.load(folder)

    return run


def test_kalani_case_1_through_the_command_line(along):
    found = along("kalani-2016", HELIX, "--samples", 315)
    with (ROOT / "tests" / "data" / "kalani_case1.csv").open() as file:
        rows = list(csv.DictReader(file))
    wanted = [[float(row[f"f{k}"]) for k in range(1, 7)] for row in rows]
    np.testing.assert_allclose(found["force"], wanted, atol=1e-8)
    assert found.time[-1] == 6.28


def test_a_motion_is_run_with_tasks_or_as_slowly_as_possible(gough, along, written):
    payload = ("-t", 'kind="payload", mass="20 kg"')
    bare, loaded = (along("demo-hexapod", LINE, *task) for task in ((), payload))
    assert len(bare.time) == 1001
    assert (loaded["force"].sum(axis=1) > bare["force"].sum(axis=1)).all()
    static = along("demo-hexapod", LINE, "--samples", 11, "--static")
    assert len(static.time) == 11
    assert abs(static["force"][0] - bare["force"][0]).max() < 1e-9
    assert len(along("demo-hexapod", written()).time) == 1001


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("demo-hexapod", "-m", 'kind="lime"'), 'motion.kind: not known (did you mean "line"?)'),
        (("demo-hexapod", "-m", "none.toml"), "none.toml: no such file"),
        (("demo-hexapod", "-m", LINE, "-t", "none.toml"), "none.toml: no such file"),
        (("nothing", "-m", LINE), "robot: nothing: no such file"),
        (("delta",), "delta is a robot; expected a study file, or --motion beside it"),
        (("demo-hexapod", "-m", LINE, "-t", 'kind="payload"'), "tasks[0].mass: missing"),
    ],
)
def test_a_wrong_motion_is_refused(gough, arguments, words):
    assert words in gough("run", *arguments).complaint()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-m", "kind=line"), "'--motion': not valid TOML"),
        (("-m", LINE, "-t", "kind=line"), "'--task': not valid TOML"),
        (("-m", LINE, "--samples", 1), "'--samples'"),
        (("--static",), "'--static': for a robot along a motion; expected --motion beside it"),
    ],
)
def test_a_wrong_option_of_a_motion_is_refused(gough, arguments, words):
    assert words in gough("run", "demo-hexapod", *arguments).complaint(2)


def test_motion_and_tasks_are_taken_with_their_files_from_a_study(gough, along, tmp_path):
    rows = [f"{k},{0.01 * k},1" for k in range(9)]
    (tmp_path / "way.csv").write_text("\n".join(["t,x,z", *rows]))
    (tmp_path / "mine.toml").write_text(
        '[motion]\nkind = "recorded"\nfile = "way.csv"\nposition_noise = 1e-3\nangle_noise = 0\n'
        '[[tasks]]\nkind = "payload"\nmass = 3\n[[tasks]]\nkind = "payload"\nmass = 4\n'
    )
    file = tmp_path / "mine.toml"
    loads = [("-t", file), ("-t", 'kind="payload", mass=3', "-t", 'kind="payload", mass="4 kg"')]
    one, other = (along("kalani-2016", file, *load) for load in loads)
    np.testing.assert_array_equal(one["force"], other["force"])
    end = json.loads(gough("pose ik", "kalani-2016", "--position", "8 cm", 0, 1, "--json").out)
    np.testing.assert_allclose(one["leg_length"][-1], end["leg_lengths"], atol=1e-3)


def test_a_massless_robot_is_said_to_be_one(gough, tmp_path):
    file = massless(tmp_path)
    words = ("-m", LINE, "--samples", 5, "-o", tmp_path / "out")
    assert "have no mass" in gough("run", file, *words).out
    assert "no inertia against some motion" in gough("control tune", file).complaint()


def test_run_writes_a_folder_with_a_report(gough, written, tmp_path):
    folder = tmp_path / "out"
    code, out, err = gough("run", written(), "--output", folder)
    assert (code, err) == (0, "")
    assert "peak force" in out
    assert "report.html" in out
    assert (folder / "report.html").stat().st_size > 1000
    assert (folder / "results.parquet").exists()


def test_run_names_the_folder_after_the_study(gough, written, tmp_path, monkeypatch):
    path = written()
    monkeypatch.chdir(tmp_path)
    code, out, _ = gough("run", path, "--no-report", "--json")
    assert code == 0
    data = json.loads(out)
    assert data["folder"] == "small-results"
    assert data["summary"]["peak_force"]["unit"] == "N"
    assert (tmp_path / "small-results" / "results.csv").exists()
    assert not (tmp_path / "small-results" / "report.html").exists()


def test_run_says_which_points_of_a_grid_fail_or_exceed_limits(gough, written, tmp_path):
    durations = STUDY + '[[variations]]\nparameter = "motion.duration"\nvalues = [1, 0.05, -1]'
    code, out, _ = gough("run", written(durations), "-o", tmp_path / "out", "--no-report")
    assert code == 0
    assert "1 of 3 points could not be computed, the first: motion.duration" in out
    assert "1 of 3 points exceed the speed of an actuator" in out


def test_run_prints_a_table_of_variations(gough, written, tmp_path):
    path = written(VARIED + 'values = ["10 mm", "20 mm"]\n')
    code, out, _ = gough("run", path, "-o", tmp_path / "out", "--no-report")
    assert code == 0
    assert "way [mm]" in out
    code, out, _ = gough("run", path, "-o", tmp_path / "out", "--no-report", "--json")
    columns = json.loads(out)["columns"]
    assert columns["way [mm]"] == [10.0, 20.0]
    assert len(columns["peak_force [N]"]) == 2


def test_singular_motions_have_null_in_json(gough, tmp_path):
    path = ROOT / "studies" / "baiges-half-turn.toml"
    code, out, _ = gough("run", path, "-o", tmp_path / "out", "--no-report", "--json")
    assert code == 0
    assert json.loads(out)["columns"]["peak_force [N]"] == [None] * 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (STUDY.replace("samples = 21", "samples = 0"), "study.toml: samples: out of range"),
        (VARIED + "values = []", "study.toml: variations[0].values: not a list"),
        ("nonsense", "study.toml: not valid TOML"),
    ],
)
def test_run_says_what_is_wrong_in_a_study(gough, written, tmp_path, text, words):
    assert words in gough("run", written(text), "-o", tmp_path / "out").complaint()
    assert not (tmp_path / "out").exists()


def test_plot_draws_quantities_and_lists_them(gough, written, tmp_path):
    folder = tmp_path / "out"
    gough("run", written(), "-o", folder, "--no-report")
    code, out, _ = gough("plot", folder)
    assert code == 0
    assert "leg_length [m] distance between a leg's two joints" in out
    code, out, _ = gough("plot", folder, "force", "-o", tmp_path / "force.svg")
    assert code == 0
    assert (tmp_path / "force.svg").read_text().startswith("<?xml")
    code, out, _ = gough("plot", folder, "power", "--json")
    assert Path(json.loads(out)["file"]).read_bytes().startswith(b"\x89PNG")


def test_plot_says_what_is_wrong(gough, written, tmp_path):
    folder = tmp_path / "out"
    gough("run", written(), "-o", folder, "--no-report")
    assert "did you mean force" in gough("plot", folder, "forse").complaint()
    assert "no results here" in gough("plot", tmp_path, "force").complaint()


@pytest.mark.parametrize("name", ["a.gif", "a.jpg", "a.xyz", "a"])
def test_plot_refuses_other_kinds_of_pictures_before_it_looks_at_anything(gough, name):
    words = gough("plot", "no-such-folder", "force", "-o", name).complaint(2)
    assert "expected .png, .svg, .pdf" in words


@pytest.mark.parametrize("command", [("run", "no.toml"), ("workspace volume", "demo-hexapod")])
def test_processes_and_a_cluster_exclude_each_other(gough, command):
    done = gough(*command, "--workers", "2", "--cluster", "tcp://127.0.0.1:8786")
    assert "--workers" in done.complaint(2)
    assert "not with --cluster" in done.complaint(2)


def test_there_is_at_least_one_worker(gough):
    assert "--workers" in gough("run", "no.toml", "--workers", "0").complaint(2)


@pytest.mark.parametrize("option", [("--workers", "2"), ("--cluster", "tcp://127.0.0.1:8786")])
def test_a_study_of_one_point_is_sent_to_nobody(gough, option, tmp_path):
    study, folder = ROOT / "studies" / "demo-machining.toml", tmp_path / "out"
    done = gough("run", study, "-o", folder, *option)
    assert "one run, computed here" in done.complaint(2)
    assert not folder.exists()
    words = ("tolerances", "demo-hexapod", "--tolerance", "platform.mass=1%", *option)
    assert "add --monte-carlo" in gough(*words).complaint(2)


def test_the_main_figures_are_five_lines(succeeds, written, tmp_path):
    run = ["run", str(written()), "-o", str(tmp_path / "small"), "--summary"]
    lines = succeeds(*run).splitlines()
    names = [" ".join(line.split()[:2]) for line in lines]
    assert names == ["stroke used", "peak leg", "peak force", "rms force", "peak power"]
    assert " m/s " in lines[1]


def test_a_report_is_printed_on_one_page(succeeds, written, tmp_path):
    browser_program()
    succeeds("run", str(written()), "-o", str(tmp_path / "small"), "--pdf")
    printed = (tmp_path / "small" / "report.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    assert re.findall(rb"/Type\s*/Pages.*?/Count (\d+)", printed, re.S) == [b"1"]


def test_without_a_browser_the_run_succeeds_and_says_so(gough, written, tmp_path, monkeypatch):
    monkeypatch.setattr("gough.report.report.BROWSERS", ("no-such-browser",))
    done = gough("run", str(written()), "-o", str(tmp_path / "small"), "--pdf")
    assert done.code == 0
    assert "no report.pdf: no browser found" in done.err
    assert (tmp_path / "small" / "report.html").exists()
    assert not (tmp_path / "small" / "report.pdf").exists()


def test_a_film_stands_beside_the_results_of_one_run(succeeds, gough, written, tmp_path):
    shown = succeeds("run", str(written()), "-o", str(tmp_path / "small"), "--film", "--no-report")
    assert (tmp_path / "small" / "film.gif").read_bytes()[:3] == b"GIF"
    assert "film saved in" in shown
    succeeds("run", str(written()), "-o", str(tmp_path / "small"), "--no-report")  # nothing is lost
    assert (tmp_path / "small" / "film.gif").exists()
    varied = written(VARIED + "values = [0.01, 0.02]\n")
    refused = gough("run", str(varied), "--film", "-o", str(tmp_path / "grid"))
    assert refused.code != 0
    assert "--film" in refused.err
    assert not (tmp_path / "grid").exists()
