"""Let workers share the cores: each has one thread for linear algebra. Say what fuzz tests drew."""

import os

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy begins


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests that open pages: there can be no second beside it."""
    from browser import open_browser

    yield from open_browser()


def pytest_terminal_summary(terminalreporter):
    """Print the counts of the fuzz tests, which came with their reports from the workers."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    counts = [text for report in reports for name, text in report.user_properties if name == "fuzz"]
    if counts:
        terminalreporter.section("fuzz")
        for text in sorted(set(counts)):
            terminalreporter.line(text)
