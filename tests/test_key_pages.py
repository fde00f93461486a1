"""The pages of all keys are what the script makes of the schemas."""

import importlib
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture
def make_keys(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    return importlib.import_module("make_keys")


@pytest.mark.parametrize("of", ["robot", "machine", "study", "design", "catalogue"])
def test_the_page_is_current(make_keys, of):
    name = f"{of}-keys.md"
    assert (DOCS / name).read_text("utf-8") == make_keys.page(name), "python docs/make_keys.py"
