"""From what a user wrote to the plain facts of a machine of any kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from gough.fields.table import read
from gough.robot.mechanism import AnyJoint, Body, MovingPlatform
from gough.robot.reading import home_of
from gough.robot.records import VERSION, Heading
from gough.robot.written import WrittenHome


class WrittenMovingPlatform(MovingPlatform):
    """The moving platform, with what it carries."""

    home: WrittenHome = Field(description="The pose in which the machine is drawn.")


class WrittenMechanism(Heading):
    """A parallel robot of any kind, drawn at home: bodies, and joints between them."""

    schema_version: Annotated[Literal["gough/2"], VERSION]
    platform: WrittenMovingPlatform
    bodies: tuple[Body, ...] = Field(description="Every moving body but the platform.")
    joints: tuple[AnyJoint, ...] = Field(description="All joints.")


def resolved_mechanism(data: object) -> dict[str, Any]:
    """Return what `Mechanism` takes."""
    written = read(WrittenMechanism, data)
    facts = written.model_dump(by_alias=True)
    facts["platform"]["home"] = home_of(written.platform.home)
    return facts
