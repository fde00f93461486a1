"""Inverse dynamics with compliant legs, from the platform's motion [Baiges 1996, chapter 6].

The platform's motion is given. The springs' compression follows from the forces, but where dampers
are, it has a memory: these states are integrated along the motion. The actuators' own motion, E, is
on both sides of the equations; it is found by iteration, the first with the E of rigid legs.

The legs begin without transients: at rest under the first forces where the platform is at rest; as
they end where the motion ends as it begins, so that it can be repeated; and otherwise in the state
that goes along with the first forces and their rates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.checks import require_integer
from gough.compiler import Argument, Kernel, compiled
from gough.display.brief import Brief
from gough.equations.actuators import compliant
from gough.equations.actuators.compliant_leg import Inner, legs_of
from gough.equations.legs.extensible import Mode
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, vector
from gough.errors import GoughError
from gough.kinematics import Model
from gough.memory import require_memory
from gough.model import Machines
from gough.model.actuators import connectors_of, joint_frictions_of
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH
from gough.motion import Motion, MotionSamples, Task, carrying, total_wrench
from gough.poses import difference
from gough.robot import Hexapod, Robot
from gough.simulation.plants.connectors import Connectors
from gough.simulation.plants.transmission import MachineState, as_row, with_joints

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

ROUNDS = 30
SETTLED = 1e-10  # change of E between iterations [m] at which it counts as converged
NUMBERS_OF_A_SAMPLE = 300  # numbers in memory: motion, states, spline and its equations, results
DEGREE = 5  # degree of the spline of E between samples
_EQUAL = 1e-9  # difference of equal numbers, as a share of the maximum along the motion
_NEWTON = 4  # number of Newton steps to a state: rates are almost linear in it


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
    actuator_acceleration: Array
    """(T, legs) [m/s^2]"""
    connector_deflection: Array
    """(T, legs) [m]: compression of the connectors' own springs; zero where they are rigid."""
    coupling_deflection: Array
    """(T, legs) [m]: compression of the coupling stages; zero where they are locked."""
    coupling_deflection_rate: Array
    """(T, legs) [m/s]"""
    decoupling_position: Array
    """(T, legs) [m]: distance of the decoupling masses from the base joints; NaN without any."""
    decoupling_speed: Array
    """(T, legs) [m/s]"""
    energy: Array
    """(T, 3) [J]: kinetic and potential energy of platform and legs, energy of connectors."""
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

    Where the platform begins at rest, the legs are at rest under the initial forces; else they go
    along with it, without transients: periodically if the motion ends as it begins. Between samples
    E is a spline of the fifth degree, so the samples must be dense enough for its acceleration.
    Springs deflect as forces change: where a force jumps, E would have to jump as well, so a load
    that jumps during the motion, or an acceleration that does, is a GoughError; where only the jerk
    jumps, so does the speed of E, and the force found there depends on the samples. Legs whose
    springs are too soft for the motion, so that the iteration does not converge, are a GoughError,
    too.
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
    kernel, connectors = _kernel(Machines(carrier), legs), connectors_of(carrier, legs)
    inner = Connectors(connectors).statics(carrier, wanted.pose[0], outside[0]).inner
    start = as_row(ca.vertcat(inner.delta_c, inner.D, inner.D_dot))
    resting, closed = _rests(wanted), _closes(wanted, outside)
    free = np.array([leg.piston.center_of_mass for leg in carrier.legs])
    E = np.asarray(Model(carrier).inverse_kinematics(wanted.pose) - free)
    for k in range(ROUNDS):
        spline = make_interp_spline(time, E, k=DEGREE)
        at = (_actuator(spline, time), *wanted, outside)
        beginning = _Beginning(kernel, at)
        if not resting and not (closed and k):
            start = beginning.steady(start, time[1])
        states = _integrated(kernel, motion, loads, spline, start, time)
        _, force, leg_force, new, *found = kernel(states, *at)
        change, E = float(np.abs(new - E).max()), new
        if not np.isfinite(change):
            break
        if change < SETTLED:
            compression, coupling, coupling_rate, energy = found
            staged = np.array([0.0 if c.decoupling else np.nan for c in connectors])
            _, D, D_dot = np.split(states, 3, axis=-1)
            return CompliantDemand(
                *(time, force, leg_force, E + free, spline(time, 1), spline(time, 2)),
                *(compression - coupling, coupling, coupling_rate, D + staged, D_dot + staged),
                energy,
                rounds=k + 1,
            )
        if closed and not resting:
            start = beginning.repeated(start, states[-1], duration)
    raise GoughError(
        f"{robot.name}: the actuators' motion is not found: it still changes by {change:.2g} m "
        f"after {ROUNDS} rounds; expected stiffer legs, a slower motion, or other samples"
    )


def _rests(wanted: MotionSamples) -> bool:
    """Whether the platform begins at rest."""
    parts = (np.abs(x) for x in (wanted.twist, wanted.acceleration))
    return all(bool((x[0] <= _EQUAL * x.max(axis=0)).all()) for x in parts)


def _closes(wanted: MotionSamples, outside: Array) -> bool:
    """Whether pose, twist, acceleration and wrench end as they begin."""
    turned = difference(wanted.pose[0], wanted.pose)  # a quaternion and its opposite are one pose
    parts = (turned, wanted.twist, wanted.acceleration, outside)
    return all(np.abs(x[-1] - x[0]).max() <= _EQUAL * max(np.abs(x).max(), 1.0) for x in parts)


@dataclass(frozen=True)
class _Beginning:
    """States at the beginning of a motion."""

    kernel: Kernel
    at: tuple[Array, ...]  # inputs of the kernel behind the states, at all samples

    def _rates(self, y: Array, samples: AnyArray) -> Array:
        """Return the rates of states (k, n) at some samples (k)."""
        return np.asarray(self.kernel(y, *(x[samples] for x in self.at))[0])

    def _jacobian(self, y: Array) -> Array:
        """Return derivatives of the rates by the states at the first sample."""
        step = 1e-6 * np.eye(len(y))
        first = np.zeros(len(y), dtype=int)
        return np.asarray((self._rates(y + step, first) - self._rates(y - step, first)).T / 2e-6)

    def steady(self, y: Array, step: float) -> Array:
        """Return the state near y that changes as the states of equilibrium of its time do."""
        inverse = np.linalg.pinv(self._jacobian(y)).T
        resting, first = np.tile(y, (3, 1)), np.arange(3)
        for _ in range(_NEWTON):
            resting = resting - self._rates(resting, first) @ inverse
        rate = np.array([-3.0, 4.0, -1.0]) @ resting / (2 * step)
        found = resting[:1]
        for _ in range(_NEWTON):
            found = found - (self._rates(found, first[:1]) - rate) @ inverse
        return np.asarray(found[0])

    def repeated(self, y: Array, ended: Array, duration: float) -> Array:
        """Return the state, after y led to another, that leads to itself in a duration [s]."""
        from scipy.linalg import expm  # noqa: PLC0415  (slow to import)

        lasting = np.eye(len(y)) - expm(duration * self._jacobian(y))
        return np.asarray(y + np.linalg.pinv(lasting) @ (ended - y))


def _check_steadiness(motion: Motion, tasks: tuple[Task, ...]) -> None:
    """Refuse loads and accelerations that jump during the motion; at its ends they may."""
    duration, rounding = motion.duration, 1e-9 * motion.duration
    jumps = (t for task in tasks for t in task.jumps_within(0.0, duration))
    if inside := [t for t in jumps if 0.0 < t < duration]:
        raise GoughError(
            f"a load jumps at {min(inside):.6g} s, within the motion's {duration:.6g} s; "
            "expected loads that act all the time, without jumps: those of a cutter in the mean"
        )
    breaks = [t for t in motion.breaks if rounding < t < duration - rounding]
    if breaks:
        raise GoughError(
            f"the acceleration of the motion jumps at {min(breaks):.6g} s; expected one without "
            "jumps during the motion, because compliant legs cannot follow them"
        )


@compiled
def _kernel(machines: Machines, legs: Mode) -> Kernel:
    """(states, actuator, pose, twist, acceleration, wrench) -> rates, forces, E, stages, energy."""
    robot, n = machines.robot, machines.structure.actuators
    connectors, frictions = connectors_of(robot, legs), joint_frictions_of(robot)

    def equation(machine: Machine, *inputs: Value) -> tuple[Value, ...]:
        y, e, x, v, a, w = inputs
        hexapod = machine.hexapod
        (delta_c, D, D_dot), (E, E_dot, E_ddot) = ca.vertsplit(y, n), ca.vertsplit(e, n)
        inner = Inner(E, delta_c, D, E_dot, D_dot)
        w = with_joints(MachineState(machine, x, v, inner, frictions), w)
        found = compliant.inverse_dynamics(hexapod, connectors, x, v, a, inner, E_ddot, w)
        rate = ca.vertcat(found.delta_c_dot, D_dot, found.D_ddot)
        inner = replace(inner, E=found.E)
        each = legs_of(hexapod, connectors, x, v, inner)
        stages = ((leg.compression, leg.inner.delta_c, leg.coupling_rate) for leg in each)
        columns = (vector(*column) for column in zip(*stages, strict=True))
        energy = compliant.energy(hexapod, connectors, x, v, inner)
        return rate, found.force, found.leg_force, found.E, *columns, energy

    states = Argument("states", (3 * n,), "m, m/s", "δ_c, D and the rate of D, of each leg")
    actuator = Argument("actuator", (3 * n,), "m, m/s, m/s^2", "E and its two rates, of each leg")
    outputs = [
        Argument("rate", states.shape, "m/s, m/s^2", "of the states"),
        Argument("force", (n,), "N", "of the actuators"),
        Argument("leg_force", (n,), "N", "on the platform, along the legs"),
        Argument("E", (n,), "m", "where the actuators must be"),
        Argument("compression", (n,), "m", "of the legs' springs together"),
        Argument("delta_c", (n,), "m", "compression of the coupling stages"),
        Argument("delta_c_dot", (n,), "m/s", "its rate"),
        Argument("energy", (3,), "J", "kinetic, potential, of the connectors' springs"),
    ]
    inputs = [states, actuator, POSE, TWIST, ACCELERATION, WRENCH]
    return machines.kernel("compliant_inverse", equation, inputs, outputs)


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
