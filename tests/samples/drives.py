"""Random drives for the tests."""

from __future__ import annotations

import casadi as ca

from gough.equations.actuators.drive import DriveLaw


def random_drive(rng, **changes):
    """A drive of ordinary proportions, with every kind of friction and no limits."""
    data = {
        "resistance": rng.uniform(0.5, 5),
        "inductance": rng.uniform(1e-3, 1e-2),
        "torque_constant": rng.uniform(0.1, 0.6),
        "back_emf": rng.uniform(0.1, 0.6),
        "rotor_inertia": rng.uniform(1e-5, 4e-4),
        "rotor_damping": rng.uniform(1e-5, 1e-3),
        "gear_ratio": rng.uniform(1, 3),
        "screw_lead": rng.uniform(5e-3, 2e-2),
        "screw_inertia": rng.uniform(1e-5, 4e-4),
        "screw_damping": rng.uniform(1e-5, 1e-3),
        "rotor_friction": rng.uniform(0.01, 0.1),
        "screw_friction": rng.uniform(0.01, 0.1),
        "efficiency": rng.uniform(0.7, 0.95),
    } | changes
    return DriveLaw(**{k: None if v is None else ca.DM(v) for k, v in data.items()})
