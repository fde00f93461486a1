"""Memory of a Dask worker's process: kept for the next array, as it is in other processes.

Dask starts workers with a setting of glibc's malloc by which freed memory goes back to the system
at once. Each array then lies in new pages, and a study spends a third of its time on having these
made. Here malloc gets the bounds that it comes to by itself where nobody sets any.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

_SET_BY_DASK = {"MALLOC_TRIM_THRESHOLD_": "65536"}
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""What mallopt(3) calls so many free bytes at the top, and arrays that get pages of their own."""
_LARGEST = 32 * 2**20
"""Bytes up to which malloc's own bounds grow; it keeps twice as many."""


@cache
def keep_memory() -> None:
    """Have this process keep freed memory, if Dask alone has said that it should not."""
    if sys.platform == "linux" and _SET_BY_DASK.items() <= os.environ.items():
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # only glibc has it
        if mallopt is not None:
            mallopt(_MMAP_THRESHOLD, _LARGEST)
            mallopt(_TRIM_THRESHOLD, 2 * _LARGEST)
