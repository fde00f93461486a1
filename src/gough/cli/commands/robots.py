"""Robots: the library, one of them shown or moved by hand, new files, and checks of files."""

import os
import shlex
from pathlib import Path
from typing import Literal

import gough
from gough import kinematics, plots, workbench
from gough.cli import output
from gough.cli.options import check_new
from gough.cli.output import UsageError, console, print_json, say, tell, wrong_usage
from gough.disk.files import write_text
from gough.errors import did_you_mean


def robots(as_json: bool = False) -> None:
    """List the robots that come with Gough, with references.

    Example:  gough robots
    """
    from gough.display.terminal import rich_table
    from gough.kinematics.description import library_facts, library_table

    found = [gough.load(name) for name in gough.library_names()]
    if as_json:
        print_json([library_facts(robot) for robot in found])
        return
    listed = rich_table(library_table(found))
    for column in listed.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    listed.columns[1].max_width = 16
    listed.expand, listed.columns[-1].ratio = True, 1  # what is left of a line
    console.print(listed)
    say("all about one of them: gough show NAME")


def show(robot: str, plot: Path | None = None, dh: bool = False, as_json: bool = False) -> None:
    """Show a robot: structure, geometry, masses, limits and its home pose.

    Example:  gough show demo-hexapod --plot hexapod.png
    """
    machine = gough.load(robot)
    if plot is not None:
        plots.save_plot(plots.plot_machine(machine), plot)
    shown = kinematics.leg_parameters(machine) if dh else kinematics.RobotDescription(machine)
    notes = machine.notes.strip().split("\n") if machine.notes and not (as_json or dh) else []
    output.show(shown, as_json, notes=notes, files={"figure": plot})


def view(
    robot: str,
    study: Path | None = None,
    point: int | None = None,
    output: Path | None = None,
    opened: bool | None = None,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Write an interactive page of the robot, the workbench, and open it in the browser.

    It is one file that needs neither a network nor Gough, and computes everything itself.

    With a study it opens with the study's motion, which is played beside charts of its forces.

    Example:  gough view demo-hexapod --study studies/demo-machining.toml
    """
    import webbrowser

    machine = gough.load(robot)
    path = output or Path(f"{Path(robot).stem}.html")  # its own name may be any text
    workbench.write_workbench(machine, path, study=study, point=point, overwrite=overwrite)
    size = path.stat().st_size
    tell(as_json, {"file": str(path), "bytes": size}, f"wrote {path} ({size / 1000:.0f} kB)")
    if console.is_terminal if opened is None else opened:
        webbrowser.open(path.resolve().as_uri())


def new(
    what: Literal["robot", "study", "design"],
    file: Path | None = None,
    like: str | None = None,
    robot: str | None = None,
    overwrite: bool = False,
    as_json: bool = False,
) -> None:
    """Write a robot, study or design file to start from, which explains each key.

    Example:  gough new robot my-machine.toml
    """
    if what == "robot":
        if robot is not None:
            raise UsageError("--robot is for studies and designs; expected --like")
        path, text, next_steps = _robot(file, like or "hexapod")
    else:
        if like is not None:
            raise UsageError("--like is for robots; expected --robot")
        path, text, next_steps = _of_robot(what, file, robot or "demo-hexapod")
    check_new(path, overwrite)
    write_text(path, text)
    commands = [f"gough {step} {shlex.quote(str(path))}" for step in next_steps]
    done = {"file": str(path), "next": commands}
    tell(as_json, done, f"wrote {path}; edit it, then:", *(f"  {one}" for one in commands))


def _robot(file: Path | None, kind: str) -> tuple[Path, str, list[str]]:
    from gough.robot.files import kinds, new_robot

    if kind not in kinds():
        hint = did_you_mean(kind, kinds())
        problem = f'"{kind}" is not known{hint}; expected one of {", ".join(kinds())}'
        raise wrong_usage("--like", problem)
    path = _toml(file, f"my-{kind}")
    return path, new_robot(kind, path.stem), ["check", "show", "new study --robot"]


def _of_robot(what: str, file: Path | None, robot: str) -> tuple[Path, str, list[str]]:
    from gough.design.reading import new_design
    from gough.studies.reading import new_study

    made, step = (new_study, "run") if what == "study" else (new_design, "design")
    path = _toml(file, f"my-{what}")
    in_place = robot in gough.library_names() or Path(robot).is_absolute()
    source = robot if in_place else os.path.relpath(robot, path.parent)
    return path, made(path.stem, gough.load(robot), Path(source).as_posix()), ["check", step]


def _toml(file: Path | None, default: str) -> Path:
    """The path of a new file, which ends in .toml; its stem is the name in the file."""
    path = file or Path(default)
    if not path.name or not path.name.isprintable() or path.suffix.lower() == ".json":
        why = f"{str(path)!r} cannot be used; expected a name like my-machine.toml"
        raise wrong_usage("FILE", why)
    return path if path.suffix.lower() == ".toml" else path.with_name(f"{path.name}.toml")


def check(file: Path, as_json: bool = False) -> None:
    """Check a robot, study or design file: all that is wrong, or what it describes. Nothing is run.

    Example:  gough check my-hexapod.toml
    """
    from gough.runs.checking import check_file

    found = check_file(file)
    output.show(found, as_json, notes=found.notes)
