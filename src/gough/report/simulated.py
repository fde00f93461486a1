"""What a page says of a simulation: how well the motion was followed, with which commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.analysis.results import Results, Scalar
from gough.report.limits import Line, both_ways

Array = np.ndarray[Any, np.dtype[np.float64]]

_MOST_BANDS = 200
"""How many stretches of time a chart shades; nearer ones are joined."""


def simulation_of(results: Results) -> Mapping[str, Any] | None:
    """How the run was made; None for a study without a controller."""
    facts = results.study.get("simulation")
    return facts if isinstance(facts, Mapping) and "pose_error" in results else None


def ended_early(results: Results) -> bool:
    """Whether a simulation stopped before its time."""
    facts = simulation_of(results) or {}
    return bool(facts.get("ended", {}).get("kind", "completed") != "completed")


def simulation_figures(results: Results) -> dict[str, Scalar]:
    """Legs' errors and commands in figures; none for a study without a controller."""
    if simulation_of(results) is None:
        return {}
    figures = []
    if "leg_length_error" in results:
        figures += [_peak("leg_length_error", results), _rms("leg_length_error", results)]
    if "command" in results:
        figures += [_peak("command", results), *_at_limit(results)]
    return {figure.name: figure for figure in figures}


def command_limits(results: Results) -> Array:
    """The largest command of each leg, in the command's unit; infinite where none is known."""
    known = (simulation_of(results) or {}).get("limits", [None] * 6)
    return np.array([np.inf if limit is None else limit for limit in known])


def command_lines(results: Results) -> list[Line]:
    """The limits of the commands, to be drawn."""
    if "command" not in results:
        return []
    return both_ways(command_limits(results).tolist(), results.quantity("command").unit)


def times_at_limit(results: Results) -> list[list[float]]:
    """Stretches of time [s] in which a command is at its limit, as [from, to]."""
    if "command" not in results:
        return []
    time = results.time.tolist()
    bounds = np.diff(_reached(results).any(axis=1).astype(int), prepend=0, append=0)
    starts, ends = np.flatnonzero(bounds > 0).tolist(), np.flatnonzero(bounds < 0).tolist()
    stretches = [[time[a], time[min(b, len(time) - 1)]] for a, b in zip(starts, ends, strict=True)]
    return _joined(stretches, (time[-1] - time[0]) / _MOST_BANDS)


def _reached(results: Results) -> Any:
    """(T, 6): whether each command is at its limit."""
    return np.abs(results["command"]) >= command_limits(results) * (1 - 1e-9)


def _peak(name: str, results: Results) -> Scalar:
    quantity = results.quantity(name)
    sizes = np.abs(quantity.values)
    k, leg = np.unravel_index(np.argmax(sizes), sizes.shape)
    return Scalar(
        f"peak_{name}",
        quantity.unit,
        f"largest size of: {quantity.meaning}",
        float(sizes[k, leg]),
        tuple(sizes.max(axis=0).tolist()),
        int(leg) + 1,
        float(results.time[k]),
    )


def _rms(name: str, results: Results) -> Scalar:
    quantity = results.quantity(name)
    rms = np.sqrt(np.mean(quantity.values**2, axis=0))
    meaning = f"root of the mean square of: {quantity.meaning}"
    legs, leg = tuple(rms.tolist()), int(np.argmax(rms)) + 1
    return Scalar(f"rms_{name}", quantity.unit, meaning, max(legs), legs, leg)


def _at_limit(results: Results) -> list[Scalar]:
    if not np.isfinite(command_limits(results)).any():
        return []
    reached = _reached(results)
    share = 100 * reached.mean(axis=0)
    first = float(results.time[np.argmax(reached.any(axis=1))]) if reached.any() else None
    meaning = "share of the run in which a command, not the force, is at its limit, and when first"
    whole = 100 * float(reached.any(axis=1).mean())
    per_leg = tuple(share.tolist())
    return [Scalar("command_at_limit", "%", meaning, whole, per_leg, time=first)]


def _joined(stretches: list[list[float]], gap: float) -> list[list[float]]:
    joined: list[list[float]] = []
    for start, end in stretches:
        if joined and start - joined[-1][1] < gap:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    return joined
