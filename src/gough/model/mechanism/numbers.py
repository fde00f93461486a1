"""The numbers of a machine of any kind as the equations take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.equations.mechanism.machine import Machine
from gough.errors import RobotError
from gough.model.mechanism.reading import analysed
from gough.robot import Mechanism


def machine_of(mechanism: Mechanism) -> Machine:
    """The machine with its numbers as constants."""
    return analysed(mechanism).machine


def machine_of_parameters(mechanism: Mechanism, parameters: Any) -> Machine:
    """The machine with masses from a vector."""
    raise RobotError("parametric machines of this kind are not there yet")


def numbers_of(mechanism: Mechanism) -> Iterator[tuple[str, Array]]:
    """All numbers that are parameters, by name."""
    yield "gravity", np.array(mechanism.gravity)
