"""One derivation of the dynamics, and what follows from every derivation in the same way.

M · acceleration + C · twist + G = Jᵀ force + wrench
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import casadi as ca
from casadi import skew

from gough.equations.legs import closure
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.algebra import Value, angular, derivative

OfPose = Callable[[ExtensibleLegs, Value], Value]
OfVelocity = Callable[[ExtensibleLegs, Value, Value], Value]
ForwardDynamics = Callable[[ExtensibleLegs, Value, Value, Value, Value], Value]
RequiredForces = Callable[[ExtensibleLegs, Value, Value, Value], tuple[Value, Value]]

AT_REST = ca.DM.zeros(6)  # the twist and the acceleration of a platform that stands still
NO_WRENCH = ca.DM.zeros(6)


@dataclass(frozen=True)
class Formulation:
    """A derivation: what it writes down itself, and all that is made of that."""

    required_forces: RequiredForces
    """(machine, pose, twist, acceleration) -> a wrench on the platform (6) [N, N m], and forces
    along the legs (n) [N]: M · acceleration + C · twist + G = wrench + Jᵀ along. A force along a
    leg is its actuator's alone, so it need not pass through the platform's balance; zero of a
    derivation that takes the legs' share, too, for a wrench on the platform."""
    mass_matrix: OfPose  # (machine, pose) -> M (6x6) [kg, kg m, kg m^2]
    own_coriolis_matrix: OfVelocity | None = None
    """A derivation's way to the Coriolis matrix, where it has one: (machine, pose, twist) -> C."""
    own_forward_dynamics: ForwardDynamics | None = None
    """A derivation's way to the acceleration, where it is shorter than the one for all."""
    approximation: str = ""  # approximation that it makes; empty if it is exact

    def inverse_dynamics(
        self, machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value, wrench: Value
    ) -> Value:
        """Actuator forces (n) [N] of a motion under an external wrench on the platform."""
        across, along = self.required_forces(machine, pose, twist, acceleration)
        return along + closure.leg_forces(machine, pose, across - wrench)

    def forward_dynamics(
        self, machine: ExtensibleLegs, pose: Value, twist: Value, force: Value, wrench: Value
    ) -> Value:
        """Acceleration (6) [m/s^2, rad/s^2] under actuator forces and an external wrench."""
        if self.own_forward_dynamics is not None:
            return self.own_forward_dynamics(machine, pose, twist, force, wrench)
        left = closure.jacobian(machine, pose).T @ force + wrench - self.bias(machine, pose, twist)
        return solve_symmetric(self.mass_matrix(machine, pose), left)

    def bias(self, machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
        """C · twist + G (6) [N, N m]: what a motion without acceleration asks for."""
        across, along = self.required_forces(machine, pose, twist, AT_REST)
        return across + closure.jacobian(machine, pose).T @ along

    def coriolis_matrix(self, machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
        """C (6x6) [kg/s, kg m/s, kg m^2/s], with Ṁ - 2C skew, torsion-free.

        C(a) b - C(b) a = M [a, b] of any twists, with the bracket [a, b] = (0, ω_b x ω_a). There is
        only one such matrix, (∂bias/∂twist + M [twist, ·]) / 2: every derivation has the same.
        """
        if self.own_coriolis_matrix is not None:
            return self.own_coriolis_matrix(machine, pose, twist)
        by_twist = derivative(partial(self.bias, machine, pose), twist)
        bracket = ca.diagcat(ca.DM(3, 3), -skew(angular(twist)))
        return (by_twist + self.mass_matrix(machine, pose) @ bracket) / 2

    def gravity(self, machine: ExtensibleLegs, pose: Value) -> Value:
        """G (6) [N, N m]: what holding still asks for."""
        return self.bias(machine, pose, AT_REST)
