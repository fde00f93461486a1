"""Robot descriptions with mistakes in them are read, or refused in a few words."""

import gough
from fuzz.mutations import count, outcomes

ROBOTS = [gough.load(name).to_dict() for name in ("demo-hexapod", "kalani-2016")]


def test_a_robot_with_mistakes_is_read_or_refused_in_a_few_words(capsys):
    found = outcomes(gough.Robot.from_dict, ROBOTS, seed=1_000_000)
    with capsys.disabled():
        print(f"\nrobots: {found['accepted']} accepted, {found['refused']} refused")
    assert found.total() == count()
    assert found["refused"] > 0.3 * count()
