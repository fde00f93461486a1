"""Measures of a machine in a state, and what a design requires or optimises of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.checks import unknown
from gough.compiler.memo import remembered
from gough.equations.elastic import dynamic_compliance as loads
from gough.equations.elastic.stiffness import holding_force, minimum_stiffness, shifted, vibration
from gough.equations.forces import dynamics
from gough.equations.machine import Machine
from gough.equations.motion import kinematics, singularity_measures
from gough.equations.motion.motions import joint_centers
from gough.equations.spatial.algebra import Value, norm
from gough.errors import GoughError
from gough.fields import units
from gough.fields.units import FORCE, LENGTH, NUMBER, POWER, SPEED, Dimension
from gough.kinematics.freedoms.nearest_pose import has_constant_basis
from gough.kinematics.workspace import stated_limits as bounds
from gough.kinematics.workspace.reach import Limits, each_margin
from gough.kinematics.workspace.stated_limits import FAMILIES, known_limits
from gough.model import Machines, structure_of
from gough.model.catalogue import chosen_formulation, why_absent
from gough.model.singular_values import lowest_eigenvector, singular_values
from gough.robot import Robot
from gough.studies import Study

LIMITS = "limits"
SIMULATED = {"simulated_error": "height", "simulated_force": "force"}
"""Objectives of a simulated run, and measures of the same dimension."""
TRAVEL, ENERGY, DEXTERITY = "travel", "energy", "dexterity"


class MeasuredState(NamedTuple):
    """A state of a machine, as equations take it."""

    pose: Value
    twist: Value
    acceleration: Value
    wrench: Value
    frequency: Value  # frequency of the wrench [Hz]
    surface: Value  # stiffness [N/m] and error [m] of what the platform is pressed against

    @property
    def loads(self) -> tuple[Value, Value, Value, Value]:
        """Pose, twist, acceleration and wrench."""
        return self.pose, self.twist, self.acceleration, self.wrench


@dataclass(frozen=True)
class Measure:
    """Numbers of a machine in a state: one, or one for each actuator, joint or limit."""

    meaning: str
    dimension: Dimension
    equation: Callable[[Machine, MeasuredState], Value]
    labels: Callable[[Robot], list[str]]
    either_sign: bool = False
    """Whether its size counts, whatever its sign."""
    large_is_good: bool = False
    needs: str = ""
    """Kernel that a machine must have for this measure; empty: none."""


def _power(machine: Machine, state: MeasuredState) -> Value:
    speed = kinematics.joint_velocity(machine, state.pose, state.twist)
    return dynamics.actuator_force(machine, *state.loads) * speed


def _condition(machine: Machine, state: MeasuredState) -> Value:
    """Return the maximum singular value over the minimum one.

    The singular vectors are held constant, because singular values do not depend on them to
    first order: the derivatives are exact.
    """
    J = singularity_measures.scaled_jacobian(machine, state.pose, singularity_measures.arm(machine))
    _, right = singular_values(J, vectors=True, constant=True)
    return norm(J @ right[:, 0]) / norm(J @ right[:, -1])


def _natural_frequency(machine: Machine, state: MeasuredState) -> Value:
    """Return the lowest natural frequency [Hz]; the shape of its mode is held constant."""
    held = holding_force(machine, state.pose, state.wrench)
    M, K = vibration(machine, state.pose, held, ca.DM.zeros(*held.shape))
    form = shifted(M, K, machine.freedom.S.shape[0])
    lowest = lowest_eigenvector(form.matrix)
    square = ca.dot(lowest, form.matrix @ lowest) - form.shift * ca.dot(lowest, lowest)
    return ca.sign(square) * ca.sqrt(ca.fabs(square)) / (2 * np.pi)


def _deflection(machine: Machine, state: MeasuredState, part: slice) -> Value:
    """Return the maximum displacement [m], or rotation [rad], by the wrench over its period."""
    parts = loads.oscillation(machine, state.pose, state.wrench, state.frequency)
    return loads.largest_displacement(*(x[part] for x in parts))


def _contact_forces(machine: Machine, state: MeasuredState) -> tuple[Value, Value]:
    return loads.contact_forces(machine, state.pose, state.twist, state.wrench, state.surface)


def _centers(machine: Machine, state: MeasuredState) -> list[Value]:
    return [row.T for row in ca.vertsplit(joint_centers(machine, state.pose))]


def _actuators(robot: Robot) -> list[str]:
    return [actuator.name for actuator in robot.actuators]


def _joints(robot: Robot) -> list[str]:
    return [f"joint {k + 1}" for k in range(len(structure_of(robot).centers))]


def _alone(robot: Robot) -> list[str]:
    return [""]


_FORCES, _COMPLIANCE, _VIBRATION = "actuator_force", "compliance", "vibration"
# fmt: off
MEASURES = {
    "force": Measure("force of an actuator", FORCE,
        lambda machine, at: dynamics.actuator_force(machine, *at.loads),
        _actuators, either_sign=True, needs=_FORCES),
    "speed": Measure("speed of an actuator", SPEED,
        lambda machine, at: kinematics.joint_velocity(machine, at.pose, at.twist),
        _actuators, either_sign=True),
    "power": Measure("mechanical power of an actuator", POWER, _power, _actuators, needs=_FORCES),
    "position": Measure("position of an actuator", LENGTH,
        lambda machine, at: kinematics.inverse_kinematics(machine, at.pose), _actuators),
    "condition": Measure("condition number of the Jacobian", NUMBER, _condition, _alone),
    "stiffness": Measure("stiffness of the platform in its most compliant direction",
        units.STIFFNESS, lambda machine, at: minimum_stiffness(machine, at.pose)[0],
        _alone, large_is_good=True, needs=_COMPLIANCE),
    "rotary_stiffness": Measure("stiffness of the platform about its most compliant axis",
        units.ROTARY_STIFFNESS, lambda machine, at: minimum_stiffness(machine, at.pose)[1],
        _alone, large_is_good=True, needs=_COMPLIANCE),
    "natural_frequency": Measure("lowest natural frequency, actuators held under the wrench",
        units.FREQUENCY, _natural_frequency, _alone, large_is_good=True, needs=_VIBRATION),
    "deflection": Measure("translation of the platform by the wrench, actuators held", LENGTH,
        lambda machine, at: _deflection(machine, at, slice(0, 3)), _alone, needs=_COMPLIANCE),
    "rotary_deflection": Measure("rotation of the platform by the wrench, actuators held",
        units.ANGLE, lambda machine, at: _deflection(machine, at, slice(3, 6)), _alone,
        needs=_COMPLIANCE),
    "contact_force": Measure("peak force of the surface on the platform", FORCE,
        lambda machine, at: _contact_forces(machine, at)[1], _alone, needs=_VIBRATION),
    "steady_contact_force": Measure("steady force of the surface on the platform", FORCE,
        lambda machine, at: _contact_forces(machine, at)[0], _alone, needs=_VIBRATION),
    "radius": Measure("distance of a joint from the base's z axis", LENGTH,
        lambda machine, at: ca.vertcat(*(norm(x[0:2]) for x in _centers(machine, at))), _joints),
    "height": Measure("z of a joint in the base frame", LENGTH,
        lambda machine, at: ca.vertcat(*(x[2] for x in _centers(machine, at))), _joints),
}
OF_LOADS = ("deflection", "rotary_deflection")
OF_CONTACT = ("contact_force", "steady_contact_force")
_OF_TURNING = {FORCE: units.TORQUE, SPEED: units.ANGULAR_SPEED, LENGTH: units.ANGLE}
"""Dimensions for rotary actuators; with both kinds in a machine plain numbers, in SI units."""
OF_MEANS = {  # those whose mean or sum over states is an objective
    "inverse_condition": Measure("1 over the condition", NUMBER,
        lambda machine, at: 1 / _condition(machine, at), _alone),
    "power_size": Measure("magnitude of the power of all actuators", POWER,
        lambda machine, at: ca.sum1(ca.fabs(_power(machine, at))), _alone, needs=_FORCES),
}
# fmt: on


def check_known(robot: Robot, name: str) -> None:
    """GoughError if a measure cannot be asked of a robot, with the reason."""
    measure = (MEASURES | OF_MEANS)[name]
    if measure.needs:
        why = why_absent(structure_of(robot), chosen_formulation(robot, None), measure.needs)
        if why is not None:
            raise GoughError(f"{name} of {robot.name}: {why}")


@remembered
def limit_measure(machines: Machines, families: tuple[str, ...]) -> Measure:
    """Margins to all limits of these families that a robot states, each at least 0 inside."""
    limits = Limits(families)
    stated = bounds.stated_limits(machines.robot, families)
    if machines.family and not has_constant_basis(machines.robot):
        raise GoughError(
            f"{machines.robot.name}: its moves depend on its pose, and margins to limits are those "
            "of one machine; expected no requirement of them (limits = false)"
        )
    each = each_margin(machines, stated, limits, possible=True)

    def equation(machine: Machine, state: MeasuredState) -> Value:
        _, margins = each(machine, state.pose)
        return ca.vertcat(*(margin for family in margins for margin in family))

    def labels(robot: Robot) -> list[str]:
        return [", ".join(one.of) for one in bounds.single_limits(robot, limits.families)]

    return Measure("margin to a limit", NUMBER, equation, labels, large_is_good=True)


def measure_of(machines: Machines, name: str) -> Measure:
    """A measure by its name; `limits`, or `limits` of one family, such as "limits.stroke"."""
    head, _, family = name.partition(".")
    if head == LIMITS:
        return limit_measure(machines, (family,) if family else FAMILIES)
    known = (MEASURES | OF_MEANS)[name]
    turning = {actuator.turns for actuator in machines.robot.actuators}
    if known.labels is not _actuators or known.dimension not in _OF_TURNING or turning == {False}:
        return known
    return replace(known, dimension=_OF_TURNING[known.dimension] if turning == {True} else NUMBER)


@dataclass(frozen=True)
class Requirement:
    """A measure that stays within a bound [SI] in every state.

    It is at least the bound for stiffness, natural frequency and margins, and at most the bound for
    all else.
    """

    measure: str
    bound: float = 0.0

    @property
    def name(self) -> str:
        """Its name in words."""
        head, _, family = self.measure.partition(".")
        return family if head == LIMITS and family else self.measure.replace("_", " ")


@dataclass(frozen=True)
class Objective:
    """A quantity to minimise, or, with `maximise`, to maximise.

    The name of a measure: its maximum (or minimum) value over all states; or `travel`, from the
    minimum to the maximum position of an actuator over all states; `energy` [J], which
    actuators put in or take out along motions; `dexterity`, the mean of 1 over the condition
    number; or a number of the file, a variable of the design. Of the run of a `study` with a
    controller: `simulated_error` [m], the rms of position errors and of rotation errors at half the
    machine's size (see `TrackingCost`), or `simulated_force`, the rms of the actuators' commands.
    """

    name: str
    maximise: bool = False
    study: Study | None = None


@dataclass(frozen=True)
class ObjectivePart:
    """A part of an objective: the maximum, mean or time integral of a measure, or a variable."""

    kind: Literal["maximum", "mean", "integral", "variable", "simulated"]
    """All entries and states of a measure count; in an integral by their seconds."""
    name: str  # the measure, or the variable
    sign: int = 1  # -1: of the measure's minimum, or of what is to be large
    either_sign: bool = False

    def weights(self, seconds: Array, counted: Array) -> Array:
        """(S) of states that stand for some seconds, and of which some are counted: 1, not 0."""
        return self.sign * (seconds if self.kind == "integral" else counted / counted.sum())


def parts_of(robot: Robot, objective: Objective, variables: tuple[str, ...]) -> list[ObjectivePart]:
    """An objective as a sum of parts, each to be as small as it can."""
    name, sign = objective.name, -1 if objective.maximise else 1
    if name in variables:
        return [ObjectivePart("variable", name, sign)]
    known = MEASURES.get(name)
    if objective.maximise and (
        name in (TRAVEL, *SIMULATED) or (known is not None and known.either_sign)
    ):
        raise GoughError(f"{name} cannot be maximised; expected to minimise it")
    if name in SIMULATED:
        if objective.study is None:
            raise GoughError(f"{name}: no run to simulate; expected a study with a controller")
        return [ObjectivePart("simulated", name, sign)]
    table = {
        TRAVEL: [ObjectivePart("maximum", "position", side) for side in (1, -1)],
        ENERGY: [ObjectivePart("integral", "power_size", sign)],
        DEXTERITY: [ObjectivePart("mean", "inverse_condition", sign)],
    }
    if known is not None:
        table[name] = [ObjectivePart("maximum", name, sign, known.either_sign)]
    if name not in table:
        every = [*MEASURES, TRAVEL, ENERGY, DEXTERITY, *SIMULATED, *variables]
        raise unknown(f"no objective is called {name!r}", name, every)
    found = table[name]
    for part in found:
        check_known(robot, part.name)
    return found


def check_requirement(robot: Robot, requirement: Requirement) -> None:
    """Refuse measures that a robot does not have, and bounds that cannot hold."""
    check_required(robot, requirement.measure)
    bound, known = requirement.bound, MEASURES.get(requirement.measure)
    size = known is not None and known.either_sign
    if not np.isfinite(bound) or (size and bound < 0):
        expected = "a number, at least 0" if size else "a number"
        raise GoughError(f"{requirement.name}: a bound of {bound:g}; expected {expected}")


def check_required(robot: Robot, name: str) -> None:
    """Refuse what no measure is, what a robot has not, and limits that it does not state."""
    head, _, family = name.partition(".")
    if head == LIMITS and (not family or family in FAMILIES):
        if family in bounds.KEYS and not known_limits(robot, (family,)):
            raise GoughError(f"{robot.name} states no {family}; expected one")
    elif name in MEASURES:
        check_known(robot, name)
    else:
        known = [LIMITS, *(f"{LIMITS}.{family}" for family in FAMILIES), *MEASURES]
        raise unknown(f"no requirement is called {name!r}", name, known)


def each_family(robot: Robot, given: Sequence[Requirement]) -> list[Requirement]:
    """Requirements; that of all limits is one for each stated family without one of its own."""
    own = {one.measure for one in given}
    families = (f"{LIMITS}.{family}" for family in (*known_limits(robot, FAMILIES), "singularity"))
    others = [name for name in families if name not in own]
    each = [(one.bound, others if one.measure == LIMITS else [one.measure]) for one in given]
    return [Requirement(name, bound) for bound, names in each for name in names]
