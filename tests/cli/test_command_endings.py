"""How the command ends when something happens to it: pipes, interrupts, errors of its own."""

import os
import signal
import subprocess
import sys

import pytest

from gough.cli.failures import DEBUG_VARIABLE

GOUGH = [sys.executable, "-m", "gough"]


def shell(command):
    return subprocess.run(
        ["bash", "-c", command.replace("gough", " ".join(GOUGH))],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_it_runs_as_a_module():
    done = subprocess.run([*GOUGH, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("gough ")


@pytest.mark.parametrize("words", ["show kalani-2016", "schema study"])
def test_nobody_needs_to_read_to_the_end(words):
    done = shell(f"gough {words} | head -1")
    assert done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("words", ["cache --json", "cache"])
def test_a_full_disk_is_one_line(words):
    done = shell(f"gough {words} > /dev/full")
    assert done.returncode == 1
    assert done.stderr == "gough: standard output: No space left on device\n"


@pytest.mark.parametrize("words", ["cache --json", "cache"])
def test_output_may_be_closed(words):
    done = shell(f"gough {words} >&-")
    assert (done.returncode, done.stderr) == (0, "")
    assert shell("gough show none --json >&- 2>&-").returncode == 1


SLOW_IMPORT = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # also if the tests ignore it
class Slow:  # stands for a module that takes long
    def find_spec(self, name, path=None, target=None):
        if name == "rich":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Slow())
sys.argv = ["gough", "robots"]
from gough.cli.main import main
main()
"""


def test_an_interrupt_while_modules_are_imported_is_one_line():
    done = subprocess.run(
        [sys.executable, "-c", SLOW_IMPORT], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "gough: interrupted\n")


def test_an_interrupt_of_a_command_is_one_line(gough, monkeypatch, interruptible):
    monkeypatch.setattr("gough.load", lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert gough("pose ik", "kalani-2016").complaint(130) == "gough: interrupted"


@pytest.mark.parametrize("error", [RecursionError("deep"), KeyError("x"), TypeError("a\nb")])
def test_an_error_of_our_own_is_one_line_and_has_its_own_code(gough, monkeypatch, error):
    def fail(_):
        raise error

    monkeypatch.setattr("gough.load", fail)
    monkeypatch.delenv(DEBUG_VARIABLE, raising=False)
    line = gough("pose ik", "kalani-2016").complaint(70)
    assert f"internal error: {type(error).__name__}" in line
    assert f"please report it, with what {DEBUG_VARIABLE}=1 shows" in line
    monkeypatch.setenv(DEBUG_VARIABLE, "1")
    done = gough("pose ik", "kalani-2016")
    assert done.code == 70
    assert "Traceback" in done.err
    assert "in fail" in done.err
