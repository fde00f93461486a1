"""Studies with mistakes in them are read and run, or refused in a few words."""

import tomllib
import warnings
from pathlib import Path

import numpy as np

from fuzz.mutations import mutant
from fuzz.share import Tally, cases, outcome
from gough.studies.run import run_one
from gough.studies.study import Study

FOLDER = Path(__file__).parents[2] / "studies"
FEW_SAMPLES = 2001
LONG_TUNING = 20.0
"""A controller is tuned while it is read [s]; what is wrong with a later case is seen after it."""


def _written(names):
    return [tomllib.loads((FOLDER / f"{n}.toml").read_text(encoding="utf-8")) for n in names]


STUDIES = _written(["demo-machining", "kalani-4s", "baiges-half-turn", "bingul-1"])
SIMULATIONS = _written(
    f"simulation/{path.stem}" for path in sorted(FOLDER.glob("simulation/*.toml"))
)


def _quietly(function):
    def quiet(*arguments):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return function(*arguments)

    return quiet


def _run(study):
    """The results, with a summary of numbers only where there are numbers."""
    with np.errstate(all="ignore"):
        return run_one(study)


def test_a_study_with_mistakes_is_read_and_run_or_refused_in_a_few_words(record_property):
    tally = Tally("studies")
    read = _quietly(lambda data: Study.from_dict(data, folder=FOLDER))
    for seed, rng in cases(100, seed=2_000_000):
        study, _ = outcome(f"study {seed}", read, mutant(STUDIES, rng))
        if study is None:
            tally.add("refused")
        elif study.count > FEW_SAMPLES or study.variations:
            tally.add("read")
        else:
            results, _ = outcome(f"run of study {seed}", _run, study)
            tally.add("refused when run" if results is None else "run")
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.3 * tally.counts.total()


def test_a_simulation_with_mistakes_is_read_or_refused_in_a_few_words(record_property):
    tally = Tally("simulations")
    read = _quietly(lambda data: Study.from_dict(data, folder=FOLDER / "simulation"))
    for seed, rng in cases(40, seed=3_000_000):
        mistaken = mutant(SIMULATIONS, rng)
        simulation, _ = outcome(f"simulation {seed}", read, mistaken, longest=LONG_TUNING)
        tally.add("refused" if simulation is None else "read")
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.3 * tally.counts.total()
