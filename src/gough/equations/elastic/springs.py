"""The springs of one leg along its axis, and those of its joints."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

import casadi as ca

from gough.equations.actuators.connector import ConnectorLaw
from gough.equations.actuators.connector import compliance as connector_compliance
from gough.equations.spatial.algebra import Value

if TYPE_CHECKING:
    from gough.equations.legs.extensible import ExtensibleLegs


@dataclass(frozen=True)
class FreeScrew:
    """A screw whose free length grows with the leg's."""

    rigidity: Value
    """E A [N]."""
    dead_length: Value
    """Length of the leg [m] at which its free length is zero."""


@dataclass(frozen=True)
class JointSprings:
    """The joints at a leg's ends."""

    radial: Value
    """Compliance of both across the leg, one after the other [m/N]."""
    base_bending: Value
    """Against turning across the leg [N m/rad]."""
    platform_bending: Value
    torsion: Value
    """Against turning about the leg, of both one after the other [N m/rad]."""


@dataclass(frozen=True)
class LegSprings:
    """Springs of a leg. With a compliant connector, its piston is held by springs only."""

    driving: Value
    """Compliance from the base to the piston that does not change with the length [m/N]."""
    screw: FreeScrew | None
    bearing: Value
    """Compliance of the platform joint along the leg [m/N]."""
    connector: ConnectorLaw
    joints: JointSprings | None

    @property
    def rigid_behind(self) -> bool:
        """Whether nothing yields from the base to the piston, its motor held."""
        return self.screw is None and bool(self.driving.is_zero())

    def behind(self, l: Value) -> Value:
        """Compliance [m/N] from the base to the piston at a length of the leg, its motor held."""
        if self.screw is None:
            return self.driving
        free = l - self.screw.dead_length
        return self.driving + ca.if_else(free >= 0, free, nan) / self.screw.rigidity

    def ahead(self) -> Value:
        """Compliance [m/N] from the piston to the platform."""
        return self.bearing + connector_compliance(self.connector)


def springs_of(machine: ExtensibleLegs, k: int) -> LegSprings:
    """The springs of a leg, which every leg of an elastic machine has."""
    springs = machine.legs[k].springs
    assert springs is not None
    return springs


def connectors_of(machine: ExtensibleLegs) -> list[ConnectorLaw]:
    """The connectors of all legs."""
    return [springs_of(machine, k).connector for k in range(len(machine.legs))]
