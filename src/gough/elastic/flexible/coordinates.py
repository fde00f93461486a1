"""The coordinates of a machine with flexible links, and its functions of them and their rates."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Equation, Function
from gough.compiler.memo import remembered
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.elastic.flexible.beam import ElasticBeam
from gough.elastic.flexible.link_tree import Beams, spanned
from gough.equations.flexible import dynamics as of
from gough.equations.spatial.algebra import Value
from gough.model.definition import WRENCH
from gough.robot import Mechanism

_FUNCTIONS: dict[str, tuple[str, dict[str, str], Equation]] = {
    "dynamics": (
        "z rate wrench",
        {"M": "nn", "h": "n"},
        lambda tree, z, rate, wrench: (of.mass_matrix(tree, z), of.bias(tree, z, rate, wrench)),
    ),
    "closing": (
        "z rate",
        {"gaps": "m", "C": "mn", "drift": "m"},
        lambda tree, z, rate: (
            of.gaps(tree, z),
            of.closing_rows(tree, z),
            of.drifts(tree, z, rate),
        ),
    ),
    "platform": (
        "z rate",
        {"position": "3", "rotation": "33", "rates": "6n", "drift": "6"},
        lambda tree, z, rate: (
            *of.platform_pose(tree, z),
            of.platform_rates(tree, z),
            of.platform_drift(tree, z, rate),
        ),
    ),
    "energy": ("z rate", {"kinetic": "", "gravitational": "", "elastic": ""}, of.energies),
    "tangent": (
        "z rate second wrench",
        {"needed": "n", "tangent": "nn"},
        lambda tree, *motion: (of.needed(tree, *motion), of.tangent(tree, *motion)),
    ),
    "closing_tangent": ("z held", {"tangent": "nn"}, of.closing_tangent),
    "mass": ("z", {"M": "nn"}, of.mass_matrix),
    "momentum": ("z", {"S": "6n"}, of.momentum),
}
"""Inputs, outputs with their shapes (n coordinates, m loop-closure rows), and equation of each.

M z̈ + h = Bᵀ τ + Cᵀ λ, C z̈ + drift = 0. "platform" has its position, rotation, twist by rates, and
acceleration at z̈ = 0, "energy" is in J, "tangent" is M z̈ + h and its derivatives by z, and
"closing_tangent" those of Cᵀ λ. Those of the loops are only of machines that have some.
"""


@remembered
def _function(robot: Mechanism, beams: Beams, name: str) -> Function:
    """One of the functions of a machine, symbolic; those of many operations and few states stay so.

    Compiled functions are kernels.
    """
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
    return Function.from_equation(
        f"flexible_{name}",
        lambda *given: equation(machine, *given),
        [known[key] for key in inputs.split()],
        [
            Argument(key, tuple(sizes[letter] for letter in shape), "J" if not shape else "")
            for key, shape in outputs.items()
        ],
    )


@compiled
def _kernel(robot: Mechanism, beams: Beams, name: str) -> Kernel[Any]:
    return Kernel(_function(robot, beams, name))


class Coordinates:
    """Positions of a tree's joints, then elastic coordinates; and the functions of them.

    The strains of compliant bearings are among the positions of joints.
    """

    def __init__(self, robot: Mechanism, beams: Beams) -> None:
        self._made_of, self._kernels = (robot, beams), dict[str, Kernel[Any]]()
        found = spanned(*self._made_of)
        joints = found.machine.joints
        shapes = [link.shapes for link in found.machine.links if link.shapes is not None]
        self.robot, self.names = robot, found.coordinates
        self.count, self.joints = len(self.names), len(joints)
        self.motors = np.array([joints.index(k) for k in found.machine.driven], dtype=int)
        """Indices of the coordinates of the driven joints."""
        self.at_home = np.array(found.machine.at_home)
        self.moves = robot.freedom_rows
        """Indices of the platform's degrees of freedom."""
        self.beams = tuple(
            ElasticBeam(
                self.names[start].rpartition(".")[0],
                slice(start, start + n),
                np.array(own.stiffness),
            )
            for (_, start, n), own in zip(found.machine.elastic, shapes, strict=True)
        )
        self.gaps = found.machine.gaps
        """Number of loop-closure rows."""

    @cached_property
    def rigid(self) -> Coordinates:
        """Coordinates of the machine with rigid bearings, which are some of these."""
        firm = self.robot.with_rigid_bearings
        return self if firm == self.robot else Coordinates(firm, self._made_of[1])

    def unstrained(self, rigid: Array) -> Array:
        """Coordinates or rates (n) from those of the machine with rigid bearings."""
        found = np.zeros(self.count)
        found[[self.names.index(name) for name in self.rigid.names]] = rigid
        return found

    def pose(self, z: Array) -> Array:
        """The pose (7) of the platform at z (n)."""
        from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

        position, R, _, _ = self.platform(z)
        x, y, z_, w = Rotation.from_matrix(R).as_quat()
        return np.array([*position, w, x, y, z_])

    def closing(self, z: Array, rate: Array | None = None) -> tuple[Array, Array, Array]:
        """Gaps of the loops, rows C, and their drift κ."""
        if self.gaps:
            gaps, C, drift = self.kernel("closing")(z, np.zeros_like(z) if rate is None else rate)
            return gaps, C, drift
        none = np.zeros((*z.shape[:-1], 0))
        return none, np.zeros((*none.shape, self.count)), none

    def needed(
        self, z: Array, rate: Array, second: Array, wrench: Array, held: Array
    ) -> tuple[Array, Array]:
        """M z̈ + h, and derivatives of M z̈ + h - Cᵀ λ by z at constant forces λ, of one state."""
        needed, slopes = self._symbolic("tangent", z, rate, second, wrench)
        K = self._square(slopes)
        if self.gaps:
            K -= self._square(self._symbolic("closing_tangent", z, held)[0])
        return np.array(needed).ravel(), K

    def mass_matrix(self, z: Array) -> Array:
        """M (n, n) [SI] of one state."""
        return self._square(self._symbolic("mass", z)[0])

    def momentum(self, z: Array) -> Array:
        """Linear and angular momentum (6, n) about the base's origin, by rates, of one state."""
        return np.array(self._symbolic("momentum", z)[0]).reshape(6, self.count)

    def _square(self, column: Value) -> Array:
        return np.array(column).reshape(self.count, self.count)

    def with_motors(self, C: Array) -> Array:
        """Rows C, and those of the locked motors."""
        motors = np.eye(self.count)[self.motors]
        return np.concatenate([C, np.broadcast_to(motors, (*C.shape[:-2], *motors.shape))], axis=-2)

    def platform(self, z: Array, rate: Array | None = None) -> tuple[Array, ...]:
        """The platform's position, rotation, twist by rates, and acceleration at z̈ = 0."""
        return tuple(self.kernel("platform")(z, np.zeros_like(z) if rate is None else rate))

    def kernel(self, name: str) -> Kernel[Any]:
        """Return a compiled function of states: dynamics, closing, platform or energy."""
        if name not in self._kernels:
            self._kernels[name] = _kernel(*self._made_of, name)
        return self._kernels[name]

    def _symbolic(self, name: str, *given: Array) -> list[Value]:
        return list(_function(*self._made_of, name).casadi.call([*given]))
