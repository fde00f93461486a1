"""The elastic model of a machine: what holds its actuators, and coordinates of its vibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.equations.legs.extensible import ConnectorLaw, Mode
from gough.errors import GoughError
from gough.model.actuators import connectors_of, rotor_masses_of
from gough.model.catalogue import why_absent
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.structure import structure_of
from gough.poses.given import array_of_numbers, finite
from gough.robot import Leg, Robot
from gough.robot.mechanism import MOVES

LOCKED, FREE = "locked", "free"
PISTON, STAGE, ROTOR = "piston", "stage", "rotor"
BEARING, BEAM, LINK = "bearing", "beam", "link"


def actuator_compliance(model: Kernels, actuators: ArrayLike) -> Array:
    """Return the compliance (n) [m/N, rad/(N m)] of actuators: "locked", "free", or springs.

    Numbers are the stiffness [N/m, N m/rad] of their control, one for all or one for each.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(1 / actuator_stiffness(actuators, model.structure.actuators))


def actuator_stiffness(actuators: ArrayLike, n: int) -> Array:
    """Return the stiffness (n) [N/m, N m/rad] of actuators: "locked", "free", or springs."""
    if isinstance(actuators, str):
        known = {LOCKED: np.inf, FREE: 0.0}
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
    return np.broadcast_to(stiffness, n).copy()


def one_pose(robot: Robot, pose: ArrayLike | None, words: str = "one pose") -> Array:
    """A single pose (7), by default home."""
    at = finite(robot.home if pose is None else pose, "pose", POSE.size)
    if at.ndim != 1:
        raise GoughError(f"pose has shape {at.shape}; expected (7,), {words}")
    return at


def six_or_zero(value: ArrayLike | None, name: str = "wrench") -> Array:
    """A wrench, twist or acceleration (..., 6), zero if it is left out."""
    return np.zeros(6) if value is None else finite(value, name, 6)


def check_elastic(model: Kernels, kernel: str = "stiffness") -> None:
    """Raise GoughError if a machine is rigid, and so lacks a kernel."""
    if reason := why_absent(model.structure, model.formulation, kernel):
        raise GoughError(f"{model.robot.name}: {reason}")


def elastic_model(machine: Robot | Kernels, mode: Mode | None) -> Kernels:
    """Return the kernels of a robot that vibrates, its connectors in a mode; GoughError if none.

    A robot with compliant links or bearings vibrates without a kernel of that.
    """
    robot = machine.own_robot("vibration") if isinstance(machine, Kernels) else machine
    model = Kernels(with_connectors(robot, mode) if mode and robot.extensible_legs else robot)
    if not robot.has_compliant_links:
        check_elastic(model, "vibration")
    return model


def with_connectors(robot: Robot, mode: Mode) -> Robot:
    """Return the robot with only those parts of its connectors that an operating mode has."""
    pairs = zip(robot.extensible_legs, connectors_of(robot, mode), strict=True)
    legs = tuple(_with_parts_of(connector, leg) for leg, connector in pairs)
    return robot.model_copy(update={"legs": legs})


def _with_parts_of(law: ConnectorLaw, leg: Leg) -> Leg:
    """Return the leg with those parts of its connector that its law in an operating mode has."""
    if leg.connector is None:
        return leg
    parts = ("stiffness", "coupling", "decoupling")
    changes: dict[str, Any] = {name: None for name in parts if getattr(law, name) is None}
    if law.decoupling is not None and leg.connector.decoupling is not None:
        damping = {"damping": float(law.decoupling.damping)}
        changes["decoupling"] = leg.connector.decoupling.model_copy(update=damping)
    return leg.model_copy(update={"connector": leg.connector.model_copy(update=changes)})


def coordinates_of(robot: Robot, rotors: bool) -> list[str]:
    """Names of the coordinates of `model.vibration`, and of rotors if wanted."""
    freedoms = list(structure_of(robot).degrees_of_freedom)
    turning = _rotors(robot) if rotors else []
    legs = list(enumerate(robot.extensible_legs, 1))
    pistons = [f"leg {k} {PISTON}" for k, leg in legs if _has_piston(leg)]
    stages = [
        f"leg {k} {STAGE}" for k, leg in legs if "connector.decoupling.stiffness" in leg.springs
    ]
    return freedoms + pistons + stages + turning


def rotors_move(robot: Robot, actuator_compliance: Array) -> bool:
    """Whether the drives have inertia, and some actuators are not locked."""
    return bool(np.any(actuator_compliance) and any(rotor_masses_of(robot)))


def what_moves(coordinate: str) -> str:
    """Return what a coordinate moves, as "platform along x"; the pistons, stages … of all legs."""
    kind = coordinate.rsplit(maxsplit=1)[-1]
    if kind in (PISTON, STAGE, ROTOR, BEARING, BEAM, LINK):
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


def _rotors(robot: Robot) -> list[str]:
    """Names of the rotors with a spring between them and their load."""
    masses = zip(robot.actuators, rotor_masses_of(robot), strict=True)
    names = [f"{actuator.name} {ROTOR}" if mass else "" for actuator, mass in masses]
    if robot.extensible_legs:
        pairs = zip(names, robot.extensible_legs, strict=True)
        names = [name for name, leg in pairs if not _has_piston(leg) or _yields_behind(leg)]
    return [name for name in names if name]


def _has_piston(leg: Leg) -> bool:
    """Whether there are springs between the piston and the platform."""
    return bool({"connector.stiffness", "connector.coupling.stiffness"} & {*leg.springs})


def _yields_behind(leg: Leg) -> bool:
    """Whether there are springs between the rotor and its piston."""
    behind = ("stiffness", "joint_stiffness.base_axial")
    return any(key in behind or key.startswith("screw.") for key in leg.springs)
