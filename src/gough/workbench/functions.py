"""What the page computes by itself: equations of the machine, as WebAssembly.

They take the machine's numbers as an argument, so that what a person changes in the page counts at
once. How a machine takes a pose that is not quite possible, and where its joints are, depend on its
geometry, which only hexapods have among these numbers: their joints follow without an equation.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import casadi as ca
import numpy as np

from gough.analysis.drives import demands_function
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program
from gough.compiler.native.kept import kept_data
from gough.compiler.native.webassembly import webassembly
from gough.compiler.source.signature import signature
from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.equations.elastic.softest import softest
from gough.kinematics.elastic.kernels import vibrating_function
from gough.kinematics.forward.kernel import forward_function
from gough.kinematics.freedoms.closing import closing, seeing
from gough.kinematics.freedoms.following import completing_function, following_function
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.kinematics.singularity.singularity import measure_function
from gough.kinematics.workspace.one_by_one import margins_one_by_one
from gough.kinematics.workspace.reach import ALL_LIMITS
from gough.model.catalogue import definitions
from gough.model.definition import POSE, WRENCH
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.motion.motions.places import turned_by_function
from gough.plots.shapes import Shape, shape_of
from gough.plots.shapes.frames import frames_function
from gough.robot import Mechanism, Robot

STEPS = 30
"""At most so many of Newton's method for forward kinematics."""
_KERNELS = (
    "inverse_kinematics", "joint_velocity", "joint_acceleration", "actuator_force", "reactions",
    "load_range",
)  # fmt: skip


def functions(robot: Robot, shape: Shape) -> Iterator[Function]:
    """All that the page needs."""
    model = Kernels(robot, parametric=True)
    for name in _KERNELS:
        yield model.function(name)
    yield turned_by_function()
    yield margins_one_by_one(robot, ALL_LIMITS, parametric=True)
    yield forward_function(model.machines, "newton", STEPS)
    yield measure_function(model.machines)
    if model.structure.elastic:
        yield yielding_function(model.machines)
    if "vibration" in definitions(model.structure, model.formulation):
        yield vibrating_function(model.machines)
    if isinstance(robot, Mechanism):
        yield _possible_pose(robot)
    if not has_constant_moves(robot):
        yield following_function(robot)
        yield completing_function(robot)
    if any(actuator.drive for actuator in robot.actuators):
        yield demands_function(len(robot.actuators))
    if shape.means is not None:
        yield shape.means.centers


@kept_data
def packed_frames(robot: Robot) -> dict[str, Any]:
    """The same of the frames of bodies, which only pages with meshes need."""
    return {"body_frames": _packed(frames_function(Machines(robot, parametric=True)))}


@kept_data
def packed_functions(robot: Robot) -> dict[str, Any]:
    """By name, all functions of a machine as the page takes them."""
    shape = shape_of(robot, np.array([robot.home]))
    return {function.name: _packed(function) for function in functions(robot, shape)}


def _packed(function: Function) -> dict[str, Any]:
    """A function's code, what it calls, and its signature."""
    program = Program.of(function)
    made = webassembly(program)
    return {
        "code": b64encode(made.content).decode(),
        "calls": list(made.calls),
        "signature": signature(program),
    }


def _possible_pose(robot: Mechanism) -> Function:
    close = closing(robot)
    return Function.from_equation(
        "possible_pose",
        seeing(robot) if has_constant_moves(robot) else lambda pose: close(pose)[0],
        [POSE],
        [POSE],
        "The pose that the machine can take, with the same coordinates in its moves.",
    )


def yielding_function(machines: Machines) -> Function:
    """The function (pose, wrench) -> displacement under the wrench, softest way, softest turn."""
    held = ca.DM.zeros(machines.structure.actuators)

    def equation(machine: AnyMachine, pose: Any, wrench: Any) -> Any:
        """How far the platform gives way, with its actuators held."""
        return any_machine.deflection(machine, pose, wrench, held), *softest(machine, pose)

    outputs = [
        Argument("displacement", (6,), "m, rad", "way and rotation vector, base axes"),
        Argument("way", (), "N/m", "stiffness in the softest direction"),
        Argument("turn", (), "N m/rad", "stiffness about the softest axis"),
    ]
    return machines.function("yielding", equation, [POSE, WRENCH], outputs)
