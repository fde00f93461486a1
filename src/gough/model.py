"""A robot's kernels by name, each traced and compiled when it is first used."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from gough.catalogue import DEFINITIONS
from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.kernel import Kernel
from gough.errors import GoughError
from gough.parameters import layout, machine_of, machine_of_parameters, parameters_of
from gough.robot import Robot


class Model:
    """A robot's equations, ready to run: `model.inverse_kinematics(pose)` and so on.

    Every kernel broadcasts over leading axes; `help(model.jacobian)` shows shapes, units and
    meaning. With `parametric=True` every kernel takes the robot's numbers as a first argument,
    one set for the whole batch or one per sample: `model.jacobian(model.parameters, pose)`.
    """

    inverse_kinematics: Kernel
    jacobian: Kernel
    joint_velocity: Kernel
    joint_acceleration: Kernel
    leg_angular_velocity: Kernel
    leg_angular_acceleration: Kernel

    def __init__(self, robot: Robot, *, parametric: bool = False) -> None:
        self.robot, self.parametric = robot, parametric

    @cached_property
    def parameters(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The robot's own numbers, as parametric kernels take them."""
        return parameters_of(self.robot)

    @cached_property
    def parameter_names(self) -> list[str]:
        """What each of the parameters is, such as `legs[2].cylinder.mass`."""
        return layout(self.robot)

    def function(self, name: str) -> Function:
        """The symbolic function behind a kernel: for derivatives, export, or use in others."""
        if name not in DEFINITIONS:
            raise GoughError(_unknown(name))
        definition = DEFINITIONS[name]
        if not self.parametric:
            machine = machine_of(self.robot)
            return Function.from_equation(
                name,
                lambda *inputs: definition.equation(machine, *inputs),
                definition.inputs,
                definition.outputs,
                definition.doc,
            )
        parameters = Argument(
            "parameters", (len(self.parameters),), "SI", "the robot's numbers, see parameter_names"
        )
        return Function.from_equation(
            name,
            lambda p, *inputs: definition.equation(machine_of_parameters(self.robot, p), *inputs),
            (parameters, *definition.inputs),
            definition.outputs,
            definition.doc,
        )

    def derivative(self, name: str, wrt: str) -> Kernel:
        """Exact partial derivatives of a kernel's output with respect to one of its inputs.

        The result has the output's axes followed by the input's.
        """
        function = self.function(name)
        if len(function.outputs) > 1:
            raise GoughError(f"{name} has several outputs; use function({name!r}).jacobian(...)")
        return Kernel(function.jacobian(function.outputs[0].name, wrt))

    def __getattr__(self, name: str) -> Kernel:
        if name not in DEFINITIONS:
            raise AttributeError(_unknown(name))
        kernel = Kernel(self.function(name))
        self.__dict__[name] = kernel  # found without __getattr__ from now on
        return kernel

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *DEFINITIONS})

    def __repr__(self) -> str:
        kind = "parametric model" if self.parametric else "model"
        return f"<gough {kind} of {self.robot.name}>"

    def __reduce__(self) -> Any:  # kernels are not sent to other processes: they have the cache
        return _rebuilt, (self.robot, self.parametric)


def _rebuilt(robot: Robot, parametric: bool) -> Model:
    return Model(robot, parametric=parametric)


def _unknown(name: str) -> str:
    nearest = get_close_matches(name, DEFINITIONS, 1)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"a model has no kernel {name!r}{hint} (it has {', '.join(DEFINITIONS)})"
