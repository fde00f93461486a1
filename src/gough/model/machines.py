"""Machines for which equations are compiled: one robot, all robots of a structure, or a family.

For one robot its numbers are constants of the code. For all of a structure they are the first input
of every function, and the code compiled for one of them serves the others too. For a family some
numbers of the robot's file are that input, with all that is made of them; the others are constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Equation, Function
from gough.compiler.identity import fingerprint
from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError
from gough.model.parameters import layout, machine_of, parameters_of
from gough.model.structure import structure_of
from gough.model.variables import variables, with_chosen
from gough.robot import Robot
from gough.robot.variables import with_stated

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value

Parametric = bool | Sequence[str]
"""Whether numbers are an input: all of a robot, or those of its file that patterns mean."""


def checked_parametric(parametric: object) -> Parametric:
    """Whether numbers are an input, or which; GoughError of anything else."""
    if isinstance(parametric, bool):
        return parametric
    if isinstance(parametric, list | tuple) and parametric:
        return tuple(map(str, parametric))
    raise GoughError(
        f"parametric is {parametric!r:.80}; expected True, False, or names of numbers of the robot "
        'file, such as ["leg.links[*].length"]'
    )


class Machines:
    """A robot, or with `parametric` all that are built like it. Quick to compare and to hash."""

    def __init__(self, robot: Robot, *, parametric: Parametric = False) -> None:
        self.robot, self.structure = robot, structure_of(robot)
        self.family: tuple[str, ...] = ()
        """Names of the numbers of the robot's file that make it one of a family."""
        if not isinstance(parametric, bool):
            self.family = tuple(variables(robot).matching(parametric))
        self.parametric = bool(parametric)
        self._same: object = self.structure if parametric else robot
        if self.family:
            self._same = (robot, self.family, str(robot.written.in_full))
        self._hash = hash(self._same)

    def __repr__(self) -> str:
        which = f"built as {self.robot.name}" if self.parametric else self.robot.name
        return f"<gough machines: {which}>"

    def __reduce__(self) -> tuple[object, ...]:  # hashes differ from process to process
        return partial(Machines, parametric=self.family or self.parametric), (self.robot,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machines) and self._same == other._same

    def __hash__(self) -> int:
        return self._hash

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of all that functions are made for: that of equal machines is the same."""
        return fingerprint(self._same)

    @property
    def numbers(self) -> tuple[Argument, ...]:
        """First input of functions: numbers of a robot; none if they are constants."""
        if not self.parametric:
            return ()
        meaning = "the robot's numbers, see parameter_names"
        return (Argument("parameters", (len(self.names),), "SI", meaning),)

    @cached_property
    def names(self) -> list[str]:
        """Names of these numbers."""
        return list(self.family) or layout(self.robot)

    @cached_property
    def values(self) -> Array:
        """The robot's own."""
        if not self.family:
            return parameters_of(self.robot)
        found = variables(self.robot)
        return found.values[[found.names.index(name) for name in self.family]]

    def made(self, values: Array) -> Robot:
        """The robot of other numbers; RobotError if there cannot be one."""
        if not self.family:
            return self.robot.with_parameters(values)
        return with_stated(self.robot, with_chosen(self.robot, self.family, values.tolist()))

    def machine(self, *numbers: Value) -> Machine:
        """The machine that equations take, from what `numbers` lists."""
        return machine_of(self.robot, *numbers, names=self.family)

    def kernel(
        self,
        name: str,
        equation: Equation,
        inputs: Sequence[Argument],
        outputs: Sequence[Argument],
        doc: str = "",
    ) -> Kernel:
        """The kernel of an equation(machine, *inputs). Whoever asks for it is `compiled`."""
        return Kernel(self.function(name, equation, inputs, outputs, doc))

    def function(
        self,
        name: str,
        equation: Equation,
        inputs: Sequence[Argument],
        outputs: Sequence[Argument],
        doc: str = "",
    ) -> Function:
        """The symbolic function of an equation(machine, *inputs)."""
        count = len(self.numbers)

        def of_machine(*given: Value) -> Value | float | Sequence[Value | float]:
            return equation(self.machine(*given[:count]), *given[count:])

        return Function.from_equation(
            name, of_machine, (*self.numbers, *inputs), outputs, doc or equation.__doc__ or ""
        )
