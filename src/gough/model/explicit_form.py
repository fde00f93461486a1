"""The equations of motion in Euler coordinates, as Oftadeh 2010 and Bingul 2012 write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import signature

from gough.compiler.front.argument import Argument
from gough.compiler.memo import remembered
from gough.compiler.native.kernel import Kernel
from gough.display.brief import brief
from gough.equations.dynamics import explicit
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import EULER_SEQUENCES
from gough.errors import GoughError
from gough.model.parameters import machine_of
from gough.model.structure import structure_of
from gough.robot import Robot


@dataclass(frozen=True)
class ExplicitForm:
    """M(X) Ẍ + C(X, Ẋ) Ẋ + G(X) = J(X)ᵀ force + T(X)ᵀ wrench, with X = x y z and three angles.

    Each is a kernel; d/dt M - 2 C is skew, q̇ = J Ẋ and twist = T Ẋ. `pose` takes X to a pose.

    >>> import gough
    >>> form = gough.explicit_form(gough.load("kalani-2016"), "XYZ")
    >>> form.M([0, 0, 1, 0, 0, 0]).shape
    (6, 6)
    """

    euler: str
    M: Kernel
    C: Kernel
    G: Kernel
    J: Kernel
    T: Kernel
    pose: Kernel

    __repr__ = brief


@remembered
def explicit_form(robot: Robot, euler: str = "XYZ") -> ExplicitForm:
    """The explicit form for a robot and an Euler sequence, such as "XYZ" or "ZYX".

    Upper case turns about the moving axes, lower case about the fixed ones, as in SciPy.

    >>> import gough
    >>> form = gough.explicit_form(gough.load("kalani-2016"), "XYZ")
    >>> form.M([0, 0, 1, 0, 0, 0]).shape
    (6, 6)
    """
    if euler not in EULER_SEQUENCES:
        raise GoughError(
            f"unknown Euler sequence {euler!r}; expected one of {', '.join(EULER_SEQUENCES)}"
        )
    if not isinstance(robot, Robot):
        raise GoughError(f"expected a Robot, such as gough.load(...); got {robot!r:.80}")
    machine = machine_of(robot).extensible if robot.has_extensible_legs else None
    if machine is None:
        raise GoughError(
            f"explicit_form is of platforms with extensible legs (gough/1); {robot!r} is another "
            "machine: expected gough.Model(robot).mass_matrix, coriolis_matrix and gravity"
        )
    X = Argument("X", (6,), "m, rad", f"position x y z and {euler} Euler angles")
    X_dot = Argument("X_dot", (6,), "m/s, rad/s", "their rates")
    J = Argument("J", (structure_of(robot).actuators, 6), "1, m/rad")

    def kernel(
        name: str, equation: Callable[..., Value], inputs: list[Argument], output: Argument
    ) -> Kernel:
        doc = equation.__doc__ or ""
        of_machine = {"machine": machine} if "machine" in signature(equation).parameters else {}
        applied = partial(equation, *of_machine.values(), euler)
        return Kernel.from_equation(f"explicit_{name}", applied, inputs, [output], doc)

    return ExplicitForm(
        euler,
        M=kernel("M", explicit.mass_matrix, [X], Argument("M", (6, 6))),
        C=kernel("C", explicit.coriolis_matrix, [X, X_dot], Argument("C", (6, 6))),
        G=kernel("G", explicit.gravity, [X], Argument("G", (6,), "N, N m")),
        J=kernel("J", explicit.jacobian, [X], J),
        T=kernel("T", explicit.twist_matrix, [X], Argument("T", (6, 6))),
        pose=kernel("pose", explicit.pose, [X], Argument("pose", (7,), "m, 1")),
    )
