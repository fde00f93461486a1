"""What a user may write in a robot file, where it differs from the records of a robot.

A leg's values may stand in the shared [leg] table or in its own [[legs]] table, hence none of them
is required here; `reading` puts the two together. The JSON Schema is made from these classes.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gough.fields.quantities import Angles
from gough.fields.table import ByKind, in_part
from gough.robot.condensed import WrittenFlexibility
from gough.robot.elastic import FLEXIBILITY
from gough.robot.records import ALL_LEGS, Heading, Home, Leg, Platform, SchemaVersion
from gough.robot.symmetric import Circles, Triangles

WrittenLeg = in_part(Leg)


class WrittenHome(Home):
    """A reference pose of the platform frame in the base frame: rpy or a quaternion."""

    rpy: Angles | None = Field(
        None,
        description="Roll, pitch and yaw [rad] about the fixed x, y and z axes: "
        "R = Rz(yaw) Ry(pitch) Rx(roll). Or give a quaternion.",
    )


class WrittenPlatform(Platform):
    """The moving platform, with what it carries."""

    home: WrittenHome = Field(description="A reference pose, in the middle of the workspace.")


class WrittenRobot(Heading):
    """A Gough-Stewart platform: a base, a platform and six extensible legs.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "4 ft",
    "7.5 lb" or "30 deg".
    """

    schema_version: SchemaVersion
    platform: WrittenPlatform = Field(
        description="The moving platform with what it carries, and its home pose."
    )
    leg: WrittenLeg | None = Field(  # type: ignore[valid-type]
        None, description="What the legs share; a [[legs]] table may override any of it."
    )
    legs: Annotated[list[WrittenLeg], *ALL_LEGS] | None = Field(  # type: ignore[valid-type]
        None, description="The six legs. With [symmetric], only for what differs between them."
    )
    flexibility: WrittenFlexibility | None = FLEXIBILITY
    symmetric: Annotated[Circles | Triangles, ByKind("layout")] | None = Field(
        None, description="The joint centres of a symmetric machine, instead of six coordinates."
    )
