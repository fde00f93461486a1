"""Simulations in study files: the tables [controller] and [simulation] beside those of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationError

from gough.errors import GoughError, RobotError
from gough.model import Model
from gough.robot import Robot
from gough.robot.problems import robot_error
from gough.robot.quantities import Quantity
from gough.robot.table import Table
from gough.robot.units import LENGTH, NUMBER, Dimension
from gough.simulation.controller import Controller
from gough.simulation.controllers import CONTROLLERS
from gough.simulation.loop import Sampling
from gough.simulation.sensors import Sensors
from gough.simulation.simulate import simulate
from gough.simulation.tuning import TUNABLE, place_poles
from gough.studies.files import read_toml
from gough.studies.reading import YesOrNo, place_of
from gough.studies.results import Results
from gough.studies.study import Study

_TIME = Dimension("a time", "s", '0.001 or "1 ms"')
_FREQUENCY = Dimension("a frequency", "1/s", '5 or "5 Hz"')
Period = Annotated[float, Quantity(_TIME, above=0.0)]
Time = Annotated[float, Quantity(_TIME, at_least=0.0)]
Frequency = Annotated[float, Quantity(_FREQUENCY, above=0.0)]
Rate = Annotated[float, Quantity(_FREQUENCY, at_least=0.0)]
NotNegativeLength = Annotated[float, Quantity(LENGTH, at_least=0.0)]
Positive = Annotated[float, Quantity(NUMBER, above=0.0)]


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise RobotError("not a count", value=value, expected="a whole number, not negative")
    return value


Count = Annotated[int, BeforeValidator(_whole)]


class WrittenSimulation(Table):
    """The [simulation] table."""

    period: Period = 1e-3
    substeps: Count = 1
    delay: Count = 0
    resolution: NotNegativeLength = 0.0
    noise: NotNegativeLength = 0.0
    speed_filter: Time | None = None
    saturated: YesOrNo = True
    duration: Period | None = None
    every: Count = 1
    seed: Count = 0


class WrittenController(Table):
    """The [controller] table: gains by name, or poles from which they follow, frequency in Hz."""

    kind: str
    gains: dict[str, Any] | None = None
    space: Literal["joint", "task"] = "joint"
    frequency: Frequency | None = None
    damping: Positive = 1.0
    integral_rate: Rate = 0.0


@dataclass(frozen=True, eq=False)
class SimulationStudy:
    """A study whose motion a controller follows."""

    study: Study
    controller: Controller
    facts: WrittenSimulation

    @classmethod
    def load(cls, path: str | Path) -> SimulationStudy:
        """The simulation of a study file; paths in it count from its folder."""
        file = Path(path)
        try:
            return cls.from_dict(read_toml(file), folder=file.parent)
        except GoughError as error:
            raise GoughError(place_of(file, error)) from None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: Path | None = None) -> SimulationStudy:
        """The simulation that data in the form of a study file describe."""
        if "controller" not in data:
            raise GoughError("controller: missing; expected a table [controller]")
        rest = {key: data[key] for key in data if key not in ("controller", "simulation")}
        study = Study.from_dict(rest, folder=folder)
        if study.variations:
            raise GoughError("variations: a simulation has none; expected a single study")
        facts = _table(WrittenSimulation, data.get("simulation", {}), "simulation")
        written = _table(WrittenController, data["controller"], "controller")
        return cls(study, _controller(written, study.robot), facts)

    def run(self) -> Results:
        """Simulate."""
        study, facts = self.study, self.facts
        return simulate(
            study.robot,
            study.motion,
            self.controller,
            tasks=study.tasks,
            sampling=Sampling(facts.period, facts.substeps, facts.delay),
            sensors=Sensors(facts.resolution, facts.noise, facts.speed_filter),
            saturated=facts.saturated,
            duration=facts.duration,
            every=max(facts.every, 1),
            seed=facts.seed,
            quantities=study.outputs.quantities,
            name=study.name,
        )


def _table(kind: type[Any], data: object, key: str) -> Any:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise GoughError(f"{key}.{robot_error(error)}") from None


def _controller(written: WrittenController, robot: Robot) -> Controller:
    if written.kind not in CONTROLLERS:
        raise GoughError(
            f"controller.kind: unknown, got {written.kind!r}; expected {', '.join(CONTROLLERS)}"
        )
    if (written.gains is None) == (written.frequency is None):
        raise GoughError("controller: expected either gains or a frequency of the poles")
    of_task = written.kind == "computed-torque" and written.space == "task"
    if written.frequency is not None:
        kind = f"{written.kind}-task" if of_task else written.kind
        if kind not in TUNABLE:
            raise GoughError(f"controller.frequency: {written.kind} needs gains instead")
        return place_poles(
            Model(robot),
            kind,
            2 * pi * written.frequency,
            damping=written.damping,
            integral_rate=written.integral_rate,
        )
    gains = dict(written.gains or {})
    if written.kind == "computed-torque":
        gains["space"] = written.space
    try:
        return CONTROLLERS[written.kind](**gains)
    except TypeError as error:
        words = str(error).partition("() ")[2]
        raise GoughError(f"controller.gains: {words}") from None
    except GoughError as error:
        raise GoughError(f"controller.gains: {error}") from None
