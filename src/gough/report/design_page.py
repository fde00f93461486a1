"""The page of a design: the machines that were found, each where it is worst, and their front."""

from collections.abc import Sequence

import numpy as np

from gough.analysis.limits import forces_include
from gough.arrays import Array
from gough.design import DesignResult, Front
from gough.design.design_result import designs_table
from gough.disk import versions
from gough.disk.plain_data import PlainData
from gough.display import sketches
from gough.model import Kernels
from gough.report.assembly import assembled
from gough.report.scene import force_limits, machine_film
from gough.report.tables import Card
from gough.report.text import heading_text, number_text, unit_text
from gough.robot.card import sketch_lines

_NO_SLACK = 1e-6  # slack below which it is rounding


Designs = Sequence[DesignResult] | Front


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
        "design",
        data=_data(designs),
        title=f"Design of {name}",
        robot=first.problem.robot.name,
        facts=facts,
        cards=_cards(designs),
        several=len(designs) > 1,
        front=isinstance(designs, Front) and len(designs) > 1,
        designs=designs_table([*designs], files),
        sketches=list(
            zip(files, sketches([list(sketch_lines(one.robot)) for one in designs]), strict=True)
        ),
        tables=[one.requirement_table()._replace(note="") for one in designs],
        holding=[one.gains for one in designs],
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


def _data(designs: Designs) -> PlainData:
    films = [_film(one) for one in designs]
    limits = force_limits(designs[0].robot, np.concatenate([force for *_, force in films]))
    return {
        "objectives": _columns(designs, list(designs[0].objectives), "objectives"),
        "variables": _columns(designs, list(designs[0].variables), "variables"),
        "slack": [
            {"title": held.name, "values": [s if abs(s) >= _NO_SLACK else 0.0 for s in slacks]}
            for k, held in enumerate(designs[0].requirements)
            for slacks in [[one.requirements[k].slack for one in designs]]
        ],
        "pieces": designs.pieces.tolist() if isinstance(designs, Front) else [],
        "places": ["home", *(held.name for held in designs[0].requirements)],
        "machines": [
            machine_film(one.robot, np.arange(float(len(pose))), pose, force, limits)
            for one, (pose, force) in zip(designs, films, strict=True)
        ],
    }


def _columns(designs: Designs, names: list[str], which: str) -> list[PlainData]:
    return [
        {
            "title": name,
            "unit": unit_text(designs[0].units[name] or "1"),
            "values": [getattr(one, which)[name] for one in designs],
        }
        for name in names
    ]


def _film(found: DesignResult) -> tuple[Array, Array]:
    """Poses and forces: at home, and in the worst state of each requirement."""
    states, model = found.problem.states, Kernels(found.robot)
    worst = [held.state for held in found.requirements]
    pose = np.array([found.robot.home, *(held.pose for held in found.requirements)])
    loads = [np.concatenate([np.zeros((1, 6)), part[worst]]) for part in states[3:6]]
    return pose, np.asarray(model.actuator_force(pose, *loads))
