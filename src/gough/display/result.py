"""Base of results: display in a terminal, as a card in a notebook, and as plain data."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any, ClassVar, Generic, TypeVar, overload

from gough.display.brief import brief
from gough.display.card import card
from gough.display.table import Table

T = TypeVar("T")


def data_of(thing: object, names: str) -> dict[str, Any]:
    """Attributes by their names, between blanks, as plain data; of a robot its name alone.

    One under another name, or of an attribute, is "word=attribute.of_it".
    """
    named = (text.rpartition("=") for text in names.split())
    found = {word or name: attrgetter(name)(thing) for word, _, name in named}
    return {n: x.name if n == "robot" else plain_value(x) for n, x in found.items()}


def plain_value(value: Any) -> Any:
    """A value as plain data, but arrays, which stay: of a record its fields, and those `listed`."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        names = (*(field.name for field in fields(value)), getattr(value, "listed", ""))
        return data_of(value, " ".join(names))
    if isinstance(value, Mapping) or hasattr(value, "_asdict"):
        items = value._asdict() if hasattr(value, "_asdict") else value
        return {key: plain_value(item) for key, item in items.items()}
    return [*map(plain_value, value)] if isinstance(value, list | tuple) else value


class Displayable(ABC):
    """A result that shows itself by its tables."""

    robot: Any
    """The machine that it is about, or its name, if it is about one."""
    result_kind: ClassVar[str] = ""
    """Kind of the result, such as "stiffness"."""
    listed: ClassVar[str] = ""
    """Names of what `to_dict` has, between blanks; of a record what it has beside its fields."""

    def __init_subclass__(cls, **options: object) -> None:
        """Give records a brief repr, before a dataclass makes one, unless they have their own."""
        super().__init_subclass__(**options)
        if cls.__repr__ in (object.__repr__, brief):
            cls.__repr__ = brief  # type: ignore[method-assign]

    @property
    def heading(self) -> tuple[str, str]:
        """Subject and kind of the result: ("demo-hexapod", "stiffness")."""
        about = getattr(self, "robot", "")
        return getattr(about, "name", about), self.result_kind

    @abstractmethod
    def tables(self) -> list[Table]:
        """The result as tables, the most important first."""

    def to_dict(self) -> dict[str, Any]:
        """Return the `listed` attributes as plain data."""
        if not self.listed:
            raise NotImplementedError(f"{type(self).__name__} has neither `listed` nor a `to_dict`")
        return data_of(self, self.listed)

    def remarks(self) -> Sequence[str]:
        """Return remarks for the reader, a sentence each: by default its warnings."""
        return tuple(getattr(self, "warnings", ()))

    def folded_away(self) -> tuple[str, str]:
        """A heading and words that a card shows when asked for; nothing of most results."""
        return "", ""

    def report(self) -> str:
        """The tables and warnings as text."""
        from gough.display.terminal import text_of  # noqa: PLC0415  (rich is slow to import)

        heading = ": ".join(filter(None, self.heading))
        return "\n".join((heading, text_of(self.tables()), *self.remarks()))

    def _repr_html_(self) -> str:
        words, warnings = self.folded_away(), self.remarks()
        return card(*self.heading, *self.tables(), folded=words, warnings=warnings)


class Several(Sequence[T], Displayable, Generic[T]):
    """Several results that show themselves together."""

    parts: tuple[T, ...]

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return self.parts[place]

    def __len__(self) -> int:
        return len(self.parts)
