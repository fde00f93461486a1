"""The page of the papers' coverage names what is there: every name, kernel, file and link."""

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.analysis.figures import FIGURES
from gough.analysis.quantities import QUANTITIES
from gough.cli.command_group import NAMES as COMMANDS
from gough.equations.usual_formulations import FORMULATION_NAMES

ROOT = Path(gough.__file__).parents[2]
PAGE = ROOT / "docs" / "background" / "coverage.md"
TEXT = PAGE.read_text("utf-8")
PAPERS = {"Oftadeh": 25, "Bingul": 35, "Briot": 40, "Kalani": 35, "Baiges": 75}
"""How many rows each paper has at least."""


def rows_of(text):
    lines = [line.strip() for line in text.splitlines() if line.startswith("| ")]
    told = [line for line in lines if not line.startswith(("| ---", "| section"))]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in told]


ROWS = rows_of(TEXT)


def names(place):
    """Names in backquotes, but those in brackets, which are arguments."""
    return re.findall(r"`([^`]+)`", re.sub(r" \([^)]*\)", "", place))


NAMES = sorted({name for row in ROWS for name in names(row[2])})


@pytest.fixture(scope="module")
def model():
    return gough.Model(gough.load("demo-hexapod"))


@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_names_is_there(name, model):
    if name.startswith("model."):
        found = getattr(model, name.removeprefix("model."))
        if name.removeprefix("model.") in model.kernel_names:
            results = found(model.robot.home)
            for result in results if isinstance(results, tuple) else (results,):
                assert np.isfinite(result).all()
    elif name.startswith("gough."):
        room, _, attribute = name.rpartition(".")
        assert callable(getattr(import_module(room), attribute))
    elif name.startswith("gough "):
        assert name.removeprefix("gough ") in COMMANDS
    elif "/" in name:
        assert (ROOT / name).is_file()
    else:
        assert name in gough.library_names()


def test_what_stands_in_brackets_is_there():
    """Quantities, figures and the analysis of `gough.run`, formulations of `gough.Model`."""
    asked = [place for row in ROWS for place in re.findall(r"`gough\.run` \(([^)]*)\)", row[2])]
    known = {*QUANTITIES, *FIGURES, 'analysis = "static"'}
    found = {name for place in asked for name in re.findall(r"`([^`]+)`", place)}
    assert "force_margin" in found
    assert found <= known
    formulations = set(re.findall(r'`formulation="([^"]+)"`', TEXT))
    assert {"kane", "recursive"} < formulations <= {*FORMULATION_NAMES}


def anchors(page):
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings]
    return {re.sub(r"[-\s]+", "-", heading.strip()) for heading in plain}


def test_every_link_leads_to_a_page_and_its_heading():
    links = re.findall(r"\]\(([^)#]+)#?([^)]*)\)", TEXT)
    assert links
    for link, anchor in set(links):
        page = PAGE.parent / link
        assert page.is_file(), link
        assert not anchor or anchor in anchors(page), (link, anchor)


def test_every_row_has_a_place_a_number_and_a_state():
    for row in ROWS:
        _, _, place, number, state = row
        assert state == "yes" or re.match(r"(partly|no)(:|$)", state), row
        assert place or state.startswith("no"), row
        compared = number.startswith("paper") and "ours" in number
        assert compared or re.match(r"(none printed|none in the text|figure only)\b", number), row


def test_every_paper_is_there_whole_and_most_of_it_is_done():
    chapters = re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
    for (paper, fewest), chapter in zip(PAPERS.items(), chapters, strict=True):
        assert chapter.startswith(paper)
        states = Counter(re.split(":", row[4])[0] for row in rows_of(chapter))
        assert states.total() >= fewest, states
        assert states["yes"] >= 0.8 * states.total(), states
