"""Operations in turns: the same program, in an order in which none waits for the one before it."""

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.front.fused import with_chained_sums, without_quotients
from gough.compiler.front.program import Call, Compute, Program, operands_of
from gough.compiler.front.transformed import (
    _operations_in_turns,
    in_place,
    in_turns,
    near_their_use,
    split_ahead,
)
from gough.compiler.native.kernel import Kernel
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


def legs(x):
    """Lengths of six legs with numbers of their own, one of which CasADi leaves out, and a sum."""
    numbers = np.random.default_rng(1).uniform(-1, 1, (6, 4))
    numbers[2, 3] = 1.0
    lengths = [ca.norm_2(x[:3] + a[:3]) * a[3] + ca.fmax(x[3], a[0]) for a in numbers]
    return ca.vertcat(ca.sum1(ca.vertcat(*lengths)), lengths[1], ca.sin(lengths[4]), lengths[5])


def test_operations_of_all_legs_are_packed_and_their_sum_is_not():
    p = in_turns(program(legs))
    computed = [i for i in p.instructions if isinstance(i, Compute)]
    packed = [[p.instructions[k] for k in pack] for pack in p.packs]
    assert {len(pack) for pack in packed} == {6}
    assert all(len({i.operation.name for i in pack}) == 1 for pack in packed)
    assert all(
        not set(operands_of(i)) & set(numbers)
        for numbers, pack in zip(p.packs, packed, strict=True)
        for i in pack
    )
    by_themselves = len(computed) - sum(map(len, packed))
    assert by_themselves == 5 + 1 + 5  # of a sum, a sine, and factors of five legs
    assert not program(legs).packs


def test_packs_give_the_same_bits_as_single_operations():
    function = Function.from_equation("f", lambda x: (legs(x), legs(x)), [X], [
        Argument("new", (4,)), Argument("y", (4,)),
    ])  # fmt: skip
    also = Function.from_equation(
        "f", lambda x, a: tuple(y + a for y in function(x)), [X, Argument("a")], function.outputs
    )
    inputs = {"x": np.array([[0.1, -0.2, 0.3, -0.0]]), "a": np.linspace(-1, 1, 50)[:, None]}
    one, several = (Recurrence(also, {"x": "new"}, lanes=n)(inputs) for n in (1, None))
    np.testing.assert_array_equal(one["y"], several["y"])
    assert np.isfinite(one["y"]).all()


def test_of_packs_that_wait_for_each_other_the_first_one_remains():
    built = program(lambda x: ca.vertcat(ca.sqrt(x[0] * 2) - 1, ca.sqrt(x[1]) * 3 - 1, x[2], x[3]))
    numbers = {}
    for k, instruction in enumerate(built.instructions):
        if isinstance(instruction, Compute):
            numbers.setdefault(instruction.operation.name, []).append(k)
    crossed = {
        pack[0]: pack for pack in (tuple(numbers["sqrt"]), (*numbers["twice"], *numbers["mul"]))
    }
    steps = _operations_in_turns(built.instructions, crossed)
    assert [step for step in steps if len(step) > 1] == [tuple(numbers["sqrt"])]
    done = [k for step in steps for k in step]
    assert sorted(done) == sorted(k for some in numbers.values() for k in some)
    for place, k in enumerate(done):
        assert not {*operands_of(built.instructions[k])}.intersection(done[place:])


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


def sums_over_legs(x, legs=6):
    """Sums over legs, each of which has a length."""
    total = ca.SX.zeros(4, 4)
    for k in range(legs):
        a = ca.vertcat(*(ca.sin((k + 1) * x[j] + j) for j in range(4)))
        s = a / ca.sqrt(ca.dot(a, a))
        total += ca.cos(s) @ ca.exp(s).T
    return ca.sum1(total).T


def test_legs_come_one_after_the_other():
    """Sums over legs wait, and the numbers of one leg: not those of all legs."""
    few, many = (program(lambda x, n=n: sums_over_legs(x, n)) for n in (6, 12))
    assert waiting(near_their_use(many)) <= waiting(near_their_use(few)) + 2
    assert waiting(many) > 2 * waiting(near_their_use(many))


def test_what_depends_on_one_input_alone_is_split_off():
    inner = Function.from_equation("inner", four_chains, [X], [Argument("y", (4,))])

    def equation(x, r):
        return inner(r) * chain(r) - x / r

    shapes = [X, Argument("r", (4,))], [Argument("y", (4,))]
    built = Program.of(Function.from_equation("f", equation, *shapes))
    assert any(isinstance(i, Call) for i in built.instructions)
    whole = in_place(built)
    assert not any(isinstance(i, Call) for i in whole.instructions)
    assert whole.n_operations <= built.n_operations
    ahead, rest = split_ahead(whole, "r")
    assert [a.name for a in ahead.inputs] == ["r"]
    assert [a.name for a in rest.inputs] == ["x", "r", "of_r"]
    assert rest.operations == {"div": 4, "sub": 4}
    rng = np.random.default_rng(1)
    x, r = rng.uniform(0.5, 1, (2, 4))
    expected = Kernel(Function.from_equation("f", equation, *shapes))(x, r)
    np.testing.assert_allclose(value(rest, x, r, value(ahead, r)), expected, rtol=1e-15)
    none, same = split_ahead(rest, "r")
    assert none is None
    assert same is rest


def value(p, *inputs):
    """The result of a program without calls, by NumPy."""
    operations = {
        "mul": np.multiply, "sub": np.subtract, "add": np.add, "div": np.divide,
        "sq": np.square, "neg": np.negative, "sqrt": np.sqrt,
        "inverse_root": lambda x: 1 / np.sqrt(x), "root_of_inverse": lambda x, y: x * y,
        "inv": np.reciprocal, "twice": lambda x: 2 * x, "atan2": np.arctan2, "fabs": np.abs,
        "lt": np.less, "eq": np.equal, "not": np.logical_not, "copysign": np.copysign,
        "select": np.where, "if_else_zero": lambda a, b: b if a else 0.0,
    }  # fmt: skip
    given, found = np.concatenate(inputs), []
    for i in p.instructions:
        if isinstance(i, Compute):
            found.append(operations[i.operation.name](*(found[x] for x in i.operands)))
        else:
            found.append(given[i.element] if hasattr(i, "element") else i.value)
    return np.array([found[r] for r in p.results])


def test_few_operations_are_left_for_a_gpu():
    def equation(x):
        length, g = ca.sqrt(ca.dot(x, x)), 9.81
        return ca.vertcat(
            ca.vertcat(1 / length, x[0] / length + length, x[0] / x[1] - x[2] / x[1]),
            ca.vertcat(x[0] / 3, x[1] / x[2], ca.sqrt(x[2])),
            ca.vertcat((0.1 * x[3] - x[0]) + (0.2 * x[3] + 2 * x[1]), g - (g - x[0])),
            ca.vertcat(ca.dot(x[:2], x[2:]) + ca.dot(x[:2], x[1:3]), ca.atan2(x[0], -x[1])),
        )

    shapes = [Argument("x", (4,))], [Argument("y", (10,))]
    built = Program.of(Function.from_equation("f", equation, *shapes))
    chained = with_chained_sums(built)
    changed = without_quotients(chained, angles=False)
    assert (built.operations["div"], built.operations["sqrt"]) == (5, 2)
    assert {name: changed.operations[name] for name in ("inverse_root", "inv", "div", "sqrt")} == {
        "inverse_root": 1, "inv": 1, "div": 1, "sqrt": 1
    }  # fmt: skip
    assert changed.n_operations < built.n_operations
    assert "atan2" not in without_quotients(chained).operations
    x = np.array([0.3, 0.4, 1.2, 2.0])
    expected = Kernel(Function.from_equation("f", equation, *shapes))(x)
    expected[7] = x[0]
    np.testing.assert_allclose(value(changed, x), expected, rtol=1e-15)
    np.testing.assert_allclose(value(without_quotients(chained), x), expected, rtol=1e-15)
