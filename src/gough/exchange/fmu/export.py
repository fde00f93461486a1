"""Plants and controllers written as FMUs."""

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough._version import __version__
from gough.checks import require_instance, require_positive
from gough.compiler.front.program import Program
from gough.compiler.source.language import c_identifier
from gough.disk.files import atomic_write, writing
from gough.disk.sources import MARK, Texts, refuse_others
from gough.errors import GoughError
from gough.exchange.fmu.binaries import binaries, chosen
from gough.exchange.fmu.controller import closed_loop_system, controller_system
from gough.exchange.fmu.plant import plant_system
from gough.exchange.fmu.system import System
from gough.exchange.fmu.texts import TOKEN, texts_of
from gough.robot import Robot
from gough.simulation import Controller, Plant
from gough.simulation.integrators import StepTooLarge, largest_stable_step, plant_eigenvalues

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of all files in it."""

USUAL = 1e-3
SHARE = 0.5
"""Fraction of the maximum stable step: other poses have other natural frequencies."""
PRESSED = 1e-4
"""Depth in its end stop [m, rad] at which stability is checked."""

VERSIONS = (2, 3)


def export_fmu(
    system: Plant | Controller,
    directory: str | Path,
    *,
    controller: Controller | None = None,
    robot: Robot | None = None,
    limit: ArrayLike | None = None,
    fmi: int = 3,
    period: float = 1e-3,
    step: float | None = None,
    platforms: Sequence[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a plant, a plant under a `controller`, or a controller as an FMU; the path of the file.

    It is for model exchange and for co-simulation, which does steps of RK4 of at most `step` [s],
    by default of 1 ms or less, as the plant needs. A controller samples every `period` [s];
    `robot` is the machine as it knows it, by default the plant's. `limit` is the maximum command of
    each actuator [N, N m, V] for a controller alone, by default the robot's. `platforms` are those
    that binaries are made for, by default this one; sources are always in it. FMI's version is 2
    or 3. A file that Gough did not make is refused, unless `overwrite`.
    """
    if not isinstance(fmi, int) or fmi not in VERSIONS:
        raise GoughError(f"FMI {fmi!r} is not known; expected 2 or 3, a whole number")
    targets = chosen(platforms)
    seconds = require_positive("period", period, "seconds")
    for name, given, kind in (("robot", robot, Robot), ("controller", controller, Controller)):
        if given is not None:
            require_instance(name, given, kind)
    if isinstance(system, Controller):
        if controller is not None or robot is None:
            raise GoughError("a controller is exported alone; expected it and its robot")
        made = controller_system(system, robot, seconds, limit)
    else:
        require_instance("plant", system, Plant)
        if limit is not None:
            raise GoughError("limit is for a controller alone; expected None, a plant has its own")
        made = _plant_system(system, controller, robot or system.robot, seconds, step)
    identifier = c_identifier(made.name)
    path = Path(directory) / f"{identifier}.fmu"
    if not overwrite:
        refuse_others(path, _is_as_made)  # before anything is compiled
    texts = _texts(made, identifier, fmi)
    contents = {name: text.encode() for name, text in texts.items()}
    for target, library in zip(targets, binaries(texts, identifier, targets), strict=True):
        folder = target.fmi2 if fmi == 2 else target.name
        contents[f"binaries/{folder}/{identifier}{target.suffix}"] = library
    if not overwrite:
        refuse_others(path, _is_as_made)  # compiling takes a while
    _write_archive(path, contents)
    return path


def _texts(system: System, identifier: str, fmi: int) -> Texts:
    """Description and sources, by their places in the FMU."""
    programs = {what: Program.of(f) for what, f in system.functions(identifier).items()}
    texts = texts_of(system, identifier, fmi, programs)
    # by the token a description and a binary know that they belong together
    digest = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
    token = f"{{{UUID(digest[:32])}}}"
    return {name: text.replace(TOKEN, token) for name, text in texts.items()}


def _plant_system(
    plant: Plant, controller: Controller | None, robot: Robot, period: float, step: float | None
) -> System:
    if len(robot.actuators) != plant.actuators:
        count = f"{len(robot.actuators)} actuators; expected {plant.actuators}, as the plant has"
        raise GoughError(f"robot {robot.name} has {count}")
    given = None if step is None else require_positive("step", step, "seconds")
    length = _checked_step(plant, given)
    if controller is None:
        return plant_system(plant, length)
    return closed_loop_system(plant, controller, robot, period, length)


def _checked_step(plant: Plant, step: float | None) -> float:
    """A step [s], refused where RK4 is not stable at the home pose, also with all stops pressed.

    None: 1 ms, or a half, a quarter … of it where that is too long.
    """
    home = np.array(plant.robot.home)
    start, stiff = plant.start(home), plant
    if plant.stops:  # which are where its actuators are at home
        q = plant.positions(plant.numbers, start)
        moved = {k: replace(s, shortest=ca.DM(q[k] + PRESSED)) for k, s in plant.stops.items()}
        stiff = replace(plant, stops=moved)
    stiff.check_motion(start)
    modes = plant_eigenvalues(stiff, start, plant.holding(home), *plant.own_parameters)
    longest, mode = largest_stable_step(modes)
    if step is None:
        step = USUAL
        while step > SHARE * longest:
            step /= 2
    elif step > longest:
        raise StepTooLarge(step, longest, mode)
    return step


def _write_archive(path: Path, contents: dict[str, bytes]) -> None:
    """Write a zip file in one step."""
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for name, content in sorted(contents.items()):
            entry = ZipInfo(name, _LONG_AGO)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content, compresslevel=6)
        archive.comment = f"{MARK} {__version__}, sha256 {_checksum(archive)}".encode()
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as draft:
        draft.write_bytes(made.getvalue())


def _checksum(archive: ZipFile) -> str:
    """Return the checksum of the names and contents of all files in it."""
    listed = ((entry.filename, entry.CRC, entry.file_size) for entry in archive.infolist())
    return hashlib.sha256(repr(sorted(listed)).encode()).hexdigest()[:16]


def _is_as_made(content: bytes) -> bool:
    """Whether a zip file is as Gough made it."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            comment, checksum = archive.comment.decode(errors="replace"), _checksum(archive)
    except (BadZipFile, NotImplementedError, ValueError):  # of a later version, names in bytes
        return False
    return comment.startswith(MARK) and comment.endswith(f"sha256 {checksum}")
