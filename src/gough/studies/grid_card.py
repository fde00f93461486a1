"""What a notebook shows of a grid: what was varied, and between what the figures lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.figures import KEY_OF_STUDIES, known_of
from gough.shown import Fact, card, facts, grid, number, shown_unit

if TYPE_CHECKING:
    from gough.studies.grid_results import GridResults
    from gough.studies.variations import Variation


def grid_card(results: GridResults) -> str:
    """The variations, then the least and the greatest value of each key figure."""
    failed = sum(map(bool, results.errors))
    return card(
        results.name,
        f"grid · {results.robot.name}",
        facts([_varied(variation) for variation in results.variations]),
        grid(("figure", "least", "greatest", "unit"), _rows(results), (1, 2)),
        warnings=[f"{failed} of {len(results.errors)} points have no results"] if failed else [],
    )


def _varied(variation: Variation) -> Fact:
    first, last = variation.numbers[0], variation.numbers[-1]
    ends = f"{_text(first)} to {_text(last)}" if len(variation.values) > 1 else _text(first)
    count = f"{len(variation.values)} values"
    return Fact(variation.name, f"{ends} {variation.unit}".rstrip() + f", {count}")


def _text(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _rows(results: GridResults) -> Iterator[tuple[str, str, str, str]]:
    for name in known_of(KEY_OF_STUDIES, results):
        values = results[name][np.isfinite(results[name])]
        if values.size:
            ends = number(float(values.min())), number(float(values.max()))
            yield name.replace("_", " "), *ends, shown_unit(results.figure(name).unit)
