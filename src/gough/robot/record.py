"""Base of all tables of robots: frozen, hashable, with errors that name the key."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from gough.display.brief import LONGEST
from gough.errors import RobotError, clipped
from gough.fields.table import FileTable, input_error


class Record(FileTable):
    """A table that raises RobotError for invalid values, also when it is constructed directly."""

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise RobotError.of(input_error(error)) from None

    # Records within records need no call of it: it does nothing else than that of the base class.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return clipped(super().__repr__(), LONGEST)
