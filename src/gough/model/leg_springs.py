"""What yields in a hexapod's legs, as the equations take it: constants, or parameters."""

from __future__ import annotations

from math import pi
from typing import Any

import casadi as ca

from gough.equations.actuators.connector import Connector, Coupling, Decoupling
from gough.equations.elastic.springs import FreeScrew, JointSprings, LegSprings
from gough.model.named_numbers import Numbers
from gough.robot import Leg

RIGID, FREE = ca.DM(0), ca.DM(0)
"""A compliance [m/N] of nothing that yields, a stiffness of nothing that resists."""


def springs_of(leg: Leg, at: str, numbers: Numbers) -> LegSprings:
    """The springs of a leg, whose place among the numbers is `at`."""
    taken = _Taken(leg, at, numbers)
    return LegSprings(
        taken.compliance("stiffness")
        + taken.compliance("screw.nut")
        + taken.compliance("screw.bearing")
        + taken.compliance("screw.rod")
        + taken.compliance("joint_stiffness.base_axial"),
        _screw(taken),
        taken.compliance("joint_stiffness.platform_axial"),
        _connector(taken),
        _joints(taken, leg.kind[0] == "U"),
    )


def flexures_of(leg: Leg, at: str, numbers: Numbers) -> JointSprings | None:
    """What resists the turning of a leg's joints; None if nothing does."""
    return _joints(_Taken(leg, at, numbers), leg.kind[0] == "U") if bends(leg) else None


def bends(leg: Leg) -> bool:
    """Whether something resists the turning of a leg's joints."""
    keys = ("base_bending", "platform_bending", "platform_torsion")
    return any(getattr(leg.joint_stiffness, key, None) is not None for key in keys)


class _Taken:
    """The numbers of a leg that are given, by their keys."""

    def __init__(self, leg: Leg, at: str, numbers: Numbers) -> None:
        self.leg, self.at, self.numbers = leg, at, numbers

    def given(self, key: str) -> Any:
        """What the leg says at a key; None if it says nothing."""
        found: Any = self.leg
        for part in key.split("."):
            found = getattr(found, part, None)
        return found

    def number(self, key: str) -> Any:
        """The value of a number that is given."""
        return self.numbers(f"{self.at}.{key}")

    def compliance(self, key: str) -> Any:
        """Of a spring; none if it is not given."""
        return RIGID if self.given(key) is None else 1 / self.number(key)

    def resistance(self, key: str) -> Any:
        """Of a flexure; none if it is not given."""
        return FREE if self.given(key) is None else self.number(key)


def _screw(taken: _Taken) -> FreeScrew | None:
    if taken.given("screw") is None:
        return None
    area = pi / 4 * taken.number("screw.diameter") ** 2
    return FreeScrew(taken.number("screw.modulus") * area, taken.number("screw.dead_length"))


def _connector(taken: _Taken) -> Connector:
    """The connector as it stands, with all its stages, and without its dampers."""
    coupling = stage = None
    if taken.given("connector.coupling") is not None:
        coupling = Coupling(taken.number("connector.coupling.stiffness"), None)
    if taken.given("connector.decoupling.stiffness") is not None:
        keys = ("mass", "position", "stiffness")
        m, d, k = (taken.number(f"connector.decoupling.{key}") for key in keys)
        stage = Decoupling(m, d, k, ca.DM(0))
    stiff = taken.given("connector.stiffness") is None
    return Connector(
        ca.DM(0), None if stiff else taken.number("connector.stiffness"), coupling, stage
    )


def _joints(taken: _Taken, universal: bool) -> JointSprings | None:
    if taken.given("joint_stiffness") is None:
        return None
    key = "joint_stiffness"
    return JointSprings(
        taken.compliance(f"{key}.base_radial") + taken.compliance(f"{key}.platform_radial"),
        taken.resistance(f"{key}.base_bending"),
        taken.resistance(f"{key}.platform_bending"),
        _torsion(taken, f"{key}.base_torsion", f"{key}.platform_torsion", universal),
    )


def _torsion(taken: _Taken, base: str, platform: str, universal: bool) -> Any:
    """Of two joints one after the other; one that turns freely leaves none."""
    given = [taken.given(key) is not None for key in (base, platform)]
    if not given[1] or not (given[0] or universal):
        return FREE
    if not given[0]:
        return taken.number(platform)
    return 1 / (taken.compliance(base) + taken.compliance(platform))
