"""How much a fuzz draws, and what it says in the end: a few cases in the suite, more on demand."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np

from gough import GoughError

LONGEST_MESSAGE = 1500


def cases(few):
    """Numbers of cases, each with its own random numbers: `few`, or GOUGH_FUZZ if that is set."""
    for number in range(int(os.environ.get("GOUGH_FUZZ", few))):
        yield number, np.random.default_rng([20, number])


class Tally:
    """Counts what became of the cases, for the line that the suite prints in the end."""

    def __init__(self, subject):
        self.subject, self.counts = subject, Counter()

    def add(self, outcome):
        self.counts[outcome] += 1

    def __str__(self):
        total = sum(self.counts.values())
        parts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.counts.items()))
        return f"{self.subject}: {total} cases: {parts}"


def helps(error):
    """Whether a message is one that a person can use: some words, a few lines."""
    text = str(error)
    return 10 < len(text) < LONGEST_MESSAGE and all(map(str.isprintable, text.split("\n")))


def outcome(function, *arguments, **named):
    """What a call returns and None, or None and its GoughError. Any other error is a defect."""
    try:
        return function(*arguments, **named), None
    except GoughError as error:
        return None, error
