"""Check whether something fits in memory: before the work begins, not when it fails."""

from contextlib import suppress

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
    """Return the bytes that a process can still have, as far as the system reports it."""
    import psutil  # noqa: PLC0415  (slow to import)

    limits = [psutil.virtual_memory().available]
    with suppress(ImportError):  # Windows has no limits of its own for a process
        import resource  # noqa: PLC0415

        soft = [resource.getrlimit(name)[0] for name in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
        limits += [limit for limit in soft if limit != resource.RLIM_INFINITY]
    return min(limits)
