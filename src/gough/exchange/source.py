"""A robot's kernels as source files: C99, CUDA, JavaScript, WebAssembly, PLCs' languages."""

import json
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from reprlib import repr as short
from textwrap import fill, indent

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.front.function import Function, joined
from gough.compiler.front.program import Program, offsets
from gough.compiler.front.transformed import for_single_precision, sharing_routines
from gough.compiler.source.c import Library, c_example, c_header, c_source
from gough.compiler.source.cuda import cuda_source
from gough.compiler.source.javascript import javascript_source, webassembly_source
from gough.compiler.source.language import c_identifier, is_single
from gough.disk.sources import Texts, rendered, write_sources
from gough.errors import CompilerError, GoughError
from gough.exchange.plc import function_block, plcopen_xml, rounding_note
from gough.kinematics.forward.kernel import STATE, STEP, first_state, tracking_function
from gough.kinematics.forward.status import DOUBLE, SINGLE
from gough.model import structure
from gough.model.definition import BASE_MOTION
from gough.model.kernels import Kernels, kernels_of
from gough.robot import Robot
from gough.simulation import Plant, real_plant, rigid_plant
from gough.simulation.controllers.controller import FORCES, Controller

_SPEED, _ACCELERATION, _JERK = 0.1, 1.0, 10.0
"""Velocity, acceleration and jerk of each degree of freedom of the platform [m/s, rad/s, ...]."""
_LOAD = np.array([0.1, 0.2, -0.3, 0.01, -0.02, 0.03])
"""A wrench [N, N m] on a platform with a weight of 1 N."""

FORWARD = "forward_kinematics"  # name of an export beside the kernels
PLC = ("st", "plcopen")
"""Languages of PLCs: text, and text in PLCopen's XML."""
_OF_ROUNDING = frozenset({"is_singular", "constraint_pivot"})
"""Kernels that distinguish zero from rounding errors of double precision."""


@dataclass(frozen=True)
class Exported:
    """Files that an export wrote."""

    paths: list[Path]
    operations: dict[str, tuple[int, int]]
    """Scalar operations of each function: with one pass of each iteration, and at most."""
    left_out: dict[str, str]
    """Kernels that cannot be written so, and why."""


def export_kernels(
    robot: Robot | Kernels,
    directory: str | Path,
    kernels: Sequence[str] | None = None,
    *,
    language: str = "c",
    dtype: str = "float64",
    at_once: bool = False,
    prefix: str = "",
    overwrite: bool = False,
) -> Exported:
    """Write kernels of a model into a folder, which is made if need be; by default all that can be.

    C99 ("c"): `KERNEL.c`, `KERNEL.h` and `KERNEL_example.c`, which calls it at the home pose.
    CUDA ("cuda"): `KERNEL.cu` and `KERNEL.json`, for `gough.compiler.GpuKernel.load`.
    JavaScript ("js"): `KERNEL.js`, a module of one function.
    WebAssembly ("wasm"): `KERNEL_batch.js`, a module that holds it, for many samples at once.
    Structured Text ("st"): `KERNEL.st`, a function block for PLCs with all that it calls.
    PLCopen XML ("plcopen"): `KERNEL.xml`, the same for programming systems that import it.

    A kernel may also be `forward_kinematics`: one sample of a path a call. With dtype "float32",
    C, CUDA and PLCs' languages are in single precision. In C two or more are one library,
    `ROBOT.c`, `ROBOT.h` and `ROBOT_example.c`, named as the robot is, which has what several of
    them call once. If `at_once`, two or more are one function in any language, named as the robot
    is, which computes what they share once. A `prefix` stands before the names of functions and, in
    capitals, of places of parameters, so that those of several machines can be in one program.
    Files that are not as Gough made them are refused, unless `overwrite`.
    """
    model = kernels_of(robot)
    _check(kernels, language, dtype, prefix)
    programs, left_out = dict[Function, Program](), dict[str, str]()
    for name in [FORWARD, *model.kernel_names] if kernels is None else dict.fromkeys(kernels):
        try:
            function = _function(model, name, dtype)
            programs[function] = _program(model, function, dtype)
        except CompilerError as error:
            if kernels is not None:
                raise
            left_out[name] = str(error)
    if at_once and len(programs) > 1:
        whole = joined(c_identifier(model.robot.name), list(programs))
        programs = {whole: _program(model, whole, dtype)}
    written = [replace(program, name=prefix + program.name) for program in programs.values()]
    texts = c_texts(written, model, dtype, prefix) if language == "c" else Texts()
    measured = language in PLC and is_single(dtype)
    values = example_state(model, {a.name for p in written for a in p.inputs}) if measured else {}
    for function, program in zip(programs, written.copy(), strict=True) if not texts else ():
        try:
            note = rounding_note(Program.of(function), program, values) if measured else ""
            texts |= _WRITERS[language](replace(program, doc=program.doc + note), dtype)
        except CompilerError as error:
            if kernels is not None or at_once:
                raise
            left_out[program.name.removeprefix(prefix)] = str(error)
            written.remove(program)
    paths = write_sources(Path(directory), texts, overwrite=overwrite)
    return Exported(paths, {p.name: (p.n_operations, p.most_operations) for p in written}, left_out)


def exported_program(model: Kernels, kernel: str, dtype: str = "float64") -> Program:
    """The program of a kernel, or of `forward_kinematics`, that suits a kind of numbers."""
    return _program(model, _function(model, kernel, dtype), dtype)


def _program(model: Kernels, function: Function, dtype: str) -> Program:
    program = _noted(function, model.robot)
    return for_single_precision(program, suited={STEP}) if is_single(dtype) else program


def _noted(function: Function, robot: Robot) -> Program:
    """The program of a function; its text lists passive motions that it leaves out."""
    program = Program.of(function, robot.identity)
    notes = "".join(f"\n\n{fill(note, 88)}" for note in structure.left_out(robot))
    return replace(program, doc=program.doc.rstrip() + notes) if notes else program


def _function(model: Kernels, name: str, dtype: str) -> Function:
    single = is_single(dtype)
    if single and name in _OF_ROUNDING:
        problem = f"{name} distinguishes zero from rounding errors of double precision"
        raise CompilerError(f"{problem}; expected float64")
    if name == FORWARD:
        return tracking_function(model.machines, SINGLE if single else DOUBLE)
    return model.function(name)


def _check(kernels: object, language: object, dtype: str, prefix: object) -> None:
    several = isinstance(kernels, Iterable) and not isinstance(kernels, str)
    if kernels is not None and not (several and kernels):
        got = repr(kernels) if kernels else "no kernel"
        raise GoughError(f'{got} to export; expected a list of names, such as ["jacobian"]')
    if not isinstance(prefix, str):
        raise GoughError(f"prefix is {short(prefix)}; expected a word, such as 'delta_'")
    if not isinstance(language, str) or language not in _LANGUAGES:
        expected = ", ".join(repr(known) for known in _LANGUAGES)
        raise GoughError(f"cannot export to {language!r}; expected one of {expected}")
    if is_single(dtype) and language not in ("c", "cuda", *PLC):
        raise GoughError(f"{dtype} is not for {language!r}; expected c, cuda, {', '.join(PLC)}")


def c_texts(
    programs: Sequence[Program], model: Kernels, dtype: str, prefix: str, name: str = ""
) -> Texts:
    """Source, header and example of programs of a model: one library, or one function alone."""
    name = name or (programs[0].name if len(programs) == 1 else c_identifier(model.robot.name))
    names = tuple(model.parameter_names) if model.parametric else ()
    library = Library(name, sharing_routines(programs), is_single(dtype), names, prefix)
    inputs = {a.name for program in programs for a in program.inputs}
    return c_files(name, library, example_state(model, inputs))


def c_files(name: str, library: Library, values: dict[str, Array]) -> Texts:
    """Header, source and example of a library."""
    return {
        f"{name}.h": c_header(library),
        f"{name}.c": c_source(library),
        f"{name}_example.c": c_example(library, values),
    }


def cuda_files(program: Program, dtype: str) -> Texts:
    """Text of a program in CUDA, and its signature."""
    source, signature = cuda_source(program, dtype)
    described = json.dumps(signature, indent=2) + "\n"
    return {f"{program.name}.cu": source, f"{program.name}.json": described}


_WRITERS: dict[str, Callable[[Program, str], Texts]] = {
    "cuda": cuda_files,
    "js": lambda program, _: {f"{program.name}.js": javascript_source(program)},
    "wasm": lambda program, _: {f"{program.name}_batch.js": webassembly_source(program)},
    "st": lambda p, dtype: {f"{p.name}.st": function_block(p, dtype)},
    "plcopen": lambda p, dtype: {f"{p.name}.xml": plcopen_xml(function_block(p, dtype))},
}
"""Files of a program, by languages other than C, in which several are one library."""
_LANGUAGES = ("c", *_WRITERS)


def example_state(model: Kernels, names: Container[str]) -> dict[str, Array]:
    """Values of those inputs of kernels that have these names.

    The platform moves as it can, the actuators stand and push as this takes.
    """
    robot, home = model.robot, np.array(model.robot.home)
    load = _LOAD * (robot.platform.mass * np.linalg.norm(robot.gravity) or 1.0)
    leaning = np.array([0, 0, 0, 1, _SPEED, 0, 0]), np.full(6, _SPEED), np.full(6, _ACCELERATION)
    base = dict(zip((argument.name for argument in BASE_MOTION), leaning, strict=True))

    def moving(rate: float) -> Array:
        """A twist, or a rate of one, that the platform can have at home."""
        given, free = np.full(6, rate), "admissible" not in model.kernel_names
        return given if free else np.asarray(model.admissible(*model.numbers(), home, given))

    def forces() -> Array:
        """Return the actuator forces of the motion; zeros if it does not determine them."""
        if "inverse_dynamics" not in model.kernel_names:
            return np.zeros(model.structure.actuators)
        motion = moving(_SPEED), moving(_ACCELERATION)
        carried = base.values() if model.moving_base else ()
        return np.asarray(model.inverse_dynamics(*model.numbers(), *carried, home, *motion, load))

    def max_forces() -> Array:
        """Return the robot's maximum forces; where it states none, twice those of the motion."""
        enough = 2 * np.abs(forces()).max()
        return np.array([enough if a.max_force is None else a.max_force for a in robot.actuators])

    makers: dict[str, Callable[[], Array]] = {
        **{name: partial(np.copy, own) for name, own in model.machines.own.items()},
        **{name: partial(np.copy, own) for name, own in base.items()},
        "pose": lambda: home,
        "twist": lambda: moving(_SPEED),
        "acceleration": lambda: moving(_ACCELERATION),
        "jerk": lambda: moving(_JERK),
        **dict.fromkeys(("wrench", "direction", "wrench_rate"), lambda: load),
        "q": lambda: model.inverse_kinematics(*model.numbers(), home),
        "readings": lambda: model.readings(*model.numbers(), home),
        "force": forces,
        "max_force": max_forces,
        STATE.name: lambda: first_state(robot),
    }
    return {name: np.asarray(make()) for name, make in makers.items() if name in names}


def export_controller(
    controller: Controller,
    directory: str | Path,
    *,
    robot: Robot,
    period: float,
    limit: ArrayLike | None = None,
    language: str = "c",
    dtype: str = "float64",
    overwrite: bool = False,
) -> list[Path]:
    """Write a controller of a robot as C99, or as a function block for PLCs.

    C99 ("c"): controller.c, controller.h and controller_example.c. Structured Text ("st"):
    controller.st; PLCopen XML ("plcopen"): controller.xml. It samples every `period` [s].

    `limit` is the maximum command of each actuator [N, N m, or V of one that gives voltages]; by
    default the robot's. The example is a first sample, of a machine that stands at its home pose.
    With dtype "float32" it is in single precision. Files that are not as Gough made them are
    refused, unless `overwrite`.
    """
    single = is_single(dtype)
    if language not in ("c", *PLC):
        known = ", ".join(map(repr, ("c", *PLC)))
        raise GoughError(f"cannot export a controller to {language!r}; expected one of {known}")
    of_robot = driven_by(controller, robot).limit
    function = controller.function(robot, period, of_robot if limit is None else limit)
    values = first_sample(controller, robot)
    double = _noted(function, robot)
    program = for_single_precision(double) if single else double
    says = program.doc + _how_to_run(program, values, in_c=language == "c")
    if language == "c":
        library = Library(program.name, (replace(program, doc=says),), single)
        texts = c_files("controller", library, values)
    else:
        note = rounding_note(double, program, values) if single else ""
        texts = _WRITERS[language](replace(program, doc=says + note), dtype)
    return write_sources(Path(directory), texts, overwrite=overwrite)


def driven_by(controller: Controller, robot: Robot) -> Plant:
    """The plant that says what a controller has at first, and what its limits are."""
    if controller.springs is not None:
        return real_plant(robot, legs=controller.springs.modes[0], drives=False, stops=False)
    forces = controller.command == FORCES
    return rigid_plant(robot) if forces else real_plant(robot, joint_friction=False, stops=False)


def first_sample(controller: Controller, robot: Robot) -> dict[str, Array]:
    """Return the first inputs of a controller whose machine stands at its home pose, as desired."""
    plant = driven_by(controller, robot)
    at_rest = plant.start(robot.home)
    home, still = at_rest[:7], np.zeros(6)
    return {
        "state": controller.start(plant, home, still),
        "measurement": plant.measured_kernel(at_rest, still),
        "reference": np.concatenate([home, still, still]),
        "gains": controller.gain_values(plant.actuators, plant.dof),
    }


def _how_to_run(program: Program, values: dict[str, Array], *, in_c: bool) -> str:
    """Return the header's text on the first sample, on all others, and on the gains."""
    state, gains = (
        indent(fill(", ".join(repr(float(x)) for x in values[key]), 88), "  ")
        for key in ("state", "gains")
    )
    read = _elements_read(program, "measurement")
    facts = {"state": state, "gains": gains, "read": read, "in_c": in_c}
    return rendered(__name__, "controller.txt", facts).rstrip()


def _elements_read(program: Program, name: str) -> str:
    """Which elements of an input count, in words: 0 to 11, 18."""
    place = [a.name for a in program.inputs].index(name)
    first, size = offsets(program.inputs)[place], program.inputs[place].size
    read = [k for k in range(size) if first + k in program.loaded]
    starts = [k for k in read if k - 1 not in read]
    ends = [k for k in read if k + 1 not in read]
    runs = [f"{a} to {b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True)]
    return ", ".join(runs) or "none"
