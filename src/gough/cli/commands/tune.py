"""`gough tune`: gains for a machine by pole placement, and how good the loop is with them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gough.cli.option_checks import within
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table
from gough.robot import Robot, load

if TYPE_CHECKING:
    from gough.simulation.plant import Plant

TIME_CONSTANTS = 16
"""So many of the slowest pole a step response lasts: of double poles, too, 2e-6 is left."""
MOST_SAMPLES = 100_000
FEWEST_SAMPLES = 20


def _kinds() -> list[str]:
    from gough.simulation.tuning import TUNABLE  # noqa: PLC0415  (slow to import)

    return list(TUNABLE)


def _kind(name: str) -> str:
    if name not in _kinds():
        raise typer.BadParameter(f"{name!r} is not known; expected one of {', '.join(_kinds())}")
    return name


def tune(
    robot: RobotArgument,
    kind: Annotated[
        str,
        typer.Option(
            help="joint-pid, pd-gravity, feed-forward, computed-torque or computed-torque-task.",
            autocompletion=_kinds,
            callback=_kind,
        ),
    ] = "joint-pid",
    frequency: Annotated[
        float,
        typer.Option(help="Of the closed loop's poles [Hz].", callback=within(1e-6, 1e6, "Hz")),
    ] = 5.0,
    damping: Annotated[
        float, typer.Option(help="Of the closed loop's poles.", callback=within(1e-3, 1e3))
    ] = 1.0,
    integral_rate: Annotated[
        float,
        typer.Option(
            help="Pole of joint-pid's integral [1/s]; 0: none, a PD.",
            callback=within(0, 1e6, "1/s"),
        ),
    ] = 0.0,
    period: Annotated[
        float, typer.Option(help="Sampling period, in seconds.", callback=within(1e-9, 1e3, "s"))
    ] = 1e-3,
    delay: Annotated[
        int, typer.Option(help="Delay of the commands, in samples.", min=0, max=100)
    ] = 0,
    drives: Annotated[
        bool, typer.Option("--drives", help="For the machine on its motors and screws.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the controller as C99.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find gains for a controller at the home pose; show margins of stability and step responses.

    Gains couple the legs as the machine does, but for computed torque, which knows the machine.
    With drives, their inertia and viscous friction count; dry friction is left out.

    Example:  gough tune demo-hexapod --kind computed-torque --frequency 8
    """
    from gough.kinematics.model import Model  # noqa: PLC0415  (CasADi and LLVM are slow to import)
    from gough.simulation.controller import export_controller  # noqa: PLC0415
    from gough.simulation.loop import ClosedLoop, Sampling  # noqa: PLC0415
    from gough.simulation.margins import quality, step_response  # noqa: PLC0415
    from gough.simulation.plant import rigid_plant  # noqa: PLC0415
    from gough.simulation.tuning import place_poles  # noqa: PLC0415

    machine = load(robot)
    controller = place_poles(
        Model(machine),
        kind,
        2 * math.pi * frequency,
        damping=damping,
        integral_rate=integral_rate,
        drives=drives,
    )
    plant = _smooth_drives(machine) if drives else rigid_plant(machine)
    loop = ClosedLoop(plant, controller, machine, Sampling(period, delay=delay))
    found = quality(loop)
    obstacle = _obstacle(found)
    steps = None if obstacle else step_response(loop, duration=_until_rest(found))
    if export is not None:
        export_controller(controller, machine, period, export, plant.limit)
    gains = {a.name: np.asarray(v) for a, v in controller.gains.items()}
    units = {a.name: a.unit for a in controller.gains}
    if as_json:
        words = {"controller": controller.name, "description": controller.description}
        data = {**words, "gains": gains, "units": units}
        print_json(data | _plain(found, steps))
        return
    say(f"{controller.name}: {controller.description}")
    _print(machine.name, controller.name, gains, units, found)
    if obstacle:
        say(f"no step responses: {obstacle}")
    else:
        _print_steps(steps)
    if export is not None:
        say(f"C99 in {export}")


def _smooth_drives(machine: Robot) -> Plant:
    """The machine on its drives, told forces; without dry friction, which is not linear at rest."""
    from gough.simulation.amplifier import force_commanded  # noqa: PLC0415
    from gough.simulation.real_plant import real_plant  # noqa: PLC0415

    smooth = {"rotor_friction": 0.0, "screw_friction": 0.0, "efficiency": 1.0}
    legs = tuple(
        leg.model_copy(update={"drive": leg.drive and leg.drive.model_copy(update=smooth)})
        for leg in machine.legs
    )
    bare = machine.model_copy(update={"legs": legs})
    return force_commanded(real_plant(bare, joint_friction=False, stops=False))


def _until_rest(found: Any) -> float:
    """Until the slowest pole has died away [s]."""
    return float(max(TIME_CONSTANTS / found.slowest_decay, FEWEST_SAMPLES * found.period))


def _obstacle(found: Any) -> str:
    """Why a loop's step responses cannot be shown; empty if they can."""
    if not found.stable:
        return "the loop is not stable"
    if _until_rest(found) > MOST_SAMPLES * found.period:
        took = f"the slowest pole dies away in {_until_rest(found):.4g} s"
        return f"{took}, more than {MOST_SAMPLES:,} samples"
    return ""


def _plain(found: Any, steps: Any) -> dict[str, Any]:
    names = ("overshoot", "rise_time", "settling_time", "final")
    return {
        "stable": found.stable,
        "largest_pole": float(np.abs(found.poles).max()),
        "legs": [vars(leg) for leg in found.legs],
        **{name: getattr(steps, name, None) for name in names},
    }


def _print(name: str, kind: str, gains: Any, units: Any, found: Any) -> None:
    rows = []
    for gain, values in gains.items():
        own = np.diag(values) if values.ndim == 2 else values
        across = np.abs(values - np.diag(own)).max() if values.ndim == 2 else 0.0
        rows.append((gain, units[gain], float(own.min()), float(own.max()), float(across)))
    columns = ("gain", "unit", "least of a leg", "largest of a leg", "largest between legs")
    console.print(table(f"{kind} for {name}", columns, rows))
    verdict = "[green]stable[/]" if found.stable else "[red]not stable[/]"
    console.print(f"sampled loop: {verdict}, largest pole {np.abs(found.poles).max():.4f}\n")
    console.print(
        table(
            "Margins, one leg's loop cut at a time",
            ("leg", "gain up to", "gain down to", "phase [deg]", "delay [ms]", "bandwidth [Hz]"),
            [
                (
                    str(leg.leg),
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


def _print_steps(steps: Any) -> None:
    from gough.simulation.margins import AXES  # noqa: PLC0415

    console.print(
        table(
            "Step responses of the platform",
            ("axis", "final [%]", "overshoot [%]", "rise [ms]", "settling to 2 % [ms]"),
            [
                (axis, *(float(x) for x in row))
                for axis, *row in zip(
                    AXES,
                    100 * steps.final,
                    100 * steps.overshoot,
                    1e3 * steps.rise_time,
                    1e3 * steps.settling_time,
                    strict=True,
                )
            ],
        )
    )
