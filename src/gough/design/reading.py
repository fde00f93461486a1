"""Reading a design file: its tables and keys, each checked, with the files that they name."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from gough.compiler.device import Device
from gough.design import demands, measures
from gough.design.demands import Demand, each_way_of
from gough.design.design import Design
from gough.design.measures import LIMITS, MEASURES, Objective, Requirement
from gough.design.variables import REACH, Variable
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError, inside
from gough.fields import Dimension, FileTable, plain_data, read, to_si
from gough.fields import quantities as q
from gough.fields.commented import new_file
from gough.fields.table import CheckedTable, Meaning, entry, optional
from gough.fields.units import NUMBER
from gough.fields.user_files import refuse_other_kinds
from gough.fields.values import Integer, as_list, plain_name
from gough.kinematics.freedoms.nearest_pose import has_constant_basis
from gough.kinematics.size import machine_size
from gough.kinematics.workspace.stated_limits import FAMILIES
from gough.model import Machines, Variables, structure_of, variables
from gough.motion.table_parts import PoseTable
from gough.robot import MOVES, Robot
from gough.robot.files import robot_and_data
from gough.robot.reading import WrittenRobot
from gough.studies import Study
from gough.studies.reading import Texts

_TITLE = "A design: what may change of a machine, what it must do, what must hold, what is best."
_WAY, _TURN = 0.05, 3.0  # half sides of the box: of the machine's size, and in degrees
_LEAST, _LARGEST = 0.7, 1.3  # range of a number, as factors of its value
_SIZES = (  # numbers that may be variables: those of the first kind that the file states
    re.compile(r"symmetric\..*radius|legs?(\[0\])?\.links\[\d+\]\.length"),
    re.compile(r"platform\.home\.position\.z"),
    re.compile(r"platform\.mass"),
)
_NEED = {"frequency": ("force", "moment"), "surface": ("force",), "surface_error": ("surface",)}
"""Keys of a demand that mean nothing without one of others."""
_MOVING = ("speed", "angular_speed", "acceleration", "angular_acceleration")
_NUMBERS = {"anyOf": [{"type": "number"}, {"type": "string"}]}


def _required() -> PlainData:
    """Return the JSON Schema of requirements: each with its meaning."""
    names = [LIMITS, *(f"{LIMITS}.{family}" for family in FAMILIES)]
    margin: PlainData = {"anyOf": [*_NUMBERS["anyOf"], {"type": "boolean"}]}
    margin["description"] = "Minimum margin to limits of the robot; false: none."
    known: PlainData = dict.fromkeys(names, margin)
    for name, measure in MEASURES.items():
        bound = "Minimum" if measure.large_is_good else "Maximum"
        known[name] = {**_NUMBERS, "description": f"{bound} {measure.meaning}."}
    return {"type": "object", "additionalProperties": False, "properties": known}


def _two(value: object) -> list[Any]:
    items = as_list(value)
    if items is None or len(items) != 2:
        raise InputError("not two numbers", value=value, expected="minimum and maximum")
    return list(items)


Two = Annotated[
    list[Any],
    BeforeValidator(_two),
    WithJsonSchema({"type": "array", "items": _NUMBERS, "minItems": 2, "maxItems": 2}),
]
AnyNumber = Annotated[Any, WithJsonSchema(_NUMBERS)]


class WrittenVariable(FileTable):
    """A number of the robot's file that may change, or several."""

    number: str = entry(
        "A name or pattern of the robot file's numbers, such as "
        '"symmetric.base_radius" or "legs[*].base"; or "reach", the factor of all boxes.'
    )
    range: Two | None = optional("Minimum and maximum, as numbers or as texts with units.")
    within: AnyNumber | None = optional(
        "How far from what the robot file says, each way; instead of range."
    )
    together: q.YesOrNo = entry(
        "Whether all that the pattern means are one and the same number.", False
    )
    density: q.LinearDensity | None = optional(
        "Of the length of a slender link: its mass per length [kg/m]. Mass, mass "
        "centre and inertia then follow the length. Left out: they stay as in the robot file."
    )

    def _check(self) -> None:
        if (self.range is None) == (self.within is None):
            expected = "either range or within"
            raise InputError("not known how far it may change", key="range", expected=expected)


class WrittenBox(FileTable):
    """Poses about home: along each axis a half side, or minimum and maximum."""

    x: AnyNumber | Two = entry("Along the base's x axis [m].", 0.0)
    y: AnyNumber | Two = entry("Along the base's y axis [m].", 0.0)
    z: AnyNumber | Two = entry("Along the base's z axis [m].", 0.0)
    roll: AnyNumber | Two = entry("About the base's x axis [rad].", 0.0)
    pitch: AnyNumber | Two = entry("About the base's y axis [rad].", 0.0)
    yaw: AnyNumber | Two = entry("About the base's z axis [rad].", 0.0)
    points: Annotated[int, Integer(2, 100)] = entry(
        "How many along each axis, its ends and between them.", demands.POINTS
    )


class WrittenDemand(FileTable):
    """A demand on the machine: a box of poses, some poses, or the motion of a study."""

    name: str = entry("Name in results.")
    box: WrittenBox | None = optional("A box of poses about home.")
    poses: list[PoseTable] | None = optional("Poses of the platform in the base.")
    study: str | None = optional("A study file, whose motion and tasks the machine must do.")
    samples: Annotated[int, Integer(2, 100_000)] = entry(
        "Number of samples of a study's motion.", demands.SAMPLES
    )
    speed: q.Speed | None = optional("Also moving so fast along and against each axis [m/s].")
    angular_speed: q.AngularSpeed | None = optional(
        "Also turning so fast about each axis, either way [rad/s]."
    )
    acceleration: q.LargestAcceleration | None = optional(
        "Also accelerating so much along and against each axis [m/s^2]."
    )
    angular_acceleration: q.AngularAcceleration | None = optional(
        "Also accelerating so much about each axis, either way [rad/s^2]."
    )
    force: q.Forces | None = optional("Force of the world on the platform's origin, base axes [N].")
    moment: q.Moments | None = optional("Moment of the world on the platform, base axes [N m].")
    frequency: q.Frequency | None = optional(
        "Frequency at which force and moment oscillate [Hz]. Left out: they are constant."
    )
    surface: q.Stiffness | None = optional(
        "Stiffness [N/m] of a surface against which the force presses the platform."
    )
    surface_error: q.NotNegativeLength | None = optional(
        "How far the surface may be from where it should be [m]."
    )

    def _check(self) -> None:
        given = [key for key in ("box", "poses", "study") if getattr(self, key) is not None]
        if len(given) != 1:
            problem = f"{' and '.join(given)} given" if given else "nothing to do"
            raise InputError(problem, key="box", expected="one of box, poses and study")
        for key, needed in _NEED.items():
            if getattr(self, key) is not None and not any(np.any(getattr(self, x)) for x in needed):
                raise InputError("not used", key=key, expected=f"a {' or '.join(needed)} with it")
        own = [key for key in ("frequency", "surface", "study") if getattr(self, key) is not None]
        if len(own) > 1:
            raise InputError(f"given with {own[1]}", key=own[0], expected="a demand of its own")


class WrittenObjectives(FileTable):
    """Objectives of the design. With several, `gough design` finds a front."""

    minimise: Texts = entry("Quantities to minimise.", ())
    maximise: Texts = entry("Quantities to maximise.", ())
    simulate: str | None = optional(
        "A study file with a controller, whose run gives simulated_error [m] and simulated_force "
        "[N, N m] among the quantities."
    )

    def objectives(self, folder: Path) -> Iterator[Objective]:
        """Yield them all; a study counts from the folder."""
        names = *self.minimise, *self.maximise
        study = None if self.simulate is None else Study.load(folder / self.simulate)
        if study is not None and not {*measures.SIMULATED} & {*names}:
            expected = f"{' or '.join(measures.SIMULATED)} among the quantities"
            raise InputError("not used", key="simulate", value=self.simulate, expected=expected)
        for k, name in enumerate(names):
            run = study if name in measures.SIMULATED else None
            yield Objective(name, k >= len(self.minimise), run)


class EvaluatingHardware(CheckedTable):
    """The [executor] table: hardware that evaluates designs."""

    device: Device = entry(
        'Hardware that evaluates many designs in many states at once: "cpu", or "gpu", an NVIDIA '
        "GPU of this computer. Processors optimise the best of them.",
        "cpu",
    )


class WrittenDesign(FileTable):
    """A machine to be found: what may change, what it must do, what must hold, what is best.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "80 mm".
    """

    schema_version: Literal["gough-design/1"] = entry(
        "The version of this file format.", alias="schema"
    )
    name: Annotated[str, AfterValidator(plain_name)] = entry(
        "A short name: that of the robot files, too.", min_length=1
    )
    notes: str = entry("What it is about, and what was assumed.", "")
    robot: Annotated[Any, Meaning(str | WrittenRobot)] = entry(
        "The machine to begin with: a library name, a robot file, or a table."
    )
    variables: list[WrittenVariable] = entry("Numbers that may change.", min_length=1)
    demands: list[WrittenDemand] = entry("Demands on the machine.", min_length=1)
    requirements: Annotated[PlainData, WithJsonSchema(_required())] = entry(
        "Bounds that hold in every state, by name. Large is good of stiffness, rotary_stiffness, "
        "natural_frequency and margins to limits, small of all else. Limits that the robot states "
        "are kept to, "
        "unless limits = false.",
        default_factory=dict,
    )
    objectives: WrittenObjectives = entry("Objectives.", default_factory=WrittenObjectives)
    prove: q.YesOrNo = entry(
        "Whether requirements are proved in all poses of boxes and at all times of motions, with a "
        "reserve of 0.001 of each bound.",
        False,
    )
    executor: EvaluatingHardware = entry(
        "Hardware that evaluates designs.", default_factory=EvaluatingHardware
    )


def design_of(data: PlainMapping, folder: Path) -> Design:
    """The design that data in the form of a design file describe."""
    refuse_other_kinds(data, "design")
    facts = read(WrittenDesign, plain_data(data))
    table, read_robot = robot_and_data(facts.robot, folder, structure_of)
    robot = read_robot or Robot.from_dict(table)
    changing = [_variable(robot, one, k) for k, one in enumerate(facts.variables)]
    doing = [_demand(robot, one, folder, k) for k, one in enumerate(facts.demands)]
    with inside("objectives"):
        objectives = tuple(facts.objectives.objectives(folder))
    required = tuple(_requirements(robot, facts.requirements))
    given = tuple(changing), tuple(doing), required, objectives, facts.name
    made = Design(robot, *given, prove=facts.prove, device=facts.executor.device)
    made.problem  # noqa: B018  (for its complaints)
    return made


def _variable(robot: Robot, written: WrittenVariable, k: int) -> Variable:
    with inside(f"variables[{k}]"):
        dimension = _dimension(variables(robot), written.number)
        about = written.within is not None
        size = to_si(written.within, dimension) if about else 0.0
        least, largest = (to_si(end, dimension) for end in written.range or (-size, size))
        return Variable(
            written.number, least, largest, written.together, about, density=written.density
        )


def _dimension(stated: Variables, pattern: str) -> Dimension:
    if pattern == REACH:
        return NUMBER
    first, *others = (stated.dimension(name) for name in stated.matching([pattern]))
    if other := next((one for one in others if one != first), None):
        problem = f"{pattern} means {first.expectation} and {other.expectation}"
        raise InputError(problem, expected="a pattern of one kind")
    return first


def _demand(robot: Robot, written: WrittenDemand, folder: Path, k: int) -> Demand:
    with inside(f"demands[{k}]"):
        found = _states(robot, written, folder)
        twists = each_way_of(robot, written.speed or 0.0, written.angular_speed or 0.0)
        ahead = each_way_of(robot, written.acceleration or 0.0, written.angular_acceleration or 0.0)
    moved = demands.moving(found, twist=twists, acceleration=ahead)
    wrench = [*(written.force or (0.0, 0.0, 0.0)), *(written.moment or (0.0, 0.0, 0.0))]
    surface = (written.surface or 0.0, written.surface_error or 0.0)
    return demands.loaded(moved, wrench, frequency=written.frequency or 0.0, surface=surface)


def _states(robot: Robot, written: WrittenDemand, folder: Path) -> Demand:
    if written.box is not None:
        ranges = {axis: _range(getattr(written.box, axis), axis) for axis in demands.AXES}
        return demands.box(ranges, points=written.box.points, name=written.name)
    if written.poses is not None:
        home = np.array(robot.home)
        return demands.of_poses([table.pose(home) for table in written.poses], name=written.name)
    assert written.study is not None
    study = Study.load(folder / written.study)
    found = demands.demand_of_study(study, written.name, written.samples)
    more = (*_MOVING, "force", "moment")  # these are of its samples alone
    alone = all(getattr(written, key) is None for key in more)
    return found if alone else replace(found, study=None)


def _range(written: object, axis: str) -> float | list[float]:
    kind = q.Length if axis in "xyz" else q.Angle
    with inside(axis):
        if (items := as_list(written)) is not None:
            return [read(kind, item) for item in items]
        return float(read(kind, written))


def _requirements(robot: Robot, written: PlainMapping) -> list[Requirement]:
    """Requirements, with all limits that the robot states unless the file has others, or false."""
    given = {LIMITS: 0.0, **written}
    dropped = [name for name, bound in given.items() if bound is False and _of_limits(name)]
    if LIMITS in given and LIMITS not in dropped and dropped:
        every = given.pop(LIMITS)
        stated = measures.each_family(robot, [Requirement(LIMITS)])
        given = {one.measure: every for one in stated} | given
    found = []
    for name, bound in given.items():
        with inside(f"requirements.{name}"):
            measures.check_required(robot, name)
            if name in dropped:
                continue
            if isinstance(bound, Mapping):
                expected = f'a number; that of one kind in quotes, as "{LIMITS}.stroke" = 0.1'
                raise InputError("a table", value=bound, expected=expected)
            dimension = measures.measure_of(Machines(robot), name).dimension
            as_stated = bound is True and _of_limits(name)
            found.append(Requirement(name, 0.0 if as_stated else to_si(bound, dimension)))
            measures.check_requirement(robot, found[-1])
    return found


def _of_limits(name: str) -> bool:
    return name.partition(".")[0] == LIMITS


def new_design(name: str, robot: Robot, source: str) -> str:
    """The text of a design file of a robot, which the file calls by its name or path."""
    parts = {"variables": "\n".join(_variables(robot)), "box": _box(robot)}
    parts["limits"] = "0.0" if has_constant_basis(robot) else "false"
    return new_file(Path(__file__).parent, "design", _TITLE, name, source, **parts)


def _variables(robot: Robot) -> Iterator[str]:
    """Sizes of the machine; its mass alone where its moves depend on the pose."""
    stated = variables(robot)
    own = dict(zip(stated.names, stated.values.tolist(), strict=True))
    kinds = _SIZES if has_constant_basis(robot) else _SIZES[-1:]
    each = ([name for name in own if kind.fullmatch(name) and own[name] > 0] for kind in kinds)
    for name in next(filter(None, each)):
        unit = stated.dimension(name).unit
        least, largest = (f'"{share * own[name]:.4g} {unit}"' for share in (_LEAST, _LARGEST))
        yield f"[[variables]]\nnumber = {json.dumps(name)}\nrange = [{least}, {largest}]\n"


def _box(robot: Robot) -> str:
    """A little along each freedom; home alone where these depend on the pose."""
    freedoms = structure_of(robot).degrees_of_freedom if has_constant_basis(robot) else ()
    way = f'"{float(f"{_WAY * machine_size(robot):.1g}") * 1e3:g} mm"'
    sizes = dict.fromkeys(MOVES[:3], way) | dict.fromkeys(MOVES[3:], f'"{_TURN:g} deg"')
    names = dict(zip(MOVES, demands.AXES, strict=True))
    ranges = [f"{names[move]} = {sizes[move]}" for move in MOVES if move in freedoms]
    return f"{{ {', '.join([*ranges, 'points = 2'])} }}"
