"""Small vibrations of a hexapod on yielding legs: M z̈ + K z = 0, without its dampers.

z are the platform's displacement δ (way and rotation vector, base axes), then the ways E of the
pistons that a connector parts from the platform, then those of the decoupling stages, and of rotors
that springs part from all of these. A piston on its actuator's side does not move along the leg
with the platform: its axial mass is its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations import dynamics
from gough.equations.elastic.frames import on_frames
from gough.equations.elastic.springs import springs_of
from gough.equations.elastic.stiffness import (
    Loaded,
    loaded,
    one_body,
    own_stiffness,
    piston_weight,
    pushes,
    stage_weight,
)
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, reciprocal

Rotors = Sequence[Value | None]
"""What the rotors of all actuators weigh, as ways of the legs feel it [kg]; None: nothing."""


@dataclass(frozen=True)
class _Sliding:
    """Something in a leg that slides on springs."""

    coupling: Value
    """Force on the coordinates of platform and joints, by its way (n) [N/m, N]."""
    stiffness: Value
    mass: Value
    to_piston: Value | None = None
    """Force on the leg's piston by its way [N/m]; None: they do not touch."""


@dataclass(frozen=True)
class _Axis:
    """All that a leg has along itself."""

    stiffness: Value
    """Of the platform's and joints' coordinates (nxn)."""
    piston: _Sliding | None
    stage: _Sliding | None
    rotor: _Sliding | None


def vibration(
    machine: Machine,
    pose: Value,
    force: Value,
    actuator_compliance: Value,
    rotors: Rotors | None = None,
) -> tuple[Value, Value]:
    """M and K [SI] at a pose under forces of the actuators; inf for a piston that is held.

    K is symmetric: of a moment from outside that which stores energy counts, half of it turning
    with the platform.
    """
    at = loaded(machine, pose, force)
    own, M = own_stiffness(at), dynamics.default.mass_matrix(one_body(at), pose)
    masses = rotors or [None] * len(at.legs)
    axes = [_axis(at, k, actuator_compliance[k], mass) for k, mass in enumerate(masses)]
    K = sum((axis.stiffness for axis in axes), (own + own.T) / 2)
    kinds = ([getattr(axis, kind) for axis in axes] for kind in ("piston", "stage", "rotor"))
    inner = [(k, sliding) for kind in kinds for k, sliding in enumerate(kind) if sliding]
    if not inner:
        return M, on_frames(machine, pose, K, pushes(at))
    coupled = ca.horzcat(*(sliding.coupling for _, sliding in inner))
    whole = ca.blockcat([[K, coupled], [coupled.T, _between(inner)]])
    weights = ca.diag(ca.vertcat(*(sliding.mass for _, sliding in inner)))
    return ca.diagcat(M, weights), on_frames(machine, pose, whole, pushes(at))


def _axis(at: Loaded, k: int, actuator_compliance: Value, rotor: Value | None) -> _Axis:
    """A leg's springs and masses along it; a rotor without a spring ahead moves with the piston."""
    leg, row, springs = at.legs[k], at.row(k), springs_of(at.machine, k)
    with_piston = not leg.connector.is_rigid and springs.rigid_behind
    parted = rotor is not None and not with_piston
    behind = springs.behind(leg.at.l) + (0 if parted else actuator_compliance)
    ahead, holding = springs.ahead(), reciprocal(actuator_compliance)
    if leg.connector.is_rigid:
        spring = reciprocal(behind + ahead)
        turning = _Sliding(-row.T * spring, spring + holding, rotor) if parted else None
        return _Axis(row.T @ row * spring, None, _stage(at, k), turning)
    spring, driving = reciprocal(ahead), reciprocal(behind)
    mass = leg.leg.piston.mass + (rotor if rotor is not None and with_piston else 0)
    piston = _Sliding(piston_weight(at, k) - row.T * spring, spring + driving, mass)
    none = ca.DM(*row.T.shape)
    turning = _Sliding(none, driving + holding, rotor, -driving) if parted else None
    return _Axis(row.T @ row * spring, piston, _stage(at, k), turning)


def _stage(at: Loaded, k: int) -> _Sliding | None:
    """A leg's decoupling stage."""
    stage = at.legs[k].connector.decoupling
    return None if stage is None else _Sliding(stage_weight(at, k), stage.stiffness, stage.mass)


def _between(inner: Sequence[tuple[int, _Sliding]]) -> Value:
    """The stiffness of all that slides in legs; those that touch a piston come behind all."""
    K = ca.SX(ca.diag(ca.vertcat(*(sliding.stiffness for _, sliding in inner))))
    pistons: dict[int, int] = {}
    for i, (leg, sliding) in enumerate(inner):
        piston = pistons.setdefault(leg, i)
        if sliding.to_piston is not None:
            K[i, piston] = K[piston, i] = sliding.to_piston
    return K
