"""Kernels of quantities of a design: condition, margins and clearance, and the model's own."""

from collections.abc import Callable

import casadi as ca

from gough.compiler import Argument, Function, Kernel, compiled
from gough.equations.machine import Machine
from gough.equations.motion import singularity_measures
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError, nearest
from gough.kinematics.singularity.singularity import CONDITION, condition
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, least_margins, margins_function
from gough.kinematics.workspace.stated_limits import FAMILIES, stated_limits
from gough.model import Kernels, Machines, definitions
from gough.model.definition import POSE
from gough.model.kernels import kernels_of
from gough.robot import Robot


def quantity(robot: Robot | Kernels, name: str) -> Kernel:
    """The kernel of a quantity: one of the model's own, or one of QUANTITIES.

    A parametric model's takes the parameters first: `quantity(model, "clearance")(parameters,
    pose)`. `condition` is that of J, with rotations scaled by the machine's characteristic length;
    `margins` (5) and `clearance` are those of `gough.kinematics.margins` with all limits.
    """
    model = kernels_of(robot)
    if name in QUANTITIES:
        return _kernel(model.machines, name)
    known = definitions(model.structure, model.formulation)
    if name not in known:
        near = nearest(str(name), [*QUANTITIES, *known])
        hint = f"did you mean {near}?" if near else f"expected one of {', '.join(QUANTITIES)}"
        raise GoughError(f"no quantity is called {name!r}; {hint}")
    own: Kernel = getattr(model, name)
    return own


@compiled
def _kernel(machines: Machines, name: str) -> Kernel:
    return Kernel(QUANTITIES[name](machines))


def _condition(machines: Machines) -> Function:
    def equation(machine: Machine, pose: Value) -> Value:
        return condition(machine, pose, singularity_measures.arm(machine))

    doc = "Condition number of J, rotations scaled by the machine's characteristic length."
    return machines.function("condition", equation, [POSE], [CONDITION], doc)


def _clearance(machines: Machines) -> Function:
    limits = Limits(families=("clearance",))
    all_margins = least_margins(machines, stated_limits(machines.robot, limits.families), limits)
    place = FAMILIES.index("clearance")

    def equation(machine: Machine, pose: Value) -> Value:
        return ca.SX(all_margins(machine, pose))[place]

    output = Argument("clearance", (), "1", "the minimum gap over the sum of the radii")
    doc = "Minimum gap between legs or bodies, over the sum of their radii; infinite without."
    return machines.function("clearance", equation, [POSE], [output], doc)


QUANTITIES: dict[str, Callable[[Machines], Function]] = {
    "condition": _condition,
    "margins": lambda machines: margins_function(
        machines, stated_limits(machines.robot, FAMILIES), ALL_LIMITS
    ),
    "clearance": _clearance,
}
"""Functions from a pose by name; parameters come first where machines have some."""
