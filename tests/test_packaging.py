"""What other packagers read says the same as pyproject.toml."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import make_sbom
import pytest
import yaml

import gough

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_bill_of_materials_lists_what_is_needed():
    assert make_sbom.FILE.read_text("utf-8") == make_sbom.sbom()


def test_the_recipe_for_conda_needs_the_same():
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text("utf-8"))
    python, *needed = recipe["requirements"]["run"]
    assert python == f"python {PROJECT['requires-python']}"
    wanted = (re.sub("(?=[<>=])", " ", text, count=1) for text in PROJECT["dependencies"])
    assert [name.replace("_", "-") for name in needed] == list(wanted)
    assert recipe["context"]["version"] == gough.__version__
    assert recipe["about"]["license"] == PROJECT["license"]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_make_begins_anew_where_an_environment_could_not_be_made(tmp_path):
    """As on Debian without python3-venv, which leaves an environment without pip behind."""
    half = tmp_path / "python"
    half.write_text(
        "#!/bin/sh\n[ $1 = -c ] || { mkdir -p .venv/bin; touch .venv/bin/python; false; }\n"
    )
    half.chmod(0o755)
    command = ["make", "-f", ROOT / "Makefile", "demo", f"PYTHON={half}"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 2
    assert (tmp_path / ".venv/bin").is_dir()
    assert not (tmp_path / ".venv/bin/python").exists()
