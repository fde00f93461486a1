"""The page of a design: the machines that were found, each where it is worst, and their front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.analysis.included import forces_include
from gough.analysis.versions import versions
from gough.arrays import Array
from gough.design.designed import Designed, Held
from gough.design.front import Front
from gough.model.kernels import Kernels
from gough.report.assembly import assembled
from gough.report.parts import Card, Cell, Head, Row, Table
from gough.report.scene import force_limits, machine_film
from gough.report.text import heading_text, number_text, unit_text
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.card import hexapod_lines, mechanism_lines
from gough.shown import Line, sketches

_STYLES = (
    *"theme.css layout.css tables.css charts.css machine.css grid.css design.css".split(),
    *("print.css", "landscape.css"),
)
_NO_SLACK = 1e-6


Designs = Sequence[Designed] | Front


def design_page(designs: Designs, name: str, files: Sequence[str], date: str = "") -> str:
    """The report as one HTML text; the files are those of the robots."""
    first = designs[0]
    _home, *asked = first.problem.demands
    states = sum(map(len, asked))
    facts = {
        "Begun with": first.problem.robot.name,
        "Variables": str(len(first.variables)),
        "States": f"{states:,} and home".replace(",", "\u2009"),
        "Machines": str(len(designs)) if len(designs) > 1 else "",
        "Date": date,
        **forces_include(first.problem.robot).texts(),
    }
    return assembled(
        "design.html",
        _STYLES,
        "design",
        data=_data(designs),
        title=f"Design of {name}",
        robot=first.problem.robot.name,
        subtitle="",
        facts=facts,
        warnings=[],
        limits=None,
        cards=_cards(designs),
        several=len(designs) > 1,
        front=isinstance(designs, Front) and len(designs) > 1,
        designs=_designs_table(designs, files),
        sketches=list(zip(files, sketches([_lines(one.robot) for one in designs]), strict=True)),
        tables=[_requirements(one) for one in designs],
        holding=[_holding(one) for one in designs],
        inputs={},
        versions=versions(),
    )


def _cards(designs: Designs) -> list[Card]:
    first = designs[0]
    cards = []
    for name, unit in ((name, first.units[name]) for name in first.objectives):
        values = [one.objectives[name] for one in designs]
        low, high = min(values), max(values)
        below = f"to {number_text(high)} {unit_text(unit)}" if len(designs) > 1 else "the best"
        cards.append(Card(heading_text(name), number_text(low), unit, below))
    if len(designs) == 1:
        alike, starts = first.alike
        cards.append(Card("Found from", str(alike), "", f"of {starts} starts"))
    return cards


def _data(designs: Designs) -> dict[str, Any]:
    films = [_film(one) for one in designs]
    peak = np.concatenate([force for *_, force in films])
    limits = force_limits(designs[0].robot, peak)
    return {
        "objectives": _columns(designs, list(designs[0].objectives), "objectives"),
        "variables": _columns(designs, list(designs[0].variables), "variables"),
        "slack": [
            {"title": held.name, "values": [_seen(one.requirements[k].slack) for one in designs]}
            for k, held in enumerate(designs[0].requirements)
        ],
        "pieces": designs.pieces.tolist() if isinstance(designs, Front) else [],
        "places": ["home", *(held.name for held in designs[0].requirements)],
        "machines": [
            machine_film(one.robot, np.arange(float(len(pose))), pose, force, limits)
            for one, (pose, force) in zip(designs, films, strict=True)
        ],
    }


def _columns(designs: Designs, names: list[str], which: str) -> list[dict[str, Any]]:
    return [
        {
            "title": name,
            "unit": unit_text(designs[0].units[name] or "1"),
            "values": [getattr(one, which)[name] for one in designs],
        }
        for name in names
    ]


def _film(found: Designed) -> tuple[Array, Array]:
    """Poses and forces: at home, and in the worst state of each requirement."""
    states, model = found.problem.states, Kernels(found.robot)
    worst = [held.state for held in found.requirements]
    pose = np.array([found.robot.home, *(held.pose for held in found.requirements)])
    loads = [np.concatenate([np.zeros((1, 6)), part[worst]]) for part in states[3:]]
    return pose, np.asarray(model.actuator_force(pose, *loads))


def _lines(robot: Robot) -> list[Line]:
    """What a sketch shows of a machine at home."""
    if isinstance(robot, Mechanism):
        return list(mechanism_lines(robot))
    assert isinstance(robot, Hexapod)
    return list(hexapod_lines(robot))


def _designs_table(designs: Designs, files: Sequence[str]) -> Table:
    first = designs[0]
    names = [*first.objectives, *first.variables]
    heads = [Head("Machine", kind="words")]
    heads += [Head(name, unit_text(first.units[name])) for name in names]
    rows = [
        Row(
            [
                Cell(file, kind="words"),
                *(
                    Cell(number_text(value), order=str(value))
                    for value in (*one.objectives.values(), *one.variables.values())
                ),
            ],
            point=k,
        )
        for k, (one, file) in enumerate(zip(designs, files, strict=True))
    ]
    return Table("All machines", heads, rows)


def _requirements(found: Designed) -> Table:
    heads = [
        Head("Requirement", kind="words"),
        Head("Worst"),
        Head("Bound"),
        Head("Slack", hint="how far within the bound, over the bound; of margins themselves"),
        Head("Proved", hint="slack that no pose of a box is below; others were searched"),
        Head("Of", kind="words"),
        Head("In", kind="words"),
    ]
    rows = [Row(_cells(held), point=k + 1) for k, held in enumerate(found.requirements)]
    return Table("Requirements, each where it is nearest to its bound", heads, rows)


def _cells(held: Held) -> list[Cell]:
    kind = "" if held.holds else "alert"
    value = held.value if held.bound else _seen(held.value)
    return [
        Cell(heading_text(held.name), kind="words"),
        Cell(number_text(value), held.unit),
        Cell(number_text(held.bound), held.unit),
        Cell(number_text(_seen(held.slack)), kind=kind),
        Cell("searched" if held.proved is None else f"≥ {number_text(held.proved)}"),
        Cell(held.of, kind="words"),
        Cell(held.demand, kind="words"),
    ]


def _seen(slack: float) -> float:
    """Slack as readers see it: what is left for rounding is none."""
    return 0.0 if abs(slack) < _NO_SLACK else slack


def _holding(found: Designed) -> list[str]:
    """Sentences on what would be gained."""
    objective = next(iter(found.objectives), "")
    unit = found.units.get(objective, "")
    return [
        f"{_called(found, one.name)}: yielding by 1 % would better the {objective} by "
        f"{number_text(one.gain)} {unit_text(unit)}".rstrip()
        for one in found.holding
    ]


def _called(found: Designed, name: str) -> str:
    """A requirement as a heading; a bound of a variable as the file has it."""
    return name if name.startswith(tuple(found.variables)) else heading_text(name)
