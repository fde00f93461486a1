"""The command line as a user meets it: output, errors in one line, exit codes."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gough
from gough.compiler.native.cache import DIRECTORY_VARIABLE
from gough.exchange import export_controller
from gough.simulation import tune

ROOT = Path(__file__).parents[2]
COMPILER = ["cc"] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc"]


@pytest.fixture
def fails(gough):
    """Run a command that must fail; gives its line of complaint."""
    return lambda *arguments, code=1: gough(*arguments).complaint(code)


def test_version(succeeds):
    assert succeeds("--version") == f"gough {gough.__version__}\n"


def test_robots_lists_the_library_with_references(succeeds):
    text = succeeds("robots")
    assert all(name in text for name in gough.library_names())
    assert "Dietmaier" in text
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) < len(gough.library_names()) + 8
    listed = json.loads(succeeds("robots", "--json"))
    assert [r["name"] for r in listed] == list(gough.library_names())


def test_show_prints_geometry_masses_and_stroke_with_units(succeeds):
    text = succeeds("show", "demo-hexapod")
    for words in ("Joint centres [m]", "Leg lengths [m]", "condition of J at home", "kg m²"):
        assert words in text
    assert re.search(r"1\s+0\.9635\s+0\.763\s+1\.163", text)


def test_what_is_rounding_in_a_stiffness_is_shown_as_0(succeeds):
    """At home the machine does not couple x with z: it is symmetric."""
    _, matrix = succeeds("elastic stiffness", "demo-hexapod").split("Forces [N]")
    assert re.search(r" x +316653 +\S+ +0 ", matrix)
    assert "e-" not in matrix


def test_show_gives_plain_data(succeeds):
    data = json.loads(succeeds("show", "kalani-2016", "--json"))
    assert data["at_home"]["leg_lengths"][0] == pytest.approx(1.1764175, abs=1e-7)
    assert gough.Robot.from_dict({k: v for k, v in data.items() if k != "at_home"}) == gough.load(
        "kalani-2016"
    )


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_show_saves_a_drawing(succeeds, tmp_path, suffix):
    picture = tmp_path / f"machine.{suffix}"
    assert f"figure saved in {picture}" in succeeds("show", "baiges-1996", "--plot", picture)
    assert picture.stat().st_size > 5000


def test_a_drawing_of_unknown_kind_or_place_is_an_error(fails, tmp_path):
    odd = tmp_path / "a.xyz"
    assert "unknown kind of file" in fails("show", "kalani-2016", "--plot", odd, code=2)
    absent = tmp_path / "absent" / "a.png"
    assert "cannot be written: No such file" in fails("show", "kalani-2016", "--plot", absent)


def test_check_accepts_a_good_file_and_remarks_on_what_is_missing(succeeds, tmp_path):
    path = tmp_path / "mine.toml"
    gough.save(gough.load("kalani-2016"), path)
    text = succeeds("check", path)
    assert "ok" in text
    assert re.search(r"leg count +6", text)
    assert "no leg has a stroke" in text


def test_brackets_in_names_and_texts_are_no_markup(succeeds, tmp_path):
    path = tmp_path / "[red]mine.toml"
    data = gough.load("kalani-2016").to_dict() | {"notes": "forces in [N] [/b]", "name": "[s]x"}
    gough.save(gough.Robot.from_dict(data), path)
    assert "[red]mine.toml" in succeeds("check", path)
    text = succeeds("show", path)
    assert "[s]x" in text
    assert "[N] [/b]" in text


def test_a_simulation_does_not_write_over_other_results(fails, tmp_path):
    (tmp_path / "kept.txt").write_text("mine")
    study = ROOT / "studies" / "simulation" / "demo-pid.toml"
    assert "not empty" in fails("run", study, "--output", tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["kept.txt"]


def test_check_names_file_key_and_expectation(fails, tmp_path):
    path = tmp_path / "mine.toml"
    gough.save(gough.load("kalani-2016"), path)
    path.write_text(path.read_text().replace("mass = 1.5", 'mass = "3 m"'))
    message = fails("check", path)
    assert str(path) in message
    assert "platform.mass" in message
    assert "expected a mass" in message


def test_an_unknown_robot_names_the_nearest(fails):
    assert 'nearest: "kalani-2016"' in fails("show", "kalani-2015")
    far = fails("show", "nope")
    assert "nearest" not in far
    assert all(name in far for name in gough.robot.library_names())


def test_exported_c_compiles_strictly_and_its_example_prints_the_lengths(succeeds, tmp_path):
    text = succeeds(
        "export kernels", "kalani-2016", "inverse_kinematics", "--to", "c", "-o", tmp_path
    )
    assert text.count("wrote") == 3
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    sources = ["inverse_kinematics.c", "inverse_kinematics_example.c"]
    build = [*COMPILER, *strict, *sources, "-lm", "-o", "example"]
    subprocess.run(build, cwd=tmp_path, check=True)
    printed = subprocess.run(
        [tmp_path / "example"], capture_output=True, text=True, check=True
    ).stdout
    assert printed.splitlines()[0].startswith("q[0] = 1.176417")


def test_several_kernels_are_one_library_with_their_work(succeeds, tmp_path):
    words = (
        "export kernels",
        "delta",
        "jacobian",
        "forward_kinematics",
        "--float32",
        "-o",
        tmp_path,
    )
    text = succeeds(*words)
    assert {path.name for path in tmp_path.iterdir()} == {"delta.c", "delta.h", "delta_example.c"}
    assert re.search(r"jacobian +132 +132 *\n +forward_kinematics +\d+ +\d{4}", text)
    data = json.loads(succeeds(*words, "--json"))
    assert data["operations"]["jacobian"] == {"one pass": 132, "at most": 132}
    assert "remarks" not in data


def test_what_is_to_be_exported_must_be_said(fails):
    for words in (["delta"], ["delta", "jacobian", "--all"]):
        assert "expected names of kernels, or --all" in fails("export kernels", *words, code=2)


def test_an_exported_controller_is_the_tuned_one(succeeds, tmp_path):
    options = ("--controller", "computed-torque", "--frequency", "6 Hz", "--damping", "0.8")
    succeeds("export controller", "delta", *options, "-o", tmp_path / "command")
    robot = gough.load("delta")
    tuned = tune(robot, "computed-torque", 6, damping=0.8)
    made = {"robot": robot, "period": 1e-3, "limit": tuned.plant.limit}
    export_controller(tuned.controller, tmp_path / "library", **made)
    files = {p.name: p.read_text() for p in (tmp_path / "command").iterdir()}
    assert files.keys() == {"controller.c", "controller.h", "controller_example.c"}
    assert files == {p.name: p.read_text() for p in (tmp_path / "library").iterdir()}


def test_exported_cuda_comes_with_its_signature(succeeds, tmp_path):
    succeeds(
        "export kernels", "demo-hexapod", "jacobian", "--to", "cuda", "--float32", "-o", tmp_path
    )
    signature = json.loads((tmp_path / "jacobian.json").read_text())
    assert signature["dtype"] == "float32"
    assert signature["outputs"][0]["shape"] == [6, 6]
    assert "__global__ void jacobian(" in (tmp_path / "jacobian.cu").read_text()


def test_controllers_get_function_blocks_or_a_component(succeeds, tmp_path):
    text = succeeds("export kernels", "delta", "jacobian", "energy", "--to", "st", "-o", tmp_path)
    assert text.count("wrote") == 2
    assert "FUNCTION_BLOCK energy\n" in (tmp_path / "energy.st").read_text()
    succeeds("export machine", "kalani-2016", "--to", "linuxcnc", "-o", tmp_path)
    assert "component kalani_2016_kins " in (tmp_path / "kalani_2016_kins.comp").read_text()


def test_what_cannot_be_exported_is_said_and_nothing_is_written(fails, tmp_path):
    assert "did you mean jacobian?" in fails(
        "export kernels", "kalani-2016", "jacobien", "-o", tmp_path
    )
    to_fortran = ("export kernels", "kalani-2016", "jacobian", "--to", "fortran", "-o", tmp_path)
    assert "'fortran' is not one of 'c', 'cuda', 'js', 'wasm'" in fails(*to_fortran, code=2)
    single = (
        "export kernels",
        "kalani-2016",
        "jacobian",
        "--to",
        "js",
        "--float32",
        "-o",
        tmp_path,
    )
    assert "'--float32': not for --to js; for" in fails(*single, code=2)
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert "cannot be written" in fails(
        "export kernels", "kalani-2016", "jacobian", "-o", blocked / "x"
    )
    assert list(tmp_path.iterdir()) == [blocked]


def test_the_cache_is_shown_and_cleared(tmp_path, monkeypatch):
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))

    def process(*arguments):
        call = [sys.executable, "-m", "gough.cli.main", *arguments]
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout

    process("show", "kalani-2016")
    assert re.search(r"entries\s+2, ", process("cache", "--info"))
    assert "2 compiled kernels removed" in process("cache", "--clear")
    assert json.loads(process("cache", "--json"))["entries"] == 0
