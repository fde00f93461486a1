"""Kernels as functions of CasADi: what the page on optimal control finds, held against physics."""

from pathlib import Path

import numpy as np
import pytest
from page_reader import Reader, blocks
from scipy.integrate import solve_ivp

import gough

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "optimal-control.md"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The names that the page's Python has made."""
    reader = Reader(tmp_path_factory.mktemp("page"))
    for block in blocks(PAGE):
        reader.follow(block)
    return reader.names


def test_the_forces_lead_to_the_goal_and_do_the_work_of_lifting(found):
    """By another integrator; at rest at both ends, work is potential energy alone."""
    model, time, forces = found["model"], found["time"], found["forces"]
    state = np.concatenate([found["start"], np.zeros(6), [0.0]])

    def rates(_, state, force):
        pose, twist = state[:7], state[7:13]
        w, v, turning = pose[3], pose[4:], twist[3:]
        turn = np.array([-turning @ v, *(w * turning + np.cross(turning, v))]) / 2
        power = force @ model.joint_velocity(pose, twist)
        return [*twist[:3], *turn, *model.forward_dynamics(pose, twist, force), power]

    for begin, end, force in zip(time, time[1:], forces, strict=False):
        span = {"args": (force,), "method": "DOP853", "rtol": 1e-10, "atol": 1e-12}
        state = solve_ivp(rates, (begin, end), state, **span).y[:, -1]
    assert state[:7] == pytest.approx(found["goal"], abs=2e-6)
    assert state[7:13] == pytest.approx(np.zeros(6), abs=1e-4)
    lifted = model.energy(found["goal"])[1] - model.energy(found["start"])[1]
    assert state[13] == pytest.approx(lifted, abs=1e-4)
    assert np.abs(forces).max() == pytest.approx(found["limit"])


def test_in_the_shortest_time_most_forces_are_at_their_limits(found):
    """The time is as little as a bang-bang motion allows, and less than the straight way's."""
    at_limit = np.abs(found["forces"]) > 0.999 * found["limit"]
    assert at_limit.mean() > 0.6
    assert found["time"][-1] < 0.75 * found["straight"].duration


@pytest.mark.parametrize("name", ["kalani-2016", "delta"])
def test_every_kernel_is_a_function_of_casadi(name):
    model = gough.Model(gough.load(name))
    rng = np.random.default_rng(3)
    for kernel in ("jacobian", "inverse_dynamics", "forward_dynamics", "mass_matrix", "energy"):
        function = model.function(kernel)
        given = [
            np.array(model.robot.home) if a.name == "pose" else 0.1 * rng.standard_normal(a.shape)
            for a in function.inputs
        ]
        (values,) = function.casadi.call([value.ravel() for value in given])
        expected = getattr(model, kernel)(*given)
        assert values.full().ravel() == pytest.approx(expected.ravel(), rel=1e-9, abs=1e-9)
