"""Reading a study file: its tables and keys, each checked, and the robot written out."""

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from gough.analysis.quantities import GROUPS, QUANTITIES, wanted
from gough.analysis.simulation_facts import RUN
from gough.analysis.storage import wanted_formats
from gough.compiler.device import Device
from gough.disk.files import is_reserved
from gough.disk.plain_data import PlainData, PlainMapping
from gough.equations.legs.extensible import Mode
from gough.equations.usual_formulations import FORMULATION_NAMES
from gough.errors import GoughError, InputError
from gough.executors import Executor
from gough.executors.workers import MOST as MOST_WORKERS
from gough.fields.changes import changed, parts
from gough.fields.commented import new_file
from gough.fields.display_units import DisplayUnits
from gough.fields.quantities import Length, Mass, PositiveAngle, PositiveLength, SampleRate, YesOrNo
from gough.fields.table import CheckedTable, FileTable, Meaning, entry, optional, read
from gough.fields.user_files import refuse_other_kinds, with_places
from gough.fields.values import Integer, as_list, as_texts, plain_name, read_items
from gough.kinematics.size import machine_size
from gough.model.structure import structure_of
from gough.motion.table_parts import PoseTable
from gough.motion.tables import MotionTable
from gough.motion.tasks.tables import TaskTable
from gough.poses import Frames
from gough.robot import MOVES, Robot
from gough.robot.files import robot_and_data
from gough.robot.reading import WrittenRobot
from gough.studies import variations as axes
from gough.studies.variations import Variation, WrittenCase, WrittenVariation, shape_of

_TITLE = "A study: what a motion and its loads ask of a machine."
_WAY = 0.1  # travel of the platform, as a fraction of the machine's size
MOST_SAMPLES = 10_000_000


def _table(value: object) -> PlainData:
    if not isinstance(value, Mapping):
        raise InputError("not a table", value=value, expected="a table")
    return dict(value)


def _tables(value: object) -> list[PlainData]:
    items = as_list(value)
    if items is None:
        raise InputError("not a list", value=value, expected="a list of tables")
    return list(read_items(_table, items))


def _cases(value: object) -> object:
    if not isinstance(value, list) or not value:
        raise InputError("not a list", expected="[[cases]] tables")
    return value


def _names(value: object) -> tuple[str, ...]:
    names = as_texts(value)
    if not names:
        raise InputError("not a list of names", value=value, expected='names, or "all"')
    try:
        wanted(names)
    except GoughError as error:
        raise InputError(str(error)) from None
    return names


_KNOWN_NAMES = {"enum": ["all", *GROUPS, *QUANTITIES]}
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(_names),
    WithJsonSchema({"anyOf": [_KNOWN_NAMES, {"type": "array", "items": _KNOWN_NAMES}]}),
]
Texts = Annotated[
    tuple[str, ...],
    BeforeValidator(as_texts),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
AnyTable = Annotated[PlainData, BeforeValidator(_table)]
Tables = Annotated[list[PlainData], BeforeValidator(_tables)]


class WrittenFrames(FileTable):
    """The [frames] table: a work frame and a tool, to which the study's motions and poses refer.

    Where these say platform they then mean the tool, and where they say base the work frame.
    """

    work: PoseTable = entry(
        "The work frame in the base frame. What is left out is as in the base frame.",
        default_factory=PoseTable,
    )
    tool: PoseTable = entry(
        "The tool in the platform frame; its origin is the pivot point. What is left out is as in "
        "the platform frame.",
        default_factory=PoseTable,
    )

    def frames(self) -> Frames:
        """The frames of the library."""
        own = Frames()
        return Frames(self.work.pose(np.array(own.work)), self.tool.pose(np.array(own.tool)))


class Balance(CheckedTable):
    """The [balance] table: a mass on each cylinder, behind its base joint."""

    mass: Mass = entry("Mass on each leg [kg].")
    distance: Length | None = optional(
        "Distance behind the base joint [m]. Left out: the one that balances the leg "
        "at its mean length."
    )


class Outputs(CheckedTable):
    """The [outputs] table: what to compute and to write."""

    quantities: Names = entry(
        "Names of quantities or of groups; all leaves out vibration, bandwidth and rotation.",
        ("all",),
    )
    tracking_error: PositiveLength | None = optional(
        "Maximum position error of linear actuators [m], for which the figure tracking_bandwidth "
        "is the minimum bandwidth of a first-order loop."
    )
    tracking_error_angle: PositiveAngle | None = optional("The same of rotary actuators [rad].")
    csv: YesOrNo = entry("Whether to write the results over time as .csv, too.", True)
    mat: YesOrNo = entry("Whether to write the results as .mat, for MATLAB.", False)
    hdf5: YesOrNo = entry("Whether to write the results as .h5, HDF5.", False)
    mcap: YesOrNo = entry(
        "Whether to write the motion as .mcap, a recording of ROS 2 that Foxglove "
        "opens, too. Not of variations.",
        False,
    )
    report: YesOrNo = entry("Whether to write the page report.html.", True)
    series: YesOrNo = entry("Of variations: whether to keep every quantity over time.", False)

    @property
    def formats(self) -> tuple[str, ...]:
        """Formats of tables besides Parquet; GoughError if a package is missing for one."""
        return wanted_formats(csv=self.csv, mat=self.mat, hdf5=self.hdf5)


class WrittenRecording(FileTable):
    """The [recording] table: what was measured of the machine on the same motion."""

    file: str = entry(
        "Recording (.parquet, .csv) in columns as of results, such as leg_length_1 [m].",
        min_length=1,
    )


class ExecutorTable(CheckedTable):
    """The [executor] table: hardware that simulates, and processes that compute a grid.

    Options of the command, and arguments of functions, come before `workers`.
    """

    device: Device = entry(
        'Hardware that simulates: "cpu", or "gpu", an NVIDIA GPU of this computer, which '
        "computes many points of a grid at once.",
        "cpu",
    )
    workers: Annotated[int, Integer(1, MOST_WORKERS)] | None = optional(
        "Number of worker processes. Left out: this process alone."
    )

    def _check(self) -> None:
        if self.workers is not None and self.device == "gpu":
            raise InputError("not with a GPU", key="workers", expected='none, or device = "cpu"')

    def executor(self, given: Executor = None) -> Executor:
        """Return who computes: what is given, or else what the table says."""
        if given is None:
            return self.workers
        if self.device == "gpu":
            problem, key = "not with workers or a cluster", "executor.device"
            raise InputError(problem, key=key, value="gpu", expected="cpu")
        return given


class WrittenStudy(FileTable):
    """A robot, its motion and its tasks.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "80 mm",
    "7.5 lb" or "30 deg".
    """

    schema_version: Literal["gough-study/1"] = entry(
        "The version of this file format.", alias="schema"
    )
    name: Annotated[str, AfterValidator(plain_name)] = entry(
        "A short name, also of the folder of results.",
        min_length=1,
        json_schema_extra={"pattern": r"^[^/\\]+$"},
    )
    reference: str = entry("Where the data come from.", "")
    notes: str = entry("What it is about, and what was assumed.", "")
    robot: Annotated[Any, Meaning(str | WrittenRobot)] = entry(
        "A library name, a robot file, or a robot as a table."
    )
    changes: AnyTable = entry(
        'Other values at some paths: "robot.platform.mass" = 3.', default_factory=dict
    )
    frames: WrittenFrames | None = optional(
        "A work frame and a tool, to which motions and poses refer. Left out: the "
        "base and the platform."
    )
    motion: Annotated[AnyTable, Meaning(MotionTable)] = entry("What the platform does.")
    base: Annotated[AnyTable, Meaning(MotionTable)] | None = optional(
        "Motion of the base in the world: that of a ship or a vehicle, from the world's origin. "
        "Motion and tasks stay relative to the base. Left out: it rests."
    )
    tasks: Annotated[Tables, Meaning(list[TaskTable])] = entry(
        "What the world does to the platform meanwhile.", default_factory=list
    )
    samples: Annotated[int, Integer(2, MOST_SAMPLES)] | None = optional(
        "How many times the motion is looked at. Or give a rate."
    )
    rate: SampleRate | None = optional(
        "How many times a second the motion is looked at, at least [1/s]."
    )
    analysis: Literal["dynamic", "static"] = entry(
        "Whether all of the motion matters, or (static) it is so slow that only "
        "weights and tasks do.",
        "dynamic",
    )
    legs: Mode = entry(
        "Legs of hexapods: rigid, or compliant with the springs of their connector [Baiges 1996].",
        "rigid",
    )
    formulation: str | None = optional(
        "By which derivation forces are found; machines other than hexapods have one.",
        json_schema_extra=lambda schema: schema.update(enum=list(FORMULATION_NAMES)),
    )
    balance: Balance | None = optional("Balancing masses on the legs.")
    tolerances: AnyTable = entry(
        'How far numbers of the robot lie apart, by names and patterns: "legs[*].base" = "50 um" '
        'is a standard deviation, "±50 um" a tolerance.',
        default_factory=dict,
    )
    variations: Annotated[list[WrittenVariation], BeforeValidator(_tables)] = entry(
        "What is varied: every combination is computed.", default_factory=list
    )
    outputs: Outputs = entry("What to compute and to write.", default_factory=Outputs)
    executor: ExecutorTable = entry(
        "Hardware and processes that compute.", default_factory=ExecutorTable
    )
    recording: WrittenRecording | None = optional(
        "Recording of the machine, laid over the results, with errors E."
    )
    units: DisplayUnits = entry(
        "Units of tables, pages, plots and CSV files.", default_factory=DisplayUnits
    )
    cases: Annotated[list[WrittenCase], BeforeValidator(_cases)] = entry(
        "The study with other values, to be compared.", default_factory=list
    )

    def _check(self) -> None:
        """Refuse a name that another folder or file of the results has, or that none can have."""
        taken: set[str] = set()
        for k, case in enumerate(self.cases):
            from gough.studies.grid_storage import NAMES  # noqa: PLC0415  (only if needed)

            folder = case.name.strip().casefold()
            if folder in taken | NAMES:
                problem = f'"{case.name}" is taken'
                raise InputError(problem, key=f"cases[{k}].name", expected="another name")
            if is_reserved(folder):
                problem = f'"{case.name}" is no name of a folder on Windows'
                raise InputError(problem, key=f"cases[{k}].name", expected="another name")
            taken.add(folder)


def read_study(
    data: object, folder: Path
) -> tuple[PlainData, tuple[Variation, ...], WrittenStudy, Robot | None]:
    """Check a study's tables; a robot's path counts from the folder. Raises GoughError.

    Returns the data with the robot written out and changes made, the axes, the tables, and the
    robot if it was read for the data: one that a table describes is not.
    """
    refuse_other_kinds(data, "study")
    if isinstance(data, Mapping) and "plant" in data:  # whose files are read with its tables
        data = {**data, "plant": with_places(data["plant"], folder)}
    facts = read_tables(data)
    if facts.samples is not None and facts.rate is not None:
        raise InputError("given twice", key="samples and rate", expected="one of them")
    known, robot = robot_and_data(facts.robot, folder, structure_of)
    full = _in_full(data, facts) | {"robot": known}  # type: ignore[arg-type]
    if facts.changes:
        for path, value in facts.changes.items():
            full = changed(full, path, value)
        facts = read_tables(full)
    named = ("robot", "motion", "base", "tasks", "recording")
    full |= {key: with_places(full[key], folder) for key in named if key in full}
    if facts.variations:
        full["variations"] = [axes.with_full_names(one, folder) for one in full["variations"]]
    written = [read(WrittenVariation, one) for one in full.get("variations", ())]
    _refuse_tuned(facts, written)
    variations = tuple(one.variation() for one in written)
    if facts.cases:
        variations = (axes.cases_of(facts.cases, facts.name, folder), *variations)
    names = [variation.name for variation in variations]
    if twice := next((name for name in names if names.count(name) > 1), None):
        problem = f'two are called "{twice}"'
        raise InputError(problem, key="variations", expected="different names")
    if prod(shape_of(variations)) > axes.MOST:
        problem = f"{shape_of(variations)} points"
        raise InputError(problem, key="variations", expected=f"at most {axes.MOST:,}")
    return full, variations, facts, robot if full["robot"] == known else None


def _refuse_tuned(facts: WrittenStudy, written: Sequence[WrittenVariation]) -> None:
    """Refuse axes of gains that [simulation.tuning] optimises: they would have no effect."""
    how = getattr(facts, "simulation", None)
    free = how.tuning.gains if how is not None and how.tuning is not None else None
    for k, path in ((k, path) for k, one in enumerate(written) for path in one.parameter):
        table, gains, name = (*parts(path), "", "")[:3]
        if free is not None and (table, gains) == ("controller", "gains"):
            if free and name and name not in free:
                continue
            expected = "no [simulation.tuning], or one of other gains"
            key = f"variations[{k}].parameter"
            raise InputError("optimised in each run", key=key, value=path, expected=expected)


def read_tables(data: object) -> WrittenStudy:
    """Check a study's tables and keys: with a controller, those of a simulation too."""
    if isinstance(data, Mapping) and "controller" in data:
        from gough.studies.simulation_tables import WrittenSimulatedStudy  # noqa: PLC0415  (slow)

        tables = {key: value for key, value in data.items() if key != RUN}
        return read(WrittenSimulatedStudy, tables)
    return read(WrittenStudy, data)


def _in_full(data: PlainMapping, facts: WrittenStudy) -> PlainData:
    """The data without changes and RUN; with all tables of a simulation, for paths into them."""
    usual, known = WrittenStudy.keys(), type(facts).keys()
    optional_keys = {key for key, x in type(facts).model_fields.items() if x.default is None}
    simulated = [key for key in known if key not in {*usual, *(optional_keys - data.keys())}]
    apart = {*simulated, RUN, "changes"}
    rest = {key: value for key, value in data.items() if key not in apart}
    return rest | {key: data.get(key, {}) for key in simulated}


def new_study(name: str, robot: Robot, source: str) -> str:
    """The text of a study file of a robot, which the file calls by its name or path."""
    motion = "\n".join(("[motion]", *_motion(robot), 'duration = "1 s"'))
    return new_file(Path(__file__).parent, "study", _TITLE, name, source, motion=motion)


def _motion(robot: Robot) -> tuple[str, ...]:
    """Return a short motion along one degree of freedom, a rotation if none is linear."""
    freedoms = structure_of(robot).degrees_of_freedom
    for move in (move for move in ("z", "x", "y", *MOVES[3:]) if move in freedoms):
        if move in MOVES[3:]:
            axis = [int(turn == move) for turn in MOVES[3:]]
            turned = f"axis = {axis}", 'angle = "5 deg"', 'profile = "quintic"'
            return 'kind = "rotation"', *turned
        way = f'"{float(f"{_WAY * machine_size(robot):.1g}") * 1e3:g} mm"'
        displacement = ", ".join(way if axis == move else "0" for axis in "xyz")
        return 'kind = "line"', f"displacement = [{displacement}]", 'profile = "quintic"'
    return ('kind = "hold"',)
