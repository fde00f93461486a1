"""A seeded mutator of nested plain data: what people, programs and bad luck make of a file."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

import gough

FEW = 150
"""So many are tried in the suite."""
LONGEST = 2.0
"""Seconds of processor time that an answer may take."""
MOST_CHARACTERS = 2000
MOST_LINES = 10
"""Of a refusal: all problems are told at once, a line for each."""

Path = tuple[Any, ...]

NUMBERS = (
    0, -1, 1, 1e-320, 1e-12, 1e12, 1e308, -1e308, 10**400, float("nan"), float("inf"),
    float("-inf"), True, False, 0.5, 2**63, -0.0,
)  # fmt: skip
TEXTS = (
    "", " ", "1", "nan", "1e999 m", "-5 kg", "3 parsec", "12 mm", "30 deg", "1,5 m", "m", "0x10",
    "\0", "\n" * 50, "ｍ", "𝟙 m", "é" * 3000, "../../etc/passwd", "__import__('os')", "t +", "%s%n",
    "base", "true", "null", "🙂", "a" * 5000,
)  # fmt: skip
GARBAGE: tuple[Any, ...] = (
    None, [], {}, [[]], [None], [{}], {"": ""}, {"kind": None}, {"kind": "hold"}, [1, 2], [1, 2, 3],
    [0, 0, 0, 0], [[1, 2], [3]], ["1 m", 2, None], list(range(1000)), b"bytes", 1j, object(), (),
)  # fmt: skip


def count() -> int:
    """How many mutants are asked for."""
    return int(os.environ.get("GOUGH_FUZZ", FEW))


def mutants(originals: list[dict[str, Any]], seed: int) -> Iterator[tuple[int, Any]]:
    """Copies of the originals with one to four mistakes each, and the seed of each."""
    for k in range(count()):
        rng = Random(seed + k)
        data = deepcopy(rng.choice(originals))
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = mutated(data, rng)
        yield seed + k, data


def mutated(data: Any, rng: Random) -> Any:
    """The data with one mistake, somewhere in them."""
    places = list(_places(data))
    if not places:
        return rng.choice(GARBAGE)
    *above, key = rng.choice(places)
    parent = data
    for step in above:
        parent = parent[step]
    rng.choice(_MISTAKES)(parent, key, rng)
    return data


def _places(data: Any, path: Path = ()) -> Iterator[Path]:
    """The paths to all items of nested dictionaries and lists."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


def _drop(parent: Any, key: Any, _: Random) -> None:
    del parent[key]


def _number(parent: Any, key: Any, rng: Random) -> None:
    parent[key] = rng.choice(NUMBERS)


def _scaled(parent: Any, key: Any, rng: Random) -> None:
    old = parent[key]
    factor = 10.0 ** rng.uniform(-15, 15) * rng.choice((1, -1))
    parent[key] = old * factor if isinstance(old, float) else rng.choice(NUMBERS)


def _text(parent: Any, key: Any, rng: Random) -> None:
    parent[key] = rng.choice(TEXTS)


def _misspelt(parent: Any, key: Any, rng: Random) -> None:
    """A letter more or less in a name, or in a text."""
    if isinstance(parent, dict):
        parent[_with_a_slip(str(key), rng)] = parent.pop(key)
    elif isinstance(parent[key], str):
        parent[key] = _with_a_slip(parent[key], rng)
    else:
        parent.append(parent[key])


def _with_a_slip(text: str, rng: Random) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(["", "x", "_", "é", " "]) + text[at + rng.choice((0, 1)) :]


def _garbage(parent: Any, key: Any, rng: Random) -> None:
    parent[key] = deepcopy(rng.choice(GARBAGE))


def _wrapped(parent: Any, key: Any, rng: Random) -> None:
    old = parent[key]
    parent[key] = rng.choice([[old], {"value": old}, [old, old], str(old)[:200], {str(key): old}])


def _deep(parent: Any, key: Any, rng: Random) -> None:
    for _ in range(rng.choice((3, 30, 300))):
        parent[key] = [parent[key]]


def _swapped(parent: Any, key: Any, rng: Random) -> None:
    """Two neighbours change places."""
    other = rng.choice(list(parent)) if isinstance(parent, dict) else rng.randrange(len(parent))
    parent[key], parent[other] = parent[other], parent[key]


_MISTAKES: tuple[Callable[[Any, Any, Random], None], ...] = (
    _drop, _number, _scaled, _text, _misspelt, _garbage, _wrapped, _deep, _swapped,
)  # fmt: skip


def outcomes(make: Callable[[Any], object], originals: list[dict[str, Any]], seed: int) -> Counter:
    """How many mutants are accepted and refused; AssertionError for any other end."""
    found: Counter = Counter()
    for number, data in mutants(originals, seed):
        began = time.process_time()
        try:
            make(data)
            found["accepted"] += 1
        except gough.GoughError as error:
            found["refused"] += 1
            _check_words(str(error), number)
        except Exception as error:
            raise AssertionError(f"mutant {number}: {type(error).__name__}: {error}") from error
        took = time.process_time() - began
        assert took < LONGEST, f"mutant {number}: {took:.1f} s"
    return found


def _check_words(words: str, number: int) -> None:
    assert words.strip(), f"mutant {number}: no words"
    assert len(words) <= MOST_CHARACTERS, f"mutant {number}: {len(words)} characters: {words[:200]}"
    assert len(words.splitlines()) <= MOST_LINES, f"mutant {number}: many lines: {words[:200]}"
