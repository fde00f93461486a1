"""How a simulation was run: its controller and gains, sampling, sensors, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.report.parts import Cell, Head, Row, Table
from gough.report.prefixes import readable
from gough.report.simulated import command_lines, ended_early, simulation_of
from gough.report.text import heading_text, number_text, sentence, short_text, time_text

Array = np.ndarray[Any, np.dtype[np.float64]]
Rows = Iterator[Row]

_KNOWN = "controller sampling integrator sensors saturated limits seed ended".split()


def simulation_table(results: Results) -> list[Table]:
    """A table of two columns; nothing for a study without a controller."""
    facts = simulation_of(results)
    if facts is None:
        return []
    rows = [
        *_controller(facts.get("controller", {})),
        *_sampling(facts.get("sampling", {})),
        *_integration(facts.get("sampling", {}), facts.get("integrator", {})),
        *_sensors(facts.get("sensors", {})),
        *_commands(results, facts),
        *_others(facts),
        _ending(results, facts.get("ended", {})),
    ]
    return [Table("How it was run", [Head("What"), Head("As it was", kind="words")], rows)]


def _told(name: str, text: str) -> Row:
    return Row([Cell(text, kind="words")], name)


def controller_name(results: Results) -> str:
    """The kind of the controller, in words; nothing for a study without one."""
    facts = simulation_of(results) or {}
    return _kind(facts.get("controller", {}))


def sampling_text(results: Results) -> str:
    """The sampling period and rate; nothing for a study without a controller."""
    period = (simulation_of(results) or {}).get("sampling", {}).get("period")
    return f"{_seconds(period)} ({short_text(1 / period)} Hz)" if period else ""


def _kind(controller: Mapping[str, Any]) -> str:
    return heading_text(str(controller.get("kind", "")).replace("-", " "))


def _controller(controller: Mapping[str, Any]) -> Rows:
    yield _told("Controller", _kind(controller) or "not told")
    if "description" in controller:
        yield _told("Law", str(controller["description"]))
    units = controller.get("units", {})
    for name, values in controller.get("gains", {}).items():
        gain = _gain(np.asarray(values, dtype=float), units.get(name, ""))
        yield Row([gain], f"Gain {name}")


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


def _sampling(sampling: Mapping[str, Any]) -> Rows:
    if "period" not in sampling:
        return
    period, delay = float(sampling["period"]), int(sampling.get("delay", 0))
    text = f"every {_seconds(period)}, {short_text(1 / period)} Hz"
    if delay:
        plural = "s" if delay > 1 else ""
        text += f"; commands act {delay} sample{plural} ({_seconds(delay * period)}) later"
    yield _told("Sampling", text)


def _integration(sampling: Mapping[str, Any], integrator: Mapping[str, Any]) -> Rows:
    if integrator.get("method", "RK4") != "RK4":
        yield _told("Integration", _plain(integrator))
    elif "period" in sampling:
        steps = int(sampling.get("substeps", 1))
        step = _seconds(sampling["period"] / steps)
        plural = "s" if steps > 1 else ""
        yield _told("Integration", f"{steps} RK4 step{plural} of {step} a sample")


def _sensors(sensors: Mapping[str, Any]) -> Rows:
    if not sensors:
        return
    parts = [f"{k} {_metres(sensors[k])}" for k in ("resolution", "noise") if sensors.get(k)]
    filtered = sensors.get("speed_filter")
    speed = "known exactly" if filtered is None else "from differences of readings"
    if filtered:
        speed += f" through a low-pass of {_seconds(filtered)}"
    yield _told("Leg length sensors", ", ".join(parts) or "exact")
    yield _told("Leg speeds", speed)


def _commands(results: Results, facts: Mapping[str, Any]) -> Rows:
    limits = [line["label"] for line in command_lines(results) if line["value"] > 0]
    if limits or "saturated" in facts:
        held = "held at their limits" if facts.get("saturated", True) else "let beyond their limits"
        yield _told("Commands", ", ".join([held, *limits]) if limits else "no limits known")


def _others(facts: Mapping[str, Any]) -> Rows:
    for key, value in facts.items():
        if key not in _KNOWN:
            yield _told(heading_text(key), _plain(value))
    if "seed" in facts:
        yield _told("Seed of the noise", str(facts["seed"]))


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{heading_text(str(k)).lower()}: {_plain(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, float):
        return number_text(value)
    return str(value)


def _ending(results: Results, ended: Mapping[str, Any]) -> Row:
    if ended_early(results):
        words = sentence(str(ended.get("text", ended["kind"])))
        return Row([Cell(words, kind="words alert")], "Ended")
    return _told("Ended", f"completed, at {time_text(float(results.time[-1]))}")


def _seconds(value: float) -> str:
    unit, factor = ("s", 1) if value >= 1 else ("ms", 1e3) if value >= 1e-3 else ("µs", 1e6)
    return f"{short_text(value * factor)} {unit}"


def _metres(value: float) -> str:
    (shown,), unit = readable(np.array([value]), "m")
    return f"{short_text(float(shown))} {unit}"
