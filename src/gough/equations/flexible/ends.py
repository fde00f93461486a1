"""The last end of a link that bends: how it moves and turns beside the link's frame.

Its turn is Cayley's of the turn vector θ of the shapes: a rotation for any θ, and what small turns
are up to θ³.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.flexible.shapes import Shapes
from gough.equations.mechanism.bodies import BodyMotion, Force
from gough.equations.spatial.algebra import Value, cross, dot, skew


@dataclass(frozen=True)
class End:
    """An end of a bent link, in the link's axes."""

    shapes: Shapes
    place: Value
    """[m] from the link's origin."""
    theta: Value

    @classmethod
    def of(cls, shapes: Shapes, eta: Value) -> End:
        """The last one, at elastic coordinates."""
        return cls(shapes, shapes.last + shapes.way @ eta, shapes.turn @ eta)

    @property
    def rotation(self) -> Value:
        """From its axes to the link's."""
        T = skew(self.theta)
        return ca.DM.eye(3) + self._k * (T + T @ T / 2)

    def carried(self, frame: BodyMotion, rate: Value, second: Value) -> BodyMotion:
        """Its motion, in its own axes, from the link's; rates and accelerations of η."""
        R, theta = self.rotation, self.theta
        way_rate, way_second = self.shapes.way @ rate, self.shapes.way @ second
        theta_rate, theta_second = self.shapes.turn @ rate, self.shapes.turn @ second
        v_dot = frame.v_dot + frame.U @ self.place + way_second
        v_dot += 2 * cross(frame.omega, way_rate)
        w = self._rate_matrix @ theta_rate
        w_dot = self._rate_matrix @ theta_second - self._k * dot(theta, theta_rate) / 2 * w
        before = R.T @ frame.omega
        omega_dot = R.T @ frame.omega_dot + cross(before, w) + w_dot
        return BodyMotion(before + w, omega_dot, R.T @ v_dot)

    def passed_on(self, force: Force) -> tuple[Force, Value]:
        """A force on the end, in its axes, as one on the link's frame and as those on η."""
        f, n = self.rotation @ force.f, self.rotation @ force.n
        turning = self._rate_matrix.T @ force.n
        eta_force = self.shapes.way.T @ f + self.shapes.turn.T @ turning
        return Force(f, n + cross(self.place, f)), eta_force

    @property
    def _k(self) -> Value:
        return 1 / (1 + dot(self.theta, self.theta) / 4)

    @property
    def _rate_matrix(self) -> Value:
        """W of the angular velocity W θ̇, in the end's axes."""
        return self._k * (ca.DM.eye(3) - skew(self.theta) / 2)
