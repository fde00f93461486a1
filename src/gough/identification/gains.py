"""Drive gains: the motors' torque constants, together with what a machine weighs.

Currents alone tell weights only as surely as the motors' constants are known: all of them could be
larger by the same share. A recording with a payload that is known tells them apart. The noise is
that of the currents i, beside which the regressor has little. Least squares for the constants
in K i = W x + (what the payload asks for) would take that noise for a part of the current, and find
K too small. Total least squares do not [Gautier & Briot 2014]: they move what was measured, each
current by as little as its noise allows. With one noisy number a row, that is the least sum of
(i - (W x + …) / K)², which Gauss and Newton find with all other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.efforts import Efforts, Explained, joined
from gough.identification.recording import Recording
from gough.model.actuators import drives_of
from gough.robot import Robot


class OfRecordings(Explained, Protocol):
    """What explains the efforts of recordings, by named numbers."""

    names: list[str]
    efforts: Efforts


class Together:
    """What explains efforts of several recordings by the same numbers."""

    def __init__(self, parts: Sequence[OfRecordings]) -> None:
        first, self._parts = parts[0], parts
        self.names, self.priors, self.linear = first.names, first.priors, first.linear
        self.efforts = joined([part.efforts for part in parts])

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""
        each = [part.linearised(values) for part in self._parts]
        columns, forces = (np.concatenate(both) for both in zip(*each, strict=True))
        return columns, forces


class WithGains:
    """What explains efforts of recordings that differ by what is carried, with torque constants.

    Forces count as the robot file's constants say them, so that noise is what it was.
    """

    linear = False

    def __init__(self, forces: OfRecordings, robot: Robot) -> None:
        self._forces, self.efforts = forces, forces.efforts
        self._by_file = np.array([float(drive.torque_constant) for drive in drives_of(robot)])
        self.names = [*forces.names, *gain_names(robot)]
        self.priors = np.append(forces.priors, self._by_file)

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""
        count = len(self._by_file)
        gain = values[-count:] / self._by_file
        columns, forces = self._forces.linearised(values[:-count])
        by_gain = -(forces / gain / values[-count:])[..., None] * np.eye(count)
        return np.concatenate([columns / gain[:, None], by_gain], -1), forces / gain


def gain_names(robot: Robot) -> list[str]:
    """Of the torque constants [N m/A]: each actuator's own, also of identical legs."""
    return [f"actuators[{k}].torque_constant" for k in range(len(robot.actuators))]


def check_gains(unloaded: Recording, loaded: Recording) -> None:
    """GoughError where recordings do not tell drive gains."""
    for recording in (unloaded, loaded):
        if recording.measured != "motor_current":
            raise GoughError(
                f"a loaded recording tells torque constants of currents, but {recording.measured} "
                "was measured; expected motor_current columns without and with the payload"
            )
    check_rates(unloaded, loaded)


def check_efforts(first: Recording, other: Recording, called: str) -> None:
    """GoughError where another recording has other efforts than the first."""
    if first.measured != other.measured:
        raise GoughError(
            f"{other.measured} was measured in the {called} recording and {first.measured} in the "
            "first; expected the same in both"
        )


def check_rates(unloaded: Recording, loaded: Recording) -> None:
    """GoughError where recordings do not go through the same filter."""
    if not np.isclose(unloaded.rate, loaded.rate, rtol=0.01):
        raise GoughError(
            f"recordings at {unloaded.rate:.4g} Hz without and {loaded.rate:.4g} Hz with the "
            "payload; expected the same rate"
        )
