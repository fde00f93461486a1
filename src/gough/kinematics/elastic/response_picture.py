"""A picture of what a base that shakes, and a wrench, do to a platform at all frequencies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from gough.kinematics.elastic.response import FrequencyResponse
from gough.plots.saving import save_picture
from gough.plots.style import LEG_COLOURS, titled
from gough.robot.mechanism import MOVES

_WORDS = {move: f"about {move[1:]}" if move in MOVES[3:] else f"along {move}" for move in MOVES}


def save_response(
    shaken: FrequencyResponse, pushed: FrequencyResponse, path: str | Path, *, title: str = ""
) -> None:
    """Transmissibility and compliance, each axis to itself: from base, and from wrench."""
    figure = Figure(figsize=(10, 3.8), dpi=160, layout="constrained")
    follows, ways, turns = figure.subplots(1, 3)
    for axis, response, moves in (
        (follows, shaken, MOVES),
        (ways, pushed, MOVES[:3]),
        (turns, pushed, MOVES[3:]),
    ):
        for move in moves:
            _draw(axis, response, MOVES.index(move))
        axis.set_xlabel("frequency [Hz]")
        axis.set_xlim(response.frequencies[0], response.frequencies[-1])
        axis.grid(visible=True, linewidth=0.4, alpha=0.5)
    follows.axhline(1, color="#333333", lw=0.6, ls=":")
    follows.set_title("platform by base [1]", fontsize=9)
    ways.set_title("way by force [m/N]", fontsize=9)
    turns.set_title("turn by moment [rad/(N m)]", fontsize=9)
    follows.legend(frameon=False, fontsize=8)
    titled(figure, title)
    save_picture(figure, path, trimmed=True)


def _draw(axis: Any, response: FrequencyResponse, place: int) -> None:
    """One axis to itself, if the platform moves along it."""
    gain = response.gain[:, place, place]
    if gain.any():
        look = {"color": LEG_COLOURS[place], "lw": 1.2, "label": _WORDS[MOVES[place]]}
        axis.loglog(response.frequencies, gain, **look)
