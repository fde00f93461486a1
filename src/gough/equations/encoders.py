"""What the encoders of the actuators read: position = gain · reading + offset."""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Encoders:
    """Those of all actuators."""

    offset: Value
    """(n) positions [m, rad] at which they read zero."""
    gain: Value
    """(n) by how much positions change where readings change by one."""

    def readings(self, positions: Value) -> Value:
        """What they read at positions (n) of the actuators."""
        return (positions - self.offset) / self.gain

    def positions(self, readings: Value) -> Value:
        """Where the actuators are at readings (n)."""
        return self.gain * readings + self.offset
