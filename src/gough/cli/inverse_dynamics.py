"""`gough inverse-dynamics`: the forces along a motion, without a study file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.output import JsonOption, RobotArgument, print_json, say
from gough.errors import GoughError

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
        typer.Option("--output", "-o", metavar="FILE", help="Save time and forces (.csv)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the forces, power and margins along a motion.

    Example:  gough inverse-dynamics kalani-2016 -m 'kind="line", displacement=[0,0,1], duration=9'
    """
    from gough.cli.study_words import finite, plain, print_results  # noqa: PLC0415
    from gough.studies.run import run_one  # noqa: PLC0415  (slow to import)
    from gough.studies.study import Study  # noqa: PLC0415

    results = run_one(
        Study.from_dict(
            {
                "schema": "gough-study/1",
                "name": "inverse dynamics",
                "robot": robot,
                "motion": _table("--motion", motion),
                "tasks": [_table("--task", text) for text in task or []],
                "samples": samples,
                "analysis": "static" if static else "dynamic",
            }
        )
    )
    if output is not None:
        _save(results, output)
    if as_json:
        force = [[finite(x) for x in row] for row in results["force"].tolist()]
        length = results["leg_length"].tolist()
        series = {"time": results.time.tolist(), "leg_length": length, "force": force}
        print_json({**plain(results), **series})
        return
    print_results(results)
    if output is not None:
        say(f"forces saved in {output}")


def _table(option: str, text: str) -> dict[str, Any]:
    """A table from one line of TOML, or the [motion] table of a study file."""
    if text.endswith(".toml"):
        from gough.studies.files import read_toml  # noqa: PLC0415

        data = read_toml(Path(text))
        if not isinstance(data.get("motion"), dict):
            raise GoughError(f"{text}: no [motion] table")
        return dict(data["motion"])
    inner = text.strip()
    if not inner.startswith("{"):
        inner = f"{{{inner}}}"
    try:
        table: dict[str, Any] = tomllib.loads(f"table = {inner}")["table"]
    except tomllib.TOMLDecodeError as error:
        raise GoughError(
            f"{option}: not a table in TOML ({error}), got {text!r}; expected one like "
            "'kind=\"line\", displacement=[0,0,0.1], duration=2'"
        ) from None
    return table


def _save(results: Any, path: Path) -> None:
    from gough.studies.files import cannot_write  # noqa: PLC0415

    if path.suffix.lower() != ".csv":
        raise GoughError(f"{path}: unknown kind of file; expected .csv")
    names = ("leg_length", "force", "power")
    wanted = [column for name in names for column in results.quantity(name).columns]
    try:
        results.to_dataframe()[wanted].to_csv(path)
    except OSError as error:
        raise cannot_write(path, error) from None
