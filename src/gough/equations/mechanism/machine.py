"""What the equations know of a machine of any kind: plain records of CasADi values.

A leg is a tree of joints with one freedom each, which grows out of the base; a universal joint is
two hinges with a massless link between them. At its tips the leg is held to the platform, or to
another of its own links. How the equations are to be solved (which rows fix which joints) was found
when the machine was read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gough.equations.encoders import TRUE, Encoders
from gough.equations.mechanism.bodies import Body
from gough.equations.mechanism.description import Description
from gough.equations.mechanism.joints import Joint
from gough.equations.mechanism.springs import Flexure, Springs
from gough.equations.mechanism.tips import Tip
from gough.equations.spatial.algebra import Value

if TYPE_CHECKING:
    from gough.equations.mechanism.friction import Rubbing


@dataclass(frozen=True)
class Plan:
    """How a leg's rates follow from its rows: which rows fix which joints."""

    driven: tuple[int, ...] = ()
    """Joints with a motor, in the motors' order."""
    driven_rows: tuple[int, ...] = ()
    """Rows that fix these."""
    free: bool = True
    """Whether no passive joint is in those rows."""
    stages: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    """Then rows and the passive joints that they fix, one group after the other."""
    left: tuple[int, ...] = ()
    """Rows that are left over, and say what the platform cannot do."""


def _not_limited(place: str) -> Value:
    raise KeyError(place)


def _unknown(position: Value, rotation: Value) -> list[Value]:
    raise ValueError("a leg whose positions are not known yet")


def _weightless(numbers: Value) -> Machine:
    raise ValueError("a machine whose bodies are not known yet")


@dataclass(frozen=True)
class Leg:
    """Joints, each after the one that carries it, and tips."""

    joints: tuple[Joint, ...]
    tips: tuple[Tip, ...]
    plan: Plan = Plan()
    positions: Callable[[Value, Value], list[Value]] = _unknown
    """From the platform's position and rotation to the joints' positions."""
    iterated: bool = False
    """Whether these are found by iteration, for want of a closed form."""
    branches: tuple[Callable[[Value, Value], list[Value]], ...] = ()
    """Positions in closed form for all ways in which the leg can bend, the drawing's among them."""


@dataclass(frozen=True)
class Freedom:
    """What the platform can do: u = S V, V = T u, in the machine's axes.

    Where T is not constant it follows from K V = 0, the rows that the legs have left.
    """

    S: Value
    inside: Value
    """S⁺, 6 x n: the shortest V for each u; Sᵀ if the rows of S are orthonormal."""
    outside: Value
    """S⊥: an orthonormal complement of the rows of S."""
    T: Value = None
    possible: Value = None
    """T S, where it is constant: the part of V that the platform can do."""
    on_branch: tuple[float, float] | None = None
    """Of one degree of freedom with change points: from which displacement to which other, as u
    counts from home, the joints found are those of home's branch."""


@dataclass(frozen=True)
class Stance:
    """How pose and twist are seen by the equations: in which axes, and what never changes."""

    axes: Value
    """From base axes to the machine's, in which a planar machine moves in the plane x, y."""
    home_position: Value
    home_quaternion: Value
    fixed: tuple[int, ...] = ()
    """Coordinates of the position that are always those at home, in the machine's axes."""
    turning: Literal["any", "z", "none"] = "any"
    """About which axes the platform turns."""


@dataclass(frozen=True)
class Machine:
    """A machine of any kind; all in the machine's axes."""

    gravity: Value
    platform: Body
    legs: tuple[Leg, ...]
    freedom: Freedom
    stance: Stance
    motors: tuple[tuple[int, int], ...]
    """Leg and joint of each motor, in the order of positions and efforts."""
    ground: Value
    """∫ r dm of what was lent to the base, for the potential energy [kg m]."""
    description: Description
    frictions: tuple[Rubbing, ...] = ()
    """Of joints that state some."""
    flexures: tuple[Flexure, ...] = ()
    """Springs of passive joints, whose displacements count from home."""
    springs: Springs | None = None
    """What yields, where all its driven joints do."""
    encoders: Encoders = TRUE
    limit: Callable[[str], Value] = _not_limited
    """A limit, or a radius, by where it is stated."""
    with_bodies: Callable[[Value], Machine] = _weightless
    """The same machine whose bodies have these standard parameters, ten each, platform first; all
    that moves it, not what is described."""

    def own_motors(self, leg: int) -> list[int]:
        """The numbers of a leg's motors."""
        return [k for k, (owner, _) in enumerate(self.motors) if owner == leg]
