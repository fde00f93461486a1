"""Simulations in study files: the tables of a controller, a plant and cases beside a study's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from math import pi
from pathlib import Path
from typing import Any

import casadi as ca

from gough.analysis.results import Results
from gough.equations.contact.surface import Surface
from gough.errors import GoughError, InputError, about_file
from gough.fields.table import read
from gough.fields.user_files import plain_data, read_table
from gough.kinematics.model import Model
from gough.robot import Robot
from gough.robot.records import SCHEMA as ROBOT_SCHEMA
from gough.simulation.adaptive import Adaptive
from gough.simulation.amplifier import force_commanded
from gough.simulation.controller import FORCES, Controller
from gough.simulation.controllers import CONTROLLERS
from gough.simulation.loop import Sampling
from gough.simulation.plant import Plant, rigid_plant
from gough.simulation.real_plant import real_plant
from gough.simulation.sensors import Sensors
from gough.simulation.simulate import simulate
from gough.simulation.tuning import TUNABLE, place_poles
from gough.studies.changes import changed
from gough.studies.comparison import FILES, Comparison
from gough.studies.file_names import NAMES
from gough.studies.reading import MOST_SAMPLES
from gough.studies.simulation_tables import (
    SimulationTables,
    WrittenCase,
    WrittenController,
    WrittenPlant,
    WrittenSimulation,
    WrittenSurface,
)
from gough.studies.study import Study

USED_BY = {
    "space": "computed-torque",
    "command": "open-loop",
    "integral_rate": "joint-pid",
}
_NO_GAINS = ("space", "command", "drives")  # keys of their own, or of [plant]
TABLES = SimulationTables.keys()


@dataclass(frozen=True, eq=False)
class SimulationStudy:
    """A study whose motion a controller follows; with cases, several that are compared."""

    study: Study
    controller: Controller
    plant: Plant
    facts: WrittenSimulation
    cases: tuple[tuple[str, SimulationStudy], ...] = ()
    """Each with its name; without any, the study itself is the only one."""

    @classmethod
    def load(cls, path: str | Path) -> SimulationStudy:
        """The simulation of a study file; paths in it count from its folder."""
        file = Path(path)
        data = read_table(file, "a study file")
        try:
            return cls.from_dict(data, folder=file.parent)
        except GoughError as error:
            raise about_file(file, error) from None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: Path | None = None) -> SimulationStudy:
        """The simulation that data in the form of a study file describe."""
        data = plain_data(data)
        _check_kind(data)
        study = Study.from_dict({k: v for k, v in data.items() if k not in TABLES}, folder=folder)
        if study.variations:
            raise GoughError("variations: a simulation has none; expected [[cases]]")
        written = read(SimulationTables, {key: data[key] for key in TABLES if key in data})
        facts = written.simulation
        _check_names(written.cases)
        _check_integration(facts)
        _check_count(facts, study)
        controller = _controller(written.controller, study.robot, written.plant.drives)
        plant = _plant(written.plant, study.robot)
        if plant.command.name == "voltage" and controller.command == FORCES:
            plant = force_commanded(plant)
        tables = {key: data.get(key, {}) for key in TABLES if key != "cases"}
        study = replace(study, written={**study.written, **tables})
        made = cls(study, controller, plant, facts)
        return replace(made, cases=_cases(made, written.cases))

    @property
    def duration(self) -> float:
        """Of the run [s]."""
        return self.facts.duration or self.study.motion.duration

    @property
    def samples(self) -> int:
        """How many samples are kept of a run that does not end early."""
        return -(-int(Sampling(self.facts.period).count(self.duration)) // self.facts.every)

    def run(self) -> Results | Comparison:
        """Simulate; with cases, each of them."""
        if not self.cases:
            return self.run_one()
        runs, failures = dict[str, Results](), dict[str, str]()
        for name, case in self.cases:
            try:
                runs[name] = case.run_one()
            except GoughError as error:
                failures[name] = str(error)
        if not runs:
            raise GoughError("; ".join(f"{name}: {words}" for name, words in failures.items()))
        return Comparison(self.study.name, runs, failures)

    def run_one(self) -> Results:
        """Simulate the study itself, without its cases."""
        study, facts = self.study, self.facts
        adaptive = None
        if facts.integrator != "RK4":
            adaptive = Adaptive(facts.integrator, facts.tolerance, 1e-2 * facts.tolerance)
        found = simulate(
            study.robot,
            study.motion,
            self.controller,
            plant=self.plant,
            tasks=study.tasks,
            sampling=Sampling(facts.period, facts.substeps, facts.delay),
            sensors=Sensors(facts.resolution, facts.noise, facts.speed_filter),
            saturated=facts.saturated,
            duration=self.duration,
            every=facts.every,
            seed=facts.seed,
            integrator=adaptive,
            quantities=study.outputs.quantities,
            name=study.name,
        )
        words = {"notes": study.notes, "reference": study.reference}
        tables = {key: study.written[key] for key in ("controller", "plant")}
        return replace(found, study={**found.study, **words, **tables})


def _check_kind(data: object) -> None:
    """Say what else it is, if it is not a simulation."""
    if not isinstance(data, Mapping):
        raise InputError("not a table", value=data, expected="a study with a controller")
    if "controller" not in data and data.get("schema") != ROBOT_SCHEMA:
        expected = "a table [controller]; 'gough run' runs studies without one"
        raise InputError("missing", key="controller", expected=expected)


def _check_names(cases: list[WrittenCase]) -> None:
    """Refuse a name that another folder or file of the results has."""
    taken = {*FILES, *NAMES}
    for k, case in enumerate(cases):
        folder = case.name.strip().casefold()
        if folder in taken:
            problem = f'"{case.name}" is taken'
            raise InputError(problem, key=f"cases[{k}].name", expected="another name")
        taken.add(folder)


def _cases(
    base: SimulationStudy, cases: list[WrittenCase]
) -> tuple[tuple[str, SimulationStudy], ...]:
    """Every case as a simulation of its own, from the data with its changes."""
    made: dict[str, SimulationStudy] = {}
    for k, case in enumerate(cases):
        try:
            changes = {**base.study.written, "name": f"{base.study.name}-{case.name}"}
            for path, value in case.changes.items():
                changes = changed(changes, path, value)
            made[case.name] = SimulationStudy.from_dict(changes)
        except GoughError as error:
            raise GoughError(f"cases[{k}]: {error}") from None
    return tuple(made.items())


def _plant(written: WrittenPlant, robot: Robot) -> Plant:
    if written == WrittenPlant():
        return rigid_plant(robot)
    return real_plant(
        robot,
        legs=written.legs,
        drives=written.drives,
        joint_friction=written.joint_friction,
        stops=written.stops,
        surface=_surface(written.surface) if written.surface else None,
    )


def _check_integration(facts: WrittenSimulation) -> None:
    """Refuse what would be ignored."""
    given, adaptive = facts.model_fields_set, facts.integrator != "RK4"
    if adaptive and "substeps" in given:
        raise GoughError(f"simulation.substeps: {facts.integrator} chooses its own steps")
    if not adaptive and "tolerance" in given:
        raise GoughError("simulation.tolerance: RK4 has none; expected an integrator that adapts")


def _check_count(facts: WrittenSimulation, study: Study) -> None:
    """Refuse a run that never ends."""
    duration = facts.duration or float(study.motion.duration)
    if duration / facts.period > MOST_SAMPLES:
        problem = f"{duration / facts.period:.3g} samples in {duration:.3g} s"
        raise InputError(problem, key="simulation.period", expected=f"at most {MOST_SAMPLES:,}")


def _check_used(written: WrittenController) -> None:
    """Refuse what would be ignored."""
    for key, kind in USED_BY.items():
        if key in written.model_fields_set and written.kind != kind:
            raise GoughError(f"controller.{key}: not used by {written.kind}; only by {kind}")
    for key in ("damping", "integral_rate"):
        if key in written.model_fields_set and written.frequency is None:
            raise GoughError(f"controller.{key}: not used; expected a frequency of the poles")


def _surface(written: WrittenSurface) -> Surface:
    numbers = (written.tool, written.point, written.normal)
    facts = (written.stiffness, written.restitution, written.friction)
    return Surface(*(ca.DM(x) for x in (*numbers, *facts)))


def _controller(written: WrittenController, robot: Robot, drives: bool) -> Controller:
    if written.kind not in CONTROLLERS:
        raise GoughError(
            f"controller.kind: unknown, got {written.kind!r}; expected {', '.join(CONTROLLERS)}"
        )
    if written.kind == "open-loop":
        written = written.model_copy(update={"gains": written.gains or {}})
    _check_used(written)
    if (written.gains is None) == (written.frequency is None):
        raise GoughError("controller: expected either gains or a frequency of the poles")
    if written.frequency is not None:
        of_task = written.kind == "computed-torque" and written.space == "task"
        kind = f"{written.kind}-task" if of_task else written.kind
        if kind not in TUNABLE:
            raise GoughError(f"controller.frequency: {written.kind} needs gains instead")
        return place_poles(
            Model(robot),
            kind,
            2 * pi * written.frequency,
            damping=written.damping,
            integral_rate=written.integral_rate,
            drives=drives,
        )
    gains = dict(written.gains or {})
    _check_gains(gains, written.kind)
    if written.kind == "computed-torque":
        gains["space"] = written.space
    if written.kind in ("computed-torque", "feed-forward", "admittance"):
        gains["drives"] = drives
    if written.kind == "open-loop":
        gains["command"] = written.command
    try:
        return CONTROLLERS[written.kind](**gains)
    except TypeError as error:
        raise InputError(str(error).partition("() ")[2], key="controller.gains") from None
    except GoughError as error:
        raise InputError(str(error), key="controller.gains") from None


def _check_gains(gains: Mapping[str, Any], kind: str) -> None:
    known = [n for n in signature(CONTROLLERS[kind]).parameters if n not in _NO_GAINS]
    for name in gains:
        if name not in known:
            expected = f"one of {', '.join(known)}" if known else "no gains"
            raise InputError("unknown", key=f"controller.gains.{name}", expected=expected)
