"""Designs into a folder: the machines that were found, a table of them, and a page."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from gough.analysis.versions import versions
from gough.design.designed import Designed
from gough.design.front import Front
from gough.disk.plain_data import write_json
from gough.disk.target import opened, staged
from gough.report.design_page import design_page
from gough.robot import save
from gough.runs.study import check_folder
from gough.studies.reading import plain_name

TABLE, SUMMARY, REPORT = "designs.csv", "summary.json", "report.html"


def write_designs(
    designs: Sequence[Designed] | Front,
    name: str,
    folder: str | Path,
    *,
    actuators: Sequence[str] = (),
    overwrite: bool = False,
) -> None:
    """Write machines that were found into a folder, with a table and a page; all or nothing.

    A folder with other results is refused unless `overwrite` is set; what Gough did not write stays
    as it is. With `actuators` each machine has those of a catalogue.
    """
    robots = robot_files(plain_name(name), len(designs))
    summary = {"name": name, "designs": [plain(one) for one in designs], "versions": versions()}
    inputs = hashlib.sha256(str(summary).encode()).hexdigest()
    known_by = {"name": name, "inputs": inputs, "versions": versions()}
    with opened(Path(folder)) as target:
        check_folder(target, known_by, [TABLE, SUMMARY, REPORT, *robots], overwrite)
        with staged(target, known_by) as part:
            for file, one in zip(robots, designs, strict=True):
                save(one.robot, part / file)
            write_json(part / SUMMARY, summary)
            called = robots
            if actuators:
                called = [f"{r}: {a}" for r, a in zip(robots, actuators, strict=True)]
            page = design_page(designs, name, called, date.today().isoformat())
            (part / REPORT).write_text(page, encoding="utf-8")
            with (part / TABLE).open("w", encoding="utf-8", newline="") as stream:
                csv.writer(stream, lineterminator="\n").writerows(_rows(robots, designs))
        target.clear()


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


def _rows(robots: Sequence[str], designs: Sequence[Designed] | Front) -> Iterator[list[Any]]:
    first = designs[0]
    margins = [f"slack of {held.name}" for held in first.requirements]
    numbers = [*first.objectives, *first.variables]
    units = [f"{name} [{unit}]" if (unit := first.units[name]) else name for name in numbers]
    yield ["robot", *units, *margins]
    for file, one in zip(robots, designs, strict=True):
        slack = [held.slack for held in one.requirements]
        yield [file, *one.objectives.values(), *one.variables.values(), *slack]
