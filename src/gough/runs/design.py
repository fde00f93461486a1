"""Designs into a folder: the machines that were found, a table of them, and a page."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gough.analysis.versions import versions
from gough.design.design import Design
from gough.design.designed import Designed
from gough.design.front import Front
from gough.disk.plain_data import write_json
from gough.disk.target import Target, opened, staged
from gough.report.design_page import design_page
from gough.robot import Robot, save
from gough.runs.identity import identity
from gough.runs.study import check_folder
from gough.studies.reading import plain_name

TABLE, SUMMARY, REPORT = "designs.csv", "summary.json", "report.html"


Found = Sequence[Designed] | Front
Write = Callable[[Found, Sequence[str]], None]
"""Writes machines that were found, and of a catalogue the name of each one's actuator."""


@contextmanager
def designs_folder(
    asked: Design,
    folder: str | Path,
    search: Mapping[str, Any] = MappingProxyType({}),
    *,
    overwrite: bool = False,
) -> Iterator[Write]:
    """Have a folder for the machines of a design while they are searched for, and write them.

    What is in the way is refused before the search: results of another design, or of another
    `search` for it, unless `overwrite` is set. What Gough did not write stays as it is. A table and
    a page are written with the machines, all or nothing.
    """
    known_by = identity(asked.name, asked, dict(search))
    plain_name(asked.name)
    with opened(Path(folder)) as target:
        check_folder(target, known_by, [TABLE, SUMMARY, REPORT], overwrite)
        yield partial(_write, target, known_by)
        target.clear()


def _write(
    target: Target,
    known_by: Mapping[str, Any],
    designs: Found,
    actuators: Sequence[str],
) -> None:
    name = known_by["name"]
    robots = robot_files(plain_name(name), len(designs))
    target.refuse_others(robots)
    summary = {"name": name, "designs": [plain(one) for one in designs], "versions": versions()}
    with staged(target, known_by) as part:
        for file, one in zip(robots, designs, strict=True):
            save(_named(one.robot, Path(file).stem), part / file)
        write_json(part / SUMMARY, summary)
        called = robots
        if actuators:
            called = [f"{r}: {a}" for r, a in zip(robots, actuators, strict=True)]
        page = design_page(designs, name, called, date.today().isoformat())
        (part / REPORT).write_text(page, encoding="utf-8")
        with (part / TABLE).open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(_rows(robots, designs))


def _named(robot: Robot, name: str) -> Robot:
    """A machine that was found, by its own name: what was said of its beginning is told as that."""
    said = " ".join(filter(None, (robot.reference, robot.notes)))
    notes = f"Of {robot.name}, whose numbers are others: {said}" if said else ""
    return robot.replace(name=name, reference=f"Found by Gough, from {robot.name}", notes=notes)


def robot_files(name: str, count: int) -> list[str]:
    """The names of the robots' files."""
    if count == 1:
        return [f"{name}.toml"]
    digits = len(str(count))
    return [f"{name}-{k:0{digits}}.toml" for k in range(1, count + 1)]


def plain(found: Designed) -> dict[str, Any]:
    """A design as plain data."""
    return {
        "possible": found.possible,
        "variables": found.variables,
        "objectives": found.objectives,
        "requirements": [
            {**vars(held), "pose": held.pose.tolist(), "holds": held.holds}
            for held in found.requirements
        ],
        "holding": [vars(one) for one in found.holding],
        "starts": {"alike": found.alike[0], "all": found.alike[1]},
    }


def _rows(robots: Sequence[str], designs: Found) -> Iterator[list[Any]]:
    first = designs[0]
    margins = [f"slack of {held.name}" for held in first.requirements]
    numbers = [*first.objectives, *first.variables]
    units = [f"{name} [{unit}]" if (unit := first.units[name]) else name for name in numbers]
    yield ["robot", *units, *margins]
    for file, one in zip(robots, designs, strict=True):
        slack = [held.slack for held in one.requirements]
        yield [file, *one.objectives.values(), *one.variables.values(), *slack]
