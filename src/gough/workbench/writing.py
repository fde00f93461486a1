"""Writing the workbench: one HTML file with the machine, its equations and all scripts in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gough._version import __version__
from gough.analysis.drives import drive_numbers
from gough.analysis.limits import of_drives
from gough.analysis.machine_table import table_of
from gough.arrays import Array
from gough.disk.files import open_regular, replacing
from gough.errors import GoughError, clipped
from gough.kinematics.elastic.coordinates import coordinates_of, described
from gough.kinematics.samples import offset_box
from gough.kinematics.workspace.bounds import farthest_foot, is_bounded
from gough.kinematics.workspace.charts import bases_of_spaces, own_axes
from gough.kinematics.workspace.framed_axes import impossible_part
from gough.kinematics.workspace.one_by_one import OneLimit, one_by_one
from gough.kinematics.workspace.reach import ALL_LIMITS
from gough.kinematics.workspace.stated import FAMILIES, ends_of
from gough.model.catalogue import definitions
from gough.model.kernels import Kernels
from gough.model.parameters import layout, parameters_of
from gough.model.structure import structure_of
from gough.plots.names import actuator_names
from gough.plots.shapes import Shape, shape_of
from gough.plots.shapes.chains import chains
from gough.report.assembly import assembled, script
from gough.report.scene import drawing, others
from gough.report.surfaces import frame_rows
from gough.report.text import unit_text
from gough.robot import Hexapod, Mechanism, Robot, library_names, load
from gough.robot.appearance import without_meshes
from gough.studies.run import as_study
from gough.studies.study import Study
from gough.workbench.functions import packed_frames, packed_functions
from gough.workbench.studied import Studied, studied
from gough.workbench.waypoints import MOST_POINTS, SECONDS_BETWEEN

AnyStudy = Study | Mapping[str, Any] | str | Path
"""A study, its data, or the file that it is in."""

_GENERATOR = 'name="generator" content="Gough workbench'
_HEAD = 4096
"""How a page tells that Gough made it, within so many bytes."""
_STYLES = "theme.css layout.css machine.css charts.css modes.css workbench.css way.css".split()


def write_workbench(
    robot: Robot, path: str | Path, *, study: AnyStudy | None = None, point: int | None = None
) -> None:
    """Write the page of a robot; a file that is there must be such a page, too."""
    _refuse_others(Path(path))
    page = workbench_page(robot, study=study, point=point)
    try:
        with replacing(path) as part:
            part.write_text(page, encoding="utf-8")
    except OSError as error:
        raise GoughError(f"{path}: the page cannot be written: {error.strerror}") from None


def _refuse_others(path: Path) -> None:
    """Refuse to write over what is no workbench."""
    try:
        with open_regular(path) as file:
            ours = _GENERATOR.encode() in file.read(_HEAD)
    except FileNotFoundError:
        return
    except OSError as error:
        raise GoughError(f"{path}: the page cannot be written: {error.strerror}") from None
    if not ours:
        raise GoughError(f"{path} is there already and no workbench; give another name by --output")


def workbench_page(robot: Robot, *, study: AnyStudy | None = None, point: int | None = None) -> str:
    """The workbench as one HTML text: of a robot, or with a study of it, or a point of its grid."""
    if not isinstance(robot, Robot):
        problem = f"a workbench needs a Robot, such as gough.load(...); got {robot!r}"
        raise GoughError(clipped(problem, 120))
    if study is None and point is not None:
        raise GoughError("point: only studies have points; expected a study, too")
    shown = Studied(robot) if study is None else studied(robot, as_study(study), point)
    return assembled(
        "workbench.html",
        _STYLES,
        "bench",
        data=_data(shown),
        worker=script("worker"),
        title=robot.name,
        version=__version__,
    )


def _data(shown: Studied) -> dict[str, Any]:
    """Everything that the page knows of the machine, and of a study of it [SI]."""
    robot = shown.robot
    home = np.array(robot.home)
    shape = shape_of(robot, home[None])
    points = shape.points(home[None])
    return {
        "name": robot.name,
        "home": home.tolist(),
        "freedoms": _freedoms(robot),
        "impossible": impossible_part(robot).tolist(),
        "search": None if is_bounded(robot, ALL_LIMITS) else 2 * farthest_foot(robot),
        "actuators": _actuators(robot),
        "limits": [_limit(robot, limit) for limit in one_by_one(robot, ALL_LIMITS)],
        "spaces": [
            {"kind": kind, "freedoms": names, "basis": basis.tolist()}
            for kind, names, basis in bases_of_spaces(robot)
        ],
        "robot": without_meshes(robot.to_dict()),
        "library_name": robot.name if robot.to_dict() == _known_by(robot.name) else None,
        "parameters": [_known(x) for x in parameters_of(robot)],
        "drives": [_known(x) for x in drive_numbers(robot).ravel()],
        "reactions": _reactions(robot),
        "vibrating": _vibrating(robot),
        "parameter_names": layout(robot),
        "drawing": drawing(robot, shape, points, home) | _means(shape, points),
        "kernels": packed_functions(robot) | (packed_frames(robot) if frame_rows(robot) else {}),
        "samples": shown.samples,
        "ways": {"points": MOST_POINTS, "seconds": SECONDS_BETWEEN},
        "study": shown.study,
    }


def _known_by(name: str) -> dict[str, Any] | None:
    """The robot of the library with a name."""
    return load(name).to_dict() if name in library_names() else None


def _known(number: float) -> float | str:
    """A number as JSON has it, and JavaScript reads it: others than finite ones as texts."""
    if np.isnan(number):
        return "NaN"
    return float(number) if np.isfinite(number) else "Infinity" if number > 0 else "-Infinity"


def _freedoms(robot: Robot) -> list[dict[str, Any]]:
    """What the machine can do, and how far from home it is worth to try."""
    spans = np.ptp(offset_box(Kernels(robot)), axis=0)
    names, steps = own_axes(robot)
    turns = [not step[:3].any() for step in steps]
    return [
        {
            "name": name,
            "turns": turn,
            "span": float(2 * np.arctan(span) if turn else span),
            "step": step.tolist(),
        }
        for name, turn, span, step in zip(names, turns, spans, steps, strict=True)
    ]


def _actuators(robot: Robot) -> list[dict[str, Any]]:
    names, driven = actuator_names(robot), structure_of(robot).driven
    currents = of_drives(robot, "max_current")
    return [
        {
            "name": actuator.name,
            "title": title,
            "short": short,
            "unit": joint.unit,
            "force_unit": unit_text(joint.force_unit),
            "travel": actuator.travel,
            "max_force": actuator.max_force,
            "max_speed": actuator.max_speed,
            "max_current": None if np.isnan(current) else float(current),
        }
        for title, short, joint, actuator, current in zip(
            names.titles, names.short, driven, robot.actuators, currents, strict=True
        )
    ]


def _reactions(robot: Robot) -> dict[str, Any]:
    """What the results of the kernel `reactions` are about, for each leg or joint."""
    known = [q for q in table_of(robot).values() if q.kernel.startswith("reactions.")]
    return {
        "of": list(known[0].axes[0].titles(len(robot.actuators))) if known else [],
        "quantities": [
            {
                "output": quantity.kernel.partition(".")[2],
                "title": quantity.titles[0],
                "heading": quantity.figures[0].heading,
                "unit": unit_text(quantity.unit),
            }
            for quantity in known
        ],
    }


def _vibrating(robot: Robot) -> list[dict[str, Any]] | None:
    """The coordinates in which the machine vibrates; None if it does not."""
    model = Kernels(robot)
    if "vibration" not in definitions(model.structure, model.formulation):
        return None
    return described(coordinates_of(robot, rotors=False))


def _limit(robot: Robot, limit: OneLimit) -> dict[str, Any]:
    """A limit with its names: of its family, and of what is passed beyond it."""
    family = ends_of(robot)[FAMILIES.index(limit.family)]
    mine = {
        "family": family,
        "passed": _passed(robot, limit),
        "actuators": _concerned(robot, limit),
    }
    return vars(limit) | mine


def _passed(robot: Robot, limit: OneLimit) -> str:
    """What is passed beyond a limit of an actuator or a joint."""
    if not isinstance(robot, Hexapod):
        return "its largest tilt" if limit.kind == "angle" else "its travel"
    return "its stroke" if limit.family == "stroke" else f"the limit of its {limit.family}"


def _concerned(robot: Robot, limit: OneLimit) -> list[int]:
    """Whose limit it is, or on whose way: the numbers of actuators."""
    names = {actuator.name: k for k, actuator in enumerate(robot.actuators)}
    if isinstance(robot, Mechanism):
        carrying = chains(robot)
        names |= carrying
        for joint in robot.joints:
            mine = {carrying[body] for body in joint.between if body in carrying}
            names |= {joint.name: min(mine)} if len(mine) == 1 else {}
    return sorted({names[name] for name in limit.of if name in names})


def _means(shape: Shape, points: Array) -> dict[str, Any]:
    """How the points that neither base nor platform carries follow from joint centres."""
    if shape.means is None:
        return {"weights": [], "offsets": []}
    rows = others(shape, points)
    return {
        "weights": shape.means.weights[rows].tolist(),
        "offsets": shape.means.offsets[rows].tolist(),
    }
