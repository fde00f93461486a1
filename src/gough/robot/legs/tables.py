"""Keys of a leg in short form: its joints, its links, and the pattern that repeats it."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import ByKind, FileTable, Meaning, entry, in_part, kinds, optional
from gough.fields.values import Integer, OneOf
from gough.robot import mechanism
from gough.robot.elastic import Beam
from gough.robot.mesh import Mesh
from gough.robot.record import Record
from gough.robot.records import ZERO_INERTIA

_DRAWN = ("type", "between", "at", "driven")
_ZERO = optional(
    "Approximate direction of the next link at an angle of 0; base frame. Left out, the angle is 0 "
    "at home."
)


class LegHinge(in_part(mechanism.Hinge, without=_DRAWN)):  # type: ignore[misc]
    """R: a hinge; with a star, driven."""

    type: Literal["R", "R*"]
    zero: q.Direction | None = _ZERO


class LegSlide(in_part(mechanism.Slide, without=_DRAWN)):  # type: ignore[misc]
    """P: a slide; with a star, driven. Its position is the distance from it to the next joint.

    C*: a driven one whose second link also turns freely about its axis, as a piston may.
    """

    type: Literal["P", "P*", "C*"]


class LegUniversal(in_part(mechanism.Universal, without=_DRAWN)):  # type: ignore[misc]
    """U: a universal joint."""

    type: Literal["U"]
    axis: q.Direction | None = optional(
        "Direction of the axis that is fixed in the link before, base frame, at home; of a leg's "
        "last joint, in the platform. The other is across it and the link."
    )


class LegBall(in_part(mechanism.Ball, without=_DRAWN)):  # type: ignore[misc]
    """S: a ball joint."""

    type: Literal["S"]


class LegCylindrical(in_part(mechanism.Cylindrical, without=_DRAWN)):  # type: ignore[misc]
    """C: a cylindrical joint."""

    type: Literal["C"]


class LegFixed(in_part(mechanism.Fixed, without=_DRAWN)):  # type: ignore[misc]
    """A fixed connection: two links that move as one."""

    type: Literal["fixed"]


class LegParallelogram(
    in_part(mechanism.Hinge, without=(*_DRAWN, *mechanism.OF_MOTORS, "position_at_home", "axis"))  # type: ignore[misc]
):
    """Pa: the hinges at both ends of a link that is a parallelogram."""

    type: Literal["Pa"]


JointTable = (
    LegHinge | LegSlide | LegUniversal | LegBall | LegCylindrical | LegFixed | LegParallelogram
)
JOINT_TYPES = kinds(JointTable, "type")
AnyJointTable = Annotated[JointTable, ByKind("type")]


def _table_of(value: object) -> object:
    """A joint that is written as its letters is a table with its type only."""
    return {"type": OneOf(JOINT_TYPES).read(value)} if isinstance(value, str) else value


LegJoint = Annotated[
    AnyJointTable,
    BeforeValidator(_table_of, json_schema_input_type=Literal[*JOINT_TYPES] | AnyJointTable),
]


class HingeMotor(in_part(mechanism.Hinge, without=("name", "axis", *_DRAWN))):  # type: ignore[misc]
    """Values of the driven hinges of a leg."""

    zero: q.Direction | None = _ZERO


class SlideMotor(in_part(mechanism.Slide, without=("name", "axis", *_DRAWN))):  # type: ignore[misc]
    """Values of the driven slides of a leg."""


class Link(Record):
    """A body between two joints of a leg."""

    name: str = entry("Its name; the leg's number is appended.", min_length=1)
    length: q.PositiveLength | None = optional(
        "Distance between its joints [m]. Left out, they are at the same place, unless both places "
        "are known."
    )
    end: q.Point | None = optional(
        "Place of its second joint [m], base frame, with the machine at home: instead of a length."
    )
    mass: q.Mass = entry("Mass [kg]; of a parallelogram, of each of its bars.", 0.0)
    center_of_mass: q.PlaceOnLink | None = optional(
        "Distance of the mass centre [m] along the link from its first joint, of a link behind a "
        "slide from its second joint back; or a point in the link's frame."
    )
    inertia: q.Inertia = entry(
        "Inertia about the mass centre on the link's axes [kg m^2]: three principal moments or a "
        "3x3. z points to the second joint, x along axis × z.",
        ZERO_INERTIA,
    )
    radius: q.PositiveLength | None = optional(mechanism.Body.model_fields["radius"].description)
    beam: Beam | None = optional(mechanism.Body.model_fields["beam"].description)
    mesh: Mesh | None = optional(
        "Its mesh, on the link's axes from its first joint, of a link behind a slide from its "
        "second one."
    )
    parallelogram: q.PositiveLength | None = optional(
        "Two such links side by side: the distance between them [m]."
    )
    across: q.Direction | None = optional(
        "From one bar of a parallelogram to the other, base frame, at home. Left out: along the "
        "axis of the hinge before it."
    )

    def _check(self) -> None:
        if self.length is not None and self.end is not None:
            expected = "either length or end"
            raise InputError("a length too", key="end", value=self.end, expected=expected)
        if self.mass and self.center_of_mass is None:
            raise InputError("missing", key="center_of_mass", expected="a distance along the link")
        if self.across is not None and self.parallelogram is None:
            problem = "the link is no parallelogram"
            expected = "parallelogram, its width, or no such key"
            raise InputError(problem, key="across", value=self.across, expected=expected)


class Leg(Record):
    """A chain of joints and links from the base to the platform."""

    name: str | None = optional(
        "Suffix of the names of its links and joints, instead of a number.", min_length=1
    )
    joints: tuple[LegJoint, ...] = entry(
        'Its joints from base to platform, such as ["R*", "S", "S"]: R P U S C fixed, '
        "Pa for a parallelogram, a star behind R, P or C for a motor; or tables with type, axis, "
        "limits, friction."
    )
    base: q.Point = entry("Centre of its first joint [m], base frame.")
    platform: q.Point = entry("Centre of its last joint at home [m], platform frame.")
    to: str = entry("The body that it carries, if that is not the platform.", mechanism.PLATFORM)
    axis: q.Direction | None = optional(
        "Direction of the axes that are not given otherwise, base frame, at home: of hinges, of "
        "slides, of a universal joint the first."
    )
    elbow: q.Point | None = optional(
        "Approximate place of its bend at home [m], base frame, to select one of two."
    )
    links: tuple[Link, ...] = entry("The bodies between its joints.", ())
    motor: Annotated[dict[str, Any], Meaning(HingeMotor | SlideMotor)] | None = optional(
        "Values of its driven joints: limits, drive, friction, stop."
    )
    copies: Annotated[int, Integer(1, 100)] | None = optional(
        "Number of copies of this leg, without mirror images, if it differs from that of [pattern]."
    )


class Pattern(FileTable):
    """Pattern of legs repeated around an axis through the origins of base and platform frame."""

    copies: Annotated[int, Integer(1, 100)] = entry("Number of copies of each leg.")
    about: q.Direction = entry(
        "The axis: in the base frame for the base, in the platform's for the platform.",
        (0.0, 0.0, 1.0),
    )
    mirror: q.Direction | None = optional(
        "Each leg is followed by its mirror image: the direction across the mirror, which goes "
        "through the origin."
    )


LegPart = in_part(Leg)


def motor_table(joint: JointTable) -> Any:
    """Return the kind of table for a motor in this joint."""
    return HingeMotor if isinstance(joint, LegHinge) else SlideMotor
