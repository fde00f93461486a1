"""Plants and controllers written as FMUs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gough.compiler.front.program import Program
from gough.errors import GoughError
from gough.exchange.fmu.archive import write_archive
from gough.exchange.fmu.binaries import binary, chosen
from gough.exchange.fmu.controller import closed_loop_system, controller_system
from gough.exchange.fmu.description import build_description, model_description
from gough.exchange.fmu.plant import plant_system
from gough.exchange.fmu.sources import TOKEN, Texts, c_sources
from gough.exchange.fmu.system import System
from gough.robot import Robot
from gough.simulation.arguments import positive
from gough.simulation.controllers.controller import Controller
from gough.simulation.integrators.rk4 import check_step
from gough.simulation.plants import Plant

VERSIONS = (2, 3)


def export_fmu(
    directory: str | Path,
    *,
    plant: Plant | None = None,
    controller: Controller | None = None,
    robot: Robot | None = None,
    fmi: int = 3,
    period: float = 1e-3,
    step: float = 1e-3,
    platforms: Sequence[str] | None = None,
) -> Path:
    """Write a plant, a controller or both in a closed loop as an FMU; the path of the file.

    It is for model exchange and for co-simulation, which does steps of RK4 of at most `step` [s];
    a controller looks and acts every `period` [s]. `robot` is the machine as the controller knows
    it, by default the plant's. `platforms` are those of `PLATFORMS` that binaries are made for, by
    default this one; sources are always in it. FMI's version is 2 or 3.
    """
    if fmi not in VERSIONS:
        raise GoughError(f"FMI {fmi!r} is not known; expected 2 or 3")
    targets = chosen(platforms)
    system = _system(plant, controller, robot, positive("period", period), positive("step", step))
    identifier = _identifier(system)
    programs = {what: Program.of(f) for what, f in system.functions(identifier).items()}
    texts = c_sources(system, identifier, fmi, programs)
    compiled = sorted(name for name in texts if name.endswith(".c"))
    description = model_description(system, identifier, fmi, programs, compiled)
    described = {"modelDescription.xml": description}
    if fmi == 3:
        described["sources/buildDescription.xml"] = build_description(identifier, compiled)
    token = _token(texts | described)
    texts, described = ({n: t.replace(TOKEN, token) for n, t in some.items()} for some in (
        texts, described))  # fmt: skip
    contents = {name: text.encode() for name, text in described.items()}
    contents |= {f"sources/{name}": text.encode() for name, text in texts.items()}
    for target in targets:
        folder = target.fmi2 if fmi == 2 else target.name
        library = f"binaries/{folder}/{identifier}{target.suffix}"
        contents[library] = binary(texts, identifier, target)
    path = Path(directory) / f"{identifier}.fmu"
    write_archive(path, contents)
    return path


def _system(
    plant: Plant | None, controller: Controller | None, robot: Robot | None, period: float,
    step: float,
) -> System:  # fmt: skip
    if plant is None:
        if controller is None or robot is None:
            raise GoughError("nothing to export; expected a plant, or a controller and its robot")
        return controller_system(controller, robot, period)
    start = plant.start(plant.robot.home)
    plant.check_motion(start)
    check_step(plant, step, start, plant.holding(np.array(plant.robot.home)), *plant.own_parameters)
    if controller is None:
        return plant_system(plant, step)
    return closed_loop_system(plant, controller, robot or plant.robot, period, step)


def _identifier(system: System) -> str:
    """The system's name as one of C."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", system.name).strip("_")
    return name if name[:1].isalpha() else f"model_{name}"


def _token(texts: Texts) -> str:
    """By which a description and a binary know that they belong together."""
    digest = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
    return "{" + "-".join(digest[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))) + "}"
