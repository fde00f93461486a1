"""The options that choose a controller, of all commands that make one."""

from __future__ import annotations

from typing import NamedTuple

import typer

from gough.cli.option_checks import within


def _kinds() -> list[str]:
    from gough.simulation.tuning import TUNABLE

    return list(TUNABLE)


def _kind(name: str | None) -> str | None:
    if name is not None and name not in _kinds():
        raise typer.BadParameter(f"{name!r} is not known; expected one of {', '.join(_kinds())}")
    return name


KIND = typer.Option(
    help="joint-pid, pd-gravity, feed-forward, computed-torque or computed-torque-task.",
    autocompletion=_kinds,
    callback=_kind,
)
FREQUENCY = typer.Option(help="Of the closed loop's poles [Hz].", callback=within(1e-6, 1e6, "Hz"))
DAMPING = typer.Option(help="Of the closed loop's poles.", callback=within(1e-3, 1e3))
INTEGRAL_RATE = typer.Option(
    help="Pole of joint-pid's integral [1/s]; 0: none, a PD.", callback=within(0, 1e6, "1/s")
)
PERIOD = typer.Option(help="Sampling period, in seconds.", callback=within(1e-9, 1e3, "s"))


class Usual(NamedTuple):
    """What options are where nothing is said, of a controller that is tuned or exported."""

    kind: str = "joint-pid"
    frequency: float = 5.0
    damping: float = 1.0
    integral_rate: float = 0.0
    period: float = 1e-3


USUAL = Usual()
