"""Reading a design file: its tables and keys, each checked, with the files that they name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from gough.arrays import Array
from gough.design import demands
from gough.design.aims import (
    Objective,
    Requirement,
    check_required,
    check_requirement,
    each_family,
)
from gough.design.demands import Demand
from gough.design.design import Design
from gough.design.freedoms import each_way_of
from gough.design.measures import LIMITS, MEASURES, measure_of
from gough.design.variables import REACH, Variable
from gough.errors import GoughError, InputError, about_file, inside
from gough.fields.file_kinds import refuse_other_kinds
from gough.fields.quantities import (
    Angle,
    AngularAcceleration,
    AngularSpeed,
    Forces,
    LargestAcceleration,
    Length,
    Moments,
    Speed,
    YesOrNo,
)
from gough.fields.table import Meaning, Table, read
from gough.fields.units import NUMBER, Dimension, to_si
from gough.fields.user_files import plain_data, read_table
from gough.fields.values import Whole, as_list, as_texts
from gough.kinematics.workspace.stated import FAMILIES
from gough.model.machines import Machines
from gough.model.variables import Variables, variables
from gough.motion import MotionSamples, carried_over, total_wrench
from gough.motion.tables import PoseTable
from gough.poses.quaternions import rotated
from gough.robot import Robot
from gough.robot.written import WrittenRobot
from gough.studies.reading import plain_name, robot_data
from gough.studies.study import Study

SAMPLES = 100
"""Of a study's motion, if nothing is said."""
_NUMBERS = {"anyOf": [{"type": "number"}, {"type": "string"}]}


def _required() -> dict[str, Any]:
    """What the JSON Schema says of requirements: each with its meaning."""
    names = [LIMITS, *(f"{LIMITS}.{family}" for family in FAMILIES)]
    kept = {"anyOf": [*_NUMBERS["anyOf"], {"type": "boolean"}]}
    known: dict[str, Any] = {
        name: {**kept, "description": "Least margin to limits that the robot states; false: none."}
        for name in names
    }
    for name, measure in MEASURES.items():
        bound = "Least" if measure.large_is_good else "Largest"
        known[name] = {**_NUMBERS, "description": f"{bound} {measure.meaning}."}
    return {"type": "object", "additionalProperties": False, "properties": known}


def _two(value: object) -> list[Any]:
    items = as_list(value)
    if items is None or len(items) != 2:
        raise InputError("not two numbers", value=value, expected="the least and the largest")
    return list(items)


Two = Annotated[
    list[Any],
    BeforeValidator(_two),
    WithJsonSchema({"type": "array", "items": _NUMBERS, "minItems": 2, "maxItems": 2}),
]
AnyNumber = Annotated[Any, WithJsonSchema(_NUMBERS)]
Texts = Annotated[
    tuple[str, ...],
    BeforeValidator(as_texts),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class WrittenVariable(Table):
    """A number of the robot's file that may change, or several."""

    number: str = Field(
        description="A name or pattern of the robot file's numbers, such as "
        '"symmetric.base_radius" or "legs[*].base"; or "reach", the factor of all boxes.'
    )
    range: Two | None = Field(
        None, description="The least and the largest, with units if they are texts."
    )
    within: AnyNumber | None = Field(
        None, description="How far from what the robot file says, each way; instead of range."
    )
    together: YesOrNo = Field(
        False, description="Whether all that the pattern means are one and the same number."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.range is None) == (self.within is None):
            raise InputError("not known how far it may change", key="range",
                             expected="either range or within")  # fmt: skip
        return self


class WrittenBox(Table):
    """Poses about home: along each axis how far each way, or the least and the largest."""

    x: AnyNumber | Two = Field(0.0, description="Along the base's x axis [m].")
    y: AnyNumber | Two = Field(0.0, description="Along the base's y axis [m].")
    z: AnyNumber | Two = Field(0.0, description="Along the base's z axis [m].")
    roll: AnyNumber | Two = Field(0.0, description="About the base's x axis [rad].")
    pitch: AnyNumber | Two = Field(0.0, description="About the base's y axis [rad].")
    yaw: AnyNumber | Two = Field(0.0, description="About the base's z axis [rad].")
    points: Annotated[int, Whole(2, 100)] = Field(
        demands.POINTS, description="How many along each axis, its ends and between them."
    )


class WrittenDemand(Table):
    """What the machine must do: a box of poses, some poses, or the motion of a study."""

    name: str = Field(description="What it is called in results.")
    box: WrittenBox | None = Field(None, description="A box of poses about home.")
    poses: list[PoseTable] | None = Field(None, description="Poses of the platform in the base.")
    study: str | None = Field(
        None, description="A study file, whose motion and tasks the machine must do."
    )
    samples: Annotated[int, Whole(2, 100_000)] = Field(
        SAMPLES, description="How many times a study's motion is looked at."
    )
    speed: Speed | None = Field(
        None, description="Also moving so fast along and against each axis [m/s]."
    )
    angular_speed: AngularSpeed | None = Field(
        None, description="Also turning so fast about each axis, either way [rad/s]."
    )
    acceleration: LargestAcceleration | None = Field(
        None, description="Also accelerating so much along and against each axis [m/s^2]."
    )
    angular_acceleration: AngularAcceleration | None = Field(
        None, description="Also accelerating so much about each axis, either way [rad/s^2]."
    )
    force: Forces | None = Field(
        None, description="Force of the world on the platform's origin, base axes [N]."
    )
    moment: Moments | None = Field(
        None, description="Moment of the world on the platform, base axes [N m]."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [key for key in ("box", "poses", "study") if getattr(self, key) is not None]
        if len(given) != 1:
            problem = f"{' and '.join(given)} given" if given else "nothing to do"
            raise InputError(problem, key="box", expected="one of box, poses and study")
        return self


class WrittenObjectives(Table):
    """What shall be best. With several, `gough design` finds a front."""

    minimise: Texts = Field((), description="What shall be small.")
    maximise: Texts = Field((), description="What shall be large.")


class WrittenDesign(Table):
    """A machine to be found: what may change, what it must do, what must hold, what is best.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "80 mm".
    """

    schema_version: Literal["gough-design/1"] = Field(
        alias="schema", description="The version of this file format."
    )
    name: Annotated[str, AfterValidator(plain_name)] = Field(
        min_length=1, description="A short name: that of the robot files, too."
    )
    notes: str = Field("", description="What it is about, and what was assumed.")
    robot: Annotated[Any, Meaning(str | WrittenRobot)] = Field(
        description="The machine to begin with: a library name, a robot file, or a table."
    )
    variables: list[WrittenVariable] = Field(min_length=1, description="What may change.")
    demands: list[WrittenDemand] = Field(min_length=1, description="What the machine must do.")
    requirements: Annotated[dict[str, Any], WithJsonSchema(_required())] = Field(
        default_factory=dict,
        description="Bounds that hold in every state, by name. Large is good of stiffness, "
        "rotary_stiffness and margins to limits, small of all else. Limits that the robot states "
        "are kept to, unless limits = false.",
    )
    objectives: WrittenObjectives = Field(
        default_factory=WrittenObjectives, description="What shall be best."
    )


def load_design(path: Path) -> Design:
    """The design of a file."""
    data = read_table(path, "a design file")
    with about_file(path):
        return design_of(data, path.parent)


def design_of(data: Mapping[str, Any], folder: Path) -> Design:
    """The design that data in the form of a design file describe."""
    refuse_other_kinds(data, "design")
    facts = read(WrittenDesign, plain_data(data))
    robot = Robot.from_dict(robot_data(facts.robot, folder))
    with inside("variables"):
        changing = [_variable(robot, one, k) for k, one in enumerate(facts.variables)]
    doing = [_demand(robot, one, folder, k) for k, one in enumerate(facts.demands)]
    made = Design(
        robot,
        tuple(changing),
        tuple(doing),
        tuple(_requirements(robot, facts.requirements)),
        tuple(_objectives(facts.objectives)),
        facts.name,
    )
    made.problem  # noqa: B018  (for its complaints)
    return made


def _variable(robot: Robot, written: WrittenVariable, k: int) -> Variable:
    with inside(f"[{k}]"):
        dimension = _dimension(variables(robot), written.number)
        if written.within is not None:
            size = to_si(written.within, dimension)
            return Variable(written.number, -size, size, written.together, about=True)
        assert written.range is not None
        least, largest = (to_si(end, dimension) for end in written.range)
        return Variable(written.number, least, largest, written.together)


def _dimension(stated: Variables, pattern: str) -> Dimension:
    if pattern == REACH:
        return NUMBER
    first, *others = (stated.dimension(name) for name in stated.matching([pattern]))
    if other := next((one for one in others if one != first), None):
        raise InputError(
            f"{pattern} means {first.expectation} and {other.expectation}",
            expected="a pattern of one kind",
        )
    return first


def _demand(robot: Robot, written: WrittenDemand, folder: Path, k: int) -> Demand:
    with inside(f"demands[{k}]"):
        found = _states(robot, written, folder)
        twists = each_way_of(robot, written.speed or 0.0, written.angular_speed or 0.0)
        ahead = each_way_of(robot, written.acceleration or 0.0, written.angular_acceleration or 0.0)
    moved = demands.moving(found, twist=twists, acceleration=ahead)
    wrench = [*(written.force or (0.0, 0.0, 0.0)), *(written.moment or (0.0, 0.0, 0.0))]
    return demands.loaded(moved, wrench)


def _states(robot: Robot, written: WrittenDemand, folder: Path) -> Demand:
    if written.box is not None:
        ranges = {axis: _range(getattr(written.box, axis), axis) for axis in demands.AXES}
        return demands.box(ranges, points=written.box.points, name=written.name)
    if written.poses is not None:
        home = np.array(robot.home)
        return demands.of_poses([table.pose(home) for table in written.poses], name=written.name)
    assert written.study is not None
    return demand_of_study(Study.load(folder / written.study), written.name, written.samples)


def demand_of_study(study: Study, name: str, samples: int = SAMPLES) -> Demand:
    """The states of a study: its motion, looked at so many times, under the loads of its tasks."""
    if study.balance is not None or study.variations:
        raise GoughError(
            f"{name}: a study with balancing masses or variations is no demand; expected one "
            "motion, of the machine as it is"
        )
    time = np.linspace(0.0, float(study.motion.duration), samples)
    at = _at_rest(study.motion(time)) if study.static else study.motion(time)
    carried = carried_wrench(study.robot, carried_over(study.robot, study.tasks, time), at)
    wrench = total_wrench(study.tasks, time, at) + carried
    return demands.along(name, at.pose, at.twist, at.acceleration, wrench, time)


def _at_rest(at: MotionSamples) -> MotionSamples:
    return MotionSamples(at.pose, np.zeros_like(at.twist), np.zeros_like(at.acceleration))


def _range(written: Any, axis: str) -> float | list[float]:
    kind = Length if axis in "xyz" else Angle
    with inside(axis):
        if (items := as_list(written)) is not None:
            return [read(kind, item) for item in items]
        return float(read(kind, written))


def _requirements(robot: Robot, written: Mapping[str, Any]) -> list[Requirement]:
    """What is required, with all limits that the robot states if nothing is said of them.

    Limits that are false are none; that of a family counts more than that of all.
    """
    given = {LIMITS: 0.0, **written}
    dropped = [name for name, bound in given.items() if bound is False and _of_limits(name)]
    if LIMITS in given and LIMITS not in dropped and dropped:
        every = given.pop(LIMITS)
        stated = each_family(robot, [Requirement(LIMITS)])
        given = {one.measure: every for one in stated} | given
    found = []
    for name, bound in given.items():
        with inside(f"requirements.{name}"):
            check_required(robot, name)
            if name not in dropped:
                found.append(_requirement(robot, name, bound))
    return found


def _of_limits(name: str) -> bool:
    return name.partition(".")[0] == LIMITS


def _requirement(robot: Robot, name: str, bound: Any) -> Requirement:
    if isinstance(bound, Mapping):
        expected = f'a number; that of one kind in quotes, as "{LIMITS}.stroke" = 0.1'
        raise InputError("a table", value=bound, expected=expected)
    kept = bound is True and _of_limits(name)
    dimension = measure_of(Machines(robot), name).dimension
    found = Requirement(name, 0.0 if kept else to_si(bound, dimension))
    check_requirement(robot, found)
    return found


def _objectives(written: WrittenObjectives) -> list[Objective]:
    small = [Objective(name) for name in written.minimise]
    return small + [Objective(name, maximise=True) for name in written.maximise]


def inertial_wrench(robot: Robot, samples: MotionSamples) -> Array:
    """The wrench (T, 6) [N, N m] about its origin that moves the platform alone, against gravity.

    Newton and Euler, base axes.
    """
    body, q = robot.platform, samples.pose[:, 3:]
    omega, alpha = samples.twist[:, 3:], samples.acceleration[:, 3:]
    arm = rotated(q, np.array(body.center_of_mass))
    centre = np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    force = body.mass * (samples.acceleration[:, :3] + centre - np.array(robot.gravity))
    axes = np.stack([rotated(q, axis) for axis in np.eye(3)], axis=-1)
    inertia = axes @ np.array(body.inertia) @ axes.swapaxes(-1, -2)
    spin = np.einsum("tij,tj->ti", inertia, omega)
    moment = np.cross(arm, force) + np.einsum("tij,tj->ti", inertia, alpha) + np.cross(omega, spin)
    return np.concatenate([force, moment], axis=-1)


def carried_wrench(bare: Robot, stretches: list[tuple[slice, Robot]], at: MotionSamples) -> Array:
    """The wrench (T, 6) of what the platform carries beyond its own: on stretches of a motion."""
    own, found = inertial_wrench(bare, at), np.zeros((len(at.pose), 6))
    for where, robot in stretches:
        found[where] = (own - inertial_wrench(robot, at))[where]
    return found
