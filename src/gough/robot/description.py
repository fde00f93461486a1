"""What a robot is: a platform, six legs and gravity. Frozen and hashable, in SI units."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import model_validator

from gough.errors import InputError
from gough.robot.checks import check_machine
from gough.robot.reading import as_written, resolve
from gough.robot.records import ALL_LEGS, Heading, Leg, Platform
from gough.robot.writing import written_form


class Robot(Heading):
    """A Gough-Stewart platform with six legs. Make one with `load` or `Robot.from_dict`."""

    platform: Platform
    legs: Annotated[tuple[Leg, ...], *ALL_LEGS]

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_machine(self)
        return self

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, file: Path | None = None) -> Self:
        """Return the robot that data in the form of a robot file describe.

        Raises RobotError, which names the file if one is given.
        """
        try:
            return cls(**resolve(data))
        except InputError as error:
            raise as_written(error, data, file) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the robot as plain data in the form of a robot file, in SI units."""
        return written_form(self)

    @property
    def home(self) -> tuple[float, ...]:
        """The reference pose: x y z [m] qw qx qy qz."""
        return self.platform.home.position + self.platform.home.quaternion

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of all that affects numbers: equal for machines that differ only in words."""
        facts = self.model_dump(exclude={"name", "reference", "notes"})
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
