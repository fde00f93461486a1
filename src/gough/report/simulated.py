"""What a page says of a simulation: how well the motion was followed, with which commands."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.analysis.figures import COMMAND_AT_LIMIT
from gough.analysis.machine_table import table_of
from gough.analysis.results import Results, Scalar
from gough.analysis.summary import of_quantities
from gough.analysis.ways import OF_LEGS, OF_MACHINE
from gough.arrays import Array
from gough.report.limits import Line, both_ways

_MOST_BANDS = 200
"""How many stretches of time a chart shades; nearer ones are joined."""


def simulation_figures(results: Results) -> dict[str, Scalar]:
    """Legs' errors and commands in figures; none for a study without a controller."""
    if results.simulation is None:
        return {}
    found = {name: quantity.values for name, quantity in results.quantities.items()}
    figures = of_quantities(
        table_of(results.robot), results.time, found, (*OF_LEGS, *OF_MACHINE), only_shown=True
    )
    if "command" in results and np.isfinite(command_limits(results)).any():
        figures.append(_at_limit(results))
    return {figure.name: figure for figure in figures}


def command_limits(results: Results) -> Array:
    """The largest command of each leg, in the command's unit; infinite where none is known."""
    limits = results.simulation.limits if results.simulation else ()
    return np.array(limits or [np.inf] * len(results.robot.actuators))


def command_lines(results: Results) -> list[Line]:
    """The limits of the commands, to be drawn."""
    if "command" not in results:
        return []
    command = results.quantity("command")
    return both_ways(command_limits(results).tolist(), command.unit, command.axes[0].labels)


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
    """(T, legs): whether each command is at its limit."""
    return np.abs(results["command"]) >= command_limits(results) * (1 - 1e-9)


def _at_limit(results: Results) -> Scalar:
    reached = _reached(results)
    share = 100 * reached.mean(axis=0)
    first = float(results.time[np.argmax(reached.any(axis=1))]) if reached.any() else None
    whole = 100 * float(reached.any(axis=1).mean())
    name, unit, meaning = COMMAND_AT_LIMIT.name, COMMAND_AT_LIMIT.unit, COMMAND_AT_LIMIT.meaning
    return Scalar(name, unit, meaning, whole, tuple(share.tolist()), time=first)


def _joined(stretches: list[list[float]], gap: float) -> list[list[float]]:
    joined: list[list[float]] = []
    for start, end in stretches:
        if joined and start - joined[-1][1] < gap:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    return joined
