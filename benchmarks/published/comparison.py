"""A published number beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import process_time

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def cpu_time(call: Callable[[], object], times: int = 20) -> float:
    """The minimum CPU time [s] of a call."""
    found = []
    for _ in range(times):
        start = process_time()
        call()
        found.append(process_time() - start)
    return min(found)


@dataclass(frozen=True)
class Comparison:
    """A number of others, or by equations that are not ours, and what we find."""

    case: str
    what: str
    """Quantity and unit."""
    source: str
    reference: float
    ours: float
    error: float | None
    """Relative to the largest reference of its kind; None of times, of which we give the ratio."""
    time: float
    """CPU time [s] of our integration; 0 if there is none."""

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row of a table."""
        quicker = f"{self.reference / self.ours:.0f}× quicker"
        error = quicker if self.error is None else f"{self.error:.1e}"
        time = f"{1e3 * self.time:.3g} ms" if self.time else ""
        return (self.case, self.what, f"{self.reference:.10g}", f"{self.ours:.10g}", error, time)


def show(rows: Iterable[Comparison]) -> None:
    """Print the table, and the sources below it."""
    found = list(rows)
    table = Table(title="Published numbers and ours", box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("case", "what", "reference", "ours", "error", "CPU time"):
        table.add_column(column, overflow="fold")
    for row in found:
        table.add_row(*map(Text, row.cells))  # brackets are units, not markup
    console = Console(width=120)
    console.print(table)
    for case, source in dict.fromkeys((row.case, row.source) for row in found):
        console.print(f"{case}: {source}", highlight=False)
