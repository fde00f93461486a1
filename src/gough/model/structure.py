"""What a machine is made of: its legs, their joints, which of them are driven, how it can move.

Every shape follows from it: as many positions q and forces as there are driven joints, as many
rows of legs as there are legs. A twist has six components and a pose seven numbers for all
machines.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from gough.equations.machine import Machine
from gough.robot import Robot
from gough.robot.mechanism import MOVES


@dataclass(frozen=True)
class LegStructure:
    """The joints of one leg, from the base to the platform: U universal, P prismatic, S ball."""

    joints: tuple[str, ...]
    driven: tuple[int, ...]
    """The places of the driven ones among the joints."""

    def __str__(self) -> str:
        """As UP*S, with a star behind each joint that is driven."""
        return "".join(j + "*" * (k in self.driven) for k, j in enumerate(self.joints))


@dataclass(frozen=True)
class Structure:
    """A machine without its numbers. Hashable: equations and shapes are chosen by it."""

    legs: tuple[LegStructure, ...]
    freedoms: tuple[str, ...] = MOVES
    """How the platform can move."""

    def __str__(self) -> str:
        legs = ", ".join(f"{count} {leg}" for leg, count in Counter(map(str, self.legs)).items())
        return f"legs {legs}; {self.actuators} actuators; freedoms {' '.join(self.freedoms)}"

    @property
    def actuators(self) -> int:
        """How many joints are driven: the length of q and of force."""
        return sum(len(leg.driven) for leg in self.legs)

    @property
    def determined(self) -> bool:
        """Whether a motion determines the forces: as many actuators as freedoms."""
        return self.actuators == len(self.freedoms)


def structure_of(robot: Robot) -> Structure:
    """The structure of a robot with extensible legs."""
    return Structure(tuple(_extensible(leg.kind[0]) for leg in robot.legs))


def structure_of_machine(machine: Machine) -> Structure:
    """The structure of a machine of the equations, whose numbers may be symbols."""
    return Structure(tuple(_extensible(leg.base_joint.letter) for leg in machine.legs))


def _extensible(base_joint: str) -> LegStructure:
    return LegStructure((base_joint, "P", "S"), (1,))
