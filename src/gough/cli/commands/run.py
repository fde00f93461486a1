"""`gough run`: a study, or a motion on the command line, into a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.options import (
    ClusterOption,
    OverwriteOption,
    TlsOption,
    WorkersOption,
    executor_of,
    refuse_idle,
)
from gough.cli.output import (
    FolderOption,
    JsonOption,
    complain,
    interrupted,
    show_folder,
    wrong_usage,
)
from gough.errors import GoughError, InputError
from gough.fields.user_files import parsed, read_table, with_places

if TYPE_CHECKING:
    from gough.studies.study import Study

_SAMPLES = 1001
"""Default number of times of a motion on the command line."""
PointOption = Annotated[
    int | None,
    typer.Option(
        "--point", metavar="N", help="One point of a study's grid of variations, from 0 on."
    ),
]
MotionOption = Annotated[
    str | None,
    typer.Option(
        "--motion",
        "-m",
        metavar="TABLE",
        help="Motion of a robot: the motion table of a study in one line of TOML, or a study file.",
    ),
]
TaskOption = Annotated[
    list[str] | None,
    typer.Option("--task", "-t", metavar="TABLE", help="Task beside --motion; again for more."),
]


def run(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="Study file (.toml); with --motion, a robot.")
    ],
    motion: MotionOption = None,
    task: TaskOption = None,
    samples: Annotated[
        int | None, typer.Option("--samples", min=2, help="Number of times of --motion.")
    ] = None,
    static: Annotated[
        bool, typer.Option("--static", help="Static analysis of --motion: weights and tasks only.")
    ] = False,
    output: FolderOption = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Omit report.html.")] = False,
    workbench: Annotated[
        bool,
        typer.Option("--workbench", help="Write workbench.html, too, with every time of the run."),
    ] = False,
    pdf: Annotated[
        bool,
        typer.Option(
            "--pdf", help="Write report.pdf, too: one page, printed by an installed Chromium."
        ),
    ] = False,
    summary: Annotated[
        bool,
        typer.Option(
            "--summary", help="Print only stroke (range), speed, force (torque) and power."
        ),
    ] = False,
    point: PointOption = None,
    overwrite: OverwriteOption = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    tls: TlsOption = None,  # type: ignore[assignment]
    as_json: JsonOption = False,
) -> None:
    """Run a study: inverse dynamics along a motion with its tasks, or a simulation.

    Writes a folder with results.parquet and results.csv (for variations: variations.parquet and
    .csv), summary.json, study.json, robot.toml and report.html. A study with a table controller is
    simulated. Cases are compared; each has its results in a folder of its own. A grid of
    variations, or cases, that was interrupted continues when it is run again. Without a study:
    gough run ROBOT --motion 'kind="line", displacement=[0,0,0.1], duration=2'.

    Example:  gough run studies/demo-machining.toml --output machining
    """
    from gough.progress import bars_shown
    from gough.runs import to_folder

    executor = executor_of(workers, cluster, tls)
    loaded = _study(study, motion, task or [], samples, static)
    if pdf and no_report:
        raise wrong_usage("--pdf", "printed from report.html; expected no --no-report beside it")
    folder = output or Path(f"{loaded.name}-results")
    if point is not None:
        loaded = loaded.variant(point)
        folder = output or Path(f"{loaded.name}-{point}-results")
    if not loaded.variations:
        why = f"{loaded.name} is one run, computed here; expected variations or cases"
        refuse_idle(workers, cluster, why)
    try:
        with bars_shown(not as_json):
            results = to_folder(
                loaded,
                folder,
                overwrite=overwrite,
                report=False if no_report else True if pdf else None,
                workbench=workbench,
                executor=executor,
            )
    except KeyboardInterrupt:
        raise interrupted(folder, "cases" if loaded.is_comparison else "points") from None
    missing = _printed(folder) if pdf else ""
    show_folder(results, folder, as_json, only_main=summary)
    if missing:
        complain(missing)


def _printed(folder: Path) -> str:
    """Print the report of a folder as report.pdf; return why there is none, if so."""
    from gough.report import PrintingError, print_page
    from gough.runs.study import added
    from gough.studies.grid_storage import PRINTED, REPORT

    try:
        with added(folder, PRINTED) as file:
            print_page(folder / REPORT, file)
    except PrintingError as error:
        return f"no {PRINTED}: {error}"
    return ""


def _study(
    source: str, motion: str | None, tasks: list[str], samples: int | None, static: bool
) -> Study:
    """Return the study of a file, or that of a robot along a motion on the command line."""
    from gough.robot import library_names
    from gough.studies.study import Study

    if motion is not None:
        return Study.from_dict(
            {
                "schema": "gough-study/1",
                "name": Path(source).stem,
                "robot": source,
                "motion": _tables("--motion", motion)[0],
                "tasks": [table for text in tasks for table in _tables("--task", text)],
                "samples": samples or _SAMPLES,
                "analysis": "static" if static else "dynamic",
            }
        )
    for option, given in (("--task", tasks), ("--samples", samples), ("--static", static)):
        if given:
            raise wrong_usage(option, "for a robot along a motion; expected --motion beside it")
    if source in library_names():
        raise GoughError(f"{source} is a robot; expected a study file, or --motion beside it")
    return Study.load(source)


def _tables(option: str, text: str) -> list[Any]:
    """A table from one line of TOML; or the [motion] table, or the [[tasks]], of a study file."""
    if text.lower().endswith((".toml", ".json")):
        return _tables_of(Path(text), "motion" if option == "--motion" else "tasks")
    inner = text.strip()
    if not inner.startswith("{"):
        inner = f"{{{inner}}}"
    try:
        return [parsed(f"table = {inner}", ".toml")["table"]]
    except InputError as error:
        raise wrong_usage(
            option,
            f"{error}, got {text!r}; expected a table like "
            "'kind=\"line\", displacement=[0,0,0.1], duration=2'",
        ) from None


def _tables_of(file: Path, key: str) -> list[Any]:
    """Return the entries of a key in a study file; files that it names count from its folder."""
    found = with_places(read_table(file, "a study file"), file.parent).get(key)
    if not found:
        raise InputError(f"has no {key}", file=file, expected="a study file that has some")
    return found if isinstance(found, list) else [found]
