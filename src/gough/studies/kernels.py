"""The kernels that studies use: parametric, so that a changed robot needs no new compilation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import casadi as ca

from gough.catalogue import POSE
from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.kernel import Kernel
from gough.equations import passive
from gough.equations import singularity as singular
from gough.equations.leg import leg_position
from gough.kinematics.singularity import singular_values
from gough.model import Model
from gough.parameters import machine_of_parameters
from gough.robot import Robot

_HOME = Argument("home", (7,), "m, 1", "the pose from which joint angles count")
_LENGTH = Argument("length", (), "m", "what makes rotations comparable with translations")


@dataclass(frozen=True)
class _Structure:
    """What a compiled kernel depends on: the kinds of the legs, and no number."""

    kinds: tuple[str, ...]
    example: Robot = field(compare=False)


def kernels_of(robot: Robot) -> Kernels:
    """The kernels for this robot and for all with the same kinds of legs."""
    return _kernels(_Structure(tuple(leg.kind for leg in robot.legs), robot))


class Kernels:
    """Kernels by name; each takes the robot's parameters first. Compiled when first used."""

    def __init__(self, robot: Robot) -> None:
        self.model = Model(robot, parametric=True)

    def named(self, name: str) -> Kernel:
        """One of the model's kernels or of those below."""
        own = getattr(type(self), name, None)
        return getattr(self if own else self.model, name)  # type: ignore[no-any-return]

    @cached_property
    def determinant(self) -> Kernel:
        """Parameters, pose -> det J [m³]."""
        return self._compiled(
            "determinant",
            singular.determinant,
            (POSE,),
            (Argument("determinant", (), "m^3", "of the Jacobian"),),
        )

    @cached_property
    def condition(self) -> Kernel:
        """Parameters, pose, characteristic length -> condition number of the scaled J."""

        def equation(machine: Any, pose: Any, length: Any) -> Any:
            values, _ = singular_values(singular.scaled_jacobian(machine, pose, length))
            return values[0] / values[5]

        return self._compiled(
            "condition",
            equation,
            (POSE, _LENGTH),
            (Argument("condition", (), "1", "largest over smallest singular value"),),
        )

    @cached_property
    def passive_joints(self) -> Kernel:
        """Parameters, pose, home -> angles of the universal joints, tilts at platform and base."""

        def equation(machine: Any, pose: Any, home: Any) -> Any:
            tilts = [
                passive.angle_between(leg_position(leg, home).s, leg_position(leg, pose).s)
                for leg in machine.legs
            ]
            return (
                passive.universal_joint_angles(machine, pose, home),
                passive.spherical_joint_tilt(machine, pose, home),
                ca.vertcat(*tilts),
            )

        return self._compiled(
            "passive_joints",
            equation,
            (POSE, _HOME),
            (
                Argument("universal_joint_angle", (6, 2), "rad", "γ and ψ"),
                Argument("spherical_joint_tilt", (6,), "rad", "leg away from home, in platform"),
                Argument("base_joint_tilt", (6,), "rad", "leg away from home, in base"),
            ),
        )

    def _compiled(
        self,
        name: str,
        equation: Any,
        inputs: tuple[Argument, ...],
        outputs: tuple[Argument, ...],
    ) -> Kernel:
        robot = self.model.robot
        parameters = Argument("parameters", self.model.parameters.shape, "SI")
        function = Function.from_equation(
            name,
            lambda p, *rest: equation(machine_of_parameters(robot, p), *rest),
            (parameters, *inputs),
            outputs,
        )
        return Kernel(function)


@lru_cache(maxsize=16)
def _kernels(structure: _Structure) -> Kernels:
    return Kernels(structure.example)
