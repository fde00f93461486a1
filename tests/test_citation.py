"""CITATION.cff: what people cite is what they use."""

import re
import tomllib
from pathlib import Path

import gough

ROOT = Path(__file__).parents[1]
CITATION = (ROOT / "CITATION.cff").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def cited(key):
    """What the file says at a key that stands at the beginning of a line, or in a list."""
    (value,) = re.findall(rf"^(?:  - )?{key}: (.+)$", CITATION, re.M)
    return value


def test_it_names_this_version_licence_and_authors():
    assert cited("version") == gough.__version__
    assert cited("license") == PROJECT["license"]
    assert [{"name": cited("name")}] == PROJECT["authors"]
