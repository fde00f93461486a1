"""From a robot to what its file says: as it was written, or in full and in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.fields.user_files import as_text, with_places
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
    file: Path | None = None
    """That file: names of meshes count from its folder, or else from the current one."""

    __repr__ = brief

    @property
    def in_full(self) -> dict[str, Any]:
        """The data with the names of meshes in full."""
        found: dict[str, Any] = with_places(self.data, self._folder)
        return found

    @property
    def _folder(self) -> Path:
        return self.file.parent if self.file else Path()

    def as_file(self, path: Path, suffix: str) -> str:
        """The text of a file that says the same: the one that was read, if it can be.

        In another folder the names of meshes are written in full.
        """
        stays = path.parent.resolve() == self._folder.resolve()
        data = self.data if stays else self.in_full
        if self.text and self.file and suffix == self.file.suffix.lower() and data == self.data:
            return self.text
        return as_text(data, suffix)


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
