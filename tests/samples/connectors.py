"""Machines on compliant legs for the tests: each leg of masses given one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from machines import as_machine, random_machine

from gough.equations.actuators import compliant
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.legs.extensible import ConnectorLaw, CouplingLaw, DecouplingLaw, RigidPart

STRUCTURES = {
    "rigid": (False, None, False),
    "simple": (True, None, False),
    "coupling only": (False, "damped", False),
    "coupling without damper": (True, "elastic", False),
    "low-frequency": (True, "damped", False),
    "rigid with stage": (False, None, True),
    "high-frequency": (True, None, True),
    "complete": (True, "damped", True),
    "soft coupling with stage": (False, "elastic", True),
}
"""Whether K_L yields, what the coupling stage is, whether the decoupling stage is free."""


@dataclass(frozen=True)
class Point:
    """A body on the leg's axis: mass, inertia about itself, distance from the base joint."""

    mass: float
    inertia: np.ndarray
    at: float


def compliant_machine(rng, structures, count=6):
    """A machine, its connectors, and the fixed body and M_d of each leg; structures go round."""
    machine = random_machine(rng, count=count)
    legs, connectors, bodies = [], [], []
    for k, leg in enumerate(machine.legs):
        spring, coupling, stage = STRUCTURES[structures[k % len(structures)]]
        fixed = Point(
            float(leg.cylinder.mass), np.array(leg.cylinder.inertia), rng.uniform(0.1, 0.4)
        )
        slides = Point(rng.uniform(0.2, 1), np.diag([0.02, 0.02, 0.01]), rng.uniform(0.3, 0.6))
        legs.append(replace(leg, cylinder=joined(fixed, slides)))
        connectors.append(
            ConnectorLaw(
                ca.DM(rng.uniform(1, 20)),
                ca.DM(rng.uniform(1e4, 3e4)) if spring else None,
                CouplingLaw(
                    ca.DM(rng.uniform(5e3, 2e4)),
                    ca.DM(rng.uniform(50, 500)) if coupling == "damped" else None,
                )
                if coupling
                else None,
                DecouplingLaw(
                    ca.DM(slides.mass), ca.DM(slides.at), ca.DM(rng.uniform(1e3, 1e4)),
                    ca.DM(rng.uniform(5, 50)),
                )
                if stage
                else None,
            )
        )  # fmt: skip
        bodies.append((fixed, slides))
    return replace(machine, legs=tuple(legs)), connectors, bodies


def moved(legs, *state):
    """Forward dynamics of extensible legs with connectors."""
    return compliant.forward_dynamics(as_machine(legs), *state)


def joined(*points):
    """Several bodies as one."""
    mass = sum(p.mass for p in points)
    center = sum(p.mass * p.at for p in points) / mass
    across = np.diag([1.0, 1.0, 0.0])
    inertia = sum(p.inertia + p.mass * (p.at - center) ** 2 * across for p in points)
    return RigidPart(ca.DM(mass), ca.DM(center), ca.DM(inertia))


def random_inner(rng, lengths, machine):
    """Inner coordinates near those without load."""
    free = np.array([float(leg.piston.center_of_mass) for leg in machine.legs])
    n = len(machine.legs)
    return Inner(
        ca.DM(lengths - free + 0.02 * rng.normal(size=n)),
        ca.DM(0.01 * rng.normal(size=n)),
        ca.DM(rng.uniform(0.3, 0.6, size=n)),
        ca.DM(0.5 * rng.normal(size=n)),
        ca.DM(0.5 * rng.normal(size=n)),
    )
