"""The pages of studies: of one motion, and of one with variations.

The page of one motion has warnings first, then figures, the machine in motion, tables and charts;
that of variations has warnings, charts along each variation, and all points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.figures import KEY_OF_RUNS, KEY_OF_STUDIES, figure_of, known_of
from gough.analysis.limits import forces_include
from gough.analysis.reductions import PEAK
from gough.analysis.results import Results, Scalar, SingularPoint, Summary
from gough.analysis.simulation_facts import RUN
from gough.analysis.storage import STUDY
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display.table import Cell, Head, Table, TableRow
from gough.elastic.kernels import described, leg_of
from gough.fields.display_units import DisplayUnits
from gough.kinematics.freedoms.path_following import followed
from gough.report import assembly, charts, force_speed, simulated, tables, text
from gough.report.packing import FINE, pack, stretch, thin_times
from gough.report.scene import frames_of, others, scene
from gough.robot import actuator_names
from gough.sizing.envelope import envelope
from gough.sizing.force_speed import of_results
from gough.studies.grid_results import GridFigure, GridResults
from gough.studies.run import robots_along
from gough.studies.study import Study

if TYPE_CHECKING:
    from gough.elastic.mode_shapes import ModeShapes

_QUANTITY = "natural_frequency"
_FRAMES = 33
"""Number of frames of a swing from one end to the other; the page interpolates between them."""
_BEYOND = 1.01  # a film goes a little farther than the page does


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
        **assembly.about(results),
        facts=facts,
        warnings=results.warnings,
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
    usual = {"length": results.units.length or "mm", "angle": results.units.angle or "deg"}
    units = {si: results.units.model_copy(update=usual).of(si) for si in ("m", "rad")}
    return {
        "of": _QUANTITY,
        "time": float(results.time[k]),
        "units": {si: {"unit": name, "factor": 1 / size} for si, (size, name) in units.items()},
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


MAIN_FIGURES = (  # the figures of the table, the most important first
    *("peak_force", "rms_force", "peak_power", "energy_spent", "minimum_force_margin"),
    *("saturated_time", "minimum_stroke_margin", "minimum_travel_margin", "minimum_speed_margin"),
    *("peak_leg_speed", "peak_actuator_speed", "maximum_condition", "samples_without_forces"),
)
_MOST_ROWS = 2000
_KEY_FIGURES = (
    *("peak_force", "peak_power", "minimum_force_margin", "minimum_stroke_margin"),
    *("minimum_travel_margin", "minimum_speed_margin", "maximum_condition"),
)
_MOST_CELLS = 40  # maximum number of cells of a map, along and across
_MOST_NUMBERS = 250_000  # maximum number of numbers of figures in a page


def grid_page(results: GridResults, date: str = "") -> str:
    """The report as one HTML text."""
    results = replace(results, figures=tables.grid_without_noise(results.figures))
    count = int(np.prod(results.shape))
    sizes = zip(results.variations, results.shape, strict=True)
    axes = " × ".join(f"{size} {variation.name}" for variation, size in sizes)
    facts = {"Robot": results.robot.name, "Points": str(count), "Grid": axes, "Date": date}
    facts |= forces_include(results.robot, results.study).texts()
    heads, columns = zip(*_columns(results, range(min(count, _MOST_ROWS))), strict=True)
    rows = [TableRow(cells, point=k) for k, cells in enumerate(zip(*columns, strict=True))]
    note = f"The first {_MOST_ROWS} of {count} points; all are in the results' own files."
    return assembly.assembled(
        "grid",
        data=_grid_data(results, count),
        **assembly.about(results),
        facts=facts,
        warnings=results.remarks(),
        cards=_grid_cards(results, count),
        points=Table("All points", heads, rows, note if count > _MOST_ROWS else ""),
        envelope=envelope(results).tables()[0],
        has_map=len(results.shape) > 1 and max(results.shape[:2]) <= _MOST_CELLS,
        study_file=STUDY,
        inputs=assembly.inputs(results.study),
    )


def _grid_data(results: GridResults, count: int) -> PlainData:
    order = _order(results)
    return {
        "variations": [
            {
                "name": variation.name,
                "unit": text.unit_text(variation.unit) if variation.unit else "",
                "values": [_without_last_digits(value) for value in variation.numbers],
                "numeric": all(isinstance(value, int | float) for value in variation.numbers),
            }
            for variation in results.variations
        ],
        "figures": list(_figures(results, order, count)),
        "singular": np.asarray(results.singularities).reshape(-1).astype(int).tolist(),
        "feasible": results.feasible.reshape(-1).astype(int).tolist(),
        "start": _worst_point(results.figures[order[0]])[0] if order else 0,
    }


def _order(results: GridResults) -> list[str]:
    """Figures in order of importance; those without a number at any point come last."""
    order = known_of(MAIN_FIGURES, results)
    order += [name for name in results.figures if name not in order]
    return sorted(order, key=lambda name: not np.isfinite(results.figures[name].values).any())


def _figures(results: GridResults, order: list[str], count: int) -> Iterator[PlainData]:
    """Yield as many figures as the page may hold; then those of each leg."""
    left = max(1, _MOST_NUMBERS // count)
    chosen = order[:left]
    with_legs = set(chosen[: (left - len(chosen)) // len(results.robot.actuators)])
    units = tables.units_of(results.figures)
    for name in chosen:
        figure = results.figures[name]
        values, unit = text.as_read(figure.values, figure.unit, results.units)
        main, per_leg = figure_of(name).name in MAIN_FIGURES, None
        if figure.per_leg is not None and name in with_legs:
            rows = figure.per_leg.reshape(-1, figure.per_leg.shape[-1]).T
            per_leg = pack(text.as_read(rows, figure.unit, results.units)[0])
        best = results.best(name) if figure_of(name).worst else None
        yield {
            "title": tables.heading_of(name, units) if main else text.heading_text(name),
            "unit": text.unit_text(unit),
            "packed": pack(values.reshape(1, -1)),
            "best": None if best is None else int(np.ravel_multi_index(best, results.shape)),
            "per_leg": per_leg,
            "labels": list(figure.labels or actuator_names(results.robot).titles),
        }


def _worst_point(figure: GridFigure) -> tuple[int, float]:
    """Return the flat index and the value of the worst point: the maximum, or minimum margin."""
    values = figure.values.reshape(-1)
    sign = -1.0 if figure_of(figure.name).worst == "min" else 1.0
    worst = int(np.argmax(np.where(np.isfinite(values), sign * values, -np.inf)))
    return worst, float(values[worst])


def _grid_cards(results: GridResults, count: int) -> list[tables.Card]:
    cards, units = [], tables.units_of(results.figures)
    for name in known_of(_KEY_FIGURES, results):
        if not np.isfinite(results[name]).any():
            continue
        figure = results.figures[name].in_units(results.units)
        point, worst = _worst_point(figure)
        title = tables.title_of(name, units)
        title = f"Maximum {title.lower()}" if figure_of(name).reduction is PEAK else title
        alarming = tables.is_alarming(Scalar(name, figure.unit, figure.meaning, worst))
        below = f"at {_point_name(results, point)}"
        cards.append(
            tables.Card(title, text.number_text(worst), figure.unit, below, alarming=alarming)
        )
    singular = int((results.singularities > 0).sum())
    computed = count - sum(map(bool, results.errors))
    words = f"of {count}" if computed == count else f"of {computed} that were computed"
    title = "Points with singular configurations"
    return [*cards, tables.Card(title, str(singular), below=words, alarming=singular > 0)]


def _without_last_digits(value: ArrayLike) -> Any:
    """A number without the noise of its last digits; words as they are."""
    return float(f"{value:.8g}") if isinstance(value, float) and isfinite(value) else value


def _columns(results: GridResults, points: range) -> Iterator[tuple[Head, list[Cell]]]:
    """Yield variations and main figures of points, and remarks if some point has any."""
    places = np.unravel_index(points, results.shape)
    for variation, at in zip(results.variations, places, strict=True):
        chosen = [variation.numbers[int(k)] for k in at]
        cells = [Cell(_words(value), kind="named", order=str(value)) for value in chosen]
        yield Head(variation.name, variation.unit), cells
    units = tables.units_of(results.figures)
    for name in known_of(MAIN_FIGURES, results):
        if results[name].any() or not figure_of(name).is_count:
            figure = results.figures[name].in_units(results.units)
            numbers = figure.values.reshape(-1)[points].tolist()
            head = Head(tables.heading_of(name, units), figure.unit or "1")
            yield head, [_figure_cell(figure, number) for number in numbers]
    if results.singularities.any() or any(results.errors):
        yield Head("Singular"), [_singular_cell(results, k) for k in points]
    if any(results.warnings) or any(results.errors):
        yield Head("Warnings", kind="words"), [_warnings_cell(results, k) for k in points]


def _point_name(results: GridResults, point: int) -> str:
    """The point in words: "height 2 ft, period 5 s"."""
    places = np.unravel_index(point, results.shape)
    return ", ".join(
        f"{v.name} {_words(v.numbers[int(k)])} {v.unit}".strip()
        for v, k in zip(results.variations, places, strict=True)
    )


def _figure_cell(figure: GridFigure, number: float) -> Cell:
    cell = tables.value_cell(Scalar(figure.name, figure.unit, "", number), number)
    return cell._replace(order=repr(number) if isfinite(number) else "")


def _singular_cell(results: GridResults, point: int) -> Cell:
    if results.errors[point]:
        return Cell("–", kind="none", order="")
    singular = str(int(results.singularities.reshape(-1)[point]))
    return Cell(singular, kind="" if singular == "0" else "alert", order=singular)


def _warnings_cell(results: GridResults, point: int) -> Cell:
    if results.errors[point]:
        return Cell(f"Not computed: {results.errors[point]}", kind="words alert", order="-1")
    texts = results.warnings[point] if point < len(results.warnings) else ()
    if not texts:
        return Cell("–", kind="words none", order="0")
    first, *others = map(text.sentence, texts)
    everything = "\n".join(texts)
    return Cell(first, kind="words", order=str(len(texts)), hint=everything, more=tuple(others))


def _words(value: ArrayLike) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return text.short_text(float(value), 6)
