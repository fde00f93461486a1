"""Connectors of hexapods' legs, and valves that change their operating mode [Baiges 1996, 2.5].

A valve that closes locks its damper: the coupling stage keeps its compression and its energy until
the valve opens again. So positions and velocities are continuous, and a valve gives no energy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, Self, final

import casadi as ca

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators import compliant
from gough.equations.actuators.compliant import Response, Statics
from gough.equations.actuators.compliant_leg import Inner, legs_of
from gough.equations.actuators.drive import Actuation
from gough.equations.forces.passive_joints import spring_energy, spring_wrench
from gough.equations.legs.extensible import ConnectorLaw, ExtensibleLegs, Mode
from gough.equations.spatial.algebra import Value
from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields.table import CheckedTable, entry, optional
from gough.model import Kernels, machine_of
from gough.model.actuators import connectors_of
from gough.robot import Robot
from gough.simulation.plants import transmission as transmissions
from gough.simulation.plants.actuators import MachineResponse, run_outputs

VALVES: dict[Mode, tuple[int, int]] = {
    "simple": (0, 0), "low-frequency": (1, 0), "high-frequency": (0, 1), "complete": (1, 1)
}  # fmt: skip
"""Whether the coupling stage moves, and whether the decoupling damper acts, in each mode."""
STATE = Argument("valves", (4,), "s, 1", "clock, whether the tool is pressed, settings of valves")
RATES = ca.DM([1.0, 0.0, 0.0, 0.0])  # of the state: the clock goes on
_ROUNDING = 1e-9  # of the clock [s]


class ValveSetting(CheckedTable):
    """A [[plant.valves]] table: a mode of the legs' connectors, from a time on or in contact."""

    mode: Literal["simple", "low-frequency", "high-frequency", "complete"] = entry(
        "Operating mode of the connectors [Baiges 1996]."
    )
    time: q.Duration | None = optional("From when on [s].")
    contact_force: q.NotNegativeForce | None = optional(
        "Instead of a time: above which contact force [N], until the tool leaves the surface."
    )

    def _check(self) -> None:
        if (self.time is None) == (self.contact_force is None):
            raise InputError("given twice or not at all", expected="a time or a contact_force")


@dataclass(frozen=True)
class Valves:
    """The valves of a machine, as its equations take them; their state is STATE."""

    connectors: tuple[ConnectorLaw, ...]  # with all parts that some mode uses
    at_rest: tuple[ConnectorLaw, ...]  # in the first mode, in which a run begins
    first: Mode
    settings: tuple[ValveSetting, ...]  # later modes, times in order, one contact force at most

    @classmethod
    def of(cls, robot: Robot, first: Mode, settings: Sequence[ValveSetting]) -> Self:
        """Return the valves of a robot that begin in a mode; parts that are missing are refused."""
        if first not in VALVES or not robot.has_extensible_legs:
            problem, known = f"{robot.name} has rigid legs, without valves", ", ".join(VALVES)
            raise InputError(problem, key="plant.valves", expected=f"legs of a hexapod: {known}")
        times = [s.time for s in settings if s.time is not None]
        if any(a >= b for a, b in pairwise(times)) or len(settings) > len(times) + 1:
            problem = f"times {times} s, and {len(settings) - len(times)} contact forces"
            expected = "times in order, and at most one contact force"
            raise InputError(problem, key="plant.valves", expected=expected)
        modes = (first, *(s.mode for s in settings))
        laws = [connectors_of(robot, mode) for mode in modes]
        legs = tuple(_with_all_parts(of_leg) for of_leg in zip(*laws, strict=True))
        if len({VALVES[mode][0] for mode in modes}) > 1:
            for leg in (k for k, leg in enumerate(legs, 1) if not leg.keeps_coupling):
                expected = f"K_L, and a damper in the coupling stage, in the connector of leg {leg}"
                raise InputError("nothing to lock", key="plant.valves", expected=expected)
        return cls(legs, laws[0], first, tuple(settings))

    def laws(self, state: Value) -> tuple[ConnectorLaw, ...]:
        """Return the connectors with their valves as they are set in a state."""
        legs = list[ConnectorLaw]()
        for leg in self.connectors:
            coupling = leg.coupling and replace(leg.coupling, opening=state[2])
            stage = leg.decoupling
            stage = stage and replace(stage, damping=state[3] * stage.damping)
            legs.append(replace(leg, coupling=coupling, decoupling=stage))
        return tuple(legs)

    def switched(self, state: Value, touch: Value) -> Value:
        """Return the state with valves set for time, and force [N] and distance [m] of contact."""
        clock, pressed, setting = state[0], state[1], ca.DM(VALVES[self.first])
        for later in sorted(self.settings, key=lambda one: one.time is None):  # contact last
            is_set = clock >= (later.time or 0.0) - _ROUNDING
            if later.contact_force is not None:
                is_set = ca.if_else(pressed > 0, touch[1] < 0, touch[0] > later.contact_force)
                pressed = is_set
            setting = ca.if_else(is_set, ca.DM(VALVES[later.mode]), setting)
        return ca.vertcat(clock, pressed, setting)


def _with_all_parts(laws: Sequence[ConnectorLaw]) -> ConnectorLaw:
    """Return one leg's connector that has the parts of it in all of several modes."""
    coupling = next((law.coupling for law in laws if law.coupling is not None), None)
    stages = [law.decoupling for law in laws if law.decoupling is not None]
    stage = max(stages, key=lambda stage: float(stage.damping), default=None)
    return replace(laws[0], coupling=coupling, decoupling=stage)


_OF_LEGS = (
    *("actuator_length", "actuator_length_rate"),
    *("coupling_deflection", "coupling_deflection_rate", "leg_force"),
)
_OF_STAGES = ("decoupling_position", "decoupling_speed")


@final
@dataclass(frozen=True)
class Connectors(transmissions.Transmission):
    """Connectors of all legs."""

    connectors: tuple[ConnectorLaw, ...]  # with all parts that they use
    valves: Valves | None = None  # valves that change their mode during a run; None: it stays

    @property
    def states(self) -> tuple[Argument, ...]:
        """States of the legs and their valves; none if they are rigid."""
        if all(c.is_rigid and c.decoupling is None for c in self.connectors):
            return ()
        size = Inner.none(len(self.connectors)).column().shape[0]
        meaning = "E, delta_c, D, and the rates of E and D: of each leg"
        legs = Argument("inner", (size,), "m, m/s", meaning)
        return (legs,) if self.valves is None else (legs, STATE)

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Actuators, stages and forces on the platform, if the legs are compliant."""
        names = _OF_LEGS + _OF_STAGES * any(c.decoupling is not None for c in self.connectors)
        names += ("operating_mode",) * (self.valves is not None)
        return run_outputs(len(self.connectors), *names) * bool(self.states)

    @property
    def springs(self) -> tuple[transmissions.CompliantParts, ...]:
        """Compliant parts that all legs have."""
        flexible = all(not c.is_rigid for c in self.connectors)
        coupled = all(c.coupling is not None for c in self.connectors)
        return (transmissions.CONNECTORS,) * flexible + (transmissions.COUPLINGS,) * coupled

    def inner(self, column: Value) -> tuple[tuple[ConnectorLaw, ...], Inner, Value]:
        """Return the connectors as valves are set, the legs' inner coordinates, the valves."""
        if not self.states:
            return self.connectors, Inner.none(len(self.connectors)), column
        if self.valves is None:
            return self.connectors, Inner.of(column), column
        legs, valves = column[: -STATE.size], column[-STATE.size :]
        return self.valves.laws(valves), Inner.of(legs), valves

    def switched(self, column: Value, touch: Value) -> Value:
        """Return the states with valves set for time, and force [N] and distance [m] of contact."""
        if self.valves is None:
            return column
        legs, valves = column[: -STATE.size], column[-STATE.size :]
        return ca.vertcat(legs, self.valves.switched(valves, touch))

    def on_moving_base(self) -> transmissions.Transmission:
        """Return rigid joints; compliant legs are refused."""
        if not self.states:
            return transmissions.RIGID_JOINTS
        expected = 'legs = "rigid", or no [base]'
        raise InputError("of a base at rest alone", key="plant.legs", expected=expected)

    def actuator_state(self, at: transmissions.MachineState) -> transmissions.ActuatorState:
        """Return the actuators' positions of rigid legs, and the deflections."""
        legs = legs_of(*self._connected(at))
        inner = Inner.of_legs([leg.inner for leg in legs])
        free = ca.vertcat(*(leg.leg.piston.center_of_mass for leg in legs))
        push = ca.vertcat(*(leg.spring_force for leg in legs))
        return transmissions.ActuatorState(inner.E + free, inner.E_dot, inner.delta_c, push)

    def forward_dynamics(
        self, at: transmissions.MachineState, laws: Actuation, wrench: Value
    ) -> MachineResponse:
        """Return the motion of platform and legs."""
        connectors, legs, _ = at.inner
        state = (at.machine, connectors, at.pose, at.twist, legs)
        moved = compliant.forward_dynamics(*state, laws, transmissions.with_joints(at, wrench))
        inner = [moved.inner_rate.column()] if self.states else []
        inner += [] if self.valves is None else [RATES]
        outputs = self._output_values(at, moved)
        return MachineResponse(moved.acceleration, inner, moved.force, outputs)

    def _output_values(self, at: transmissions.MachineState, moved: Response) -> list[Value]:
        """Return the `outputs`; NaN for legs without a decoupling stage if others have it."""
        found, inner = self.actuator_state(at), compliant.inner_motion(*self._connected(at))
        staged = ca.vertcat(*(ca.DM(0) if c.decoupling else ca.DM.nan(1) for c in self.connectors))
        values = {
            "actuator_length": found.q,
            "actuator_length_rate": found.q_dot,
            "coupling_deflection": found.deflection,
            "coupling_deflection_rate": moved.inner_rate.delta_c,
            "leg_force": moved.leg_force,
            "decoupling_position": inner.D + staged,
            "decoupling_speed": inner.D_dot + staged,
        }
        if self.valves is not None:
            values["operating_mode"] = 1 + at.inner[2][2] + 2 * at.inner[2][3]
        return [values[argument.name] for argument in self.outputs]

    def energy(self, at: transmissions.MachineState) -> Value:
        """Return the energy of bodies and springs, including those between bodies."""
        joints = spring_energy(at.machine, at.pose)
        return compliant.energy(*self._connected(at)) + ca.vertcat(0, 0, joints)

    def holding_forces(self, kernels: Kernels, numbers: Array, pose: Array) -> Array:
        """Return the actuators' holding forces, with the weights of the actuators' own masses."""
        return transmissions.as_row(self.statics(kernels.robot, pose).force)

    def start(self, robot: Robot, pose: Array, twist: Array) -> transmissions.InitialState:
        """Return legs that carry the machine and move along with it."""
        if not self.states:
            return super().start(robot, pose, twist)
        at = (machine_of(robot).hexapod, self._at_rest, ca.DM(pose), ca.DM(twist))
        inner = compliant.steady_inner(*at, self.statics(robot, pose).leg_force)
        valves = [] if self.valves is None else [0.0, 0.0, *VALVES[self.valves.first]]
        return pose, twist, [inner.column(), ca.DM(valves)]

    @property
    def _at_rest(self) -> tuple[ConnectorLaw, ...]:
        return self.connectors if self.valves is None else self.valves.at_rest

    def statics(self, robot: Robot, pose: Array, wrench: Array | None = None) -> Statics:
        """Return the legs at rest under a wrench on the platform, springs of joints included."""
        machine, at = machine_of(robot), ca.DM(pose)
        load = ca.DM.zeros(6) if wrench is None else ca.DM(wrench)
        load += ca.evalf(ca.SX(spring_wrench(machine, at)))
        return compliant.static_solution(machine.hexapod, self._at_rest, at, load)

    def _connected(
        self, at: transmissions.MachineState
    ) -> tuple[ExtensibleLegs, tuple[ConnectorLaw, ...], Value, Value, Inner]:
        laws, legs, _ = at.inner
        return at.machine.hexapod, laws, at.pose, at.twist, legs
