"""What `gough export` writes: a row for each format, with the options that it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.cli.output import usage_error, wrong_usage

if TYPE_CHECKING:
    from gough.robot import Robot
    from gough.simulation.controllers import Controller
    from gough.simulation.plants import Plant


class Format(StrEnum):
    """What a machine, or a part of it, can be written as."""

    C = "c"
    CUDA = "cuda"
    JAVASCRIPT = "js"
    WEBASSEMBLY = "wasm"
    FMU = "fmu"


FMU_PARTS = ("plant", "controller")


@dataclass(frozen=True)
class Asked:
    """What a user asked to be exported."""

    robot: Robot
    parts: list[str]
    """Of the machine: names of kernels, say; none: all of it."""
    format: Format
    directory: Path
    options: Mapping[str, Any]
    """Those that were given, by their names on the command line."""


@dataclass(frozen=True)
class Writer:
    """How one format is written, and which options it takes."""

    write: Callable[[Asked], list[Path]]
    options: frozenset[str] = frozenset()


def written(asked: Asked) -> list[Path]:
    """Write it; the paths of the files. An option that the format does not take is refused."""
    writer = _WRITERS[asked.format]
    for option in asked.options:
        if option not in writer.options:
            takers = ", ".join(f for f, other in _WRITERS.items() if option in other.options)
            raise wrong_usage(option, f"not for --to {asked.format}; for {takers}")
    return writer.write(asked)


def _kernel(asked: Asked) -> list[Path]:
    from gough.exchange.source import export_kernel
    from gough.kinematics.model import Model

    if len(asked.parts) != 1:
        raise usage_error(f"--to {asked.format} writes one kernel; got {len(asked.parts)} names")
    model = Model(asked.robot, parametric=bool(asked.options.get("--parametric")))
    dtype = "float32" if asked.options.get("--float32") else "float64"
    return export_kernel(model, asked.parts[0], asked.format.value, asked.directory, dtype=dtype)


_OF_PLANTS = frozenset({"--friction", "--stops"})
_OF_CONTROLLERS = frozenset({"--kind", "--frequency", "--integral-rate", "--period"})


def _fmu(asked: Asked) -> list[Path]:
    from gough.exchange.fmu.binaries import PLATFORMS
    from gough.exchange.fmu.export import export_fmu

    options, parts = asked.options, set(asked.parts)
    if not parts or not parts <= set(FMU_PARTS) or len(parts) < len(asked.parts):
        got = " ".join(asked.parts) or "nothing"
        raise usage_error(f"--to fmu writes plant, controller, or plant controller; got {got}")
    for part, own in zip(FMU_PARTS, (_OF_PLANTS, _OF_CONTROLLERS), strict=True):
        for option in sorted(own & options.keys()):
            if part not in parts:
                raise wrong_usage(option, f"for a {part}; got {' '.join(asked.parts)}")
    names = options.get("--platforms")
    path = export_fmu(
        asked.directory,
        plant=_plant(asked) if "plant" in parts else None,
        controller=_controller(asked) if "controller" in parts else None,
        robot=asked.robot,
        fmi=options.get("--fmi", 3),
        period=options.get("--period", 1e-3),
        platforms=list(PLATFORMS) if names == "all" else names and names.split(","),
    )
    return [path]


def _plant(asked: Asked) -> Plant:
    """Rigid bodies on ideal actuators, or with what options say; under a controller told forces."""
    from gough.simulation.plants import force_commanded, real_plant, rigid_plant

    drives, friction, stops = (
        bool(asked.options.get(name)) for name in ("--drives", "--friction", "--stops")
    )
    if not (drives or friction or stops):
        return rigid_plant(asked.robot)
    plant = real_plant(asked.robot, drives=drives, joint_friction=friction, stops=stops)
    return force_commanded(plant) if drives and "controller" in asked.parts else plant


def _controller(asked: Asked) -> Controller:
    """By pole placement, as `gough tune` does it."""
    from math import pi

    from gough.kinematics.model import Model
    from gough.simulation.tuning.pole_placement import place_poles

    options = asked.options
    return place_poles(
        Model(asked.robot),
        options.get("--kind", "joint-pid"),
        2 * pi * options.get("--frequency", 5.0),
        integral_rate=options.get("--integral-rate", 0.0),
        drives=bool(options.get("--drives")),
    )


_WRITERS = {
    Format.C: Writer(_kernel, frozenset({"--parametric"})),
    Format.CUDA: Writer(_kernel, frozenset({"--parametric", "--float32"})),
    Format.JAVASCRIPT: Writer(_kernel, frozenset({"--parametric"})),
    Format.WEBASSEMBLY: Writer(_kernel, frozenset({"--parametric"})),
    Format.FMU: Writer(
        _fmu,
        _OF_PLANTS | _OF_CONTROLLERS | frozenset({"--fmi", "--drives", "--platforms"}),
    ),
}
