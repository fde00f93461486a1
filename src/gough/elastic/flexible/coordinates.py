"""The coordinates of a machine with flexible links, its functions of them, and motions of them.

Constraint rows may be redundant, as those of planar loops are: their forces then have minimum norm.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, kernel_of, remembered
from gough.compiler.front.function import Equation
from gough.elastic.flexible.beam import ElasticBeam
from gough.elastic.flexible.link_tree import Beams, spanned
from gough.equations.flexible import dynamics as of
from gough.equations.spatial.algebra import derivative
from gough.errors import GoughError
from gough.model.definition import WRENCH
from gough.model.mechanism.decisions.samples import null_space
from gough.poses.given import finite
from gough.poses.quaternions import of_matrix
from gough.robot import Mechanism

REPEATED = 1e-9  # singular value, relative to the maximum, below which a row is redundant
UNHELD = 1e-13  # share of the maximum stiffness that counts as zero: rods spin between balls
UNSEEN = 1e-6  # maximum part of a motion that counts as zero
MASSLESS = 1e-12  # fraction of the maximum mass below which a motion moves no mass
NO_MASS = (
    "some motion of the machine moves no mass; expected inertias of all bodies that can rotate, "
    "such as of rods about their axis between ball joints, and of bodies on compliant bearings"
)

_FUNCTIONS: dict[str, tuple[str, dict[str, str], Equation]] = {
    "dynamics": ("z rate wrench", {"M": "nn", "h": "n"},
        lambda tree, z, rate, wrench: (of.mass_matrix(tree, z), of.bias(tree, z, rate, wrench))),
    "closing": ("z rate", {"gaps": "m", "C": "mn", "drift": "m"},
        lambda tree, z, rate: (of.gaps(tree, z), of.closing_rows(tree, z),
                               of.drifts(tree, z, rate))),
    "platform": ("z rate", {"position": "3", "rotation": "33", "rates": "6n", "drift": "6"},
        lambda tree, z, rate: (*of.platform_pose(tree, z), of.platform_rates(tree, z),
                               of.platform_drift(tree, z, rate))),
    "energy": ("z rate", {"kinetic": "", "gravitational": "", "elastic": ""}, of.energies),
    "tangent": ("z rate second wrench", {"needed": "n", "tangent": "nn"},
        lambda tree, *motion: (of.needed(tree, *motion), of.tangent(tree, *motion))),
    "closing_tangent": ("z held", {"tangent": "nn"}, of.closing_tangent),
    "mass": ("z", {"M": "nn"}, of.mass_matrix),
    "strain": ("z", {"load": "n", "stiffness": "nn"},
        lambda tree, z: (of.spring_load(tree, z), derivative(partial(of.spring_load, tree), z))),
    "momentum": ("z", {"S": "6n"}, of.momentum),
}  # fmt: skip
"""Inputs, outputs with their shapes (n coordinates, m loop-closure rows), and equation of each.

M z̈ + h = Bᵀ τ + Cᵀ λ, C z̈ + drift = 0. "platform" has its position, rotation, twist by rates, and
acceleration at z̈ = 0, "energy" is in J, "tangent" is M z̈ + h and its derivatives by z, and
"closing_tangent" those of Cᵀ λ. "strain" is what strains springs alone, and its derivatives. Those
of the loops are only of machines that have some.
"""


@remembered
def _function(robot: Mechanism, beams: Beams, name: str) -> Function:
    """A function of a machine, symbolic: those of many operations and few states stay so."""
    machine = spanned(robot, beams).machine
    inputs, outputs, equation = _FUNCTIONS[name]
    n, m = machine.size, machine.gaps
    known = {
        "z": Argument("z", (n,), "rad, m, SI", "coordinates"),
        "rate": Argument("rate", (n,), "SI", "their rates", optional=True),
        "second": Argument("second", (n,), optional=True),
        "wrench": WRENCH,
        "held": Argument("held", (m,)),
    }
    sizes = {"n": n, "m": m, "3": 3, "6": 6}
    results = [
        Argument(key, tuple(sizes[letter] for letter in shape), "J" if not shape else "")
        for key, shape in outputs.items()
    ]
    taken = [known[key] for key in inputs.split()]
    words = f"flexible_{name}"
    return Function.from_equation(words, lambda *x: equation(machine, *x), taken, results)


class Coordinates:
    """Positions of a tree's joints, with strains of bearings, then elastic coordinates."""

    def __init__(self, robot: Mechanism, links: Beams) -> None:
        self._made_of, self._kernels = (robot, links), dict[str, Kernel[Any]]()
        self.robot, (self.tree, self.coordinates) = robot, spanned(robot, links)
        self.joints = len(self.tree.joints)
        self.motors = np.array([self.tree.joints.index(k) for k in self.tree.driven], dtype=int)
        """Indices of the coordinates of the driven joints."""
        self.dof_rows = robot.freedom_rows
        """Rows of the platform's degrees of freedom."""

    @property
    def bending(self) -> tuple[ElasticBeam, ...]:
        """The beams among the coordinates."""
        found, names = list[ElasticBeam](), self.coordinates
        shapes = (link.shapes for link in self.tree.links if link.shapes is not None)
        for (_, start, n), own in zip(self.tree.elastic, shapes, strict=True):
            body, places = names[start].rpartition(".")[0], slice(start, start + n)
            found.append(ElasticBeam(body, places, np.array(own.stiffness)))
        return tuple(found)

    @cached_property
    def rigid(self) -> Coordinates:
        """Coordinates of the machine with rigid bearings, which are some of these."""
        firm = self.robot.with_rigid_bearings
        return self if firm == self.robot else Coordinates(firm, self._made_of[1])

    @property
    def unstrained(self) -> list[int]:
        """Places of the coordinates that the machine with rigid bearings has."""
        return [self.coordinates.index(name) for name in self.rigid.coordinates]

    def pose(self, z: ArrayLike) -> Array:
        """The pose (7) of the platform."""
        position, R, _, _ = self.platform(finite(z, "z", self.tree.size))
        return np.array([*position, *of_matrix(R)])

    def closing(self, z: Array, rate: Array | None = None) -> tuple[Array, Array, Array]:
        """Gaps of the loops, rows C, and their drift κ."""
        if self.tree.gaps:
            gaps, C, drift = self.kernel("closing")(z, np.zeros_like(z) if rate is None else rate)
            return gaps, C, drift
        none = np.zeros((*z.shape[:-1], 0))
        return none, np.zeros((*none.shape, self.tree.size)), none

    def needed(
        self, z: Array, rate: Array, second: Array, wrench: Array, held: Array
    ) -> tuple[Array, Array]:
        """M z̈ + h, and derivatives of M z̈ + h - Cᵀ λ by z at constant forces λ, of one state."""
        needed, K = self._symbolic("tangent", z, rate, second, wrench)
        if self.tree.gaps:
            K -= self._symbolic("closing_tangent", z, held)[0]
        return needed, K

    def mass_matrix(self, z: Array) -> Array:
        """M (n, n) [SI] of one state."""
        return self._symbolic("mass", z)[0]

    def momentum(self, z: Array) -> Array:
        """Linear and angular momentum (6, n) about the base's origin, by rates, of one state."""
        return self._symbolic("momentum", z)[0]

    def with_motors(self, C: Array) -> Array:
        """Rows C, and those of the locked motors."""
        motors = np.eye(self.tree.size)[self.motors]
        return np.concatenate([C, np.broadcast_to(motors, (*C.shape[:-2], *motors.shape))], axis=-2)

    def platform(self, z: Array, rate: Array | None = None) -> tuple[Array, ...]:
        """The platform's position, rotation, twist by rates, and acceleration at z̈ = 0."""
        return tuple(self.kernel("platform")(z, np.zeros_like(z) if rate is None else rate))

    def kernel(self, name: str) -> Kernel[Any]:
        """Return a compiled function of states: dynamics, closing, platform or energy."""
        if name not in self._kernels:
            self._kernels[name] = kernel_of(_function, *self._made_of, name)
        return self._kernels[name]

    def _symbolic(self, name: str, *given: Array) -> list[Array]:
        function = _function(*self._made_of, name)
        found = zip(function.casadi.call([*given]), function.outputs, strict=True)
        return [np.array(column).reshape(output.shape) for column, output in found]


def held_acceleration(M: Array, force: Array, A: Array, a: Array) -> tuple[Array, Array]:
    """z̈ and λ (..., m) of M z̈ = force + Aᵀ λ, A z̈ = a: minimum M-distance from the free z̈."""
    L = root_of(M)
    free = np.linalg.solve(L, force[..., None])
    D = np.swapaxes(np.linalg.solve(L, np.swapaxes(A, -1, -2)), -1, -2)
    inverse = np.linalg.pinv(D, rcond=REPEATED)
    change = inverse @ (a[..., None] - D @ free)
    z_ddot = np.linalg.solve(np.swapaxes(L, -1, -2), free + change)
    multipliers = np.swapaxes(inverse, -1, -2) @ change
    return z_ddot[..., 0], multipliers[..., 0]


def without_spins(M: Array, K: Array, basis: Array, seen: Array) -> Array:
    """Motions (n, k), as columns, without those of zero stiffness that no row of `seen` observes.

    The remaining ones have no momentum along these: rods between ball joints do not spin.
    """
    stiffness, vectors = np.linalg.eigh(basis.T @ K @ basis)
    slack = basis @ vectors[:, np.abs(stiffness) <= UNHELD * np.abs(K).max(initial=0.0)]
    spins = slack @ null_space(seen @ slack, UNSEEN, largest=1.0)
    rest = basis @ null_space(spins.T @ basis, REPEATED)
    return np.asarray(rest - spins @ np.linalg.pinv(spins.T @ M @ spins) @ (spins.T @ M @ rest))


def heavy_motions(M: Array, K: Array, basis: Array) -> Array:
    """Motions (n, k) among some, as columns; massless ones follow statically."""
    values, vectors = np.linalg.eigh(basis.T @ M @ basis)
    heavy = values > MASSLESS * values[-1]
    light, rest = basis @ vectors[:, ~heavy], basis @ vectors[:, heavy]
    if not light.size:
        return np.asarray(rest)
    held = light.T @ K @ light
    if np.linalg.matrix_rank(held, len(K) * np.finfo(float).eps * np.abs(K).max()) < len(held):
        raise GoughError(NO_MASS)
    return np.asarray(rest - light @ np.linalg.solve(held, light.T @ K @ rest))


def least_norm(A: Array, b: Array, repeated: float = REPEATED) -> Array:
    """Return the least-squares solution x of A x = b with minimum norm."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=repeated)[0])


def root_of(M: Array) -> Array:
    """L of M = L Lᵀ, by Cholesky; GoughError where some motion moves no mass."""
    try:
        return np.asarray(np.linalg.cholesky(M))
    except np.linalg.LinAlgError as error:
        raise GoughError(NO_MASS) from error
