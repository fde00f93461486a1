"""Loops over legs, which only GPUs have: a processor stands in for one."""

import sys

import casadi as ca
import numpy as np
import pytest
from gpu_stand_in import stand_in
from hypothesis import given, settings
from hypothesis import strategies as st

import gough
from gough.compiler import Argument, Function, Kernel
from gough.compiler.front.fused import with_chained_sums, without_quotients
from gough.compiler.front.program import ForEach, Program
from gough.compiler.front.rolled import rolled
from gough.compiler.source.cuda import cuda_source
from gough.compiler.source.gpu import GpuKernel
from gough.simulation import rigid_plant
from gough.simulation.with_adjoint import with_adjoint


def loops_of(program):
    return [r for r in program.routines() if isinstance(r, ForEach)]


def rolled_for_gpu(function):
    return rolled(without_quotients(with_chained_sums(Program.of(function))))


def agree(function, program, monkeypatch, draws):
    """Compare a program's CUDA text with the function's machine code."""
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    found = GpuKernel(*cuda_source(program))(*draws)
    expected = Kernel(function)(*draws)
    found, expected = (x if isinstance(x, tuple) else (x,) for x in (found, expected))
    for ours, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            np.asarray(ours), wanted, rtol=1e-11, atol=1e-12 * np.abs(wanted).max()
        )


def inverse_dynamics(name):
    model = gough.Model(gough.load(name))
    return model.robot, model.inverse_dynamics.function


def adjoint_of_rates(name):
    plant = rigid_plant(gough.load(name))
    return plant.robot, with_adjoint(plant.traced_rates)[1]


@pytest.mark.parametrize(
    ("made", "robot", "legs", "share"),
    [
        (inverse_dynamics, "kalani-2016", 6, 0.7),
        (
            inverse_dynamics,
            "octopod-8ups",
            8,
            0.8,
        ),  # its 6 x 6 matrices have half of the operations
        (adjoint_of_rates, "kalani-2016", 6, 0.4),
    ],
)
def test_legs_are_a_loop_with_the_same_numbers(made, robot, legs, share, monkeypatch):
    known, function = made(robot)
    program = rolled_for_gpu(function)
    assert {loop.at_most for loop in loops_of(program)} == {legs}
    straight = without_quotients(with_chained_sums(Program.of(function)))
    assert program.n_operations < share * straight.n_operations
    assert program.most_operations <= 1.2 * straight.n_operations
    rng = np.random.default_rng(0)
    draws = [rng.uniform(-1, 1, (3, *a.shape)) for a in function.inputs]
    draws[0][:, :7] = known.home + rng.uniform(-0.01, 0.01, (3, 7))
    agree(function, program, monkeypatch, draws)


SHARED = 5


def machine(legs, numbers, order, alike):
    """Return a function of legs in two levels, whose numbers are drawn from few.

    Some are 0 and 1, or those of another leg, so that legs have operations in common or leave some
    out; `order` says which operand of products comes first, `alike` whether the last leg is.
    """
    x, f = Argument("x", (SHARED,)), Argument("f", (legs,))

    def equation(x, f):
        c = iter(numbers)
        a, b = [], []
        for k in range(legs):
            place = [next(c) * x[i] + next(c) * x[(i + 1) % SHARED] + next(c) for i in range(3)]
            a.append(ca.sqrt(2 + sum(p**2 for p in place)))
            value = f[k]
            for j in range(4):
                by = a[k] + next(c) * x[j]
                value = (by * value if order[k] else value * by) + place[j % 3]
            b.append(ca.tanh(value) if alike or k < legs - 1 else ca.sin(value))
        total = sum(a[k] * b[k] for k in range(legs)) + x[0]
        second = sum(2 * b[k] for k in range(legs)) - total
        d = []
        for k in range(legs):
            value = total * a[k]
            for j in range(8):
                value = ca.cos(value) * b[k] + next(c) * second * a[k] - x[j % SHARED]
            d.append(value)
        mixed = d[0] * d[1] - b[legs - 1]  # of two legs
        return ca.vertcat(*d), total, sum(d[k] * a[k] for k in range(legs)) - 3 * mixed, second

    outputs = [Argument("d", (legs,)), *(Argument(name) for name in ("total", "last", "second"))]
    return Function.from_equation("legs", equation, [x, f], outputs)


@settings(max_examples=12, deadline=None)
@given(
    legs=st.integers(3, 7),
    pool=st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.3, -0.7, 1.1, 0.45]), min_size=1),
    seed=st.integers(0, 100),
    alike=st.booleans(),
)
def test_random_legs_have_the_same_numbers_in_loops(legs, pool, seed, alike):
    rng = np.random.default_rng(seed)
    numbers, order = rng.choice(pool, 30 * legs).tolist(), rng.integers(0, 2, legs)
    function = machine(legs, numbers, order, alike)
    draws = rng.uniform(-1, 1, (4, SHARED)), rng.uniform(-1, 1, (4, legs))
    with pytest.MonkeyPatch.context() as monkeypatch:
        agree(function, rolled_for_gpu(function), monkeypatch, draws)


def test_numbers_that_later_loops_need_wait_or_are_computed_again(monkeypatch):
    """Legs whose numbers all differ are two loops, with a sum between them."""
    rng, legs = np.random.default_rng(1), 6
    function = machine(legs, rng.uniform(0.1, 0.9, 30 * legs).tolist(), [0] * legs, True)
    program = rolled_for_gpu(function)
    first, second = loops_of(program)
    assert first.at_most == second.at_most == legs
    assert 0 < first.outputs[1].size <= 3 * legs  # a and b wait, not what they are made of
    draws = rng.uniform(-1, 1, (4, SHARED)), rng.uniform(-1, 1, (4, legs))
    agree(function, program, monkeypatch, draws)


def test_a_program_without_legs_is_left_as_it_is():
    x = Argument("x", (4,))
    function = Function.from_equation("square", lambda x: ca.dot(x, x), [x], [Argument("y")])
    program = Program.of(function)
    assert rolled(program).instructions == program.instructions
