"""A seeded mutator of nested plain data: what people, programs and bad luck make of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

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


def mutant(originals: list[dict[str, Any]], rng: Random) -> Any:
    """A copy of one of the originals with one to four mistakes."""
    data = deepcopy(rng.choice(originals))
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = mutated(data, rng)
    return data


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
