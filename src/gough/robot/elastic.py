"""What yields in a machine under load, beyond the connectors of legs: screws, joints, frames."""

from __future__ import annotations

from math import pi
from typing import Annotated, Self

from pydantic import Field, model_validator

from gough.errors import InputError
from gough.fields.quantities import (
    Compliance,
    DampingRatio,
    ElasticModulus,
    Length,
    PositiveLength,
    RotaryStiffness,
    Stiffness,
)
from gough.fields.values import Whole
from gough.robot.record import Record

STEEL = 2.06e11
"""Elastic modulus [Pa]."""
POISSON = 0.3
"""How much a stretched bar of metal becomes thinner, for each share that it becomes longer."""


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

    A joint without a bending or torsion stiffness turns freely, a flexure resists. In forces and
    energies its moments count from home, in stiffness and vibration from the pose in question.
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


class Beam(Record):
    """A body that yields between its joints, as a round bar or tube.

    It reaches from the joint that holds it, on the base's side, to the middle of its other joints:
    it stretches, bends and twists, by little. At rest a rod between ball joints only stretches.
    """

    diameter: PositiveLength = Field(description="Outer diameter [m].")
    bore: PositiveLength | None = Field(
        None, description="Inner diameter of a tube [m]; left out, it is a bar."
    )
    modulus: ElasticModulus = Field(STEEL, description="Elastic modulus [Pa].")
    shear_modulus: ElasticModulus | None = Field(
        None, description="Shear modulus [Pa]; left out, that of a Poisson ratio of 0.3."
    )

    modes: Annotated[int, Whole(0, 50)] = Field(
        2,
        description="In motion: how many natural modes with both ends clamped it has, beside the "
        "displacement and turn of its last end. Modes of one frequency are not parted.",
    )
    elements: Annotated[int, Whole(1, 100)] = Field(
        8, description="In motion: how many finite elements its shapes are found with."
    )
    damping: DampingRatio = Field(
        0.0,
        description="In motion: damping of each of its modes, held at its first joint, over the "
        "critical one.",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.bore is not None and self.bore >= self.diameter:
            expected = f"less than the diameter, {self.diameter:.6g}"
            raise InputError("no wall is left", key="bore", value=self.bore, expected=expected)
        return self


class HingeBearing(Record):
    """How a hinge gives way where it should not; what is left out is rigid."""

    axial: Stiffness | None = Field(None, description="Along its axis [N/m].")
    radial: Stiffness | None = Field(None, description="Across its axis [N/m].")
    tilting: RotaryStiffness | None = Field(
        None, description="Against turning across its axis [N m/rad]."
    )


class SlideBearing(Record):
    """How a slide gives way where it should not; what is left out is rigid."""

    radial: Stiffness | None = Field(None, description="Across its axis [N/m].")
    tilting: RotaryStiffness | None = Field(
        None, description="Against turning about any axis [N m/rad]."
    )


class SleeveBearing(Record):
    """How a cylindrical joint gives way where it should not; what is left out is rigid."""

    radial: Stiffness | None = Field(None, description="Across its axis [N/m].")
    tilting: RotaryStiffness | None = Field(
        None, description="Against turning across its axis [N m/rad]."
    )


class PointBearing(Record):
    """How the centre of a universal or ball joint gives way."""

    radial: Stiffness | None = Field(None, description="All ways [N/m]; left out, it is rigid.")


class Flexibility(Record):
    """How base and platform themselves yield, beside the legs.

    Each is a compliance, displacements [m, rad] by forces and moments [N, N m]: a matrix or its
    diagonal, where zero is rigid. A 6x6 moves all joints of a frame together; an 18x18 is that of
    the joints' ways x, y, z, leg by leg, under forces on them.
    """

    base: Compliance | None = Field(
        None,
        description="Of the base on its foundation, in the base frame's axes [m/N, rad/N, "
        "rad/(N m)]: 6x6 at its origin, or 18x18 at its joints.",
    )
    platform: Compliance | None = Field(
        None,
        description="Of the platform, in its frame's axes [m/N, rad/N, rad/(N m)]: 6x6 of the "
        "frame's origin on the joints, or 18x18 of the joints with the frame held.",
    )


FLEXIBILITY = Field(
    None, description="How base and platform themselves yield; left out, they are rigid."
)
