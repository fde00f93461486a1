"""From a robot to what its file says: what all legs share stands in one [leg] table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gough.robot.description import Hexapod

_NEVER_SHARED = ("base", "platform")


def written_form(robot: Hexapod) -> dict[str, Any]:
    """Return the robot as plain data (dicts, lists, floats, text) in the form of a robot file."""
    facts = robot.model_dump(mode="json", by_alias=True, exclude_none=True)
    legs = facts.pop("legs")
    shared = {
        key: value
        for key, value in legs[0].items()
        if key not in _NEVER_SHARED and all(leg.get(key) == value for leg in legs)
    }
    own = [{key: leg[key] for key in leg if key not in shared} for leg in legs]
    said = {key: value for key, value in facts.items() if value != ""}
    return {**said, "leg": shared, "legs": own}
