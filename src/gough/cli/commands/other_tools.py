"""Other tools: robots from and for them, kernels and controllers as sources, schemas, the cache."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import typer

import gough
from gough import disk, exchange, simulation
from gough.cli import options
from gough.cli.output import UsageError, print_json, print_tables, say, wrong_usage
from gough.display import Table
from gough.progress import bars_shown


def import_(
    file: Path,
    loop_closures: Path | None = None,
    platform: str | None = None,
    home: str | None = None,
    motors: str | None = None,
    subtree: str | None = None,
    hold: str | None = None,
    drop_limits: bool = False,
    output: Path | None = None,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Make a robot file of an MJCF, URDF, SDF or USD file.

    Of a robot file (.toml, .json) with few digits, loops are closed.
    Contents that a robot file cannot hold are listed.

    Example:  gough import stewart.xml -o stewart.toml
    """
    path = output or Path(f"{file.stem}.toml")
    options.check_new(path, overwrite)
    found = exchange.imported(
        file,
        loops=loop_closures,
        platform=platform,
        home=home,
        motors=_listed(motors),
        subtree=subtree,
        hold=_listed(hold),
        drop_limits=drop_limits,
    )
    gough.save(found.robot, path, in_full=True)
    robot, kind = found.robot, type(found.robot).__name__.lower()
    if as_json:
        print_json(
            {
                "file": str(path),
                "name": robot.name,
                "kind": kind,
                "actuators": len(robot.actuators),
                "platform": found.platform,
                "left_out": found.left_out,
                "assumed": found.assumed,
            }
        )
        return
    count = len(robot.actuators)
    say(f"wrote {path}: {robot.name}, a {kind} with {count} actuator{'s' * (count > 1)}")
    say(found.platform, "platform:")
    for line in found.left_out:
        say(line, "left out:")
    for line in found.assumed:
        say(line, "assumed:")
    say(f"  gough show {shlex.quote(str(path))}")


def _listed(names: str | None) -> list[str]:
    return [name.strip() for name in (names or "").split(",") if name.strip()]


def kernels(
    robot: str,
    kernel: list[str] | None = None,
    to: Literal["c", "cuda", "js", "wasm", "st", "plcopen"] = "c",
    directory: Path = Path(),
    everything: bool = False,
    prefix: str | None = None,
    at_once: bool = False,
    float32: bool = False,
    parametric: bool = False,
    branch: list[int] | None = None,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Write kernels as source code.

    Formats: c for controllers, st or plcopen (XML) for PLCs, cuda for GPUs, js or wasm for
    browsers.

    Example:  gough export kernels kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.model.structure import left_out

    if everything == bool(kernel):
        raise UsageError("expected names of kernels, or --all")
    if float32 and to in ("js", "wasm"):
        raise wrong_usage("--float32", f"not for --to {to}; for c, cuda, st, plcopen")
    model = gough.Model(gough.load(robot), parametric=parametric, branch=branch or False)
    done = exchange.export_kernels(
        model,
        directory,
        None if everything else kernel,
        language=to,
        dtype="float32" if float32 else "float64",
        at_once=at_once,
        prefix=prefix or "",
        overwrite=overwrite,
    )
    counted = [(name, *both) for name, both in done.operations.items()]
    remarks = [f"{part} is left out: {why}" for part, why in done.left_out.items()]
    remarks += left_out(model.robot)
    if not as_json:
        columns = ("function", "operations, one pass of each iteration", "at most")
        print_tables([Table.of("", columns, counted)])
    operations = {name: {"one pass": one, "at most": most} for name, one, most in counted}
    _show_files(done.paths, as_json, remarks, {"operations": operations})


def machine(
    robot: str,
    to: Literal["mjcf", "urdf", "sdf", "usd", "ros2", "ros2-node", "linuxcnc", "firmware"],
    directory: Path = Path(),
    close_loops: bool = False,
    float32: bool = False,
    branch: list[int] | None = None,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Write the whole machine for another tool.

    Formats: mjcf for MuJoCo, urdf, sdf for Gazebo, usd for Isaac Sim, ros2 (a description
    package), ros2-node (a package that computes kinematics and dynamics), linuxcnc (a component
    and its configuration), firmware (inverse kinematics by CMake or Arduino).

    Example:  gough export machine demo-hexapod --to mjcf -o generated
    """
    if close_loops and to != "urdf":
        raise wrong_usage("--close-loops", f"not for --to {to}; for urdf")
    if float32 and to != "firmware":
        raise wrong_usage("--float32", f"not for --to {to}; for firmware")
    loaded = gough.Model(gough.load(robot), branch=branch or False).robot
    dtype = "float32" if float32 else "float64"
    made = exchange.machine_export(loaded, to, loops=close_loops, dtype=dtype)
    paths = disk.write_sources(directory, made.texts, overwrite=overwrite)
    _show_files(paths, as_json, made.remarks)


@dataclass(frozen=True)
class FmuOptions:
    """Options of an FMU."""

    fmi: int = 3
    platforms: str | None = None

    def settings(self) -> dict[str, Any]:
        """Return them as the library takes them."""
        from gough.exchange.fmu.binaries import PLATFORMS

        listed = PLATFORMS if self.platforms == "all" else (self.platforms or "").split(",")
        names = [name.strip() for name in listed]
        return {"fmi": self.fmi, "platforms": None if self.platforms is None else names}


@dataclass(frozen=True)
class LoopOptions:
    """Options of the controller of a closed loop; nothing stated, there is none."""

    controller: str | None = None
    frequency: float | None = None
    damping: float | None = None
    integral_rate: float | None = None
    period: float | None = None

    def placement(self) -> options.PolePlacement:
        """Return what is stated; other settings are the usual ones."""
        stated = {name: value for name, value in vars(self).items() if value is not None}
        if self.controller is None and stated:
            option = f"--{next(iter(stated)).replace('_', '-')}"
            raise wrong_usage(option, "for a closed loop; expected --controller beside it")
        return options.PolePlacement(**stated)


def plant(
    robot: str,
    *,
    directory: Path = Path(),
    drives: bool = False,
    joint_friction: bool = False,
    stops: bool = False,
    loop: LoopOptions,
    fmu: FmuOptions,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Write the plant as an FMU for simulators; with --controller, in a closed loop.

    Example:  gough export plant bingul-2012 --drives -o generated
    """
    placed = loop.placement()
    machine, law, remarks = gough.load(robot), None, list[str]()
    included = {"drives": drives, "joint_friction": joint_friction}
    controlled = bool(loop.controller)
    made = _plant(machine, controlled=controlled, stops=stops, **included)
    if controlled:
        law, remarks = placed.made(machine, **included)
    with bars_shown(not as_json):
        path = exchange.export_fmu(
            made,
            directory,
            controller=law,
            robot=machine,
            period=placed.period,
            overwrite=overwrite,
            **fmu.settings(),
        )
    _show_files([path], as_json, remarks)


def controller(
    robot: str,
    *,
    to: Literal["c", "st", "plcopen", "fmu"] = "c",
    directory: Path = Path(),
    placed: options.PolePlacement,
    drives: bool = False,
    float32: bool = False,
    fmu: FmuOptions,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Write a controller by pole placement as C99, a function block for PLCs, or an FMU.

    Example:  gough export controller demo-hexapod --frequency 8 -o generated
    """
    if float32 and to == "fmu":
        raise wrong_usage("--float32", "not for --to fmu; for c, st, plcopen")
    for option, given in (("--platforms", fmu.platforms), ("--fmi", fmu.fmi != 3)):
        if given and to != "fmu":
            raise wrong_usage(option, f"not for --to {to}; for fmu")
    machine = gough.load(robot)
    law, remarks = placed.made(machine, drives=drives)
    limit = _plant(machine, drives=drives, controlled=True).limit
    settings: dict[str, Any] = {"robot": machine, "limit": limit, "overwrite": overwrite}
    settings["period"] = placed.period
    if to != "fmu":
        dtype: Any = "float32" if float32 else "float64"
        paths = exchange.export_controller(law, directory, language=to, dtype=dtype, **settings)
    else:
        with bars_shown(not as_json):
            paths = [exchange.export_fmu(law, directory, **settings, **fmu.settings())]
    _show_files(paths, as_json, remarks)


def recording(
    folder: Path, output: Path | None = None, overwrite: bool = False, as_json: bool = False
) -> None:
    """Write results of a motion as an MCAP recording of ROS 2, which Foxglove opens.

    Example:  gough export recording machining -o machining.mcap
    """
    path = output or Path(f"{folder.resolve().name}.mcap")
    options.check_new(path, overwrite)
    exchange.export_mcap(gough.Results.load(folder), path, overwrite=overwrite)
    _show_files([path], as_json)


def _plant(
    robot: gough.Robot,
    *,
    drives: bool,
    controlled: bool,
    joint_friction: bool = False,
    stops: bool = False,
) -> simulation.Plant:
    """Return rigid bodies on ideal actuators, or with what the options include.

    Controllers command forces, also of drives, which take voltages otherwise.
    """
    if not (drives or joint_friction or stops):
        return simulation.rigid_plant(robot)
    plant = simulation.real_plant(robot, drives=drives, joint_friction=joint_friction, stops=stops)
    return simulation.force_commanded(plant) if drives and controlled else plant


def _show_files(
    paths: Sequence[Path],
    as_json: bool,
    remarks: Sequence[str] = (),
    facts: Mapping[str, object] | None = None,
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


def schema(kind: Literal["robot", "robot-2", "study", "design", "catalogue"]) -> None:
    """Print the JSON Schema of a kind of file: every key, its values and its meaning.

    For robot files of version 2, for mechanisms: 'robot-2'.

    Editors complete and check what you write when the first line of a file names it:
    '#:schema study.schema.json'.

    Example:  gough schema study
    """
    room, name = PLACES[kind]
    typer.echo((files(room) / name).read_text(encoding="utf-8"), nl=False)


def cache(info: bool = False, clear: bool = False, as_json: bool = False) -> None:
    """Show or clear the cache of compiled kernels and other compiled code.

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
