"""What encoders tell of driven joints: positions in steps, with noise, rates from differences."""

from __future__ import annotations

import casadi as ca

from gough.equations.spatial.algebra import Value


def encoder_reading(q: Value, noise: Value, resolution: float) -> Value:
    """Positions [m, rad] as read: noise added, rounded to the resolution if it is not zero."""
    noisy = q + noise
    return ca.floor(noisy / resolution + 0.5) * resolution if resolution else noisy


def differenced_speed(
    reading: Value, last_reading: Value, last_speed: Value, period: float, filter_time: float
) -> Value:
    """Rates [1/s] from two readings, through a first-order low-pass with a time constant [s]."""
    raw = (reading - last_reading) / period
    share = period / (period + filter_time)
    return last_speed + share * (raw - last_speed)
