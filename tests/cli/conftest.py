"""The `gough` command in this process, and training that does not take long."""

import json
import signal
import sys
import threading
from typing import NamedTuple

import pytest
from rich.console import Console

from gough.cli import output
from gough.cli.main import main
from gough.compiler.memo import forget
from gough.kinematics.forward import neural


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    def complaint(self, code=1):
        """The first line of a command that failed; further problems have a line each."""
        assert (self.code, self.out) == (code, "")
        line, *others = self.err.splitlines()
        assert line.startswith("gough: ")
        assert len(others) <= 8
        assert all(other.startswith("  ") for other in others)
        return line


@pytest.fixture
def gough(monkeypatch, capsys):
    """Run a command, of one or two words; gives its exit code, output and errors."""

    def run(command="", *arguments):
        words = [*str(command).split(), *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", ["gough", *words])
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        return Outcome(end.value.code or 0, captured.out, captured.err)

    return run


@pytest.fixture
def succeeds(gough):
    """Run a command that must succeed; gives what it printed."""

    def run(*arguments):
        done = gough(*arguments)
        assert (done.code, done.err) == (0, "")
        return done.out

    return run


@pytest.fixture
def plain(succeeds):
    """Run a command that must succeed; gives its plain data."""
    return lambda *arguments: json.loads(succeeds(*arguments, "--json"))


@pytest.fixture
def wide(monkeypatch):
    """A terminal in which every table fits."""
    monkeypatch.setattr(output, "console", Console(width=120, emoji=False))


@pytest.fixture
def quick(monkeypatch):
    """Training that is too short to be good."""
    monkeypatch.setattr(neural, "ROUNDS", 1)
    monkeypatch.setattr(neural, "ITERATIONS_PER_ROUND", 40)
    forget()
    yield
    forget()


@pytest.fixture
def interruptible():
    """As in a terminal, however the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not any(thread.name == "gough-interrupt" for thread in threading.enumerate())
    signal.signal(signal.SIGINT, before)
