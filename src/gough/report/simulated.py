"""Parts of a page on a simulation: tracking errors and commands."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from gough.analysis.figures import COMMAND_AT_LIMIT
from gough.analysis.quantities import table_of
from gough.analysis.reductions import OF_LEGS, OF_MACHINE
from gough.analysis.results import Results, Scalar
from gough.analysis.simulation_facts import SensorFacts, Simulation
from gough.analysis.summary import of_quantities
from gough.arrays import Array
from gough.disk.plain_data import PlainMapping
from gough.display.table import Cell, Head, Table, TableRow, shown_unit
from gough.fields.display_units import DisplayUnits
from gough.model.structure import structure_of
from gough.report.charts import at_limit, command_limits, command_lines
from gough.report.text import as_read, heading_text, number_text, sentence, short_text, time_text
from gough.robot import Robot

VOLTS = "V"
Settings = Iterator[tuple[str, str | Cell]]


def simulation_figures(results: Results) -> dict[str, Scalar]:
    """Legs' errors and commands in figures; none for a study without a controller."""
    if results.simulation is None:
        return {}
    found = {name: quantity.values for name, quantity in results.quantities.items()}
    ways = (*OF_LEGS, *OF_MACHINE)
    made = of_quantities(table_of(results.robot), results.time, found, ways, only_shown=True)
    figures = [figure.scalar() for figure in made]
    if "command" in results and results.quantity("command").unit == VOLTS:
        voltages = {f.name: replace(f, unit=VOLTS) for f in figures if f.name == "peak_command"}
        figures = [voltages.get(figure.name, figure) for figure in figures]
    if "command" in results and np.isfinite(command_limits(results)).any():
        figures.append(_at_limit(results))
    return {figure.name: figure for figure in figures}


def _at_limit(results: Results) -> Scalar:
    reached = at_limit(results)
    share = 100 * reached.mean(axis=0)
    first = float(results.time[np.argmax(reached.any(axis=1))]) if reached.any() else None
    overall = 100 * float(reached.any(axis=1).mean())
    name, unit, meaning = COMMAND_AT_LIMIT.name, COMMAND_AT_LIMIT.unit, COMMAND_AT_LIMIT.meaning
    return Scalar(name, unit, meaning, overall, tuple(share.tolist()), time=first)


def simulation_table(results: Results) -> list[Table]:
    """A table of two columns; nothing for a study without a controller."""
    if results.simulation is None:
        return []
    control = _control(results.simulation, results.units)
    settings = (*control, *_signals(results, results.simulation))
    rows = [
        TableRow([Cell(value, kind="words") if isinstance(value, str) else value], name)
        for name, value in settings
    ]
    return [Table("Settings of the run", [Head("Setting"), Head("Value", kind="words")], rows)]


def controller_facts(run: Simulation | None) -> dict[str, str]:
    """The kind of the controller, and its sampling period and rate; nothing without one."""
    if run is None:
        return {}
    period = run.sampling.period
    sampling = f"{_seconds(period)} ({short_text(1 / period)} Hz)" if period else ""
    return {"Controller": heading_text(run.controller.kind.replace("-", " ")), "Sampling": sampling}


def _control(run: Simulation, units: DisplayUnits) -> Settings:
    """The controller, its sampling, and the integration."""
    controller, sampling = run.controller, run.sampling
    yield "Controller", controller_facts(run)["Controller"] or "not stated"
    if controller.description:
        yield "Law", controller.description
    for name, values in controller.gains.items():
        unit = controller.units.get(name, "")  # of rotary and linear joints, if of both, as stated
        gain = np.asarray(values, dtype=float)
        yield f"Gain {name}", _gain(*((gain, unit) if "," in unit else units.shown(gain, unit)))
    if sampling.period is not None:
        text = f"every {_seconds(sampling.period)}, {short_text(1 / sampling.period)} Hz"
        if sampling.delay:
            plural, later = "s" if sampling.delay > 1 else "", sampling.delay * sampling.period
            text += f"; commands act {sampling.delay} sample{plural} ({_seconds(later)}) later"
        yield "Sampling", text
    if run.integrator.get("method", "RK4") not in ("RK4", "RK6"):
        yield "Integration", _plain(run.integrator)
    elif sampling.period is not None:
        step, plural = _seconds(sampling.period / sampling.substeps), "s" * (sampling.substeps > 1)
        space, steps = " in joint space" * sampling.joint_space, f"RK{sampling.order} step{plural}"
        yield "Integration", f"{sampling.substeps} {steps} of {step} a sample{space}"


def _signals(results: Results, run: Simulation) -> Settings:
    """Sensors, commands, what else was set, and how the run ended."""
    if run.sensors is not None:
        yield from _sensors(results.robot, run.sensors, results.units)
    limits = [line["label"] for line in command_lines(results) if line["value"] > 0]
    if limits or run.saturated is not None:
        held = "let beyond their limits" if run.saturated is False else "held at their limits"
        yield "Commands", ", ".join([held, *limits]) if limits else "no limits known"
    for key, value in run.others.items():
        words = _with_units(value, results.units) if key == "imu" else _plain(value)
        yield heading_text(key), words
    if run.seed is not None:
        yield "Seed of the noise", str(run.seed)
    if run.ended_early:
        yield "Ended", Cell(sentence(run.ended.text or run.ended.kind), kind="words alert")
    else:
        yield "Ended", f"completed, at {time_text(float(results.time[-1]))}"


def _gain(values: Array, unit: str) -> Cell:
    """One number where one says it all; else a row, or a matrix folded away."""
    after = f" {unit}" if unit else ""
    if values.ndim == 2:
        diagonal = np.diag(values)
        if (values == np.diag(diagonal)).all():
            return _gain(diagonal, unit)
        ends = " to ".join(number_text(v) for v in (diagonal.min(), diagonal.max()))
        words = f"matrix that couples the legs, {ends}{after} on its diagonal"
        return Cell(words, kind="words", matrix=[list(map(number_text, row)) for row in values])
    if values.size and (values == values.flat[0]).all():
        return Cell(f"{short_text(float(values.flat[0]))}{after}", kind="words")
    return Cell(", ".join(map(short_text, values.flat)) + after, kind="words")


def _sensors(robot: Robot, sensors: SensorFacts, units: DisplayUnits) -> Settings:
    unit, parts = structure_of(robot).unit, []
    for name, size in (("resolution", sensors.resolution), ("noise", sensors.noise)):
        if size:
            (shown,), prefixed = as_read(np.array([size]), unit, units, small=True)
            parts.append(f"{name} {short_text(float(shown))} {prefixed}")
    filtered = sensors.speed_filter
    speed = "known exactly" if filtered is None else "from differences of readings"
    if filtered:
        speed += f" through a low-pass of {_seconds(filtered)}"
    extensible = robot.has_extensible_legs
    yield "Leg length sensors" if extensible else "Encoders", ", ".join(parts) or "exact"
    yield "Leg speeds" if extensible else "Actuator speeds", speed


def _with_units(facts: PlainMapping, units: DisplayUnits) -> str:
    """Return numbers by names such as "noise [m/s^2]" in words, in the units to display."""
    parts = []
    for name, bracket, unit in (heading.removesuffix("]").partition(" [") for heading in facts):
        shown, called = units.shown(np.atleast_1d(facts[f"{name}{bracket}{unit}]"]), unit)
        numbers = ", ".join(map(short_text, shown.tolist()))
        parts.append(f"{name.replace('_', ' ')} {numbers} {shown_unit(called)}".strip())
    return "; ".join(parts)


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{heading_text(str(k)).lower()}: {_plain(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, float):
        return number_text(value)
    return str(value)


def _seconds(value: float) -> str:
    unit, factor = ("s", 1) if value >= 1 else ("ms", 1e3) if value >= 1e-3 else ("µs", 1e6)
    return f"{short_text(value * factor)} {unit}"
