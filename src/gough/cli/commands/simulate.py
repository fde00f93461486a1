"""`gough simulate`: a study file with a controller in; a folder with results and a report out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.commands.run import (
    FolderOption,
    OverwriteOption,
    StudyArgument,
    interrupted,
    say_where,
)
from gough.cli.executor_options import (
    ClusterOption,
    TlsOption,
    WorkersOption,
    executor_of,
    refuse_idle,
)
from gough.cli.output import JsonOption, console, print_json, say, table

if TYPE_CHECKING:
    from gough.analysis.results import Results
    from gough.studies.comparison import Comparison


def simulate(
    study: StudyArgument,
    output: FolderOption = None,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Whether to write report.html.")
    ] = True,
    overwrite: OverwriteOption = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    tls: TlsOption = None,  # type: ignore[assignment]
    as_json: JsonOption = False,
) -> None:
    """Simulate a machine that follows a study's motion under a controller.

    The study file has more tables than one for 'gough run': controller, with a kind and gains or
    the frequency of its poles; plant, with drives, yielding legs and the like; simulation, with
    sampling, sensors and integrator; cases, to compare several of all that. Cases that were
    interrupted go on where they were when the command is run again; --workers and --cluster say
    who simulates them.

    Example:  gough simulate studies/simulation/demo-pid.toml --output followed
    """
    from gough.cli.study_text import print_results
    from gough.kinematics.progress import bars_shown
    from gough.runs.simulation import simulate_to_folder
    from gough.studies.comparison import Comparison
    from gough.studies.simulation_study import SimulationStudy

    executor = executor_of(workers, cluster, tls)
    loaded = SimulationStudy.load(study)
    folder = output or Path(f"{loaded.study.name}-results")
    if not loaded.cases:
        why = f"{loaded.study.name} is one run, simulated here; expected cases"
        refuse_idle(workers, cluster, why)
    try:
        with bars_shown(not as_json):
            found = simulate_to_folder(
                loaded, folder, overwrite=overwrite, report=report, executor=executor
            )
    except KeyboardInterrupt:
        raise interrupted(folder, "cases") from None
    if as_json:
        print_json({"folder": str(folder), **_plain(found)})
        return
    if isinstance(found, Comparison):
        _print_comparison(found)
    else:
        print_results(found)
    say_where(folder)


def _plain(found: Results | Comparison) -> dict[str, Any]:
    from gough.cli.study_text import plain

    if isinstance(found, Mapping):
        runs = {case: plain(run) for case, run in found.items()}
        return {"name": found.name, "cases": runs, "failures": found.failures}
    return plain(found)


def _print_comparison(found: Comparison) -> None:
    for case, words in found.failures.items():
        say(f"{case}: {words}", "failed", "red")
    for case, run in found.items():
        for words in run.warnings:
            say(f"{case}: {words}", "warning")
    rows = [(heading.replace("_", " "), *cells) for heading, cells in found.table.items()]
    (_, *cases), *figures = rows
    console.print(table(found.name, ("figure", *cases), figures))
