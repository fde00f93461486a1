"""Models, kernels, functions and their results go to other processes, where they are found again.

The other process is one of Python's own, started afresh: it has traced nothing and hashes
otherwise.
"""

import multiprocessing
import pickle
from time import perf_counter

import casadi as ca
import numpy as np
import pytest

import gough
from gough.compiler import Argument, Function, Kernel, forget
from gough.kinematics.singularity.singularity import determinant
from gough.model.machines import Machines

ROBOT = gough.load("demo-hexapod")
DELTA = gough.load("delta")
SET_UP = 5e-3
"""What a second task may take before it computes [s]."""


def own_kernel():
    """A kernel that no maker of Gough has made."""

    def equation(x, y):
        return ca.sin(x) * y, ca.dot(x, x)

    inputs = [Argument("x", (3,)), Argument("y")]
    return Kernel.from_equation("own", equation, inputs, [Argument("a", (3,)), Argument("b")])


def sent_things():
    model, parametric = gough.Model(ROBOT), gough.Model(DELTA, parametric=True)
    return {
        "model": model,
        "kernel": model.inverse_dynamics,
        "parametric kernel": parametric.inverse_dynamics,
        "derivative": model.derivative("inverse_kinematics", "pose"),
        "kernel of a room": determinant(Machines(ROBOT)),
        "own kernel": own_kernel(),
        "function": model.function("jacobian"),
    }


def numbers_of(thing):
    """What a thing that was sent computes."""
    if isinstance(thing, gough.Model):
        return [thing.inverse_dynamics(ROBOT.home)]
    if isinstance(thing, Function):
        return list(Kernel(thing)(ROBOT.home))
    if thing.name == "own":
        return list(thing(np.arange(6.0).reshape(2, 3), 2.0))
    of_delta = "parameters" in [a.name for a in thing.description.inputs]
    return [thing(gough.Model(DELTA).parameters, DELTA.home) if of_delta else thing(ROBOT.home)]


def _answers(pipe):
    while (content := pipe.recv_bytes()) != b"end":
        start = perf_counter()
        thing = pickle.loads(content)
        loaded = perf_counter() - start
        pipe.send((loaded, numbers_of(thing)))


@pytest.fixture(scope="module")
def other_process():
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_answers, args=(there,))
    process.start()

    def ask(thing):
        here.send_bytes(pickle.dumps(thing))
        return here.recv()

    yield ask
    here.send_bytes(b"end")
    process.join()


@pytest.mark.parametrize("name", sent_things())
def test_another_process_computes_the_same_bits_and_knows_it_the_second_time(name, other_process):
    thing = sent_things()[name]
    ask = [other_process(thing) for _ in range(3)]
    for _, numbers in ask:
        for own, found in zip(numbers_of(thing), numbers, strict=True):
            np.testing.assert_array_equal(own, found)
    assert min(seconds for seconds, _ in ask[1:]) < SET_UP


def test_what_a_maker_made_goes_without_its_symbols():
    model = gough.Model(ROBOT)
    assert len(pickle.dumps(model.inverse_dynamics)) < 2 * len(pickle.dumps(ROBOT))


def test_here_a_kernel_that_comes_back_is_the_same_one():
    kernel = gough.Model(ROBOT).jacobian
    assert pickle.loads(pickle.dumps(kernel)) is kernel
    own = own_kernel()
    twice = [pickle.loads(pickle.dumps(own)) for _ in range(2)]
    assert twice[0] is twice[1]


def test_a_kernel_found_on_disk_is_sent_as_one_that_was_made(traced):
    gough.Model(ROBOT).jacobian  # noqa: B018  (it is compiled)
    forget()
    traced.clear()
    pickle.loads(pickle.dumps(gough.Model(ROBOT).jacobian))
    assert not traced


def test_named_results_keep_their_names():
    found = own_kernel()(np.ones(3), 1.0)
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is type(found)
    np.testing.assert_array_equal(again.a, found.a)
    assert again.b == 3.0


def test_results_of_algorithms_can_be_sent():
    model = gough.Model(ROBOT)
    tolerances = gough.tolerances(model, tolerances={"legs[*].base": "50 um"})
    again = pickle.loads(pickle.dumps(tolerances))
    np.testing.assert_array_equal(again.covariance, tolerances.covariance)
    poses = model.forward_kinematics(model.inverse_kinematics(ROBOT.home), ROBOT.home)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(poses)).pose, poses.pose)
