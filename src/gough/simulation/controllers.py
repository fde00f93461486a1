"""Controllers: a law, its gains and its state, as one function that compiles, or exports to C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.program import Program
from gough.compiler.source import c_example, c_header, c_source
from gough.equations.control.admittance import admittance as admittance_law
from gough.equations.control.computed_torque import computed_torque_joint, computed_torque_task
from gough.equations.control.feed_forward import feed_forward as feed_forward_law
from gough.equations.control.joint_pid import joint_pid as joint_pid_law
from gough.equations.control.pd_gravity import pd_gravity as pd_gravity_law
from gough.equations.control.signals import Law, Measurement, Reference, Setting
from gough.errors import GoughError
from gough.parameters import machine_of
from gough.robot import Robot
from gough.simulation.plant import Plant, rigid_plant

Array = np.ndarray[Any, np.dtype[np.float64]]
Value = Any

MEASUREMENT = Argument(
    "measurement", (18,), "m, m/s, N, N m", "leg lengths, their rates, external wrench"
)
REFERENCE = Argument("reference", (19,), "SI", "pose, twist and acceleration to follow")

_ESTIMATE = Argument("estimate", (13,), "SI", "pose and twist of the last sample")
_INTEGRAL = Argument("integral", (6,), "N", "integral part of the forces")
_YIELDING = Argument("yielding", (12,), "SI", "displacement and its rate")

Start = Callable[[Plant, Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Controller:
    """A control law with its gains. `robot`, if given, is the machine as the controller knows it.

    By default it knows the model that it is simulated with.
    """

    name: str
    law: Law
    gains: dict[Argument, Array]
    states: tuple[Argument, ...] = ()
    start: Start = lambda plant, pose, twist: np.zeros(1)
    robot: Robot | None = None

    @property
    def state_size(self) -> int:
        """Numbers that it keeps from sample to sample; one that is not used, if it needs none."""
        return max(sum(a.size for a in self.states), 1)

    @property
    def gain_values(self) -> Array:
        """All gains in one row, as its function takes them."""
        return np.concatenate([np.ravel(v) for v in self.gains.values()])

    def knowing(self, robot: Robot) -> Controller:
        """The same controller for which the machine is this robot."""
        return Controller(self.name, self.law, self.gains, self.states, self.start, robot)

    def function(self, robot: Robot, period: float, limit: Any) -> Function:
        """(state, measurement, reference, gains) -> (command, state), for a sampling period [s]."""
        known = machine_of(self.robot or robot)
        setting = Setting(known, period, ca.DM(np.asarray(limit, dtype=float)))
        names = ", ".join(a.name for a in self.states) or "not used"
        state = Argument("state", (self.state_size,), "SI", names)
        listed = ", ".join(f"{a.name} {list(a.shape)}" for a in self.gains)
        gains = Argument("gains", (len(self.gain_values),), "SI", f"{listed}, row by row")

        def equation(s: Value, measurement: Value, reference: Value, numbers: Value) -> Any:
            command, new = self.law(
                setting,
                s,
                Measurement.of(measurement),
                Reference.of(reference),
                self._matrices(numbers),
            )
            return command, new

        return Function.from_equation(
            "controller",
            equation,
            [state, MEASUREMENT, REFERENCE, gains],
            [Argument("command", (6,), "N", "what the actuators are to do"), state],
            f"{self.name}, once every {period:g} s.",
        )

    def _matrices(self, numbers: Value) -> dict[str, Value]:
        matrices, first = {}, 0
        for gain in self.gains:
            part = numbers[first : first + gain.size]
            square = len(gain.shape) == 2
            matrices[gain.name] = ca.reshape(part, 6, 6).T if square else part
            first += gain.size
        return matrices


def joint_pid(kp: Any, kd: Any, ki: Any = 0.0, kv: Any = 0.0) -> Controller:
    """PID of each leg's length, with anti-windup and velocity feed-forward.

    Gains are numbers, or 6x6 matrices that couple the legs: kp [N/m], kd [N s/m], ki [N/(m s)], and
    kv [N s/m] for the wanted speed. It begins with the forces that hold the machine.
    """
    gains = _square(kp=(kp, "N/m"), kd=(kd, "N s/m"), ki=(ki, "N/(m s)"), kv=(kv, "N s/m"))
    return Controller("joint_pid", joint_pid_law, gains, (_INTEGRAL,), _settled)


def pd_gravity(kp: Any, kd: Any) -> Controller:
    """PD of each leg's length, and the forces that hold all weights.

    Gains are numbers, or 6x6 matrices: kp [N/m], kd [N s/m].
    """
    gains = _square(kp=(kp, "N/m"), kd=(kd, "N s/m"))
    return Controller("pd_gravity", pd_gravity_law, gains, (_ESTIMATE,), _at_start)


def feed_forward(kp: Any, kd: Any) -> Controller:
    """The forces that the reference needs, and PD of each leg's length.

    Gains are numbers, or 6x6 matrices: kp [N/m], kd [N s/m].
    """
    gains = _square(kp=(kp, "N/m"), kd=(kd, "N s/m"))
    return Controller("feed_forward", feed_forward_law, gains)


def computed_torque(kp: Any, kd: Any, *, space: str = "joint") -> Controller:
    """Computed torque on leg lengths (space "joint") or on position and attitude ("task").

    kp [1/s^2] and kd [1/s] are numbers, or one per leg or axis.
    """
    laws = {"joint": computed_torque_joint, "task": computed_torque_task}
    if space not in laws:
        raise GoughError(f"unknown space {space!r}; expected 'joint' or 'task'")
    gains = _row(kp=(kp, "1/s^2"), kd=(kd, "1/s"))
    return Controller(f"computed_torque_{space}", laws[space], gains, (_ESTIMATE,), _at_start)


def admittance(mass: Any, damping: Any, stiffness: Any, kp: Any, kd: Any) -> Controller:
    """The platform yields to a measured wrench as a mass on spring and damper would.

    mass [kg, kg m^2], damping [N s/m, N m s/rad] and stiffness [N/m, N m/rad] are numbers or one
    per axis; kp [1/s^2] and kd [1/s] are those of the computed torque inside.
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
    return Controller("admittance", admittance_law, gains, states, _yielding_start)


CONTROLLERS: dict[str, Callable[..., Controller]] = {
    "joint-pid": joint_pid,
    "pd-gravity": pd_gravity,
    "feed-forward": feed_forward,
    "computed-torque": computed_torque,
    "admittance": admittance,
}


def export_controller(
    controller: Controller, robot: Robot, period: float, directory: str | Path, limit: Any = None
) -> list[Path]:
    """Write the controller as C99: controller.c, controller.h and controller_example.c.

    `limit` [N] is the largest force of each leg; by default the robot's.
    """
    largest = rigid_plant(robot).limit if limit is None else limit
    program = Program.of(controller.function(robot, period, largest))
    values = {"gains": controller.gain_values}
    texts = {
        "controller.h": c_header(program),
        "controller.c": c_source(program),
        "controller_example.c": c_example(program, values),
    }
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _settled(plant: Plant, pose: Array, twist: Array) -> Array:
    return plant.holding(pose)


def _at_start(plant: Plant, pose: Array, twist: Array) -> Array:
    return np.concatenate([pose, twist])


def _yielding_start(plant: Plant, pose: Array, twist: Array) -> Array:
    return np.concatenate([pose, twist, np.zeros(12)])


def _square(**gains: tuple[Any, str]) -> dict[Argument, Array]:
    """Gains as 6x6 matrices; a number is the same for every leg, and couples none."""
    made = {}
    for name, (value, unit) in gains.items():
        matrix = _numbers(name, value, ((), (6, 6)))
        made[Argument(name, (6, 6), unit)] = matrix * np.eye(6) if matrix.ndim == 0 else matrix
    return made


def _row(**gains: tuple[Any, str]) -> dict[Argument, Array]:
    return {
        Argument(name, (6,), unit): np.broadcast_to(_numbers(name, value, ((), (6,))), 6).copy()
        for name, (value, unit) in gains.items()
    }


def _numbers(name: str, value: Any, shapes: tuple[tuple[int, ...], ...]) -> Array:
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(f"gain {name} is not a number: {value!r}") from None
    if numbers.shape not in shapes or not np.isfinite(numbers).all():
        expected = " or ".join("a number" if s == () else f"an array {s}" for s in shapes)
        raise GoughError(f"gain {name} is {value!r}; expected {expected}, finite")
    return numbers
