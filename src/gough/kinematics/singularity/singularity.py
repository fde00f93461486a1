"""Singular configurations: distance, type, the uncontrolled motion, and problems in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, compiled, kernel_of
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Rows, Table, vector
from gough.errors import GoughError, SingularConfiguration
from gough.kinematics.size import default_length
from gough.model import Kernels, Machines
from gough.model.definition import POSE
from gough.robot import MOVES, Robot
from gough.robot.remarks import counted_names

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value

DETERMINANT = Argument("determinant", (), "SI", "of the Jacobian; of a hexapod m^3")
CONDITION = Argument("condition", (), "1", "maximum over minimum singular value")
LENGTH = Argument("length", (), "m", "makes rotations comparable with translations")

_VANISHES = 1e-9
"""Measure of passive joints that counts as zero."""


@dataclass(frozen=True)
class Singularity(Displayable):
    """Measures of singularity of a robot at each pose of a batch `(...)`.

    Singular values and condition are those of J with rotations multiplied by the characteristic
    length, so that all entries of J are dimensionless. Where J does not exist (a leg without
    length, a pose that is not finite, or that no leg can reach) everything of J is NaN. With n < 6
    degrees of freedom J is that from u to the motors' rates.
    """

    characteristic_length: float | Array
    """Length that makes rotations comparable with translations [m]; (...) of several robots."""
    determinant: Array
    """(...) det J [`determinant_unit`]; its sign changes where the platform passes a type 2
    singularity. More motors than degrees of freedom: the root of det JᵀJ, which has no sign."""
    determinant_unit: str
    """Its unit: "m^3" of a hexapod, "1/m^3" of a Delta."""
    singular_values: Array
    """(..., n) of the scaled J, maximum first."""
    distance: Array
    """(...) distance to det J = 0, to first order [m]; a rotation φ counts as length times φ."""
    twist: Array
    """(..., 6) platform motion with minimum actuator motion, of length one when scaled."""
    axis: Array
    """(..., 3) the twist as a screw: direction of its axis, base frame."""
    point: Array
    """(..., 3) the point of the axis nearest to the platform's origin, base frame [m]."""
    pitch: Array
    """(...) translation along the axis per angle [m/rad]; infinite for a pure translation."""

    motors: tuple[str, ...]
    """Names of the motors of each leg that has some."""
    serial_by_leg: Array
    """(..., legs) zero where a leg with motors is stretched out or folded."""
    joints: tuple[str, ...]
    """Names of the joints of each group of passive joints."""
    passive_by_group: Array
    """(..., groups) zero where these joints cannot follow the platform."""
    constraint_values: Array
    """(..., 6 - n) singular values of the platform constraints in the constrained directions."""

    result_kind: ClassVar = "singularity"

    @property
    def sign(self) -> Array:
        """(...) of the determinant: -1, 0 or 1."""
        return np.sign(self.determinant)

    @property
    def condition(self) -> Array:
        """(...) maximum over minimum singular value; infinite at a type 2 singularity."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.singular_values[..., 0] / self.singular_values[..., -1])

    @property
    def parallel(self) -> Array:
        """Measure of type 2: the minimum singular value, zero where J loses rank."""
        return np.asarray(self.singular_values[..., -1])

    @property
    def serial(self) -> Array:
        """Minimum measure of all legs."""
        return np.asarray(np.abs(self.serial_by_leg).min(-1))

    @property
    def passive(self) -> Array:
        """Minimum measure of all groups of passive joints; infinite if there is none.

        NaN where one is unknown, unless another is zero.
        """
        sizes = np.abs(self.passive_by_group)
        known = np.fmin.reduce(sizes, axis=-1, initial=np.inf)
        return np.asarray(np.where(known < _VANISHES, known, sizes.min(-1, initial=np.inf)))

    @property
    def constraint(self) -> Array:
        """Minimum singular value of the constraints; infinite without any."""
        return np.asarray(self.constraint_values.min(-1, initial=np.inf))

    @property
    def valid(self) -> Array:
        """(...) whether J exists there."""
        return np.isfinite(self.determinant)

    def tables(self) -> list[Table]:
        """Measures of one pose; of several poses the extreme ones."""
        if np.ndim(self.determinant):
            extremes: Rows = [
                ("poses", int(np.size(self.determinant)), ""),
                ("maximum condition of J", float(np.nanmax(self.condition)), ""),
                ("minimum distance to det J = 0", float(np.nanmin(self.distance)), "m"),
            ]
            return [Table.properties("", extremes)]
        pitch = float(self.pitch)
        legs = zip(self.motors, self.serial_by_leg, strict=True)
        groups = zip(self.joints, self.passive_by_group, strict=True)
        rows: Rows = [
            ("characteristic length", float(self.characteristic_length), "m"),
            ("det J", float(self.determinant), self.determinant_unit),
            ("condition of J", float(self.condition), ""),
            ("type 2: minimum singular value", float(self.parallel), ""),
            ("  distance to det J = 0, to first order", float(self.distance), "m"),
            ("type 1: minimum of the legs", float(self.serial), ""),
            *((f"  leg of {name}", float(abs(pivot)), "") for name, pivot in legs),
        ]
        if self.joints:
            rows.append(("passive joints: minimum", float(self.passive), ""))
            rows += [(f"  {name}", float(abs(pivot)), "") for name, pivot in groups]
        if isfinite(self.constraint):
            rows.append(("constraint: minimum singular value", float(self.constraint), ""))
        screw: Rows = [
            ("axis", vector(self.axis), ""),
            ("point on the axis", vector(self.point), "m"),
            ("pitch", pitch if isfinite(pitch) else "infinite: a translation", "m/rad"),
        ]
        motion = Table.properties("Uncontrolled motion, as a screw", screw)
        return [Table.properties("Measures", rows), motion]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        names = [*self.__dataclass_fields__, "sign", "condition", "parallel", "serial", "passive"]
        return {name: getattr(self, name) for name in (*names, "constraint")}


def singularity(
    model: Kernels,
    pose: ArrayLike,
    *,
    characteristic_length: float | None = None,
    **inputs: ArrayLike | None,
) -> Singularity:
    """Compute the nearness of poses to singularities: serial (type 1), parallel (type 2), others.

    The characteristic length [m] is by default the maximum distance of a platform joint from the
    platform's origin. Inputs of all kernels of a model, `parameters` (..., p) or `branch` (..., b),
    are by default its own.
    """
    numbers, structure = model.numbers(**inputs), model.structure
    own = bool(model.parametric) and characteristic_length is None
    known = None if own else check_length(model.robot, characteristic_length)
    common = kernel_of(measure_function, model.machines, known)(*numbers, pose)._asdict()
    groups = values = np.empty((*np.shape(common["determinant"]), 0))
    if structure.passive_groups:
        groups = model.passive_pivots(*numbers, pose)
    if structure.dof < len(MOVES):
        values = np.asarray(constraint_values(model.machines, known)(*numbers, pose))
    return Singularity(
        **common,
        determinant_unit=determinant_unit_name(model.robot),
        characteristic_length=known or _own_length(model.machines)(*numbers),
        motors=structure.motor_legs,
        serial_by_leg=model.serial_pivots(*numbers, pose),
        joints=structure.passive_groups,
        passive_by_group=groups,
        constraint_values=values,
    )


def check_length(robot: Robot, given: float | None) -> float:
    """Return the characteristic length given, or the robot's own."""
    length = default_length(robot) if given is None else float(given)
    if not (np.isfinite(length) and length > 0):
        where = f"{robot.name}: all platform joints are at the origin; " if given is None else ""
        raise GoughError(f"{where}characteristic_length is {length:g}; expected a length above 0 m")
    return length


def condition(machine: Machine, pose: Value, length: Value | float) -> Value:
    """Return the condition number of J, rotations scaled."""
    from gough.equations.motion import singularity_measures  # noqa: PLC0415  (slow)
    from gough.model.singular_values import singular_values  # noqa: PLC0415

    values, _ = singular_values(singularity_measures.scaled_jacobian(machine, pose, length))
    return values[0] / values[-1]


@compiled
def determinant(machines: Machines) -> Kernel:
    """The kernel of det J: pose -> determinant."""
    from gough.equations.motion import singularity_measures  # noqa: PLC0415  (slow)

    return machines.kernel("determinant", singularity_measures.determinant, [POSE], [DETERMINANT])


def determinant_unit(robot: Robot, length: float) -> float:
    """Return det J of a machine whose scaled J has the determinant 1: [m³] for a hexapod."""
    seen = robot.freedom_rows / np.repeat([1.0, length], 3)
    freedoms = np.prod(1 / np.linalg.norm(seen, axis=1))
    turning = np.mean([a.turns for a in robot.actuators])  # the share of motors that turn
    return float(freedoms / length ** (turning * len(seen)))


def determinant_unit_name(robot: Robot) -> str:
    """Return the unit of det J: "m^3" for a hexapod, "1/m^3" for a Delta."""
    sliding = [not a.turns for a in robot.actuators]
    translating = [bool(row[:3].any()) for row in robot.freedom_rows]
    power = sum(sliding) * len(translating) / len(sliding) - sum(translating)
    length = "m" if abs(power) == 1 else f"m^{abs(power):g}"
    return "1" if power == 0 else length if power > 0 else f"1/{length}"


@compiled
def condition_number(machines: Machines) -> Kernel:
    """The kernel of the condition number: pose, characteristic length -> condition."""
    return machines.kernel("condition", condition, [POSE, LENGTH], [CONDITION])


@compiled
def _own_length(machines: Machines) -> Kernel:
    from gough.equations.motion import singularity_measures  # noqa: PLC0415  (slow)

    return machines.kernel("characteristic_length", singularity_measures.arm, [], [LENGTH])


def measure_function(machines: Machines, length: float | None = None) -> Function:
    """The measures that `Singularity` has for all machines; by default with their own length."""
    from gough.equations.motion import kinematics, singularity_measures  # noqa: PLC0415  (slow)
    from gough.equations.spatial.algebra import position  # noqa: PLC0415
    from gough.equations.spatial.pose import screw_of_twist  # noqa: PLC0415
    from gough.model.singular_values import singular_values  # noqa: PLC0415

    n = machines.structure.dof

    def equation(machine: Machine, pose: Value) -> tuple[Value, ...]:
        own = singularity_measures.arm(machine) if length is None else length
        J = singularity_measures.scaled_jacobian(machine, pose, own)
        values, right = singular_values(J, vectors=True)
        weakest = right[:, -1] / singularity_measures.freedom_units(machine, own)
        twist = kinematics.twist_basis(machine, pose) @ weakest
        twist = ca.if_else(values[-1] >= 0, twist, ca.DM.nan(6))
        det = singularity_measures.determinant(machine, pose)
        distance = singularity_measures.distance(machine, pose, own)
        return det, values, distance, twist, *screw_of_twist(twist, position(pose), own)

    outputs = [
        DETERMINANT,
        Argument("singular_values", (n,), "1", "of the scaled Jacobian, maximum first"),
        Argument("distance", (), "m", "to a singular configuration, to first order"),
        Argument("twist", (6,), "m/s, rad/s", "with minimum motion of the legs"),
        Argument("axis", (3,), "1", "direction of the screw"),
        Argument("point", (3,), "m", "of the screw's axis"),
        Argument("pitch", (), "m/rad", "of the screw"),
    ]
    doc = "Measures of singularity of the machine at a pose."
    return machines.function("singularity", equation, [POSE], outputs, doc)


@compiled
def constraint_values(machines: Machines, length: float | None) -> Kernel:
    """The kernel of a mechanism's platform constraints: pose -> singular values."""
    from gough.equations.motion import singularity_measures  # noqa: PLC0415  (slow)
    from gough.model.singular_values import singular_values  # noqa: PLC0415

    def equation(machine: Machine, pose: Value) -> Value:
        own = singularity_measures.arm(machine) if length is None else length
        return singular_values(singularity_measures.constraint_matrix(machine, pose, own))[0]

    count = len(MOVES) - machines.structure.dof
    output = Argument("values", (count,), "1", "singular values of the constraints")
    return machines.kernel("constraint_values", equation, [POSE], [output])


ILL_CONDITIONED = 100.0
"""Condition number of J above which there is a warning; also for the inverse of sin² of the angle
between a leg and the first axis of its universal joint: forces grow with both. Also for the inverse
measures of serial and constraint singularities, and the squared inverse measure of passive
joints."""
_NO_POSE = {"reach": "no such pose", "loops": "no such pose", "change point": "not known"}
"""Words for a pose that does not exist, by the kind of the error."""


def problems_at_home(robot: Robot) -> list[str]:
    """Return problems at home: a singular home, or a singular mass matrix."""
    from gough.equations.solvers.linear import solve_symmetric  # noqa: PLC0415  (slow)

    problems = [f"at home {words}" for words in singular_words(robot, robot.home)]
    M = Kernels(robot).mass_matrix(robot.home)
    solution = np.array(ca.DM(solve_symmetric(ca.DM(M), ca.DM.zeros(len(M)))))
    if not problems and np.isnan(solution).any():
        problems.append(
            "the mass matrix is singular: forward dynamics and simulations need a platform with "
            "mass and inertia"
        )
    return problems


def singular_words(robot: Robot, pose: ArrayLike) -> list[str]:
    """Return singularities at a pose (7), or near it; empty where there are none."""
    at = np.asarray(pose, dtype=float)
    if not np.isfinite(at).all():
        raise GoughError(f"the pose is {at.tolist()}; expected finite numbers")
    return list(_words(Kernels(robot), at))


def _words(model: Kernels, pose: Array) -> Iterator[str]:
    try:
        model.checked_inverse_dynamics(pose)
    except SingularConfiguration as error:
        yield f"{_NO_POSE.get(error.kind, 'singular')}: {error.words}"
        return
    found = singularity(model, pose)
    if not found.condition < ILL_CONDITIONED:
        yield f"near a singular configuration: condition number of J {float(found.condition):.3g}"
    serial = zip(found.motors, np.abs(found.serial_by_leg), strict=True)
    for share, names in _by_number((n, f"{x:.2g}") for n, x in serial if x < 1 / ILL_CONDITIONED):
        legs, one = counted_names(names, "actuators"), len(names) == 1
        yield (
            f"near a singular configuration: the {'leg' if one else 'legs'} of {legs} "
            f"{'is' if one else 'are'} nearly stretched out or folded, and "
            f"{legs if one else 'each of them'} moves the platform by {share} of its own motion"
        )
    passive = zip(found.joints, np.abs(found.passive_by_group), strict=True)
    following = ((n, f"{1 / x:.3g}") for n, x in passive if x**2 < 1 / ILL_CONDITIONED)
    for times, names in _by_number(following):
        one = len(names) == 1 and "," not in names[0]
        yield (
            f"near a singular configuration: {counted_names(names, 'groups of joints')} "
            f"move{'s' if one else ''} {times} times as much as the platform"
        )
    if found.constraint < 1 / ILL_CONDITIONED:
        yield (
            "near a singular configuration: the platform is weakly constrained, minimum singular "
            f"value of the constraints {float(found.constraint):.2g}"
        )


def _by_number(named: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Return each number with the names that have it: a finding on equal legs is one line."""
    names = defaultdict[str, list[str]](list)
    for name, number in named:
        names[number].append(name)
    return list(names.items())
