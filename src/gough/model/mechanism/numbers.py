"""Numbers of a parallel robot as the equations take them.

Its geometry is constant here: few machines keep their mobility when one of their points moves. In
`families` it is made of the numbers of their file.
"""

from __future__ import annotations

from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.model.mechanism.families import machine_of_variables
from gough.model.mechanism.reading import analysed, analysed_geometry, completed, geometry_of
from gough.model.named_numbers import taken_from
from gough.robot import Mechanism

__all__ = ["machine_of", "machine_of_parameters", "machine_of_variables"]


def machine_of(mechanism: Mechanism) -> Machine:
    """The machine with its numbers as constants."""
    return analysed(mechanism).machine


def machine_of_parameters(mechanism: Mechanism, parameters: Value) -> Machine:
    """The machine with all its numbers but those of its geometry from a vector."""
    found = analysed_geometry(geometry_of(mechanism))
    return completed(mechanism, found, taken_from(mechanism, parameters))
