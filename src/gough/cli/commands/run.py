"""`gough run`: a study file in; a folder with results and a report out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.executor_options import (
    ClusterOption,
    TlsOption,
    WorkersOption,
    executor_of,
    refuse_idle,
)
from gough.cli.output import Interrupted, JsonOption, print_json, say

StudyArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="A study file (.toml).")]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="Where to write. Default: the study's name and '-results', here.",
    ),
]
OverwriteOption = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace results of another study in the folder, or write beside files of yours.",
    ),
]
PointOption = Annotated[
    int | None,
    typer.Option(
        "--point", metavar="N", help="Of a study with variations: one point of its grid, from 0 on."
    ),
]


def run(
    study: StudyArgument,
    output: FolderOption = None,
    report: Annotated[
        bool | None,
        typer.Option(
            "--report/--no-report", help="Whether to write report.html.", show_default=False
        ),
    ] = None,
    workbench: Annotated[
        bool,
        typer.Option(
            "--workbench", help="Write workbench.html, too; the report opens every time there."
        ),
    ] = False,
    point: PointOption = None,
    overwrite: OverwriteOption = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    tls: TlsOption = None,  # type: ignore[assignment]
    as_json: JsonOption = False,
) -> None:
    """Run a study: what the actuators need for a motion and its tasks.

    Writes a folder with results.parquet and results.csv (for variations: variations.parquet and
    .csv), summary.json, study.json, robot.toml and report.html. A grid of variations that was
    interrupted goes on where it was when it is run again; --workers and --cluster say who
    computes its points.

    Example:  gough run studies/demo-machining.toml --output machining
    """
    from gough.analysis.results import Results
    from gough.cli.study_text import plain, plain_grid, print_grid, print_results
    from gough.runs.study import run_to_folder
    from gough.studies.study import Study

    executor = executor_of(workers, cluster, tls)
    loaded = Study.load(study)
    folder = output or Path(f"{loaded.name}-results")
    if point is not None:
        loaded = loaded.variant(point)
        folder = output or Path(f"{loaded.name}-{point}-results")
    if not loaded.variations:
        why = f"{loaded.name} is one point, computed here; expected variations"
        refuse_idle(workers, cluster, why)
    try:
        results = run_to_folder(
            loaded,
            folder,
            overwrite=overwrite,
            report=report,
            workbench=workbench,
            progress=not as_json,
            executor=executor,
        )
    except KeyboardInterrupt:
        raise interrupted(folder, "points") from None
    if as_json:
        data = plain(results) if isinstance(results, Results) else plain_grid(results)
        print_json({"folder": str(folder), **data})
        return
    if isinstance(results, Results):
        print_results(results)
    else:
        print_grid(results)
    say_where(folder)


def interrupted(folder: Path, parts: str) -> Interrupted:
    """What is left of a run in a folder, of whose parts those that are done are kept there."""
    from gough.disk.target import holds_chunks

    kept = f"the {parts} that are done are kept, and the same command goes on from there"
    return Interrupted(kept if holds_chunks(folder) else "nothing was written")


def say_where(folder: Path) -> None:
    """Say where results are, and their pages if there are some."""
    from gough.studies.file_names import PAGES

    there = [folder / name for name in PAGES if (folder / name).exists()]
    say(", ".join([f"results in {folder}", *(f"{page.stem} in {page}" for page in there)]))
