"""The gains of a controller: numbers as they were given, spread out when it meets its machine.

A controller is made before it is known how many actuators and freedoms there are. A form says of
what there is one number each: its sizes are numbers, or ACTUATORS or FREEDOMS, whose number the
machine knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from reprlib import repr as short
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.model.definition import TWIST
from gough.model.structure import Structure

Form = tuple[int | str, ...]

ACTUATORS, FREEDOMS = "n", "f"
ALL_FREEDOMS = TWIST.size
PER_ACTUATOR: Form = (ACTUATORS,)
PER_FREEDOM: Form = (FREEDOMS,)
BETWEEN_ACTUATORS: Form = (ACTUATORS, ACTUATORS)
PER_AXIS: Form = (TWIST.size,)


def shape_of(form: Form, actuators: int, freedoms: int = ALL_FREEDOMS) -> tuple[int, ...]:
    """What a form is on a machine with so many actuators and freedoms."""
    known = {ACTUATORS: actuators, FREEDOMS: freedoms}
    return tuple(known[size] if isinstance(size, str) else size for size in form)


@dataclass(frozen=True, eq=False)
class Gain:
    """A gain of a control law: one number, or an array of its form."""

    name: str
    unit: str
    """Of slides, where it is one of the actuators."""
    form: Form
    values: Array
    """As given."""

    @property
    def couples(self) -> bool:
        """Whether it lets an error of one joint change the force of another."""
        square = self.values.ndim == len(BETWEEN_ACTUATORS)
        return square and bool((self.values != np.diag(np.diag(self.values))).any())

    def unit_on(self, structure: Structure) -> str:
        """Its unit on a machine: of gains of the actuators that of slides, of hinges, or both."""
        if ACTUATORS not in self.form:
            return self.unit
        units = (_of_hinges(self.unit) if j.turns else self.unit for j in structure.driven)
        return ", ".join(dict.fromkeys(units))

    def spread(self, actuators: int, freedoms: int = ALL_FREEDOMS) -> Array:
        """For a machine with so many of them: a number is the same for each, and couples none."""
        shape = shape_of(self.form, actuators, freedoms)
        if self.values.ndim == 0:
            each = np.eye(actuators) if self.form == BETWEEN_ACTUATORS else np.ones(shape)
            return np.asarray(self.values * each)
        if self.values.shape != shape:
            raise GoughError(
                f"gain {self.name} has shape {self.values.shape}; expected a number or an array "
                f"{shape}, as the machine has {_counted(self.form, actuators, freedoms)}"
            )
        return self.values


def gains_of(form: Form, **given: tuple[Any, str]) -> tuple[Gain, ...]:
    """Gains of one form, by name: what was given, and the unit."""
    return tuple(
        Gain(name, unit, form, _numbers(name, value, form)) for name, (value, unit) in given.items()
    )


def _numbers(name: str, value: Any, form: Form) -> Array:
    """Refuse what is a gain on no machine, however many actuators it has."""
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(f"gain {name} is not a number: {short(value)}") from None
    fits = numbers.ndim == 0 or numbers.shape == shape_of(form, len(numbers), len(numbers))
    if not fits or not np.isfinite(numbers).all():
        names = {ACTUATORS: " of n actuators", FREEDOMS: " of f freedoms"}
        array = str(form).replace("'", "") + names.get(str(form[0]), "")
        raise GoughError(
            f"gain {name} is {short(value)}; expected a number or an array {array}, finite"
        )
    return numbers


def _counted(form: Form, actuators: int, freedoms: int) -> str:
    return f"{freedoms} freedoms" if FREEDOMS in form else f"{actuators} actuators"


def _of_hinges(unit: str) -> str:
    """A unit of forces by lengths as one of torques by angles: N s/m as N m s/rad."""
    above, slash, below = unit.partition("/")
    return above.replace("N", "N m") + slash + below.replace("m", "rad")
