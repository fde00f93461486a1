"""Designs and catalogues with mistakes in them are read, or refused in a few words."""

import tomllib
from pathlib import Path

import gough
from fuzz.mutations import mutant
from fuzz.share import Tally, cases, outcome
from gough.design.reading import design_of
from gough.sizing.records import GENERIC

FOLDER = Path(__file__).parents[2] / "designs"
DESIGNS = [tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))]
CATALOGUE = tomllib.loads(GENERIC.read_text("utf-8"))
LONGEST = 5.0
"""Seconds: a demand may be a study, which is sampled."""


def test_a_design_with_mistakes_is_read_or_refused_in_a_few_words(record_property):
    tally = Tally("designs")
    for seed, rng in cases(40, seed=14_000_000):
        data = mutant(DESIGNS, rng)
        found, _ = outcome(f"design {seed}", design_of, data, FOLDER, longest=LONGEST)
        tally.add("refused" if found is None else "read")
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.3 * tally.counts.total()


def test_a_catalogue_with_mistakes_is_read_or_refused_in_a_few_words(record_property):
    tally = Tally("catalogues")
    for seed, rng in cases(150, seed=15_000_000):
        found, _ = outcome(f"catalogue {seed}", gough.load_catalogue, mutant([CATALOGUE], rng))
        tally.add("refused" if found is None else "read")
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.3 * tally.counts.total()
