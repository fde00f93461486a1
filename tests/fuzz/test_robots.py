"""Robot descriptions with mistakes in them are read, or refused in a few words."""

import pytest

import gough
from fuzz.mutations import mutant
from fuzz.share import Tally, cases, outcome
from gough.model.structure import structure_of
from gough.robot.files import read

ROBOTS = {
    "hexapods": [gough.load(name).to_dict() for name in ("demo-hexapod", "kalani-2016")],
    "machines in short": [read(name) for name in ("delta", "orthoglide", "tricept", "h4")],
    "machines in full": [gough.load(name).to_dict() for name in ("delta", "five-bar")],
}


@pytest.mark.parametrize("kind", ROBOTS)
def test_a_robot_with_mistakes_is_read_or_refused_in_a_few_words(kind, record_property):
    tally = Tally(kind)
    for seed, rng in cases(150, seed=1_000_000):
        robot, _ = outcome(f"{kind} {seed}", gough.Robot.from_dict, mutant(ROBOTS[kind], rng))
        if robot is None:
            tally.add("refused")
            continue
        structure, _ = outcome(f"{kind} {seed}", structure_of, robot)
        tally.add("read" if structure is not None else "read and refused as a machine")
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.3 * tally.counts.total()
