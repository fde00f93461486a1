"""`gough fk-study`: starts and methods of forward kinematics, compared."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.option_checks import picture_option
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table

if TYPE_CHECKING:
    from gough.kinematics.forward.comparison import ForwardStudy, Measurement


def fk_study(
    robot: RobotArgument,
    samples: Annotated[
        int,
        typer.Option(
            "--samples", help="How many random poses besides the 201.", min=1, max=10_000_000
        ),
    ] = 100_000,
    seed: Annotated[
        int, typer.Option("--seed", help="Of the random poses.", min=0, max=2**63 - 1)
    ] = 0,
    plot: Annotated[
        Path | None, picture_option("Save the distributions (.png, .svg, .pdf).", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare Newton, neural + Newton and neural + third order (Kalani 2016, Table 1 and Fig. 6).

    Trains the robot's network first, if there is none yet (needs scikit-learn).

    Example:  gough fk-study kalani-2016 --samples 10000 --plot iterations.png
    """
    from gough.kinematics.forward.comparison import forward_study
    from gough.kinematics.model import Model
    from gough.robot import load

    study = forward_study(Model(load(robot)), samples=samples, seed=seed, progress=not as_json)
    if plot is not None:
        from gough.kinematics.forward.comparison_plot import save_study_plot

        save_study_plot(study, plot)
    if as_json:
        print_json(_plain(study))
        return
    _print(study)
    if plot is not None:
        say(f"plot saved in {plot}")


def _plain(study: ForwardStudy) -> dict[str, Any]:
    return {
        **asdict(study),
        "measurements": [
            {**asdict(m), "mean_iterations": m.mean_iterations} for m in study.measurements
        ],
    }


def _print(study: ForwardStudy) -> None:
    scale = "" if study.path_scale == 1 else f", {study.path_scale:.2g} of its size"
    for poses, title in (
        ("path", f"The 4 s path of Kalani 2016{scale}: 201 poses (Table 1)"),
        ("random", "201 random poses (Fig. 6)"),
        ("many", f"{study.of('many')[0].count} random poses"),
    ):
        console.print(table(title, _COLUMNS, [_row(m) for m in study.of(poses)]))
    console.print(
        "%: shares from 0.05 on; µs: per pose, on one core, with the start",
        style="dim",
    )


_COLUMNS = ("E_max", "start and method", "mean", "max", "iterations: %", "right %", "µs")


def _row(m: Measurement) -> tuple[object, ...]:
    shares = [100 * count / m.count for count in m.iterations]
    listed = "  ".join(f"{n}:{share:.1f}" for n, share in enumerate(shares) if share >= 0.05)
    return (
        f"{m.accuracy:.0e}",
        m.way,
        f"{m.mean_iterations:.2f}",
        str(len(m.iterations) - 1),
        listed,
        f"{100 * m.right:.6g}",
        f"{1e6 * m.time:.3f}",
    )
