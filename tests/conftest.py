"""What all tests share: cores, a browser, a look at what is traced, and what fuzz tests drew."""

import os

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy begins


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests that open pages: there can be no second beside it."""
    from browser import open_browser

    yield from open_browser()


@pytest.fixture
def traced(monkeypatch):
    """The names of all functions that are traced from now on."""
    from gough.compiler import Function

    names = []
    trace = Function.from_equation.__func__

    def noted(cls, name, *rest):
        names.append(name)
        return trace(cls, name, *rest)

    monkeypatch.setattr(Function, "from_equation", classmethod(noted))
    return names


def pytest_terminal_summary(terminalreporter):
    """Print the counts of the fuzz tests, which came with their reports from the workers."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    counts = [text for report in reports for name, text in report.user_properties if name == "fuzz"]
    if counts:
        terminalreporter.section("fuzz")
        for text in sorted(set(counts)):
            terminalreporter.line(text)
