"""What a notebook shows of results: the figures that matter most, and warnings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gough.analysis.figures import KEY_OF_RUNS, KEY_OF_STUDIES, known_of
from gough.shown import Fact, card, facts, folded, grid, number, shown_unit

if TYPE_CHECKING:
    from gough.analysis.results import Results


def results_card(results: Results) -> str:
    """A table of key figures with units, where and when they are."""
    kind = "results" if results.simulation is None else "simulation"
    listed = ", ".join(f"{q.name} [{q.unit}]" for q in results.quantities.values())
    return card(
        results.name,
        f"{kind} · {results.robot.name}",
        facts(_facts(results)),
        grid(("figure", "value", "unit", "where", "at [s]"), _rows(results), (1, 4)),
        folded(f"{len(results.quantities)} quantities", listed),
        warnings=results.warnings,
    )


def _facts(results: Results) -> Iterator[Fact]:
    time = results.time
    yield Fact("samples", f"{len(time)}, to {number(float(time[-1]))}", "s")
    if results.singularities:
        yield Fact("singular configurations", str(len(results.singularities)))
    if run := results.simulation:
        yield Fact("controller", run.controller.kind)
        yield Fact("ended", run.ended.kind)


def _rows(results: Results) -> Iterator[tuple[str, str, str, str, str]]:
    key = KEY_OF_STUDIES if results.simulation is None else KEY_OF_RUNS
    for name in known_of(key, results.summary):
        figure = results.summary[name]
        time = "" if figure.time is None else number(figure.time)
        value, unit = number(figure.value), shown_unit(figure.unit)
        yield name.replace("_", " "), value, unit, figure.place, time
