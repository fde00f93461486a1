"""Every line of code in the documentation runs, and prints what the page says."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import make_gallery
import matplotlib.pyplot
import pytest
from page_reader import Reader, blocks, missing
from quicker import QUICKER, quicker

import gough

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.fixture
def folder(tmp_path, coarse):
    """Where a reader may be: beside the studies and designs."""
    for name in ("studies", "designs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_a_page_can_be_followed_from_top_to_bottom(page, folder):
    reader = Reader(folder)
    for block in blocks(page):
        followed = replace(block, code=quicker(block.code))
        assert missing(block.printed, reader.follow(followed)) == [], block.code


def test_what_is_run_with_lower_numbers_is_shown():
    shown = "".join(file.read_text("utf-8") for file in PAGES + EXAMPLES)
    assert [words for words in QUICKER if words not in shown] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_robot_files_load(page, tmp_path):
    for block in blocks(page):
        if block.language == "toml" and 'schema = "gough/' in block.code:
            path = tmp_path / "page.toml"
            path.write_text(block.code, "utf-8")
            assert gough.Model(gough.load(path)).structure.legs


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_an_example_runs_and_makes_its_picture(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    source = quicker(example.read_text("utf-8"))
    exec(compile(source, str(example), "exec"), {"__name__": "__main__", "__file__": str(example)})
    matplotlib.pyplot.close("all")
    assert capsys.readouterr().out
    assert (tmp_path / f"{example.stem}.png").exists()
    assert {path.stem for path in tmp_path.iterdir()} == {example.stem}


def test_the_gallery_shows_the_examples_as_they_are():
    assert sorted(make_gallery.EXAMPLES) == [example.stem for example in EXAMPLES]
    assert make_gallery.PAGE.read_text("utf-8") == make_gallery.page()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.name)
def test_notebooks_run_and_are_kept_without_outputs(notebook):
    names = {}
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            exec(compile("".join(cell["source"]), str(notebook), "exec"), names)


def test_the_table_of_kernels_is_complete():
    text = (ROOT / "docs" / "reference" / "kernels.md").read_text("utf-8")
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
