"""Active damping of compliant machines: each leg feeds back what a sensor at its actuator measures.

Integral force feedback lets the actuator follow the force in its leg, u = -g ∫ F dt;
velocity feedback makes it a damper, u = -g v [Preumont 2011, chapters 5 and 8].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.elastic.response import named_places
from gough.errors import GoughError, needing
from gough.poses.given import array_of_numbers

if TYPE_CHECKING:
    from control import StateSpace

Law = Literal["integral force", "integral push", "velocity"]
LAWS: dict[str, tuple[str, ...]] = {
    "integral force": ("force", "torque"),
    "integral push": ("push",),
    "velocity": ("speed", "rate"),
}
"""Measured signals that each law feeds back, of slides and of hinges."""


def damped(system: StateSpace, law: Law, gain: float, leak: float = 0.0) -> StateSpace:
    """Close the same feedback around each leg of an `elastic_state_space`; its signals stay.

    "integral force": u = -gain ∫ F dt of the force F beside the actuator, gain in 1/s, or in
    m/(N s) of locked actuators, whose input is a stroke; "integral push" of that in the connectors,
    which sensors between piston and platform measure. Integrals fade by `leak` [1/s]. "velocity":
    u = -gain v of the piston's speed v, gain in N s/m, or in s for locked ones. Hinges have torques
    and angles instead.
    """
    places = _places(system, law)
    for name, value in (("gain", gain), ("leak", leak)):
        if not (np.isfinite(value) and value >= 0):
            raise GoughError(f"{name} is {value!r}; expected a number of at least 0")
    A, B, C, D = _closed(system, law, places, float(gain), float(leak))

    with needing("control", "control", "state spaces"):
        from control import StateSpace  # noqa: PLC0415  (slow to import)

    added = [f"{system.output_labels[k]}_integral" for k in places[0]]
    return StateSpace(
        A,
        B,
        C,
        D,
        states=system.state_labels + added[: len(A) - system.nstates],
        inputs=system.input_labels,
        outputs=system.output_labels,
        name=system.name,
    )


def root_locus(system: StateSpace, law: Law, gains: ArrayLike, leak: float = 0.0) -> AnyArray:
    """Poles (g, n) [rad/s] of the damped system at gains (g), sorted by their frequency."""
    known = array_of_numbers(gains, "gains")
    found = np.array([damped(system, law, gain, leak).poles() for gain in np.atleast_1d(known)])
    return np.take_along_axis(found, np.argsort(np.abs(found), axis=-1), axis=-1)


def _places(system: StateSpace, law: str) -> tuple[list[int], list[int]]:
    """Indices of the measured signals among the outputs, and of the actuators among the inputs."""
    if law not in LAWS:
        raise GoughError(f"law is {law!r}; expected one of {', '.join(LAWS)}")
    inputs, outputs = system.input_labels, system.output_labels
    locked = any(name.endswith(("_stroke", "_turn")) for name in inputs)
    acting = named_places(inputs, ("stroke", "turn") if locked else ("force", "torque"), "inputs")
    felt = named_places(outputs, LAWS[law], "outputs")
    if len(felt) != len(acting):
        raise GoughError(
            f"{len(felt)} of {len(acting)} actuators feel what {law!r} needs; expected all of them"
        )
    return felt, acting


def _closed(
    system: StateSpace, law: str, places: tuple[list[int], list[int]], gain: float, leak: float
) -> tuple[Array, Array, Array, Array]:
    felt, acting = places
    A, B, C, D = system.A, system.B, system.C, system.D
    B_u, C_y, D_u, D_y = B[:, acting], C[felt], D[:, acting], D[felt]
    if law == "velocity":  # a speed follows no input at once
        return A - gain * B_u @ C_y, B, C - gain * D_u @ C_y, D
    fading = leak * np.eye(len(felt))
    return (
        np.block([[A, -gain * B_u], [C_y, -gain * D_y[:, acting] - fading]]),
        np.vstack([B, D_y]),
        np.hstack([C, -gain * D_u]),
        D,
    )
