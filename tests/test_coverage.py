"""The page of the papers' coverage names what is there: every name, kernel, file and link."""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.cli.command_group import NAMES as COMMANDS

ROOT = Path(gough.__file__).parents[2]
PAGE = ROOT / "docs" / "background" / "coverage.md"
ROWS = [
    [cell.strip() for cell in line.strip()[1:-1].split("|")]
    for line in PAGE.read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| ---", "| section"))
]
PLACES = [row[2] for row in ROWS if len(row) == 4]


def names(place):
    """Names in backquotes, but those in brackets, which are arguments."""
    return re.findall(r"`([^`]+)`", re.sub(r" \([^)]*\)", "", place))


NAMES = sorted({name for place in PLACES for name in names(place)})


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


def test_every_link_leads_to_a_page():
    links = re.findall(r"\]\(([^)#]+)", PAGE.read_text("utf-8"))
    assert links
    assert all((PAGE.parent / link).is_file() for link in links)


def test_every_row_has_a_place_and_a_state():
    assert len(ROWS) > 100
    for row in ROWS:
        *_, place, state = row
        assert state == "yes" or re.match(r"(partly|no)(:|$)", state), row
        assert place or state.startswith("no"), row
