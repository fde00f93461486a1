"""Base of all tables of robots: frozen, hashable, with errors that name the key."""

from typing import ClassVar

from gough.display.brief import LONGEST
from gough.errors import RobotError, clipped
from gough.fields.table import CheckedTable


class Record(CheckedTable):
    """A table that raises RobotError for invalid values, also when it is constructed directly."""

    refusal: ClassVar = RobotError

    def __repr__(self) -> str:
        return clipped(super().__repr__(), LONGEST)
