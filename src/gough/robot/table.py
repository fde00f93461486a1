"""The base of every record in this room: frozen, and without unknown keys."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from pydantic import BaseModel, ConfigDict, model_validator

from gough.errors import RobotError


class Table(BaseModel):
    """A frozen record; an unknown key is refused, with the nearest known one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, data: object) -> object:
        if not isinstance(data, Mapping):
            raise RobotError("not a table", value=data, expected=f"a table with {cls._listed()}")
        known = cls.keys()
        for key in data:
            if key not in known:
                raise RobotError(
                    f"unknown key{_suggestion(str(key), known)}",
                    key=str(key),
                    expected=f"one of {cls._listed()}",
                )
        return data

    @classmethod
    def keys(cls) -> list[str]:
        """Return the keys of this table, as they are written in a file."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @classmethod
    def _listed(cls) -> str:
        return ", ".join(cls.keys())


def _suggestion(key: str, known: list[str]) -> str:
    nearest = get_close_matches(key.lower(), known, n=1)
    return f' (did you mean "{nearest[0]}"?)' if nearest else ""
