"""Studies: a robot, a motion, tasks, perhaps a controller, and how all that is varied."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData, PlainMapping
from gough.display.brief import spelled_out
from gough.equations.dynamics import approximation_of
from gough.equations.legs.extensible import Mode
from gough.errors import GoughError, InputError, Problems, about_file, inside
from gough.fields.changes import parts
from gough.fields.display_units import SI, DisplayUnits
from gough.fields.user_files import plain_data, read_table
from gough.model.actuators import connectors_of
from gough.model.catalogue import chosen_formulation
from gough.motion import Motion, Task, check_base_duration, motion_from_dict, quiet, tasks_from_list
from gough.poses import Frames
from gough.robot import Robot
from gough.studies import reading
from gough.studies.variations import Variation, are_cases, point, shape_of
from gough.tolerance.stated import stated_tolerances

if TYPE_CHECKING:
    from gough.analysis.proved_motion import MotionProof
    from gough.kinematics.proof.certificate import CheckedProof
    from gough.simulation.controllers.controller import Controller
    from gough.simulation.plants.plant import Plant
    from gough.studies.simulation_tables import WrittenSimulation, WrittenStart

DEFAULT_SAMPLES = 1001
WORLD = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # pose from which the motion of a base counts
TRIED = 199
"""Number of points of a grid that are tried besides the first: a prime, so that all axes change."""
_PARTS, _REST = ("robot", "motion", "tasks"), "rest"
"""Parts of a study that are made by themselves, by their keys; all its other tables are one."""
_SAME = (  # keys of a file whose values a study has as they are
    *("samples", "rate", "name", "reference", "notes", "balance", "tolerances", "outputs", "units"),
    *("recording", "legs", "executor"),
)


@dataclass(frozen=True, eq=False)
class Study:
    """A robot, its motion and its tasks. From a file with `Study.load`, or made directly.

    The motion is looked at `samples` times, or `rate` times a second [Hz]. A `static` study
    follows it so slowly that only weights and tasks matter. With a `controller` it is a simulation:
    the controller follows the motion on a `plant`, by default the robot as rigid bodies.
    Variations, and cases to be compared, need a study from a file or a dict: they change what is
    written there.

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> robot = gough.load("kalani-2016")
    >>> motion = line(robot.home, [0.1, 0, 0], Quintic(1.0))
    >>> results = gough.run(gough.Study(robot, motion, samples=5))
    >>> results["force"].shape, results.quantities["force"].unit
    ((5, 6), 'N')
    """

    robot: Robot
    motion: Motion
    tasks: tuple[Task, ...] = ()
    samples: int | None = None
    rate: float | None = None
    name: str = "study"
    reference: str = ""
    notes: str = ""
    static: bool = False
    legs: Mode = "rigid"
    """Legs of hexapods: rigid, or compliant in an operating mode; a simulation has its plant."""
    formulation: str | None = None
    """By which derivation forces are found, as of a `Model`; None: the robot's default."""
    balance: reading.Balance | None = None
    tolerances: PlainMapping = field(default_factory=dict)
    """Tolerances of numbers of the robot, by names and patterns, as in `gough.tolerances`."""
    outputs: reading.Outputs = field(default_factory=reading.Outputs)
    units: DisplayUnits = SI
    """Units of tables, pages, plots and CSV files; all else is in SI units."""
    executor: reading.ExecutorTable = field(default_factory=reading.ExecutorTable)
    """Hardware and processes that compute a grid."""
    recording: reading.WrittenRecording | None = None
    """Recording of the machine that is laid over the results."""
    base: Motion | None = None
    """Motion of the base in the world; None: it rests. All else is relative to the base."""
    frames: Frames | None = None
    """In which its file gives poses and motions; `motion` and `tasks` are the platform's."""
    controller: Controller | None = None
    plant: Plant | None = None
    simulation: WrittenSimulation | None = None
    """Sampling, sensors and integrator of a simulation; None: the usual ones."""
    start: WrittenStart | None = None
    """Pose and speeds with which a simulation begins; None: as the motion does."""
    variations: tuple[Variation, ...] = ()
    written: PlainData = field(default_factory=dict, repr=False)
    """The study as plain data, with its robot written out."""

    def __post_init__(self) -> None:
        if self.controller is not None and self.simulation is None:
            from gough.studies.simulation_tables import WrittenSimulation  # noqa: PLC0415  (slow)

            object.__setattr__(self, "simulation", WrittenSimulation())
        self._check_legs()
        self._check_device()
        if self.base is not None:
            self._check_base(self.base)

    def _check_base(self, base: Motion) -> None:
        """Refuse what a base that moves does not have, and a motion that ends before the study."""
        check_base_duration(base, self.duration)
        if self.legs != "rigid":
            raise InputError("of a base at rest alone", key="legs", expected="no [base]")
        if self.controller is not None:
            from gough.simulation.plants.real import rigid_plant  # noqa: PLC0415  (slow)

            (self.plant or rigid_plant(self.robot)).on_moving_base()

    def _check_device(self) -> None:
        """Refuse what a GPU does not compute."""
        key, how = "executor.device", self.simulation
        if self.executor.device == "cpu":
            return
        if self.controller is None:
            expected = "cpu, or a table [controller]"
            raise InputError("of simulations alone", key=key, value="gpu", expected=expected)
        if how is not None and how.adaptive is not None:
            expected = "cpu, or RK4 or RK6 as simulation.integrator"
            problem = "not with an adaptive integrator"
            raise InputError(problem, key=key, value="gpu", expected=expected)

    def _check_legs(self) -> None:
        """Refuse what compliant legs do not have: another machine, and analyses of rigid ones."""
        if self.legs == "rigid":
            return
        if not self.robot.has_extensible_legs:
            problem = f"{self.robot.name} has no extensible legs"
            raise InputError(problem, key="legs", value=self.legs, expected='"rigid"')
        connectors_of(self.robot, self.legs)
        unused: PlainData = {"analysis": self.static, "controller": self.controller}
        unused |= {"formulation": self.formulation, "tolerances": self.tolerances}
        for key in (key for key, given in unused.items() if given):
            expected = 'no such key, or legs = "rigid"'
            raise InputError("of rigid legs alone", key=key, expected=expected)

    def __repr__(self) -> str:
        under = f" under {self.controller.name}" if self.controller else ""
        counts = f"{self.count} samples in {self.duration:g} s, tasks: {len(self.tasks)}"
        axes = "cases" if self.is_comparison else "variations"
        grid = f", {axes}: {' x '.join(map(str, self.shape))}" if self.variations else ""
        return f"<gough study {self.name}: {self.robot.name}{under}, {counts}{grid}>"

    def prove(self, **options: Any) -> MotionProof:
        """Prove that its motion respects all limits at every time: see `gough.prove_motion`."""
        from gough.analysis.proved_motion import prove_motion  # noqa: PLC0415  (slow to import)

        return prove_motion(*self._proved(), **options)

    def check_proof(self, path: str | Path, *, at_most: int | None = None) -> CheckedProof:
        """Verify a certificate of its motion: see `gough.analysis.check_motion_proof`."""
        from gough.analysis.motion_certificate import check_motion_proof  # noqa: PLC0415  (slow)

        return check_motion_proof(path, *self._proved(), at_most=at_most)

    def _proved(self) -> tuple[Robot, Motion, tuple[Task, ...]]:
        """Return what a proof is about; refused for a study with more than that."""
        impossible = {
            "[base]": self.base is not None, "[controller]": self.controller is not None,
            "[variations]": bool(self.variations), 'analysis = "static"': self.static,
            "legs": self.legs != "rigid", "[balance]": self.balance is not None,
            f'formulation = "{self.formulation}"': bool(approximation_of(self.formulation)),
            "[tolerances]": bool(self.tolerances),
            "[executor]": self.executor != reading.ExecutorTable(),
        }  # fmt: skip
        for key, given in impossible.items():
            if given:
                raise GoughError(
                    f"{self.name}: a proof is of the motion of a robot of rigid bodies on a base "
                    f"at rest, by one process; expected a study without {key}"
                )
        return self.robot, self.motion, self.tasks

    @classmethod
    def load(cls, path: str | Path) -> Study:
        """The study of a .toml or .json file; paths in it count from its folder."""
        path = Path(path)
        data = read_table(path, "a study file")
        with about_file(path):
            return cls.from_dict(data, folder=path.parent)

    @classmethod
    def from_dict(cls, data: PlainMapping, *, folder: Path | None = None) -> Study:
        """The study that data in the form of a study file describe."""
        written, variations, facts, robot = reading.read_study(plain_data(data), folder or Path())
        points = GridStudies(written, variations, facts, robot)
        first = points.compared() if are_cases(variations) else points.first()
        study = replace(first, variations=variations, written=written)
        study.__dict__["points"] = points  # what is made already serves a run
        return study

    @cached_property
    def points(self) -> GridStudies:
        """Makes the studies of the grid's points."""
        return GridStudies(self.written, self.variations)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the grid of variations; empty without any."""
        return shape_of(self.variations)

    @property
    def is_comparison(self) -> bool:
        """Whether nothing but cases is varied: the results of each are kept."""
        return are_cases(self.variations)

    @property
    def cases(self) -> tuple[str, ...]:
        """The names of the cases that are compared."""
        return self.variations[0].labels if self.is_comparison else ()

    def variant(self, index: int) -> Study:
        """One point of the grid, as a study of its own."""
        if not self.variations:
            raise GoughError(f"{self.name}: the study has no variations")
        count = math.prod(self.shape)
        if not 0 <= index < count:
            raise GoughError(f"{self.name}: no variation {index}; expected 0 to {count - 1}")
        return self.points(index)

    def times(self) -> Array:
        """Times of the samples [s], from the beginning of the motion to its end."""
        return np.linspace(0.0, self.duration, self.count)

    @property
    def duration(self) -> float:
        """Duration that is looked at [s]: that of the motion, or of the simulation."""
        own = self.simulation.duration if self.simulation else None
        return float(own or self.motion.duration)

    @property
    def count(self) -> int:
        """Number of samples; of a simulation, those that are kept."""
        if self.simulation:
            return -(-int(self.simulation.sampling.count(self.duration)) // self.simulation.every)
        if self.rate is None:
            return self.samples or DEFAULT_SAMPLES
        return max(math.ceil(self.duration * self.rate - 1e-9) + 1, 2)

    @property
    def tracking_bounds(self) -> Array | None:
        """(actuators,) maximum position error [rad, m], NaN of those without; None without any."""
        linear, rotary = self.outputs.tracking_error, self.outputs.tracking_error_angle
        if linear is rotary is None:
            return None
        bounds = [rotary if actuator.turns else linear for actuator in self.robot.actuators]
        return np.array([np.nan if bound is None else bound for bound in bounds])

    def resolved(self) -> PlainData:
        """The study as plain data, with nothing left to look up."""
        if self.written:
            return self.written
        return {
            "name": self.name,
            "robot": self.robot.to_dict(),
            "motion": {"description": _described(self.motion)},
            "tasks": [{"description": _described(task)} for task in self.tasks],
            **({} if self.base is None else {"base": {"description": _described(self.base)}}),
            **({} if self.frames is None else {"frames": asdict(self.frames)}),
            "samples": (self.samples or DEFAULT_SAMPLES) if self.rate is None else None,
            "rate": self.rate,
            "analysis": "static" if self.static else "dynamic",
            "legs": self.legs,
            "formulation": self.formulation,
            "balance": None if self.balance is None else self.balance.model_dump(),
            "tolerances": dict(self.tolerances),
            "outputs": self.outputs.model_dump(),
            **({} if self.units == SI else {"units": self.units.model_dump()}),
            **({} if self.recording is None else {"recording": self.recording.model_dump()}),
        }


class GridStudies:
    """Makes the studies of a grid's points; what several points share is made once."""

    def __init__(
        self,
        data: PlainData,
        variations: tuple[Variation, ...] = (),
        facts: reading.WrittenStudy | None = None,
        robot: Robot | None = None,
    ) -> None:
        """Take what is known already of the study's data: its `facts` and its `robot`, unvaried."""
        self._data, self._variations, self._unvaried = data, variations, (facts, robot)
        self._axes: dict[str, list[int]] = {part: [] for part in (*_PARTS, _REST)}
        for axis, variation in enumerate(variations):
            first = {parts(path)[0] for path in variation.parameters}
            for part in {str(key) if key in _PARTS else _REST for key in first}:
                self._axes[part].append(axis)
        self._known_facts = None if self._axes[_REST] else facts
        self._known_robot = None if self._axes["robot"] else robot
        cached = lru_cache(maxsize=256)
        self._facts = cached(lambda part: reading.read_tables(part.data))
        self._robot = cached(lambda part: Robot.from_dict(part.data))
        self._motion = cached(lambda part, *at: motion_from_dict(part.data, at[0], frames=at[1]))
        self._tasks = cached(lambda part, *at: tasks_from_list(part.data, at[0], frames=at[1]))
        self._made = lru_cache(maxsize=64)(self._study)

    def __reduce__(self) -> tuple[object, ...]:
        """Without what was made: each process keeps its own."""
        return GridStudies, (self._data, self._variations)

    def __call__(self, index: int) -> Study:
        """The study of one point; warnings about its motion are for a run to give."""
        with quiet():
            return self._made(index)

    def first(self) -> Study:
        """A point that can be made: the first, or one of `TRIED`; else the first's error."""
        problems = Problems()
        with problems.noted():
            return self(0)
        count = math.prod(shape_of(self._variations))
        indices = np.unique(np.linspace(1, count - 1, min(count - 1, TRIED), dtype=int))
        for index in indices.tolist():
            with suppress(GoughError):
                return self(index)
        if len(indices) < count - 1:
            with problems.noted():
                raise InputError(
                    f"none of {len(indices) + 1} points spread evenly over the grid can be made, "
                    f"and the other {count - 1 - len(indices):,} were not tried",
                    key="variations",
                    expected="values that can be made as the first of every variation",
                )
        problems.raise_any()
        raise AssertionError

    def compared(self) -> Study:
        """The study without changes; all its cases are made, and an error names one's place."""
        unvaried = GridStudies(self._data, (), *self._unvaried)(0)
        for k in range(*shape_of(self._variations)):
            try:
                self(k)
            except GoughError as error:
                raise GoughError(f"cases[{k}]: {error}") from None
        return unvaried

    def _study(self, index: int) -> Study:
        data = point(self._data, self._variations, index)
        places = np.unravel_index(index, shape_of(self._variations))

        def part(name: str, of: object) -> _StudyPart:
            return _StudyPart(tuple(int(places[axis]) for axis in self._axes[name]), of)

        facts = self._known_facts or self._facts(part(_REST, data))
        with inside("robot"):
            robot = self._known_robot or self._robot(part("robot", data["robot"]))
        frames = facts.frames.frames() if facts.frames else None
        problems = Problems()  # what is wrong with motion and tasks is said together
        with problems.noted():
            motion = self._motion(part("motion", data["motion"]), robot.home, frames)
        with problems.noted():
            base = data.get("base")
            base = None if base is None else motion_from_dict(base, WORLD, key="base")
        with problems.noted():
            tasks = self._tasks(part("tasks", data.get("tasks", [])), robot, frames)
        problems.raise_any()
        with inside("formulation"):
            named = facts.formulation
            chosen_formulation(robot, named, moving_base=base is not None)
        if facts.tolerances:
            with inside("tolerances"):
                stated_tolerances(robot, facts.tolerances)
        given: dict[str, Any] = {key: getattr(facts, key) for key in _SAME}
        given |= {"formulation": named, "frames": frames, "written": data, "base": base}
        simulated = {"executor": given.pop("executor")} if "controller" in data else {}
        study = Study(robot, motion, tasks, static=facts.analysis == "static", **given)
        _refuse_many(study.count, study.duration, "rate")
        if not simulated:
            return study
        tables: Any = facts  # of a simulation
        how, duration = tables.simulation, tables.simulation.duration or motion.duration
        _refuse_many(duration / how.period, duration, "simulation.period")
        controller, plant = tables.controller_and_plant(robot)
        run = {"controller": controller, "plant": plant, "simulation": how, "start": tables.start}
        return replace(study, **run, **simulated)


@dataclass(frozen=True)
class _StudyPart:
    """Data of a part of a study, known by the places of the values that are in it."""

    places: tuple[int, ...]
    data: Any = field(compare=False)


def _described(thing: Motion | Task) -> str:
    """Describe an object in full, without its place in memory."""
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", spelled_out(thing))


def _refuse_many(count: float, duration: float, key: str) -> None:
    if count > reading.MOST_SAMPLES:
        problem = f"{count:.3g} samples in {duration:.3g} s"
        raise InputError(problem, key=key, expected=f"at most {reading.MOST_SAMPLES:,}")
