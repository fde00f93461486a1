"""Options that commands share, each declared once: numbers, files, executors, poses, frames."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gough.cli.output import wrong_usage
from gough.disk.files import cannot_write
from gough.display.table import vector
from gough.errors import GoughError, InputError
from gough.fields import units

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.executors import Executor
    from gough.kinematics.model import Model
    from gough.poses import Frames
    from gough.robot import Robot
    from gough.simulation.controllers.controller import Controller

PICTURES, ROBOTS = (".png", ".svg", ".pdf"), (".toml", ".json")
"""Suffixes of files of figures, and of robots."""
_NAMED = "gough.cli.named_files"
"""Key in a command's context of the files that its options name."""


def opt(what: str, *names: str, default: Any = None, **settings: Any) -> Any:
    """Return an option by what its help says; without names it is named like its parameter."""
    return typer.Option(default, *names, help=what, **settings)


def flag(what: str, name: str, **settings: object) -> Any:
    """Return an option without a value: it is given or not."""
    return opt(what, name, default=False, **settings)


def arg(what: str, metavar: str, default: Any = ..., **settings: Any) -> Any:
    """Return an argument by what its help says; without a default it must be given."""
    return typer.Argument(default, metavar=metavar, help=what, **settings)


def with_default(option: Any, default: Any) -> Any:
    """Return an option that commands share, with a default of one of them."""
    own = copy(option)
    own.default = default
    return own


def number_or_text(text: str | float) -> float | str:
    """Return a number as such; of anything else the text."""
    try:
        return float(text)
    except ValueError:
        return str(text)


def within(least: float, most: float, unit: str = "") -> Callable[[float | None], float | None]:
    """Return the check of a numeric option: the range that makes sense for parallel robots."""

    def checked(value: float | None) -> float | None:
        if value is not None and not least <= value <= most:
            got, bounds = (f"{x} {unit}".rstrip() for x in (f"{value:g}", f"{least:g} to {most:g}"))
            raise typer.BadParameter(f"out of range, got {got}; expected {bounds}")
        return value

    return checked


def quantity_option(
    words: str, dimension: units.Dimension, least: float, most: float, *names: str
) -> Any:
    """Return an option that takes a quantity: a bare number in SI, or one with a unit."""
    unit = dimension.unit
    check = within(least, most, unit)

    def parsed(given: str | float) -> float | None:
        return check(quantity(None, given, dimension))

    return opt(
        f"{words} \\[{unit}].", *names, metavar=dimension.name.split()[-1].upper(), parser=parsed
    )


def new_file(what: str, suffixes: tuple[str, ...], *names: str, default: object = None) -> Any:
    """Return an option for a file to be written, by default --output; `what` stands in its help.

    A command with such an option has `--overwrite`, without which a file that is there is refused.
    Two options do not name one file: the later would be written over the first.
    """

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

    checked.names_new_file = True  # type: ignore[attr-defined]  # for the command that has it
    called = names or ("--output", "-o")
    return opt(what, *called, default=default, metavar="FILE", callback=checked)


def figure(what: str, name: str = "--plot") -> Any:
    """Return an option for a file of a figure to be written; `what` stands in its help."""
    return new_file(what, PICTURES, name)


def check_new(path: Path, overwrite: bool) -> None:
    """Refuse a file that is there already, unless it may be written over."""
    if path.exists() and not overwrite:
        raise GoughError(f"{path} is there already; give another name, or --overwrite")


def _library_names() -> list[str]:
    from gough.robot import library_names

    return list(library_names())


ROBOT = arg("Library robot ('gough robots') or robot file.", "ROBOT", autocompletion=_library_names)
RESULT = arg("Folder of results that 'gough run' wrote.", "RESULT")
JSON = flag("Print plain data (JSON) instead.", "--json")
OVERWRITE = flag("Overwrite existing files.", "--overwrite", is_eager=True)
"""Known before the options that name files, which ask for it."""
AS_MANY = "…"
"""At the end of the metavar of an option that takes all values that follow it."""
BRANCH = opt(
    "Branch, as 'gough pose branches' lists them. Default: that of the robot file.",
    metavar=f"N1 N2 {AS_MANY}",
)
POINT = opt("One point of a study's grid of variations, from 0 on.", metavar="N")
DURATION = quantity_option("Duration of the motion", units.TIME, 1e-3, 1e6)
AXES = opt("Plane of two coordinates, such as x yaw.", metavar="NAME NAME")
SEED = opt("Seed of the random generator.", metavar="N", min=0, default=0)
STARTS = opt("Number of starts of the search.", metavar="N", min=1)
REPORT = new_file("Write a report page (.html).", (".html",), "--report")
DRIVES = flag("Include the drives: motors, gears and screws.", "--drives")


@dataclass(frozen=True)
class ExecutorOptions:
    """Options on who computes: this process, worker processes or a cluster."""

    workers: int | None = opt("Number of worker processes.", metavar="N", min=1)
    cluster: str | None = opt("Scheduler of a Dask cluster that computes.", metavar="ADDRESS")
    tls: tuple[Path, Path, Path] = opt(
        "PEM files for a cluster at tls://…: CA certificate, certificate, key.",
        metavar="CA CERT KEY",
    )

    def executor(self) -> Executor:
        """Return what the options name; nothing: this process."""
        if self.workers is not None and self.cluster is not None:
            raise wrong_usage("--workers", "not with --cluster: a cluster has workers of its own")
        if not self.tls:
            return self.workers if self.cluster is None else self.cluster
        from gough.executors import Scheduler

        if self.cluster is None:
            raise wrong_usage("--tls", "only with --cluster tls://host:8786")
        return Scheduler(self.cluster, *self.tls)

    def refuse(self, why: str) -> None:
        """Refuse workers that would have no work, and say why."""
        for option, given in (("--workers", self.workers), ("--cluster", self.cluster)):
            if given is not None:
                raise wrong_usage(option, why)


def _controllers() -> list[str]:
    from gough.simulation.tuning.tune import TUNABLE

    return list(TUNABLE)


def _controller(name: str | None) -> str | None:
    if name is not None and name not in (known := _controllers()):
        raise typer.BadParameter(f"{name!r} is not known; expected one of {', '.join(known)}")
    return name


CONTROLLER = opt(
    "joint-pid, pd-gravity, feed-forward, computed-torque or computed-torque-task.",
    metavar="KIND",
    autocompletion=_controllers,
    callback=_controller,
)
FREQUENCY = quantity_option(
    "Natural frequency of the closed loop's poles", units.FREQUENCY, 1e-6, 1e6
)
DAMPING = opt("Damping ratio of the closed loop's poles.", callback=within(1e-3, 1e3))
INTEGRAL_RATE = quantity_option("Pole of joint-pid's integral; 0 for a PD", units.RATE, 0, 1e6)
PERIOD = quantity_option("Sampling period", units.TIME, 1e-9, 1e3)


@dataclass(frozen=True)
class PolePlacement:
    """Options of a controller whose poles are placed."""

    controller: str = with_default(CONTROLLER, "joint-pid")
    frequency: float = with_default(FREQUENCY, 5.0)
    damping: float = with_default(DAMPING, 1.0)
    integral_rate: float = with_default(INTEGRAL_RATE, 0.0)
    period: float = with_default(PERIOD, 1e-3)

    def made(
        self, robot: Robot, *, drives: bool, joint_friction: bool = True
    ) -> tuple[Controller, list[str]]:
        """Return the controller, and a warning where its loop is not stable."""
        from gough.simulation.controllers.sensors import Sampling
        from gough.simulation.tuning.margins import at_rest
        from gough.simulation.tuning.tune import place_poles, smooth_loop

        included = {"drives": drives, "joint_friction": joint_friction}
        controller = place_poles(
            robot,
            self.controller,
            self.frequency,
            damping=self.damping,
            integral_rate=self.integral_rate,
            **included,
        )
        loop = smooth_loop(robot, controller, Sampling(self.period), **included)
        if (radius := at_rest(loop).spectral_radius) < 1:
            return controller, []
        return controller, [
            f"not stable: sampled every {self.period:g} s, the loop at home has a pole of "
            f"{radius:.4g}; expected a lower --frequency, or a shorter --period"
        ]


_SAME = 1e-9
"""Tolerance of equal poses [m, rad]."""
Three = tuple[str, str, str]
DEGREES = flag("Angles without a unit are in degrees, not radians.", "--degrees")


def length(option: str, text: str) -> float:
    """A length [m], from text with or without a unit."""
    return quantity(option, text, units.LENGTH)


def angle(option: str, text: str, degrees: bool = False) -> float:
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
    from gough.poses import pose

    turn = "--rpy" if option == "--position" else f"{option}-rpy"
    place = start[:3] if position is None else [length(option, x) for x in position]
    if rpy is None:
        return pose(place, quaternion=start[3:])
    return pose(place, rpy=[angle(turn, x, degrees) for x in rpy])


@dataclass(frozen=True)
class FrameOptions:
    """Options of a work frame and of a tool."""

    work: Three | None = opt(
        "Origin of a work frame in the base; poses are in this frame.", metavar="X Y Z"
    )
    work_rpy: Three | None = opt("Roll, pitch, yaw of the work frame in the base.", metavar="R P Y")
    tool: Three | None = opt(
        "Origin of a tool frame on the platform; poses are the tool's.", metavar="X Y Z"
    )
    tool_rpy: Three | None = opt("Roll, pitch, yaw of the tool on the platform.", metavar="R P Y")

    def frames(self, degrees: bool) -> Frames | None:
        """The frames that the options ask for; None without any of them."""
        from gough.poses import Frames

        if all(given is None for given in vars(self).values()):
            return None
        own = Frames()
        return Frames(
            given_pose(own.work, self.work, self.work_rpy, degrees, "--work"),
            given_pose(own.tool, self.tool, self.tool_rpy, degrees, "--tool"),
        )


@dataclass(frozen=True)
class PoseOptions:
    """Options of a pose of the platform, or with frames of the tool; left out, as at home."""

    position: Three | None = opt(
        "Position of the platform's origin, in m or with units. Default: home.", metavar="X Y Z"
    )
    rpy: Three | None = opt(
        "Roll, pitch, yaw about the fixed axes, in rad or with units (10deg). Default: home.",
        metavar="R P Y",
    )
    degrees: bool = DEGREES

    def pose(self, robot: Robot, frames: Frames | None = None) -> Array:
        """The platform's pose that the options ask for."""
        return platform_pose(robot, frames, self.position, self.rpy, self.degrees)

    def possible_pose(self, model: Model, frames: Frames | None = None) -> tuple[Array, list[str]]:
        """The pose that the machine takes, and a remark where that is not the given one."""
        import numpy as np

        given = self.pose(model.robot, frames)
        found = model.possible_pose(given)
        freedoms = " ".join(model.structure.degrees_of_freedom)
        if not np.isfinite(found.pose).all():
            raise GoughError(
                f"{model.robot.name} cannot take this pose, nor one with the same {freedoms}"
            )
        if np.abs(found.step).max() <= _SAME:
            return given, []
        way, turn = found.step[:3].round(12), np.degrees(found.step[3:]).round(9)
        return found.pose, [
            f"{model.robot.name} moves in {freedoms} only: shown is the pose that has these as "
            f"asked, from which the given one is off by {vector(way)} m and {vector(turn)} deg"
        ]


def platform_pose(
    robot: Robot,
    frames: Frames | None,
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
