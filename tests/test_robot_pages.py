"""Every machine of the library has a page, which says what its files say."""

from pathlib import Path

import make_robots as maker
import pytest

from gough.robot import library_names
from gough.studies import Study, run

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "reference" / "robots"
NAMES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index")
QUICK = ("five-bar", "planar-3rrr", "agile-eye")


def page_of(name):
    return (FOLDER / f"{name}.md").read_text("utf-8")


def test_every_robot_of_the_library_has_a_page():
    assert set(NAMES) == set(maker.pages()) == set(library_names())
    assert page_of("index") == maker.index(maker.pages())


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
    effort = "torque" if summary["peak_force"].unit == "N m" else "force"
    words = {
        "peak_force": f"peak {effort}",
        "peak_power": "peak power",
        "minimum_force_margin": f"minimum {effort} margin",
        "minimum_speed_margin": "minimum speed margin",
    }
    for figure, text in words.items():
        value = float(f"{summary[figure].value:.3g}")
        assert f"| {text} | {value:g}" in page_of(name)
