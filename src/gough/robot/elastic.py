"""What yields in a machine under load, beyond the connectors of legs: screws, joints, frames."""

from __future__ import annotations

from math import pi

from pydantic import Field

from gough.fields.quantities import (
    Compliance,
    ElasticModulus,
    Length,
    PositiveLength,
    RotaryStiffness,
    Stiffness,
)
from gough.robot.record import Record

STEEL = 2.06e11
"""Elastic modulus [Pa]."""


class Screw(Record):
    """A screw, its nut, its bearing and the rod behind it: springs in series along a leg.

    The screw is held in a bearing at one end; between that and the nut it is the longer, and the
    softer, the longer the leg is.
    """

    diameter: PositiveLength = Field(description="Diameter of the screw's core [m].")
    modulus: ElasticModulus = Field(STEEL, description="Elastic modulus of the screw [Pa].")
    dead_length: Length = Field(
        0.0,
        description="Length of the leg [m] at which the nut would be at the bearing.",
    )
    nut: Stiffness | None = Field(None, description="Stiffness of the nut [N/m].")
    bearing: Stiffness | None = Field(None, description="Stiffness of the bearing [N/m].")
    rod: Stiffness | None = Field(None, description="Stiffness of the rod [N/m].")

    @property
    def rigidity(self) -> float:
        """Force per strain E A [N]."""
        return self.modulus * pi * self.diameter**2 / 4


class JointStiffness(Record):
    """How joints yield: in their bearings, which left out are rigid, and as flexures.

    A joint without a bending or torsion stiffness turns freely, a flexure resists. Its moments
    count from the pose that is asked about.
    """

    base_axial: Stiffness | None = Field(
        None, description="Base joint, along the leg [N/m]; left out, it is rigid."
    )
    base_radial: Stiffness | None = Field(
        None, description="Base joint, across the leg [N/m]; left out, it is rigid."
    )
    base_bending: RotaryStiffness | None = Field(
        None, description="Base joint, against turning across the leg [N m/rad]."
    )
    base_torsion: RotaryStiffness | None = Field(
        None,
        description="Base joint, against turning about the leg [N m/rad]; left out, none for a "
        "spherical joint, and a universal joint is rigid.",
    )
    platform_axial: Stiffness | None = Field(
        None, description="Platform joint, along the leg [N/m]; left out, it is rigid."
    )
    platform_radial: Stiffness | None = Field(
        None, description="Platform joint, across the leg [N/m]; left out, it is rigid."
    )
    platform_bending: RotaryStiffness | None = Field(
        None,
        description="Platform joint, against turning across the leg [N m/rad].",
    )
    platform_torsion: RotaryStiffness | None = Field(
        None, description="Platform joint, against turning about the leg [N m/rad]."
    )


class Flexibility(Record):
    """How base and platform themselves yield, beside the legs.

    Each is a 6x6 of displacements [m, rad] by forces and moments [N, N m], or its diagonal: zero is
    rigid. Finite elements give it as the condensed matrix of the frame on its joints.
    """

    base: Compliance | None = Field(
        None,
        description="Of the base on its foundation [m/N, rad/N, rad/(N m)]: at the base frame's "
        "origin, in its axes.",
    )
    platform: Compliance | None = Field(
        None,
        description="Of the platform frame on the platform's joints [m/N, rad/N, rad/(N m)]: at "
        "its origin, in its axes.",
    )


FLEXIBILITY = Field(
    None, description="How base and platform themselves yield; left out, they are rigid."
)
