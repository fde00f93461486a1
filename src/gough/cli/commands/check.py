"""`gough check`: whether a file describes a robot, a study or a design."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.output import JsonOption, print_json, say
from gough.digits import short_decimal
from gough.errors import about_file
from gough.fields.user_files import read_table

if TYPE_CHECKING:
    from gough.report.surfaces import Surfaces
    from gough.robot import Robot
    from gough.studies.study import Study

Findings = tuple[dict[str, Any], list[str], list[str]]
"""Facts, what is wrong although the file can be read, and what was perhaps not meant."""


def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A robot, study or design file (.toml, .json).")
    ],
    as_json: JsonOption = False,
) -> None:
    """Check a robot, study or design file: all that is wrong, or what it describes. Nothing is run.

    Example:  gough check my-hexapod.toml
    """
    data = read_table(file, "a robot, study or design file")
    kind = _kind(data)
    facts, problems, remarks = _OF_KIND[kind](file)
    if as_json:
        told = {"warnings": problems, "notes": remarks}
        print_json({"file": str(file), "kind": kind, **facts, **told})
        return
    say(f"{file}: {_WORDS[kind].format(**_in_words(facts))}", "ok", "green")
    if "structure" in facts:
        from gough.cli.robot_text import structure_words

        say(f"  {structure_words(facts['structure'])}")
    for problem in problems:
        say(problem, "warning")
    for remark in remarks:
        say(remark, "note")


def _in_words(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {k: short_decimal(x) if isinstance(x, float) else x for k, x in facts.items()}


def _kind(data: Mapping[str, Any]) -> str:
    if "controller" in data:
        return "simulation"
    if "gough-design" in str(data.get("schema")) or {"variables", "demands"} & data.keys():
        return "design"
    return "study" if "motion" in data or "gough-study" in str(data.get("schema")) else "robot"


def _robot(file: Path) -> Findings:
    from gough.cli.robot_remarks import mesh_remarks, robot_remarks
    from gough.kinematics.singularity.soundness import problems_at_home
    from gough.robot import load

    robot = load(file)
    with about_file(file):
        read = _surfaces(robot)
        remarks = robot_remarks(robot) + mesh_remarks(robot, read)
        return _robot_facts(robot), problems_at_home(robot), remarks


def _surfaces(robot: Robot) -> Surfaces:
    """The meshes of a robot, if it has any."""
    if not robot.meshes:
        return {}
    from gough.report.surfaces import read_meshes

    return read_meshes(robot)


def _robot_facts(robot: Robot) -> dict[str, Any]:
    from gough.cli.robot_facts import leg_kinds, part_mass, structure_facts

    structure = structure_facts(robot)
    return {
        "name": robot.name,
        "leg_count": len(structure["legs"]),
        "legs": leg_kinds(robot),
        "leg_mass": part_mass(robot),
        "platform_mass": robot.platform.mass,
        "structure": structure,
    }


def _study(file: Path) -> Findings:
    from gough.studies.study import Study

    study = Study.load(file)
    return _study_facts(study), _out_of_reach(study, file), []


def _simulation(file: Path) -> Findings:
    from gough.studies.simulation_study import SimulationStudy

    found = SimulationStudy.load(file)
    own = {"duration": found.duration, "samples": found.samples}
    more = {"controller": found.controller.name, "cases": len(found.cases)}
    facts = _study_facts(found.study) | own | more
    return facts, _out_of_reach(found.study, file), []


def _design(file: Path) -> Findings:
    from gough.design import Design

    found = Design.load(file)
    space = found.problem.space
    facts = {
        "name": found.name,
        "robot": found.robot.name,
        "variables": len(space),
        "states": sum(map(len, found.demands)),
        "requirements": [one.name for one in found.problem.requirements],
        "objectives": [one.name for one in found.objectives],
    }
    return facts, [], []


def _study_facts(study: Study) -> dict[str, Any]:
    """What a study is about."""
    return {
        "name": study.name,
        "robot": study.robot.name,
        "duration": study.motion.duration,
        "samples": study.count,
        "tasks": len(study.tasks),
        "variations": math.prod(study.shape) if study.shape else 0,
    }


def _out_of_reach(study: Study, file: Path) -> list[str]:
    """Where actuators cannot be what the motion asks for; of a grid, that is for its run to say.

    A motion for which the machine has no freedoms is refused.
    """
    import numpy as np

    from gough.analysis.freedoms import possible_motion
    from gough.analysis.limits import travels
    from gough.kinematics.model import Model

    robot, time = study.robot, study.times()
    with about_file(file):
        motion = possible_motion(robot, study.motion, time)
    if study.variations:
        return []
    q = Model(robot).inverse_kinematics(motion(time).pose)
    problems, missing = [], np.isnan(q).any(axis=1)
    if missing.any():
        first = f"{missing.sum()} of {len(time)} samples, first at {time[missing][0]:.6g} s"
        problems.append(f"the machine does not reach {first}")
    least, largest = travels(robot)
    beyond = np.nan_to_num(np.fmax(least - q, q - largest), nan=-np.inf)
    for actuator, own in zip(robot.actuators, beyond.T, strict=True):
        worst = int(np.argmax(own))
        if own[worst] > 0:
            unit = "rad" if actuator.turns else "m"
            size = f"{own[worst]:.4g} {unit} at {time[worst]:.6g} s"
            problems.append(f"{actuator.name} leaves its travel by {size}")
    return problems


_OF_KIND = {"robot": _robot, "study": _study, "simulation": _simulation, "design": _design}
_WORDS = {
    "robot": "{name}, {leg_count} {legs} legs of {leg_mass} kg, platform of {platform_mass} kg",
    "study": "{name}, a study of {robot}: {duration} s in {samples} samples, tasks: {tasks}, "
    "variations: {variations}",
    "design": "{name}, a design from {robot}: {variables} variables, {states} states",
    "simulation": "{name}, a simulation of {robot}: {duration} s in {samples} samples under "
    "{controller}, tasks: {tasks}, cases: {cases}",
}
