"""Let workers share the cores: each has one thread for linear algebra. Say what fuzz tests drew."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy begins


def pytest_terminal_summary(terminalreporter):
    """Print the counts of the fuzz tests, which came with their reports from the workers."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    counts = [text for report in reports for name, text in report.user_properties if name == "fuzz"]
    if counts:
        terminalreporter.section("fuzz")
        for text in sorted(set(counts)):
            terminalreporter.line(text)
