"""From a robot to the content of its file: as it was written, or in full and in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gough.disk.plain_data import PlainData
from gough.display.brief import Brief
from gough.fields.user_files import as_text, with_places

if TYPE_CHECKING:
    from gough.robot.description import Robot

WHERE_GIVEN = ("couplings", "springs")  # lists that few machines have: left out if empty
_NEVER_SHARED = ("base", "platform")


@dataclass(frozen=True, repr=False)
class Written(Brief):
    """Source of a robot: data in the form of a robot file, and the text of its file."""

    data: PlainData
    text: str = ""  # text of the file; empty if no file was read
    file: Path | None = None
    """Path of the file: paths of meshes are relative to its folder, or else to the current one."""

    @property
    def in_full(self) -> PlainData:
        """The data with absolute paths of meshes."""
        found: PlainData = with_places(self.data, self._folder)
        return found

    @property
    def _folder(self) -> Path:
        return self.file.parent if self.file else Path()

    def as_file(self, path: Path, suffix: str) -> str:
        """Return the text of an equal file: as it was read, if paths of meshes stay the same."""
        stays = path.parent.resolve() == self._folder.resolve()
        data = self.data if stays else self.in_full
        if self.text and self.file and suffix == self.file.suffix.lower() and data == self.data:
            return self.text
        return as_text(data, suffix)


def written_form(robot: Robot) -> PlainData:
    """Return a robot as plain data of a robot file; shared values of legs are in a [leg] table."""
    facts = plain_facts(robot)
    if not robot.has_extensible_legs:
        return facts
    legs = facts.pop("legs")
    shared = {
        key: value
        for key, value in legs[0].items()
        if key not in _NEVER_SHARED and all(leg.get(key) == value for leg in legs)
    }
    own = [{key: leg[key] for key in leg if key not in shared} for leg in legs]
    return {**facts, "leg": shared, "legs": own}


def plain_facts(robot: Robot) -> PlainData:
    """Return all values of a robot, its version first; empty texts are left out."""
    facts = robot.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {key: value for key, value in facts.items() if value or key not in WHERE_GIVEN}
    said = {key: value for key, value in kept.items() if value != ""}
    return {"schema": said.pop("schema"), **said}
