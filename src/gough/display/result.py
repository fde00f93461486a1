"""Base of results: display in a terminal, as a card in a notebook, and as plain data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar, overload

from gough.display.brief import brief
from gough.display.card import card, folded, table_part
from gough.display.table import Table

T = TypeVar("T")


class Displayable(ABC):
    """A result that shows itself by its tables."""

    robot: Any
    """The machine that it is about, or its name, if it is about one."""
    result_kind: ClassVar[str] = ""
    """Kind of the result, such as "stiffness"."""

    def __init_subclass__(cls, **options: Any) -> None:
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

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""

    def remarks(self) -> Sequence[str]:
        """Return remarks for the reader, a sentence each: by default its warnings."""
        return tuple(getattr(self, "warnings", ()))

    def folded_away(self) -> tuple[str, str]:
        """A heading and words that a card shows when asked for; nothing of most results."""
        return "", ""

    def report(self) -> str:
        """The tables and warnings as text."""
        from gough.display.terminal import text_of  # noqa: PLC0415  (rich is slow to import)

        about, what = self.heading
        return "\n".join((f"{about}: {what}", text_of(self.tables()), *self.remarks()))

    def _repr_html_(self) -> str:
        parts = (*map(table_part, self.tables()), folded(*self.folded_away()))
        return card(*self.heading, *parts, warnings=self.remarks())


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
