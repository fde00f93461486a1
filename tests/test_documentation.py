"""Every line of code in the documentation runs."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gough

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


@pytest.fixture
def folder(tmp_path):
    """Where a reader may be: beside the studies, with a robot file."""
    shutil.copytree(ROOT / "studies", tmp_path / "studies")
    gough.save(gough.load("demo-hexapod"), tmp_path / "my-hexapod.toml")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_runs(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    names = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_run(page, folder):
    for block in blocks(page, "sh"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["gough"]:
                command = [sys.executable, "-m", "gough.cli.main", *words[1:]]
                subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_robot_files_load(page, tmp_path):
    for block in blocks(page, "toml"):
        if 'schema = "gough/' in block:
            path = tmp_path / "page.toml"
            path.write_text(block, "utf-8")
            assert gough.Model(gough.load(path)).structure.legs


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_examples_run(example, tmp_path):
    done = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.name)
def test_notebooks_run_and_are_kept_without_outputs(notebook):
    names = {}
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            exec(compile("".join(cell["source"]), str(notebook), "exec"), names)


def test_the_table_of_kernels_is_complete():
    text = (ROOT / "docs" / "kernels.md").read_text("utf-8")
    model = gough.Model(gough.load("kalani-2016"))
    kernels = [name for name in dir(model) if isinstance(getattr(model, name), gough.Kernel)]
    assert len(kernels) > 30
    stems = text.replace("`_velocity`", "`mass_center_velocity`")
    stems = stems.replace("`_acceleration`", "`mass_center_acceleration`")
    assert [name for name in kernels if f"`{name}" not in stems] == []


def test_every_page_is_in_the_table_of_contents():
    contents = (ROOT / "mkdocs.yml").read_text("utf-8")
    paths = [page.relative_to(ROOT / "docs").as_posix() for page in PAGES[1:]]
    assert [path for path in paths if f": {path}\n" not in contents] == []
