"""Plants and controllers that `gough export` writes, by what its options say."""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import TYPE_CHECKING

from gough.cli.controller_options import USUAL
from gough.cli.export_request import Asked
from gough.cli.output import usage_error, wrong_usage

if TYPE_CHECKING:
    from gough.simulation.controllers import Controller
    from gough.simulation.plants import Plant

PLANT, CONTROLLER = "plant", "controller"
OF_PLANTS = frozenset({"--friction", "--stops"})
OF_CONTROLLERS = frozenset({"--kind", "--frequency", "--damping", "--integral-rate", "--period"})
OF_FMUS = OF_PLANTS | OF_CONTROLLERS | {"--fmi", "--drives", "--platforms"}


def write_fmu(asked: Asked) -> list[Path]:
    """An FMU of a plant, a controller, or both in a loop."""
    from gough.exchange.fmu.binaries import PLATFORMS
    from gough.exchange.fmu.export import export_fmu

    options, parts = asked.options, set(asked.parts)
    if not parts or not parts <= {PLANT, CONTROLLER} or len(parts) < len(asked.parts):
        got = " ".join(asked.parts) or "nothing"
        raise usage_error(f"--to fmu writes plant, controller, or plant controller; got {got}")
    for part, own in ((PLANT, OF_PLANTS), (CONTROLLER, OF_CONTROLLERS)):
        for option in sorted(own & options.keys()):
            if part not in parts:
                raise wrong_usage(option, f"for a {part}; got {' '.join(asked.parts)}")
    names, plant = options.get("--platforms"), _plant(asked)
    path = export_fmu(
        asked.directory,
        plant=plant if PLANT in parts else None,
        controller=_controller(asked) if CONTROLLER in parts else None,
        robot=asked.robot,
        limit=None if PLANT in parts else plant.limit,
        fmi=options.get("--fmi", 3),
        period=options.get("--period", USUAL.period),
        platforms=list(PLATFORMS) if names == "all" else _listed(names),
    )
    return [path]


def _listed(names: str | None) -> list[str] | None:
    return None if names is None else [name.strip() for name in names.split(",")]


def write_controller(asked: Asked) -> list[Path]:
    """A controller alone, as C99."""
    from gough.simulation.controllers import export_controller

    if asked.parts != [CONTROLLER]:
        raise usage_error(f"a controller is written alone; got {' '.join(asked.parts)}")
    period = asked.options.get("--period", USUAL.period)
    made = _controller(asked), asked.robot, period, asked.directory, _plant(asked).limit
    return export_controller(*made, dtype=asked.dtype)


def _plant(asked: Asked) -> Plant:
    """Rigid bodies on ideal actuators, or with what options say; under a controller told forces."""
    from gough.simulation.plants import force_commanded, real_plant, rigid_plant

    drives, friction, stops = map(asked.given, ("--drives", "--friction", "--stops"))
    if not (drives or friction or stops):
        return rigid_plant(asked.robot)
    plant = real_plant(asked.robot, drives=drives, joint_friction=friction, stops=stops)
    return force_commanded(plant) if drives and CONTROLLER in asked.parts else plant


def _controller(asked: Asked) -> Controller:
    """By pole placement, as `gough tune` does it; a loop that is not stable is told."""
    from gough.kinematics.model import Model
    from gough.simulation.sampling import Sampling
    from gough.simulation.tuning.margins import at_rest
    from gough.simulation.tuning.pole_placement import place_poles
    from gough.simulation.tuning.tune import smooth_loop

    options, drives = asked.options, asked.given("--drives")
    controller = place_poles(
        Model(asked.robot),
        options.get("--kind", USUAL.kind),
        2 * pi * options.get("--frequency", USUAL.frequency),
        damping=options.get("--damping", USUAL.damping),
        integral_rate=options.get("--integral-rate", USUAL.integral_rate),
        drives=drives,
    )
    period = options.get("--period", USUAL.period)
    loop = smooth_loop(asked.robot, controller, Sampling(period), drives=drives)
    if (radius := at_rest(loop).spectral_radius) >= 1:
        asked.remarks.append(
            f"not stable: sampled every {period:g} s, the loop at home has a pole of "
            f"{radius:.4g}; expected a lower --frequency, or a shorter --period"
        )
    return controller
