"""The page of one study: warnings first, then figures, the machine in motion, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.figures import KEY_OF_RUNS, KEY_OF_STUDIES, figure_of, known_of
from gough.analysis.limits import forces_include
from gough.analysis.results import Results, SingularPoint, Summary
from gough.analysis.simulation_facts import RUN
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display.table import Table
from gough.elastic.kernels import described, leg_of
from gough.fields.display_units import DisplayUnits
from gough.kinematics.freedoms.path_following import followed
from gough.report import assembly, charts, force_speed, simulated, tables, text
from gough.report.packing import FINE, pack, stretch, thin_times
from gough.report.scene import frames_of, others, scene
from gough.robot import actuator_names
from gough.sizing.force_speed import of_results
from gough.studies.run import robots_along
from gough.studies.study import Study

if TYPE_CHECKING:
    from gough.elastic.mode_shapes import ModeShapes

_QUANTITY = "natural_frequency"
_FRAMES = 33
"""Number of frames of a swing from one end to the other; the page interpolates between them."""
_BEYOND = 1.01
"""A film goes a little farther than the page does."""


def study_page(results: Results, date: str = "", workbench: str = "") -> str:
    """The report as one HTML text; with a workbench beside it, of that name, it leads there."""
    times, duration = len(results), float(results.time[-1] - results.time[0])
    together = stretch(times)
    figures = Summary(simulated.simulation_figures(results) | results.summary).without_noise()
    main, minor = tables.above_and_below_the_fold(figures)
    facts = {
        "Robot": results.robot.name,
        "Duration": text.time_text(duration),
        "Samples": f"{times:,}".replace(",", "\u2009"),
        "Analysis": results.analysis,
        **({} if RUN in results.study else forces_include(results.robot, results.study).texts()),
        **simulated.controller_facts(results.simulation),
        "Charts show": f"minimum and maximum of every {together} samples" * (together > 1),
        "Date": date,
    }
    return assembly.assembled(
        "study",
        data=_data(results) | {"workbench": workbench},
        title=results.name,
        robot=results.robot.name,
        subtitle=results.notes,
        facts=facts,
        warnings=results.warnings,
        limits=results.limits,
        cards=figure_cards(results, figures),
        tables=[
            *simulated.simulation_table(results),
            *tables.singularity_table(results.singularities, results.units),
            *_tables(results, main),
        ],
        minor_tables=_tables(results, minor),
        force_speeds=[
            force_speed.force_speed_drawing(chart, results.units) for chart in of_results(results)
        ],
        inputs=assembly.inputs(results.study),
        versions=results.versions,
    )


def _tables(results: Results, figures: tables.Figures) -> list[Table]:
    names, units = actuator_names(results.robot), results.units
    legs = tables.leg_tables(figures, bool(results.singularities), names, units)
    return [*legs, *tables.machine_table(figures, units)]


def _data(results: Results) -> PlainData:
    plan, machine = charts.chart_plan(results), scene(results)
    return {
        "time": pack(thin_times(results.time)[None], FINE),
        "quantities": plan.numbers,
        "beside": plan.beside,
        "sections": plan.sections,
        "modes": _mode_shapes(results, machine["swing"]),
        "singular_times": [point.time for point in results.singularities],
        "machine": machine,
    }


def figure_cards(results: Results, figures: tables.Figures) -> list[tables.Card]:
    """A card for each key figure, and one that says how the run or the way went."""
    if results.simulation is None:
        cards = _cards(figures, KEY_OF_STUDIES, results.units)
        return [*cards, _singularities(results.singularities)]
    ended = results.simulation.ended
    time = float(results.time[-1]) if ended.time is None else ended.time
    early = results.simulation.ended_early
    below = f"at {text.time_text(time)}"
    run = tables.Card("Run", ended.kind, below=below, hint=ended.text, alarming=early)
    return [run, *_cards(figures, KEY_OF_RUNS, results.units)]


def _cards(
    figures: tables.Figures, names: Sequence[str], shown_in: DisplayUnits
) -> Iterator[tables.Card]:
    units = tables.units_of(figures)
    for name in known_of(names, figures):
        title, figure = tables.title_of(name, units), tables.as_shown(figures[name], shown_in)
        value, hint = text.number_text(figure.value), figure.meaning
        if isfinite(figure.value):
            time = tables.known_time(figure.time)
            own = (figure.unit, figure.place, time, hint, tables.is_alarming(figure))
            yield tables.Card(title, value, *own)
        elif figure_of(name).name == "peak_force":
            below = "not given: singular on the way"
            yield tables.Card(title, value, below=below, hint=hint, alarming=True)


def _singularities(points: Sequence[SingularPoint]) -> tables.Card:
    unbounded = any(not point.bounded for point in points)
    words = "forces without bound" if unbounded else "crossed with bounded forces"
    below = words if points else "none on the way"
    return tables.Card("Singular configurations", str(len(points)), below=below, alarming=unbounded)


def _mode_shapes(results: Results, swing: float) -> PlainData | None:
    """All modes at the sample whose first frequency is lowest; None where none is known.

    What moves most in a mode is moved by at most `swing` [m]. A simulation does not say what its
    machine carried at a time: it has none.
    """
    if _QUANTITY not in results or results.simulation is not None:
        return None
    first = results[_QUANTITY][:, 0]
    if not np.isfinite(first).any():
        return None
    from gough.elastic.mode_shapes import mode_shapes_of  # noqa: PLC0415  (few need it)
    from gough.elastic.natural_modes import natural_modes  # noqa: PLC0415

    k = int(np.nanargmin(first))
    along = robots_along(Study.from_dict(results.study), results.time, results["pose"])
    robot = next(robot for where, robot in along if where.start <= k < where.stop)
    found = natural_modes(robot, results["pose"][k], wrench=results["wrench"][k])
    seen = mode_shapes_of(found)
    ends = _BEYOND * swing / seen.largest
    inner = [leg_of(name) is not None for name in found.coordinates]
    return {
        "of": _QUANTITY,
        "time": float(results.time[k]),
        "units": _units_of_swings(results.units),
        "coordinates": described(found.coordinates),
        "modes": [
            {
                "frequency": float(found.frequencies[n]),
                "words": words,
                "share": share,
                "step": found.displacements[n].tolist(),
                "inner": found.shapes[n, inner].tolist(),
                "film": _film(seen, n, end),
            }
            for n, ((words, share), end) in enumerate(zip(found.most, ends, strict=True))
        ],
    }


def _units_of_swings(stated: DisplayUnits) -> PlainData:
    """Return units of displacements and rotations, with factors from m and rad."""
    usual = {"length": stated.length or "mm", "angle": stated.angle or "deg"}
    known = {si: stated.model_copy(update=usual).of(si) for si in ("m", "rad")}
    return {si: {"unit": name, "factor": 1 / size} for si, (size, name) in known.items()}


def _film(seen: ModeShapes, n: int, end: float) -> PlainData:
    """The machine displaced by a shape times factors, from one end to the other."""
    found, factors = seen.found, np.linspace(-end, end, _FRAMES)
    pose: Array = followed(found.robot, found.pose, factors[:, None] * found.displacements[n])
    points = seen.points(n, factors)
    return {
        "times": pack(factors[None], FINE),
        "pose": pack(pose.T, FINE),
        "moving": pack(points[:, others(seen.shape, points)].reshape(len(points), -1).T),
        "frames": pack(frames_of(found.robot, pose)),
    }
