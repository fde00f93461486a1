"""Simulations in study files: the tables of a controller, a plant and cases beside a study's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gough.analysis.results import Results
from gough.analysis.simulation_facts import RUN
from gough.errors import GoughError, InputError, about_file, inside
from gough.executors import Executor
from gough.fields.changes import changed
from gough.fields.file_kinds import refuse_other_kinds
from gough.fields.table import read
from gough.fields.user_files import plain_data, read_table
from gough.simulation.controllers.controller import FORCES, Controller
from gough.simulation.plants import Plant, force_commanded
from gough.simulation.simulate import simulate
from gough.studies.cases import run_cases
from gough.studies.comparison import Comparison
from gough.studies.reading import MOST_SAMPLES
from gough.studies.simulation_tables import (
    SimulationTables,
    WrittenCase,
    WrittenSimulation,
    WrittenStart,
)
from gough.studies.study import Study

TABLES = SimulationTables.keys()


@dataclass(frozen=True, eq=False)
class SimulationStudy:
    """A study whose motion a controller follows; with cases, several that are compared."""

    study: Study
    controller: Controller
    plant: Plant
    facts: WrittenSimulation
    start: WrittenStart
    cases: tuple[tuple[str, SimulationStudy], ...] = ()
    """Each with its name; without any, the study itself is the only one."""

    def __repr__(self) -> str:
        run = f"{self.study.robot.name} under {self.controller.name}"
        counts = f"{self.samples} samples in {self.duration:g} s, cases: {len(self.cases)}"
        return f"<gough simulation study {self.study.name}: {run}, {counts}>"

    @classmethod
    def load(cls, path: str | Path) -> SimulationStudy:
        """The simulation of a study file; paths in it count from its folder."""
        file = Path(path)
        data = read_table(file, "a study file")
        with about_file(file):
            return cls.from_dict(data, folder=file.parent)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: Path | None = None) -> SimulationStudy:
        """The simulation that data in the form of a study file describe."""
        data = plain_data(data)
        _check_kind(data)
        apart = {*TABLES, RUN}  # what results add of how it was run is no part of what to run
        study = Study.from_dict({k: v for k, v in data.items() if k not in apart}, folder=folder)
        if study.formulation is not None:
            problem, expected = "a simulation has none", "no such key: plants have their own"
            raise InputError(problem, key="formulation", expected=expected)
        if study.variations:
            raise InputError("a simulation has none", key="variations", expected="[[cases]]")
        written = read(SimulationTables, {key: data[key] for key in TABLES if key in data})
        _check_count(written.simulation, study)
        written.simulation.sensors(study.robot)  # refused, if it is of other actuators
        with inside("controller"):
            controller = written.controller.controller(study.robot, drives=written.plant.drives)
        plant = written.plant.plant(study.robot)
        if plant.command.name == "voltage" and controller.command == FORCES:
            plant = force_commanded(plant)
        tables = {key: data.get(key, {}) for key in TABLES if key != "cases"}
        study = replace(study, written={**study.written, **tables})
        made = cls(study, controller, plant, written.simulation, written.start)
        return replace(made, cases=_cases(made, written.cases, folder))

    @property
    def duration(self) -> float:
        """Of the run [s]."""
        return self.facts.duration or self.study.motion.duration

    @property
    def samples(self) -> int:
        """How many samples are kept of a run that does not end early."""
        return -(-int(self.facts.sampling.count(self.duration)) // self.facts.every)

    def run(self, *, record: Path | None = None, executor: Executor = None) -> Results | Comparison:
        """Simulate; with cases, each of them, where `executor` says.

        With a folder for a `record`, cases that it has are not run again; others are kept there.
        """
        if not self.cases:
            return self.run_one()
        names, cases = zip(*self.cases, strict=True)
        outcomes = run_cases(self.study.name, cases, record=record, executor=executor)
        found = dict(zip(names, outcomes, strict=True))
        runs = {name: one for name, one in found.items() if isinstance(one, Results)}
        failures = {name: words for name, words in found.items() if isinstance(words, str)}
        if not runs:
            raise GoughError("; ".join(f"{name}: {words}" for name, words in failures.items()))
        return Comparison(self.study.name, runs, failures)

    def run_one(self) -> Results:
        """Simulate the study itself, without its cases."""
        study, facts = self.study, self.facts
        found = simulate(
            study.robot,
            study.motion,
            self.controller,
            plant=self.plant,
            tasks=study.tasks,
            sampling=facts.sampling,
            sensors=facts.sensors(study.robot),
            saturated=facts.saturated,
            start=self.start.pose_and_twist(study.motion(0.0).pose, study.frames),
            duration=self.duration,
            every=facts.every,
            seed=facts.seed,
            integrator=facts.adaptive,
            quantities=study.outputs.quantities,
            name=study.name,
        )
        written = study.written or {**found.study, "notes": study.notes}
        return replace(found, study={**written, RUN: found.study[RUN]})


def _check_kind(data: object) -> None:
    """Say what else it is, if it is not a simulation."""
    if not isinstance(data, Mapping):
        raise InputError("not a table", value=data, expected="a study with a controller")
    refuse_other_kinds(data, "study")
    if "controller" not in data:
        expected = "a table [controller]; 'gough run' runs studies without one"
        raise InputError("missing", key="controller", expected=expected)


def _cases(
    base: SimulationStudy, cases: list[WrittenCase], folder: Path | None
) -> tuple[tuple[str, SimulationStudy], ...]:
    """Every case as a simulation of its own, from the data with its changes."""
    made: dict[str, SimulationStudy] = {}
    for k, case in enumerate(cases):
        try:
            changes = {**base.study.written, "name": f"{base.study.name}-{case.name}"}
            for path, value in case.changes.items():
                changes = changed(changes, path, value)
            made[case.name] = SimulationStudy.from_dict(changes, folder=folder)
        except GoughError as error:
            raise GoughError(f"cases[{k}]: {error}") from None
    return tuple(made.items())


def _check_count(facts: WrittenSimulation, study: Study) -> None:
    """Refuse a run that never ends."""
    duration = facts.duration or float(study.motion.duration)
    if duration / facts.period > MOST_SAMPLES:
        problem = f"{duration / facts.period:.3g} samples in {duration:.3g} s"
        raise InputError(problem, key="simulation.period", expected=f"at most {MOST_SAMPLES:,}")
