"""Packages that only some need: without them everything else works, and errors say what to add."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITHOUT = """
import sys
for name in ("matplotlib", "mpl_toolkits", "pandas", "control", "torch", "jax"):
    sys.modules[name] = None
import gough
import gough.plots
"""


def without_packages(code):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_study_runs_with_its_report(tmp_path):
    without_packages(f"""
from gough.cli.main import main
sys.argv = ["gough", "run", "studies/demo-machining.toml", "--output", {str(tmp_path / "out")!r}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
""")
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("gough.plots.plot_machine(robot)", "pictures need the package matplotlib"),
        ("gough.Model(robot).state_space(robot.home)", "state spaces need the package control"),
        ("gough.elastic_state_space(robot)", "state spaces need the package control"),
        (
            "gough.run(gough.Study.load('studies/demo-machining.toml')).to_pandas()",
            "data frames need the package pandas",
        ),
        ("import gough.torch", "tensors need the package torch"),
        ("import gough.jax", "arrays of JAX need the package jax"),
    ],
)
def test_an_error_says_what_to_install(use, said):
    printed = without_packages(f"""
robot = gough.load("demo-hexapod")
try:
    {use}
except gough.GoughError as error:
    print(error)
""")
    assert said in printed
    assert re.search("expected .*pip install", printed)
