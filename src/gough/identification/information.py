"""Information of a motion about base parameters, margins to limits, and derivatives of both.

A motion is given by places, positions [m] and rotation vectors [rad] from a reference attitude,
with their two rates, at some times.
"""

from dataclasses import dataclass

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.forces import dynamics
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import turned_by
from gough.identification.base import BaseParameters
from gough.kinematics import ALL_LIMITS, margins
from gough.kinematics.workspace.reach import each_margin
from gough.kinematics.workspace.stated_limits import FAMILIES, Stated, ends_of, stated_limits
from gough.model import Kernels, Machines, definitions
from gough.model.catalogue import chosen_formulation
from gough.model.standard import standard_names
from gough.motion.motions.screws import PLACES, motion_of_places
from gough.robot import Robot

LIMITS = (*FAMILIES, "speed", "force")
"""Kinds of limits, in the order of margins."""
SQUARED = ("base joint", "platform joint", "speed", "force")
"""Those whose margins are 1 - share² of the limit: below it by a share, they are twice that."""
SLOPE = Argument("slope", (18,), "SI", "derivatives by place, place_1 and place_2")
ASKED = Argument("asked", (len(LIMITS),), "1", "the margins that are asked for")
END = Argument("end", (), "1", "the margin below which a barrier is a parabola")
Places = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Information:
    """The information of a motion about base parameters: log det YᵀY, where all forces are Y x."""

    model: Kernels
    base: BaseParameters
    reference: tuple[float, ...]
    """The attitude that rotation vectors count from."""

    def columns(self, places: Places) -> Array:
        """Y (T, n, b)."""
        states = motion_of_places(self.reference, *places)
        return np.asarray(self.model.regressor(*states) @ self._own)

    def __call__(self, places: Places) -> tuple[float, Array]:
        """log det YᵀY and its derivatives by places and rates (T, 18); -inf where there is none.

        d log det YᵀY = 2 tr((YᵀY)⁻¹ Yᵀ dY). Products are of one sample at a time: larger ones would
        be shared among threads, which wait for each other where others are at work.
        """
        Y = self.columns(places)
        normal = (np.swapaxes(Y, 1, 2) @ Y).sum(axis=0)
        lengths = np.sqrt(np.diag(normal))
        none = -np.inf, np.zeros((len(Y), SLOPE.size))
        if not (np.isfinite(lengths).all() and lengths.all()):
            return none
        unit = normal / np.outer(lengths, lengths)
        sign, value = np.linalg.slogdet(unit)
        if sign <= 0:
            return none
        inverse = np.linalg.inv(unit) / np.outer(lengths, lengths)
        weights = 2 * (Y @ inverse) @ self._own.T
        kernel = columns_slope_kernel(self.model.machines)
        slope = kernel(np.array(self.reference), *places, weights)
        return float(value + 2 * np.log(lengths).sum()), np.asarray(slope)

    def condition(self, places: Places) -> float:
        """Return the condition number of Y, with all columns of length one."""
        rows = self.columns(places).reshape(-1, len(self.base.names))
        return float(np.linalg.cond(rows / np.linalg.norm(rows, axis=0)))

    @property
    def _own(self) -> Array:
        """(standard x base) which columns of the regressor count, summed over identical legs."""
        return np.asarray(self.base.ties[:, self.base.pivots])


@compiled
def columns_slope_kernel(machines: Machines) -> Kernel:
    """(reference, places, weights) -> derivatives of the regressor's sum, by these weights."""
    structure, formulation = machines.structure, chosen_formulation(machines.robot, None)
    regressor = definitions(structure, formulation)["regressor"].equation
    shape = structure.actuators, len(standard_names(structure))
    weights = Argument("weights", shape, "1", "of the regressor's entries")

    def equation(machine: Machine, reference: Value, *given: Value) -> Value:
        *places, factors = given
        columns = regressor(machine, *turned_by(reference, *places))
        assert not isinstance(columns, tuple)
        return ca.gradient(ca.dot(factors, columns), ca.vertcat(*places))

    return machines.kernel("excitation_slope", equation, (*PLACES, weights), (SLOPE,))


def least_margins(model: Kernels, reference: tuple[float, ...], places: Places) -> Array:
    """(T, 7) how far each kind of limit is kept, in the order of LIMITS; infinite where none is."""
    pose, twist, acceleration = motion_of_places(reference, *places)
    speed = model.joint_velocity(pose, twist)
    force, own = model.actuator_force(pose, twist, acceleration), []
    for values, limit in ((speed, "max_speed"), (force, "max_force")):
        shares = [np.abs(values[:, k]) / most for k, most in _stating(model.machines, limit)]
        own.append(1 - np.max(shares, axis=0) ** 2 if shares else np.full(len(values), np.inf))
    return np.column_stack([margins(model, pose), *own])


def margins_of(free: float) -> Array:
    """(7) the margins that leave this share of every range free, in the order of LIMITS."""
    return np.array([1 - (1 - free) ** 2 if kind in SQUARED else free for kind in LIMITS])


def limit_names(robot: Robot) -> tuple[str, ...]:
    """Return LIMITS as they are called for a robot: motors that turn have a range."""
    return (*ends_of(robot)[: len(FAMILIES)], *LIMITS[len(FAMILIES) :])


def free_shares(margins: Array) -> Array:
    """(7) the shares of ranges that margins leave free: all of one that is not limited."""
    squared = [kind in SQUARED for kind in LIMITS]
    return np.where(squared, 1 - np.sqrt(np.maximum(1 - margins, 0.0)), margins)


def barrier_kernel(model: Kernels) -> Kernel:
    """(reference, places, asked, δ) -> the sum of -log of all margins, and its derivatives.

    They are margins beyond those asked for. Below a small one, δ, it goes on as a parabola
    [Hauser & Saccon 2006], so that a motion that breaks limits is led back.
    """
    return _barrier(model.machines, stated_limits(model.robot, ALL_LIMITS.families))


@compiled
def _barrier(machines: Machines, stated: Stated) -> Kernel:
    of_pose = each_margin(machines, stated, ALL_LIMITS, possible=True)
    fast, strong = _stating(machines, "max_speed"), _stating(machines, "max_force")

    def equation(machine: Machine, reference: Value, *given: Value) -> tuple[Value, Value]:
        *places, asked, delta = given
        pose, twist, acceleration = turned_by(reference, *places)
        _, families = of_pose(machine, pose)
        speed = kinematics.joint_velocity(machine, pose, twist)
        force = dynamics.actuator_force(machine, pose, twist, acceleration, ca.DM.zeros(6))
        each = [
            *families,
            [1 - (speed[k] / most) ** 2 for k, most in fast],
            [1 - (force[k] / most) ** 2 for k, most in strong],
        ]
        kinds = zip(each, ca.vertsplit(asked), strict=True)
        z = ca.vertcat(*(margin - least for margins, least in kinds for margin in margins))
        beyond = (((z - 2 * delta) / delta) ** 2 - 1) / 2 - ca.log(delta)
        total = ca.sum1(ca.if_else(z > delta, -ca.log(ca.fmax(z, delta)), beyond))
        return total, ca.gradient(total, ca.vertcat(*places))

    outputs = (Argument("total", (), "1", "of all margins"), SLOPE)
    return machines.kernel("excitation_barrier", equation, (*PLACES, ASKED, END), outputs)


def _stating(machines: Machines, limit: str) -> list[tuple[int, float]]:
    """Which actuators state a limit, and what it is."""
    stated = ((k, getattr(a, limit)) for k, a in enumerate(machines.robot.actuators))
    return [(k, most) for k, most in stated if most is not None]
