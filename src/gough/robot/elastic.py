"""Compliant parts of a machine beside the connectors of legs: screws, joints, beams, frames."""

from math import pi
from typing import Annotated

from gough.arrays import AnyNumber
from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import entry, optional
from gough.fields.values import Integer
from gough.robot.record import Record

STEEL = 2.06e11  # elastic modulus [Pa]
POISSON = 0.3  # Poisson ratio of metals: transverse contraction by axial strain


class Screw(Record):
    """A screw, its nut, its bearing and the rod behind it: springs in series along a leg.

    The screw is held in a bearing at one end; its part between bearing and nut is longer, and more
    compliant, the longer the leg is.
    """

    diameter: q.PositiveLength = entry("Diameter of the screw's core [m].")
    modulus: q.ElasticModulus = entry("Elastic modulus of the screw [Pa].", STEEL)
    dead_length: q.Length = entry(
        "Length of the leg [m] at which the nut would be at the bearing.", 0.0
    )
    nut: q.Stiffness | None = optional("Stiffness of the nut [N/m].")
    bearing: q.Stiffness | None = optional("Stiffness of the bearing [N/m].")
    rod: q.Stiffness | None = optional("Stiffness of the rod [N/m].")

    @property
    def rigidity(self) -> float:
        """Force per strain E A [N]."""
        return float(tube_stiffness(self.diameter, 0.0, self.modulus)[0])


class JointStiffness(Record):
    """Compliance of joints: of their bearings, which are rigid by default, and of flexures.

    A joint without a bending or torsion stiffness rotates freely, a flexure resists. In forces and
    energies its moments are zero at home, in stiffness and vibration at the pose in question.
    """

    base_axial: q.Stiffness | None = optional(
        "Base joint, along the leg [N/m]; left out, it is rigid."
    )
    base_radial: q.Stiffness | None = optional(
        "Base joint, across the leg [N/m]; left out, it is rigid."
    )
    base_bending: q.RotaryStiffness | None = optional(
        "Base joint, against rotation across the leg [N m/rad]."
    )
    base_torsion: q.RotaryStiffness | None = optional(
        "Base joint, against rotation about the leg [N m/rad]; left out, it is zero for a "
        "spherical joint, and a universal joint is rigid."
    )
    platform_axial: q.Stiffness | None = optional(
        "Platform joint, along the leg [N/m]; left out, it is rigid."
    )
    platform_radial: q.Stiffness | None = optional(
        "Platform joint, across the leg [N/m]; left out, it is rigid."
    )
    platform_bending: q.RotaryStiffness | None = optional(
        "Platform joint, against rotation across the leg [N m/rad]."
    )
    platform_torsion: q.RotaryStiffness | None = optional(
        "Platform joint, against rotation about the leg [N m/rad]."
    )


def tube_stiffness(
    diameter: AnyNumber, bore: AnyNumber, E: AnyNumber, G: AnyNumber = None
) -> tuple[AnyNumber, AnyNumber, AnyNumber]:
    """Return E A [N], E I and G J [N m^2] of a tube, also of symbols; G is by default POISSON's."""
    second_moment = pi / 64 * (diameter**4 - bore**4)
    G = E / (2 * (1 + POISSON)) if G is None else G
    return E * pi / 4 * (diameter**2 - bore**2), E * second_moment, 2 * G * second_moment


class Beam(Record):
    """A flexible body between its joints: a round bar or tube.

    It extends from the joint that holds it, on the base's side, to the middle of its other joints.
    Tension, bending and torsion are small. At rest a rod between ball joints is only in tension.

    With a `length` it is one of two parts of a telescoping leg, which only bend: a cylinder from
    its joint on the base's side, a piston from its joints on the platform's side. They support each
    other at the cylinder's open end and at the piston's inner end.
    """

    diameter: q.PositiveLength = entry("Outer diameter [m].")
    bore: q.PositiveLength | None = optional("Inner diameter of a tube [m]; left out, it is a bar.")
    modulus: q.ElasticModulus = entry("Elastic modulus [Pa].", STEEL)
    shear_modulus: q.ElasticModulus | None = optional(
        "Shear modulus [Pa]; left out, that of a Poisson ratio of 0.3."
    )

    length: q.PositiveLength | None = optional(
        "Length of a cylinder or piston of a telescoping leg [m]; others go from joint to joint."
    )
    modes: Annotated[int, Integer(0, 50)] = entry(
        "In motion: number of natural modes with both ends clamped, in addition to displacement "
        "and rotation of its last end. Modes of one frequency stay together.",
        2,
    )
    elements: Annotated[int, Integer(1, 100)] = entry(
        "In motion: number of finite elements for its mode shapes.", 8
    )
    segments: Annotated[int, Integer(2, 50)] | None = optional(
        "In motion: number of springs between rigid segments, in place of modes and elements."
    )
    damping: q.DampingRatio = entry(
        "In motion: damping ratio of each of its modes, held at its first joint.", 0.0
    )

    def _check(self) -> None:
        if self.bore is not None and self.bore >= self.diameter:
            expected = f"less than the diameter, {self.diameter:.6g}"
            raise InputError("no wall thickness", key="bore", value=self.bore, expected=expected)
        if self.length is not None and self.segments is not None:
            expected = "modes and elements in a telescoping leg"
            raise InputError("segments", key="segments", value=self.segments, expected=expected)

    @property
    def mode_count(self) -> int:
        """Number of its modes: of segments, those that all springs have beside the last end."""
        return self.modes if self.segments is None else 4 * self.segments - 6


class HingeBearing(Record):
    """Stiffness of a hinge's bearings in the constrained directions; rigid where left out."""

    axial: q.Stiffness | None = optional("Along its axis [N/m].")
    radial: q.Stiffness | None = optional("Across its axis [N/m].")
    tilting: q.RotaryStiffness | None = optional("Against rotation across its axis [N m/rad].")


class SlideBearing(Record):
    """Stiffness of a slide's bearings in the constrained directions; rigid where left out."""

    radial: q.Stiffness | None = optional("Across its axis [N/m].")
    tilting: q.RotaryStiffness | None = optional("Against rotation about any axis [N m/rad].")


class SleeveBearing(Record):
    """Stiffness of a cylindrical joint's bearings in the constrained directions; else rigid."""

    radial: q.Stiffness | None = optional("Across its axis [N/m].")
    tilting: q.RotaryStiffness | None = optional("Against rotation across its axis [N m/rad].")


class PointBearing(Record):
    """Stiffness of the bearings of a universal or ball joint at its centre."""

    radial: q.Stiffness | None = optional("In all directions [N/m]; left out, it is rigid.")


class PlatformModes(Record):
    """Mass of a flexible platform, reduced by Craig and Bampton to its joints and natural modes."""

    mass: tuple[tuple[float, ...], ...] = entry(
        "Mass matrix [kg, kg m, kg m^2]: translation and rotation of the frame's origin, the "
        "joints' displacements with the frame held, and amplitudes of the modes."
    )
    frequencies: tuple[q.Frequency, ...] = entry(
        "Natural frequencies [Hz] of the modes, joints and frame held.", ()
    )


class Flexibility(Record):
    """Compliance of base and platform: what `WrittenFlexibility` says, with matrices for files."""

    base: q.Compliance | None = optional(
        "Compliance of the base on its foundation, base axes [m/N, rad/N, rad/(N m)]: 6x6 at its "
        "origin, or 18x18 at its joints."
    )
    platform: q.Compliance | None = optional(
        "Compliance of the platform, platform axes [m/N, rad/N, rad/(N m)]: 6x6 of the frame's "
        "origin on the joints, or 18x18 of the joints with the frame held."
    )
    platform_modes: PlatformModes | None = optional(
        "Mass of the platform and its natural modes, beside an 18x18 compliance; the `mass` of a "
        "file gives them."
    )


FLEXIBILITY = optional("Compliance of base and platform themselves; left out, they are rigid.")
