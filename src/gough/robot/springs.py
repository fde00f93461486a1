"""Springs and dampers: between points of two bodies, and beside the motor of a joint."""

import math
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import entry, optional
from gough.robot.record import Record

_ONCE = "either its position without load, or its load at home, not both"
_LAWS = ("stiffness", "length", "force", "gas")


class SpringPoint(Record):
    """A point of a spring's characteristic."""

    length: q.NotNegativeLength = entry("Distance between the spring's ends [m].")
    force: q.SignedForce = entry("Force at this length [N], positive in tension.")


class GasSpring(Record):
    """Gas in a cylinder: its force is that at home times (column / (column + extension))^exponent.

    The extension counts from home. The pressure of the atmosphere is neglected.
    """

    column: q.PositiveLength = entry(
        "Volume of the gas at home divided by the area of the piston rod [m]."
    )
    exponent: q.PositiveNumber = entry(
        "Polytropic exponent: 1 for slow motion (isothermal), 1.4 for fast motion (adiabatic).", 1.0
    )


class Spring(Record):
    """A spring, damper or both between points of two bodies; its force acts along their line."""

    name: q.Name = entry("A name of its own.", min_length=1)
    between: tuple[str, str] = entry(
        'Two bodies, or "base", or "platform"; parts of a hexapod\'s legs are cylinder-1, piston-1 '
        "and so on."
    )
    start: q.Point = entry("Its point of the first body [m], base frame, with the machine at home.")
    end: q.Point = entry("Its point of the second body [m], base frame, with the machine at home.")
    stiffness: q.Stiffness | None = optional(
        "Stiffness [N/m]; left out, the force is constant, or that of a table or of gas."
    )
    length: q.NotNegativeLength | None = optional(
        "Free length [m], without force. Without length and force a spring has no force at home."
    )
    force: q.SignedForce | None = optional(
        "Force at home [N], positive in tension: preload, constant force, or force of gas."
    )
    damping: q.Damping | None = optional("Viscous damping along its line [N s/m].")
    table: tuple[SpringPoint, ...] | None = optional(
        "Nonlinear characteristic: points in the order of length. The force is linear between "
        "them, and beyond the first and last as in the segment next to it."
    )
    gas: GasSpring | None = optional("Gas spring with this force at home, negative as it pushes.")

    def _check(self) -> None:
        given = [key for key in _LAWS if getattr(self, key) is not None]
        if self.table is not None and given:
            expected = "a table alone, or no table"
            raise InputError("beside a table", key=given[0], expected=expected)
        if not (self.table is not None or given or self.damping):
            expected = "stiffness, force, damping or table"
            raise InputError("a spring without force", key="stiffness", expected=expected)
        if self.length is not None and "stiffness" not in given:
            raise InputError("missing", key="stiffness", expected="a stiffness beside length")
        if self.length is not None and self.force is not None:
            raise InputError("a length too", key="force", value=self.force, expected=_ONCE)
        if self.gas is not None and (self.force is None or self.stiffness is not None):
            expected = "gas with its force at home, and without stiffness"
            raise InputError("not the key of a gas spring alone", key="gas", expected=expected)
        lengths = [point.length for point in self.table or ()]
        increasing = len(lengths) > 1 and all(a < b for a, b in pairwise(lengths))
        if self.table is not None and not increasing:
            expected = "at least two points, in the order of length"
            raise InputError("no characteristic", key="table", value=lengths, expected=expected)
        if self.length_at_home == 0.0:
            problem = "the same point as start"
            expected = "two points that are apart at home: its force acts along their line"
            raise InputError(problem, key="end", value=self.end, expected=expected)

    @property
    def length_at_home(self) -> float:
        """Distance between its points with the machine at home [m]."""
        return math.dist(self.start, self.end)

    @property
    def at_home(self) -> tuple[float, float]:
        """Force at home [N], positive in tension, and its change by length there [N/m]."""
        if self.table is not None:
            ends = pairwise(self.table)
            a, b = next((x for x in ends if self.length_at_home < x[1].length), self.table[-2:])
            slope = (b.force - a.force) / (b.length - a.length)
            return a.force + slope * (self.length_at_home - a.length), slope
        force, stiffness = self.force or 0.0, self.stiffness or 0.0
        if self.gas is not None:
            return force, -force * self.gas.exponent / self.gas.column
        if self.length is not None:
            force = stiffness * (self.length_at_home - self.length)
        return force, stiffness


class JointSpring(Record):
    """A spring beside the motor or the bearing of a joint, with or without preload."""

    load_key: ClassVar[str]
    if TYPE_CHECKING:  # each kind declares them in its own units
        stiffness: float | None
        position: float | None

    def _check(self) -> None:
        load = getattr(self, self.load_key)
        if self.stiffness is None and (load is None or self.position is not None):
            expected = f"a stiffness, or a {self.load_key} alone"
            raise InputError("missing", key="stiffness", expected=expected)
        if load is not None and self.position is not None:
            raise InputError("a position too", key=self.load_key, value=load, expected=_ONCE)

    def load_at(self, home: float) -> float:
        """Return its load [N m, N] at a joint's position at home, towards positive positions."""
        load: float | None = getattr(self, self.load_key)
        away = 0.0 if self.position is None else self.position - home
        return (self.stiffness or 0.0) * away if load is None else load


class HingeSpring(JointSpring):
    """A torsion spring beside the motor or the bearing of a joint."""

    load_key: ClassVar[str] = "torque"
    stiffness: q.RotaryStiffness | None = optional(
        "Stiffness [N m/rad]; left out, its torque is constant."
    )
    position: q.Angle | None = optional(
        "Angle of the joint [rad] at which it has no torque; left out, that at home."
    )
    torque: q.SignedTorque | None = optional(
        "Torque on the joint at home [N m], towards positive angles: instead of a position."
    )


class SlideSpring(JointSpring):
    """A spring beside the motor or the bearing of a slide."""

    load_key: ClassVar[str] = "force"
    stiffness: q.Stiffness | None = optional("Stiffness [N/m]; left out, its force is constant.")
    position: q.Length | None = optional(
        "Position of the slide [m] at which it has no force; left out, that at home."
    )
    force: q.SignedForce | None = optional(
        "Force on the slide at home [N], towards positive positions: instead of a position."
    )
