"""The one memory of what was compiled: each thing is made once, for all rooms, and the last stay.

What a maker makes depends on its arguments alone, and these can be hashed: machines, options. (The
machine code itself is kept on disk, for other processes: see `compiler.native.cache`.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from gough.errors import GoughError

KEPT = 256
"""So many things are kept, of all makers together; large kernels take about a megabyte each."""

Given = ParamSpec("Given")
Made = TypeVar("Made")


def remembered(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """The same maker, but asked again with equal arguments it gives what it made before."""

    @wraps(make)
    def made(*arguments: Given.args, **options: Given.kwargs) -> Made:
        for given in (*arguments, *options.values()):
            if type(given).__hash__ is None:
                raise GoughError(f"{make.__name__}: {given!r:.80} cannot be its argument")
        kept: Made = _kept(make, arguments, tuple(options.items()))
        return kept

    return made


def forget() -> None:
    """Let everything be made anew."""
    _kept.cache_clear()


@lru_cache(maxsize=KEPT)
def _kept(make: Callable[..., Any], arguments: Any, options: Any) -> Any:
    return make(*arguments, **dict(options))
