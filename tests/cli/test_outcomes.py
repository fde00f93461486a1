"""What a script can rely on: exit codes, one line on standard error, strict JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from all_commands import COMMANDS

import gough as library
from gough.cli.output import print_json

ROOT = Path(__file__).parents[2]
LINE = 'kind="line", displacement=[0.05, 0, 0.03], duration=0.5'
JSON = {
    "robots": [""],
    "show": ["demo-hexapod"],
    "new": ["robot yours", "study way --robot delta"],
    "import": ["imports/stewart.xml"],
    "check": ["mine.toml"],
    "run": ["studies/baiges-half-turn.toml --no-report", "kalani-2016 --samples 5 --motion LINE"],
    "plot": ["results", "results force"],
    "control tune": ["demo-hexapod --frequency 400"],
    "pose fk": ["kalani-2016 --lengths 1.2 1.2 1.2 1.2 1.2 1.2"],
    "pose singularity": ["kalani-2016 --position 0 0 0 --rpy 0 0 0"],
    "elastic stiffness": ["demo-hexapod --actuators 20N/um"],
    "tolerances": ["delta --tolerance platform.mass=1%"],
    "identify poses": ["demo-hexapod --count 8 -o poses.csv"],
    "workspace volume": ["demo-hexapod --slice z=99"],
    "export kernels": ["kalani-2016 inverse_kinematics"],
    "cache": [""],
}
"""Commands that print more than a result, or numbers not finite; results: tests/display."""


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
    assert able == set(COMMANDS) - {"schema"}


@pytest.mark.usefixtures("here", "quick")
@pytest.mark.parametrize(("name", "words"), [(n, w) for n, many in JSON.items() for w in many])
def test_json_is_strict_and_alone_on_standard_output(gough, name, words):
    if name == "plot":
        gough("run", "studies/bingul-1.toml", "--output", "results", "--no-report")
    arguments = [LINE if word == "LINE" else word for word in words.split()]
    done = gough(name, *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    data = strict(done.out)
    assert numbers(data) or name in ("plot", "new")


def test_what_is_done_exits_with_0(gough):
    assert gough("pose ik", "demo-hexapod").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["show", "no-such-robot"],
        ["check", "none.toml"],
        ["run", "none.toml"],
        ["plot", "none", "force"],
        ["pose fk", "kalani-2016", "--lengths", "1", "1", "1", "1", "1", "9"],
        ["workspace volume", "kalani-2016"],
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
        (["workspace delta"], "no such command 'delta'; expected volume, travel, box; see"),
        (["show", "kalani-2016", "--nonsense"], "no such option: --nonsense"),
        (["show", "kalani-2016", "more"], "got unexpected extra argument"),
        (["pose fk", "kalani-2016"], "missing option '--lengths'"),
        (
            ["control tune", "kalani-2016", "--frequency", "-1"],
            "'--frequency': out of range, got -1 Hz",
        ),
        (["control tune", "kalani-2016", "--frequency", "nan"], "not finite, got nan"),
        (["control tune", "kalani-2016", "--frequency", "x"], "'--frequency'"),
        (["control tune", "kalani-2016", "--period", "0"], "'--period': out of range, got 0 s"),
        (
            ["control tune", "kalani-2016", "--controller", "fuzzy"],
            "expected one of joint-pid, pd-gravity",
        ),
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
