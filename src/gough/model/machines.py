"""What equations are compiled for: one robot, or all robots of one structure.

For one robot its numbers are constants of the code. For all of a structure they are the first input
of every function, and what was compiled for one of them serves the others too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.identity import fingerprint
from gough.compiler.native.kernel import Kernel
from gough.model.parameters import layout, machine_of, machine_of_parameters
from gough.model.structure import structure_of
from gough.robot import Robot

if TYPE_CHECKING:
    from gough.equations.any_machine import AnyMachine


class Machines:
    """A robot, or with `parametric` all that are built like it. Quick to compare and to hash."""

    def __init__(self, robot: Robot, *, parametric: bool = False) -> None:
        self.robot, self.parametric = robot, parametric
        self.structure = structure_of(robot)
        self._same = self.structure if parametric else robot
        self._hash = hash(self._same)

    def __repr__(self) -> str:
        which = f"built as {self.robot.name}" if self.parametric else self.robot.name
        return f"<gough machines: {which}>"

    def __reduce__(self) -> tuple[Any, ...]:  # hashes differ from process to process
        return _machines, (self.robot, self.parametric)

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
        """What functions take first: all numbers of a robot; nothing if they are constants."""
        if not self.parametric:
            return ()
        meaning = "the robot's numbers, see parameter_names"
        return (Argument("parameters", (len(layout(self.robot)),), "SI", meaning),)

    def machine(self, *numbers: Any) -> AnyMachine:
        """The machine that equations take, from what `numbers` lists."""
        return machine_of_parameters(self.robot, *numbers) if numbers else machine_of(self.robot)

    def kernel(
        self,
        name: str,
        equation: Callable[..., Any],
        inputs: Sequence[Argument],
        outputs: Sequence[Argument],
        doc: str = "",
    ) -> Kernel:
        """The kernel of an equation(machine, *inputs). Whoever asks for it is `compiled`."""
        return Kernel(self.function(name, equation, inputs, outputs, doc))

    def function(
        self,
        name: str,
        equation: Callable[..., Any],
        inputs: Sequence[Argument],
        outputs: Sequence[Argument],
        doc: str = "",
    ) -> Function:
        """The symbolic function of an equation(machine, *inputs)."""
        count = len(self.numbers)

        def of_machine(*given: Any) -> Any:
            return equation(self.machine(*given[:count]), *given[count:])

        return Function.from_equation(
            name, of_machine, (*self.numbers, *inputs), outputs, doc or equation.__doc__ or ""
        )


def _machines(robot: Robot, parametric: bool) -> Machines:
    return Machines(robot, parametric=parametric)
