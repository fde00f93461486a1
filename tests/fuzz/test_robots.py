"""Robot descriptions with mistakes in them are read, or refused in a few words."""

import gough
from fuzz.mutations import mutant
from fuzz.share import Tally, cases, outcome

ROBOTS = [gough.load(name).to_dict() for name in ("demo-hexapod", "kalani-2016")]


def test_a_robot_with_mistakes_is_read_or_refused_in_a_few_words(record_property):
    tally = Tally("robots")
    for seed, rng in cases(150, seed=1_000_000):
        robot, _ = outcome(f"robot {seed}", gough.Robot.from_dict, mutant(ROBOTS, rng))
        tally.add("refused" if robot is None else "read")
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.3 * tally.counts.total()
