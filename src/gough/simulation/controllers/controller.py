"""Controllers: a control law, its gains and its state, as one function of a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import prod
from reprlib import repr as short
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.limits import travels
from gough.arrays import Array
from gough.compiler import Argument, Function
from gough.compiler.memo import remembered_by_value
from gough.disk.plain_data import PlainData
from gough.equations.control import laws
from gough.equations.control.signals import Law, Measurement, Reference, Sample
from gough.equations.forces.contact import ContactSurface
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError, InputError
from gough.model import Structure, machine_of, structure_of
from gough.model.actuators import drives_of
from gough.model.definition import TWIST
from gough.poses.given import array_of_numbers
from gough.robot import Robot
from gough.simulation.plants.plant import Plant, measurement_of
from gough.simulation.plants.transmission import CompliantParts

Form = tuple[int | str, ...]

ACTUATORS, FREEDOMS = "n", "f"
ALL_DOF = TWIST.size
PER_ACTUATOR: Form = (ACTUATORS,)
PER_FREEDOM: Form = (FREEDOMS,)
BETWEEN_ACTUATORS: Form = (ACTUATORS, ACTUATORS)
PER_AXIS: Form = (TWIST.size,)

REFERENCE = Argument(
    "reference", (19,), "SI", "pose, twist and acceleration to follow, such as the machine can do"
)


class ControllerState(NamedTuple):
    """Numbers that a controller keeps from sample to sample, and their initial values."""

    name: str
    form: Form
    meaning: str
    first: Callable[[Plant, Array, Array], Array] | None = None
    """(plant, pose, twist) -> initial numbers; None: zero."""
    of_platform: bool = False  # whether they are a pose and a twist of the platform

    def size(self, actuators: int, dof: int = ALL_DOF) -> int:
        """Return the number of values, for a machine's actuators and degrees of freedom."""
        return prod(shape_of(self.form, actuators, dof))


FOLLOW_ACTUATORS: tuple[Law, ...] = (
    *(laws.joint_pid, laws.pd_gravity, laws.feed_forward, laws.gravity_feed_forward),
    *(laws.computed_torque_joint, laws.active_damping, laws.open_loop_voltages),
)
"""Laws to which the reference comes as positions or rates of the actuators."""

FORCES = Argument("force", (), "N", "forces of the actuators")
VOLTAGES = Argument("voltage", (), "V", "voltages of the motors")
"""Commands of controllers, each for one actuator."""


@dataclass(frozen=True, eq=False)
class Controller:
    """A control law with its gains."""

    name: str
    """Name in files."""
    description: str
    """Description in words, with these gains."""
    law: Law
    gains: tuple[Gain, ...]
    states: tuple[ControllerState, ...] = ()
    command: Argument = FORCES
    """Output: forces, or voltages of the drives."""
    springs: CompliantParts | None = None
    """Compliant parts of the legs that it needs."""
    open_loop: bool = False
    """Whether it uses the reference alone, whatever is measured."""
    drives: bool = False
    """Whether it knows the robot's drives."""
    surface: ContactSurface | None = None
    """Surface that it knows, in whose task axes it controls; None: base axes."""
    crosses: bool = False
    """Whether it passes parallel singularities on purpose: they do not end its run."""
    clips: bool = False
    """Whether positions that it follows are clipped at the travel of the actuators."""

    def __repr__(self) -> str:
        gains = " ".join(gain.name for gain in self.gains) or "none"
        return f"<gough controller {self.name}, gains: {gains}>"

    def with_clipped_reference(self, robot: Robot) -> Controller:
        """Return the controller with its reference clipped at the travel of a robot's actuators.

        There the positions that it follows stay at the end, and their rates are zero. Forces that
        it feeds forward remain those of the motion. A law that follows the platform is refused.
        """
        if self.law not in FOLLOW_ACTUATORS:
            problem = f"controller {self.name} does not follow positions of actuators"
            raise InputError(problem, expected="a law that does, such as joint-pid")
        if not np.isfinite(travels(robot)).any():
            raise InputError(f"{robot.name} has no travel to clip at", expected="a stroke or range")
        words = f"{self.description}, whose reference is clipped at the travel"
        return replace(self, clips=True, description=words)

    def state_size(self, actuators: int, dof: int = ALL_DOF) -> int:
        """Return the number of values kept from sample to sample; one, unused, if it needs none."""
        return max(sum(state.size(actuators, dof) for state in self.states), 1)

    def gain_arrays(self, actuators: int, dof: int = ALL_DOF) -> dict[str, Array]:
        """Return its gains by name, expanded to a machine's actuators and degrees of freedom."""
        return {gain.name: gain.array(actuators, dof) for gain in self.gains}

    def gain_values(self, actuators: int, dof: int = ALL_DOF) -> Array:
        """Return all gains in one row, as its function takes them."""
        arrays = self.gain_arrays(actuators, dof)
        return np.concatenate([np.ravel(values) for values in arrays.values()])

    def described(self, plant: Plant) -> PlainData:
        """Return its kind, its description, and its gains with their units on a plant."""
        arrays = self.gain_arrays(plant.actuators, plant.dof)
        return {
            "kind": self.name,
            "description": self.description,
            "gains": {name: values.tolist() for name, values in arrays.items()},
            "units": {gain.name: gain.unit_on(plant.structure) for gain in self.gains},
            **({"clips": True} if self.clips else {}),
        }

    def start(self, plant: Plant, pose: Array, twist: Array) -> Array:
        """Return its initial state, on a plant at a pose and twist."""
        of = (plant.actuators, plant.dof)
        parts = [
            np.zeros(state.size(*of)) if state.first is None else state.first(plant, pose, twist)
            for state in self.states
        ]
        return np.concatenate(parts, axis=-1) if parts else np.zeros(self.state_size(*of))

    @remembered_by_value
    def function(
        self, robot: Robot, period: float, limit: ArrayLike, plant: Plant | None = None
    ) -> Function:
        """(state, measurement, reference, gains) -> (command, state), for a sampling period [s].

        `robot` is the controller's model of the machine. With a `plant` it knows the numbers that
        vary there, which are a further input.
        """
        structure = structure_of(robot)
        if self.springs is not None and not robot.has_extensible_legs:
            raise GoughError(
                f"controller {self.name} {self.springs.use} {self.springs.name}; only extensible "
                f"legs of hexapods (gough/1) have them, {robot.name} does not"
            )
        n, of = structure.actuators, (structure.actuators, structure.dof)
        drives = drives_of(robot) if self.drives else None
        low, high = travels(robot)
        ends = (ca.DM(low), ca.DM(high)) if self.clips else None
        setting = (period, ca.DM(np.asarray(limit, dtype=float)), drives, ends)
        parts = [f"{s.name}, {s.size(*of)} numbers: {s.meaning}" for s in self.states]
        size, words = self.state_size(*of), ". ".join(parts) or "not used: zero"
        state = Argument("state", (size,), "SI", words)
        shapes = {name: values.shape for name, values in self.gain_arrays(*of).items()}
        listed = ", ".join(f"{name} {list(shape)}" for name, shape in shapes.items())
        gains = Argument("gains", (sum(map(prod, shapes.values())),), "SI", f"{listed}, row by row")
        unit = structure.force_unit if self.command == FORCES else self.command.unit
        command = Argument("command", (n,), unit, self.command.meaning)

        def equation(
            s: Value, measurement: Value, reference: Value, numbers: Value, *p: Value
        ) -> tuple[Value, Value]:
            machine = plant.machine(p) if plant else machine_of(robot)
            measured, wanted = Measurement.of(measurement), Reference.of(reference)
            gains = _matrices(numbers, shapes)
            return self.law(Sample(machine, *setting, s, measured, wanted, gains, self.surface))

        inputs = [state, measurement_of(n), REFERENCE, gains]
        inputs += plant.parameters if plant else ()
        results = [command, replace(state, meaning="for the next sample")]
        doc = f"{self.name}, once every {period:g} s: {self.description}."
        return Function.from_equation("controller", equation, inputs, results, doc)


def _matrices(numbers: Value, shapes: dict[str, tuple[int, ...]]) -> dict[str, Value]:
    """Return gains by name, from one column that holds them row by row."""
    matrices, first = {}, 0
    for name, shape in shapes.items():
        part = numbers[first : first + prod(shape)]
        matrices[name] = ca.reshape(part, *shape).T if len(shape) == 2 else part
        first += prod(shape)
    return matrices


def shape_of(form: Form, actuators: int, dof: int = ALL_DOF) -> tuple[int, ...]:
    """Return the shape of a form, for a machine's actuators and degrees of freedom."""
    known = {ACTUATORS: actuators, FREEDOMS: dof}
    return tuple(known[size] if isinstance(size, str) else size for size in form)


@dataclass(frozen=True, eq=False)
class Gain:
    """A gain of a control law: one number, or an array of its form."""

    name: str
    unit: str  # unit for linear joints, where it is a gain of the actuators
    form: Form
    values: Array  # values as given

    @property
    def couples(self) -> bool:
        """Whether an error of one joint changes the force of another."""
        square = self.values.ndim == len(BETWEEN_ACTUATORS)
        return square and bool((self.values != np.diag(np.diag(self.values))).any())

    def unit_on(self, structure: Structure) -> str:
        """Return its unit on a machine: for gains of actuators that of slides, hinges, or both."""
        if ACTUATORS not in self.form:
            return self.unit
        units = (_of_hinges(self.unit) if j.turns else self.unit for j in structure.driven)
        return ", ".join(dict.fromkeys(units))

    def array(self, actuators: int, dof: int = ALL_DOF) -> Array:
        """Return it for each actuator or DoF of a machine: a number applies to each, uncoupled."""
        shape = shape_of(self.form, actuators, dof)
        if self.values.ndim == 0:
            each = np.eye(actuators) if self.form == BETWEEN_ACTUATORS else np.ones(shape)
            return np.asarray(self.values * each)
        if self.values.shape != shape:
            per_dof = FREEDOMS in self.form
            counted = f"{dof} degrees of freedom" if per_dof else f"{actuators} actuators"
            raise GoughError(
                f"gain {self.name} has shape {self.values.shape}; expected a number or an array "
                f"{shape}, because the machine has {counted}"
            )
        return self.values


def gains_of(form: Form, units: Mapping[str, str], **values: ArrayLike) -> tuple[Gain, ...]:
    """Return gains of one form, by name, from values and units."""
    return tuple(Gain(k, units[k], form, _numbers(k, x, form)) for k, x in values.items())


def _numbers(name: str, value: ArrayLike, form: Form) -> Array:
    """Refuse a value that is no gain on any mechanism, however many actuators it has."""
    numbers = array_of_numbers(value, f"gain {name}")
    fits = numbers.ndim == 0 or numbers.shape == shape_of(form, len(numbers), len(numbers))
    if not fits or not np.isfinite(numbers).all():
        names = {ACTUATORS: " of n actuators", FREEDOMS: " of f degrees of freedom"}
        array = str(form).replace("'", "") + names.get(str(form[0]), "")
        raise GoughError(
            f"gain {name} is {short(value)}; expected a number or an array {array}, finite"
        )
    return numbers


def _of_hinges(unit: str) -> str:
    """Return a unit of forces by lengths as one of torques by angles: N s/m as N m s/rad."""
    above, slash, below = unit.partition("/")
    return above.replace("N", "N m") + slash + below.replace("m", "rad")
