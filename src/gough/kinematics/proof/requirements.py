"""Requirements as margins of coordinates of a box: at least zero where they hold.

Coordinates are, in this order: the robot's numbers (if some have tolerances), steps x y z and roll,
pitch, yaw from the pose in the middle of the box, about base axes, and, where speeds or forces are
required, twist, acceleration and wrench of the platform. Coordinates y without a closed form are
further inputs of the margins: see `implicit`. A guide has a place near all of a box, and matrices
by which bounds are narrow: see `geometric_margins` and `regular_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from gough.checks import require_instance, require_positive
from gough.compiler import Argument, Function, Kernel, compiled
from gough.equations.machine import Machine
from gough.equations.solvers.linear import for_boxes
from gough.equations.spatial.algebra import Value
from gough.errors import CompilerError, GoughError
from gough.kinematics.proof.geometric_margins import closing_margins, roots_at_home, separations
from gough.kinematics.proof.implicit import Implicit, moved
from gough.kinematics.proof.motor_quantities import MotorQuantities
from gough.kinematics.proof.regular_rows import locked_rows, row_margins, scaled_jacobian
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, each_margin, sides_at_home
from gough.kinematics.workspace.stated_limits import (
    SingleLimit,
    ends_of,
    single_limits,
    stated_limits,
)
from gough.model import Kernels, Machines, definitions, machine_of, structure_of
from gough.robot import MOVES, Actuator, Robot

STEPS = MOVES
"""Names of the steps from the middle of a box."""
_STATES = ("twist", "acceleration", "wrench")
STATES = tuple(f"{state} {axis}" for state in _STATES for axis in "x y z rx ry rz".split())
"""Names of the coordinates of speeds and forces."""
VALUES = {"force": True, "speed": True, "power": False, "position": False, "radius": False,
          "height": False}  # fmt: skip
"""Quantities of actuators and of joint centres that can be bounded: whether their size counts."""
_OF_FORCES, _OF_STATES = {"force", "power"}, {"force", "power", "speed"}

LOWER = ("gap", "maximum")
"""Kinds of limits with further margins, behind all others, which theirs are never below.

A gap is at least that along any normal. Speeds, and forces, are linear in twists, or in
accelerations and wrenches; each of these adds its maximum, as does dry friction, which changes its
sign too fast for slopes."""


@dataclass(frozen=True)
class Required:
    """Requirements on every state of a box: limits of the robot file, speeds and forces."""

    limits: Limits = ALL_LIMITS
    speed: bool = False
    """Whether actuators that state a maximum speed stay below it."""
    force: bool = False
    """Whether actuators that state a maximum force stay below it."""
    values: tuple[str, ...] = ()
    """Quantities whose values are bounded, see `VALUES`; margins are their negative values [SI]."""
    balls: tuple[tuple[str, float], ...] = ()
    """States with a maximum of their translation in every direction: within a ball in its box."""
    radius: float | None = None
    """Maximum distance of positions from the middle of the box [m]; None: all of its box."""

    def __post_init__(self) -> None:  # as a file has them
        require_instance("limits", self.limits, Limits)
        if self.radius is not None:
            require_positive("radius", self.radius)
        object.__setattr__(self, "values", tuple(self.values))
        object.__setattr__(self, "balls", tuple((str(name), float(r)) for name, r in self.balls))

    @property
    def condition(self) -> float | None:
        """Maximum condition number of J, or None."""
        return self.limits.max_condition

    @property
    def moving(self) -> bool:
        """Whether twist, acceleration and wrench are coordinates."""
        return self.speed or self.force or bool(_OF_STATES & {*self.values})

    @property
    def efforts(self) -> bool:
        """Whether forces of actuators are among what is bounded."""
        return self.force or bool(_OF_FORCES & {*self.values})

    def regular(self, machines: Machines) -> list[int]:
        """Return sizes of matrices by which singularities are excluded where determinants are wide.

        These are of legs that iterate, and of a geometry that varies.
        """
        robot = machines.robot
        wide = bool(Implicit(robot).legs or (machines.family and not robot.has_extensible_legs))
        if "singularity" not in self.limits.families or not wide:
            return []
        sides, _ = sides_at_home(robot, self.limits)
        found = locked_rows(machine_of(robot), ca.SX.sym("pose", 7))[: len(sides)]
        usable = len(found) == len(sides) and all(M.is_square() for M in found)
        return [M.shape[0] for M in found] if usable else []

    def names(self, machines: Machines) -> list[str]:
        """Return the names of all coordinates."""
        numbers = machines.names if machines.parametric else []
        return [*numbers, *STEPS, *(STATES if self.moving else ())]

    def ball_axes(self, machines: Machines) -> list[list[int]]:
        """Return the coordinates of each ball."""
        names = self.names(machines)
        return [[names.index(f"{state} {axis}") for axis in "xyz"] for state, _ in self.balls]

    def rows(self, robot: Robot) -> list[SingleLimit]:
        """Return the single limits, in the order of the margins: first that legs close."""
        rows = [SingleLimit(ends_of(robot)[-1], (f"leg {leg + 1}",), "1", "range", 1.0)
                for leg, _ in roots_at_home(robot)]  # fmt: skip
        rows += single_limits(robot, self.limits.families)
        for asked, family, key in self._of_actuators():
            for actuator in robot.actuators:
                size = getattr(actuator, key)
                if asked and size is not None:
                    unit = {"max_speed": "rad/s" if actuator.turns else "m/s"}
                    unit["max_force"] = "N m" if actuator.turns else "N"
                    rows.append(SingleLimit(family, (actuator.name,), unit[key], "maximum", size))
        joints = [f"joint {k + 1}" for k in range(len(structure_of(robot).centers))]
        of = dict.fromkeys(("radius", "height"), joints)
        motors = [actuator.name for actuator in robot.actuators]
        rows += [SingleLimit(value, (name,), "SI", "range", 1.0)
                 for value in self.values for name in of.get(value, motors)]  # fmt: skip
        if self.condition is not None:
            rows.append(SingleLimit("condition number", (), "1", "condition", self.condition))
        return rows

    def check_stated(self, robot: Robot) -> None:
        """Refuse speeds or forces of actuators that state no maximum of them."""
        for asked, family, key in self._of_actuators():
            for actuator in robot.actuators:
                if asked and getattr(actuator, key) is None:
                    raise GoughError(
                        f"{robot.name}: {actuator.name} has no maximum {family}; expected "
                        f"{_place(actuator, key)} in the robot file"
                    )

    def _of_actuators(self) -> tuple[tuple[bool, str, str], ...]:
        return (self.speed, "speed", "max_speed"), (self.force, "force", "max_force")

    def function(self, machines: Machines) -> Function:
        """Return the function from coordinates to margins."""
        names, robot = self.names(machines), machines.robot
        stated = stated_limits(robot, self.limits.families)
        (implicit := Implicit(robot)).refuse(machines)
        apart = replace(self.limits, max_condition=None)
        each = each_margin(machines, stated, apart, possible=bool(implicit.steps))
        known = definitions(machines.structure, Kernels(robot).formulation)
        dynamics = known["actuator_force"].equation if self.efforts else None
        first = len(names) - len(self.names(Machines(robot)))
        n, sizes, place = machines.structure.dof, self.regular(machines), first + len(STEPS)
        squares = place + sum(k * k for k in sizes)
        balls = [[k - first - 6 for k in ball] for ball in self.ball_axes(machines)]

        @for_boxes()
        def equation(x: Value, middle: Value, guide: Value, *others: Value) -> Value:
            *radii, y, near = others if implicit.count else (*others, *[ca.DM(0, 1)] * 2)
            (machine, pose), there = (
                implicit.closed(machines.machine(*([at[:first]] if first else [])),
                                moved(middle, at[first:place]), own)
                for at, own in ((x, y), (guide, near))
            )  # fmt: skip
            of = MotorQuantities(machine, pose, x[place:], dynamics)
            exists, families = each(machine, pose)
            margins = [margin for family in families for margin in family]

            lower = separations((machine, pose), stated.gaps, there)
            for asked, family, key in self._of_actuators():
                found = of.moving(family) if asked else None
                for k, actuator in enumerate(robot.actuators if found else ()):
                    if found and getattr(actuator, key) is not None:
                        size = machine.limit(_place(actuator, key))
                        margins.append(1 - ca.fabs(found.value[k]) / size)
                        most = found.most(k, of.linear[family], of.state, balls, radii)
                        lower.append(1 - most / size)
            for name in self.values:
                own = of.value(name)
                margins += ca.vertsplit(-ca.fabs(own) if VALUES[name] else -own)
            vectors = list[Value]()
            if self.condition is not None:
                own, vectors = self._condition(machine, pose, guide[squares:])
                margins.append(own)
            margins += [*lower, *vectors]
            matrices = locked_rows(machine, pose)[: len(sizes)] if sizes else []
            margins += row_margins(matrices, guide[place:])
            stacked = ca.vertcat(*margins)
            if machine.extensible is not None:  # other legs: `closing_margins`
                stacked = ca.if_else(exists, stacked, ca.DM.nan(*stacked.shape))
            return ca.vertcat(*closing_margins(machine, pose, roots_at_home(robot)), stacked)

        motors, of_condition = len(robot.actuators), self.condition is not None
        size = squares + (motors**2 + n**2 if of_condition else 0)
        given = {"x": (len(names),), "middle": (7,), "guide": (size,)}
        given |= {"radii": (len(balls),)} if balls else {}
        inputs = [*(Argument(*pair) for pair in given.items()), *implicit.arguments("y", "near")]
        rows = self.rows(robot)
        count = len(rows) + sum(row.kind in LOWER for row in rows)
        count += sum(sizes) + motors * n * of_condition
        outputs = [Argument("margin", (count,), "1", "at least zero where it holds")]
        doc = "Margins of all requirements; lower bounds of some; J on singular vectors; rows."
        return Function.from_equation("requirements", equation, inputs, outputs, doc)

    def kernel(self, machines: Machines) -> Kernel:
        """Return the kernel of bounds of all margins and of their slopes over boxes."""
        if not self.rows(machines.robot):
            problem = f"{machines.robot.name}: no limit is stated that could be proved"
            raise GoughError(f"{problem}; expected some in the robot file, or speeds or forces")
        try:
            balls = tuple((name, 0.0) for name, _ in self.balls)
            whatever = replace(self, balls=balls, radius=None)
            return _over_boxes(machines, whatever)  # whatever the radii
        except CompilerError as error:
            raise GoughError(
                f"{machines.robot.name}: its limits have no bounds over a box: {error}; "
                "gough.kinematics.workspace_box evaluates them at many poses"
            ) from error

    def _condition(self, machine: Machine, pose: Value, guide: Value) -> tuple[Value, list[Value]]:
        """1 - κ/K of two directions, which is above the margin, and UᵀJV."""
        n, motors, K = machine.dof, len(machine.motors), self.condition or ca.inf
        U, V = ca.reshape(guide[: -n * n], motors, motors), ca.reshape(guide[-n * n :], n, n)
        B = scaled_jacobian(machine, pose, self.limits.characteristic_length) @ V
        first, last = (ca.sumsqr(B[:, k]) / ca.sumsqr(V[:, k]) for k in (0, n - 1))
        return 1 - ca.sqrt(first / last) / K, ca.vertsplit(ca.vec(U.T @ B))


@compiled
def _over_boxes(machines: Machines, required: Required) -> Kernel:
    return Kernel(required.function(machines), boxes=["x", "y"])


def _place(actuator: Actuator, key: str) -> str:
    """Return where the robot file states the maximum of an actuator."""
    return f"{actuator.key}.{actuator.force_key if key == 'max_force' else key}"
