"""Options that commands share: numbers in range, files, executors, limits, controllers."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from gough.cli.output import wrong_usage
from gough.disk.files import cannot_write
from gough.errors import GoughError, InputError
from gough.fields import units

if TYPE_CHECKING:
    from gough.executors import Executor
    from gough.kinematics.workspace.reach import Limits

OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Overwrite existing files.", is_eager=True)
]
"""Known before the options that name files, which ask for it."""

_NAMED = "gough.cli.named_files"
"""Key in a command's context of the files that its options name."""


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
        try:
            number: object = float(given)
        except ValueError:
            number = given
        try:
            return check(units.to_si(number, dimension))
        except InputError as error:
            raise typer.BadParameter(str(error)) from None

    return typer.Option(
        *names,
        metavar=dimension.name.split()[-1].upper(),
        help=f"{words} \\[{unit}].",
        parser=parsed,
    )


def saved_as(*suffixes: str) -> Callable[[typer.Context, Path | None], Path | None]:
    """Return the check of an option that names a file to be written: how its name may end.

    A command with such an option has `--overwrite`, without which a file that is there is refused.
    Two options do not name one file: the later would be written over the first.
    """

    def checked(ctx: typer.Context, path: Path | None) -> Path | None:
        if path is None:
            return None
        if path.suffix.lower() not in suffixes:
            known = ", ".join(suffixes)
            raise typer.BadParameter(f"{path}: unknown kind of file; expected {known}")
        reason = _reason_against(path)
        if reason:
            raise cannot_write(path, OSError(reason, ""))
        check_new(path, ctx.params.get("overwrite", False))
        named = ctx.meta.setdefault(_NAMED, set())
        if path.resolve() in named:
            raise typer.BadParameter(f"{path}: named by another option, too; expected a file each")
        named.add(path.resolve())
        return path

    checked.names_new_file = True  # type: ignore[attr-defined]  # for the command that has it
    return checked


def picture_option(what: str, *names: str) -> Any:
    """Return an option for the file of a picture; `what` stands in its help."""
    callback = saved_as(".png", ".svg", ".pdf")
    return typer.Option(*names, metavar="FILE", help=what, callback=callback)


def robot_file_option(what: str) -> Any:
    """Return the option for the robot file that a command writes; `what` stands in its help."""
    callback = saved_as(".toml", ".json")
    return typer.Option("--output", "-o", metavar="FILE", help=what, callback=callback)


def _reason_against(path: Path) -> int | None:
    """The number of the error that writing the file would end with, as far as can be seen."""
    if path.is_dir():
        return errno.EISDIR
    if not path.parent.exists():
        return errno.ENOENT
    if not path.parent.is_dir():
        return errno.ENOTDIR
    return None if os.access(path.parent, os.W_OK) else errno.EACCES


def check_new(path: Path | None, overwrite: bool) -> None:
    """Refuse a file that is there already, unless it may be written over."""
    if path is not None and path.exists() and not overwrite:
        raise GoughError(f"{path} is there already; give another name, or --overwrite")


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, whole or not at all."""
    from gough.disk.files import atomic_write

    with atomic_write(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Number of worker processes."),
]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Scheduler of a Dask cluster that computes."),
]
TlsOption = Annotated[
    tuple[Path, Path, Path],
    typer.Option(
        "--tls",
        metavar="CA CERT KEY",
        help="PEM files for a cluster at tls://…: CA certificate, certificate, key.",
    ),
]


def executor_of(
    workers: int | None, cluster: str | None, tls: tuple[Path, Path, Path] | None
) -> Executor:
    """Return what the options name; nothing: this process."""
    if workers is not None and cluster is not None:
        raise wrong_usage("--workers", "not with --cluster: a cluster has workers of its own")
    if not tls:
        return workers if cluster is None else cluster
    from gough.executors import Scheduler

    if cluster is None:
        raise wrong_usage("--tls", "only with --cluster tls://host:8786")
    return Scheduler(cluster, *tls)


def refuse_idle(workers: int | None, cluster: str | None, why: str) -> None:
    """Refuse workers that would have nothing to do, and say why."""
    for option, given in (("--workers", workers), ("--cluster", cluster)):
        if given is not None:
            raise wrong_usage(option, why)


MaxConditionOption = Annotated[
    float | None,
    typer.Option(
        "--max-condition",
        help="Maximum condition number of J.",
        callback=within(1.0, math.inf),
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", metavar="LIMIT", help="Limit to leave out, such as clearance; again for more."
    ),
]


def limits_of(ignore: list[str] | None, max_condition: float | None) -> Limits:
    """The limits that the two options leave."""
    from gough.kinematics.workspace.reach import Limits
    from gough.kinematics.workspace.stated_limits import FAMILIES, PASSIVE

    asked = [name.replace("-", " ") for name in ignore or []]
    left_out = ["base joint" if name == PASSIVE else name for name in asked]
    unknown = [name for name in left_out if name not in FAMILIES]
    if unknown:
        known = ", ".join([*FAMILIES, PASSIVE])
        raise wrong_usage("--ignore", f"unknown limit {unknown[0]!r}; expected one of {known}")
    return Limits(tuple(f for f in FAMILIES if f not in left_out), max_condition)


MapAxesOption = Annotated[
    tuple[str, str],
    typer.Option("--axes", metavar="NAME NAME", help="Plane of two coordinates, such as x yaw."),
]
RotationalOption = Annotated[
    bool, typer.Option("--rotational", help="Map of rotations instead of translations.")
]
ActuatorsOption = Annotated[
    str,
    typer.Option(
        "--actuators",
        metavar="STATE",
        help="Actuators: locked, free, or controlled with a stiffness, in N/m or with a unit "
        "(20N/um).",
    ),
]


def actuators_of(text: str) -> Any:
    """Return the value of --actuators: a word, or a stiffness [N/m]."""
    if text in ("locked", "free"):
        return text
    try:
        try:
            given: object = float(text)
        except ValueError:
            given = text
        return units.to_si(given, units.STIFFNESS)
    except InputError as error:
        raise wrong_usage("--actuators", f"{error}; or locked, or free") from None


def _controllers() -> list[str]:
    from gough.simulation.tuning import TUNABLE

    return list(TUNABLE)


def _controller(name: str | None) -> str | None:
    if name is not None and name not in (known := _controllers()):
        raise typer.BadParameter(f"{name!r} is not known; expected one of {', '.join(known)}")
    return name


CONTROLLER = typer.Option(
    metavar="KIND",
    help="joint-pid, pd-gravity, feed-forward, computed-torque or computed-torque-task.",
    autocompletion=_controllers,
    callback=_controller,
)
FREQUENCY = quantity_option(
    "Natural frequency of the closed loop's poles", units.FREQUENCY, 1e-6, 1e6
)
DAMPING = typer.Option(help="Damping ratio of the closed loop's poles.", callback=within(1e-3, 1e3))
INTEGRAL_RATE = quantity_option("Pole of joint-pid's integral; 0 for a PD", units.RATE, 0, 1e6)
PERIOD = quantity_option("Sampling period", units.TIME, 1e-9, 1e3)
DRIVES = typer.Option("--drives", help="Include the drives: motors, gears and screws.")


class Usual(NamedTuple):
    """Defaults of the options of a controller that is tuned or exported."""

    controller: str = "joint-pid"
    frequency: float = 5.0
    damping: float = 1.0
    integral_rate: float = 0.0
    period: float = 1e-3


USUAL = Usual()


RecordingArgument = Annotated[
    Path,
    typer.Argument(metavar="RECORDING", help="Recording (.parquet, .csv), with units."),
]
FrictionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--friction",
        metavar="PART",
        help="Friction to identify: viscous, dry, load, joints or offset; again for more. Default: "
        "that of the drives.",
    ),
]
LegsOption = Annotated[
    Literal["independent", "identical"],
    typer.Option(
        "--legs",
        metavar="KIND",
        help="Parameters of the legs' bodies and passive joints: independent or identical.",
    ),
]
DrivesOption = Annotated[
    bool, typer.Option("--identical-drives", help="Identical parameters for all drives.")
]
KnownOption = Annotated[
    list[str] | None,
    typer.Option(
        "--known",
        metavar="NAME",
        help='Parameters known from the robot file: "legs[*].piston"; again for more.',
    ),
]
CutoffOption = Annotated[
    float | None,
    quantity_option(
        "Filter cutoff; by default from the motion", units.FREQUENCY, 1e-6, 1e9, "--cutoff"
    ),
]
LagOption = Annotated[
    float | None,
    quantity_option(
        "Lag of efforts behind positions; by default estimated", units.TIME, -1e3, 1e3, "--lag"
    ),
]
RobustOption = Annotated[bool, typer.Option("--robust", help="Reduce the weight of outliers.")]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="Seed of the random generator.")
]
StartsOption = Annotated[
    int, typer.Option("--starts", metavar="N", min=1, help="Number of starts of the search.")
]
CatalogueOption = Annotated[
    str | None,
    typer.Option(
        "--catalogue", "-c", metavar="FILE", help="Catalogue of actuators (.toml) to choose from."
    ),
]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE", help="Write a report page (.html).", callback=saved_as(".html")
    ),
]
