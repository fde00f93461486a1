"""What is to be studied: a robot, a motion, tasks, and how it is varied."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.storage import wanted_formats
from gough.arrays import Array
from gough.errors import GoughError, InputError, Problems, about_file, inside
from gough.fields.user_files import contents, plain_data, read_table
from gough.kinematics.tolerances.spread import spread_of
from gough.model.catalogue import chosen_formulation
from gough.motion import Motion, Task, quiet, tasks_from_list
from gough.motion.reading import motion_from_home
from gough.poses import Frames
from gough.robot import Robot
from gough.shown.brief import spelled_out
from gough.studies.reading import MOST_SAMPLES, read_study
from gough.studies.variations import Variation, point, shape_of

DEFAULT_SAMPLES = 1001
TRIED = 199
"""So many points of a grid are tried besides the first: a prime, so that all axes change."""


@dataclass(frozen=True)
class Balance:
    """A mass [kg] on each leg, behind its base joint; without a distance [m], at the best one."""

    mass: float
    distance: float | None = None


@dataclass(frozen=True)
class Outputs:
    """What to compute, and what to write."""

    quantities: tuple[str, ...] = ("all",)
    """Names of quantities or groups; `("all",)` for every one but of the group `vibration`."""
    csv: bool = True
    mat: bool = False
    hdf5: bool = False
    mcap: bool = False
    """Of one motion: whether to write it as a recording of ROS 2."""
    report: bool = True
    series: bool = False
    """Of a study with variations: whether to keep every quantity over time."""

    @property
    def formats(self) -> tuple[str, ...]:
        """What tables are written as besides Parquet; GoughError if a package is missing for it."""
        return wanted_formats(csv=self.csv, mat=self.mat, hdf5=self.hdf5)


@dataclass(frozen=True, eq=False)
class Study:
    """A robot, its motion and its tasks. From a file with `Study.load`, or made directly.

    The motion is looked at `samples` times, or `rate` times a second [Hz]. A `static` study
    follows it so slowly that only weights and tasks matter. Variations need a study from a file
    or a dict: they change what is written there.
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
    formulation: str | None = None
    """By which derivation forces are found, as of a `Model`; None: the robot's default."""
    balance: Balance | None = None
    tolerances: Mapping[str, Any] = field(default_factory=dict)
    """How far numbers of the robot lie apart, by names and patterns, as in `gough.tolerances`."""
    outputs: Outputs = Outputs()
    frames: Frames | None = None
    """In which its file gives poses and motions; `motion` and `tasks` are the platform's."""
    variations: tuple[Variation, ...] = ()
    written: dict[str, Any] = field(default_factory=dict, repr=False)
    """The study as plain data, with its robot written out."""

    def __repr__(self) -> str:
        counts = f"{self.count} samples in {self.motion.duration:g} s, tasks: {len(self.tasks)}"
        grid = f", variations: {' x '.join(map(str, self.shape))}" if self.variations else ""
        return f"<gough study {self.name}: {self.robot.name}, {counts}{grid}>"

    @classmethod
    def load(cls, path: str | Path) -> Study:
        """The study of a .toml or .json file; paths in it count from its folder."""
        path = Path(path)
        data = read_table(path, "a study file")
        with about_file(path):
            return cls.from_dict(data, folder=path.parent)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: Path | None = None) -> Study:
        """The study that data in the form of a study file describe."""
        written = read_study(plain_data(data), folder or Path())
        variations = written.variations
        with quiet():
            if not variations:
                return _made(written.data)
            study = _first_made(written.data, variations)
        return cls(**{**study.__dict__, "variations": variations, "written": written.data})

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the grid of variations; empty without any."""
        return shape_of(self.variations)

    def variant(self, index: int) -> Study:
        """One point of the grid, as a study of its own."""
        if not self.variations:
            raise GoughError(f"{self.name}: the study has no variations")
        count = math.prod(self.shape)
        if not 0 <= index < count:
            raise GoughError(f"{self.name}: no variation {index}; expected 0 to {count - 1}")
        with quiet():
            return varied(self.written, self.variations, index)

    def times(self) -> Array:
        """When the motion is looked at [s], from its beginning to its end."""
        return np.linspace(0.0, float(self.motion.duration), self.count)

    @property
    def count(self) -> int:
        """How many times the motion is looked at."""
        if self.rate is None:
            return self.samples or DEFAULT_SAMPLES
        return max(math.ceil(float(self.motion.duration) * self.rate - 1e-9) + 1, 2)

    def resolved(self) -> dict[str, Any]:
        """The study as plain data, with nothing left to look up."""
        if self.written:
            return self.written
        return {
            "name": self.name,
            "robot": self.robot.to_dict(),
            "motion": {"description": _described(self.motion)},
            "tasks": [{"description": _described(task)} for task in self.tasks],
            **({} if self.frames is None else {"frames": asdict(self.frames)}),
            "samples": (self.samples or DEFAULT_SAMPLES) if self.rate is None else None,
            "rate": self.rate,
            "analysis": "static" if self.static else "dynamic",
            "formulation": self.formulation,
            "balance": None if self.balance is None else asdict(self.balance),
            "tolerances": dict(self.tolerances),
            "outputs": asdict(self.outputs),
        }


def varied(data: dict[str, Any], variations: tuple[Variation, ...], index: int) -> Study:
    """One point of the grid of a study's data, as a study of its own; inside `quiet`."""
    return _made(point(data, variations, index))


def _described(thing: Motion | Task) -> str:
    """What an object says of itself, all of it, without its place in memory."""
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", spelled_out(thing))


def _first_made(data: dict[str, Any], variations: tuple[Variation, ...]) -> Study:
    """Return a point of a grid that can be made: the first, or one of `TRIED` spread over it.

    If none can be, the error of the first is raised; where others were not tried, it reports that.
    """
    problems = Problems()
    with problems.noted():
        return varied(data, variations, 0)
    count = math.prod(shape_of(variations))
    indices = np.unique(np.linspace(1, count - 1, min(count - 1, TRIED), dtype=int))
    for index in indices.tolist():
        with suppress(GoughError):
            return varied(data, variations, index)
    if len(indices) < count - 1:
        with problems.noted():
            raise InputError(
                f"none of {len(indices) + 1} points spread evenly over the grid can be made, and "
                f"the other {count - 1 - len(indices):,} were not tried",
                key="variations",
                expected="values that can be made as the first of every variation",
            )
    problems.raise_any()
    raise AssertionError


def _made(data: dict[str, Any]) -> Study:
    """The study of data whose robot is written out."""
    facts = read_study(data, Path()).facts
    robot = _robot(json.dumps(data["robot"]), _condensed(data["robot"]))
    frames = facts.frames.frames() if facts.frames else None
    motion, tasks = _moved_and_loaded(data, robot, frames)
    study = Study(
        robot=robot,
        motion=motion,
        tasks=tasks,
        samples=facts.samples,
        rate=facts.rate,
        name=facts.name,
        reference=facts.reference,
        notes=facts.notes,
        static=facts.analysis == "static",
        formulation=_formulation(facts.formulation, robot),
        balance=Balance(**facts.balance.model_dump()) if facts.balance else None,
        tolerances=_tolerances(facts.tolerances, robot),
        outputs=Outputs(**facts.outputs.model_dump()),
        frames=frames,
        written=data,
    )
    if study.count > MOST_SAMPLES:
        problem = f"{study.count:.3g} samples in {study.motion.duration:.3g} s"
        raise InputError(problem, key="rate", expected=f"at most {MOST_SAMPLES:,}")
    return study


def _formulation(name: str | None, robot: Robot) -> str | None:
    """A formulation that the robot has; None, if none is named."""
    with inside("formulation"):
        return None if name is None else chosen_formulation(robot, name)


def _tolerances(given: dict[str, Any], robot: Robot) -> dict[str, Any]:
    """Tolerances of numbers that the robot has."""
    if given:
        with inside("tolerances"):
            spread_of(robot, given)
    return given


def _moved_and_loaded(
    data: dict[str, Any], robot: Robot, frames: Frames | None
) -> tuple[Motion, tuple[Task, ...]]:
    """The motion and the tasks; what is wrong with either is said together."""
    problems = Problems()
    with problems.noted():
        text, files = json.dumps(data["motion"]), contents(data["motion"])
        motion = _motion(text, files, robot.home, frames)
    with problems.noted():
        tasks = data.get("tasks", [])
        loads = _tasks(json.dumps(tasks), contents(tasks), robot, frames)
    problems.raise_any()
    return motion, loads


# Many points of a grid share a robot, a motion or tasks: these are made once from their text and
# the content of the files that it names.
_Contents = tuple[tuple[str, str], ...]


def _condensed(robot: Any) -> _Contents:
    """The content of matrix files, the only ones that a robot's numbers come from."""
    return contents(robot.get("flexibility")) if isinstance(robot, Mapping) else ()


@lru_cache(maxsize=256)
def _motion(text: str, _: _Contents, home: tuple[float, ...], frames: Frames | None) -> Motion:
    return motion_from_home(json.loads(text), home, frames=frames)


@lru_cache(maxsize=256)
def _tasks(text: str, _: _Contents, robot: Robot, frames: Frames | None) -> tuple[Task, ...]:
    return tasks_from_list(json.loads(text), robot, frames=frames)


@lru_cache(maxsize=256)
def _robot(text: str, _: _Contents) -> Robot:
    with inside("robot"):
        return Robot.from_dict(json.loads(text))
