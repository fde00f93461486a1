"""Which machines of the library have a page, and that it says what their files say."""

from pathlib import Path

import make_robots as maker
import pytest

import gough
from gough.robot import Mechanism, library_names
from gough.studies import Study, run

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "robots"
NAMES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")
QUICK = ("five-bar", "planar-3rrr", "agile-eye")


def page_of(name):
    return (FOLDER / f"{name}.md").read_text("utf-8")


def test_every_machine_that_is_no_hexapod_has_a_page():
    machines = {name for name in library_names() if isinstance(gough.load(name), Mechanism)}
    assert set(NAMES) == set(maker.pages()) == machines | {"demo-hexapod"}
    assert page_of("index") == maker.index(maker.pages())


def test_the_index_and_the_readme_say_which_robots_have_no_page():
    others = [name for name in library_names() if name not in NAMES]
    assert f"{len(NAMES)} of the library's {len(library_names())} robots" in page_of("index")
    assert all(f"`{name}`" in page_of("index") for name in others)
    readme = (ROOT / "README.md").read_text("utf-8").replace("\n", " ")
    numbers = {12: "twelve", 5: "five"}
    assert f"{numbers[len(NAMES)]} of the library's {len(library_names())} robots" in readme
    assert f"the other {numbers[len(others)]} are hexapods" in readme


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_three_small_pictures(name):
    for part in ("", "-workspace", "-efforts"):
        assert f"]({name}{part}.png)" in page_of(name)
        assert 5_000 < (FOLDER / f"{name}{part}.png").stat().st_size < 60_000


@pytest.mark.parametrize("name", NAMES)
def test_a_page_shows_the_files_as_they_are(name):
    file = (ROOT / "src" / "gough" / "robot" / "library" / f"{name}.toml").read_text("utf-8")
    study = (ROOT / "studies" / maker.pages()[name].study).read_text("utf-8")
    assert maker.essential(file) in page_of(name)
    assert study.partition("\n")[2].strip() in page_of(name)


@pytest.mark.parametrize("name", QUICK)
def test_a_page_shows_what_its_study_gives(name):
    summary = run(Study.load(ROOT / "studies" / "robots" / f"{name}.toml")).summary
    for figure in ("peak_force", "peak_power", "least_force_index", "least_speed_margin"):
        value = float(f"{summary[figure].value:.3g}")
        assert f"| {figure.replace('_', ' ')} | {value:g}" in page_of(name)
