"""What a script can rely on: exit codes, one line on standard error, strict JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

import gough as library
from gough.cli.command_group import app
from gough.cli.output import print_json

ROOT = Path(__file__).parents[2]
COMMANDS = typer.main.get_command(app).commands
LINE = 'kind="line", displacement=[0.05, 0, 0.03], duration=0.5'
JSON = {
    "robots": [""],
    "show": ["demo-hexapod"],
    "new": ["robot yours", "study way --robot delta"],
    "import": ["imports/stewart.xml"],
    "check": ["mine.toml"],
    "run": ["studies/demo-machining.toml --no-report", "studies/baiges-half-turn.toml --no-report"],
    "select": ["demo-hexapod studies/demo-machining.toml"],
    "inverse-dynamics": ["kalani-2016 --samples 5 --motion LINE"],
    "plot": ["results", "results force"],
    "simulate": ["studies/simulation/demo-pid.toml --no-report"],
    "tune": ["demo-hexapod --kind computed-torque", "demo-hexapod --frequency 400"],
    "ik": ["demo-hexapod"],
    "fk": ["kalani-2016 --lengths 1.2 1.2 1.2 1.2 1.2 1.2"],
    "modes": ["kalani-2016"],
    "singularity": ["kalani-2016", "kalani-2016 --position 0 0 0 --rpy 0 0 0"],
    "stiffness": ["demo-hexapod", "demo-hexapod --actuators 20N/um"],
    "tolerances": ["demo-hexapod --spread legs[*].base=5e-5", "delta --spread platform.mass=1%"],
    "excite": ["bingul-2012 --starts 1 -o excitation.toml"],
    "identify": ["demo-hexapod studies/recorded.parquet --legs identical"],
    "payload": ["demo-hexapod studies/loaded.parquet"],
    "calibrate": ["demo-hexapod studies/measured.csv --sigma 15um --turn-sigma 20urad"],
    "calibration-poses": ["demo-hexapod --count 8 -o poses.csv"],
    "design": ["designs/simulator.toml --starts 1 --points 3"],
    "crossing": ["studies/five-bar-down.toml"],
    "travel": ["demo-hexapod --tool 0 0 0.1"],
    "reach": ["demo-hexapod --move 4cm 4cm 4cm --turn 8deg 8deg 8deg"],
    "vibration": ["demo-hexapod --connectors rigid"],
    "view": ["planar-3rrr"],
    "workspace": ["demo-hexapod --slice z=0.95", "demo-hexapod --slice z=99"],
    "export": ["kalani-2016 inverse_kinematics"],
    "cache": [""],
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    for folder in ("studies", "designs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "imports").symlink_to(ROOT / "tests" / "data" / "imports")
    library.save(library.load("kalani-2016"), tmp_path / "mine.toml")
    monkeypatch.chdir(tmp_path)


def strict(text):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def numbers(data):
    """Whether there is any number in plain data."""
    if isinstance(data, dict | list):
        items = data.values() if isinstance(data, dict) else data
        return any(numbers(item) for item in items)
    return isinstance(data, int | float)


def test_every_command_that_prints_numbers_can_print_them_as_json():
    able = {n for n, c in COMMANDS.items() if any("--json" in p.opts for p in c.params)}
    assert able == set(JSON) == set(COMMANDS) - {"schema"}


@pytest.mark.usefixtures("here", "quick")
@pytest.mark.parametrize(("name", "words"), [(n, w) for n, many in JSON.items() for w in many])
def test_json_is_strict_and_alone_on_standard_output(gough, name, words):
    if name == "plot":
        gough("run", "studies/bingul-1.toml", "--output", "results", "--no-report")
    arguments = [LINE if word == "LINE" else word for word in words.split()]
    done = gough(name, *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    data = strict(done.out)
    assert numbers(data) or name in ("plot", "export", "new")


def test_exit_codes_are_in_the_help(gough):
    text = " ".join(gough("--help").out.split())
    for words in ("0 fine", "1 the request could not be done", "2 wrong usage", "130 interrupted"):
        assert words in text


def test_what_is_done_exits_with_0(gough):
    assert gough("ik", "demo-hexapod").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["show", "no-such-robot"],
        ["check", "none.toml"],
        ["run", "none.toml"],
        ["simulate", "none.toml"],
        ["plot", "none", "force"],
        ["fk", "kalani-2016", "--lengths", "1", "1", "1", "1", "1", "9"],
        ["workspace", "kalani-2016"],
    ],
)
@pytest.mark.usefixtures("here")
def test_what_cannot_be_done_exits_with_1(gough, words):
    assert gough(*words).complaint(1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["show"], "missing argument 'ROBOT'; see 'gough show --help'"),
        (["nonsense"], "no such command 'nonsense'"),
        (["show", "kalani-2016", "--nonsense"], "no such option: --nonsense"),
        (["show", "kalani-2016", "more"], "got unexpected extra argument"),
        (["fk", "kalani-2016"], "missing option '--lengths'"),
        (["tune", "kalani-2016", "--frequency", "-1"], "'--frequency': out of range, got -1 Hz"),
        (["tune", "kalani-2016", "--frequency", "nan"], "got nan Hz"),
        (["tune", "kalani-2016", "--frequency", "x"], "'--frequency'"),
        (["tune", "kalani-2016", "--period", "0"], "'--period': out of range, got 0 s"),
        (["tune", "kalani-2016", "--kind", "fuzzy"], "expected one of joint-pid, pd-gravity"),
        (
            ["design", f"{ROOT}/designs/mover.toml", "--points", "5"],
            "'--points': mover has one objective",
        ),
        (["schema", "motor"], "'motor' is not one of 'robot', 'robot-2', 'study'"),
    ],
)
def test_wrong_usage_exits_with_2(gough, words, complaint):
    assert complaint in gough(*words).complaint(2)


def test_no_command_is_wrong_usage_and_shows_the_help(gough):
    done = gough()
    assert done.code == 2
    assert "COMMAND" in done.out + done.err


def test_what_does_not_fit_the_terminal_is_still_printed(tmp_path):
    """Names of files need not be text, and a terminal need not know all letters."""
    odd = os.fsencode(tmp_path) + b"/\xff.toml"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for arguments, code in ((["check", odd], 1), (["show", "demo-hexapod", "--json"], 0)):
        done = subprocess.run(
            [sys.executable, "-m", "gough.cli.main", *arguments],
            env=environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert b"Traceback" not in done.stderr
    assert strict(done.stdout)["name"] == "demo-hexapod"


def test_what_is_no_data_is_a_defect_and_not_printed_as_json():
    with pytest.raises(TypeError, match="not JSON serializable"):
        print_json({"model": object()})
