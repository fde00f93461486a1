"""Reading a study file: its tables and keys, each checked, and the robot written out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from gough.analysis.quantities import GROUPS, QUANTITIES, wanted
from gough.errors import GoughError, InputError, named_by
from gough.fields.changes import changed
from gough.fields.file_kinds import refuse_other_kinds
from gough.fields.quantities import Length, Mass, SampleRate, YesOrNo
from gough.fields.table import Meaning, Table, read
from gough.fields.user_files import with_places
from gough.fields.values import Whole, as_list, as_texts, read_items
from gough.model.structure import structure_of
from gough.motion.tables import MotionTable, PoseTable
from gough.motion.tasks.tables import TaskTable
from gough.poses import Frames
from gough.robot import Robot, library_names
from gough.robot.files import path_of
from gough.robot.files import read as read_robot
from gough.robot.written import WrittenRobot
from gough.studies.variations import (
    MOST,
    Variation,
    WrittenVariation,
    shape_of,
    with_full_names,
)

MOST_SAMPLES = 10_000_000
LONGEST_NAME = 200


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError("not a table", value=value, expected="a table")
    return dict(value)


def _tables(value: object) -> list[dict[str, Any]]:
    items = as_list(value)
    if items is None:
        raise InputError("not a list", value=value, expected="a list of tables")
    return list(read_items(_table, items))


def plain_name(name: str) -> str:
    """A name that is also good for a folder."""
    if "/" in name or "\\" in name or name in (".", "..") or not name.isprintable():
        expected = "a name without slashes, in letters that can be printed"
        raise InputError("not a plain name", value=name, expected=expected)
    if len(name.encode()) > LONGEST_NAME:
        expected = f"at most {LONGEST_NAME} bytes, for the name of a folder"
        raise InputError("too long", value=name, expected=expected)
    return name


def _names(value: object) -> tuple[str, ...]:
    names = as_texts(value)
    if not names:
        raise InputError("not a list of names", value=value, expected='names, or "all"')
    try:
        wanted(names)
    except GoughError as error:
        raise InputError(str(error)) from None
    return names


def _listed_formulations(schema: dict[str, Any]) -> None:
    """Their names for the JSON Schema."""
    from gough.equations.dynamics import FORMULATIONS  # noqa: PLC0415  (slow to import)

    schema["enum"] = list(FORMULATIONS)


_KNOWN_NAMES = {"enum": ["all", *GROUPS, *QUANTITIES]}
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(_names),
    WithJsonSchema({"anyOf": [_KNOWN_NAMES, {"type": "array", "items": _KNOWN_NAMES}]}),
]
AnyTable = Annotated[dict[str, Any], BeforeValidator(_table)]
Tables = Annotated[list[dict[str, Any]], BeforeValidator(_tables)]


class WrittenFrames(Table):
    """The [frames] table: a work frame and a tool, to which the study's motions and poses refer.

    Where these say platform they then mean the tool, and where they say base the work frame.
    """

    work: PoseTable = Field(
        default_factory=PoseTable,
        description="The work frame in the base frame. What is left out is as in the base frame.",
    )
    tool: PoseTable = Field(
        default_factory=PoseTable,
        description="The tool in the platform frame; its origin is the pivot point. What is left "
        "out is as in the platform frame.",
    )

    def frames(self) -> Frames:
        """The frames of the library."""
        own = Frames()
        return Frames(self.work.pose(np.array(own.work)), self.tool.pose(np.array(own.tool)))


class WrittenBalance(Table):
    """The [balance] table: a mass on each cylinder, behind its base joint."""

    mass: Mass = Field(description="Mass on each leg [kg].")
    distance: Length | None = Field(
        None,
        description="Distance behind the base joint [m]. Left out: the one that balances the leg "
        "at its mean length.",
    )


class WrittenOutputs(Table):
    """The [outputs] table: what to compute and to write."""

    quantities: Names = Field(
        ("all",),
        description="What to compute: names of quantities or of groups, or all but vibration.",
    )
    csv: YesOrNo = Field(True, description="Whether to write the results over time as .csv, too.")
    mat: YesOrNo = Field(False, description="Whether to write the results as .mat, for MATLAB.")
    hdf5: YesOrNo = Field(False, description="Whether to write the results as .h5, HDF5.")
    mcap: YesOrNo = Field(
        False,
        description="Whether to write the motion as .mcap, a recording of ROS 2 that Foxglove "
        "opens, too. Not of variations.",
    )
    report: YesOrNo = Field(True, description="Whether to write the page report.html.")
    series: YesOrNo = Field(
        False, description="Of variations: whether to keep every quantity over time."
    )


class WrittenStudy(Table):
    """A robot, its motion and its tasks.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "80 mm",
    "7.5 lb" or "30 deg".
    """

    schema_version: Literal["gough-study/1"] = Field(
        alias="schema", description="The version of this file format."
    )
    name: Annotated[str, AfterValidator(plain_name)] = Field(
        min_length=1,
        description="A short name, also of the folder of results.",
        json_schema_extra={"pattern": r"^[^/\\]+$"},
    )
    reference: str = Field("", description="Where the data come from.")
    notes: str = Field("", description="What it is about, and what was assumed.")
    robot: Annotated[Any, Meaning(str | WrittenRobot)] = Field(
        description="A library name, a robot file, or a robot as a table."
    )
    changes: AnyTable = Field(
        default_factory=dict, description='Other values at some paths: "robot.platform.mass" = 3.'
    )
    frames: WrittenFrames | None = Field(
        None,
        description="A work frame and a tool, to which motions and poses refer. Left out: the "
        "base and the platform.",
    )
    motion: Annotated[AnyTable, Meaning(MotionTable)] = Field(description="What the platform does.")
    tasks: Annotated[Tables, Meaning(list[TaskTable])] = Field(
        default_factory=list, description="What the world does to the platform meanwhile."
    )
    samples: Annotated[int, Whole(2, MOST_SAMPLES)] | None = Field(
        None, description="How many times the motion is looked at. Or give a rate."
    )
    rate: SampleRate | None = Field(
        None, description="How many times a second the motion is looked at, at least [1/s]."
    )
    analysis: Literal["dynamic", "static"] = Field(
        "dynamic",
        description="Whether all of the motion matters, or (static) it is so slow that only "
        "weights and tasks do.",
    )
    formulation: str | None = Field(
        None,
        description="By which derivation forces are found; machines other than hexapods have one.",
        json_schema_extra=_listed_formulations,
    )
    balance: WrittenBalance | None = Field(None, description="Balancing masses on the legs.")
    tolerances: AnyTable = Field(
        default_factory=dict,
        description="How far numbers of the robot lie apart, by names and patterns: "
        '"legs[*].base" = "50 um" is a standard deviation, "±50 um" a tolerance.',
    )
    variations: Annotated[list[WrittenVariation], BeforeValidator(_tables)] = Field(
        default_factory=list, description="What is varied: every combination is computed."
    )
    outputs: WrittenOutputs = Field(
        default_factory=WrittenOutputs, description="What to compute and to write."
    )


@dataclass(frozen=True)
class Written:
    """A study as written: the data with its robot written out and changes made, and the facts."""

    data: dict[str, Any]
    facts: WrittenStudy
    variations: tuple[Variation, ...]


def read_study(data: object, folder: Path) -> Written:
    """Check a study's tables; a robot's path counts from the folder. Raises GoughError."""
    _check_kind(data)
    facts = read(WrittenStudy, data)
    if facts.variations:
        tables = [with_full_names(table, folder) for table in as_list(data["variations"]) or ()]  # type: ignore[index]
        data = {**dict(data), "variations": tables}  # type: ignore[call-overload]
        facts = read(WrittenStudy, data)
    if facts.samples is not None and facts.rate is not None:
        raise InputError("given twice", key="samples and rate", expected="one of them")
    full = {**dict(data), "robot": robot_data(facts.robot, folder)}  # type: ignore[call-overload]
    for path, value in facts.changes.items():
        full = changed(full, path, value)
    full.pop("changes", None)
    named = ("robot", "motion", "tasks")
    full |= {key: with_places(full[key], folder) for key in named if key in full}
    return Written(full, facts, _variations(facts))


def _check_kind(data: object) -> None:
    """Say what else it is, if it is not a study for 'gough run'."""
    refuse_other_kinds(data, "study")
    if isinstance(data, Mapping) and "controller" in data:
        problem, expected = "this is a simulation", "the command gough simulate"
        raise InputError(problem, key="controller", expected=expected)


def robot_data(robot: object, folder: Path) -> dict[str, Any]:
    """A robot's data as written: of a library name, a file or a table."""
    if isinstance(robot, Mapping):
        return dict(robot)
    if not isinstance(robot, str):
        expected = "a library name, a file or a table"
        raise InputError("not known", key="robot", value=robot, expected=expected)
    source = robot if robot in library_names() else folder / robot
    with named_by("robot", Path(source)):
        data: dict[str, Any] = with_places(read_robot(source), path_of(source).parent)
        structure_of(Robot.from_dict(data))  # for its complaints
    return data


def _variations(facts: WrittenStudy) -> tuple[Variation, ...]:
    found = tuple(table.variation() for table in facts.variations)
    names = [variation.name for variation in found]
    for name in names:
        if names.count(name) > 1:
            problem = f'two are called "{name}"'
            raise InputError(problem, key="variations", expected="different names")
    if prod(shape_of(found)) > MOST:
        problem = f"{shape_of(found)} points"
        raise InputError(problem, key="variations", expected=f"at most {MOST:,}")
    return found
