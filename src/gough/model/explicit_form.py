"""The equations of motion in coordinates of the platform [Oftadeh 2010, Bingul 2012]."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import casadi as ca
import numpy as np

from gough.compiler import Argument, Kernel, remembered
from gough.display.brief import Brief
from gough.equations.dynamics import explicit
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import EULER_SEQUENCES
from gough.errors import GoughError
from gough.model.parameters import machine_of
from gough.model.structure import structure_of
from gough.robot import MOVES, Robot


@dataclass(frozen=True, repr=False)
class ExplicitForm(Brief):
    """M(X) Ẍ + C(X, Ẋ) Ẋ + G(X) = J(X)ᵀ force + T(X)ᵀ wrench, with X = x y z and three angles.

    Machines with fewer degrees of freedom have fewer coordinates X: see `coordinates`. Each is a
    kernel; d/dt M - 2 C is skew, q̇ = J Ẋ and twist = T Ẋ. `pose` takes X to a pose.

    >>> import gough
    >>> form = gough.explicit_form(gough.load("kalani-2016"), "XYZ")
    >>> form.M([0, 0, 1, 0, 0, 0]).shape
    (6, 6)
    """

    euler: str
    coordinates: tuple[str, ...]
    """Names of X: x, y, z [m], then Euler angles, or one angle from home [rad]."""
    M: Kernel
    C: Kernel
    G: Kernel
    J: Kernel
    T: Kernel
    pose: Kernel
    J_i: Kernel | None
    """(legs, 3, n): velocities of the platform joints are J_i Ẋ. None but for hexapods."""
    J_i_rate: Kernel | None
    """Their rates, of X and Ẋ."""


@remembered
def explicit_form(robot: Robot, euler: str = "XYZ") -> ExplicitForm:
    """The explicit form for a robot and an Euler sequence, such as "XYZ" or "ZYX".

    Upper case turns about the moving axes, lower case about the fixed ones, as in SciPy. A platform
    that turns about one axis has the angle about it from home instead, one that does not turn none.

    >>> import gough
    >>> gough.explicit_form(gough.load("delta")).M([0, 0, -0.8]).shape
    (3, 3)
    """
    if euler not in EULER_SEQUENCES:
        raise GoughError(
            f"unknown Euler sequence {euler!r}; expected one of {', '.join(EULER_SEQUENCES)}"
        )
    if not isinstance(robot, Robot):
        raise GoughError(f"expected a Robot, such as gough.load(...); got {robot!r:.80}")
    of, names = _coordinates(robot, euler)
    machine, n = machine_of(robot), len(names)
    X = Argument("X", (n,), "m, rad", f"coordinates {', '.join(names)}")
    X_dot = Argument("X_dot", (n,), "m/s, rad/s", "their rates")
    J = Argument("J", (structure_of(robot).actuators, n), "1, m/rad")
    legs = 0 if machine.extensible is None else len(machine.extensible.legs)
    joints = Argument("J_i", (legs, 3, n), "1, m/rad", "of the platform joints") if legs else None

    def kernel(
        name: str, equation: Callable[..., Value], inputs: list[Argument], output: Argument
    ) -> Kernel:
        doc = equation.__doc__ or ""
        applied = partial(equation, machine, of)
        return Kernel.from_equation(f"explicit_{name}", applied, inputs, [output], doc)

    return ExplicitForm(
        euler,
        names,
        M=kernel("M", explicit.mass_matrix, [X], Argument("M", (n, n))),
        C=kernel("C", explicit.coriolis_matrix, [X, X_dot], Argument("C", (n, n))),
        G=kernel("G", explicit.gravity, [X], Argument("G", (n,), "N, N m")),
        J=kernel("J", explicit.jacobian, [X], J),
        T=kernel("T", explicit.twist_matrix, [X], Argument("T", (6, n))),
        pose=kernel("pose", explicit.pose, [X], Argument("pose", (7,), "m, 1")),
        J_i=kernel("J_i", explicit.joint_matrices, [X], joints) if joints else None,
        J_i_rate=kernel("J_i_rate", explicit.joint_matrix_rates, [X, X_dot], joints)
        if joints
        else None,
    )


def _coordinates(robot: Robot, euler: str) -> tuple[explicit.PlatformCoordinates, tuple[str, ...]]:
    """Coordinates of a platform and their names; GoughError where its velocities have none."""
    dof, machine = structure_of(robot).degrees_of_freedom, machine_of(robot)
    axes = [MOVES.index(move) for move in dof if move in MOVES]
    T, apart = machine.freedom.T, False
    if T is not None and len(axes) == len(dof):  # else the other coordinates follow
        apart = np.allclose(np.array(machine.in_base_axes(T)), np.eye(6)[:, axes], atol=1e-9)
    rotations = tuple(axis - 3 for axis in sorted(axes) if axis >= 3)
    if not apart or len(rotations) == 2:
        raise GoughError(
            f"explicit_form: the velocities {' '.join(dof)} of {robot.name} are the rates of no "
            "coordinates, or the others depend on them; expected a platform that turns about all "
            "axes, one or none, or gough.Model(robot).mass_matrix, coriolis_matrix and gravity"
        )
    translations = tuple(axis for axis in sorted(axes) if axis < 3)
    order, home = tuple(sorted(axes).index(axis) for axis in axes), ca.DM(robot.home)
    of = explicit.PlatformCoordinates(translations, rotations, order, euler, home)
    angles = [f"{euler} angle {k}" for k in (1, 2, 3)]
    if len(rotations) < 3:
        angles = [MOVES[axis + 3] for axis in rotations]
    return of, (*(MOVES[axis] for axis in translations), *angles)
