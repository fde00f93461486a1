"""Machines for which equations are compiled: one robot, all robots of a structure, or a family.

For one robot its numbers are constants of the code. For all of a structure they are the first input
of every function, and the code compiled for one of them serves the others too. For a family some
numbers of the robot's file are that input, with all that is made of them; the others are constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, compiled
from gough.compiler.front.function import Equation
from gough.compiler.identity import fingerprint
from gough.errors import GoughError
from gough.fields import Dimension
from gough.model.definition import POSE
from gough.model.parameters import in_branch, machine_of
from gough.model.structure import structure_of
from gough.robot import Mechanism, Robot, matching, parameters_of
from gough.robot.numbers import dimension_of, layout, meant_by

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value

Parametric = bool | Sequence[str]  # whether all numbers are an input, or those that patterns mean


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


def machines_with(robot: Robot, patterns: Sequence[str], also: tuple[str, ...] = ()) -> Machines:
    """Return the machines whose numbers with some names may differ from those of a robot.

    These are all parameters; or, as the geometry of mechanisms is none of them, those and `also`
    others of a file in which each leg has its own table, such as `legs[0].links[1].length`.
    """
    own = layout(robot)
    if not patterns:
        return Machines(robot)
    if isinstance(robot, Mechanism) and not all(meant_by(own, x) for x in patterns):
        from gough.model.variables import counted_otherwise, variables  # noqa: PLC0415
        from gough.robot.legs.listed import with_listed_legs  # noqa: PLC0415

        listed = with_listed_legs(robot)
        names = variables(listed).names
        counted = counted_otherwise(robot)
        if all(meant_by(names, x) for x in patterns) and not any(
            meant_by(counted, x) for x in patterns
        ):
            return Machines(listed, parametric=(*patterns, *also))
        matching([*own, *names], patterns)  # names what there is nothing like
        raise GoughError(
            f"{robot.name}: {', '.join(patterns)} are numbers of bodies or joints, which a file "
            "does not count as the robot does, and of legs; expected all of one kind, such as "
            "legs[*].motor.offset instead of joints[0].offset"
        )
    return Machines(robot, parametric=True)


OTHER = 1e-3
"""Maximum share by which numbers of a family are changed, to see whether change points do."""


class Machines:
    """A robot, or with `parametric` all that are built like it. Quick to compare and to hash."""

    def __init__(
        self, robot: Robot, *, parametric: Parametric = False, branch: bool = False
    ) -> None:
        self._stated = robot
        if branch and isinstance(robot, Mechanism):  # an input, whichever the robot's own is
            robot = robot.model_copy(update={"branch": None})
        self.robot, self.structure = robot, structure_of(robot)
        self.branch = branch  # whether the branch is an input
        if branch and not self.structure.roots:
            raise GoughError(f"{robot.name} has one branch; expected a model without branch=True")
        self.family: tuple[str, ...] = ()  # numbers of the file that make it one of a family
        if not isinstance(parametric, bool):
            from gough.model.variables import variables  # noqa: PLC0415  (few have families)

            self.family = tuple(variables(robot).matching(parametric))
        if branch and self.family and self._has_other_ends():
            raise GoughError(
                f"{robot.name}: with its numbers change points of its branches change; expected "
                "branch=[...], one of them, or parametric=True"
            )
        self.parametric = bool(parametric)
        self._same: object = self.structure if parametric else robot
        if self.family:
            self._same = (robot, self.family, str(robot.written.in_full))
        if branch:
            self._same = (self._same, "any branch")
        self._hash = hash(self._same)

    def _has_other_ends(self) -> bool:
        """Whether change points of some branch are others, or gone, at other numbers."""
        from gough.model.mechanism.reading import branch_ends  # noqa: PLC0415  (slow)

        if len(self.structure.degrees_of_freedom) != 1:
            return False
        values = self.values
        steps = OTHER * np.random.default_rng(1).uniform(0.5, 1.0, len(values))  # no uniform scale
        other = self.made(values + steps * np.where(values == 0, 1.0, values))
        assert isinstance(self.robot, Mechanism)
        assert isinstance(other, Mechanism)
        own, its = branch_ends(self.robot), branch_ends(other)
        if own.keys() != its.keys():
            return True
        return not all(np.allclose(own[key], its[key], rtol=0.0, atol=1e-9) for key in own)

    def __repr__(self) -> str:
        which = f"built as {self.robot.name}" if self.parametric else self.robot.name
        return f"<gough machines: {which}>"

    def __reduce__(self) -> tuple[object, ...]:  # hashes differ from process to process
        of = partial(Machines, parametric=self.family or self.parametric, branch=self.branch)
        return of, (self._stated,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machines) and self._same == other._same

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 of all that functions are made for: that of equal machines is the same."""
        return fingerprint(self._same)

    @cached_property
    def numbers(self) -> tuple[Argument, ...]:
        """First inputs of functions: all that makes a machine of a robot and is no constant."""
        found = []
        if self.parametric:
            meaning = "the robot's numbers, see parameter_names"
            found.append(Argument("parameters", (len(self.names),), "SI", meaning))
        if self.branch:
            meaning = "solution of each root, 1 for that of home, see structure.roots"
            found.append(Argument("branch", (len(self.structure.roots),), "1", meaning))
        return tuple(found)

    @cached_property
    def own(self) -> dict[str, Array]:
        """The robot's own values of these inputs, by name."""
        found = {"parameters": self.values} if self.parametric else {}
        if self.branch:
            stated = getattr(self._stated, "branch", None)
            found["branch"] = np.array(stated or [1] * len(self.structure.roots), float)
        return found

    @cached_property
    def names(self) -> list[str]:
        """Names of these numbers."""
        return list(self.family) or layout(self.robot)

    @cached_property
    def values(self) -> Array:
        """The robot's own."""
        if not self.family:
            return parameters_of(self.robot)
        from gough.model.variables import variables  # noqa: PLC0415

        found = variables(self.robot)
        return found.values[[found.names.index(name) for name in self.family]]

    def dimension(self, name: str) -> Dimension:
        """Return the dimension of one of these numbers."""
        if not self.family:
            return dimension_of(self.robot, name)
        from gough.robot.variables import stated_dimension  # noqa: PLC0415

        return stated_dimension(self.robot, name)

    def values_of(self, robot: Robot) -> Array:
        """Return these numbers of a robot with other parameters, such as those of a payload."""
        if not self.family:
            return parameters_of(robot)
        known = dict(zip(layout(robot), parameters_of(robot).tolist(), strict=True))
        pairs = zip(self.names, self.values.tolist(), strict=True)
        return np.array([known.get(name, own) for name, own in pairs])

    def made(self, values: Array) -> Robot:
        """The robot of other numbers; RobotError if there cannot be one."""
        if not self.family:
            return self.robot.with_parameters(values)
        from gough.model.variables import with_chosen  # noqa: PLC0415
        from gough.robot.variables import with_stated  # noqa: PLC0415

        return with_stated(self.robot, with_chosen(self.robot, self.family, values.tolist()))

    def machine(self, *numbers: Value) -> Machine:
        """The machine that equations take, from what `numbers` lists."""
        given = dict(zip((number.name for number in self.numbers), numbers, strict=True))
        parameters = given.get("parameters")
        if self.family and parameters is not None:
            machine = _of_family(self, _Same(parameters))
        else:
            machine = machine_of(self.robot, parameters)
        return in_branch(self.robot, machine, given["branch"]) if self.branch else machine

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

        words = doc or equation.__doc__ or ""
        return Function.from_equation(name, of_machine, (*self.numbers, *inputs), outputs, words)


class _Same:
    """Numbers of a family, equal to others of the same expressions."""

    def __init__(self, vector: Value) -> None:
        self.vector = ca.SX(vector)
        self._key = tuple(x.element_hash() for x in self.vector.elements())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _of_family(machines: Machines, numbers: _Same) -> Machine:
    """Return a machine of a family, which takes long to trace: its functions share it."""
    from gough.equations.solvers.implicit import by_operations  # noqa: PLC0415  (slow)
    from gough.equations.solvers.linear import is_for_boxes  # noqa: PLC0415

    if is_for_boxes():  # some values have bounds of this one function
        return machine_of(machines.robot, numbers.vector, names=machines.family)
    with by_operations():
        return _traced(machines, numbers)


@lru_cache(maxsize=16)
def _traced(machines: Machines, numbers: _Same) -> Machine:
    return machine_of(machines.robot, numbers.vector, names=machines.family)


@compiled
def home_kernel(machines: Machines) -> Kernel:
    """The kernel of the home pose."""
    from gough.equations.closure import assembled  # noqa: PLC0415  (slow)

    return machines.kernel("home", assembled.home, [], [POSE])


@compiled
def travel_kernel(machines: Machines) -> Kernel[Any]:
    """The kernel of the ends of travel of the actuators; infinite if not stated."""

    def ends(machine: Machine) -> list[Value]:
        each = (machine.limit(f"{a.key}.{a.travel_key}") for a in machines.robot.actuators)
        return ca.horzsplit(ca.horzcat(*each).T)

    of_each = (len(machines.robot.actuators),)
    outputs = [Argument(name, of_each, "m, rad") for name in ("shortest", "longest")]
    return machines.kernel("travel", ends, [], outputs)
