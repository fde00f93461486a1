"""`gough design`: the machine, or the front of machines, that a design file asks for."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.option_checks import OverwriteOption
from gough.cli.output import JsonOption, console, print_json, say, table, wrong_usage

if TYPE_CHECKING:
    from gough.design import Choice, Design, Designed, Front


def design(
    file: Annotated[Path, typer.Argument(metavar="DESIGN", help="A design file, .toml or .json.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="For robots, a table and a page."),
    ] = None,
    points: Annotated[
        int | None,
        typer.Option("--points", metavar="N", min=3, help="Of a front, about so many: else 15."),
    ] = None,
    catalogue: Annotated[
        str | None,
        typer.Option("--catalogue", metavar="FILE", help="Try each of its actuators."),
    ] = None,
    starts: Annotated[
        int, typer.Option("--starts", metavar="N", min=1, help="Searches to begin.")
    ] = 12,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Of the designs drawn.")
    ] = 0,
    generations: Annotated[
        int,
        typer.Option(
            "--generations", metavar="N", min=0, help="Let designs evolve first; a front by NSGA."
        ),
    ] = 0,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find the machine that does best all that is asked of it.

    With several objectives, find machines of which none is better than another in all of them; with
    a catalogue, the best machine with each of its actuators. Where not all requirements can hold,
    the smallest changes are named that would let them.

    Example:  gough design designs/simulator.toml --points 5
    """
    from gough.design import Choice, Design, choices
    from gough.kinematics.progress import bars_shown
    from gough.runs.design import designs_folder, plain
    from gough.sizing.catalogue import load_catalogue

    asked, tried = Design.load(file), tuple[Choice, ...]()
    search = {"starts": starts, "seed": seed, "generations": generations}
    if points is not None:
        if catalogue is not None or len(asked.objectives) < 2:
            why = f"{asked.name} has one objective" if catalogue is None else "with --catalogue"
            raise wrong_usage("--points", f"{why}: no front is looked for; expected none")
        search["points"] = points
    how = search if catalogue is None else {**search, "catalogue": load_catalogue(catalogue)}
    place = designs_folder(asked, output, how, overwrite=overwrite) if output else nullcontext()
    with place as write:
        with bars_shown(not as_json):
            if catalogue is not None:
                tried = choices(asked, catalogue, **search)
            several: Sequence[Designed] | Front
            several = [one.designed for one in tried if one.designed is not None]
            if catalogue is None:
                several = _found(asked, search)
        if not as_json:
            _show_all(asked, several, tried)
        if write is not None and several:
            write(several, [one.actuator.name for one in tried if one.designed is not None])
    if as_json:
        data: dict[str, Any] = {"name": asked.name, "designs": [plain(one) for one in several]}
        if tried:
            data["actuators"] = [
                {"name": one.actuator.name, "problem": one.problem} for one in tried
            ]
        print_json(data)
        return
    if several:
        _say_where(asked, output, len(several))


def _say_where(asked: Design, output: Path | None, count: int) -> None:
    """Say where the machines are, and what to do next."""
    from gough.runs.design import robot_files

    if output is None:
        say("not saved; --output FOLDER writes robots, a table and a page", "note")
        return
    first = output / robot_files(asked.name, count)[0]
    say(f"robots, a table and the page {output / 'report.html'} written; then:")
    say(f"  gough show {shlex.quote(str(first))}")


def _show_all(asked: Design, several: Sequence[Designed] | Front, tried: Sequence[Choice]) -> None:
    from gough.design import Front

    if tried:
        _show_choices(asked, tried)
    elif isinstance(several, Front) and len(several) > 1:
        _show_front(asked, several)
    else:
        _show(asked, several[0])


def _found(asked: Design, search: dict[str, int]) -> Sequence[Designed] | Front:
    if len(asked.objectives) > 1:
        return asked.front(**search)
    return [asked.optimise(**search)]


def _show_choices(asked: Design, tried: Sequence[Choice]) -> None:
    names = [one.name for one in asked.objectives]
    rows = []
    for one in tried:
        found = one.designed
        worth = [found.objectives[name] if found else None for name in names]
        rows.append((one.actuator.name, "yes" if found else "no", *worth, one.problem))
    units = next((one.designed.units for one in tried if one.designed), dict.fromkeys(names, ""))
    columns = ("actuator", "suffices", *_with_units(names, names, units), "what it would need")
    console.print(table(f"{asked.name} with actuators of a catalogue", columns, rows))


def _show(asked: Design, found: Designed) -> None:
    alike, starts = found.alike
    for name, value in found.objectives.items():
        say(f"{asked.name}: {name} {value:.5g} {found.units[name]}".rstrip())
    say(f"found from {alike} of {starts} starts")
    rows = [(name, value, found.units[name]) for name, value in found.variables.items()]
    console.print(table("Variables", ("", "value", "unit"), rows))
    required = [
        (
            *(held.name, held.value, held.bound, held.unit, f"{held.slack:.3f}"),
            *("searched" if held.proved is None else f"≥ {held.proved:.3f}", held.of, held.demand),
        )
        for held in found.requirements
    ]
    columns = ("", "worst", "bound", "unit", "slack", "proved", "of", "in")
    if required:
        console.print(table("Requirements", columns, required))
    for one in found.holding:
        objective = next(iter(found.objectives))
        unit = found.units[objective]
        say(
            f"{one.name} yielding by 1 % would better {objective} by {one.gain:.3g} {unit}".rstrip()
        )


def _show_front(asked: Design, several: Front) -> None:
    first = several[0]
    names = [*first.objectives, *first.variables]
    heads = [name.replace("_", " ") for name in _short(names)]
    columns = ("", *_with_units(heads, names, first.units))
    rows = [
        (k, *one.objectives.values(), *one.variables.values()) for k, one in enumerate(several, 1)
    ]
    pieces = several.pieces[-1] + 1
    parted = f" on {pieces} pieces of a front" if pieces > 1 else ""
    listed = table(f"{asked.name}: {len(several)} machines{parted}", columns, rows)
    for column in listed.columns:
        column.overflow = "fold"  # a name that is cut off may look like another
    console.print(listed)


def _with_units(shown: list[str], names: list[str], units: dict[str, str]) -> list[str]:
    """Heads of columns."""
    found = zip(shown, (units[name] for name in names), strict=True)
    return [f"{name} [{unit}]" if unit else name for name, unit in found]


def _short(names: list[str]) -> list[str]:
    """The last parts of names, where these are different."""
    last = [name.rpartition(".")[2] for name in names]
    return [b if last.count(b) == 1 else a for a, b in zip(names, last, strict=True)]
