"""The controllers to choose from, each made of its gains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.compiler.front.argument import Argument
from gough.equations.control.admittance import admittance as admittance_law
from gough.equations.control.computed_torque import computed_torque_joint, computed_torque_task
from gough.equations.control.feed_forward import feed_forward as feed_forward_law
from gough.equations.control.implicit_force import implicit_force as implicit_force_law
from gough.equations.control.joint_pid import joint_pid as joint_pid_law
from gough.equations.control.open_loop import open_loop_forces, open_loop_voltages
from gough.equations.control.pd_gravity import pd_gravity as pd_gravity_law
from gough.errors import GoughError
from gough.simulation.controllers.controller import FORCES, VOLTAGES, Controller, State

Array = np.ndarray[Any, np.dtype[np.float64]]

ACTUATORS = 6
"""Of the machines that there are: gains are made before a controller meets its robot."""

_WORDS = "integral part of the forces; at first"
_ESTIMATE = State(
    Argument(
        "estimate", (13,), "SI", "pose and twist at the last sample; at first where the platform is"
    ),
    lambda plant, pose, twist: np.concatenate([pose, twist]),
)
_HOLDING = State(
    Argument("integral", (ACTUATORS,), "N", f"{_WORDS} what holds the machine at rest"),
    lambda plant, pose, twist: plant.holding(pose),
)
_INTEGRAL = State(Argument("integral", (ACTUATORS,), "N", f"{_WORDS} zero"))
_YIELDING = State(Argument("yielding", (12,), "SI", "displacement and its rate; at first zero"))


def joint_pid(kp: Any, kd: Any, ki: Any = 0.0, kv: Any = 0.0) -> Controller:
    """PID of the leg lengths, with anti-windup and velocity feed-forward; without ki a PD.

    Gains are numbers, and each leg is controlled for itself, or 6x6 matrices that couple the legs:
    kp [N/m], kd [N s/m], ki [N/(m s)], and kv [N s/m] for the wanted speed. It begins with the
    forces that hold the machine; without ki they are all that holds it.
    """
    gains = _square(kp=(kp, "N/m"), kd=(kd, "N s/m"), ki=(ki, "N/(m s)"), kv=(kv, "N s/m"))
    made = {a.name: values for a, values in gains.items()}
    integral = made["ki"].any()
    words = f"{'PID' if integral else 'PD'} of the leg lengths{_coupling(gains)}"
    words += "" if integral else ", without integral part"
    words += ", with velocity feed-forward" if made["kv"].any() else ""
    return Controller("joint-pid", words, joint_pid_law, gains, (_HOLDING,))


def pd_gravity(kp: Any, kd: Any) -> Controller:
    """PD of the leg lengths, and the forces that hold all weights.

    Gains are numbers, or 6x6 matrices that couple the legs: kp [N/m], kd [N s/m].
    """
    gains = _square(kp=(kp, "N/m"), kd=(kd, "N s/m"))
    words = f"PD of the leg lengths{_coupling(gains)}, and the forces that hold all weights"
    return Controller("pd-gravity", words, pd_gravity_law, gains, (_ESTIMATE,))


def feed_forward(kp: Any, kd: Any, *, drives: bool = False) -> Controller:
    """The forces that the reference needs, and PD of the leg lengths.

    Gains are numbers, or 6x6 matrices that couple the legs: kp [N/m], kd [N s/m].
    With `drives` the forces are also those that the inertia and viscous friction of the robot's
    drives need; dry friction is not among them.
    """
    gains = _square(kp=(kp, "N/m"), kd=(kd, "N s/m"))
    words = f"PD of the leg lengths{_coupling(gains)}, and the forces that the reference needs"
    return Controller("feed-forward", words, feed_forward_law, gains, drives=drives)


def computed_torque(kp: Any, kd: Any, *, space: str = "joint", drives: bool = False) -> Controller:
    """Computed torque on leg lengths (space "joint") or on position and attitude ("task").

    kp [1/s^2] and kd [1/s] are numbers, or one per leg or axis. With `drives` the law knows the
    inertia and viscous friction of the robot's drives; dry friction it does not.
    """
    laws = {"joint": computed_torque_joint, "task": computed_torque_task}
    words = {"joint": "the leg lengths", "task": "position and attitude"}
    if space not in laws:
        raise GoughError(f"unknown space {space!r}; expected 'joint' or 'task'")
    gains = _row(kp=(kp, "1/s^2"), kd=(kd, "1/s"))
    return Controller(
        "computed-torque" if space == "joint" else "computed-torque-task",
        f"computed torque on {words[space]}",
        laws[space],
        gains,
        (_ESTIMATE,),
        drives=drives,
    )


def admittance(
    mass: Any, damping: Any, stiffness: Any, kp: Any, kd: Any, *, drives: bool = False
) -> Controller:
    """The platform yields to a measured wrench as a mass on spring and damper would.

    mass [kg, kg m^2], damping [N s/m, N m s/rad] and stiffness [N/m, N m/rad] are numbers or one
    per axis; kp [1/s^2] and kd [1/s] are those of the computed torque inside. With `drives` it
    knows the drives' inertia and viscous friction.
    """
    gains = _row(
        mass=(mass, "kg, kg m^2"),
        damping=(damping, "N s/m, N m s/rad"),
        stiffness=(stiffness, "N/m, N m/rad"),
        kp=(kp, "1/s^2"),
        kd=(kd, "1/s"),
    )
    if not (np.asarray(next(iter(gains.values()))) > 0).all():
        raise GoughError(f"admittance: mass is {mass!r}; expected above 0")
    states = (_ESTIMATE, _YIELDING)
    words = "the platform yields to a measured wrench as a mass on spring and damper"
    return Controller("admittance", words, admittance_law, gains, states, drives=drives)


def open_loop(load: Any = 1.0, *, command: str = "force") -> Controller:
    """What the reference needs, whatever happens: leg forces, or voltages of the drives.

    Of the forces on the legs it knows the share `load`, a number or one per leg. Without load,
    voltages are those with which each drive alone would follow its leg's length.
    """
    laws = {"force": (open_loop_forces, FORCES), "voltage": (open_loop_voltages, VOLTAGES)}
    if command not in laws:
        raise GoughError(f"unknown command {command!r}; expected 'force' or 'voltage'")
    law, given = laws[command]
    gains = _row(load=(load, "1"))
    knows = command == "voltage"
    words = f"the {command}s that the reference needs, whatever is measured"
    return Controller("open-loop", words, law, gains, command=given, blind=True, drives=knows)


def implicit_force(
    wrench: Any,
    selection: Any,
    coupling: Any,
    kp: Any,
    kd: Any,
    ki: Any = 0.0,
    *,
    stiffness: Any = 0.0,
    damping: Any = 0.0,
) -> Controller:
    """The platform pushes with a wrench, made by compressing the coupling stages of its legs.

    Base axes: `selection` (6) is 1 along axes where the platform is to do `wrench` (6) [N, N m] to
    the world, 0 where `stiffness` [N/m, N m/rad] and `damping` [N s/m, N m s/rad] hold it to the
    reference. `coupling` [N/m] is K_c as the controller knows it; kp [N/m], ki [N/(m s)] and
    kd [N s/m] move each actuator until the compression is right. Numbers, or six of them.
    """
    gains = _row(
        wrench=(wrench, "N, N m"),
        selection=(selection, "1"),
        coupling=(coupling, "N/m"),
        kp=(kp, "N/m"),
        kd=(kd, "N s/m"),
        ki=(ki, "N/(m s)"),
        stiffness=(stiffness, "N/m, N m/rad"),
        damping=(damping, "N s/m, N m s/rad"),
    )
    made = {a.name: values for a, values in gains.items()}
    if not np.isin(made["selection"], (0.0, 1.0)).all():
        raise GoughError(f"selection is {selection!r}; expected 0 or 1 for each axis")
    if not (made["coupling"] > 0).all():
        raise GoughError(f"coupling is {coupling!r}; expected a stiffness above 0 N/m")
    states = (_ESTIMATE, _INTEGRAL)
    words = "the platform pushes with a wrench, by compressing the coupling stages of its legs"
    return Controller("implicit-force", words, implicit_force_law, gains, states, by_springs=True)


CONTROLLERS: dict[str, Callable[..., Controller]] = {
    "joint-pid": joint_pid,
    "pd-gravity": pd_gravity,
    "feed-forward": feed_forward,
    "computed-torque": computed_torque,
    "admittance": admittance,
    "open-loop": open_loop,
    "implicit-force": implicit_force,
}


def _square(**gains: tuple[Any, str]) -> dict[Argument, Array]:
    """Gains as 6x6 matrices; a number is the same for every leg, and couples none."""
    made, alone = {}, np.eye(ACTUATORS)
    for name, (value, unit) in gains.items():
        matrix = _numbers(name, value, ((), alone.shape))
        made[Argument(name, alone.shape, unit)] = matrix * alone if matrix.ndim == 0 else matrix
    return made


def _coupling(gains: dict[Argument, Array]) -> str:
    """Whether 6x6 gains couple the legs, in words."""
    alone = all((values == np.diag(np.diag(values))).all() for values in gains.values())
    return ", each leg for itself" if alone else " with gains that couple the legs"


def _row(**gains: tuple[Any, str]) -> dict[Argument, Array]:
    """Gains of each leg or axis; a number is the same for all."""
    made, n = {}, (ACTUATORS,)
    for name, (value, unit) in gains.items():
        made[Argument(name, n, unit)] = np.broadcast_to(_numbers(name, value, ((), n)), n).copy()
    return made


def _numbers(name: str, value: Any, shapes: tuple[tuple[int, ...], ...]) -> Array:
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(f"gain {name} is not a number: {value!r}") from None
    if numbers.shape not in shapes or not np.isfinite(numbers).all():
        expected = " or ".join("a number" if s == () else f"an array {s}" for s in shapes)
        raise GoughError(f"gain {name} is {value!r}; expected {expected}, finite")
    return numbers
