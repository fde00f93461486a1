"""`gough inverse-dynamics`: the forces along a motion, without a study file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.option_checks import saved_as
from gough.cli.output import JsonOption, RobotArgument, print_json, say, wrong_usage
from gough.disk.files import whole
from gough.errors import InputError
from gough.fields.user_files import parsed, read_table, with_places

_POSITIONS = ("leg_length", "actuator_position")
"""What positions of actuators are called, of hexapods and of others."""

MotionOption = Annotated[
    str,
    typer.Option(
        "--motion",
        "-m",
        metavar="TABLE",
        help="A motion as in a study file, in one line of TOML; or a study file that has one.",
    ),
]
TaskOption = Annotated[
    list[str] | None,
    typer.Option("--task", "-t", metavar="TABLE", help="A task, likewise. May be repeated."),
]


def inverse_dynamics(
    robot: RobotArgument,
    motion: MotionOption,
    task: TaskOption = None,
    samples: Annotated[int, typer.Option("--samples", "-n", min=2, help="How many times.")] = 1001,
    static: Annotated[
        bool, typer.Option("--static", help="As slowly as possible: weights and tasks only.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save time and forces (.csv).",
            callback=saved_as(".csv"),
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show forces or torques, power and margins along a motion.

    Example:  gough inverse-dynamics kalani-2016 -m 'kind="line", displacement=[0,0,1], duration=9'
    """
    from gough.cli.study_text import plain, print_results
    from gough.model.structure import structure_of
    from gough.studies.run import run

    results: Any = run(
        {
            "schema": "gough-study/1",
            "name": "inverse dynamics",
            "robot": robot,
            "motion": _tables("--motion", motion)[0],
            "tasks": [table for text in task or [] for table in _tables("--task", text)],
            "samples": samples,
            "analysis": "static" if static else "dynamic",
        }
    )
    if output is not None:
        _save(results, output)
    if as_json:
        series = {name: results[name] for name in (*_POSITIONS, "force") if name in results}
        units = [joint.force_unit for joint in structure_of(results.robot).driven]
        named = {"names": [a.name for a in results.robot.actuators], "force_units": units}
        print_json({**plain(results), "time": results.time, **named, **series})
        return
    print_results(results)
    if output is not None:
        say(f"forces saved in {output}")


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
    """What a study file has of a key; files that it names count from its folder."""
    found = with_places(read_table(file, "a study file"), file.parent).get(key)
    if not found:
        raise InputError(f"has no {key}", file=file, expected="a study file that has some")
    return found if isinstance(found, list) else [found]


def _save(results: Any, path: Path) -> None:
    names = [name for name in (*_POSITIONS, "force", "power") if name in results]
    wanted = [column for name in names for column in results.quantity(name).columns]
    with whole(path) as part:
        results.to_dataframe()[wanted].to_csv(part)
