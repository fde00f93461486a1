"""Crossings of parallel singularities on a motion: whether it can pass, and the forces there.

Where it can, forces beside the singular pose lead to a limit (`crossing_forces` is that limit by
itself). They come from a matrix that is nearly singular there, with ever fewer digits: very near
the pose they lie on straight lines between two times, equally far before it and behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.analysis.evaluation import Arrays, Numbers, evaluate
from gough.analysis.results import SingularPoint
from gough.arrays import Array
from gough.kinematics.singularity.singularity import condition_number
from gough.kinematics.size import default_length
from gough.model.kernels import Kernels
from gough.motion import MotionSamples
from gough.robot import Robot

CROSSABLE = 1e-6
"""Maximum missing fraction of the needed wrench: less is rounding of the motion."""
_ILL = 1e5
"""The condition number of J above which forces have too few digits."""
_NEAR = 1e-6
"""Distance from a crossing, as a fraction of the duration, where conditioning is first tested."""


class Moments(NamedTuple):
    """A machine at some times of a study: its numbers (k, n), its motion, and wrenches (k, 6)."""

    parameters: Array
    samples: MotionSamples
    wrench: Array


@dataclass(frozen=True)
class Passages:
    """Inputs for checking the crossings of a study."""

    robot: Robot
    formulation: str | None
    at: Callable[[Array], Moments]
    """Times (k) [s] -> what the machine does then."""
    duration: float

    @cached_property
    def _model(self) -> Kernels:
        return Kernels(self.robot, formulation=self.formulation, parametric=True)

    def judged(self, point: SingularPoint) -> SingularPoint:
        """A crossing with what the motion lacks there, and whether it can pass."""
        parameters, samples, wrench = self.at(np.array([point.time]))
        state = (parameters, *samples, wrench)
        residual, share = self._model.crossing_residual(*state), self._model.crossing_share(*state)
        passes = bool(samples.twist.any() and share[0] < CROSSABLE)
        return replace(point, residual=float(residual[0]), share=float(share[0]), bounded=passes)

    def bridged(self, points: Iterable[SingularPoint], time: Array, found: Arrays) -> Arrays:
        """Quantities of forces along times (T), with limits where these are very near crossings."""
        for point in points:
            if point.bounded:
                found = self._bridged(point.time, time, found)
        return found

    def _bridged(self, middle: float, time: Array, found: Arrays) -> Arrays:
        half = self._half_window(middle)
        inside = np.flatnonzero(np.abs(time - middle) <= half)
        if not inside.size:
            return found
        parameters, samples, wrench = self.at(middle + half * np.array([-1.0, 1.0]))
        names = frozenset(found)
        numbers = Numbers.of(self.robot, parameters)
        ends = evaluate(self.robot, numbers, samples, wrench, names, formulation=self.formulation)
        share = (time[inside] - middle + half) / (2 * half)
        result = {name: values.copy() for name, values in found.items()}
        for name, (before, behind) in ends.items():
            result[name][inside] = before + np.multiply.outer(share, behind - before)
        return result

    def _half_window(self, middle: float) -> float:
        """Return the half-width of the time around a crossing with ill-conditioned J [s].

        The condition number falls as 1 / t.
        """
        beside = _NEAR * self.duration
        parameters, samples, _ = self.at(np.array([middle + beside]))
        kernel = condition_number(self._model.machines)
        condition = kernel(parameters, samples.pose, np.array(default_length(self.robot)))
        return beside * float(condition[0]) / _ILL
