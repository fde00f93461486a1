"""Design: the optimal robot or Pareto front of a design file, and actuators of a catalogue."""

import shlex
from dataclasses import replace
from pathlib import Path

import gough
from gough import plots, runs
from gough.cli import options
from gough.cli.output import show, wrong_usage
from gough.errors import GoughError
from gough.fields import read_table, units
from gough.progress import bars_shown

CATALOGUE = options.opt(
    "Catalogue of actuators (.toml) to choose from.", "--catalogue", "-c", metavar="FILE"
)
_HOUR = 3600.0


def design(
    file: Path = options.arg("Design file (.toml, .json).", "DESIGN"),
    output: Path | None = options.opt(
        "Folder of the robots, a table and a report.", "--output", "-o", metavar="FOLDER"
    ),
    points: int | None = options.opt(
        "Approximate number of designs of a Pareto front. Default: 15.", metavar="N", min=3
    ),
    catalogue: str | None = CATALOGUE,
    starts: int = options.with_default(options.STARTS, 12),
    seed: int = options.SEED,
    generations: int = options.opt(
        "Generations of an evolutionary search first (NSGA).", metavar="N", min=0, default=0
    ),
    prove: bool = options.flag("Prove requirements in all poses and at all times.", "--prove"),
    *,
    computed_by: options.ExecutorOptions,
    overwrite: bool = options.OVERWRITE,
    as_json: bool = options.JSON,
) -> None:
    """Optimise a robot for the requirements and objectives of a design file.

    Several objectives give a Pareto front; a catalogue gives the best robot with each of its
    actuators. Where not all requirements can be met, the smallest relaxations are listed that
    would let them.

    Example:  gough design designs/simulator.toml --points 3 --starts 2
    """
    from gough.runs.design import robot_files, searched

    asked = gough.Design.load(file)
    asked = replace(asked, prove=prove or asked.prove)
    search = {"starts": starts, "rng": seed, "generations": generations}
    executor = computed_by.executor()
    if points is not None:
        if catalogue is not None or len(asked.objectives) < 2:
            why = f"{asked.name} has one objective" if catalogue is None else "with --catalogue"
            raise wrong_usage("--points", f"{why}: no front is looked for; expected none")
        search["points"] = points
    with bars_shown(not as_json):
        if output is None:
            found = searched(asked, catalogue, executor=executor, **search)
        else:
            found = runs.to_folder(
                asked, output, overwrite=overwrite, catalogue=catalogue, executor=executor, **search
            )
    designs, notes, files = found.designs, [], {}
    if output is None:
        notes = ["not saved; --output FOLDER writes robots, a table and a page"]
    elif designs:
        first = output / robot_files(asked.name, len(designs))[0]
        files = {"robots and a table": output, "page": output / "report.html"}
        notes = [f"next: gough show {shlex.quote(str(first))}"]
    plain = {"name": asked.name, "designs": [one.to_dict() for one in designs]}
    show(found, as_json, about=asked.name, notes=notes, files=files, facts=plain)


def develop(
    file: str = options.arg("Design file (.toml, .json), or a robot.", "DESIGN"),
    study: Path = options.arg("Study file (.toml, .json) with a controller.", "STUDY"),
    limit: list[str] | None = options.opt(
        "Limit of a figure of the simulation, as peak_position_error=1mm; again for more.",
        "--limit",
        metavar="FIGURE=VALUE",
    ),
    output: Path | None = options.opt(
        "Folder of the robot, the verdict, the study and a report.",
        "--output",
        "-o",
        metavar="FOLDER",
    ),
    starts: int = options.with_default(options.STARTS, 12),
    seed: int = options.SEED,
    overwrite: bool = options.OVERWRITE,
    as_json: bool = options.JSON,
) -> None:
    """Develop a robot in one loop: design, control, simulation and verdict.

    The design is optimised, or a robot taken as it is; the controller of the study is tuned for it,
    faster while that brings errors within their limits; the motion is simulated. Accepted, or
    refused with the reasons and what to change; the exit code is 0 for both.

    Example:  gough develop demo-hexapod studies/simulation/demo-pid.toml
    """
    from gough.design import develop as developed

    asked = gough.Design.load(file) if _is_design(Path(file)) else gough.load(file)
    pairs = [given.partition("=") for given in limit or ()]
    if wrong := next((name for name, equals, value in pairs if not (equals and value)), None):
        raise wrong_usage("--limit", f"{wrong!r}; expected FIGURE=VALUE")
    limits = {name.strip(): options.number_or_text(value) for name, _, value in pairs}
    with bars_shown(not as_json):
        found = developed(asked, gough.Study.load(study), limits=limits, starts=starts, rng=seed)
    files = {}
    if output is not None:
        runs.to_folder(found, output, overwrite=overwrite)
        files = {"robot, verdict and report": output}
    show(found, as_json, files=files)


def _is_design(path: Path) -> bool:
    if path.suffix.lower() not in (".toml", ".json") or not path.is_file():
        return False
    return str(read_table(path, "a design or a robot").get("schema")).startswith("gough-design/")


def _hours(given: str | float) -> float | None:
    """Return a time in hours: a bare number of them, or a quantity with a unit."""
    hours = options.number_or_text(given)
    if isinstance(hours, str):
        hours = options.quantity("--life", hours, units.TIME) / _HOUR
    return options.within(0.0, 1e9, "h")(hours)


def select(
    robot: str = options.ROBOT,
    studies: list[Path] = options.arg(
        "Study files (.toml); every variation is a motion.", "STUDY..."
    ),
    catalogue: str | None = CATALOGUE,
    life: float = options.opt(
        "Required life L10 of screws and bearings, in hours or with a unit.",
        metavar="HOURS",
        parser=_hours,
        default=0.0,
    ),
    buckling_safety: float = options.opt(
        "Safety factor against buckling of a screw.",
        metavar="FACTOR",
        callback=options.within(1.0, 100.0),
        default=2.0,
    ),
    critical_share: float = options.opt(
        "Maximum share of a screw's critical speed.",
        metavar="SHARE",
        callback=options.within(0.01, 1.0),
        default=0.8,
    ),
    once: bool = options.flag("Motions are made once from cold, not repeated.", "--once"),
    actuator: str | None = options.opt(
        "Actuator to show in full. Default: the first.", metavar="NAME"
    ),
    output: Path | None = options.new_file(
        "Robot with that actuator (.toml, .json).", options.ROBOTS
    ),
    report: Path | None = options.REPORT,
    plot: Path | None = options.figure("Save a figure of its force over speed."),
    *,
    computed_by: options.ExecutorOptions,
    as_json: bool = options.JSON,
) -> None:
    """Select actuators of a catalogue that suffice for motions.

    Each is put into the machine, with its masses and its drive where the catalogue gives them, and
    checked against stroke, forces, speeds, currents, thermal load, buckling, critical speed and
    life.

    Example:  gough select demo-hexapod studies/demo-machining.toml
    """
    found = gough.select(
        robot,
        studies,
        catalogue,
        life=life,
        buckling_safety=buckling_safety,
        critical_share=critical_share,
        repeated=not once,
        executor=computed_by.executor(),
    )
    found = found if actuator is None else found.choosing(actuator)
    chosen = found.choice
    if output is not None:
        if actuator is None and not chosen.suffices:
            raise GoughError(
                f"no actuator of {found.catalogue.name} suffices, so {output} is not written; name "
                "one with --actuator to have it all the same"
            )
        gough.save(found.robot_with(chosen.name), output)
    if report is not None:
        from gough.report import write_report

        write_report(found, report)
    if plot is not None:
        plots.save_plot(found.plot(chosen.name), plot)
    files = {f"robot with {chosen.name}": output, "page": report, "figure": plot}
    show(found, as_json, files=files)
