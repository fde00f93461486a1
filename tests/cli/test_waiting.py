"""While a command compiles or simulates it says so: on a terminal, and never among its results."""

import os
import subprocess
import sys

import pytest

from gough.compiler.native import cache


def gough(*words, folder, **variables):
    known = {name: value for name, value in os.environ.items() if "COLOR" not in name}
    return subprocess.run(
        [sys.executable, "-m", "gough", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env=known | {cache.DIRECTORY_VARIABLE: str(folder)} | variables,
    )


@pytest.mark.parametrize("terminal", [True, False])
def test_a_first_run_says_what_is_compiled_on_a_terminal(tmp_path, terminal):
    variables = {"FORCE_COLOR": "1"} if terminal else {}  # what makes Rich take it for one
    done = gough("pose", "ik", "demo-hexapod", folder=tmp_path / "kernels", **variables)
    assert ("Compiling inverse_kinematics …" in done.stderr) == terminal
    assert terminal or done.stderr == ""
    assert "Compiling" not in done.stdout
