"""The elastic model of a machine: what holds its actuators, coordinates of vibration, kernels."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_row
from gough.compiler import Argument, Function, Kernel, compiled
from gough.disk.plain_data import PlainData
from gough.equations.elastic import stiffness
from gough.equations.elastic.leg_stiffness import Rotors, joint_damping, momentum_of_rates
from gough.equations.legs.extensible import Mode
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.errors import GoughError
from gough.model import Definition, Kernels, Machines, definitions, structure_of
from gough.model.actuators import connectors_of, joint_frictions_of, rotor_masses_of
from gough.model.catalogue import why_absent
from gough.model.definition import POSE, WRENCH
from gough.model.singular_values import singular_values
from gough.poses.given import array_of_numbers, finite
from gough.robot import MOVES, Leg, Robot

LOCKED, FREE = "locked", "free"
PISTON, STAGE, ROTOR = "piston", "stage", "rotor"
BEARING, BEAM, FRAME, LINK = "bearing", "beam", "frame", "link"


def actuator_compliance(robot: Robot, actuators: ArrayLike) -> Array:
    """Return the compliance (n) [m/N, rad/(N m)] of actuators: "locked", "free", or springs.

    Numbers are the stiffness [N/m, N m/rad] of their control, one for all or one for each.
    """
    n = len(robot.actuators)
    if isinstance(actuators, str):
        known = {LOCKED: 0.0, FREE: np.inf}
        if actuators not in known:
            raise GoughError(
                f'actuators are {actuators!r}; expected "locked", "free" or a stiffness [N/m]'
            )
        return np.full(n, known[actuators])
    stiffness = array_of_numbers(actuators, "actuators")
    if stiffness.shape not in ((), (n,)) or not (stiffness >= 0).all():
        raise GoughError(
            f"actuators are {actuators!r:.80}; expected a stiffness of at least 0, or {n} of them"
        )
    with np.errstate(divide="ignore"):
        return np.broadcast_to(1 / stiffness, n).copy()


def one_pose(robot: Robot, pose: ArrayLike | None, words: str = "one pose") -> Array:
    """A single pose (7), by default home."""
    at = robot.home if pose is None else pose
    return require_row("pose", at, POSE.size, expected=f"(7,), {words} of finite numbers")


def six_or_zero(value: ArrayLike | None, name: str = "wrench") -> Array:
    """A wrench, twist or acceleration (..., 6), zero if it is left out."""
    return np.zeros(6) if value is None else finite(value, name, 6)


def check_elastic(model: Kernels, kernel: str = "stiffness") -> None:
    """Raise GoughError if a machine is rigid, and so lacks a kernel."""
    if reason := why_absent(model.structure, model.formulation, kernel):
        raise GoughError(f"{model.robot.name}: {reason}")


def elastic_model(machine: Robot | Kernels, mode: Mode | None) -> Kernels:
    """Return the kernels of a robot that vibrates, connectors in a mode; GoughError if rigid."""
    robot = (
        machine.own_robot("vibration", of_forces=True) if isinstance(machine, Kernels) else machine
    )
    model = Kernels(with_connectors(robot, mode) if mode and robot.extensible_legs else robot)
    if not robot.has_compliant_links:
        check_elastic(model, "vibration")
    return model


def with_connectors(robot: Robot, mode: Mode) -> Robot:
    """Return the robot with only those parts of its connectors that an operating mode has."""
    legs, parts = list(robot.extensible_legs), ("stiffness", "coupling", "decoupling")
    for k, law in enumerate(connectors_of(robot, mode)):
        if (own := legs[k].connector) is not None:
            changes: dict[str, Any] = {name: None for name in parts if getattr(law, name) is None}
            if law.decoupling is not None and own.decoupling is not None:
                damping = {"damping": float(law.decoupling.damping)}
                changes["decoupling"] = own.decoupling.model_copy(update=damping)
            legs[k] = legs[k].model_copy(update={"connector": own.model_copy(update=changes)})
    return robot.model_copy(update={"legs": tuple(legs)})


def coordinates_of(robot: Robot, rotors: bool) -> list[str]:
    """Names of the coordinates of `model.vibration`, and of rotors if wanted."""
    legs, stiffness = list(enumerate(robot.extensible_legs, 1)), "connector.decoupling.stiffness"
    pistons = [f"leg {k} {PISTON}" for k, leg in legs if _has_piston(leg)]
    stages = [f"leg {k} {STAGE}" for k, leg in legs if stiffness in leg.springs]
    turning = _rotor_names(robot) if rotors else []
    return [*structure_of(robot).degrees_of_freedom, *pistons, *stages, *turning]


def rotors_move(robot: Robot, actuator_compliance: Array) -> bool:
    """Whether the drives have inertia, and some actuators are not locked."""
    return bool(np.any(actuator_compliance) and any(rotor_masses_of(robot)))


def what_moves(coordinate: str) -> str:
    """Return what a coordinate moves, as "platform along x"; the pistons, stages … of all legs."""
    kind = coordinate.rsplit(maxsplit=1)[-1]
    if kind in (PISTON, STAGE, ROTOR, BEARING, BEAM, FRAME, LINK):
        return f"{kind}s"
    if kind not in MOVES:
        return f"platform in {kind}"
    return f"platform {f'about {kind[1:]}' if kind[0] == 'r' else f'along {kind}'}"


def leg_of(coordinate: str) -> int | None:
    """Leg of a piston or stage, counted from 0; None for the platform's degrees of freedom."""
    words = coordinate.split()
    return int(words[1]) - 1 if words[-1] in (PISTON, STAGE) else None


def described(names: Sequence[str]) -> list[PlainData]:
    """Coordinates for a page: the name, what moves, and the leg of each."""
    return [{"name": name, "words": what_moves(name), "leg": leg_of(name)} for name in names]


def _rotor_names(robot: Robot) -> list[str]:
    """Names of the rotors with a spring between them and their load."""
    masses = zip(robot.actuators, rotor_masses_of(robot), strict=True)
    names = [f"{actuator.name} {ROTOR}" if mass else "" for actuator, mass in masses]
    if robot.extensible_legs:
        pairs = zip(names, robot.extensible_legs, strict=True)
        names = [name for name, leg in pairs if not _has_piston(leg) or _has_springs_behind(leg)]
    return [name for name in names if name]


def _has_piston(leg: Leg) -> bool:
    """Whether there are springs between the piston and the platform."""
    return bool({"connector.stiffness", "connector.coupling.stiffness"} & {*leg.springs})


def _has_springs_behind(leg: Leg) -> bool:
    """Whether there are springs between the rotor and its piston."""
    behind = ("stiffness", "joint_stiffness.base_axial")
    return any(key in behind or key.startswith("screw.") for key in leg.springs)


@compiled
def frequency_kernel(machines: Machines, rotors: bool = False) -> Kernel:
    """The kernel (pose, wrench, actuator_compliance) -> frequencies; with rotors if asked for."""
    turning, words = _rotors(machines) if rotors else None, frequencies_under_load.__doc__ or ""
    count = len(coordinates_of(machines.robot, rotors))
    output = Argument("frequencies", (count,), "Hz", "lowest first")
    inputs = [POSE, WRENCH, _vibration(machines).inputs[-1]]
    equation = partial(frequencies_under_load, rotors=turning)
    return machines.kernel("frequencies", equation, inputs, [output], words)


def frequencies_under_load(
    machine: Machine, pose: Value, wrench: Value, compliance: Value, rotors: Rotors | None = None
) -> Value:
    """Natural frequencies (n) [Hz], lowest first, of a machine that its actuators hold."""
    M, K = _under_load(machine, pose, wrench, compliance, rotors)
    form = stiffness.shifted(M, K, machine.freedom.S.shape[0])
    return form.frequencies(singular_values(form.matrix)[0])


@compiled
def rotor_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, force, actuator_compliance) -> M, K, with the rotors of the drives."""
    known, size = _vibration(machines), (len(coordinates_of(machines.robot, rotors=True)),) * 2
    equation = partial(stiffness.vibration, rotors=_rotors(machines))
    outputs = [replace(argument, shape=size) for argument in known.outputs]
    words = "Mass and stiffness matrix of all that moves on springs, rotors last."
    return machines.kernel("rotor_vibration", equation, known.inputs, outputs, words)


def _rotors(machines: Machines) -> list[float | None]:
    """Masses of the rotors; None where there is none."""
    return [mass or None for mass in rotor_masses_of(machines.robot)]


def vibrating_function(machines: Machines) -> Function:
    """The function (pose, wrench) -> M, K, twist basis of a machine whose actuators are held."""
    structure = machines.structure
    held = ca.DM.zeros(structure.actuators)

    def equation(machine: Machine, pose: Value, wrench: Value) -> tuple[Value, ...]:
        """M and K of all that moves on springs, and the platform's twist basis."""
        return *_under_load(machine, pose, wrench, held), kinematics.twist_basis(machine, pose)

    T = Argument("twist_basis", (6, structure.dof), "1", "twist by independent velocities")
    outputs = [*_vibration(machines).outputs, T]
    return machines.function("vibrating", equation, [POSE, WRENCH], outputs)


def _under_load(
    machine: Machine, pose: Value, wrench: Value, compliance: Value, rotors: Rotors | None = None
) -> tuple[Value, Value]:
    """Mass and stiffness matrix of all that moves on springs, under the forces that hold it."""
    force = stiffness.holding_force(machine, pose, wrench)
    return stiffness.vibration(machine, pose, force, compliance, rotors)


@compiled
def holding_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, wrench) -> actuator forces that hold a compliant machine."""
    structure = machines.structure
    force = Argument("force", (structure.actuators,), structure.force_unit, "of the actuators")
    return machines.kernel("holding_force", stiffness.holding_force, [POSE, WRENCH], [force])


@compiled
def geometric_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, force) -> geometric stiffness along a mechanism's degrees of freedom."""
    size = (machines.structure.dof,) * 2
    K = Argument("K", size, "SI", "of forces that turn with legs, and of weights that move")
    force = Argument("force", (machines.structure.actuators,), machines.structure.force_unit)
    return machines.kernel("geometric_stiffness", stiffness.geometric_stiffness, [POSE, force], [K])


@compiled
def momentum_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, force) -> momentum by the rates of the coordinates."""
    known = _vibration(machines)
    output = Argument("S", (6, *known.outputs[0].shape[:1]), "kg, kg m", "momentum by rates")

    def equation(machine: Machine, pose: Value, force: Value) -> Value:
        return momentum_of_rates(machine.hexapod, pose, force)

    return machines.kernel("momentum_of_rates", equation, known.inputs[:2], [output])


@compiled
def joint_damping_kernel(machines: Machines, joint_friction: bool = True) -> Kernel:
    """The kernel pose -> wrench of dampers and the joints' viscous friction, by twist."""
    frictions = joint_frictions_of(machines.robot) if joint_friction else ()
    output = Argument("D", (6, 6), "N s/m, N s, N m s/rad", "wrench by twist")

    def equation(machine: Machine, pose: Value) -> Value:
        """Damping of the platform by the joints of the legs."""
        return joint_damping(machine, frictions, pose)

    return machines.kernel("joint_damping", equation, [POSE], [output])


def _vibration(machines: Machines) -> Definition:
    return definitions(machines.structure, DEFAULT_FORMULATION)["vibration"]
