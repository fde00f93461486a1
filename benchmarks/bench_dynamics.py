"""Dynamics against Pinocchio and MuJoCo, against the core's peak, and by operations."""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import gough
from benchmarks.bench_compiler import peak_operations_per_second
from benchmarks.gpu_export import random_states
from benchmarks.measure import Report, best_times, repeated
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program
from gough.equations.dynamics import FORMULATIONS
from gough.model.catalogue import definitions
from gough.model.parameters import machine_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracles.hexapod import HexapodData, State
from oracles.mujoco_hexapod import MujocoHexapod
from oracles.pinocchio_hexapod import PinocchioHexapod
from samples.machines import as_machine, random_machine, structure_of_legs

N = 100_000
CALLS = 1000


def against_others(report):
    robot = gough.load("kalani-2016")
    model, states = gough.Model(robot), random_states(robot, N)
    motion = [states[k] for k in ("pose", "twist", "acceleration", "wrench")]
    driven = [states[k] for k in ("pose", "twist", "force", "wrench")]
    one, force = State(*(x[0] for x in motion)), states["force"][0]
    data = HexapodData.from_machine(machine_of(robot).extensible)
    pinocchio, simulator = PinocchioHexapod(data), MujocoHexapod(data)
    q, v, a = pinocchio.tree_state(one.pose, one.twist, one.acceleration)
    tau = pinocchio.tree_force(one.pose, force, one.wrench)
    simulator.set_state(one, force)
    moving, pushed = [x[0].copy() for x in motion], [x[0].copy() for x in driven]
    single, composed, forward, constrained, stepped = best_times(
        repeated(lambda: model.inverse_dynamics(*moving), CALLS),
        repeated(lambda: pinocchio.inverse_dynamics(q, v, a, one.wrench), CALLS),
        repeated(lambda: model.forward_dynamics(*pushed), CALLS),
        repeated(lambda: pinocchio.constraint_dynamics(q, v, tau), CALLS),
        repeated(lambda: mujoco.mj_forward(simulator.model, simulator.data), CALLS),
    )
    micro = 1e6 / CALLS
    report.at_least(
        "one call, inverse_dynamics against Pinocchio (RNEA, closure Jacobian, solve)",
        composed / single,
        10,
        f"{single * micro:.2f} us against {composed * micro:.1f} us",
    )
    report.at_least(
        "one call, forward_dynamics against pin.constraintDynamics",
        constrained / forward,
        5,
        f"{forward * micro:.2f} us against {constrained * micro:.1f} us",
    )
    out = np.empty((N, 6))
    inverse_batch, forward_batch = best_times(
        lambda: model.inverse_dynamics(*motion, out=out, threads=1),
        lambda: model.forward_dynamics(*driven, out=out, threads=1),
        seconds=1.5,
    )
    nano = 1e9 / N
    report.at_least(
        "batch of 10^5, one core, inverse against the same Pinocchio calls in a loop",
        composed / CALLS / (inverse_batch / N),
        300,
        f"{inverse_batch * nano:.1f} ns",
    )
    report.at_least(
        "batch of 10^5, one core, forward against pin.constraintDynamics in a loop",
        constrained / CALLS / (forward_batch / N),
        120,
        f"{forward_batch * nano:.1f} ns",
    )
    report.at_least(
        "batch of 10^5, one core, forward against MuJoCo's mj_forward",
        stepped / CALLS / (forward_batch / N),
        100,
        f"{stepped * micro:.1f} us",
    )
    peak = peak_operations_per_second()
    report.fact("one core, mul and add without hindrance", f"{peak / 1e9:.0f} Gop/s")
    for name, elapsed in (("inverse", inverse_batch), ("forward", forward_batch)):
        operations = getattr(model, f"{name}_dynamics").program.n_operations
        share = operations * N / elapsed / peak
        report.at_least(
            f"{name}_dynamics in the batch, share of that peak", 100 * share, 25, unit=" %"
        )


def operation_table():
    """How many operations each formulation takes, for general machines and for kalani-2016."""
    rng = np.random.default_rng(0)
    machines = {
        "six SPS": random_machine(rng, ("SPS",)),
        "six UPS": random_machine(rng, ("UPS",)),
        "kalani-2016": machine_of(gough.load("kalani-2016")).extensible,
    }
    table = Table(title="Operations of one state", box=box.SIMPLE_HEAD, title_justify="left")
    for column in ("formulation", "kernel", "machine", "all", "×", "+ −", "÷", "√", "other"):
        table.add_column(column, justify="left" if column[0] in "fkm" else "right")
    for formulation in FORMULATIONS:
        for name in ("inverse_dynamics", "forward_dynamics"):
            for machine_name, machine in machines.items():
                counts = _program(formulation, name, machine).operations
                groups = [
                    sum(counts[op] for op in group)
                    for group in (
                        ("mul", "sq"),
                        ("add", "sub", "twice", "neg"),
                        ("div", "inv"),
                        ("sqrt",),
                    )
                ]
                cells = [counts.total(), *groups, counts.total() - sum(groups)]
                table.add_row(formulation, name, machine_name, *map(str, cells))
    Console(width=120).print(table)


def where_operations_go():
    """The default inverse dynamics of six SPS legs, part by part."""
    machine = random_machine(np.random.default_rng(0), ("SPS",))
    whole = _program("newton-euler", "inverse_dynamics", machine).n_operations
    geometry = _program("newton-euler", "jacobian", machine).n_operations
    solve = _program("newton-euler", "is_singular", machine).n_operations
    print(f"six SPS legs, Newton-Euler: {whole} operations; legs' lengths, directions and moments")
    print(f"{geometry}, the 6x6 system without its right-hand side {solve - geometry} on top\n")


def _program(formulation, name, machine):
    definition = definitions(structure_of_legs(machine), formulation)[name]
    return Program.of(
        Function.from_equation(
            name,
            lambda *inputs: definition.equation(as_machine(machine), *inputs),
            definition.inputs,
            definition.outputs,
        )
    )


def run():
    report = Report("Dynamics: kalani-2016")
    against_others(report)
    best = _program(
        "newton-euler", "inverse_dynamics", random_machine(np.random.default_rng(0), ("SPS",))
    )
    report.at_most(
        "operations of the best inverse model, six SPS legs", best.n_operations, 1700, ""
    )
    report.show()
    operation_table()
    where_operations_go()
