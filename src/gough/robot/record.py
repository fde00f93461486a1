"""What all tables of robots are: frozen, hashable, and with complaints that name the place."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from gough.errors import RobotError, clipped
from gough.fields.complaints import input_error
from gough.fields.table import Table
from gough.shown.brief import LONGEST


class Record(Table):
    """A table that complains with a RobotError, also when it is made directly."""

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise RobotError.of(input_error(error)) from None

    # Records within records need no call of it: it does nothing else than that of the base class.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return clipped(super().__repr__(), LONGEST)
