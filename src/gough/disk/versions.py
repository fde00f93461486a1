"""The versions that results were made with."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from platform import python_version

from gough._version import __version__


def versions() -> dict[str, str]:
    """Versions of Gough and of what the numbers depend on."""
    return dict(_versions())


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    packages = [(name, version(name)) for name in ("numpy", "scipy", "casadi", "llvmlite")]
    return (("gough", __version__), ("python", python_version()), *packages)
