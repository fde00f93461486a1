"""Plants and controllers written as FMUs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from gough.compiler.front.program import Program
from gough.compiler.source.library import c_identifier
from gough.disk.sources import Texts
from gough.errors import GoughError
from gough.exchange.fmu.archive import refuse_other, write_archive
from gough.exchange.fmu.binaries import binary, chosen
from gough.exchange.fmu.controller import closed_loop_system, controller_system
from gough.exchange.fmu.description import build_description, model_description
from gough.exchange.fmu.plant import plant_system
from gough.exchange.fmu.sources import TOKEN, c_sources
from gough.exchange.fmu.steps import checked_step
from gough.exchange.fmu.system import System
from gough.robot import Robot
from gough.simulation.arguments import instance, positive
from gough.simulation.controllers.controller import Controller
from gough.simulation.plants import Plant

VERSIONS = (2, 3)


def export_fmu(
    directory: str | Path,
    *,
    plant: Plant | None = None,
    controller: Controller | None = None,
    robot: Robot | None = None,
    limit: Any = None,
    fmi: int = 3,
    period: float = 1e-3,
    step: float | None = None,
    platforms: Sequence[str] | None = None,
) -> Path:
    """Write a plant, a controller or both in a closed loop as an FMU; the path of the file.

    It is for model exchange and for co-simulation, which does steps of RK4 of at most `step` [s],
    by default of 1 ms or less, as the plant needs. A controller looks and acts every `period` [s];
    `robot` is the machine as it knows it, by default the plant's. `limit` is the largest command of
    each actuator [N, N m, V] for a controller alone, by default the robot's. `platforms` are those
    that binaries are made for, by default this one; sources are always in it. FMI's version is 2
    or 3.
    """
    if not isinstance(fmi, int) or fmi not in VERSIONS:
        raise GoughError(f"FMI {fmi!r} is not known; expected 2 or 3, a whole number")
    targets = chosen(platforms)
    seconds = positive("period", period, "seconds")
    system = _system(plant, controller, robot, limit, seconds, step)
    identifier = c_identifier(system.name)
    path = Path(directory) / f"{identifier}.fmu"
    refuse_other(path)  # before anything is compiled
    texts = _texts(system, identifier, fmi)
    contents = {name: text.encode() for name, text in texts.items()}
    for target in targets:
        folder = target.fmi2 if fmi == 2 else target.name
        library = f"binaries/{folder}/{identifier}{target.suffix}"
        contents[library] = binary(texts, identifier, target)
    write_archive(path, contents)
    return path


def _texts(system: System, identifier: str, fmi: int) -> Texts:
    """Description and sources, by their places in the FMU."""
    programs = {what: Program.of(f) for what, f in system.functions(identifier).items()}
    sources = c_sources(system, identifier, fmi, programs)
    compiled = sorted(name for name in sources if name.endswith(".c"))
    if fmi == 3:
        sources["buildDescription.xml"] = build_description(identifier, compiled)
    texts = {f"sources/{name}": text for name, text in sources.items()}
    description = model_description(system, identifier, fmi, programs, compiled)
    texts["modelDescription.xml"] = description
    token = _token(texts)
    return {name: text.replace(TOKEN, token) for name, text in texts.items()}


def _system(
    plant: Plant | None,
    controller: Controller | None,
    robot: Robot | None,
    limit: Any,
    period: float,
    step: float | None,
) -> System:
    kinds = {"plant": Plant, "controller": Controller, "robot": Robot}
    for thing, (name, kind) in zip((plant, controller, robot), kinds.items(), strict=True):
        if thing is not None:
            instance(name, thing, kind)
    if plant is None:
        if controller is None or robot is None:
            raise GoughError("nothing to export; expected a plant, or a controller and its robot")
        return controller_system(controller, robot, period, limit)
    if limit is not None:
        raise GoughError("limit is for a controller alone; expected None, a plant has its own")
    known = robot or plant.robot
    if len(known.actuators) != plant.actuators:
        count = f"{len(known.actuators)} actuators; expected {plant.actuators}, as the plant has"
        raise GoughError(f"robot {known.name} has {count}")
    length = checked_step(plant, None if step is None else positive("step", step, "seconds"))
    if controller is None:
        return plant_system(plant, length)
    return closed_loop_system(plant, controller, known, period, length)


def _token(texts: Texts) -> str:
    """By which a description and a binary know that they belong together."""
    digest = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
    return f"{{{UUID(digest[:32])}}}"
