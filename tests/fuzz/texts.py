"""A seeded mutator of texts and bytes: what editors, programs and enemies make of a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_NUMBERS = (
    b"0", b"-1", b"nan", b"-inf", b"1e999", b"1e308", b"1e-320", b"1e9", b"99999999999999999999",
    b"", b"x", b"0x1p3", b"1 2 3 4", b"1_0", b"2024-01-01", b"1" * 5000, b"\xff", b"&#10;",
)  # fmt: skip


def damaged(contents: list[bytes], rng: Random) -> bytes:
    """One of the contents with one to four mistakes."""
    content = rng.choice(contents)
    for _ in range(rng.choice((1, 1, 2, 4))):
        content = rng.choice(_MISTAKES)(content, rng)
    return content


def _flipped(content: bytes, rng: Random) -> bytes:
    damage = bytearray(content or b"a")
    for _ in range(rng.choice((1, 3, 20))):
        damage[rng.randrange(len(damage))] = rng.randrange(256)
    return bytes(damage)


def _cut(content: bytes, rng: Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _number(content: bytes, rng: Random) -> bytes:
    """Another number, or none, in the place of one."""
    places = list(_NUMBER.finditer(content))
    if not places:
        return content + rng.choice(_NUMBERS)
    start, end = rng.choice(places).span()
    return content[:start] + rng.choice(_NUMBERS) + content[end:]


def _line(content: bytes, rng: Random) -> bytes:
    """A line less, twice, or in another place."""
    lines = content.split(b"\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.choice((0, 1, 2, 50))):
        lines.insert(rng.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _exchanged(content: bytes, rng: Random) -> bytes:
    """Two words change places."""
    words = re.split(rb"([^\w.]+)", content)
    first, second = (2 * rng.randrange((len(words) + 1) // 2) for _ in range(2))
    words[first], words[second] = words[second], words[first]
    return b"".join(words)


def _piece(content: bytes, rng: Random) -> bytes:
    """A piece of it once more, somewhere."""
    start, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    place = rng.randrange(len(content) + 1)
    return content[:place] + content[start:end][:2000] + content[place:]


_MISTAKES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flipped, _cut, _number, _number, _line, _line, _exchanged, _exchanged, _piece,
)  # fmt: skip
