"""The kernels that studies use: parametric, so that a changed robot needs no new compilation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from gough.analysis import formulas
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.platform import singularity as singular
from gough.kinematics.model import Model
from gough.model.catalogue import POSE
from gough.model.parameters import machine_of_parameters
from gough.robot import Robot


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
        self._of_quantities: dict[tuple[str, ...], Kernel] = {}

    def quantities(self, names: tuple[str, ...]) -> Kernel:
        """Parameters and what `formulas.INPUTS` lists -> the named quantities, several of them."""
        if names not in self._of_quantities:

            def equation(machine: Any, *inputs: Any) -> Any:
                found = formulas.quantities(machine, names, *inputs)
                return tuple(found[name] for name in names)

            outputs = tuple(formulas.output(name) for name in names)
            kernel = self._compiled("quantities", equation, formulas.INPUTS, outputs)
            self._of_quantities[names] = kernel
        return self._of_quantities[names]

    @cached_property
    def determinant(self) -> Kernel:
        """Parameters, pose -> det J [m³]."""
        outputs = (formulas.output("determinant"),)
        return self._compiled("determinant", singular.determinant, (POSE,), outputs)

    @cached_property
    def condition(self) -> Kernel:
        """Parameters, pose, characteristic length -> condition number of the scaled J."""
        inputs, outputs = (POSE, formulas.LENGTH), (formulas.output("condition"),)
        return self._compiled("condition", formulas.condition, inputs, outputs)

    def _compiled(
        self,
        name: str,
        equation: Callable[..., Any],
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
