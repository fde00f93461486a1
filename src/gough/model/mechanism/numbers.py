"""The numbers of a machine of any kind as the equations take them.

Its geometry is constant here: few machines stay what they are when one of their points moves. In
`families` it is made of the numbers of their file.
"""

from __future__ import annotations

from typing import Any

from gough.equations.mechanism.machine import Machine
from gough.model.mechanism.reading import analysed, analysed_geometry, completed, geometry_of
from gough.model.named_numbers import taken_from
from gough.robot import Mechanism


def machine_of(mechanism: Mechanism) -> Machine:
    """The machine with its numbers as constants."""
    return analysed(mechanism).machine


def machine_of_parameters(mechanism: Mechanism, parameters: Any) -> Machine:
    """The machine with all its numbers but those of its geometry from a vector."""
    found = analysed_geometry(geometry_of(mechanism))
    return completed(mechanism, found, taken_from(mechanism, parameters))
