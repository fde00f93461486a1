"""The base of every record in this room: frozen, and without unknown keys."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from gough.errors import RobotError
from gough.fields.problems import robot_error

_MOST = 100  # unknown keys that are compared with known ones
_LONGEST = 60  # letters of them


class Table(BaseModel):
    """A frozen record; an unknown key is refused, with the nearest known one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _known_keys_only(cls, data: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise RobotError("not a table", value=data, expected=f"a table with {cls._listed()}")
        known = cls.keys()
        unknown = [str(key) for key in data if key not in known]
        if not unknown:
            return read(data)
        problems = [cls._unknown(key) for key in unknown[:_MOST]]
        try:
            read({key: data[key] for key in known if key in data})
        except ValidationError as error:
            problems.append(robot_error(error))
        raise RobotError.together(problems)

    @classmethod
    def _unknown(cls, key: str) -> RobotError:
        nearest = get_close_matches(key.lower()[:_LONGEST], cls.keys(), n=1)
        hint = f' (did you mean "{nearest[0]}"?)' if nearest else ""
        return RobotError(f"unknown key{hint}", key=key, expected=f"one of {cls._listed()}")

    @classmethod
    @cache
    def keys(cls) -> tuple[str, ...]:
        """Return the keys of this table, as they are written in a file."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def _listed(cls) -> str:
        return ", ".join(cls.keys())
