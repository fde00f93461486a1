"""Help: one screen for each command, with an example that works, and completion in the shell."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from all_commands import COMMANDS
from quicker import quicker

import gough as library
from gough.cli.command_group import GROUPS

ROOT = Path(__file__).parents[2]
HELP = Path(__file__).parent / "help"
WIDTH = 80
PAGES = ["", *GROUPS, *COMMANDS]
EXAMPLES = {
    name: re.findall(r"Example:  gough (.+)", command.help) for name, command in COMMANDS.items()
}


@pytest.fixture
def at_the_root(tmp_path, monkeypatch):
    """A folder that looks like the root of the repository, with a robot of one's own."""
    for folder in ("studies", "designs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for file in ("stewart.xml", "stewart_defaults.xml"):
        (tmp_path / file).symlink_to(ROOT / "tests" / "data" / "imports" / file)
    library.save(library.load("demo-hexapod"), tmp_path / "my-hexapod.toml")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_help_is_as_stored(gough, name, monkeypatch):
    """GOUGH_WRITE_HELP=1 writes the texts anew, to be read in the difference of the commit."""
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    done = gough(name, "--help")
    lines = [line.rstrip() for line in done.out.strip("\n").split("\n")]
    text, stored = "\n".join(lines) + "\n", HELP / f"{name.replace(' ', '-') or 'gough'}.txt"
    if os.environ.get("GOUGH_WRITE_HELP"):
        stored.write_text(text, encoding="utf-8")
    assert text == stored.read_text(encoding="utf-8")


def test_help_that_is_stored_is_of_a_command():
    assert len(list(HELP.iterdir())) == len(PAGES)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_one_screen_with_one_example(gough, name):
    done = gough(name, "--help")
    assert done.code == 0
    assert len(done.out.splitlines()) <= 50
    assert len(EXAMPLES[name]) == 1
    assert f"{EXAMPLES[name][0]} ".startswith(f"{name} ")


@pytest.mark.parametrize("name", COMMANDS)
def test_paragraphs_flow_to_the_width_of_the_terminal(gough, name):
    words, *_ = gough(name, "--help").out.split("╭")
    for line, following in pairwise(words.splitlines()):
        if line.strip() and following.strip():
            assert len(line.rstrip()) + 1 + len(following.split()[0]) >= WIDTH, line


OF_THEIR_COMMAND = {"--output", "--plot", "--map", "--to"}
"""Options that name the file, the figure or the format of what their command makes."""


def test_an_option_means_the_same_in_every_command():
    meanings = defaultdict(set)
    for command in COMMANDS.values():
        for option in command.params:
            for name in (*option.opts, *option.secondary_opts):
                meanings[name].add(getattr(option, "help", None))
    several = {name for name, found in meanings.items() if name[:2] == "--" and len(found) > 1}
    assert several <= OF_THEIR_COMMAND


@pytest.mark.usefixtures("at_the_root", "quick")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_works(gough, name):
    if name in ("plot", "export recording"):  # of what the example of 'gough run' has written
        gough(*shlex.split(EXAMPLES["run"][0]))
    done = gough(*shlex.split(quicker(EXAMPLES[name][0])))
    assert (done.code, done.err) == (0, "")
    assert done.out


def completed(*words):
    """What a shell offers after these words, the last of them begun."""
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "gough.cli.main"],
        env={**os.environ, "_GOUGH_COMPLETE": "complete_bash", **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["gough", "control", "cro"], ["crossing"]),
        (["gough", "show", "kal"], ["kalani-2016"]),
        (["gough", "export", "kernels", "kalani-2016", "jac"], ["jacobian", "jacobian_rate"]),
        (["gough", "export", "kernels", "kalani-2016", "jacobian", "--to", "cu"], ["cuda"]),
        (["gough", "control", "tune", "kalani-2016", "--controller", "pd"], ["pd-gravity"]),
        (["gough", "schema", "s"], ["study"]),
        (["gough", "pose", "fk", "--guess-"], ["--guess-rpy"]),
    ],
)
def test_the_shell_completes_commands_robots_and_options(words, offered):
    assert completed(*words) == offered


def test_the_script_for_the_shell_can_be_shown():
    """The shell is told from the process that starts the command, here Bash itself."""
    command = ["bash", "-c", '"$0" -m gough.cli.main --show-completion bash; true', sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "_gough_completion" in done.stdout


def test_a_printed_schema_is_that_of_the_package(gough):
    robot, study = (json.loads(gough("schema", kind).out) for kind in ("robot", "study"))
    assert robot["properties"]["schema"]["const"] == "gough/1"
    assert study["properties"]["schema"]["const"] == "gough-study/1"
