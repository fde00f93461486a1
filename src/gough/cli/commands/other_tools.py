"""Other tools: robots from and for them, kernels and controllers as sources, schemas, the cache."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import gough
from gough import exchange
from gough.cli.options import (
    CONTROLLER,
    DAMPING,
    FREQUENCY,
    INTEGRAL_RATE,
    PERIOD,
    ROBOTS,
    DrivesOption,
    JsonOption,
    OverwriteOption,
    PolePlacement,
    ResultArgument,
    RobotArgument,
    check_new,
    new_file,
    opt,
)
from gough.cli.output import UsageError, print_json, print_tables, say, wrong_usage

if TYPE_CHECKING:
    from gough.robot import Robot
    from gough.simulation.plants.plant import Plant

DirectoryOption = Annotated[
    Path,
    opt("Folder that the files are written to.", "--output", "-o", metavar="DIR"),
]
Float32Option = Annotated[bool, opt("Single precision (c, cuda).", "--float32")]
FmiOption = Annotated[int, opt("Version of FMI: 3, or 2.", "--fmi")]
PlatformsOption = Annotated[
    str | None,
    opt("Platforms of the FMU's binaries, by commas; or all.", "--platforms"),
]


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An MJCF (.xml) or URDF file.")],
    loop_closures: Annotated[
        Path | None,
        opt(
            "YAML file that closes the loops of a URDF and names its motors.",
            "--loop-closures",
            metavar="FILE",
        ),
    ] = None,
    platform: Annotated[
        str | None,
        opt(
            "Body that is the platform, or a site or frame on it; needed where several bodies "
            "could be.",
            metavar="NAME",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        new_file("Robot file (.toml, .json). Default: FILE's name in .toml.", ROBOTS),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a robot file of an MJCF or URDF file.

    Contents that a robot file cannot hold are listed.

    Example:  gough import stewart.xml -o stewart.toml
    """
    path = output or Path(f"{file.stem}.toml")
    check_new(path, overwrite)
    found = exchange.imported(file, loops=loop_closures, platform=platform)
    gough.save(found.robot, path, in_full=True)
    robot, kind = found.robot, type(found.robot).__name__.lower()
    if as_json:
        print_json(
            {
                "file": str(path),
                "name": robot.name,
                "kind": kind,
                "actuators": len(robot.actuators),
                "left_out": found.left_out,
            }
        )
        return
    say(f"wrote {path}: {robot.name}, a {kind} with {len(robot.actuators)} actuators")
    for line in found.left_out:
        say(line, "left out:")
    say(f"  gough show {shlex.quote(str(path))}")


def _kernel_names() -> list[str]:
    from gough.model.kernels import Kernels

    return ["forward_kinematics", *Kernels.__annotations__]


def kernels(
    robot: RobotArgument,
    kernel: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KERNEL",
            help="Kernels, such as inverse_kinematics; a wrong name lists all.",
            autocompletion=_kernel_names,
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Literal["c", "cuda", "js", "wasm", "st"],
        opt("Format: one of those above.", "--to", metavar="FORMAT"),
    ] = "c",
    output: DirectoryOption = Path(),
    everything: Annotated[bool, opt("All kernels; in C as one library.", "--all")] = False,
    prefix: Annotated[str | None, opt("Prefix of the names of functions.", metavar="WORD")] = None,
    at_once: Annotated[
        bool, opt("One function that computes all kernels named.", "--at-once")
    ] = False,
    float32: Float32Option = False,
    parametric: Annotated[
        bool, opt("Take the robot's numbers as an argument.", "--parametric")
    ] = False,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write kernels as source code.

    Formats: c for controllers, st for PLCs, cuda for GPUs, js or wasm for browsers.

    Example:  gough export kernels kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.display import Table

    if everything == bool(kernel):
        raise UsageError("expected names of kernels, or --all")
    if float32 and to not in ("c", "cuda"):
        raise wrong_usage("--float32", f"not for --to {to}; for c, cuda")
    done = exchange.export_kernels(
        gough.Model(gough.load(robot), parametric=parametric),
        output,
        None if everything else kernel,
        language=to,
        dtype="float32" if float32 else "float64",
        at_once=at_once,
        prefix=prefix or "",
        overwrite=overwrite,
    )
    counts = {
        name: {"one pass": one, "at most": most} for name, (one, most) in done.operations.items()
    }
    remarks = [f"{part} is left out: {why}" for part, why in done.left_out.items()]
    if not as_json:
        rows = [(name, *count.values()) for name, count in counts.items()]
        columns = ("function", "operations, one pass of each iteration", "at most")
        print_tables([Table.of("", columns, rows)])
    _show_files(done.paths, as_json, remarks, {"operations": counts})


def machine(
    robot: RobotArgument,
    to: Annotated[
        Literal["mjcf", "urdf", "sdf", "ros2", "linuxcnc"],
        opt("Format: one of those above.", metavar="FORMAT"),
    ],
    output: DirectoryOption = Path(),
    close_loops: Annotated[
        bool, opt("Close loops in the urdf itself, as URDF+.", "--close-loops")
    ] = False,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the whole machine for another tool.

    Formats: mjcf for MuJoCo, urdf, sdf for Gazebo, ros2 (a package), linuxcnc (a component).

    Example:  gough export machine demo-hexapod --to mjcf -o generated
    """
    from gough.disk.sources import write_sources

    if close_loops and to != "urdf":
        raise wrong_usage("--close-loops", f"not for --to {to}; for urdf")
    loaded = gough.load(robot)
    if to == "linuxcnc":
        _show_files(exchange.export_linuxcnc(loaded, output, overwrite=overwrite), as_json)
        return
    made = exchange.machine_export(loaded, to, loops=close_loops)
    _show_files(write_sources(output, made.texts, overwrite=overwrite), as_json, made.remarks)


@dataclass(frozen=True)
class LoopOptions:
    """Options of the controller of a closed loop; nothing stated, there is none."""

    controller: Annotated[str | None, CONTROLLER] = None
    frequency: Annotated[float | None, FREQUENCY] = None
    damping: Annotated[float | None, DAMPING] = None
    integral_rate: Annotated[float | None, INTEGRAL_RATE] = None
    period: Annotated[float | None, PERIOD] = None

    def placement(self) -> PolePlacement:
        """Return what is stated; other settings as usual."""
        stated = {name: value for name, value in vars(self).items() if value is not None}
        if self.controller is None and stated:
            option = f"--{next(iter(stated)).replace('_', '-')}"
            raise wrong_usage(option, "for a closed loop; expected --controller beside it")
        return PolePlacement(**stated)


def plant(
    robot: RobotArgument,
    *,
    output: DirectoryOption = Path(),
    drives: DrivesOption = False,
    joint_friction: Annotated[
        bool, opt("Include the friction of joints.", "--joint-friction")
    ] = False,
    stops: Annotated[bool, opt("Include end stops.", "--stops")] = False,
    loop: LoopOptions,
    fmi: FmiOption = 3,
    platforms: PlatformsOption = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the plant as an FMU for simulators; with --controller, in a closed loop.

    Example:  gough export plant bingul-2012 --drives -o generated
    """
    placed = loop.placement()
    machine, law, remarks = gough.load(robot), None, list[str]()
    made = _plant(
        machine,
        drives=drives,
        controlled=loop.controller is not None,
        joint_friction=joint_friction,
        stops=stops,
    )
    if loop.controller is not None:
        law, remarks = placed.made(machine, drives=drives, joint_friction=joint_friction)
    path = exchange.export_fmu(
        made,
        output,
        controller=law,
        robot=machine,
        fmi=fmi,
        period=placed.period,
        platforms=_platforms(platforms),
        overwrite=overwrite,
    )
    _show_files([path], as_json, remarks)


def controller(
    robot: RobotArgument,
    *,
    to: Annotated[Literal["c", "fmu"], opt("Format: c or fmu.", metavar="FORMAT")] = "c",
    output: DirectoryOption = Path(),
    placed: PolePlacement,
    drives: DrivesOption = False,
    float32: Float32Option = False,
    fmi: FmiOption = 3,
    platforms: PlatformsOption = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a controller by pole placement as C99, or as an FMU.

    Example:  gough export controller demo-hexapod --frequency 8 -o generated
    """
    if float32 and to == "fmu":
        raise wrong_usage("--float32", "not for --to fmu; for c")
    for option, given in (("--platforms", platforms), ("--fmi", fmi != 3)):
        if given and to == "c":
            raise wrong_usage(option, "not for --to c; for fmu")
    machine = gough.load(robot)
    law, remarks = placed.made(machine, drives=drives)
    limit = _plant(machine, drives=drives, controlled=True).limit
    if to == "c":
        paths = exchange.export_controller(
            law,
            output,
            robot=machine,
            period=placed.period,
            limit=limit,
            dtype="float32" if float32 else "float64",
            overwrite=overwrite,
        )
    else:
        path = exchange.export_fmu(
            law,
            output,
            robot=machine,
            limit=limit,
            fmi=fmi,
            period=placed.period,
            platforms=_platforms(platforms),
            overwrite=overwrite,
        )
        paths = [path]
    _show_files(paths, as_json, remarks)


def recording(
    folder: ResultArgument,
    output: Annotated[
        Path | None,
        new_file("Recording (.mcap). Default: the folder's name with .mcap.", (".mcap",)),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write results of a motion as an MCAP recording of ROS 2, which Foxglove opens.

    Example:  gough export recording machining -o machining.mcap
    """
    path = output or Path(f"{folder.resolve().name}.mcap")
    check_new(path, overwrite)
    exchange.export_mcap(gough.Results.load(folder), path, overwrite=overwrite)
    _show_files([path], as_json)


def _plant(
    robot: Robot,
    *,
    drives: bool,
    controlled: bool,
    joint_friction: bool = False,
    stops: bool = False,
) -> Plant:
    """Return rigid bodies on ideal actuators, or with what the options include.

    Controllers command forces, also of drives, which take voltages otherwise.
    """
    from gough.simulation.plants.real import force_commanded, real_plant, rigid_plant

    if not (drives or joint_friction or stops):
        return rigid_plant(robot)
    plant = real_plant(robot, drives=drives, joint_friction=joint_friction, stops=stops)
    return force_commanded(plant) if drives and controlled else plant


def _platforms(names: str | None) -> list[str] | None:
    """Return the platforms that --platforms lists."""
    from gough.exchange.fmu.binaries import PLATFORMS

    if names is None:
        return None
    return list(PLATFORMS) if names == "all" else [name.strip() for name in names.split(",")]


def _show_files(
    paths: Sequence[Path],
    as_json: bool,
    remarks: Sequence[str] = (),
    facts: Mapping[str, Any] | None = None,
) -> None:
    """List the files that were written, with remarks about them."""
    if as_json:
        more = {"remarks": list(remarks)} if remarks else {}
        print_json({"files": list(map(str, paths)), **(facts or {}), **more})
        return
    for path in paths:
        say(f"wrote {path}")
    for remark in remarks:
        say(remark, "note")


PLACES: Mapping[str, tuple[str, str]] = {
    "robot": ("gough.robot", "gough-1.schema.json"),
    "robot-2": ("gough.robot", "gough-2.schema.json"),
    "study": ("gough.studies", "gough-study-1.schema.json"),
    "design": ("gough.design", "gough-design-1.schema.json"),
    "catalogue": ("gough.sizing", "gough-catalogue-1.schema.json"),
}


def schema(
    kind: Annotated[
        Literal["robot", "robot-2", "study", "design", "catalogue"],
        typer.Argument(metavar="robot|robot-2|study|design|catalogue", help="Which kind of file."),
    ],
) -> None:
    """Print the JSON Schema of a kind of file: every key, its values and its meaning.

    For robot files of version 2, for mechanisms: 'robot-2'.

    Editors complete and check what you write when the first line of a file names it:
    '#:schema study.schema.json'.

    Example:  gough schema study
    """
    room, name = PLACES[kind]
    typer.echo((files(room) / name).read_text(encoding="utf-8"), nl=False)


def cache(
    info: Annotated[bool, opt("Show where it is and its size (default).", "--info")] = False,
    clear: Annotated[bool, opt("Remove every entry.", "--clear")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show or clear the cache of compiled kernels.

    Example:  gough cache --info
    """
    from gough.compiler.native import cache as kernels_on_disk

    removed = kernels_on_disk.clear() if clear else 0
    state = kernels_on_disk.info()
    if as_json:
        print_json({**vars(state), "directory": str(state.directory), "removed": removed})
        return
    if clear:
        say(f"{removed} compiled kernels removed from {state.directory}")
    if info or not clear:
        size, limit = state.size / 2**20, state.limit / 2**20
        say(f"directory  {state.directory}  (set by {kernels_on_disk.DIRECTORY_VARIABLE})")
        say(
            f"entries    {state.entries}, {size:.2f} MiB of at most {limit:.0f} MiB  "
            f"(set by {kernels_on_disk.SIZE_VARIABLE}, in bytes)"
        )
        if state.problem:
            say(f"not used   {state.problem}")
