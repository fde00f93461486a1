"""Ctrl-C ends a command wherever it comes, also where other libraries drop exceptions."""

import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

import gough
from gough.cli import interrupts
from gough.cli.output import Interrupted
from gough.compiler.native.cache import DIRECTORY_VARIABLE
from gough.compiler.native.machine_code import OPTIMIZE_VARIABLE

pytestmark = pytest.mark.usefixtures("interruptible")


def press():
    signal.raise_signal(signal.SIGINT)


class Finalised:
    def __del__(self):
        press()


def dropped_by_a_library():
    with suppress(BaseException):
        press()


def dropped_by_a_finaliser():
    Finalised()


@pytest.mark.parametrize("lost", [dropped_by_a_library, dropped_by_a_finaliser])
def test_an_interrupt_that_is_lost_comes_again(lost, capsys):
    def command():
        lost()
        lost()
        time.sleep(20)

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), interrupts.heard():
        command()
    assert time.monotonic() - start < 10
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("lost", [dropped_by_a_library, dropped_by_a_finaliser])
def test_an_interrupt_that_is_lost_at_the_end_counts(lost):
    with pytest.raises(KeyboardInterrupt), interrupts.heard():
        lost()


def test_what_goes_wrong_because_an_interrupt_was_lost_is_an_interrupt():
    def command():
        dropped_by_a_library()
        raise NotImplementedError

    with pytest.raises(KeyboardInterrupt), interrupts.heard():
        command()


def test_other_errors_stay_as_they_are():
    with pytest.raises(NotImplementedError), interrupts.heard():
        raise NotImplementedError


def test_what_cleans_up_after_an_interrupt_is_not_disturbed():
    def command():
        try:
            press()
        except KeyboardInterrupt:
            time.sleep(4 * interrupts.AGAIN)
            raise Interrupted("kept") from None

    with pytest.raises(Interrupted, match="kept"), interrupts.heard(Interrupted):
        command()


def test_an_interrupt_that_is_ignored_stays_so():
    """Shells start so what runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupts.heard():
        press()
    assert signal.signal(signal.SIGINT, signal.default_int_handler) is signal.SIG_IGN


COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from gough.cli.main import process
print("ready", flush=True)
sys.argv = ["gough", *sys.argv[1:]]
process()
"""


def interrupted_after(seconds, *arguments):
    """Exit code and complaint of a real command."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.parametrize("seed", range(3))
def test_a_command_is_interrupted_at_any_time(seed, tmp_path, monkeypatch):
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))  # all is compiled anew: some 5 s
    monkeypatch.setenv(OPTIMIZE_VARIABLE, "yes")
    seconds = random.Random(seed).uniform(0.05, 1.2)
    ended = interrupted_after(
        seconds, "control", "tune", "quattro", "--controller", "computed-torque"
    )
    assert ended == (130, "gough: interrupted\n")


def test_a_thread_that_waits_for_ever_keeps_no_command_from_ending():
    """As one of a pool that an interrupt met before the pool knew it."""
    waiting = "import threading\nthreading.Thread(target=threading.Event().wait).start()\n"
    command = [sys.executable, "-c", waiting + COMMAND, "--version"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert gough.__version__ in ended.stdout
