"""The tables of files: frozen records without unknown keys, unions of them, and parts of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args, get_origin, overload

import pydantic
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, core_schema

from gough.errors import InputError, did_you_mean, inside, joined
from gough.fields.values import OneOf

_WORDS: dict[str, tuple[str, str | None]] = {
    "missing": ("missing", None),
    "literal_error": ("not known", None),
    "string_type": ("not a text", "a text"),
    "string_too_short": ("empty", "a text"),
    "string_unicode": ("not Unicode text", "a text"),
    "string_pattern_mismatch": ("not a plain name", "letters, digits, and spaces ,.+()- in it"),
    "bool_type": ("not known", "true or false"),
    "dict_type": ("not a table", "a table"),
    "tuple_type": ("not a list", "a list"),
}
"""Pydantic's kinds of complaint that can occur here: what is wrong, and what is expected."""

_MOST = 100  # unknown keys that are compared with known ones
_LONGEST = 60  # letters of them
_VERSION = "schema"  # the key of a file's version: each kind of file has its own
TABLE = TypeVar("TABLE")


def _without_examples(schema: dict[str, Any]) -> None:
    """Leave the examples of a class in Python out of the description of its table."""
    if "description" in schema:
        schema["description"] = schema["description"].partition("\n\n>>>")[0]


class FileTable(BaseModel):
    """A frozen record; an unknown key is refused, with the nearest known one."""

    model_config = pydantic.ConfigDict(
        frozen=True, extra="forbid", defer_build=True, json_schema_extra=_without_examples
    )

    @model_validator(mode="wrap")
    @classmethod
    def _known_keys_only(cls, data: object, read: pydantic.ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise InputError("not a table", value=data, expected=f"a table with {cls._listed()}")
        known = cls.keys()
        unknown = [str(key) for key in data if key not in known]
        if not unknown:
            return read(data)
        problems = [cls._unknown(key) for key in unknown[:_MOST]]
        try:
            read({key: data[key] for key in known if key in data})
        except ValidationError as error:
            problems.append(input_error(error))
        raise InputError.together(problems)

    @model_validator(mode="after")
    def _checked(self) -> Self:
        self._check()
        return self

    def _check(self) -> None:
        """Refuse values that do not go together."""

    @classmethod
    def _unknown(cls, key: str) -> InputError:
        hint = did_you_mean(key.lower()[:_LONGEST], cls.keys())
        return InputError(f"unknown key{hint}", key=key, expected=f"one of {cls._listed()}")

    @classmethod
    @cache
    def keys(cls) -> tuple[str, ...]:
        """Return the keys of this table, as they are written in a file."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def _listed(cls) -> str:
        return ", ".join(cls.keys())


class CheckedTable(FileTable):
    """A table whose invalid values are an InputError also when it is made in Python."""

    refusal: ClassVar[type[InputError]] = InputError  # class of this error

    def __init__(self, /, **data: object) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise self.refusal.of(input_error(error)) from None

    # Tables within tables need no call of it: it does nothing else than that of the base class.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


def entry(meaning: str | None, default: Any = ..., **more: Any) -> Any:
    """Declare a key of a table: its meaning, its default if it may be left out, constraints."""
    return Field(default, description=meaning, **more)


def optional(meaning: str | None, **more: object) -> Any:
    """Declare a key of a table that may be left out, without a value then."""
    return entry(meaning, None, **more)


@overload
def read(kind: type[TABLE], data: object) -> TABLE: ...
@overload
def read(kind: object, data: object) -> Any: ...
def read(kind: Any, data: object) -> Any:
    """Read data as a table, or as any other annotated type. Raises InputError."""
    try:
        return _adapter(kind).validate_python(data)
    except ValidationError as error:
        problems = [_with_version(problem, kind) for problem in input_error(error).problems]
        raise InputError.together(problems) from None


def _with_version(problem: InputError, kind: object) -> InputError:
    """A complaint; where the version of a file is missing, it says which one is expected."""
    if (problem.key, problem.problem) != (_VERSION, "missing"):
        return problem
    fields: dict[str, FieldInfo] = getattr(kind, "model_fields", {})
    versions = [get_args(field.annotation) for field in fields.values() if field.alias == _VERSION]
    return InputError.of(problem, expected=" or ".join(f'"{one}"' for (one,) in versions))


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        kind.model_rebuild()  # for writing, too: the adapter takes it over instead of its own
    return TypeAdapter(kind)


@dataclass(frozen=True)
class ByKind:
    """Annotates a union of tables, each of which says by a key which one it is."""

    key: str = "kind"

    def __get_pydantic_core_schema__(
        self, source: object, handler: pydantic.GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        def read_one(data: object, inner: pydantic.ValidatorFunctionWrapHandler) -> object:
            self._check(data, source)
            try:
                return inner(data)
            except ValidationError as error:
                raise input_error(error, skipped=1) from None  # pydantic puts the kind in each key

        tagged = handler.generate_schema(Annotated[source, Field(discriminator=self.key)])
        return core_schema.no_info_wrap_validator_function(read_one, tagged)

    def _check(self, data: object, union: object) -> None:
        """Refuse what is not of a known kind."""
        if isinstance(data, get_args(union)):
            return
        known = OneOf(kinds(union, self.key))
        if not isinstance(data, Mapping):
            expected = f"a table with a {self.key}: {known.listed}"
            raise InputError("not a table", value=data, expected=expected)
        if data.get(self.key) is None:
            raise InputError("missing", key=self.key, expected=known.expectation)
        with inside(self.key):
            known.read(data[self.key])


@cache
def kinds(union: object, key: str = "kind") -> tuple[str, ...]:
    """Names by which the tables of a union call themselves."""
    tables = get_args(union)
    return tuple(kind for table in tables for kind in get_args(table.model_fields[key].annotation))


@dataclass(frozen=True)
class Meaning:
    """Annotates what is kept as it is written, because it may be changed before it is read.

    The JSON Schema describes what it must be when it is read.
    """

    kind: Any

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(_adapter(self.kind).core_schema)  # validators of it are not needed to read


@cache
def in_part(record: type[FileTable], *, without: tuple[str, ...] = ()) -> type[FileTable]:
    """Make a table, and those in it, with every key optional: another table says the rest.

    Keys that are known from elsewhere can be left out; none of the others is then needed at all.
    """
    fields: dict[str, Any] = {
        name: (_in_part(field) | None, _optional(field, needed=not without))
        for name, field in record.model_fields.items()
        if name not in without
    }
    return pydantic.create_model(
        record.__name__, __base__=FileTable, __doc__=record.__doc__, **fields
    )


def _optional(field: FieldInfo, *, needed: bool) -> Any:
    """Return a key that may be left out; its schema still states whether one table must give it."""
    said: dict[str, Any] = {}
    if field.is_required():
        said = {"x-needed": True} if needed else {}
    elif field.default is not None and not isinstance(field.default, FileTable):
        said = {"default": field.default}
    return Field(None, description=field.description, json_schema_extra=said)


def _in_part(field: FieldInfo) -> Any:
    if table := _table_in(field):
        return in_part(table)
    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def _table_in(field: FieldInfo) -> type[FileTable] | None:
    listed = get_origin(field.annotation) is tuple
    kinds = () if listed else (field.annotation, *get_args(field.annotation))
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, FileTable)), None)


@cache
def tables_in(record: type[FileTable]) -> dict[str, type[FileTable]]:
    """The keys of a table that have tables, with these."""
    found = {name: _table_in(field) for name, field in record.model_fields.items()}
    return {name: table for name, table in found.items() if table}


def input_error(error: ValidationError, *, skipped: int = 0) -> InputError:
    """All complaints as one error; so many parts are skipped at the beginning of each key."""
    details = error.errors(include_url=False)
    found = [alone for detail in details for alone in _problems(detail, skipped)]
    # A list that lost its wrong items is also called too short: not a problem of its own.
    own = [p for k, p in enumerate(found) if not any(_around(p.key, q.key) for q in found[:k])]
    return InputError.together(own)


def _problems(detail: ErrorDetails, skipped: int) -> tuple[InputError, ...]:
    cause = detail.get("ctx", {}).get("error")
    loc = detail["loc"][skipped:]
    place = ""
    for part in loc:
        place = joined(place, f"[{part}]" if isinstance(part, int) else part)
    if isinstance(cause, InputError):
        return cause.inside(place).problems
    kind, value = detail["type"], detail["input"]
    problem, expected = _WORDS.get(kind, (detail["msg"], None))
    if kind == "missing":
        value = None  # pydantic gives the table around it
    elif kind == "literal_error":
        expected = detail["ctx"]["expected"].replace("'", '"')
    return (InputError(problem, key=place, value=value, expected=expected),)


def _around(place: str, key: str) -> bool:
    return key == place or key.startswith((f"{place}.", f"{place}["))
