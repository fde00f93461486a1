"""What of a hexapod's legs yields, as controllers ask for it."""

from __future__ import annotations

from typing import NamedTuple

from gough.equations.actuators.connector import Mode


class Springs(NamedTuple):
    """Parts of all legs, and what a controller does with them."""

    name: str
    use: str
    modes: tuple[Mode, ...]
    """In which connectors have them."""


CONNECTORS = Springs(
    "connectors", "feels forces in", ("simple", "low-frequency", "high-frequency", "complete")
)
COUPLINGS = Springs("coupling stages", "compresses", ("low-frequency", "complete"))
