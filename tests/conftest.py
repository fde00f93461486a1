"""What all tests share: cores, plain code, a browser, what is traced, and what fuzz tests drew."""

import gc
import os
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # sources are compiled once, not by each process
sys.dont_write_bytecode = False
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy begins
os.environ.setdefault("GOUGH_OPTIMIZE", "no")  # the same bits, sooner: tests/compiler/test_plain.py
os.environ.setdefault("GOUGH_CACHE_SIZE", str(2**30))  # for all kernels of all tests, once
gc.disable()  # until all tests are collected, of which none is garbage
settings.register_profile("any machine", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")  # how long drawing takes says more of its load than of a test
SYSTEM_PACKAGES = "chromium poppler-utils linuxcnc-uspace-dev"
"""What some tests need of the system: a browser, what reads PDF, and LinuxCNC's own tools."""
NOT_OF_SYSTEM = ("pip install", "could not import", "Windows")
"""How reasons begin for which none of these helps."""
OF_CODE = {"compiler", "test_cache", "test_kernels"}
"""A folder and files of tests that are of the machine code itself, as users run it."""
LONG_RUNNING = "kinematics/test_workspace*"
"""Files whose tests run kernels for longer than it takes to optimize them."""


def pytest_collection_finish():
    """Leave modules and ten thousand collected tests out of later searches for garbage.

    And search less often: programs of kernels are many small objects, and none of them is garbage.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


def pytest_collection_modifyitems(items):
    """Skip what is about owners and pipes where files have none."""
    from gough.disk.files import OPENS_FOLDERS

    for item in items:
        if not OPENS_FOLDERS and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="Windows has no owners, pipes and forks"))


def pytest_sessionfinish():
    """Leave what tests have kept out of pytest's own last searches for garbage: 10 s a worker."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def code(request):
    """The kind of machine code that the tests of a file make."""
    long_running = request.path.match(LONG_RUNNING)
    with pytest.MonkeyPatch.context() as patch:
        if OF_CODE & {request.path.parent.name, request.path.stem} or long_running:
            patch.setenv("GOUGH_OPTIMIZE", "yes")
        yield


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests that open pages: there can be no second beside it."""
    from browser import open_browser

    yield from open_browser()


@pytest.fixture
def coarse(monkeypatch):
    """Pictures of workspaces of fewer pixels: drawn as others are, and sooner."""
    monkeypatch.setattr("gough.kinematics.workspace.plots._PIXELS", 150)


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
    """Print what was not tested, the counts of the fuzz tests, and CPU time, from all workers."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.getreports("skipped")
    )
    if reasons:
        terminalreporter.section("not tested here")
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:4} {reason}")
        of_system = any(not reason.startswith(NOT_OF_SYSTEM) for reason in reasons)
        if of_system and sys.platform == "linux":
            terminalreporter.line(f"On Debian, as root: apt-get install {SYSTEM_PACKAGES}")
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    counts = [text for report in reports for name, text in report.user_properties if name == "fuzz"]
    if counts:
        terminalreporter.section("fuzz")
        for text in sorted(set(counts)):
            terminalreporter.line(text)
    terminalreporter.line(f"{sum(os.times()[:4]):.0f} s of CPU time, by all processes that ended")
