"""Valves of compliant connectors that change their operating mode during a run [Baiges 1996, 2.5].

A valve that closes locks its damper: the coupling stage keeps its compression and its energy until
the valve opens again. So positions and velocities are continuous, and a valve gives no energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.legs.extensible import ConnectorLaw, Mode
from gough.equations.spatial.algebra import Value
from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import CheckedTable, entry, optional
from gough.model.actuators import connectors_of
from gough.robot import Robot

VALVES: dict[Mode, tuple[int, int]] = {
    "simple": (0, 0), "low-frequency": (1, 0), "high-frequency": (0, 1), "complete": (1, 1)
}  # fmt: skip
"""Whether the coupling stage moves, and whether the decoupling damper acts, in each mode."""
STATE = Argument("valves", (4,), "s, 1", "clock, whether the tool is pressed, settings of valves")
RATES = ca.DM([1.0, 0.0, 0.0, 0.0])  # of the state: the clock goes on
_ROUNDING = 1e-9  # of the clock [s]


class ValveSetting(CheckedTable):
    """A [[plant.valves]] table: a mode of the legs' connectors, from a time on or in contact."""

    mode: Literal["simple", "low-frequency", "high-frequency", "complete"] = entry(
        "Operating mode of the connectors [Baiges 1996]."
    )
    time: q.Duration | None = optional("From when on [s].")
    contact_force: q.NotNegativeForce | None = optional(
        "Instead of a time: above which contact force [N], until the tool leaves the surface."
    )

    def _check(self) -> None:
        if (self.time is None) == (self.contact_force is None):
            raise InputError("given twice or not at all", expected="a time or a contact_force")


@dataclass(frozen=True)
class Valves:
    """The valves of a machine, as its equations take them; their state is STATE."""

    connectors: tuple[ConnectorLaw, ...]
    """With all parts that some mode uses."""
    at_rest: tuple[ConnectorLaw, ...]
    """In the first mode, in which a run begins."""
    first: Mode
    settings: tuple[ValveSetting, ...]
    """Modes that are set later: times are in order, and one at most is of a contact force."""

    @classmethod
    def of(cls, robot: Robot, first: Mode, settings: Sequence[ValveSetting]) -> Valves:
        """Return the valves of a robot that begin in a mode; parts that are missing are refused."""
        if first not in VALVES or not robot.has_extensible_legs:
            problem, known = f"{robot.name} has rigid legs, without valves", ", ".join(VALVES)
            raise InputError(problem, key="plant.valves", expected=f"legs of a hexapod: {known}")
        times = [s.time for s in settings if s.time is not None]
        if any(a >= b for a, b in pairwise(times)) or len(settings) > len(times) + 1:
            problem = f"times {times} s, and {len(settings) - len(times)} contact forces"
            expected = "times in order, and at most one contact force"
            raise InputError(problem, key="plant.valves", expected=expected)
        modes = (first, *(s.mode for s in settings))
        laws = [connectors_of(robot, mode) for mode in modes]
        legs = tuple(_with_all_parts(of_leg) for of_leg in zip(*laws, strict=True))
        if len({VALVES[mode][0] for mode in modes}) > 1:
            for leg in (k for k, leg in enumerate(legs, 1) if not leg.keeps_coupling):
                expected = f"K_L, and a damper in the coupling stage, in the connector of leg {leg}"
                raise InputError("nothing to lock", key="plant.valves", expected=expected)
        return cls(legs, laws[0], first, tuple(settings))

    def laws(self, state: Value) -> tuple[ConnectorLaw, ...]:
        """Return the connectors with their valves as they are set in a state."""
        legs = list[ConnectorLaw]()
        for leg in self.connectors:
            coupling = leg.coupling and replace(leg.coupling, opening=state[2])
            stage = leg.decoupling
            stage = stage and replace(stage, damping=state[3] * stage.damping)
            legs.append(replace(leg, coupling=coupling, decoupling=stage))
        return tuple(legs)

    def switched(self, state: Value, touch: Value) -> Value:
        """Return the state with valves set for time, and force [N] and distance [m] of contact."""
        clock, pressed, setting = state[0], state[1], ca.DM(VALVES[self.first])
        for later in sorted(self.settings, key=lambda one: one.time is None):  # contact last
            is_set = clock >= (later.time or 0.0) - _ROUNDING
            if later.contact_force is not None:
                is_set = ca.if_else(pressed > 0, touch[1] < 0, touch[0] > later.contact_force)
                pressed = is_set
            setting = ca.if_else(is_set, ca.DM(VALVES[later.mode]), setting)
        return ca.vertcat(clock, pressed, setting)


def _with_all_parts(laws: Sequence[ConnectorLaw]) -> ConnectorLaw:
    """Return one leg's connector that has the parts of it in all of several modes."""
    coupling = next((law.coupling for law in laws if law.coupling is not None), None)
    stages = [law.decoupling for law in laws if law.decoupling is not None]
    stage = max(stages, key=lambda stage: float(stage.damping), default=None)
    return replace(laws[0], coupling=coupling, decoupling=stage)
