"""A period of constant command, as equations: steps of RK4 or RK6, and the adjoint of all of them.

Steps are those of the platform's pose and twist, or of positions and speeds of the driven joints,
where forward kinematics finds the platform.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, for_each, iterate
from gough.equations.forces import dynamics
from gough.equations.motion import kinematics
from gough.equations.solvers.runge_kutta import STEPS, rk4_step
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.kinematics.forward.kernel import path_equation
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE
from gough.model.machines import Machines
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.plants.plant import PLATFORM, Plant
from gough.simulation.with_adjoint import with_adjoint

STEP, STAGE = "one_step", "one_stage"
"""Names of the functions of one of several steps in a period, and of one evaluation of a step."""
RK4 = 4
"""Order of RK4, and its number of evaluations."""
Rates = Callable[..., Sequence[Value]]
"""(state, command, wrench, *parameters) -> the state's rates, and what is stored besides."""
STAGES_DONE, NONE = Argument("stages_done", (1,)), Argument("none", (0,))
INDEX = Argument("index", (), "1", "steps done within the period")


def held_loads(plant: Plant) -> tuple[Argument, Argument]:
    """Return the external inputs at the beginning and at the end of a period."""
    loads = plant.loads
    meaning = f"{loads.name} at the end of the period"
    return loads, Argument("wrench_next", loads.shape, loads.unit, meaning)


def held_period(
    plant: Plant, sampling: Sampling, *, unrolled: bool = False, rolled: bool = False
) -> Callable[..., Value]:
    """(state, command, wrench, wrench_next, *parameters) -> the state after a period.

    The command is constant; the wrench goes from one value to the other on a straight line, and so
    does the motion of a base that moves, with it. Steps are repeated or, where they have
    derivatives, `unrolled`; with `rolled`, so are the four evaluations of a step of RK4, for code
    that is short.
    """
    rates = plant.rate_function.with_equal_parts_once() if unrolled else plant.rate_function
    step, substeps = _step(plant, sampling, rates, rolled), sampling.substeps

    def one_by_one(state: Value, *inputs: Value) -> Value:
        for k in range(substeps):
            state = step(state, k, *inputs)
        return state

    def one_of_them(state: Value, k: Value, *inputs: Value) -> tuple[Value, Value, int]:
        return step(state, k, *inputs), k + 1, 0

    if unrolled or substeps == 1:
        return one_by_one
    results = [plant.state, INDEX, Argument("status")]
    repeated = iterate(
        Function.from_equation(STEP, one_of_them, _inputs_of_a_step(plant), results), substeps
    )
    return lambda state, *inputs: repeated(state, 0, *inputs)[0]


def adjoint_of_period(
    plant: Plant, sampling: Sampling, *, rolled: bool = False
) -> Callable[..., list[Value]]:
    """(state, command, wrench, wrench_next, *parameters, d_moved) -> d_state, d_command, ….

    From the derivative of a number by the state after a period, those by the state before it, by
    the command and by parameters: the adjoint of each step, the last one first. `rolled` as above.
    """
    rates, substeps = plant.rate_function.with_equal_parts_once(), sampling.substeps
    moved, inputs = replace(plant.state, name="moved"), _inputs_of_a_step(plant)
    step = Function.from_equation(STEP, _step(plant, sampling, rates), inputs, [moved])
    if sampling.order == RK4:
        back = _adjoint_in_stages(plant, sampling.step, substeps, rolled)
    else:
        back = step.adjoint()

    def period(state: Value, *given: Value) -> list[Value]:
        *held, d_state = given
        states = [state]
        for k in range(substeps - 1):
            states.append(step(states[-1], k, *held))
        sums = [ca.DM.zeros(a.size) for a in (plant.command, *plant.parameters)]
        for k in reversed(range(substeps)):
            d_state, _, d_command, _, _, *d_p = back(states[k], k, *held, d_state)
            sums = [total + d for total, d in zip(sums, (d_command, *d_p), strict=True)]
        return [d_state, *sums]

    return period


def _inputs_of_a_step(plant: Plant) -> list[Argument]:
    return [plant.state, INDEX, plant.command, *held_loads(plant), *plant.parameters]


def _step(
    plant: Plant, sampling: Sampling, rates: Function, rolled: bool = False
) -> Callable[..., Value]:
    """(state, index, command, wrench, wrench_next, *parameters) -> the state after a step."""
    h, substeps, advanced = sampling.step, sampling.substeps, STEPS[sampling.order]
    in_joints = _joint_step(plant) if sampling.joint_space else None
    in_stages = rolled and sampling.order == RK4 and in_joints is None

    def alone(*inputs: Value) -> list[Value]:
        return [rates(*inputs)]

    stages = _stages(plant, alone, h, substeps, kept=NONE, rolled=True) if in_stages else None

    def step(
        state: Value, k: Value | float, command: Value, w_0: Value, w_1: Value, *p: Value
    ) -> Value:
        def at(share: float, x: Value) -> Value:
            rate: Value = rates(x, command, w_0 + (w_1 - w_0) * ((k + share) / substeps), *p)
            return rate

        if in_joints is not None:
            return in_joints(at, state, h)
        if stages is not None:
            rate_sum = stages(ca.SX(0, RK4), state, k, command, w_0, w_1, *p)[1]
            return plant.settled(state + h / 6 * rate_sum)
        return plant.settled(advanced(at, state, h))

    return step


def _stages(
    plant: Plant, rates: Rates, h: float, substeps: int, *, kept: Argument, rolled: bool
) -> Callable[..., Any]:
    """(rows, state, index, …) -> rate, sum of rates, …, rows: the evaluations of a step of RK4.

    Rows have what is `kept` of each: its state, and what `rates` give besides.
    """

    def stage(
        rate: Value, rate_sum: Value, j: Value, _: Value, state: Value, k: Value,
        command: Value, w_0: Value, w_1: Value, *p: Value,
    ) -> list[Value]:  # fmt: skip
        share, weight = _share_and_weight(j)
        here, wrench = state + h * share * rate, w_0 + (w_1 - w_0) * ((k + share) / substeps)
        new, *stored = rates(here, command, wrench, *p)
        row = ca.vertcat(here, *stored) if kept.size else ca.SX(0, 1)
        return [new, rate_sum + weight * new, j + 1, row]

    states = [*(replace(plant.state, name=name) for name in ("rate", "rate_sum")), STAGES_DONE]
    return _in_turn(STAGE, stage, states, (NONE, kept), _inputs_of_a_step(plant), rolled)


def _share_and_weight(j: Value) -> tuple[Value, Value]:
    """Share of a step at which RK4 evaluates the rates for the j-th time, and their weight."""
    inside = ca.logic_and(j > 0, j < RK4 - 1)
    share = ca.if_else(inside, 0.5, ca.if_else(j > 0, 1.0, 0.0))
    return share, ca.if_else(inside, 2.0, 1.0)


def _adjoint_in_stages(plant: Plant, h: float, substeps: int, rolled: bool) -> Callable[..., Any]:
    """(state, index, …, d_moved) -> derivatives by these: the adjoint of a step of RK4.

    Its evaluations keep where they were and what they stored, for their adjoints.
    """
    (rates, slopes), n = with_adjoint(plant.traced_rates), plant.state.size
    kept = Argument("kept", (n + rates.outputs[-1].size,))
    settled = Function.from_equation("settled", plant.settled, [plant.state], [plant.state])
    by_stage, by_state, by_end = (
        replace(plant.state, name=name) for name in ("by_stage", "by_state", "by_end")
    )
    by_others = [replace(a, name=f"by_{a.name}") for a in (plant.command, *plant.parameters)]

    def backwards(by_stage: Value, by_state: Value, j: Value, *given: Value) -> list[Value]:
        sums, others = given[: len(by_others)], given[len(by_others) :]
        row, by_end, _, k, command, w_0, w_1, *p = others
        share, weight = _share_and_weight(RK4 - 1 - j)
        wrench = w_0 + (w_1 - w_0) * ((k + share) / substeps)
        d_rate = by_stage + h / 6 * weight * by_end
        d_here, d_command, _, *d_p = slopes(row[:n], command, wrench, *p, row[n:], d_rate)
        found = (total + d for total, d in zip(sums, (d_command, *d_p), strict=True))
        return [h * share * d_here, by_state + d_here, j + 1, *found, ca.SX(0, 1)]

    ahead = _stages(plant, rates, h, substeps, kept=kept, rolled=rolled)
    held = [by_end, *_inputs_of_a_step(plant)]
    states = [by_stage, by_state, STAGES_DONE, *by_others]
    back = _in_turn("stage_back", backwards, states, (kept, NONE), held, rolled, backwards=True)

    def adjoint(state: Value, *given: Value) -> list[Value]:
        *inputs, d_moved = given
        _, total, _, rows = ahead(ca.SX(0, RK4), state, *inputs)
        end = settled.adjoint()(state + h / 6 * total, d_moved)
        _, d_state, _, d_command, *d_p, _ = back(rows, end, state, *inputs)
        return [end + d_state, 0, d_command, 0, 0, *d_p]

    return adjoint


def _in_turn(
    name: str,
    equation: Callable[..., Sequence[Any]],
    states: list[Argument],
    rows: tuple[Argument, Argument],
    held: list[Argument],
    rolled: bool,
    backwards: bool = False,
) -> Callable[..., Any]:
    """(rows, *held) -> (*states, new rows): an equation for each of the evaluations of RK4.

    It takes states, which begin with zero, a row and what is held, and gives states and a new row.
    """
    row, new_row = rows
    if rolled:
        step = Function.from_equation(name, equation, [*states, row, *held], [*states, new_row])
        return for_each(step, RK4, backwards=backwards)

    def one_by_one(rows: Value, *values: Value) -> list[Value]:
        now, found = [ca.DM.zeros(a.size) for a in states], list[Value]()
        for k in reversed(range(RK4)) if backwards else range(RK4):
            *now, new = equation(*now, rows[:, k], *values)
            found.append(new)
        return [*now, ca.horzcat(*(reversed(found) if backwards else found))]

    return one_by_one


def _joint_step(plant: Plant) -> Callable[..., Value]:
    """(rates, state, h) -> the state after a step of RK4 in y = (q, q̇, inner states).

    Forward kinematics begins at the pose where the step does. Refused where q does not determine
    the pose.
    """
    if plant.is_compliant or plant.varied or not plant.structure.determined:
        raise GoughError(
            f"{plant.robot.name}: RK4 in joint space needs rigid transmissions, as many actuators "
            "as degrees of freedom, and numbers that do not differ from run to run or within one; "
            "expected RK4 in the pose"
        )
    machine, n, control = plant.machine(()), plant.actuators, ca.DM([DOUBLE.tolerance, STRIDE])
    forward = path_equation(Machines(plant.robot), "newton", AT_MOST)

    def step(rates: Callable[[float, Value], Value], state: Value, h: float) -> Value:
        pose, twist = state[0:7], state[7:PLATFORM]

        def state_of(y: Value) -> Value:
            found = forward(y[0:n], pose, 0, control, 0, 0)[0]
            u = dynamics.direct_jacobian(machine, found) @ y[n : 2 * n]
            return ca.vertcat(found, kinematics.twist_basis(machine, found) @ u, y[2 * n :])

        def at(share: float, y: Value) -> Value:
            x = state_of(y)
            rate = rates(share, x)
            moving = x[0:7], x[7:PLATFORM], rate[7:PLATFORM]
            q_ddot = kinematics.joint_acceleration(machine, *moving)
            return ca.vertcat(y[n : 2 * n], q_ddot, rate[PLATFORM:])

        q = kinematics.inverse_kinematics(machine, pose)
        q_dot = kinematics.joint_velocity(machine, pose, twist)
        return state_of(rk4_step(at, ca.vertcat(q, q_dot, state[PLATFORM:]), h))

    return step
