"""The commands of `gough`, their help and what all of them share."""

from __future__ import annotations

from typing import Annotated

import typer

from gough._version import __version__
from gough.cli.command_class import GoughCommand
from gough.cli.commands import (
    cache,
    calibrate,
    calibration_poses,
    check,
    crossing,
    export,
    fk,
    fk_study,
    ik,
    inverse_dynamics,
    modes,
    new,
    plot,
    robots,
    run,
    schema,
    show,
    simulate,
    singularity,
    stiffness,
    tolerances,
    travel,
    tune,
    vibration,
    view,
    workspace,
)
from gough.cli.exit_codes import DONE, FAILED, INTERNAL, INTERRUPTED, WRONG_USAGE

app = typer.Typer(
    name="gough",
    help="Parallel robots: kinematics, dynamics and design of machines of any kind.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Exit codes: {DONE} fine; {FAILED} the request could not be done (a bad file, "
    f"a singular pose, a full disk …); {WRONG_USAGE} wrong usage; {INTERNAL} an error in Gough "
    f"itself; {INTERRUPTED} interrupted.",
)
_COMMANDS = (
    robots.robots,
    show.show,
    view.view,
    new.new,
    check.check,
    schema.schema,
    run.run,
    inverse_dynamics.inverse_dynamics,
    plot.plot,
    simulate.simulate,
    tune.tune,
    ik.ik,
    fk.fk,
    modes.modes,
    singularity.singularity,
    stiffness.stiffness,
    tolerances.tolerances,
    calibrate.calibrate,
    calibration_poses.calibration_poses,
    crossing.crossing,
    vibration.vibration,
    travel.travel,
    workspace.workspace,
    fk_study.fk_study,
    export.export,
    cache.cache,
)
for command in _COMMANDS:
    app.command(cls=GoughCommand)(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"gough {__version__}")
        raise typer.Exit


@app.callback()
def _gough(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Parallel robots: kinematics, dynamics and design of machines of any kind."""
