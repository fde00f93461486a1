"""How much a fuzz draws, what a refusal may look like, and what is said of it in the end."""

from __future__ import annotations

import os
import time
from collections import Counter
from random import Random

from gough import GoughError

LONGEST = 2.0
"""Seconds of processor time that a refusal may take."""
MOST_CHARACTERS = 2000
MOST_LINES = 10
"""Of a refusal: all problems are told at once, a line for each."""


def cases(few, seed):
    """Seeds and their random numbers: `few` of them, or as many as GOUGH_FUZZ says."""
    for k in range(int(os.environ.get("GOUGH_FUZZ", few))):
        yield seed + k, Random(seed + k)


def outcome(place, function, *arguments, longest=LONGEST, **named):
    """What a call returns and None, or None and its GoughError: in time, and in a few words.

    Any other error is a defect; `place` says where.
    """
    began = time.process_time()
    try:
        result, error = function(*arguments, **named), None
    except GoughError as refusal:
        result, error = None, refusal
    except Exception as defect:
        raise AssertionError(f"{place}: {type(defect).__name__}: {defect}") from defect
    took = time.process_time() - began
    if error is not None:
        assert took < longest, f"{place}: {took:.1f} s"
        _check_words(place, str(error))
    return result, error


class Tally:
    """Counts what became of the cases, for the line that the suite prints in the end."""

    def __init__(self, subject):
        self.subject, self.counts = subject, Counter()

    def add(self, what):
        self.counts[what] += 1

    def __str__(self):
        parts = ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
        return f"{self.counts.total()} {self.subject}: {parts}"


def _check_words(place, words):
    assert words.strip(), f"{place}: no words"
    assert len(words) <= MOST_CHARACTERS, f"{place}: {len(words)} characters: {words[:200]}"
    assert len(words.splitlines()) <= MOST_LINES, f"{place}: many lines: {words[:200]}"
    assert all(map(str.isprintable, words.splitlines())), f"{place}: unprintable: {words!r:.200}"
