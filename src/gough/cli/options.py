"""Options of commands as `commands.toml` declares them, and groups of options that some share."""

from __future__ import annotations

import errno
import math
import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import gough
from gough import executors, poses, simulation
from gough.cli.output import wrong_usage
from gough.disk.files import cannot_write
from gough.disk.plain_data import PlainData
from gough.display.table import vector
from gough.errors import GoughError, InputError
from gough.fields import units

if TYPE_CHECKING:
    from gough.arrays import Array

AS_MANY = "…"  # at the end of the metavar of an option that takes all values that follow it
_NAMED = "gough.cli.named_files"  # key in a command's context of the files that its options name
_HOURS = units.Dimension("hours", "h", "20000")
_HOUR = 3600.0  # [s]


@cache
def declared() -> PlainData:
    """Return the table of all commands and their options."""
    return tomllib.loads(files(__package__).joinpath("commands.toml").read_text(encoding="utf-8"))


def declaration(command: str, parameter: str) -> PlainData:
    """Return what the table says of a parameter of a command."""
    own = declared().get(command, {}).get(parameter, {})
    shared: PlainData = declared()["options"][parameter]
    return shared | ({"help": own} if isinstance(own, str) else own)


def option_of(command: str, parameter: Parameter) -> Any:
    """Return the option or argument of a parameter, as Typer takes it; its default is Python's."""
    said = declaration(command, parameter.name)
    settings = {key: said[key] for key in _AS_THEY_ARE if key in said}
    settings["help"] = help_text(said["help"])
    if "file" in said:
        settings |= {"metavar": "FILE", "callback": _new_file(said["file"])}
    elif "reads" in said:
        dimension = _HOURS if said["reads"] == "HOURS" else getattr(units, said["reads"])
        settings["metavar"] = dimension.name.split()[-1].upper()
        settings["parser"] = partial(_read, dimension, said.get("within"))
    elif "within" in said:
        settings["callback"] = _within(*said["within"])
    if listed := said.get("known", said.get("completes", "")):
        settings["autocompletion"] = _LISTS[listed]
    if "known" in said:
        settings["callback"] = _one_of(_LISTS[said["known"]])
    required = parameter.default is Parameter.empty
    default = said.get("default", ... if required else parameter.default)
    if argument := said.get("argument"):
        return typer.Argument(default, **settings | {"metavar": argument})
    usual = [f"--{parameter.name.replace('_', '-')}"] if isinstance(default, bool) else []
    return typer.Option(default, *said.get("names", usual), **settings)


def help_text(text: str) -> str:
    """Return a text of help whose brackets are shown; Typer takes those of small letters away."""
    return re.sub(r"\[(?=[a-z])", r"\[", text)


_AS_THEY_ARE = ("metavar", "min", "max", "show_default", "is_eager")
"""Keys of the table that Typer has, too."""


def names_new_file(command: str, parameter: str) -> bool:
    """Whether a parameter is a file to be written: its command has `--overwrite`, too."""
    return "file" in declaration(command, parameter)


def number_or_text(text: str | float) -> float | str:
    """Return a number as such; of anything else the text."""
    try:
        return float(text)
    except ValueError:
        return str(text)


def pairs(option: str, texts: list[str] | None, expected: str) -> dict[str, str]:
    """Return values by names, from texts such as "mass=40 kg"."""
    found = {}
    for text in texts or ():
        name, _, value = (part.strip() for part in text.partition("="))
        if not value:
            raise wrong_usage(option, f"got {text!r}; expected {expected}")
        found[name] = value
    return found


def _within(least: float, most: float, unit: str = "") -> Callable[[float | None], float | None]:
    """Return the check of a numeric option: the range that makes sense for parallel robots."""

    def checked(value: float | None) -> float | None:
        if value is not None and not least <= value <= most:
            got, bounds = (f"{x} {unit}".rstrip() for x in (f"{value:g}", f"{least:g} to {most:g}"))
            raise typer.BadParameter(f"out of range, got {got}; expected {bounds}")
        return value

    return checked


def _read(
    dimension: units.Dimension, bounds: tuple[float, float] | None, given: str | float
) -> float | None:
    """Return a quantity: a bare number in SI, or of hours, or one with a unit."""
    number = number_or_text(given)
    if dimension is units.ANGLE:
        value = angle(None, given)
    elif dimension is not _HOURS:
        value = quantity(None, given, dimension)
    else:
        value = quantity(None, number, units.TIME) / _HOUR if isinstance(number, str) else number
    return _within(*bounds, dimension.unit)(value) if bounds else value


def _new_file(suffixes: list[str]) -> Callable[[typer.Context, Path | None], Path | None]:
    """Return the check of a file to be written: new, or with --overwrite, and not named twice."""

    def checked(ctx: typer.Context, path: Path | None) -> Path | None:
        if path is None:
            return None
        if path.suffix.lower() not in suffixes:
            known = ", ".join(suffixes)
            raise typer.BadParameter(f"{path}: unknown kind of file; expected {known}")
        folder = path.parent
        reasons = {
            errno.EISDIR: path.is_dir(),
            errno.ENOENT: not folder.exists(),
            errno.ENOTDIR: not folder.is_dir(),
            errno.EACCES: not os.access(folder, os.W_OK),
        }
        reason = next((number for number, holds in reasons.items() if holds), None)
        if reason is not None:
            raise cannot_write(path, OSError(reason, ""))
        check_new(path, ctx.params.get("overwrite", False))
        named = ctx.meta.setdefault(_NAMED, set())
        if path.resolve() in named:
            raise typer.BadParameter(f"{path}: named by another option, too; expected a file each")
        named.add(path.resolve())
        return path

    return checked


def check_new(path: Path, overwrite: bool) -> None:
    """Refuse a file that is there already, unless it may be written over."""
    if path.exists() and not overwrite:
        raise GoughError(f"{path} is there already; give another name, or --overwrite")


def _one_of(listed: Callable[[], list[str]]) -> Callable[[str | None], str | None]:
    def checked(name: str | None) -> str | None:
        if name is not None and name not in (known := listed()):
            raise typer.BadParameter(f"{name!r} is not known; expected one of {', '.join(known)}")
        return name

    return checked


def _kinds() -> list[str]:
    from gough.robot.files import kinds

    return list(kinds())


def _kernel_names() -> list[str]:
    from gough.model.kernels import Kernels

    return ["forward_kinematics", *Kernels.__annotations__]


_LISTS: dict[str, Callable[[], list[str]]] = {
    "library_names": lambda: list(gough.library_names()),
    "kinds": _kinds,
    "kernel_names": _kernel_names,
    "controllers": lambda: list(simulation.TUNABLE),
}


@dataclass(frozen=True)
class ExecutorOptions:
    """Options on who computes: this process, worker processes or a cluster."""

    workers: int | None = None
    cluster: str | None = None
    tls: tuple[Path, Path, Path] | None = None

    def executor(self) -> executors.Executor:
        """Return what the options name; nothing: this process."""
        if self.workers is not None and self.cluster is not None:
            raise wrong_usage("--workers", "not with --cluster: a cluster has workers of its own")
        if not self.tls:
            return self.workers if self.cluster is None else self.cluster
        if self.cluster is None:
            raise wrong_usage("--tls", "only with --cluster tls://host:8786")
        return executors.Scheduler(self.cluster, *self.tls)

    def refuse(self, why: str) -> None:
        """Refuse workers that would have no work, and say why."""
        for option, given in (("--workers", self.workers), ("--cluster", self.cluster)):
            if given is not None:
                raise wrong_usage(option, why)


@dataclass(frozen=True)
class PolePlacement:
    """Options of a controller whose poles are placed."""

    controller: str = "joint-pid"
    frequency: float = 5.0
    damping: float = 1.0
    integral_rate: float = 0.0
    period: float = 1e-3

    def poles(self) -> PlainData:
        """Return them as the library takes them."""
        own = {key: getattr(self, key) for key in ("frequency", "damping", "integral_rate")}
        return {"kind": self.controller, **own}

    def made(
        self, robot: gough.Robot, *, drives: bool, joint_friction: bool = True
    ) -> tuple[simulation.Controller, list[str]]:
        """Return the controller, and a warning where its loop is not stable."""
        from gough.simulation.tuning.margins import at_rest
        from gough.simulation.tuning.tune import smooth_loop

        included: Any = {"drives": drives, "joint_friction": joint_friction}
        controller = simulation.place_poles(robot, **self.poles(), **included)
        loop = smooth_loop(robot, controller, simulation.Sampling(self.period), **included)
        if (radius := at_rest(loop).spectral_radius) < 1:
            return controller, []
        return controller, [
            f"not stable: sampled every {self.period:g} s, the loop at home has a pole of "
            f"{radius:.4g}; expected a lower --frequency, or a shorter --period"
        ]


_SAME = 1e-9  # tolerance of equal poses [m, rad]
Three = tuple[str, str, str]


def length(option: str, text: str) -> float:
    """A length [m], from text with or without a unit."""
    return quantity(option, text, units.LENGTH)


def angle(option: str | None, text: str | float, degrees: bool = False) -> float:
    """Return an angle [rad], from text with or without a unit; without one it may be in degrees."""
    number = number_or_text(text)
    if isinstance(number, str):
        return quantity(option, text, units.ANGLE)
    if not degrees and abs(number) > 2 * math.pi:
        problem = f"{text} rad is more than a turn; did you mean {text} deg? Write {text}deg"
        raise wrong_usage(option, problem)
    return quantity(option, f"{text} deg" if degrees else text, units.ANGLE)


def quantity(option: str | None, text: str | float, dimension: units.Dimension) -> float:
    """Return a quantity in SI, from text with or without a unit; a parser's option is known."""
    try:
        return units.to_si(number_or_text(text), dimension)
    except InputError as error:
        raise wrong_usage(option, str(error)) from None


def given_pose(
    start: Any, position: Three | None, rpy: Three | None, degrees: bool, option: str
) -> Array:
    """The pose that two options ask for, the second with -rpy; what they leave out is the start."""
    turn = "--rpy" if option == "--position" else f"{option}-rpy"
    place = start[:3] if position is None else [length(option, x) for x in position]
    if rpy is None:
        return poses.pose(place, quaternion=start[3:])
    return poses.pose(place, rpy=[angle(turn, x, degrees) for x in rpy])


@dataclass(frozen=True)
class FrameOptions:
    """Options of a work frame and of a tool."""

    work: Three | None = None
    work_rpy: Three | None = None
    tool: Three | None = None
    tool_rpy: Three | None = None

    def frames(self, degrees: bool) -> poses.Frames | None:
        """The frames that the options ask for; None without any of them."""
        if all(given is None for given in vars(self).values()):
            return None
        own = poses.Frames()
        return poses.Frames(
            given_pose(own.work, self.work, self.work_rpy, degrees, "--work"),
            given_pose(own.tool, self.tool, self.tool_rpy, degrees, "--tool"),
        )


@dataclass(frozen=True)
class PoseOptions:
    """Options of a pose of the platform, or with frames of the tool; left out, as at home."""

    position: Three | None = None
    rpy: Three | None = None
    degrees: bool = False

    def pose(self, robot: gough.Robot, frames: poses.Frames | None = None) -> Array:
        """The platform's pose that the options ask for."""
        return platform_pose(robot, frames, self.position, self.rpy, self.degrees)

    def possible_pose(
        self, model: gough.Model, frames: poses.Frames | None = None
    ) -> tuple[Array, list[str]]:
        """The pose that the machine takes, and a remark where that is not the given one."""
        import numpy as np

        given = self.pose(model.robot, frames)
        found = model.possible_pose(given)
        freedoms = " ".join(model.structure.degrees_of_freedom)
        if not np.isfinite(found.pose).all():
            problem = f"{model.robot.name} cannot take this pose"
            raise GoughError(f"{problem}, nor one with the same {freedoms}")
        if np.abs(found.step).max() <= _SAME:
            return given, []
        way, turn = found.step[:3].round(12), np.degrees(found.step[3:]).round(9)
        return found.pose, [
            f"{model.robot.name} moves in {freedoms} only: shown is the pose that has these as "
            f"asked, from which the given one is off by {vector(way)} m and {vector(turn)} deg"
        ]


def platform_pose(
    robot: gough.Robot,
    frames: poses.Frames | None,
    position: Three | None,
    rpy: Three | None,
    degrees: bool,
    option: str = "--position",
) -> Array:
    """The platform's pose that two options ask for, in frames about the tool; else as at home."""
    if frames is None:
        return given_pose(robot.home, position, rpy, degrees, option)
    home = frames.tool_pose(robot.home)
    return frames.platform_pose(given_pose(home, position, rpy, degrees, option))
