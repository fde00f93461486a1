"""Operations in turns: the same program, in an order in which none waits for the one before it."""

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.front.program import Call, Compute, Program, operands_of
from gough.compiler.front.transformed import in_turns, near_their_use
from gough.compiler.native.recurrence import Recurrence

X = Argument("x", (4,))


def chain(x):
    """Sixteen operations, each of which needs the one before it."""
    for _ in range(8):
        x = 1 - x * x
    return x


def four_chains(x):
    return ca.vertcat(*(chain(x[k]) for k in range(4)))


def program(equation):
    return Program.of(Function.from_equation("f", equation, [X], [Argument("y", (4,))]))


def waits(p):
    """How many operations come right behind one that they need."""
    numbers = [k for k, i in enumerate(p.instructions) if isinstance(i, Compute)]
    behind = zip(numbers[1:], numbers, strict=False)
    return sum(before in operands_of(p.instructions[k]) for k, before in behind)


def test_independent_chains_come_in_turns():
    built = program(four_chains)
    ordered = in_turns(built)
    assert waits(built) == 4 * 15
    assert waits(ordered) == 0
    assert ordered.operations == built.operations


def test_operands_come_before_what_needs_them():
    built = program(lambda x: four_chains(ca.sqrt(x) + ca.norm_2(x)))
    for k, instruction in enumerate(in_turns(built).instructions):
        assert all(x < k for x in operands_of(instruction))


def test_what_takes_long_is_begun_first():
    p = in_turns(program(lambda x: ca.vertcat(x[0] + x[1], x[1] + x[2], ca.sqrt(x[3]), x[0])))
    names = [i.operation.name for i in p.instructions if isinstance(i, Compute)]
    assert names == ["sqrt", "add", "add"]


def test_a_routine_that_is_called_twice_is_still_one():
    inner = Function.from_equation("inner", four_chains, [X], [Argument("y", (4,))])
    p = in_turns(program(lambda x: inner(inner(x))))
    (routine,) = p.routines()
    assert waits(routine) == 0
    assert [i.routine for i in p.instructions if isinstance(i, Call)] == [routine, routine]


def test_results_are_the_same_to_the_last_bit():
    def halved(x):
        return four_chains(x) / 2, ca.sum1(x) < 1e-3

    step = Function.from_equation("halved", halved, [X], [X, Argument("status")])

    def equation(x, a):
        found, iterations, _ = iterate(step, 5)(a * x)
        return found, four_chains(found + ca.sin(a)) * iterations

    outputs = [Argument("new", (4,)), Argument("y", (4,))]
    function = Function.from_equation("f", equation, [X, Argument("a", (4,))], outputs)
    rng = np.random.default_rng(0)
    inputs = {"x": rng.uniform(0, 1, (1, 4)), "a": rng.uniform(0, 1, (100, 1, 4))}
    one, several = (Recurrence(function, {"x": "new"}, lanes=n)(inputs) for n in (1, None))
    np.testing.assert_array_equal(one["y"], several["y"])


def waiting(p):
    """How many computed values are needed later, at most, at one time."""
    last = {x: k for k, i in enumerate(p.instructions) for x in operands_of(i)}
    last |= dict.fromkeys(p.results, len(p.instructions))
    alive = set()
    most = 0
    for k, instruction in enumerate(p.instructions):
        alive |= {k} if isinstance(instruction, Compute) else set()
        alive = {x for x in alive if last[x] > k}
        most = max(most, len(alive))
    return most


def test_few_values_wait_where_each_is_computed_near_its_use():
    """A sum of four chains: all begun at once wait for each other, one after the other do not."""
    built = in_turns(program(lambda x: ca.sum1(four_chains(x)) * ca.DM.ones(4)))
    ordered = near_their_use(built)
    assert waiting(built) >= 4
    assert waiting(ordered) == 2
    assert ordered.operations == built.operations
    for k, instruction in enumerate(ordered.instructions):
        assert all(x < k for x in operands_of(instruction))
