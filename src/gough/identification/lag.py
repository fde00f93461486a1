"""The lag between efforts and positions: roughly how long it is.

Efforts often come later than positions: another bus, or an amplifier's own filter. Where what the
motion does not explain of the efforts is least among many lags, there it is, within a part of a
period.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.efforts import Efforts, Explained

LONGEST = 4
"""The longest lag, in periods of the cutoff frequency: filtered efforts reach so far."""
LOOKED = 16
"""Lags up to this many periods are tried, so that one that is too long is not taken for another."""
STEPS = 4
"""Lags that are tried, in such a period."""
MOST = 0.5
"""The share of samples that must be far enough from the ends to look so far."""
EXPLAINED = 0.5
"""Of how efforts vary, at least: else they are not of this motion."""


def rough_lag(explained: Explained, efforts: Efforts) -> float:
    """The lag of a few at which least is not explained [s]; GoughError where it is too long."""
    cutoff = efforts.smooth.cutoff
    rows, reach = efforts.reaching(LOOKED / cutoff), LOOKED
    if rows.mean() < MOST:
        rows, reach = np.ones_like(rows), LONGEST
    columns, predicted = (values[rows] for values in explained.linearised(explained.priors))
    lags = np.arange(-reach * STEPS, reach * STEPS + 1) / (STEPS * cutoff)
    flat = columns.reshape(-1, columns.shape[-1])
    lengths = np.linalg.norm(flat, axis=0)
    Q = np.linalg.qr(flat / np.where(lengths, lengths, 1.0))[0]
    forces = np.stack([(efforts.at(lag)[rows] - predicted).ravel() for lag in lags], -1)
    left = (forces**2).sum(0) - ((Q.T @ forces) ** 2).sum(0)
    best = int(np.argmin(left))
    _check_explained(efforts.at(0.0)[rows], float(left[best]), lags[-1])
    if abs(lags[best]) >= LONGEST / cutoff:
        later = "later" if lags[best] > 0.0 else "earlier"
        raise GoughError(
            f"efforts fit the motion best where they come {abs(lags[best]):.3g} s {later}; "
            f"expected less than {LONGEST / cutoff:.3g} s: shift the columns"
        )
    return float(lags[best])


def _check_explained(efforts: Array, left: float, longest: float) -> None:
    vary = float(((efforts - efforts.mean(0)) ** 2).sum())
    if left > (1.0 - EXPLAINED) * vary:
        share = 100 * max(0.0, 1.0 - left / max(vary, 1e-300))
        raise GoughError(
            f"the motion explains {share:.0f} % of how efforts vary, at no lag up to "
            f"{longest:.3g} s more; expected channels of one motion"
        )


def check_lag(lag: float, efforts: Efforts) -> None:
    """GoughError where a lag that is given is too long."""
    longest = LONGEST / efforts.smooth.cutoff
    if not abs(lag) <= longest:
        raise GoughError(f"lag={lag:g} s; expected at most {longest:.3g} s either way")
