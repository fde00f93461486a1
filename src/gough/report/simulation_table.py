"""How a simulation was run: its controller and gains, sampling, sensors, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.report.prefixes import readable
from gough.report.simulated import command_lines, ended_early, simulation_of
from gough.report.tables import table_card
from gough.report.text import heading_text, number_text, sentence, short_text, time_text

Array = np.ndarray[Any, np.dtype[np.float64]]
Rows = Iterator[tuple[str, str]]

_KNOWN = "controller sampling integrator sensors saturated limits seed ended".split()


def simulation_table(results: Results) -> str:
    """A table of two columns; nothing for a study without a controller."""
    facts = simulation_of(results)
    if facts is None:
        return ""
    rows = [
        *_controller(facts.get("controller", {})),
        *_sampling(facts.get("sampling", {})),
        *_integration(facts.get("sampling", {}), facts.get("integrator", {})),
        *_sensors(facts.get("sensors", {})),
        *_commands(results, facts),
        *_others(facts),
        ("Ended", _ending(results, facts.get("ended", {}))),
    ]
    lines = [
        f'<tr><th scope="row">{name}</th><td class="words">{text}</td></tr>' for name, text in rows
    ]
    heads = '<th scope="col">What</th><th scope="col" class="words">As it was</th>'
    return table_card("How it was run", heads, lines)


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
    yield "Controller", escape(_kind(controller) or "not told")
    if "description" in controller:
        yield "Law", escape(str(controller["description"]))
    units = controller.get("units", {})
    for name, values in controller.get("gains", {}).items():
        yield f"Gain {escape(name)}", _gain(np.asarray(values, dtype=float), units.get(name, ""))


def _gain(values: Array, unit: str) -> str:
    """One number where one says it all; else a row, or a matrix folded away."""
    after = f" {escape(unit)}" if unit else ""
    if values.ndim == 2:
        diagonal = np.diag(values)
        if (values == np.diag(diagonal)).all():
            return _gain(diagonal, unit)
        rows = "".join(f"<tr>{_cells(row)}</tr>" for row in values)
        ends = " to ".join(number_text(v) for v in (diagonal.min(), diagonal.max()))
        words = f"matrix that couples the legs, {ends}{after} on its diagonal"
        return f'<details><summary>{words}</summary><table class="matrix">{rows}</table></details>'
    if values.size and (values == values.flat[0]).all():
        return f"{short_text(float(values.flat[0]))}{after}"
    return ", ".join(map(short_text, values.flat)) + after


def _cells(row: Array) -> str:
    return "".join(f"<td>{number_text(value)}</td>" for value in row)


def _sampling(sampling: Mapping[str, Any]) -> Rows:
    if "period" not in sampling:
        return
    period, delay = float(sampling["period"]), int(sampling.get("delay", 0))
    text = f"every {_seconds(period)}, {short_text(1 / period)} Hz"
    if delay:
        plural = "s" if delay > 1 else ""
        text += f"; commands act {delay} sample{plural} ({_seconds(delay * period)}) later"
    yield "Sampling", text


def _integration(sampling: Mapping[str, Any], integrator: Mapping[str, Any]) -> Rows:
    if integrator.get("method", "RK4") != "RK4":
        yield "Integration", escape(_plain(integrator))
    elif "period" in sampling:
        steps = int(sampling.get("substeps", 1))
        step = _seconds(sampling["period"] / steps)
        yield "Integration", f"{steps} RK4 step{'s' if steps > 1 else ''} of {step} a sample"


def _sensors(sensors: Mapping[str, Any]) -> Rows:
    if not sensors:
        return
    parts = [f"{k} {_metres(sensors[k])}" for k in ("resolution", "noise") if sensors.get(k)]
    filtered = sensors.get("speed_filter")
    speed = "known exactly" if filtered is None else "from differences of readings"
    if filtered:
        speed += f" through a low-pass of {_seconds(filtered)}"
    yield "Leg length sensors", ", ".join(parts) or "exact"
    yield "Leg speeds", speed


def _commands(results: Results, facts: Mapping[str, Any]) -> Rows:
    limits = [line["label"] for line in command_lines(results) if line["value"] > 0]
    if limits or "saturated" in facts:
        held = "held at their limits" if facts.get("saturated", True) else "let beyond their limits"
        yield "Commands", escape(", ".join([held, *limits]) if limits else "no limits known")


def _others(facts: Mapping[str, Any]) -> Rows:
    for key, value in facts.items():
        if key not in _KNOWN:
            yield escape(heading_text(key)), escape(_plain(value))
    if "seed" in facts:
        yield "Seed of the noise", escape(str(facts["seed"]))


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{heading_text(str(k)).lower()}: {_plain(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, float):
        return number_text(value)
    return str(value)


def _ending(results: Results, ended: Mapping[str, Any]) -> str:
    if ended_early(results):
        return f'<span class="alert">{sentence(str(ended.get("text", ended["kind"])))}</span>'
    return f"completed, at {time_text(float(results.time[-1]))}"


def _seconds(value: float) -> str:
    unit, factor = ("s", 1) if value >= 1 else ("ms", 1e3) if value >= 1e-3 else ("µs", 1e6)
    return f"{short_text(value * factor)} {unit}"


def _metres(value: float) -> str:
    (shown,), unit = readable(np.array([value]), "m")
    return f"{short_text(float(shown))} {unit}"
