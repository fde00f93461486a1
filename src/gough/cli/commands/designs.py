"""Design: the optimal robot or Pareto front of a design file, and actuators of a catalogue."""

import shlex
from dataclasses import replace
from pathlib import Path

import gough
from gough import design as designs
from gough import plots, runs
from gough import report as pages
from gough.cli import options
from gough.cli.output import show, wrong_usage
from gough.errors import GoughError
from gough.fields.user_files import is_file_of
from gough.progress import bars_shown


def design(
    file: Path,
    output: Path | None = None,
    points: int | None = None,
    catalogue: str | None = None,
    starts: int = 12,
    seed: int = 0,
    generations: int = 0,
    prove: bool = False,
    *,
    computed_by: options.ExecutorOptions,
    overwrite: bool = False,
    as_json: bool = False,
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
    file: str,
    study: Path,
    limit: list[str] | None = None,
    output: Path | None = None,
    starts: int = 12,
    seed: int = 0,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Develop a robot in one loop: design, control, simulation and verdict.

    The design is optimised, or a robot taken as it is; the controller of the study is tuned for it,
    faster while that brings errors within their limits; the motion is simulated. Accepted, or
    refused with the reasons and what to change; the exit code is 0 for both.

    Example:  gough develop demo-hexapod studies/simulation/demo-pid.toml
    """
    asked = gough.Design.load(file) if is_file_of("design", file) else gough.load(file)
    given = options.pairs("--limit", limit, "FIGURE=VALUE")
    limits = {name: options.number_or_text(value) for name, value in given.items()}
    with bars_shown(not as_json):
        found = designs.develop(
            asked, gough.Study.load(study), limits=limits, starts=starts, rng=seed
        )
    files = {}
    if output is not None:
        runs.to_folder(found, output, overwrite=overwrite)
        files = {"robot, verdict and report": output}
    show(found, as_json, files=files)


def select(
    robot: str,
    studies: list[Path],
    catalogue: str | None = None,
    life: float = 0.0,
    buckling_safety: float = 2.0,
    critical_share: float = 0.8,
    once: bool = False,
    actuator: str | None = None,
    output: Path | None = None,
    report: Path | None = None,
    plot: Path | None = None,
    *,
    computed_by: options.ExecutorOptions,
    as_json: bool = False,
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
            problem = f"no actuator of {found.catalogue.name} suffices, so {output} is not written"
            raise GoughError(f"{problem}; name one with --actuator to have it all the same")
        gough.save(found.robot_with(chosen.name), output)
    if report is not None:
        pages.write_report(found, report)
    if plot is not None:
        plots.save_plot(found.plot(chosen.name), plot)
    files = {f"robot with {chosen.name}": output, "page": report, "figure": plot}
    show(found, as_json, files=files)
