"""`gough control tune`: gains by pole placement, with stability margins and step responses."""

from __future__ import annotations

from typing import Annotated

import typer

from gough.cli.options import (
    CONTROLLER,
    DAMPING,
    DRIVES,
    FREQUENCY,
    INTEGRAL_RATE,
    PERIOD,
    USUAL,
)
from gough.cli.output import JsonOption, RobotArgument, show


def tune(
    robot: RobotArgument,
    controller: Annotated[str, CONTROLLER] = USUAL.controller,
    frequency: Annotated[float, FREQUENCY] = USUAL.frequency,
    damping: Annotated[float, DAMPING] = USUAL.damping,
    integral_rate: Annotated[float, INTEGRAL_RATE] = USUAL.integral_rate,
    period: Annotated[float, PERIOD] = USUAL.period,
    delay: Annotated[
        int, typer.Option(help="Delay of the commands, in samples.", min=0, max=100)
    ] = 0,
    drives: Annotated[bool, DRIVES] = False,
    as_json: JsonOption = False,
) -> None:
    """Compute gains of a controller at home, with stability margins and step responses.

    Gains couple the actuators as the machine does, but for computed torque, which knows it.
    With drives, their inertia and viscous friction count; dry friction is left out.

    Example:  gough control tune demo-hexapod --controller computed-torque --frequency 8
    """
    from gough.robot import load
    from gough.simulation.controllers.sensors import Sampling
    from gough.simulation.tuning import tune as tuned_for

    machine = load(robot)
    found = tuned_for(
        machine,
        controller,
        frequency,
        damping=damping,
        integral_rate=integral_rate,
        sampling=Sampling(period, delay=delay),
        drives=drives,
    )
    show(found, as_json)
