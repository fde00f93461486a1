"""Motions: studies run and plotted, controllers tuned, time laws through singularities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gough
from gough import plots, report, runs, simulation
from gough.cli import options
from gough.cli.output import (
    complain,
    interrupted,
    print_json,
    say,
    show,
    show_folder,
    tell,
    wrong_usage,
)
from gough.disk.files import atomic_write
from gough.errors import GoughError, InputError
from gough.fields.user_files import parsed, read_table, with_places
from gough.progress import bars_shown

_SAMPLES = 1001  # default number of times of a motion on the command line


def run(
    study: str,
    *,
    motion: str | None = None,
    task: list[str] | None = None,
    samples: int | None = None,
    static: bool = False,
    compare: Path | None = None,
    output: Path | None = None,
    no_report: bool = False,
    workbench: bool = False,
    pdf: bool = False,
    film: bool = False,
    summary: bool = False,
    point: int | None = None,
    overwrite: bool = False,
    computed_by: options.ExecutorOptions,
    as_json: bool = False,
) -> None:
    """Run a study: inverse dynamics along a motion with its tasks, or a simulation.

    Writes a folder with results.parquet and results.csv (for variations: variations.parquet and
    .csv), summary.json, study.json, robot.toml and report.html. A study with a controller is
    simulated; cases are compared, each in a folder of its own. A grid of variations, or cases, that
    was interrupted continues when it is run again. Without a study:
    gough run ROBOT --motion 'kind="line", displacement=[0,0,0.1], duration=2'.

    Example:  gough run studies/demo-machining.toml --output machining
    """
    executor = computed_by.executor()
    loaded = _study(study, motion, task or [], samples, static)
    if compare is not None:
        recording = {"recording": {"file": str(compare.resolve())}}
        loaded = gough.Study.from_dict({**loaded.written, **recording})
    if pdf and no_report:
        raise wrong_usage("--pdf", "printed from report.html; expected no --no-report beside it")
    if film and loaded.variations and point is None:
        raise wrong_usage("--film", "of one run; expected --point K beside it, or no variations")
    folder = output or Path(f"{loaded.name}-results")
    if point is not None:
        loaded = loaded.variant(point)
        folder = output or Path(f"{loaded.name}-{point}-results")
    if not loaded.variations:
        computed_by.refuse(f"{loaded.name} is one run, computed here; expected variations or cases")
    try:
        with bars_shown(not as_json):
            results = runs.to_folder(
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
    if film:
        _filmed(results, folder, shown=not as_json)
    show_folder(results, folder, as_json, only_main=summary)
    if missing:
        complain(missing)


def _filmed(results: Any, folder: Path, *, shown: bool) -> None:
    """Add a film of one run to its folder."""
    from gough.runs.study import added
    from gough.studies.grid_storage import FILM

    with bars_shown(shown), added(folder, FILM) as file:
        plots.save_film(results.robot, results.time, results["pose"], file)


def _printed(folder: Path) -> str:
    """Print the report of a folder as report.pdf; return why there is none, if so."""
    from gough.runs.study import added
    from gough.studies.grid_storage import PRINTED, REPORT

    try:
        with added(folder, PRINTED) as file:
            report.print_page(folder / REPORT, file)
    except report.PrintingError as error:
        return f"no {PRINTED}: {error}"
    return ""


def _study(
    source: str, motion: str | None, tasks: list[str], samples: int | None, static: bool
) -> gough.Study:
    """Return the study of a file, or that of a robot along a motion on the command line."""
    if motion is not None:
        return gough.Study.from_dict(
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
    if source in gough.library_names():
        raise GoughError(f"{source} is a robot; expected a study file, or --motion beside it")
    return gough.Study.load(source)


def _tables(option: str, text: str) -> list[Any]:
    """A table from one line of TOML; or the [motion] table, or the [[tasks]], of a study file.

    Files that it names count from its folder.
    """
    if text.lower().endswith((".toml", ".json")):
        file, key = Path(text), "motion" if option == "--motion" else "tasks"
        found = with_places(read_table(file, "a study file"), file.parent).get(key)
        if not found:
            raise InputError(f"has no {key}", file=file, expected="a study file that has some")
        return found if isinstance(found, list) else [found]
    inner = text.strip()
    inner = inner if inner.startswith("{") else f"{{{inner}}}"
    try:
        return [parsed(f"table = {inner}", ".toml")["table"]]
    except InputError as error:
        table = "'kind=\"line\", displacement=[0,0,0.1], duration=2'"
        raise wrong_usage(option, f"{error}, got {text!r}; expected a table like {table}") from None


def plot(
    folder: Path,
    quantity: str | None = None,
    output: Path | None = None,
    at: list[str] | None = None,
    heatmap: bool = False,
    as_json: bool = False,
) -> None:
    """Plot a quantity of a study over time, or a figure over its variations.

    Example:  gough plot machining force --output force.svg
    """
    from gough.plots.style import root_figure
    from gough.runs.study import added, load_folder

    results = load_folder(folder)
    if quantity is None:
        known = results.quantities if isinstance(results, gough.Results) else results.figures
        found = {name: one.in_units(results.units) for name, one in known.items()}
        plain = {n: {"unit": q.unit, "meaning": q.meaning} for n, q in known.items()}
        tell(as_json, plain, *(f"{n} [{_units(q.unit)}] {q.meaning}" for n, q in found.items()))
        return
    if isinstance(results, gough.Results):
        for option, given in (("--at", at), ("--heatmap", heatmap)):
            if given:
                raise wrong_usage(option, "these results have no variations")
        axes: Any = results.plot(quantity)
        held = ""
    else:
        from gough.studies.grid_plot import cut_of

        chosen = options.pairs("--at", at, "a name and a value, as in mass=40")
        axes = (results.map if heatmap else results.plot)(quantity, chosen)
        held = cut_of(results.variations, chosen).words(results.variations)
    path = output or folder / f"{quantity}.png"
    with atomic_write(output) if output else added(folder, path.name) as part:
        root_figure(axes).savefig(part, dpi=150)
    if as_json:
        print_json({"file": str(path), **({"at": held} if held else {})})
        return
    say(f"plot saved in {path}")
    if held:
        say(f"it is at {held}; --at NAME=VALUE takes another", "note")


def _units(unit: str) -> str:
    """Return each of several units once, as people write it."""
    from gough.report.text import unit_text

    return unit_text(", ".join(dict.fromkeys(unit.split(", "))))


def tune(
    robot: str,
    *,
    placed: options.PolePlacement,
    delay: int = 0,
    drives: bool = False,
    as_json: bool = False,
) -> None:
    """Compute gains of a controller at home, with stability margins and step responses.

    Gains couple the actuators as the machine does, but for computed torque, which knows it.
    With drives, their inertia and viscous friction count; dry friction is left out.

    Example:  gough control tune demo-hexapod --controller computed-torque --frequency 8
    """
    sampling = simulation.Sampling(placed.period, delay=delay)
    poles, machine = placed.poles(), gough.load(robot)
    show(simulation.tune(machine, **poles, sampling=sampling, drives=drives), as_json)


def optimise(study: Path, as_json: bool = False) -> None:
    """Optimise the gains of a study's controller along its motion, on the nonlinear closed loop.

    The cost is that of [simulation.tuning] in the study, with which `gough run` takes these gains;
    without it the rms of position and rotation errors.

    Example:  gough control optimise studies/delta-tuned.toml
    """
    from gough.studies.run import scenario_of
    from gough.studies.simulation_tables import WrittenTuning

    asked = gough.Study.load(study)
    scenario = scenario_of(asked, tuned=False)
    tuning = (asked.simulation and asked.simulation.tuning) or WrittenTuning()
    show(tuning.optimised(scenario), as_json)


def crossing(study: Path, duration: float | None = None, as_json: bool = False) -> None:
    """Find a time law along a study's motion with which the actuators can cross singularities.

    What it prints last can stand in the study's [motion] as the profile of a line, rotation or
    screw.

    Example:  gough control crossing studies/five-bar-down.toml
    """
    asked = gough.Study.load(study)
    took = asked.motion.duration if duration is None else duration
    found = gough.crossing_motion(asked.robot, asked.motion, took, tasks=asked.tasks)
    show(found, as_json, about=asked.name)
