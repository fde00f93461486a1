"""A machine as the equations take it: plain records of CasADi values, numbers or symbols.

A leg is a tree of joints with one degree of freedom each, which grows out of the base; a universal
joint is two hinges with a massless link between them. At its cuts the leg is held to the platform,
or to another of its own links. How the equations are to be solved (which constraint rows determine
which joints) was found when the machine was read.

A hexapod is such a machine, too. Some of its equations are shorter when they are written for legs
that extend: its machine has these `extensible` legs, and `short` chooses at the equation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Concatenate, Literal, NoReturn, ParamSpec, TypeVar

import casadi as ca

from gough.equations.legs.extensible import TRUE, Encoders
from gough.equations.spatial.algebra import Value
from gough.equations.tree.bodies import ZERO, Body, BodyMotion, MovingBase, Twist
from gough.equations.tree.description import Description, Flexure, LineTorsion, Springs
from gough.equations.tree.joints import LinkJoint, Position
from gough.equations.tree.springs import LineSpring, ParallelSpring

if TYPE_CHECKING:
    from gough.equations.closure.constraint_rows import CutCoupling, CutJoint
    from gough.equations.forces.passive_joints import FrictionLaw
    from gough.equations.legs.extensible import ExtensibleLegs


@dataclass(frozen=True)
class EliminationPlan:
    """Elimination plan of a leg's rates: which constraint rows determine which joints."""

    driven: tuple[int, ...] = ()  # joints with a motor, in the motors' order
    driven_rows: tuple[int, ...] = ()  # rows that fix these
    free: bool = True  # whether no passive joint is in those rows
    stages: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    """Then rows and the passive joints that they fix, one group after the other."""
    left: tuple[int, ...] = ()  # rows that are left over, and say what the platform cannot do

    @property
    def passive_rows(self) -> list[int]:
        """The rows that fix passive joints."""
        return [row for rows, _ in self.stages for row in rows]


def _not_limited(place: str) -> NoReturn:
    raise KeyError(place)


def _unknown(*_: Value) -> NoReturn:
    raise ValueError("a machine of which positions and bodies are not known yet")


Positions = Callable[[Value, Value], Sequence[Position]]
"""From the platform's position and rotation to the positions of a leg's joints."""


@dataclass(frozen=True)
class LegBranches:
    """Branches of a leg: numbers, of which 1 is that of the home configuration."""

    joints: tuple[int, ...]
    """Joint of each number: of a root of its closed form, -1 for the other sign; of an iteration
    the first joint, 2, 3 and so on for other configurations that close the leg at home."""
    positions: Callable[[Value], Positions]  # from these numbers to positions; NaN for others
    at_home: Callable[[], dict[tuple[int, ...], tuple[float, ...]]]
    """Positions of the joints at home [rad, m], by branch: all that close the leg there."""

    def counted_from(self, signs: tuple[int, ...]) -> LegBranches:
        """Return the same branches with other signs of the one that is 1."""

        def at_home() -> dict[tuple[int, ...], tuple[float, ...]]:
            return {tuple(map(mul, numbers, signs)): q for numbers, q in self.at_home().items()}

        return LegBranches(self.joints, lambda b: self.positions(b * ca.DM(signs)), at_home)


@dataclass(frozen=True)
class Leg:
    """Joints, each after the one that carries it, and cut joints."""

    joints: tuple[LinkJoint, ...]
    cuts: tuple[CutJoint, ...]
    plan: EliminationPlan = EliminationPlan()
    positions: Positions = _unknown  # on the branch of home, or of which the machine is
    iterated: bool = False  # whether these are found by iteration, for want of a closed form
    branches: LegBranches | None = None  # None if there is one alone
    couplings: tuple[CutCoupling, ...] = ()  # of its joints: rows behind those of the cuts
    following: Following | None = None
    """Derivatives by which its joints follow the platform, where they are given; else its rows."""


@dataclass(frozen=True)
class Following:
    """Derivatives of a leg's n joint positions by the platform's motion, which are given."""

    first: Value  # n x 6: rates by a twist in the machine's axes
    second: Callable[[Value, Value], Value]  # from twist and acceleration, relative to the base


@dataclass(frozen=True)
class PlatformFreedom:
    """Degrees of freedom of the platform: u = S V, V = T u, in the machine's axes.

    Where T is not constant it follows from K V = 0, the platform constraints of the legs.
    """

    S: Value
    inside: Value  # S⁺, 6 x n: the shortest V for each u; Sᵀ if the rows of S are orthonormal
    outside: Value  # S⊥: an orthonormal complement of the rows of S
    T: Value | None = None
    possible: Value | None = None  # T S, where it is constant: the admissible part of V
    on_branch: tuple[Value | float, Value | float] | None = None
    """Range of the displacement, counted as u from home, in which the joints found are those of
    the branch at home, for one degree of freedom with change points."""
    any_branch: bool = False  # whether the branch is an input, and loops may be open


@dataclass(frozen=True)
class FrameConvention:
    """Frame convention of pose and twist in the equations: axes, and constant coordinates."""

    axes: Value  # from base axes to the machine's: a planar one moves in the plane x, y
    home_position: Value
    home_quaternion: Value
    fixed: tuple[int, ...] = ()  # coordinates of the position that stay, in the machine's axes
    turning: Literal["any", "z", "none"] = "any"  # axes about which the platform turns


@dataclass(frozen=True)
class Machine:
    """A parallel robot; all in the machine's axes."""

    gravity: Value
    platform: Body
    legs: tuple[Leg, ...]
    freedom: PlatformFreedom
    frame_convention: FrameConvention
    motors: tuple[tuple[int, int], ...]  # leg and joint of each, in the order of efforts
    ground: Value  # ∫ r dm of what was lent to the base, for the potential energy [kg m]
    description: Description
    frictions: tuple[FrictionLaw, ...] = ()  # friction of the joints that state some
    flexures: tuple[Flexure | LineTorsion, ...] = ()  # of passive joints, from home
    loaded: tuple[LineSpring | ParallelSpring, ...] = ()
    """Springs between bodies, and beside motors and bearings of joints: perhaps preloaded."""
    springs: Springs | None = None  # springs of the machine, if all its driven joints are elastic
    encoders: Encoders = TRUE
    limit: Callable[[str], Value] = _not_limited  # a limit, or a radius, by where it is stated
    extensible: ExtensibleLegs | None = None  # this one as the short equations of hexapods take it
    base: MovingBase | None = None  # motion of its base; None: at rest. See `forces.moving_base`
    with_bodies: Callable[[Value], Machine] = _unknown
    """Constructor of this machine with standard inertial parameters of the bodies, ten each,
    platform first; for the equations of motion, not for the description."""

    @property
    def hexapod(self) -> ExtensibleLegs:
        """Its extensible legs, for what only hexapods have."""
        assert self.extensible is not None
        return self.extensible

    @property
    def weightless(self) -> Machine:
        """This machine without gravity."""
        g = ca.DM.zeros(3)
        legs = None if self.extensible is None else replace(self.extensible, gravity=g)
        return replace(self, gravity=g, extensible=legs)

    def in_branch(self, branch: Value) -> Machine:
        """Return this machine on a branch, by the numbers of all its legs."""
        legs = (
            replace(leg, positions=leg.branches.positions(branch[own])) if leg.branches else leg
            for leg, own in zip(self.legs, self.own_numbers, strict=True)
        )
        return replace(self, legs=tuple(legs), freedom=replace(self.freedom, any_branch=True))

    @property
    def own_numbers(self) -> list[slice]:
        """Which numbers of a branch are each leg's."""
        counts = [len(leg.branches.joints) if leg.branches else 0 for leg in self.legs]
        return [slice(end - n, end) for n, end in zip(counts, accumulate(counts), strict=True)]

    @property
    def dof(self) -> int:
        """Number of degrees of freedom."""
        return int(self.freedom.S.shape[0])

    def own_motors(self, leg: int) -> list[int]:
        """The numbers of a leg's motors."""
        return [k for k, (owner, _) in enumerate(self.motors) if owner == leg]

    def driven(self, by_leg: Sequence[Sequence[Value]]) -> Value:
        """Return the values of the driven joints from those of all, leg by leg."""
        return ca.vertcat(*(by_leg[leg][joint] for leg, joint in self.motors))

    def in_own_axes(self, twist: Value) -> Value:
        """A twist or wrench of base axes in the machine's axes; also matrices of columns."""
        axes = self.frame_convention.axes
        return ca.vertcat(axes @ twist[0:3, :], axes @ twist[3:6, :])

    def in_base_axes(self, twist: Value) -> Value:
        """A twist or acceleration of the machine's axes in base axes; also matrices of columns."""
        axes = self.frame_convention.axes.T
        return ca.vertcat(axes @ twist[0:3, :], axes @ twist[3:6, :])

    def twist(self, twist: Value) -> Twist:
        """A twist in the machine's axes; the constant part of what it cannot do left out."""
        V, possible = self.in_own_axes(twist), self.freedom.possible
        return Twist.of(V if possible is None else possible @ V)

    def acceleration(self, acceleration: Value) -> Twist:
        """An acceleration in the machine's axes, less gravity."""
        return self.less_gravity(self.twist(acceleration))

    def less_gravity(self, acceleration: Twist) -> Twist:
        """An acceleration relative to the base as seen by who falls freely, not turning."""
        v_dot = acceleration.v - self.gravity
        return Twist(v_dot if self.base is None else v_dot + self.base.acceleration.v,
            acceleration.omega)  # fmt: skip

    def relative(self, acceleration: Twist) -> Value:
        """Return the acceleration (6) of which this is the one less gravity."""
        v_dot = acceleration.v + self.gravity
        if self.base is not None:
            v_dot -= self.base.acceleration.v
        return ca.vertcat(v_dot, acceleration.omega)

    @property
    def base_motion(self) -> BodyMotion:
        """Motion of the base, less gravity."""
        if self.base is None:
            return BodyMotion(ZERO, ZERO, -self.gravity)
        moving = self.base.acceleration
        return BodyMotion(self.base.twist.omega, moving.omega, moving.v - self.gravity)


P = ParamSpec("P")
Result = TypeVar("Result")
Equation = Callable[Concatenate[Machine, P], Result]


def short(
    of_legs: Callable[Concatenate[ExtensibleLegs, P], Result],
) -> Callable[[Equation[P, Result]], Equation[P, Result]]:
    """Decorate an equation of machines that is shorter for extensible legs: there it is theirs."""

    def choosing(general: Equation[P, Result]) -> Equation[P, Result]:
        @wraps(general)
        def equation(machine: Machine, /, *state: P.args, **more: P.kwargs) -> Result:
            if machine.extensible is None:
                return general(machine, *state, **more)
            return of_legs(machine.extensible, *state, **more)

        return equation

    return choosing
