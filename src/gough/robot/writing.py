"""From a robot to what its file says: as it was written, or in full and in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gough.fields.user_files import as_text
from gough.shown.brief import brief

if TYPE_CHECKING:
    from gough.robot.description import Hexapod, Robot

_NEVER_SHARED = ("base", "platform")


@dataclass(frozen=True)
class Written:
    """What a robot was made from: data in the form of a robot file, and the text of its file."""

    data: dict[str, Any]
    text: str = ""
    """Empty, if no file was read."""
    suffix: str = ""
    """How the name of that file ends."""

    __repr__ = brief

    def as_file(self, suffix: str) -> str:
        """The text of a file whose name ends like this: the one that was read, if it can be."""
        return self.text if self.text and suffix == self.suffix else as_text(self.data, suffix)


def written_form(robot: Hexapod) -> dict[str, Any]:
    """Return the robot as plain data (dicts, lists, floats, text) in the form of a robot file.

    What all legs share stands in one [leg] table.
    """
    facts = plain_facts(robot)
    legs = facts.pop("legs")
    shared = {
        key: value
        for key, value in legs[0].items()
        if key not in _NEVER_SHARED and all(leg.get(key) == value for leg in legs)
    }
    own = [{key: leg[key] for key in leg if key not in shared} for leg in legs]
    return {**facts, "leg": shared, "legs": own}


def plain_facts(robot: Robot) -> dict[str, Any]:
    """Return all that a robot says of itself, its version first; empty texts are left out."""
    facts = robot.model_dump(mode="json", by_alias=True, exclude_none=True)
    said = {key: value for key, value in facts.items() if value != ""}
    return {"schema": said.pop("schema"), **said}
