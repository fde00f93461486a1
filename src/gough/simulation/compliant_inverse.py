"""Inverse dynamics with compliant legs, from the platform's motion [Baiges 1996, chapter 6].

The platform's motion is given. The springs' compression follows from the forces, but where dampers
are, it has a memory: these states are integrated along the motion. The actuators' own motion, E, is
on both sides of the equations; it is found by iteration, the first with the E of rigid legs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_integer
from gough.compiler.front.argument import Argument
from gough.compiler.native.kernel import Kernel
from gough.display.brief import Brief
from gough.equations.actuators import compliant
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.legs.extensible import Mode
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.kinematics.model import Model
from gough.memory import require_memory
from gough.model.actuators import connectors_of, joint_frictions_of
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH
from gough.model.parameters import machine_of
from gough.motion import Motion, Task, carrying, total_wrench
from gough.robot import Hexapod, Robot
from gough.simulation.plants.transmission import Connectors, MachineState, as_row, with_joints

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

ROUNDS = 30
SETTLED = 1e-10
"""Change of E between iterations [m] at which it counts as converged."""
NUMBERS_OF_A_SAMPLE = 300
"""Numbers in memory for the motion, the states, the spline with its equations and the results."""
DEGREE = 5
"""Degree of the spline of E between samples."""


@dataclass(frozen=True, repr=False)
class CompliantDemand(Brief):
    """Actuator forces and motions at each of T samples for the wanted motion of the platform."""

    time: Array
    """(T,) [s]"""
    force: Array
    """(T, legs) of the actuators [N]."""
    leg_force: Array
    """(T, legs) on the platform, along the legs [N]."""
    actuator_length: Array
    """(T, legs) [m]: the lengths that the legs would have if they were rigid."""
    actuator_speed: Array
    """(T, legs) [m/s]"""
    coupling_deflection: Array
    """(T, legs) [m]: compression of the coupling stages; zero where they are locked."""
    rounds: int
    """Number of iterations for the actuators' motion."""


def compliant_inverse(
    robot: Robot,
    motion: Motion,
    *,
    legs: Mode = "complete",
    tasks: Iterable[Task] = (),
    samples: int = 1001,
) -> CompliantDemand:
    """Compute the forces and lengths of the actuators for a motion of the platform.

    The legs start at rest under the initial forces. Between samples E is a spline of the fifth
    degree, so the samples must be dense enough for its acceleration. Springs deflect as forces
    change: where a force jumps, E would have to jump as well, so a load that begins or ends during
    the motion, or an acceleration that jumps there, is a GoughError; where only the jerk jumps, so
    does the speed of E, and the force found there depends on the samples. Legs whose springs are
    too soft for the motion, so that the iteration does not converge, are a GoughError, too.
    """
    if not robot.has_extensible_legs:
        raise GoughError(
            f"{robot.name}: only extensible legs of hexapods (gough/1) have compliant connectors; "
            "for other machines use inverse_dynamics"
        )
    from scipy.interpolate import make_interp_spline  # noqa: PLC0415  (slow to import)

    duration = float(motion.duration)
    acting = ((task, *task.active) for task in tasks)  # for longer than an instant
    loads = tuple(task for task, first, last in acting if max(first, 0.0) < min(last, duration))
    _check_steadiness(motion, loads)
    carrier = carrying(robot, loads)
    assert isinstance(carrier, Hexapod)
    count = require_integer("samples", samples, least=DEGREE + 1)
    require_memory(8 * NUMBERS_OF_A_SAMPLE * count, f"{count:,} samples")
    time = np.linspace(0.0, duration, count)
    wanted = motion(time)
    outside = total_wrench(loads, time, wanted)
    kernel = _kernel(carrier, legs)
    transmission = Connectors(connectors_of(carrier, legs))
    inner = transmission.statics(carrier, wanted.pose[0], outside[0]).inner
    start = as_row(ca.vertcat(inner.delta_c, inner.D, inner.D_dot))
    free = np.array([leg.piston.center_of_mass for leg in carrier.legs])
    E = np.asarray(Model(carrier).inverse_kinematics(wanted.pose) - free)
    for k in range(ROUNDS):
        spline = make_interp_spline(time, E, k=DEGREE)
        states = _integrated(kernel, motion, loads, spline, start, time)
        _, force, leg_force, new, compression = kernel(
            states, _actuator(spline, time), wanted.pose, wanted.twist, wanted.acceleration, outside
        )
        change, E = float(np.abs(new - E).max()), new
        if not np.isfinite(change):
            break
        if change < SETTLED:
            found = (time, force, leg_force, E + free, spline(time, 1), compression)
            return CompliantDemand(*found, rounds=k + 1)
    raise GoughError(
        f"{robot.name}: the actuators' motion is not found: it still changes by {change:.2g} m "
        f"after {ROUNDS} rounds; expected stiffer legs, a slower motion, or other samples"
    )


def _check_steadiness(motion: Motion, tasks: tuple[Task, ...]) -> None:
    """Refuse loads and accelerations that jump during the motion; at its ends they may."""
    duration, rounding = motion.duration, 1e-9 * motion.duration
    if jumps := [t for task in tasks for t in task.jumps if 0.0 < t < duration]:
        raise GoughError(
            f"a load jumps at {min(jumps):.6g} s, within the motion's {duration:.6g} s; "
            "expected loads that act all the time"
        )
    breaks = [t for t in motion.breaks if rounding < t < duration - rounding]
    if breaks:
        raise GoughError(
            f"the acceleration of the motion jumps at {min(breaks):.6g} s; expected one without "
            "jumps during the motion, because compliant legs cannot follow them"
        )


def _kernel(robot: Hexapod, legs: Mode) -> Kernel:
    """(states, actuator, pose, twist, acceleration, wrench) -> rates, forces, E and δ_c."""
    machine, connectors, n = machine_of(robot), connectors_of(robot, legs), len(robot.legs)
    hexapod, frictions = machine.extensible, joint_frictions_of(robot)
    assert hexapod is not None

    def equation(y: Value, e: Value, x: Value, v: Value, a: Value, w: Value) -> tuple[Value, ...]:
        (delta_c, D, D_dot), (E, E_dot, E_ddot) = ca.vertsplit(y, n), ca.vertsplit(e, n)
        inner = Inner(E, delta_c, D, E_dot, D_dot)
        w = with_joints(MachineState(machine, x, v, inner, frictions), w)
        found = compliant.inverse_dynamics(hexapod, connectors, x, v, a, inner, E_ddot, w)
        rate = ca.vertcat(found.delta_c_dot, D_dot, found.D_ddot)
        every = compliant.inner_motion(hexapod, connectors, x, v, replace(inner, E=found.E))
        return rate, found.force, found.leg_force, found.E, every.delta_c

    states = Argument("states", (3 * n,), "m, m/s", "δ_c, D and the rate of D, of each leg")
    actuator = Argument("actuator", (3 * n,), "m, m/s, m/s^2", "E and its two rates, of each leg")
    outputs = [
        Argument("rate", states.shape, "m/s, m/s^2", "of the states"),
        Argument("force", (n,), "N", "of the actuators"),
        Argument("leg_force", (n,), "N", "on the platform, along the legs"),
        Argument("E", (n,), "m", "where the actuators must be"),
        Argument("delta_c", (n,), "m", "compression of the coupling stages"),
    ]
    inputs = [states, actuator, POSE, TWIST, ACCELERATION, WRENCH]
    return Kernel.from_equation("compliant_inverse", equation, inputs, outputs)


def _integrated(
    kernel: Kernel, motion: Motion, tasks: tuple[Task, ...], E: BSpline, start: Array, time: Array
) -> Array:
    """Return the states at all times."""
    from scipy.integrate import solve_ivp  # noqa: PLC0415  (slow to import)

    def rates(t: float, y: Array) -> Array:
        at = motion(t)
        wrench = total_wrench(tasks, t, at)
        rate, *_ = kernel(y, _actuator(E, t), at.pose, at.twist, at.acceleration, wrench)
        return np.asarray(rate)

    options = {"method": "LSODA", "t_eval": time, "rtol": 1e-10, "atol": 1e-13}
    found = solve_ivp(rates, (time[0], time[-1]), start, **options)
    unknown = np.full((len(time), len(start)), np.nan)
    return np.ascontiguousarray(found.y.T) if found.success else unknown


def _actuator(E: BSpline, t: ArrayLike) -> Array:
    return np.concatenate([E(t), E(t, 1), E(t, 2)], axis=-1)
