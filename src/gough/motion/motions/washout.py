"""A vehicle's motion as a motion of a platform: washed out, and inside the actuators' travel."""

from dataclasses import dataclass, field
from math import radians, tau
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Function, Recurrence
from gough.compiler.native.disk_kernels import compiled_recurrence
from gough.equations.control.washout import SIZE, WashoutSettings, washout_place, washout_rates
from gough.equations.solvers.runge_kutta import rk4_step
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.model import Kernels, structure_of
from gough.model.definition import TWIST
from gough.model.machines import Machines, travel_kernel
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.motions.screws import law_of_places, motion_of_places
from gough.motion.piecewise import PiecewisePolynomial, quintics
from gough.motion.samples import Motion, MotionSamples, as_tuple, delegated
from gough.robot import Robot, parameters_of

GRAVITY = 9.81


@dataclass(frozen=True)
class Washout:
    """Settings of a washout filter; cutoff frequencies in Hz."""

    force_scale: float = 0.5
    """Fraction of the vehicle's accelerations that is reproduced."""
    rate_scale: float = 0.5
    """Fraction of its rotation rates that is reproduced."""
    travel_cutoff: float = 2.0 / tau
    travel_damping: float = 1.0
    travel_return: float = 0.5 / tau
    tilt_cutoff: float = 1.5 / tau
    tilt_rate: float = radians(3.0)
    """Tilt rate that people do not notice as rotation [rad/s]."""
    rotation_cutoff: float = 0.8 / tau
    smoothing: float = 0.02
    """[s]"""

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            checked.number(value, name, above=0.0)

    def angular(self) -> tuple[float, ...]:
        """Return the settings of the equations, frequencies in rad/s."""
        return (
            *(tau * self.travel_cutoff, self.travel_damping, tau * self.travel_return),
            *(tau * self.tilt_cutoff, self.tilt_rate, tau * self.rotation_cutoff, self.smoothing),
        )


USUAL = Washout()


@dataclass(frozen=True, eq=False, repr=False)
class WashedOut(Motion):
    """A platform's motion from a washout filter; its derivatives belong to it exactly."""

    duration: float
    neutral: tuple[float, ...]
    """The pose to which it comes back."""
    scale: float
    """The share of the wanted scales that keeps the actuators inside their travel."""
    place: PiecewisePolynomial = field(repr=False)
    """Travel [m] and rotation vector [rad] from neutral, over time."""
    corners = delegated("place.corners", as_tuple)

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time."""
        place = self.place.law(t, at) + ca.DM([*self.neutral[:3], 0, 0, 0])
        return law_of_places(self.neutral[3:], place)

    def _at(self, t: Array) -> MotionSamples:
        rate = self.place.derivative
        place, place_1, place_2 = self.place(t), rate(t), rate.derivative(t)
        place[..., :3] += self.neutral[:3]
        return motion_of_places(self.neutral[3:], place, place_1, place_2)


def washed_out(
    robot: Robot,
    times: ArrayLike,
    specific_force: ArrayLike,
    rate: ArrayLike,
    washout: Washout = USUAL,
    *,
    margin: float = 0.0,
) -> WashedOut:
    """Return the platform's motion that reproduces a vehicle's motion, about the home pose.

    `specific_force` (T, 3) [m/s^2] and `rate` (T, 3) [rad/s] are on the vehicle's axes (x ahead,
    y to the left, z up) at uniform times [s]; at rest the specific force is (0, 0, 9.81). If the
    actuators would exceed their range, less a margin [m, rad], everything is scaled down.
    """
    t = checked.times(times, "times")
    if not np.allclose(np.diff(t), t[1] - t[0], rtol=1e-6, atol=0):
        raise MotionError("not uniform", key="times", expected="equal steps of time")
    force = checked.array(specific_force, "specific_force", (len(t), 3))
    turn = checked.array(rate, "rate", (len(t), 3))
    freedoms = structure_of(robot).degrees_of_freedom
    if len(freedoms) < TWIST.size:
        raise GoughError(
            f"washout: {robot.name} can only move along {' '.join(freedoms)}; expected a platform "
            "that travels and turns along and about all axes"
        )
    fits = _stroke_check(robot, margin)

    def filtered(scale: float) -> Array:
        level = np.array([0.0, 0.0, GRAVITY])
        scaled = level + scale * washout.force_scale * (force - level)
        turning = scale * washout.rate_scale * turn
        settings = np.array([GRAVITY, *washout.angular()])
        inputs = {"state": np.zeros((1, SIZE)), "step": np.array(t[1] - t[0]), "settings": settings}
        inputs |= {"specific_force": scaled[:, None], "rate": turning[:, None]}
        found = _recurrence()(inputs)
        return np.stack([found[name][:, 0] for name in ("place", "place_1", "place_2")], axis=1)

    scale = 1.0 if fits(filtered(1.0)[:, 0]) else 0.0
    step = 1.0 - scale
    for _ in range(12):  # bisection, unless the full motion fits
        step /= 2
        scale += step if step and fits(filtered(scale + step)[:, 0]) else 0.0
    curve = quintics(t - t[0], filtered(scale))
    return WashedOut(float(t[-1] - t[0]), tuple(robot.home), scale, curve)


@compiled_recurrence
def _recurrence() -> Recurrence:
    """Return one sample of the filter: the place, and a step of RK4 under the present motion."""

    def equation(
        state: Value, force: Value, rate: Value, h: Value, numbers: Value
    ) -> tuple[Value, ...]:
        settings = WashoutSettings(*(numbers[k] for k in range(8)))

        def rates(_: float, s: Value) -> Value:
            return washout_rates(settings, s, force, rate)

        return rk4_step(rates, state, h), *washout_place(settings, state, force, rate)

    state, new = (Argument(name, (SIZE,)) for name in ("state", "new_state"))
    moved = Argument("specific_force", (3,), "m/s^2"), Argument("rate", (3,), "rad/s")
    inputs = [state, *moved, Argument("step", (), "s"), Argument("settings", (8,))]
    place = [Argument(name, (6,)) for name in ("place", "place_1", "place_2")]
    function = Function.from_equation("washout", equation, inputs, [new, *place])
    return Recurrence(function, {"state": "new_state"})


def _stroke_check(robot: Robot, margin: float) -> Any:
    kernels = Kernels(robot)
    low, high = travel_kernel(Machines(robot, parametric=True))(parameters_of(robot))

    def fits(places: Array) -> bool:
        at = places.copy()
        at[:, :3] += robot.home[:3]
        pose, _, _ = motion_of_places(robot.home[3:], at, np.zeros(6), np.zeros(6))
        q = kernels.inverse_kinematics(pose)
        return bool(((q >= low + margin) & (q <= high - margin)).all())

    if not fits(np.zeros((1, 6))):
        raise GoughError(
            f"{robot.name}: the legs are outside their strokes at the home pose, with a margin of "
            f"{margin:g} m"
        )
    return fits
