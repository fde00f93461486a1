"""How warm a motor becomes: a first-order model, driven by the square of its current."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array


def warming(
    time: Array, current: Array, *, bearable: float, time_constant: float, repeated: bool = True
) -> Array:
    """(T, actuators) the rise of temperature over that of the current which is borne for ever.

    τ θ' + θ = (I/I_c)², with I (T, actuators) [A]. Between two samples the square of the current
    is held at the mean of both, for which the solution is exact. A motion that is `repeated` for
    ever ends as warm as it begins; one that is not begins cold.
    """
    heat = (current / bearable) ** 2
    heat = (heat[1:] + heat[:-1]) / 2
    kept = np.exp(-np.diff(time) / time_constant)
    rise = _followed(np.zeros(current.shape[1]), kept, heat)
    if repeated:
        last = np.exp(-(time[-1] - time[0]) / time_constant)
        rise = _followed(rise[-1] / (1 - last), kept, heat)
    return rise


def _followed(start: Array, kept: Array, heat: Array) -> Array:
    """The rise at every sample, from that at the first: each step keeps a share and adds one."""
    rise = np.empty((len(kept) + 1, len(start)))
    rise[0] = start
    for k, share in enumerate(kept):
        rise[k + 1] = share * rise[k] + (1 - share) * heat[k]
    return rise
