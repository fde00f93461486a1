"""Payload identification: what a platform carries, from a recording of a machine that is known.

What the machine's own bodies, drives and joints ask for is taken from the recorded efforts. What is
left is linear in the payload's ten standard parameters: its mass m, its first moment m c and its
inertia about the platform's origin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.digits import short_decimal
from gough.errors import GoughError
from gough.identification.consistent import consistent
from gough.identification.efforts import Efforts
from gough.identification.estimation import Estimate
from gough.identification.filtering import Lowpass
from gough.identification.fitting import fitted, weighted_down
from gough.identification.friction import (
    Part,
    checked_parts,
    direction,
    force_factor,
    load_priors,
    terms_of,
)
from gough.identification.identified import Lag
from gough.identification.identify import filter_of
from gough.identification.measured import measured_motion
from gough.identification.recording import Recording
from gough.model.kernels import Kernels
from gough.model.standard import standard_parameters
from gough.motion.tasks.payload import Payload
from gough.robot import Hexapod, Robot
from gough.robot.numbers import UPPER
from gough.shown.brief import brief

STANDARD = 10
"""The platform's parameters come first: m, m c and J about its origin."""
_STEP = 1e-30


@dataclass(frozen=True, eq=False)
class IdentifiedPayload:
    """What a platform carries, with standard deviations."""

    robot: Robot
    """The robot with the payload joined to its platform."""
    payload: Payload
    """A body that can exist: of all such ones the nearest to the estimate."""
    mass: float
    """[kg]"""
    mass_sigma: float
    center_of_mass: Array
    """(3) in the platform's frame [m]."""
    center_sigma: Array
    inertia: Array
    """(3, 3) about its own mass centre, on the platform's axes [kg m^2]."""
    inertia_sigma: Array
    not_explained: float
    """Root mean square of the forces at the legs [N], filtered."""
    without: float
    """The same without a payload [N]."""
    lag: Lag
    """Of efforts behind lengths."""
    notes: tuple[str, ...] = ()
    """What was odd about the recording, and what was done about it."""

    __repr__ = brief

    def report(self) -> str:
        """All that was found, as text."""
        rows = [("mass", self.mass, self.mass_sigma, "kg")]
        for k, axis in enumerate("xyz"):
            rows.append((f"centre {axis}", self.center_of_mass[k], self.center_sigma[k], "m"))
        for i, j in zip(*UPPER, strict=True):
            name = f"inertia {'xyz'[i]}{'xyz'[j]}"
            rows.append((name, self.inertia[i, j], self.inertia_sigma[i, j], "kg m^2"))
        lines = [
            f"{self.robot.name}: payload by {short_decimal(self.without, 3)} N rms that the robot "
            f"alone does not explain; {short_decimal(self.not_explained, 3)} N with it",
            f"lag of efforts: {self.lag.text}",
            *(f"recording: {note}" for note in self.notes),
            "                  value      sigma",
        ]
        for name, value, sigma, unit in rows:
            numbers = (f"{short_decimal(float(x), 4):>10}" for x in (value, sigma))
            lines.append(f"{name:<12} {' '.join(numbers)} {unit}")
        return "\n".join(lines)


def identify_payload(
    robot: Robot,
    recording: Any,
    *,
    friction: Iterable[Part] | None = None,
    cutoff: float | None = None,
    lag: float | None = None,
    robust: bool = False,
) -> IdentifiedPayload:
    """Mass, mass centre and inertia of what a hexapod's platform carries, from a recorded motion.

    The robot is the one without the payload, best an identified one: its own masses and friction
    count as they are. `friction` names which of its friction acts, as in `identify`: by default
    that of the drives where motors were measured. `cutoff` [Hz] is that of the filter; `lag` and
    `robust` are as in `identify`.
    """
    if not isinstance(robot, Hexapod):
        raise GoughError(f"{robot.name}: payloads are identified of hexapods only, so far")
    measured = Recording.of(recording, robot)
    measured = measured.without_spikes() if robust else measured
    smooth = filter_of(measured, cutoff)
    explained = _Explained(robot, measured, smooth, checked_parts(friction, measured.measured))
    efforts = Efforts.of(measured, smooth, force_factor(robot, measured.measured))
    found, late = fitted(explained, efforts, lag=lag, robust=robust)
    without = efforts.at(late.applied) - explained.linearised(explained.priors)[1]
    return _made(
        robot, found, _rms(without), late, (*measured.notes, *smooth.notes, *weighted_down(found))
    )


class _Explained:
    """What payloads make efforts be, by their ten numbers.

    Effort = (1 + μ s) F + friction, with the load's friction μ and the sign s of F times speed.
    """

    priors = np.zeros(STANDARD)
    linear = False

    def __init__(
        self, robot: Hexapod, recording: Recording, smooth: Lowpass, parts: tuple[Part, ...]
    ) -> None:
        self.smooth, model = smooth, Kernels(robot)
        motion = measured_motion(model, recording, smooth)
        terms = terms_of(model, motion, parts, recording.measured)
        Y = np.asarray(model.regressor(*motion.states))
        of_joints = np.array([".joint_friction." in name for name in terms.names], dtype=float)
        self._carried = Y[..., :STANDARD]
        self._own = Y @ standard_parameters(robot) + terms.columns @ (terms.priors * of_joints)
        self._fixed = terms.columns @ (terms.priors * (1.0 - of_joints))
        loaded = "load" in parts and recording.measured != "force"
        self._turns = np.zeros_like(self._own)
        if loaded:
            self._turns = load_priors(robot).priors * direction(robot, motion.speed)

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, 10) by the numbers, and efforts (T, n): filtered and kept."""
        force = self._own + self._carried @ values
        factor = 1.0 + self._turns * np.sign(force)
        columns, efforts = self._carried * factor[..., None], force * factor + self._fixed
        return self.smooth.at_kept(columns), self.smooth.at_kept(efforts)


def _made(
    robot: Hexapod, found: Estimate, without: float, lag: Lag, notes: tuple[str, ...]
) -> IdentifiedPayload:
    numbers = _body(found.values)
    slopes = np.stack([_body(found.values + 1j * _STEP * e).imag / _STEP for e in np.eye(STANDARD)])
    sigma = np.sqrt(np.einsum("ki,kl,li->i", slopes, found.covariance, slopes))
    payload = _possible(found)
    return IdentifiedPayload(
        payload.carried_by(robot),
        payload,
        float(numbers[0]),
        float(sigma[0]),
        numbers[1:4],
        sigma[1:4],
        _matrix(numbers[4:]),
        _matrix(sigma[4:]),
        _rms(found.residuals),
        without,
        lag,
        notes,
    )


def _body(standard: Array) -> Array:
    """Mass, mass centre and inertia about it, of standard parameters: m, m c, J at the origin."""
    m, h, J = standard[0], standard[1:4], _matrix(standard[4:])
    own = J - (h @ h * np.eye(3) - np.outer(h, h)) / m
    return np.concatenate([[m], h / m, own[UPPER]])


def _possible(found: Estimate) -> Payload:
    """The nearest body that can exist."""
    names = ["platform.mass", *(f"platform.first_moment.{axis}" for axis in "xyz")]
    names += [f"platform.origin_inertia.{'xyz'[i]}{'xyz'[j]}" for i, j in zip(*UPPER, strict=True)]
    m = found.values[0]
    if not m > 0.0:
        raise GoughError(
            f"the payload's mass is {m:.4g} kg, give or take {np.sqrt(found.covariance[0, 0]):.2g} "
            "kg; expected one that is there: is the robot the one without it?"
        )
    size = np.maximum(np.sqrt(np.diag(found.covariance)), 1e-9 * m)
    best = consistent(
        names,
        found.values,
        np.eye(STANDARD),
        found.values,
        found.covariance,
        size,
        np.zeros(STANDARD),
    )
    mass, x, y, z, *inertia = _body(best).tolist()
    return Payload(mass, (x, y, z), tuple(map(tuple, _matrix(np.array(inertia)).tolist())))


def _matrix(upper: Array) -> Array:
    """Symmetric, of xx, yy, zz, xy, xz, yz."""
    full = np.zeros((3, 3), dtype=upper.dtype)
    full[UPPER] = full.T[UPPER] = upper
    return full


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
