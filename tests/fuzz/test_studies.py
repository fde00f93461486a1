"""Studies with mistakes in them are read, or refused in a few words."""

import tomllib
import warnings
from pathlib import Path

from fuzz.mutations import count, outcomes
from gough.studies.study import Study

FOLDER = Path(__file__).parents[2] / "studies"
STUDIES = [
    tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    for name in ("demo-machining", "kalani-4s", "baiges-half-turn", "bingul-1", "baiges-balance")
]


def read(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Study.from_dict(data, folder=FOLDER)


def test_a_study_with_mistakes_is_read_or_refused_in_a_few_words(capsys):
    found = outcomes(read, STUDIES, seed=2_000_000)
    with capsys.disabled():
        print(f"\nstudies: {found['accepted']} accepted, {found['refused']} refused")
    assert found.total() == count()
    assert found["refused"] > 0.3 * count()
