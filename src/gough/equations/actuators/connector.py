"""One compliant leg: Baiges's connector, and the special cases that it has [Baiges 1996, ch. 2, 4].

From the base joint, along the leg: the actuator moves M_e at E against the friction C_t; the spring
K_L joins it to the point H, and the coupling stage, K_c and C_c side by side, joins H to the
platform joint at L. The decoupling stage is M_d at D, on a spring K_d from the base part, with a
damper C_d to the platform joint. Compression is positive.

    platform  <--[ C_d ]--  M_d  --[ K_d ]--  base part
    platform  <--[ K_c, C_c ]--  H  --[ K_L ]--  M_e  <--  F_a

H has no mass. The coupling stage's deflection δ_c = H - L + l_co stands in for it, so that no
result depends on how the free lengths l_Lo and l_co share their sum: it is the distance of M_e, the
leg's piston, from the platform joint when no force is on the springs. The leg's cylinder is M_b
together with M_d in its place l_do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import casadi as ca

from gough.equations.spatial.algebra import Value

Mode = Literal["rigid", "simple", "low-frequency", "high-frequency", "complete"]
MODES: tuple[Mode, ...] = ("rigid", "simple", "low-frequency", "high-frequency", "complete")


@dataclass(frozen=True)
class CouplingLaw:
    """The stage between leg and platform: K_c [N/m], C_c [N s/m]; None: there is no damper."""

    stiffness: Value
    damping: Value | None


@dataclass(frozen=True)
class DecouplingLaw:
    """The stage beside the leg: M_d [kg], l_do [m] from the base joint, K_d [N/m], C_d [N s/m]."""

    mass: Value
    position: Value
    stiffness: Value
    damping: Value


@dataclass(frozen=True)
class ConnectorLaw:
    """Compliant parts of a leg. A part that is None is locked; if all are, the leg is rigid."""

    damping: Value
    """C_t [N s/m], the friction of actuator and transmission."""
    stiffness: Value | None = None
    """K_L [N/m]; None: rigid."""
    coupling: CouplingLaw | None = None
    decoupling: DecouplingLaw | None = None

    @property
    def is_rigid(self) -> bool:
        """Whether the actuator moves the platform joint directly: E = L - l_Lo - l_co."""
        return self.stiffness is None and self.coupling is None

    @property
    def keeps_coupling(self) -> bool:
        """Whether δ_c has a rate of its own: a spring before and a damper in the stage."""
        damped = self.coupling is not None and self.coupling.damping is not None
        return damped and self.stiffness is not None

    @property
    def coupling_share(self) -> Value:
        """δ_c as a share of the whole compression where it has no rate of its own."""
        if self.coupling is None or self.stiffness is None:
            return ca.DM(self.coupling is not None)
        return self.stiffness / (self.stiffness + self.coupling.stiffness)

    @property
    def compliance(self) -> Value:
        """Deflection per static force [m/N] of K_L and K_c, which are in series."""
        parts = ca.DM(0)
        if self.stiffness is not None:
            parts += 1 / self.stiffness
        if self.coupling is not None:
            parts += 1 / self.coupling.stiffness
        return parts  # erratum of 6.(31)

    def forced_coupling_rate(self, force: Value, delta_c: Value) -> Value:
        """The rate of δ_c [m/s] if the force F_kL is given; zero where the stage has no damper."""
        stage = self.coupling
        if stage is None or stage.damping is None:
            return ca.DM(0)
        return (force - stage.stiffness * delta_c) / stage.damping  # 4.(37)

    def in_mode(self, mode: Mode) -> ConnectorLaw:
        """Return the connector with its valves set for an operating mode [2.5].

        A closed coupling damper locks that stage (C_c → ∞; 4.6.6 has C_d there by mistake); an open
        decoupling damper lets M_d swing on its spring (C_d = 0). "complete" uses both stages;
        "rigid" locks every part, K_L and K_d included.
        """
        if mode == "rigid":
            return ConnectorLaw(self.damping)
        stage = self.decoupling
        if mode in ("simple", "low-frequency") and stage is not None:
            stage = replace(stage, damping=ca.DM(0))
        coupling = None if mode in ("simple", "high-frequency") else self.coupling
        return replace(self, coupling=coupling, decoupling=stage)


RIGID = ConnectorLaw(ca.DM(0))
