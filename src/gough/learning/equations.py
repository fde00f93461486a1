"""The step of an environment as one function: so many samples of a closed loop, and its outcome."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp, tau
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel
from gough.compiler.native.disk_kernels import kept_on_disk
from gough.equations.forces.contact import contact_of
from gough.equations.spatial.algebra import Value, linear, norm, rotation
from gough.equations.spatial.attitude import quaternion_product, rotation_of_rotation_vector
from gough.equations.spatial.pose import difference, turned_by
from gough.errors import InputError, did_you_mean, inside
from gough.fields import Dimension, to_si, units
from gough.model import machine_of
from gough.robot.mechanism import MOVES
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.controller import REFERENCE
from gough.simulation.plants.beside import FloatingBase, RollingBall
from gough.simulation.plants.plant import PLATFORM
from gough.studies.learning_tables import WrittenLearning

BOUND = 1e6
"""Observations, over their scales, are below this bound; where they are not a run has diverged."""
Signals = Mapping[str, tuple[str, Value]]
"""Units and values of what can be observed, rewarded or limited, by name."""
_DIMENSIONS = {x.unit: x for x in reversed(list(vars(units).values())) if isinstance(x, Dimension)}
_MEASURES: dict[str, Callable[[Value], Value]] = {
    "gaussian": lambda u: ca.exp(-u * u),
    "square": lambda u: -u * u,
    "absolute": lambda u: -u,
    "within": lambda u: u < 1,
}


@dataclass(frozen=True, eq=False)
class TaskEquations:
    """Source of the kernels of an environment."""

    loop: ClosedLoop
    gains: tuple[float, ...]
    learning: WrittenLearning

    @cached_property
    def parts(self) -> dict[str, slice]:
        """Where the parts of a state lie: those of the loop first, the last action last."""
        n, smooth = self.loop.plant.actuators, 6 * (self.learning.action.kind == "reference")
        sizes = {"memory": self.loop.parts[-1].stop, "place": smooth, "place_1": smooth}
        sizes |= {"part": 4 * bool(self.learning.part), "command": n, "action": len(self.limit)}
        ends = [0, *np.cumsum(list(sizes.values())).tolist()]
        return dict(zip(sizes, map(slice, ends, ends[1:]), strict=True))

    @cached_property
    def limit(self) -> Array:
        """Displacements or commands of an action of 1, in SI units."""
        action, plant = self.learning.action, self.loop.plant
        with inside("learning.action"):
            freedoms = plant.structure.degrees_of_freedom
            if action.components and machine_of(plant.robot).freedom.T is None:
                problem = f"coordinates of {plant.robot.name} depend on each other"
                raise InputError(problem, key="kind", value=action.kind, expected='"command"')
            if other := [name for name in action.components if name not in freedoms]:
                problem, expected = "no such degree of freedom", f"some of {', '.join(freedoms)}"
                raise InputError(problem, key="components", value=other[0], expected=expected)
            own = ["m" if name in MOVES[:3] else "rad" for name in action.components]
            return amounts("limit", action.limit, own or [plant.command.unit] * plant.actuators)

    def signals(self, state: Value, reference: Value, episode: Value) -> Signals:
        """Return all signals at one moment."""
        plant, parts, p = self.loop.plant, self.parts, self._numbers(state, episode)
        machine, no_load = plant.machine(p), ca.DM(plant.no_load)
        x, command = state[0 : plant.state.size], state[parts["command"]]
        part = state[parts["part"]]
        pose, twist, unit = x[0:7], x[7:PLATFORM], plant.structure.unit
        measured = plant.measured(machine, x, no_load)
        turned = difference(pose, ca.DM(self.loop.robot.home))[3:6]
        error, rates = difference(reference[0:7], pose), reference[7:PLATFORM] - twist
        gravity = machine.frame_convention.axes.T @ machine.gravity
        found: dict[str, tuple[str, Value]] = {
            "position": ("m", pose[0:3]),
            "rotation": ("rad", turned),
            "velocity": ("m/s", twist[0:3]),
            "angular_velocity": ("rad/s", twist[3:6]),
            "position_error": ("m", error[0:3]),
            "rotation_error": ("rad", error[3:6]),
            "velocity_error": ("m/s", rates[0:3]),
            "angular_velocity_error": ("rad/s", rates[3:6]),
            "joint_position": (unit, measured.q),
            "joint_speed": (f"{unit}/s", measured.q_dot),
            "command": (plant.command.unit, command),
            "action": ("", state[parts["action"]]),
        }
        if not isinstance(plant.transmission, FloatingBase):  # to which accelerations are relative
            a = plant.rate_function(x, command, no_load, *p)[7:10]
            found |= {"specific_force": ("m/s^2", rotation(pose).T @ (a - gravity))}
        if isinstance(plant.transmission, RollingBall):
            # by a call: its derivatives by accelerations would go through all samples before
            force = plant.output_function(x, command, no_load, *p)[-1]
            found |= {"ball_position": ("m", x[13:15]), "ball_velocity": ("m/s", x[15:17])}
            found |= {"ball_force": ("N", force)}
        if plant.surface is not None:
            at = contact_of(plant.surface, pose, twist)
            found |= {"contact_force": ("N", at.force), "contact_distance": ("m", at.distance)}
        if self.learning.part is not None:
            found |= {
                "part_position": ("m", part[0:3]),
                "part_offset": ("m", part[0:3] - pose[0:3]),
            }
            found |= {"carried": ("", part[3])}
        first = len(plant.varied)
        for k, target in enumerate(self.learning.targets):
            with inside(f"learning.targets[{k}]"):
                unit, value = _known(found, target.of)
                if f"{target.of}_target" in found:
                    raise InputError("given twice", key="of", value=target.of, expected="each once")
            wanted = episode[first : first + value.shape[0]]
            first += value.shape[0]
            found |= {f"{target.of}_target": (unit, wanted)}
            found |= {f"{target.of}_error": (unit, wanted - value)}
        return found

    @cached_property
    def shapes(self) -> dict[str, tuple[str, int]]:
        """Unit and count of numbers of each signal."""
        enough = len(self.loop.plant.varied) + 100 * len(self.learning.targets)
        sizes = (self.parts["action"].stop, REFERENCE.size, enough)
        signals = self.signals(*map(ca.SX.sym, "sre", sizes))
        return {name: (unit, value.shape[0]) for name, (unit, value) in signals.items()}

    @cached_property
    def arguments(self) -> dict[str, Argument]:
        """Arguments of the step by name."""
        n, steps = self.loop.plant.actuators, self.learning.steps
        targets = sum(self.shapes[target.of][1] for target in self.learning.targets)
        found = (
            Argument("state", (self.parts["action"].stop,), "SI", "of machine and controller"),
            Argument("action", (len(self.limit),), "1", "from -1 to 1"),
            Argument("reference", (steps + 1, 19), "SI", "motion to follow, at each sample"),
            Argument("episode", (max(1, len(self.loop.plant.varied) + targets),), "SI", "numbers"),
            Argument("noise", (steps, n), "SI", "what the encoders add", optional=True),
        )
        return {argument.name: argument for argument in found}

    def _sample(self) -> Function:
        """One sample: the displaced reference, the loop, and the filter that goes on."""
        loop, n = self.loop, self.loop.plant.actuators
        moves = self.learning.action.kind == "reference"
        waits = loop.sampling.delay > 0
        h, w = loop.sampling.period, tau * (self.learning.action.bandwidth or 0.0)
        no_load, displaced = ca.DM(loop.plant.no_load), _displaced()

        def equation(
            memory: Value, place: Value, place_1: Value, row: Value, a: Value, e: Value, *p: Value
        ) -> tuple[Value, ...]:
            added = ca.DM.zeros(n) if moves or waits else a
            if moves:
                gap, slope = place - a, place_1 + w * (place - a)  # critically damped
                row = displaced(row, place, place_1, -w * (slope + place_1))
                place = a + exp(-w * h) * (gap + h * slope)
                place_1 = exp(-w * h) * (place_1 - w * h * slope)
            inputs = row, no_load, no_load, e, added, ca.DM(self.gains), *p
            memory, _, command = loop.function(memory, *inputs)
            if waits and not moves:  # the action waits with the command that it is added to
                memory = ca.vertcat(memory[:-n], memory[-n:] + a)
            return memory, place, place_1, command

        size = 6 if moves else 0
        kept = [loop.arguments["memory"], Argument("place", (size,)), Argument("place_1", (size,))]
        given = Argument("displacement", (size or n,)), Argument("noise", (n,))
        inputs = [*kept, REFERENCE, *given, *loop.plant.parameters]
        outputs = [*kept, Argument("command", (n,))]
        return Function.from_equation("environment_sample", equation, inputs, outputs)

    def step(
        self, state: Value, action: Value, rows: Value, episode: Value, noise: Value
    ) -> tuple[Value, ...]:
        """Return the state after an action, and the outcome."""
        a = ca.fmin(ca.fmax(action, -1), 1)
        aim, sample, part = ca.DM(self.limit) * a, self._sample(), self.learning.part
        if components := self.learning.action.components:
            aim = ca.DM(np.array([[axis == x for x in components] for axis in MOVES], float)) @ aim
        names = ("memory", "place", "place_1", "part")
        memory, place, place_1, carried = (state[self.parts[name]] for name in names)
        p, command = self._numbers(state, episode), state[self.parts["command"]]
        for i in range(self.learning.steps):
            given = rows[i, :].T, aim, noise[i, :].T, *p
            memory, place, place_1, command = sample(memory, place, place_1, *given)
        if part is not None:
            near = norm(carried[0:3] - memory[0:3]) < part.grip_distance
            slow = norm(linear(memory[7:PLATFORM])) < part.grip_speed
            held = ca.logic_or(carried[3] > 0.5, ca.logic_and(near, slow))
            carried = ca.vertcat(ca.if_else(held, memory[0:3], carried[0:3]), held)
        new = ca.vertcat(memory, place, place_1, carried, command, a)
        return new, *self.outcome(new, rows[self.learning.steps, :].T, episode)

    def _numbers(self, state: Value, episode: Value) -> tuple[Value, ...]:
        """Return the varied numbers of the plant, with a part that is carried."""
        varied, part = self.loop.plant.varied, self.learning.part
        numbers = episode[0 : len(varied)]
        if part is not None:
            mass = ca.DM([part.mass * (name == "platform.mass") for name in varied])
            numbers = numbers + mass * state[self.parts["part"]][3]
        return (numbers,) if varied else ()

    def outcome(self, state: Value, reference: Value, episode: Value) -> tuple[Value, ...]:
        """Return observation, reward, whether the episode is over, and whether it failed."""
        learning, plant = self.learning, self.loop.plant
        signals = self.signals(state, reference, episode)

        def read(table: str, k: int, key: str) -> tuple[Value, float]:
            written = getattr(learning, table)[k]
            with inside(f"learning.{table}[{k}]"):
                unit, value = _known(signals, written.of)
                number = amounts(key, getattr(written, key), [unit])[0]
                if key == "scale" and not number > 0:
                    raise InputError("not above 0", key=key, value=written.scale)
            return value, number

        scaled = (read("observation", k, "scale") for k in range(len(learning.observation)))
        seen = ca.vertcat(*(value / scale for value, scale in scaled))
        failed: Value = ca.SX(0)
        for x in ca.vertsplit(seen):
            failed = ca.logic_or(failed, ca.logic_not(ca.fabs(x) < BOUND))  # or NaN
        low, high = plant.travel(plant.numbers)
        q = signals["joint_position"][1]
        for k in () if plant.has_end_stops else range(plant.actuators):
            failed = ca.logic_or(failed, ca.logic_or(q[k] < low[k], q[k] > high[k]))
        if "ball_force" in signals:  # it flies off
            failed = ca.logic_or(failed, signals["ball_force"][1] < 0)
        reward, over = learning.failure_reward * failed, failed
        for k, term in enumerate(learning.reward):
            value, scale = read("reward", k, "scale")
            reward += term.weight * _MEASURES[term.kind](norm(value) / scale)
        for k, end in enumerate(learning.termination):
            value, number = read("termination", k, "below" if end.above is None else "above")
            here = norm(value) < number if end.above is None else norm(value) > number
            reward, over = reward + end.reward * here, ca.logic_or(over, here)
        known = ca.fabs(reward) < BOUND
        reward = ca.if_else(known, reward, learning.failure_reward)
        over, failed = (ca.logic_or(x, ca.logic_not(known)) for x in (over, failed))
        return ca.if_else(ca.fabs(seen) < BOUND, seen, 0), reward, over, failed


def amounts(key: str, value: object, of_units: list[str]) -> Array:
    """Return numbers in SI units, one for all or one for each unit."""
    with inside(key):
        several = value if isinstance(value, list | tuple) else [value] * len(of_units)
        if len(several) != len(of_units):
            expected = f"one number, or {len(of_units)}"
            raise InputError(f"{len(several)} numbers", value=value, expected=expected)
        dimensions = [_DIMENSIONS.get(unit, units.NUMBER) for unit in of_units]
        return np.array([to_si(x, d) for x, d in zip(several, dimensions, strict=True)])


def _known(signals: Signals, name: str) -> tuple[str, Value]:
    if name not in signals:
        hint, expected = did_you_mean(name, signals), f"one of {', '.join(signals)}"
        raise InputError(f"unknown signal{hint}", key="of", value=name, expected=expected)
    return signals[name]


def _displaced() -> Function:
    """A reference (19), displaced by [way; rotation vector], with two derivatives, base axes."""

    def equation(row: Value, place: Value, place_1: Value, place_2: Value) -> Value:
        pose, twist, acceleration = turned_by(ca.DM([1, 0, 0, 0]), place, place_1, place_2)
        E, omega = rotation_of_rotation_vector(place[3:6]), twist[3:6]
        carried = E @ row[10:13]
        turn = quaternion_product(pose[3:7], row[3:7]), omega + carried
        turn_2 = acceleration[3:6] + E @ row[16:19] + ca.cross(omega, carried)
        ways = (row[k : k + 3] + x[0:3] for k, x in ((0, place), (7, place_1), (13, place_2)))
        x, x_1, x_2 = ways
        return ca.vertcat(x, turn[0], x_1, turn[1], x_2, turn_2)

    place = [Argument(name, (6,)) for name in ("place", "place_1", "place_2")]
    return Function.from_equation("displaced", equation, [REFERENCE, *place], [REFERENCE])


@kept_on_disk(Kernel)
def task_kernel(equations: TaskEquations, which: str) -> Kernel[Any]:
    """Return the kernel "step" or "outcome" of an environment."""
    taken, learning = equations.arguments, equations.learning
    seen = sum(equations.shapes[x.of][1] for x in learning.observation)
    found = [Argument("observation", (seen,)), *map(Argument, ("reward", "terminated", "failed"))]
    if which == "step":
        outputs = [Argument("next_state", taken["state"].shape, "SI"), *found]
        return Kernel.from_equation(
            "environment_step", equations.step, list(taken.values()), outputs
        )
    inputs = [taken["state"], REFERENCE, taken["episode"]]
    return Kernel.from_equation("environment_outcome", equations.outcome, inputs, found)
