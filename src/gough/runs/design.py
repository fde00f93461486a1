"""Designs into a folder: the machines that were found, a table of them, and a page."""

import csv
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from gough.design import Choices, Design, DesignResult, Front, choices
from gough.design.design_result import designs_table
from gough.disk import Target, staged, versions
from gough.disk.plain_data import PlainMapping, write_json
from gough.disk.target import taken
from gough.executors import Executor
from gough.fields.values import plain_name
from gough.report.design_page import design_page
from gough.robot import save
from gough.runs.folder import identity
from gough.sizing import load_catalogue

TABLE, SUMMARY, REPORT = "designs.csv", "summary.json", "report.html"
Designed = DesignResult | Front | Choices


def design_to_folder(
    design: Design,
    folder: Path,
    *,
    overwrite: bool = False,
    catalogue: str | Path | None = None,
    executor: Executor = None,
    **search: int,
) -> Designed:
    """Search for the machines of a design, and write them with a table and a page.

    What is in the way is refused before the search: results of another design, or of another
    `search` for it, unless `overwrite` is set. Where no machine is found, nothing is written.
    """
    known = {} if catalogue is None else {"catalogue": load_catalogue(catalogue)}
    known_by = identity(design.name, design, {**search, **known})
    plain_name(design.name)
    with taken(folder, known_by, [TABLE, SUMMARY, REPORT], overwrite=overwrite) as target:
        found = searched(design, catalogue, executor=executor, **search)
        if found.designs:
            _write(target, known_by, found)
    return found


def searched(design: Design, catalogue: str | Path | None = None, **search: Any) -> Designed:
    """The machines that a design asks for: the best, a front, or one for each actuator."""
    if catalogue is not None:
        return choices(design, catalogue, **search)
    return design.front(**search) if len(design.objectives) > 1 else design.optimise(**search)


def _write(target: Target, known_by: PlainMapping, found: Designed) -> None:
    name, designs = known_by["name"], found.designs
    robots = robot_files(plain_name(name), len(designs))
    target.refuse_others(robots)
    summary = {"name": name, "designs": [one.to_dict() for one in designs], "versions": versions()}
    with staged(target, known_by) as part:
        for file, one in zip(robots, designs, strict=True):
            robot = one.robot
            said = " ".join(filter(None, (robot.reference, robot.notes)))
            notes = f"Of {robot.name}, whose numbers are others: {said}" if said else ""
            of = {"reference": f"Found by Gough, from {robot.name}", "notes": notes}
            save(robot.replace(name=Path(file).stem, **of), part / file)
        write_json(part / SUMMARY, summary)
        called = robots
        if isinstance(found, Choices):
            called = [f"{r}: {a}" for r, a in zip(robots, found.actuators, strict=True)]
        several = found if isinstance(found, Front) else designs
        page = design_page(several, name, called, date.today().isoformat())
        (part / REPORT).write_bytes(page.encode())
        with (part / TABLE).open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(_rows(robots, designs))


def robot_files(name: str, count: int) -> list[str]:
    """The names of the robots' files."""
    digits = len(str(count))
    several = [f"{name}-{k:0{digits}}.toml" for k in range(1, count + 1)]
    return several if count > 1 else [f"{name}.toml"]


def _rows(robots: Sequence[str], designs: Sequence[DesignResult]) -> Iterator[list[Any]]:
    table = designs_table(designs, robots)
    margins = [f"slack of {one.name}" for one in designs[0].requirements]
    yield ["robot", *(head.text for head in table.heads[1:]), *margins]
    for row, one in zip(table.rows, designs, strict=True):
        yield [*(cell.value for cell in row.cells), *(value.slack for value in one.requirements)]
