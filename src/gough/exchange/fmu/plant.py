"""A plant as an FMU has it: its state, what acts on it, what is seen of it."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import casadi as ca
import numpy as np

from gough.analysis.axes import MOTION, POSE, STORED_ENERGY, WRENCH
from gough.equations.control.signals import Measurement, limited
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, quaternion
from gough.equations.spatial.pose import BAUMGARTE_RATE
from gough.errors import GoughError
from gough.exchange.fmu.system import Equations, FmuVariable, System, column, named
from gough.model.actuators import drive_law, stop_law
from gough.model.named_numbers import Numbers, taken_from
from gough.model.parameters import machine_of
from gough.robot.numbers import dimension_of, layout
from gough.simulation.plants.actuators import Amplifiers, Motors, force_per_ampere
from gough.simulation.plants.beside import RollingBall
from gough.simulation.plants.plant import Plant

ENDS = ("lower", "upper")
QUATERNION = POSE.part("orientation")  # where in the state it is


@dataclass(frozen=True, eq=False)
class PlantModel:
    """A plant at a state, all of symbols: its robot's numbers, too."""

    original: Plant
    numbers: tuple[FmuVariable, ...]  # all of the robot that are finite
    vector: Value  # all numbers of the robot, of symbols where they are finite

    @classmethod
    def of(cls, plant: Plant) -> Self:
        """The model of one plant of rigid legs and links."""
        reasons = {
            "legs or links are compliant": plant.is_compliant,
            "a ball rolls on it": isinstance(plant.transmission, RollingBall),
            "its base floats": bool(plant.transmission.states),
            "its base moves": plant.moving_base,
            "it stands for several runs": plant.numbers.ndim != 1,
        }
        if why := next((why for why, found in reasons.items() if found), ""):
            problem = f"{plant.robot.name}: {why}"
            raise GoughError(f"{problem}; expected one plant of rigid legs and links for an FMU")
        robot, values = plant.robot, dict(zip(layout(plant.robot), plant.numbers, strict=True))
        numbers = tuple(
            FmuVariable(name, dimension_of(robot, name).unit, "a number of the robot", float(x))
            for name, x in values.items()
            if np.isfinite(x)
        )
        entries = values | {number.name: number.symbol for number in numbers}
        return cls(plant, numbers, ca.vertcat(*entries.values()))

    @cached_property
    def given(self) -> Numbers:
        """The symbols by the names of what they are."""
        return taken_from(self.original.robot, self.vector)

    @cached_property
    def machine(self) -> Machine:
        """The bodies, of symbols."""
        return machine_of(self.original.robot, self.vector)

    @cached_property
    def plant(self) -> Plant:
        """The plant whose drives, friction and stops are of symbols."""
        plant, given, actuators = self.original, self.given, self.original.robot.actuators
        actuation, laws = plant.actuation, {law.place: law for law in self.machine.frictions}
        if isinstance(actuation, Motors):
            actuation = replace(actuation, drives=tuple(drive_law(a, given) for a in actuators))
        pairs = ((k, stop_law(actuators[k], given)) for k in plant.stops)
        stops = {k: stop for k, stop in pairs if stop}
        frictions = tuple(laws[law.place] for law in plant.frictions)
        return replace(plant, actuation=actuation, stops=stops, frictions=frictions)

    @cached_property
    def states(self) -> tuple[FmuVariable, ...]:
        """Pose, twist, and what the actuators remember; at first at home, at rest, held."""
        plant = self.original
        first = plant.start(plant.robot.home)
        found = pose("pose", first[:7]) + twist("twist", "m/s", "rad/s", first[7:13])
        for a in plant.inner_states:
            start = first[len(found) : len(found) + a.size]
            found += of_joints(plant, a.name, a.unit, a.meaning, start)
        return found

    @cached_property
    def state(self) -> Value:
        """A symbol for each state."""
        return column(self.states)

    def applied(self, command: Value) -> Value:
        """A command as it comes to the actuators: cut off at their limits."""
        limits = [_limit(self.plant, k, self.given) for k in range(self.plant.actuators)]
        return limited(command, ca.vertcat(*limits))

    def rates(self, command: Value, wrench: Value) -> Value:
        """The plant's, with what leads the quaternion back to length one."""
        rates = self.plant.derivative(self.machine, self.state, self.applied(command), wrench)
        q = quaternion(self.state)
        rates[QUATERNION] += BAUMGARTE_RATE / 2 * (1 - ca.sumsqr(q)) * q
        return rates

    def measured(self, wrench: Value) -> Measurement:
        """Return the sensor readings."""
        return self.plant.measured(self.machine, self.state, wrench)

    @cached_property
    def outputs(self) -> tuple[FmuVariable, ...]:
        """Outputs of the driven joints, energies, and signals of the actuators."""
        plant, labels = self.original, STORED_ENERGY.labels
        found = positions_and_speeds(plant)
        found += of_joints(plant, "actuator_force", "{.force_unit}", "what the actuator gives")
        found += named("energy", labels, ["J"] * len(labels), "energy stored there")
        for a in plant.outputs:
            alone = (FmuVariable(a.name, a.unit, a.meaning),)
            found += of_joints(plant, a.name, a.unit, a.meaning) if a.shape else alone
        return found

    def seen(self, command: Value, wrench: Value) -> Value:
        """Return the values of `outputs`."""
        measured = self.measured(wrench)
        found = self.plant.output_values(self.machine, self.state, self.applied(command), wrench)
        return ca.vertcat(measured.q, measured.q_dot, *found)

    @cached_property
    def ends(self) -> list[tuple[int, int]]:
        """Actuators and the ends of their travels, 0 and 1, that are known."""
        low, high = self.original.travel(self.original.numbers)
        travels = enumerate(zip(low, high, strict=True))
        return [(k, end) for k, ends in travels for end in (0, 1) if np.isfinite(ends[end])]

    @property
    def indicators(self) -> tuple[FmuVariable, ...]:
        """Distances of the actuators from the ends of their ranges."""
        joints = self.original.structure.driven
        found = []
        for (k, end), joint in ((place, joints[place[0]]) for place in self.ends):
            meaning = f"how far it is from the {ENDS[end]} end of its {joint.travel}, {joint.name}"
            found.append(FmuVariable(f"{ENDS[end]}_margin[{k}]", joint.unit, meaning))
        return tuple(found)

    def margins(self, wrench: Value) -> Value:
        """Return the values of `indicators`."""
        q, actuators = self.measured(wrench).q, self.original.robot.actuators
        travels = [self.given(f"{a.key}.{a.travel_key}") for a in actuators]
        margins = [(1 - 2 * end) * (q[k] - travels[k][end]) for k, end in self.ends]
        return ca.vertcat(ca.SX(0, 1), *margins)

    def used(self, *expressions: Value) -> tuple[FmuVariable, ...]:
        """The numbers that expressions depend on."""
        needed = {symbol.name() for symbol in ca.symvar(ca.vertcat(*expressions))}
        return tuple(number for number in self.numbers if number.name in needed)


def plant_system(plant: Plant, step: float) -> System:
    """A plant alone: commands and a wrench act on it."""
    model = PlantModel.of(plant)
    inputs = commands(plant, plant.holding(np.array(plant.robot.home))), wrench_variables()
    command, wrench = map(column, inputs)
    equations = Equations(
        model.rates(command, wrench), model.seen(command, wrench), model.margins(wrench)
    )
    return System(
        name=f"{plant.robot.name} plant",
        description=f"{plant.robot.name}: rates of its platform under {plant.command.meaning}",
        parameters=model.used(*equations),
        inputs=inputs[0] + inputs[1],
        states=model.states,
        outputs=model.outputs,
        indicators=model.indicators,
        equations=equations,
        step=step,
        ends=not plant.has_end_stops,
    )


def commands(plant: Plant, starts: object = None) -> tuple[FmuVariable, ...]:
    """Return the command inputs of a plant's actuators."""
    command = plant.command
    unit = command.unit if command.name == "voltage" else "{.force_unit}"
    return of_joints(plant, "command", unit, f"commanded {command.name}", starts)


def positions_and_speeds(plant: Plant, positions: object = None) -> tuple[FmuVariable, ...]:
    """Return the variables of the driven joints."""
    places = of_joints(plant, "position", "{.unit}", "position", positions)
    return places + of_joints(plant, "speed", "{.unit}/s", "how fast it moves")


def of_joints(
    plant: Plant, block: str, unit: str, meaning: str, starts: Any = None
) -> tuple[FmuVariable, ...]:
    """Variables such as `force[0]`, one of each driven joint, which fills in the unit."""
    joints = plant.structure.driven
    values = [0.0] * len(joints) if starts is None else map(float, starts)
    return tuple(
        FmuVariable(f"{block}[{k}]", unit.format(joint), f"{meaning}, {joint.name}", x)
        for k, (joint, x) in enumerate(zip(joints, values, strict=True))
    )


def wrench_variables() -> tuple[FmuVariable, ...]:
    """The external wrench."""
    words = "external wrench on the platform, at its origin, base axes"
    return named("wrench", WRENCH.labels, ["N"] * 3 + ["N m"] * 3, words)


def pose(block: str, starts: Any) -> tuple[FmuVariable, ...]:
    """Variables of a pose."""
    place = POSE.part("position")
    at = named(block, POSE.labels[place], ["m"] * 3, "of the platform", starts[place])
    labels, words = POSE.labels[QUATERNION], "quaternion of the platform"
    return at + named(block, labels, ["1"] * 4, words, starts[QUATERNION])


def twist(block: str, along: str, turning: str, starts: object = None) -> tuple[FmuVariable, ...]:
    """Variables of a twist or of its rate, base axes."""
    units = [along] * 3 + [turning] * 3
    return named(block, MOTION.labels, units, "of the platform, base axes", starts)


def _limit(plant: Plant, k: int, given: Numbers) -> Value:
    """Return the maximum command of an actuator, of these numbers; infinite without limit."""
    actuator, actuation, found = plant.robot.actuators[k], plant.actuation, list[Value]()
    drive = actuation.drives[k] if isinstance(actuation, Motors) else None
    if drive is not None and not isinstance(actuation, Amplifiers):
        return ca.SX(ca.inf) if drive.max_voltage is None else drive.max_voltage
    if actuator.max_force is not None:
        found.append(given(f"{actuator.key}.{actuator.force_key}"))
    if drive is not None and drive.max_current is not None:
        found.append(drive.max_current * force_per_ampere(drive))
    return ca.fmin(*found) if len(found) > 1 else found[0] if found else ca.SX(ca.inf)
