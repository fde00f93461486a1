"""Plants and controllers written as FMUs: a controller alone, or with the plant that it drives."""

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from reprlib import repr as short
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
from gough.equations.control.signals import Measurement
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.exchange.fmu import plant as plants
from gough.exchange.fmu.binaries import binaries, chosen
from gough.exchange.fmu.plant import plant_system
from gough.exchange.fmu.system import Equations, FmuVariable, System, column
from gough.exchange.fmu.texts import TOKEN, texts_of
from gough.exchange.source import driven_by
from gough.model import Structure
from gough.robot import Robot
from gough.simulation import ClosedLoop, Controller, Plant, Sampling
from gough.simulation.controllers.controller import Gain
from gough.simulation.integrators import StepTooLarge, largest_stable_step, plant_eigenvalues


@dataclass(frozen=True, eq=False)
class ControllerModel:
    """A controller for a plant, all of symbols."""

    controller: Controller
    robot: Robot
    plant: Plant
    period: float
    limit: tuple[float, ...]  # maximum command of each actuator

    @cached_property
    def gains(self) -> tuple[FmuVariable, ...]:
        """All of them, row by row."""
        plant = self.plant
        arrays = self.controller.gain_arrays(plant.actuators, plant.dof)
        named = {gain.name: gain for gain in self.controller.gains}
        pairs = ((named[name], np.asarray(values)) for name, values in arrays.items())
        return tuple(g for gain, values in pairs for g in _gains(gain, values, plant.structure))

    @cached_property
    def memory(self) -> tuple[FmuVariable, ...]:
        """State of the control law, and the command that is held; initially at home, at rest."""
        plant, of = self.plant, (self.plant.actuators, self.plant.dof)
        home = np.array(plant.robot.home)
        places = [(s, k) for s in self.controller.states for k in range(s.size(*of))]
        words = [(f"controller.{s.name}[{k}]", s.meaning) for s, k in places]
        first = self.controller.start(plant, home, np.zeros(6))
        pairs = zip(words or [("controller.unused", "a law without memory")], first, strict=True)
        thought = (FmuVariable(name, "", meaning, float(x)) for (name, meaning), x in pairs)
        held = plants.commands(plant, plant.holding(home))
        return (*thought, *(replace(v, name=f"controller.{v.name}") for v in held))

    @cached_property
    def reference(self) -> tuple[FmuVariable, ...]:
        """The motion to follow."""
        return (
            *plants.pose("reference.pose", self.plant.robot.home),
            *plants.twist("reference.twist", "m/s", "rad/s"),
            *plants.twist("reference.acceleration", "m/s^2", "rad/s^2"),
        )

    def sample(self, seen: Measurement) -> Value:
        """Return the memory after a sample."""
        control = self.controller.function(self.robot, self.period, self.limit)
        thought = column(self.memory[: -self.plant.actuators])
        command, new = control(thought, seen.column(), column(self.reference), column(self.gains))
        return ca.vertcat(new, command)

    @property
    def held(self) -> Value:
        """The command that is held."""
        return column(self.memory[-self.plant.actuators :])


def controller_system(
    controller: Controller, robot: Robot, period: float, limit: ArrayLike | None = None
) -> System:
    """Return a controller alone: its inputs are sensor readings and the motion to follow."""
    plant = driven_by(controller, robot)
    limits, n = plant.limit if limit is None else _limits(limit, plant), plant.actuators
    model = ControllerModel(controller, robot, plant, period, limits)
    home = plant.start(robot.home)
    sensed = (
        plants.positions_and_speeds(plant, plant.positions(plant.numbers, home))
        + plants.wrench_variables()
    )
    if controller.springs is not None:
        sensed += plants.of_joints(plant, "deflection", "m", "compression of its coupling")
        sensed += plants.of_joints(plant, "push", "N", "force in its connector")
    seen = Measurement.of(ca.vertcat(column(sensed), ca.SX(4 * n + 6 - len(sensed), 1)))
    return System(
        name=f"{robot.name} controller",
        description=f"{controller.name} of {robot.name}, every {period:g} s",
        parameters=model.gains,
        inputs=(*sensed, *model.reference),
        memory=model.memory,
        outputs=plants.commands(plant),
        equations=Equations(outputs=model.held, sample=model.sample(seen)),
        step=period,
        period=period,
    )


def closed_loop_system(
    plant: Plant, controller: Controller, robot: Robot, period: float, step: float
) -> System:
    """A plant under a controller, which knows the robot: a motion to follow and a wrench act."""
    ClosedLoop(plant, controller, robot, Sampling(period))  # refused if they do not fit
    machine = plants.PlantModel.of(plant)
    model = ControllerModel(controller, robot, plant, period, plant.limit)
    acting, held = plants.wrench_variables(), model.held
    wrench = column(acting)
    equations = Equations(
        machine.rates(held, wrench),
        ca.vertcat(machine.seen(held, wrench), machine.applied(held)),
        machine.margins(wrench),
        model.sample(machine.measured(wrench)),
    )
    return System(
        name=f"{plant.robot.name} closed loop",
        description=f"{plant.robot.name} under {controller.name}, every {period:g} s",
        parameters=(*machine.used(*equations), *model.gains),
        inputs=(*model.reference, *acting),
        states=machine.states,
        memory=model.memory,
        outputs=machine.outputs + plants.commands(plant),
        indicators=machine.indicators,
        equations=equations,
        step=step,
        period=period,
        ends=not plant.has_end_stops,
    )


def _limits(limit: ArrayLike, plant: Plant) -> tuple[float, ...]:
    """One of each actuator, of what a user gave; infinite where there is none."""
    try:
        limits = np.broadcast_to(np.asarray(limit, dtype=float), (plant.actuators,))
    except (TypeError, ValueError):
        limits = np.array([np.nan])
    if not (limits > 0).all():
        expected = f"a number above 0, or {plant.actuators} of them"
        raise GoughError(f"limit is {short(limit)}; expected {expected}")
    return tuple(limits.tolist())


def _gains(gain: Gain, values: np.ndarray, structure: Structure) -> Iterator[FmuVariable]:
    unit = gain.unit_on(structure)
    one_unit = "" if "," in unit else unit
    for place in product(*map(range, values.shape)):
        where = f"[{','.join(map(str, place))}]" if place else ""
        meaning = f"gain of the controller [{unit}]"
        yield FmuVariable(f"gain.{gain.name}{where}", one_unit, meaning, float(values[place]))


_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time of all files in it
USUAL = 1e-3
SHARE = 0.5  # fraction of the maximum stable step: other poses have other natural frequencies
PRESSED = 1e-4  # depth in its end stop [m, rad] at which stability is checked
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
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            comment, checksum = archive.comment.decode(errors="replace"), _checksum(archive)
    except (BadZipFile, NotImplementedError, ValueError):  # of a later version, names in bytes
        return False
    return comment.startswith(MARK) and comment.endswith(f"sha256 {checksum}")
