"""Timing on a noisy machine: alternate the candidates and keep each one's best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from rich import box
from rich.console import Console
from rich.table import Table


def best_times(
    *candidates: Callable[[], object],
    seconds: float = 1.0,
    clock: Callable[[], float] = perf_counter,
) -> list[float]:
    """The best time [s] of each candidate; they take turns until the time is over."""
    best = [float("inf")] * len(candidates)
    end = perf_counter() + seconds * len(candidates)
    while perf_counter() < end or best[-1] == float("inf"):
        for k, candidate in enumerate(candidates):
            start = clock()
            candidate()
            best[k] = min(best[k], clock() - start)
    return best


def repeated(call: Callable[[], object], times: int = 2000) -> Callable[[], None]:
    """Many calls as one, for calls that are shorter than the clock is fine."""

    def run() -> None:
        for _ in range(times):
            call()

    return run


@dataclass
class Report:
    """Rows of what, measured, aim and whether it is reached."""

    title: str
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def at_least(
        self, what: str, ratio: float, aim: float, detail: str = "", unit: str = "x"
    ) -> None:
        """A ratio that should be large."""
        self._add(what, f"{ratio:.1f}{unit}", f">= {aim:g}{unit}", ratio >= aim, detail)

    def at_most(self, what: str, value: float, aim: float, unit: str, detail: str = "") -> None:
        """A quantity that should be small."""
        self._add(what, f"{value:.4g} {unit}", f"<= {aim:g} {unit}", value <= aim, detail)

    def fact(self, what: str, text: str) -> None:
        """Something to know, without an aim."""
        self.rows.append((what, text, "", ""))

    def _add(self, what: str, measured: str, aim: str, reached: bool, detail: str) -> None:
        mark = "[green]yes[/]" if reached else "[red]no[/]"
        self.rows.append((f"{what}{f'  ({detail})' if detail else ''}", measured, aim, mark))

    def show(self) -> None:
        """Print the table."""
        table = Table(title=self.title, box=box.SIMPLE_HEAD, title_justify="left")
        for column in ("what", "measured", "aim", "reached"):
            table.add_column(column, overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        Console(width=120).print(table)
