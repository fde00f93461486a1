"""What `gough export` writes: a row for each format, with the options that it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gough.cli.export_fmu import (
    CONTROLLER,
    OF_CONTROLLERS,
    OF_FMUS,
    PLANT,
    write_controller,
    write_fmu,
)
from gough.cli.export_request import Asked, Format
from gough.cli.output import usage_error, wrong_usage


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


def _c(asked: Asked) -> list[Path]:
    """Kernels, or a controller."""
    of_controller, everything = CONTROLLER in asked.parts, asked.given("--all")
    got = " ".join(asked.parts) or ("--all" if everything else "nothing")
    for option in asked.options:
        if of_controller and option in _OF_KERNELS:
            raise wrong_usage(option, f"for kernels; got {got}")
        if not of_controller and option in _OF_CONTROLLERS_IN_C:
            raise wrong_usage(option, f"for a controller; got {got}")
    return write_controller(asked) if of_controller else _kernels(asked)


def _kernels(asked: Asked) -> list[Path]:
    from gough.exchange.source import export_kernels
    from gough.kinematics.model import Model

    for part, formats in ((PLANT, "fmu"), (CONTROLLER, "c or fmu")):
        if part in asked.parts:
            raise usage_error(f"a {part} is written --to {formats}; got --to {asked.format}")
    everything = asked.given("--all")
    if everything == bool(asked.parts):
        wanted = "names of kernels, or --all"
        raise usage_error(f"--to {asked.format} writes kernels; expected {wanted}")
    model = Model(asked.robot, parametric=asked.given("--parametric"))
    done = export_kernels(
        model,
        None if everything else asked.parts,
        asked.format.value,
        asked.directory,
        dtype=asked.dtype,
        at_once=asked.given("--at-once"),
        prefix=asked.options.get("--prefix", ""),
    )
    asked.facts["operations"] = {
        name: {"one pass": once, "at most": most} for name, (once, most) in done.operations.items()
    }
    asked.remarks.extend(f"{part} is left out: {why}" for part, why in done.left_out.items())
    return done.paths


def _linuxcnc(asked: Asked) -> list[Path]:
    from gough.exchange.linuxcnc.component import export_linuxcnc

    _refuse_parts(asked)
    return export_linuxcnc(asked.robot, asked.directory)


def _machine(asked: Asked) -> list[Path]:
    from gough.disk.sources import write_sources
    from gough.exchange.tree.writing import machine_export

    _refuse_parts(asked)
    made = machine_export(asked.robot, asked.format.value, loops="--loops" in asked.options)
    asked.remarks.extend(made.remarks)
    return write_sources(asked.directory, made.texts)


def _refuse_parts(asked: Asked) -> None:
    if asked.parts:
        got = ", ".join(asked.parts)
        raise usage_error(f"--to {asked.format} writes the whole machine; got {got}")


_OF_KERNELS = frozenset({"--all", "--at-once", "--parametric", "--prefix"})
_OF_CONTROLLERS_IN_C = OF_CONTROLLERS | {"--drives"}
_WRITERS = {
    Format.C: Writer(_c, _OF_KERNELS | _OF_CONTROLLERS_IN_C | {"--float32"}),
    Format.CUDA: Writer(_kernels, _OF_KERNELS | {"--float32"}),
    Format.JAVASCRIPT: Writer(_kernels, _OF_KERNELS),
    Format.WEBASSEMBLY: Writer(_kernels, _OF_KERNELS),
    Format.STRUCTURED_TEXT: Writer(_kernels, _OF_KERNELS),
    Format.FMU: Writer(write_fmu, OF_FMUS),
    Format.LINUXCNC: Writer(_linuxcnc),
    Format.MJCF: Writer(_machine),
    Format.URDF: Writer(_machine, frozenset({"--loops"})),
    Format.SDF: Writer(_machine),
    Format.ROS2: Writer(_machine),
}
