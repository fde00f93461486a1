"""Whether a file describes a robot, a study or a design, and what it is about."""

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gough.analysis.freedoms import out_of_reach, possible_motion
from gough.design import Design
from gough.disk.plain_data import PlainData, PlainMapping
from gough.display import Displayable, Table
from gough.errors import about_file
from gough.fields.user_files import read_table
from gough.kinematics.description import leg_kinds, structure_facts, structure_rows
from gough.kinematics.singularity.singularity import problems_at_home
from gough.learning import LearningTask
from gough.model.structure import left_out
from gough.motion import hold
from gough.report.scene import read_meshes
from gough.robot import Robot, load
from gough.robot.remarks import mass_of_each_leg, mesh_remarks, part_mass, robot_remarks
from gough.studies.study import Study

_UNITS = {
    **dict.fromkeys(("mass_of_each_leg", "mass_of_all_legs", "platform_mass"), "kg"),
    "duration": "s",
}


@dataclass(frozen=True)
class CheckedFile(Displayable):
    """Description of a file that can be read."""

    file: Path
    kind: str  # "robot", "study" or "design"
    facts: PlainMapping
    warnings: list[str] = field(default_factory=list)  # problems of a file that can be read
    notes: list[str] = field(default_factory=list)  # contents that were perhaps not intended

    @property
    def heading(self) -> tuple[str, str]:
        """The file, and what it describes."""
        return str(self.file), f"ok, a {self.kind} file: {self.facts['name']}"

    def tables(self) -> list[Table]:
        """The facts, and of a robot its structure."""
        apart = ("name", "structure")
        known = {k: x for k, x in self.facts.items() if k not in apart and x is not None}
        rows = [
            (key.replace("_", " "), ", ".join(x) if isinstance(x, list) else x, _UNITS.get(key, ""))
            for key, x in known.items()
        ]
        more = structure_rows(self.facts["structure"])[1:] if "structure" in self.facts else []
        return [Table.properties("", [*rows, *more])]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        remarks = {"warnings": self.warnings, "notes": self.notes}
        return {"file": str(self.file), "kind": self.kind, **self.facts, **remarks}


def check_file(file: Path) -> CheckedFile:
    """Describe a robot, study or design file without running it; what is wrong is a GoughError."""
    data = read_table(file, "a robot, study or design file")
    schema, kind = str(data.get("schema")), "robot"
    if "gough-design" in schema or {"variables", "demands"} & data.keys():
        kind = "design"
    elif "gough-study" in schema or "motion" in data:
        kind = "study"
    return CheckedFile(file, kind, *_CHECKS[kind](file))


Findings = tuple[PlainData, list[str], list[str]]  # facts, warnings and notes


def _robot(file: Path) -> Findings:
    robot = load(file)
    with about_file(file):
        structure = structure_facts(robot)
        facts = {
            "name": robot.name,
            "leg_count": len(structure["legs"]),
            "legs": leg_kinds(robot),
            "mass_of_each_leg": mass_of_each_leg(robot, len(structure["legs"])),
            "mass_of_all_legs": part_mass(robot),
            "platform_mass": robot.platform.mass,
            "structure": structure,
        }
        of_meshes = mesh_remarks(robot, read_meshes(robot)) if robot.meshes else []
        warnings = [*problems_at_home(robot), *_beyond_at_home(robot), *left_out(robot)]
        return facts, warnings, robot_remarks(robot) + of_meshes


def _beyond_at_home(robot: Robot) -> list[str]:
    """Return warnings on positions beyond ranges at home on another branch than that drawn."""
    if not getattr(robot, "branch", None):
        return []
    beyond = out_of_reach(robot, hold(robot.home, 1.0), np.zeros(1))
    return [f"on its branch at home {words.removesuffix(' at 0 s')}" for words in beyond]


def _study(file: Path) -> Findings:
    """Warn of positions beyond ranges, not of grids; refuse impossible motions and environments."""
    study = Study.load(file)
    time = study.times()
    with about_file(file):
        motion = possible_motion(study.robot, study.motion, time)
    beyond = [] if study.variations else out_of_reach(study.robot, motion, time)
    facts = {
        "name": study.name,
        "robot": study.robot.name,
        "duration": study.duration,
        "samples": study.count,
        "tasks": len(study.tasks),
        "controller": study.controller.name if study.controller else "none",
        "variations": math.prod(study.shape) if study.shape else 0,
    }
    if "learning" in study.written:
        task = LearningTask.load(file)
        facts |= {"actions": [*task.action_names], "observations": len(task.observation_names)}
    return facts, beyond, []


def _design(file: Path) -> Findings:
    found = Design.load(file)
    facts = {
        "name": found.name,
        "robot": found.robot.name,
        "variables": len(found.problem.space),
        "states": sum(map(len, found.demands)),
        "requirements": [one.name for one in found.problem.requirements],
        "objectives": [one.name for one in found.objectives],
    }
    return facts, [], []


_CHECKS = {"robot": _robot, "study": _study, "design": _design}
