"""Monte Carlo analysis of tolerances: every sample is a machine with errors, solved exactly.

Some of a robot's numbers, by their places among those of its machines, have errors. The machine is
commanded as if it had none: by the readings that the encoders of the nominal machine have at a
pose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.checks import require_integer
from gough.compiler import Argument, Kernel, compiled
from gough.display import Brief
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import difference
from gough.errors import GoughError
from gough.executors import Executor, in_chunks
from gough.kinematics import Status
from gough.kinematics.forward.kernel import forward_function
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE
from gough.kinematics.workspace.stated_limits import Stated
from gough.model import Machines
from gough.model.definition import POSE
from gough.progress import progress_bar
from gough.tolerance import linear
from gough.tolerance.stated import StatedTolerances

Places = tuple[int, ...]
"""Places of the numbers that have errors, among those of the machines."""
MOST_SAMPLES = 1_000_000
MOST = 0.95
"""Quantile of the errors that is reported."""


@dataclass(frozen=True, repr=False)
class MonteCarlo(Brief):
    """Results of Monte Carlo samples, machines with random errors, at poses (...)."""

    samples: int
    seed: int
    mean: Array
    """(..., 6) mean displacement [m, rad]."""
    covariance: Array
    """(..., 6, 6) of the displacement [m, rad]."""
    position_error_95: Array
    """(...) position error that 95 % of the samples do not exceed [m]."""
    orientation_error_95: Array
    """(...) orientation error that 95 % of the samples do not exceed [rad]."""
    force_deviation: Array
    """(..., n) standard deviation of the actuators' forces [N, N m]."""
    margin_deviation: Array
    """(..., 5) standard deviation of the margins."""
    reaching: Array
    """(...) fraction of the machines that reach a pose within all limits."""
    listed: ClassVar = "pose_deviation"

    @property
    def pose_deviation(self) -> Array:
        """(..., 6) standard deviation of the displacement [m, rad]."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1)))


_Figures = tuple[Array, ...]
"""Statistics of all machines at one pose, in the order of the fields of MonteCarlo."""


def monte_carlo(
    stated: StatedTolerances,
    poses: Array,
    loads: list[Array],
    samples: int,
    seed: int,
    executor: Executor = None,
) -> MonteCarlo:
    """Evaluate Monte Carlo samples at poses (..., 7), all of them at each pose."""
    require_integer("samples", samples, least=2, most=MOST_SAMPLES)
    batch = poses.shape[:-1]
    states = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (poses, *loads))
    flat = tuple(x.reshape(-1, x.shape[-1]) for x in states)
    found = _each(_Machines(stated, samples, seed, flat), executor)
    parts = (np.reshape(part, (*batch, *np.shape(part[0]))) for part in zip(*found, strict=True))
    return MonteCarlo(samples, seed, *parts)


def _each(machines: _Machines, executor: Executor) -> list[_Figures]:
    """The figures of all machines at each state; of a state that is not done all are stored."""
    poses, samples = machines.states[0], machines.samples
    count = len(poses) * samples
    parts: dict[int, dict[int, _TakenPoses]] = {}
    found: dict[int, _Figures] = {}
    with progress_bar("machines", count) as done:
        for chunk in in_chunks(machines, range(count), executor=executor, here=samples):
            for (state, first), taken in chunk.result.items():
                own = parts.setdefault(state, {})
                own[first] = taken
                if sum(len(displacement) for displacement, *_ in own.values()) == samples:
                    ordered = zip(*(own[first] for first in sorted(own)), strict=True)
                    found[state] = _figures(poses[state], *map(np.concatenate, ordered))
                    del parts[state]
            done(len(chunk.items))
    return [found[state] for state in range(len(poses))]


_TakenPoses = tuple[Array, Array, Array]
"""Displacements (m, 6), forces (m, n) and margins (m, 5) of m machines at one state."""


@dataclass(frozen=True, eq=False)
class _Machines:
    """All machines at all states: a job whose items are the machines, state after state."""

    stated: StatedTolerances
    samples: int
    seed: int
    states: tuple[Array, ...]
    """Poses (s, 7), and loads (s, 6)."""

    @cached_property
    def errors(self) -> Array:
        """Errors of all samples, (samples, k)."""
        return self.stated.errors(self.samples, self.seed)

    def __call__(self, items: range) -> dict[tuple[int, int], _TakenPoses]:
        """Return the results, by state and the number of the first machine there."""
        found = {}
        while items:
            state, first = divmod(items.start, self.samples)
            here = items[: self.samples - first]
            at = (part[state] for part in self.states)
            found[state, first] = self._taken(self.errors[first : first + len(here)], *at)
            items = items[len(here) :]
        return found

    def _taken(self, errors: Array, pose: Array, *loads: Array) -> _TakenPoses:
        machines, places = self.stated.machines, self.stated.places
        displacement, poses = taken(self.stated, errors, pose)
        given, limits = (machines.values, errors, poses), linear.counted_limits(machines)
        force = effect_kernel(machines, places, "force", limits)(*given, *loads)
        return displacement, force, effect_kernel(machines, places, "margin", limits)(*given)


def taken(stated: StatedTolerances, errors: Array, pose: Array) -> tuple[Array, Array]:
    """Displacements (m, 6) and poses (m, 7) of machines with errors (m, k); NaN where none is."""
    machines = stated.machines
    displacement, poses = reached_kernel(machines, stated.places)(machines.values, errors, pose)
    return displacement, poses


def _figures(pose: Array, displacement: Array, forces: Array, margins: Array) -> _Figures:
    exist = np.isfinite(displacement[:, 0])
    if exist.sum() < 2:
        raise GoughError(
            f"of {len(exist)} machines {exist.sum()} can take the pose {pose.tolist()}; expected "
            "smaller tolerances, or a pose that is farther from singular ones"
        )
    displacement, forces = displacement[exist], forces[exist]
    finite = np.where(np.isfinite(margins), margins, 0.0)[exist]  # 0 for limits that are not given
    ways, turns = (np.linalg.norm(part, axis=1) for part in np.split(displacement, 2, axis=1))
    return (
        displacement.mean(0),
        np.cov(displacement, rowvar=False),
        np.quantile(ways, MOST),
        np.quantile(turns, MOST),
        forces.std(0, ddof=1),
        finite.std(0, ddof=1),
        (margins >= 0).all(-1).mean(),
    )


@compiled
def reached_kernel(machines: Machines, places: Places) -> Kernel:
    """The kernel (parameters, errors, pose) -> displacement, reached pose; NaN if none exists."""
    forward = forward_function(machines, "newton", AT_MOST)

    def equation(parameters: Value, real: Value, pose: Value) -> tuple[Value, ...]:
        """Pose that a machine with errors reaches when it is commanded to a pose."""
        q = linear.commanded_positions(machines.machine(parameters), machines.machine(real), pose)
        taken, _, _, status = forward(real, q, pose, 0, ca.DM([DOUBLE.tolerance, STRIDE]))
        own = ca.logic_or(status == Status.CONVERGED, status == Status.OUTSIDE_STROKE)
        found = ca.if_else(own, taken, ca.DM.nan(POSE.size))
        return difference(found, pose), found

    outputs = [linear.DISPLACEMENT, POSE]
    return _with_errors("reached_pose", equation, [*machines.numbers, POSE], outputs, places)


@compiled
def effect_kernel(machines: Machines, places: Places, effect: str, stated: Stated) -> Kernel:
    """The kernel (parameters, errors, pose, state...) -> "force" or "margin" of real machines."""
    equation, state, output = linear.effect_equation(machines, effect, stated)

    def of_real(parameters: Value, real: Value, *given: Value) -> Value | tuple[Value, ...]:
        return equation(machines.machine(real), *given)

    inputs = [*machines.numbers, POSE, *state]
    return _with_errors(f"{output.name}_with_errors", of_real, inputs, [output], places)


def _with_errors(
    name: str,
    equation: Callable[..., Value | tuple[Value, ...]],
    inputs: list[Argument],
    outputs: list[Argument],
    places: Places,
) -> Kernel:
    """Return the kernel (parameters, errors, ...) of an equation (parameters, real numbers, ...).

    Equations of machines are made in symbols, and errors are put into these afterwards.
    """
    symbols = [ca.SX.sym(a.name, *a.shape) for a in (inputs[0], *inputs)]
    found = equation(*symbols)
    of_real = ca.Function("of_real", symbols, list(found) if isinstance(found, tuple) else [found])

    def with_errors(parameters: Value, errors: Value, *given: Value) -> tuple[Value, ...]:
        real = ca.SX(parameters)
        real[list(places)] += errors
        return tuple(of_real.call([parameters, real, *given]))

    errors = Argument("errors", (len(places),), "SI", "of the numbers at some places")
    doc = equation.__doc__ or ""
    return Kernel.from_equation(name, with_errors, [inputs[0], errors, *inputs[1:]], outputs, doc)
