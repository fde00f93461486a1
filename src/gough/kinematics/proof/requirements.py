"""Requirements as margins of coordinates of a box: at least zero where they hold.

Coordinates are, in this order: the robot's numbers (if some have tolerances), steps x y z and roll,
pitch, yaw from the pose in the middle of the box, about base axes, and, where speeds or forces are
required, twist, acceleration and wrench of the platform. Coordinates y without a closed form are
further inputs of the margins: see `implicit`.

Two bodies are apart where a plane separates them by their radii, whichever plane that is: over a
box that has far narrower bounds than the distance itself. The plane is chosen by a guide, steps to
a pose near all of the box, as the one between the points that are nearest there.

The condition number of J is at most K where JᵀJ - μ and K²μ - JᵀJ are positive definite, whichever
number μ is. The guide has the singular vectors U, V of J near all of the box: bounds of UᵀJV, which
is almost diagonal there, decide that (`_within_condition`). It is above K where that of two
directions is. Efforts f of Jᵀ f = w are those of C Jᵀ f = C w, with a matrix C of the guide, an
inverse near all of the box: bounds of an elimination stay narrow.

Determinants of legs that iterate have wide bounds. Their rows with locked motors, and those with
platform constraints, are regular where J and these constraints are (`_locked`); and a matrix M is
where the rows of C M - 1 have sums of sizes below 1, with a matrix C of the guide. So the side of a
singularity is that in the middle of the box; how far it stays from it is not stated then (a margin
of almost zero).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar, NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.memo import remembered
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.closure import constraint_rows as loops
from gough.equations.closure.assembled import LegPosture, assembled, platform_at, posture
from gough.equations.forces.dynamics import required_forces
from gough.equations.forces.passive_joints import (
    dry_friction,
    required_with_joints,
    without_dry_friction,
)
from gough.equations.machine import Machine
from gough.equations.motion import singularity_measures
from gough.equations.motion.kinematics import (
    actuation_matrix,
    inverse_kinematics,
    joint_velocity,
    twist_basis,
)
from gough.equations.motion.motions import joint_centers
from gough.equations.motion.reach import Gap, between_segments
from gough.equations.solvers.linear import eliminated
from gough.equations.spatial.algebra import Value, unit
from gough.errors import CompilerError, GoughError
from gough.kinematics.proof.implicit import Enclosing, Implicit, moved, total_slopes, with_all
from gough.kinematics.workspace.box import pose_at
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, each_margin, sides_at_home
from gough.kinematics.workspace.stated_limits import (
    SingleLimit,
    ends_of,
    single_limits,
    stated_limits,
)
from gough.model.catalogue import definitions
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.parameters import machine_of
from gough.model.structure import structure_of
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
_SMALLEST = 1e-300
"""Margin of what is known to be above zero."""
_PARALLEL = 1e-6
"""Squared sine of the angle of two bodies below which they count as parallel."""


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

    def __post_init__(self) -> None:  # as a file has them
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

    def inverse(self, machines: Machines) -> int:
        """Return the size of the inverse that a guide has: zero where none is needed."""
        n = machines.structure.dof
        return n * n if self.efforts and len(machines.robot.actuators) == n else 0

    def regular(self, robot: Robot) -> list[int]:
        """Return sizes of matrices by which singularities of legs that iterate are excluded."""
        if "singularity" not in self.limits.families or not Implicit(robot).legs:
            return []
        sides, _ = sides_at_home(robot, self.limits)
        found = _locked(machine_of(robot), ca.SX.sym("pose", 7))[: len(sides)]
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
                for leg, _ in _roots(robot)]  # fmt: skip
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
        n, inverse, sizes = machines.structure.dof, self.inverse(machines), self.regular(robot)
        squares = inverse + sum(k * k for k in sizes)
        balls = [[k - first - 6 for k in ball] for ball in self.ball_axes(machines)]

        def equation(x: Value, middle: Value, guide: Value, *others: Value) -> Value:
            *radii, y, near = others if implicit.count else (*others, *[ca.DM(0, 1)] * 2)
            free: Machine = machines.machine(*([x[:first]] if first else []))
            there = implicit.closed(free, moved(middle, guide[:6]), near)
            machine, pose = implicit.closed(free, moved(middle, x[first : first + 6]), y, there)
            inverse_there = guide[6 : 6 + inverse] if inverse else None
            of = _Quantities(machine, pose, x[first + 6 :], inverse_there, dynamics)
            exists, families = each(machine, pose)
            margins = [margin for family in families for margin in family]

            lower = _separations((machine, pose), stated.gaps, there)
            for asked, family, key in self._of_actuators():
                found = of.moving(family) if asked else None
                for k, actuator in enumerate(robot.actuators if found else ()):
                    size = getattr(actuator, key)
                    if found and size is not None:
                        size = x[names.index(_place(actuator, key))] if first else size
                        margins.append(1 - ca.fabs(found.value[k]) / size)
                        most = found.most(k, of.linear[family], of.state, balls, radii)
                        lower.append(1 - most / size)
            for name in self.values:
                own = of.value(name)
                margins += ca.vertsplit(-ca.fabs(own) if VALUES[name] else -own)
            vectors = list[Value]()
            if self.condition is not None:
                own, vectors = self._condition(machine, pose, guide[6 + squares :])
                margins.append(own)
            margins += [*lower, *vectors]
            matrices = _locked(machine, pose)[: len(sizes)] if sizes else []
            margins += _regular_rows(matrices, guide[6 + inverse :])
            stacked = ca.vertcat(*margins)
            stacked = ca.if_else(exists, stacked, ca.DM.nan(*stacked.shape))
            return ca.vertcat(*_closing_margins(machine, pose, _roots(robot)), stacked)

        motors, of_condition = len(robot.actuators), self.condition is not None
        size = 6 + squares + (motors**2 + n**2 if of_condition else 0)
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
            raise GoughError(
                f"{machines.robot.name}: no limit is stated that could be proved; expected some in "
                "the robot file, or speeds or forces"
            )
        try:
            balls = tuple((name, 0.0) for name, _ in self.balls)
            return _over_boxes(machines, replace(self, balls=balls))  # whatever their radii
        except CompilerError as error:
            raise GoughError(
                f"{machines.robot.name}: its limits have no bounds over a box: {error}; "
                "gough.kinematics.workspace_box evaluates them at many poses"
            ) from error

    def _condition(self, machine: Machine, pose: Value, guide: Value) -> tuple[Value, list[Value]]:
        """1 - κ/K of two directions, which is above the margin, and UᵀJV."""
        n, motors, K = machine.dof, len(machine.motors), self.condition or ca.inf
        U, V = ca.reshape(guide[: -n * n], motors, motors), ca.reshape(guide[-n * n :], n, n)
        B = _scaled_jacobian(machine, pose, self.limits.characteristic_length) @ V
        first, last = (ca.sumsqr(B[:, k]) / ca.sumsqr(V[:, k]) for k in (0, n - 1))
        return 1 - ca.sqrt(first / last) / K, ca.vertsplit(ca.vec(U.T @ B))


def _locked(machine: Machine, pose: Value) -> list[Value]:
    """Rows of legs that iterate, by rates of joints, beside those of others, which they see solved.

    Passive joints and u, of locked motors; and all joints and constrained directions, with platform
    constraints, if there are as many. Angles count, and lengths over the characteristic length.
    """
    at, outside = assembled(machine, pose), machine.freedom.outside
    length = singularity_measures.arm(machine)
    units = length / singularity_measures.freedom_units(machine, length)
    T, left = at.T @ ca.diag(units), sum(len(leg.leg.plan.left) for leg in at.legs)
    found = [_rows(at.legs, T, constrained=False)]
    if left and left == outside.shape[0]:
        found.append(_rows(at.legs, outside.T, constrained=True))
    return found


def _regular_rows(matrices: Sequence[Value], guide: Value) -> list[Value]:
    """Margins by which matrices are regular: those of the rows of C M - 1."""
    found, first = list[Value](), 0
    for M in matrices:
        n = M.shape[0]
        C = ca.reshape(guide[first : first + n * n], n, n)
        found += ca.vertsplit(1 - ca.sum2(ca.fabs(C @ M - ca.DM.eye(n))))
        first += n * n
    return found


@compiled
def _matrices(machines: Machines, sizes: tuple[int, ...]) -> Kernel[Any]:
    implicit = Implicit(machines.robot)

    def equation(free: Machine, step: Value, middle: Value, y: Value) -> list[Value]:
        return _locked(*implicit.closed(free, moved(middle, step), y))[: len(sizes)]

    inputs = [Argument("step", (6,)), Argument("middle", (7,)), *implicit.arguments("y")]
    outputs = [Argument(f"M{k}", (n, n)) for k, n in enumerate(sizes)]
    return Kernel(machines.function("locked", equation, inputs, outputs))


def _rows(legs: Sequence[LegPosture], V: Value, constrained: bool) -> Value:
    """Rows of `_locked`: joints of legs that iterate, one leg after the other, then motions V."""
    free = [[] if not at.leg.iterated else [j for j in range(len(at.leg.joints))
            if constrained or j not in at.leg.plan.driven] for at in legs]  # fmt: skip
    found = []
    for k, at in enumerate(legs):
        plan, by_platform = at.leg.plan, loops.platform_rows(at.cuts)
        rows = [*plan.driven_rows, *plan.passive_rows, *(plan.left if constrained else ())]
        if at.leg.iterated:
            pairs = [([at.rows.A[r][j] for j in free[k]], -by_platform[r] @ V) for r in rows]
        elif constrained:
            weights = (at.rows.left_over(row) for row in plan.left)
            pairs = [([], loops.wrench_of(at.cuts, weight).T @ V) for weight in weights]
        else:
            rates = at.jacobian(V)
            pairs = [([], rates[j]) for j in plan.driven]
        before, after = (sum(map(len, some)) for some in (free[:k], free[k + 1 :]))
        found += [ca.horzcat(ca.DM.zeros(1, before), *own, ca.DM.zeros(1, after), by)
                  for own, by in pairs]  # fmt: skip
    return ca.SX(ca.vertcat(*found))


@compiled
def _jacobians(machines: Machines, length: float | None) -> Kernel[tuple[Array, Array]]:
    def equation(machine: Machine, pose: Value) -> tuple[Value, Value]:
        return actuation_matrix(machine, pose), _scaled_jacobian(machine, pose, length)

    shape = len(machines.robot.actuators), machines.structure.dof
    outputs = Argument("J", shape, "SI"), Argument("scaled", shape, "1")
    return Kernel(machines.function("jacobians", equation, [POSE], outputs))


def _scaled_jacobian(machine: Machine, pose: Value, length: float | None) -> Value:
    """J, all entries numbers: see `Limits`."""
    of = singularity_measures
    return of.scaled_jacobian(machine, pose, length or of.arm(machine))


_Balls = Sequence[Sequence[int]]


class _Moving(NamedTuple):
    """Speeds or efforts of the motors (n), by their parts."""

    smooth: Value
    dry: Value = ca.SX(0, 0)
    """(n, m) parts of each dry friction in full."""
    shares: Value = ca.SX(0, 1)
    """(m) shares of these, from -1 to 1."""

    @property
    def value(self) -> Value:
        return self.smooth + self.dry @ self.shares if self.dry.numel() else self.smooth

    def most(
        self, k: int, linear: slice, state: Value, balls: _Balls, radii: Sequence[Value]
    ) -> Value:
        """Return what the size of entry k is at most: each part that is `linear` adds its own."""
        own, alone = state[linear], ca.sum2(ca.fabs(self.dry[k, :])) if self.dry.numel() else 0
        slopes, rest = ca.SX(ca.DM.zeros(*state.shape)), self.smooth[k]
        slopes[linear] = ca.gradient(rest, own)
        if ca.depends_on(slopes, own):
            return ca.fabs(rest) + alone
        sizes = ca.fabs(slopes * state)
        for ball, r in zip(balls, ca.vertsplit(ca.vertcat(*radii)), strict=True):
            if not ca.SX(slopes[ball]).is_zero():
                sizes[ball] = 0
                alone += r * ca.norm_2(slopes[ball])
        return ca.fabs(ca.substitute(rest, own, 0 * own)) + ca.sum1(sizes) + alone


@dataclass(frozen=True)
class _Quantities:
    """Quantities of actuators and joint centres at a state: twist, acceleration, wrench."""

    machine: Machine
    pose: Value
    state: Value
    inverse: Value | None
    """Matrix by which efforts are found, or None for `dynamics`."""
    dynamics: Any
    linear: ClassVar = {"speed": slice(6), "force": slice(6, 18)}
    """Parts of the state by which speeds and forces are linear."""

    def moving(self, name: str) -> _Moving:
        """Return the speed or force of all actuators."""
        if name == "speed":
            return _Moving(joint_velocity(self.machine, self.pose, self.state[:6]))
        if self.inverse is not None:
            return _efforts(self.machine, self.pose, self.state, self.inverse)
        return _Moving(self.dynamics(self.machine, self.pose, *ca.vertsplit(self.state, 6)))

    def value(self, name: str) -> Any:
        """Return one of `VALUES`."""
        if name in ("speed", "force"):
            return self.moving(name).value
        if name == "power":
            return self.value("force") * self.value("speed")
        if name == "position":
            return inverse_kinematics(self.machine, self.pose)
        centers = joint_centers(self.machine, self.pose)
        return centers[:, 2] if name == "height" else ca.sqrt(ca.sum2(centers[:, :2] ** 2))


def _efforts(machine: Machine, pose: Value, state: Value, inverse: Value) -> _Moving:
    """Efforts of the motors [N m, N], as `actuator_force`, by a matrix that is almost one."""
    twist, acceleration, wrench = ca.vertsplit(state, 6)
    smooth, T, n = without_dry_friction(machine), twist_basis(machine, pose), machine.dof
    across, along = required_with_joints(required_forces)(smooth, pose, twist, acceleration)
    dry, shares = dry_friction(machine, pose, twist)
    C, w = ca.reshape(inverse, n, n), ca.horzcat(across - T.T @ wrench, -T.T @ dry)
    found = eliminated(C @ actuation_matrix(machine, pose).T, C @ w)
    return _Moving(along + found[:, 0], found[:, 1:], shares)


@compiled
def _over_boxes(machines: Machines, required: Required) -> Kernel:
    return Kernel(required.function(machines), boxes=["x", "y"])


@remembered
def _roots(robot: Robot) -> tuple[tuple[int, float], ...]:
    """Legs in closed form by the roots of their formulas, with the size at home under each."""
    if robot.has_extensible_legs:
        return ()
    machine, found = machine_of(robot), list[tuple[int, float]]()
    pose = ca.SX.sym("pose", 7)
    for k, under in _under_roots(machine, pose):
        at_home = ca.Function("home", [pose], [under])(ca.DM(robot.home))
        found.append((k, abs(float(at_home)) or 1.0))
    return tuple(found)


def _under_roots(machine: Machine, pose: Value) -> list[tuple[int, Value]]:
    """Return what is under the roots of legs in closed form: negative where a leg cannot close."""
    platform, found = platform_at(machine, pose), list[tuple[int, Value]]()
    for k, leg in enumerate(machine.legs):
        if leg.iterated:
            continue
        at = posture(leg, leg.positions(platform.position, platform.rotation), platform)
        expression = ca.SX(ca.vertcat(*at.joint_positions))
        f = ca.Function("leg", ca.symvar(expression), [expression])
        nodes, count = f.instructions_sx(), f.n_instructions()
        roots = (n for n in range(count) if f.instruction_id(n) == ca.OP_SQRT)
        found += [(k, nodes[n].dep(0)) for n in roots]
    return found


def _closing_margins(
    machine: Machine, pose: Value, roots: Sequence[tuple[int, float]]
) -> list[Value]:
    """Return margins of legs in closed form: 1 at home, below zero where one cannot close."""
    if not roots:
        return []
    pairs = zip(_under_roots(machine, pose), roots, strict=True)
    return [under / at_home for (_, under), (_, at_home) in pairs]


def _place(actuator: Actuator, key: str) -> str:
    """Return where the robot file states the maximum of an actuator."""
    return f"{actuator.key}.{actuator.force_key if key == 'max_force' else key}"


def _separations(
    at: tuple[Machine, Value], gaps: Sequence[Gap], guide: tuple[Machine, Value]
) -> list[Value]:
    """Return lower bounds of gaps over radii: along normals that are those of the guide."""
    if not gaps:
        return []
    machine, (here, there) = at[0], (ca.vertsplit(joint_centers(*of)) for of in (at, guide))
    found = []
    for gap in gaps:
        (p, p_end), (q, q_end) = ([there[k] for k in ends] for ends in (gap.first, gap.second))
        u, v, w = (p_end - p).T, (q_end - q).T, (p + p_end - q - q_end).T / 2
        uu, vv, uv = ca.dot(u, u), ca.dot(v, v), ca.dot(u, v)
        across = w - u * (ca.dot(w, u) / uu)
        oblique = uu * vv - uv * uv > _PARALLEL * uu * vv
        normal = unit(ca.if_else(oblique, between_segments(p.T, u, q.T, v), across))
        apart = [(here[i] - here[j]) @ normal for i in gap.first for j in gap.second]
        found.append(reduce(ca.fmin, apart) / sum(map(machine.limit, gap.places)) - 1)
    return found


class Bounded(NamedTuple):
    """Bounds of k margins over n boxes."""

    low: Array
    """(n, k); -inf where nothing is known."""
    high: Array
    """(n, k)"""
    slopes: Array
    """(n, v, k, 2) bounds of slopes by the coordinates that vary, as `bounds` has them."""
    at: Array
    """(n, k) lower bound in the middle of the box; -inf where nothing is known."""


def centres(boxes: Array) -> Array:
    """Return points (n, x) of boxes (n, x, 2), near their middles."""
    return np.asarray(np.clip(boxes.mean(-1), boxes[..., 0], boxes[..., 1]))


def bounds(
    kernel: Kernel,
    boxes: Array,
    others: Sequence[Array],
    varied: AnyArray,
    implicit: Enclosing | None = None,
    *,
    states: int,
    everywhere: bool = False,
) -> Bounded:
    """Bound a kernel over boxes (n, x, 2), by intervals and by the mean-value form.

    f(x) = f(c) + Σ slope_j (x_j - c_j), c in the middle of a box. Coordinates move one after the
    other from c to x, those from number `states` on first, which are mostly linear: slope_j is that
    where the ones that move later are still at c [Hansen 1968], or `everywhere` in the box. Sums of
    at most 1000 positive numbers are rounded by less than 1e-12 of themselves. With `implicit`
    coordinates y, which are the inputs after `others`, as functions of x: nothing is known from
    below where no y may close the gaps, not even what does not depend on y.
    """
    c, size = centres(boxes), boxes.shape[1]
    points, count = np.stack([c, c], -1), implicit.count if implicit else 0
    d_x = np.eye(size)[[*varied, *[0] * count]]
    apart = [x[:, None] if x.ndim > 2 else x for x in others]  # of all directions
    each = np.repeat(boxes[:, None], len(d_x), axis=1)
    order = np.argsort(varied < states, kind="stable")
    for j in () if everywhere else range(len(order)):
        each[:, order[:j], varied[order[j]]] = points[:, None, varied[order[j]]]
    closes: AnyArray = np.ones((len(boxes), 1), bool)
    if implicit is None or not count:
        found = kernel(each, *apart, d_x)
        at_c, slopes = kernel(points, *others)[0], found[1]
    else:
        d_x[len(varied) :] = 0.0
        y, at = implicit.over(boxes, varied), implicit.over(points, varied[:0])
        near, d_y = np.repeat(y.near[..., None], 2, axis=-1), with_all(y.tilt)
        closes = np.asarray(np.isfinite(y.box).all((1, 2)))[:, None]
        found = kernel(each, *apart, y.box[:, None], near[:, None], d_x, d_y)
        at_c = kernel(points, *others, at.box, near)[0]
        by_x, by_y = np.split(found[1], [len(varied)], axis=1)
        slopes = total_slopes(by_x, by_y, y.slopes)
    natural = found[0][:, order[-1] if len(order) else -1]
    ends, middle = boxes[:, varied], c[:, varied]
    half = np.maximum(ends[..., 1] - middle, middle - ends[..., 0])[..., None] * (1 + 1e-12)
    with np.errstate(invalid="ignore", over="ignore"):
        radius = (np.abs(slopes).max(-1) * half).sum(axis=1) * (1 + 1e-12)
        low = np.fmax(natural[..., 0], np.nextafter(at_c[..., 0] - radius, -np.inf))
        high = np.fmin(natural[..., 1], np.nextafter(at_c[..., 1] + radius, np.inf))
    known = np.isfinite(natural).all(-1)
    low, in_middle = np.where(known & closes, low, -np.inf), np.isfinite(at_c).all(-1) & closes
    least = np.where(in_middle, at_c[..., 0], -np.inf)
    return Bounded(low, np.where(known, high, np.inf), slopes, least)


def _within_condition(B: Array, K: float) -> AnyArray:
    """Whether all matrices within bounds (n, m, d, 2) have a condition number of at most K.

    Bᵀ B - μ and K²μ - Bᵀ B have positive pivots, with what is off their diagonals, which is small,
    as an uncertainty. Rounding is below 1e-9 of the first.
    """
    holds: AnyArray = np.asarray(np.isfinite(B).all((1, 2, 3)))
    B = np.where(holds[:, None, None, None], B, 0.0)
    c, r = B.mean(-1), np.diff(B)[..., 0] / 2
    c_T, r_T = np.swapaxes(c, 1, 2), np.swapaxes(r, 1, 2)
    A, E = c_T @ c, np.abs(c_T) @ r + r_T @ np.abs(c) + r_T @ r
    sizes = np.diagonal(A, axis1=1, axis2=2)
    mu = np.sqrt(sizes.min(-1) * sizes.max(-1)) / K
    for sign, shift in ((1.0, -mu), (-1.0, K**2 * mu)):
        M, within = sign * A + shift[:, None, None] * np.eye(A.shape[1]), E.copy()
        for k in range(A.shape[1]):
            pivot = M[:, k, k] - within[:, k, k]
            holds &= pivot > 1e-9 * sizes.max(-1)
            off = np.abs(M[:, k]) + within[:, k]
            with np.errstate(divide="ignore", invalid="ignore"):
                within = within + off[:, :, None] * off[:, None, :] / pivot[:, None, None]
    return holds


class Curves(NamedTuple):
    """Curves through n boxes, each over an interval of time."""

    at: Array
    """(n, x, 2) bounds of the coordinates in the middle of time."""
    rates: Array
    """(n, x, 2) bounds of their time derivatives."""
    half: Array
    """(n) half of the duration [s]."""


class Guide:
    """Guides of boxes around poses: their margins hold for any numbers, and are narrow by these."""

    def __init__(self, required: Required, machines: Machines, middle: Array) -> None:
        self.condition, self.inverse = required.condition, required.inverse(machines)
        self.first, self.middle = required.names(machines).index(STEPS[0]), middle
        self.sizes, self.implicit = required.regular(machines.robot), Enclosing(machines, middle)
        if self.condition is not None or self.inverse:
            self.jacobians = _jacobians(machines, required.limits.characteristic_length)

    def __call__(self, points: Array) -> Array:
        """Return the guides of points (n, x): steps, an inverse of Jᵀ, singular vectors of J."""
        steps = points[:, self.first : self.first + 6]
        numbers, parts = [points[:, : self.first]] if self.first else [], [steps]
        if self.condition is not None or self.inverse:
            J, scaled = self.jacobians(*numbers, pose_at(self.middle, steps))
        if self.inverse:  # J has its transposed inverse by columns
            parts.append(np.linalg.pinv(np.nan_to_num(J)).reshape(len(J), -1))
        if self.sizes:
            y = self.implicit.near(points)
            found = _matrices(self.implicit.machines, tuple(self.sizes))(
                *numbers, steps, self.middle, y
            )
            for M in found if isinstance(found, tuple) else (found,):
                C = np.linalg.pinv(np.nan_to_num(M))
                parts.append(np.swapaxes(C, -1, -2).reshape(len(C), -1))
        if self.condition is not None:
            U, _, V = np.linalg.svd(np.nan_to_num(scaled, posinf=0.0, neginf=0.0))
            parts += [np.swapaxes(U, -1, -2).reshape(len(J), -1), V.reshape(len(J), -1)]
        return np.concatenate(parts, axis=-1)


class Bounding:
    """Bounds of all margins over boxes (n, x, 2) around a pose."""

    def __init__(self, required: Required, machines: Machines, middle: Array) -> None:
        self.kernel, self.pose = required.kernel(machines), np.stack([middle, middle], -1)
        self.implicit, self.balls = Enclosing(machines, middle), required.ball_axes(machines)
        rows = required.rows(machines.robot)
        radii = np.array([[r, r] for _, r in required.balls])
        self.radii = [radii] if len(radii) else []
        self.count, self.sides = len(rows), [k for k, x in enumerate(rows) if x.kind == "side"]
        self.lower = [k for k, row in enumerate(rows) if row.kind in LOWER]
        self.regular = sum(required.regular(machines.robot))
        self.first, self.machines = required.names(machines).index(STEPS[0]), machines
        self.condition, self.guide = required.condition, Guide(required, machines, middle)

    def over(self, boxes: Array, varied: AnyArray) -> Bounded:
        """Bound all margins; `varied` coordinates are no single numbers."""
        return self._joined(self._each(boxes, varied, centres(boxes)))

    def along(self, boxes: Array, varied: AnyArray, curves: Curves) -> tuple[Bounded, Array]:
        """Bound all margins along curves, one through each box, and from above in its middle.

        m(t) = m(c) + ṁ (t - c), c in the middle of time, and ṁ = Σ slope_j ẋ_j over all of it.
        Other coordinates, whose rates are zero, count as in `bounds`.
        """
        points = centres(boxes)
        over = self._each(boxes, varied, points, everywhere=True)
        at = self._natural(curves.at, varied, points)
        rates, resting = curves.rates[:, varied], ~curves.rates[:, varied].any(-1)
        box, middle = boxes[:, varied], curves.at[:, varied]
        half = resting * np.maximum(box[..., 1] - middle[..., 0], middle[..., 1] - box[..., 0])
        with np.errstate(invalid="ignore", over="ignore"):
            products = over.slopes[..., None] * rates[:, :, None, None]
            ends = [products.min((-1, -2)).sum(1), products.max((-1, -2)).sum(1)]
            sizes = np.abs(products).max((-1, -2)).sum(1) * 1e-12  # more than is rounded
            slopes = np.stack([ends[0] - sizes, ends[1] + sizes], -1)
            radius = np.abs(slopes).max(-1) * curves.half[:, None]
            radius += (np.abs(over.slopes).max(-1) * half[..., None]).sum(1) * (1 + 1e-12)
            low = np.fmax(over.low, np.nextafter(at[..., 0] - radius, -np.inf))
            high = np.fmin(over.high, np.nextafter(at[..., 1] + radius, np.inf))
        low = np.where(np.isfinite(over.low), low, -np.inf)  # perhaps no legs that close
        found = Bounded(low, high, slopes[:, None], at[..., 0])
        return self._joined(found), at[:, : self.count, 1]

    def _each(
        self, boxes: Array, varied: AnyArray, points: Array, everywhere: bool = False
    ) -> Bounded:
        """Bound all margins, and lower ones of gaps and of the condition number behind them."""
        guide = np.repeat(self.guide(points)[..., None], 2, axis=-1)
        others = [self.pose, guide, *self.radii]
        states = self.first + len(STEPS)
        return bounds(self.kernel, boxes, others, varied, self.implicit, states=states,
                      everywhere=everywhere)  # fmt: skip

    def _joined(self, found: Bounded) -> Bounded:
        """Bounds of all margins: those of some kinds are never below others behind them."""
        (low, high, slopes, at), last = found, self.count + len(self.lower)
        low[:, self.lower] = np.maximum(low[:, self.lower], low[:, self.count : last])
        own, apart = slopes[..., : self.count, :].copy(), slopes[..., self.count : last, :]
        # their slopes are narrower, where they are known
        known = np.isfinite(apart).all(axis=(1, 3), keepdims=True)
        own[..., self.lower, :] = np.where(known, apart, own[..., self.lower, :])
        if self.condition is not None:  # it holds or not; how far it is from its limit is unknown
            n = self.machines.structure.dof
            end = low.shape[1] - self.regular
            B = np.stack([low[:, last:end], high[:, last:end]], -1).reshape(len(low), n, -1, 2)
            holds = _within_condition(np.swapaxes(B, 1, 2), self.condition)
            low[:, self.count - 1] = np.where(holds, 0.0, -1.0)
            entries = np.abs(slopes[..., last:end, :]).max((-1, -2))  # what bisection has to narrow
            own[..., -1, :] += np.stack([-entries, entries], -1)
        if self.regular:  # on one side of a singularity
            rows, (k,) = slice(-self.regular, None), self.sides
            one_side = np.asarray((low[:, rows] > 0).all(-1) & (at[:, k] > 0))
            low[:, k] = np.where(one_side, np.fmax(low[:, k], _SMALLEST), low[:, k])
            entries = np.abs(slopes[..., rows, :]).max((-1, -2))
            own[..., k, :] = np.stack([-entries, entries], -1)
        kept = slice(self.count)
        return Bounded(low[:, kept], high[:, kept], own, at[:, kept])

    def slopes_at(self, points: Array, varied: AnyArray) -> Array:
        """Return slopes of all margins at points: (n, v, k)."""
        found = self._each(np.stack([points, points], -1), varied, points)
        return np.asarray(found.slopes[:, :, : self.count].mean(-1))

    def at(self, points: Array) -> Array:
        """Bound all margins at points (n, x): (n, k, 2), unknown ones infinite."""
        boxes = np.stack([points, points], -1)
        return self._natural(boxes, np.arange(0), points)[:, : self.count]

    def _natural(self, boxes: Array, varied: AnyArray, points: Array) -> Array:
        """Bound all rows by intervals alone, with guides of points: (n, rows, 2)."""
        given = [self.pose, np.repeat(self.guide(points)[..., None], 2, axis=-1), *self.radii]
        if self.implicit.count:
            near = self.implicit.near(points)
            given += [self.implicit.over(boxes, varied).box, np.repeat(near[..., None], 2, axis=-1)]
        found = self.kernel(boxes, *given)[0]
        known = np.isfinite(found).all(-1, keepdims=True)
        return np.asarray(np.where(known, found, np.array([-np.inf, np.inf])))
