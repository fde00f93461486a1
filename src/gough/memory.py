"""Whether something fits in memory: told before the work begins, not when it fails."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from gough.errors import GoughError


def require_memory(needed: float, what: str) -> None:
    """Refuse what needs more bytes than there are; GoughError with both and with what it is.

    `what` names the thing and its size, as a subject in the plural: "1,000,000 samples".
    """
    free = available_memory()
    if not needed <= free:
        raise GoughError(
            f"{what} need about {needed / 1e9:.2g} GB of memory, and {free / 1e9:.2g} GB are "
            "free; expected fewer of them"
        )


def available_memory() -> int:
    """Bytes that a process can still have, as far as the system tells."""
    limits = [_free()]
    for name in ("RLIMIT_AS", "RLIMIT_DATA"):
        soft, _ = resource.getrlimit(getattr(resource, name))
        if soft != resource.RLIM_INFINITY:
            limits.append(soft)
    return min(limits)


def _free() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # not Linux: all there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    facts = dict(line.split(":", 1) for line in lines)
    return 1024 * int(facts["MemAvailable"].split()[0])
