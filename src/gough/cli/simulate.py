"""`gough simulate`: a study file with a controller in; a folder with results and a report out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.output import JsonOption, console, print_json, say
from gough.cli.run import FolderOption, StudyArgument


def simulate(
    study: StudyArgument,
    output: FolderOption = None,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Whether to write report.html.")
    ] = True,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what is in the folder.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Simulate a machine that follows a study's motion under a controller.

    The study file has two more tables than one for 'gough run': controller, with a kind and gains
    or the frequency of its poles, and simulation, with the sampling and the sensors.

    Example:  gough simulate studies/simulation/demo-computed-torque.toml --output followed
    """
    from gough.cli.study_words import plain, print_results  # noqa: PLC0415  (slow to import)
    from gough.simulation.reading import SimulationStudy  # noqa: PLC0415
    from gough.studies.folder import check_free, write_folder  # noqa: PLC0415

    loaded = SimulationStudy.load(study)
    folder = output or Path(f"{loaded.study.name}-results")
    check_free(folder, overwrite)
    results = loaded.run()
    write_folder(results, loaded.study, folder, report and loaded.study.outputs.report)
    if as_json:
        print_json({"folder": str(folder), **plain(results)})
        return
    print_results(results)
    way, turn = (abs(results["pose_error"][:, part]).max() for part in (slice(3), slice(3, 6)))
    console.print(f"largest error: {1e3 * way:.4g} mm and {1e3 * turn:.4g} mrad")
    say(f"results in {folder}")
