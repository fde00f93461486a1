"""Findings into a folder: the robot that was identified or calibrated, numbers and a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gough import plots
from gough.analysis.storage import ROBOT, SUMMARY
from gough.disk.plain_data import write_json
from gough.disk.target import staged, taken
from gough.identification import Calibration, Identified
from gough.report import write_report
from gough.robot import Robot, save
from gough.runs.identity import identity
from gough.sizing.selection import Selection
from gough.studies.grid_storage import REPORT

PICTURE = "calibration.png"
FOUND = TypeVar("FOUND", bound=Identified | Calibration | Selection)


def findings_to_folder(found: FOUND, folder: Path, *, overwrite: bool = False) -> FOUND:
    """Write the robot as it was found, all numbers as plain data, and a page or a picture."""
    files: dict[str, Callable[[Path], None]] = {
        ROBOT: lambda path: save(_robot(found), path),
        SUMMARY: lambda path: write_json(path, found.to_dict()),
    }
    if isinstance(found, Calibration):
        plot = found.plot
        files[PICTURE] = lambda path: plots.save_plot(plot(), path)
    else:
        files[REPORT] = lambda path: write_report(found, path)
    known_by = identity(found.robot.name, found)
    with (
        taken(folder, known_by, files, overwrite=overwrite) as target,
        staged(target, known_by) as part,
    ):
        for name, write in files.items():
            write(part / name)
    return found


def _robot(found: Identified | Calibration | Selection) -> Robot:
    """The robot as it was identified or calibrated, or with the actuator that was selected."""
    return found.robot_with(found.choice.name) if isinstance(found, Selection) else found.robot
