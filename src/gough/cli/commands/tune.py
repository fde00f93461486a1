"""`gough tune`: gains for a machine by pole placement, and how good the loop is with them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.controller_options import (
    DAMPING,
    FREQUENCY,
    INTEGRAL_RATE,
    KIND,
    PERIOD,
    USUAL,
)
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table

if TYPE_CHECKING:
    from gough.plots.names import ActuatorNames
    from gough.simulation.tuning import Tuned
    from gough.simulation.tuning.margins import Quality, StepResponse


def tune(
    robot: RobotArgument,
    kind: Annotated[str, KIND] = USUAL.kind,
    frequency: Annotated[float, FREQUENCY] = USUAL.frequency,
    damping: Annotated[float, DAMPING] = USUAL.damping,
    integral_rate: Annotated[float, INTEGRAL_RATE] = USUAL.integral_rate,
    period: Annotated[float, PERIOD] = USUAL.period,
    delay: Annotated[
        int, typer.Option(help="Delay of the commands, in samples.", min=0, max=100)
    ] = 0,
    drives: Annotated[
        bool, typer.Option("--drives", help="For the machine on its motors, gears and screws.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the controller as C99.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find gains for a controller at the home pose; show margins of stability and step responses.

    Gains couple the actuators as the machine does, but for computed torque, which knows it.
    With drives, their inertia and viscous friction count; dry friction is left out.

    Example:  gough tune demo-hexapod --kind computed-torque --frequency 8
    """
    from gough.plots.names import actuator_names
    from gough.robot import load
    from gough.simulation.controllers import export_controller
    from gough.simulation.sampling import Sampling
    from gough.simulation.tuning import tune as tuned_for

    machine = load(robot)
    found = tuned_for(
        machine,
        kind,
        2 * math.pi * frequency,
        damping=damping,
        integral_rate=integral_rate,
        sampling=Sampling(period, delay=delay),
        drives=drives,
    )
    controller = found.controller
    if export is not None:
        export_controller(controller, machine, period, export, found.plant.limit)
    if as_json:
        print_json(_plain(found))
        return
    say(f"{controller.name}: {controller.description}")
    _print_gains(found)
    _print_margins(found.quality, actuator_names(machine))
    if found.steps is None:
        say(f"no step responses: {found.obstacle}")
    else:
        _print_steps(found.steps)
    if export is not None:
        say(f"C99 in {export}")
        if not found.quality.stable:
            say("the controller in these files is that of a loop that is not stable", "warning")


def _plain(found: Tuned) -> dict[str, Any]:
    controller = found.controller
    names = ("overshoot", "rise_time", "settling_time", "final")
    return {
        "controller": controller.name,
        "description": controller.description,
        "gains": controller.gain_arrays(found.plant.actuators, found.plant.freedoms),
        "units": {g.name: g.unit_on(found.plant.structure) for g in controller.gains},
        "stable": found.quality.stable,
        "largest_pole": found.quality.largest_pole,
        "names": [actuator.name for actuator in found.plant.robot.actuators],
        "legs": [vars(leg) for leg in found.quality.legs],
        **{name: getattr(found.steps, name, None) for name in names},
    }


def _print_gains(found: Tuned) -> None:
    import numpy as np

    from gough.plots.names import actuator_names

    controller, plant, rows = found.controller, found.plant, []
    for gain in controller.gains:
        values = gain.spread(plant.actuators, plant.freedoms)
        own = np.diag(values) if values.ndim == 2 else values
        across = np.abs(values - np.diag(own)).max() if values.ndim == 2 else 0.0
        unit = gain.unit_on(plant.structure)
        rows.append((gain.name, unit, float(own.min()), float(own.max()), float(across)))
    word = actuator_names(plant.robot).word
    of = f"of {'an' if word == 'actuator' else 'a'} {word}"
    columns = ("gain", "unit", f"least {of}", f"largest {of}", f"largest between {word}s")
    console.print(table(f"{controller.name} for {plant.robot.name}", columns, rows))


def _print_margins(found: Quality, names: ActuatorNames) -> None:
    verdict = "[green]stable[/]" if found.stable else "[red]not stable[/]"
    console.print(f"sampled loop: {verdict}, largest pole {found.largest_pole:.4f}\n")
    if not found.stable:
        say("no margins: the loop is not stable")
        return
    console.print(
        table(
            f"Margins, one {names.word}'s loop cut at a time",
            (
                names.word,
                "gain up to",
                "gain down to",
                "phase [deg]",
                "delay [ms]",
                "bandwidth [Hz]",
            ),
            [
                (
                    names.short[leg.leg - 1],
                    leg.gain,
                    leg.least_gain,
                    math.degrees(leg.phase),
                    1e3 * leg.delay,
                    leg.bandwidth / (2 * math.pi),
                )
                for leg in found.legs
            ],
        )
    )


def _print_steps(steps: StepResponse) -> None:
    console.print(
        table(
            "Step responses of the platform",
            ("axis", "final [%]", "overshoot [%]", "rise [ms]", "settling to 2 % [ms]"),
            [
                (axis, *(float(x) for x in row))
                for axis, *row in zip(
                    steps.axes,
                    100 * steps.final,
                    100 * steps.overshoot,
                    1e3 * steps.rise_time,
                    1e3 * steps.settling_time,
                    strict=True,
                )
            ],
        )
    )
