"""A closed loop that another process has compiled is found on disk, whatever its gains are."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.compiler import forget, identity
from gough.compiler.native import cache
from gough.compiler.native.recurrence import Recurrence
from gough.equations.control.laws import computed_torque_task
from gough.poses import displace
from gough.simulation import Sensors, closed_loop, computed_torque, real_plant, rigid_plant
from gough.simulation.closed_loop import CARRIED, ClosedLoop
from gough.simulation.controllers.sensors import Sampling

ROBOT = gough.load("demo-hexapod")
REFERENCE = np.tile([*displace(ROBOT.home, [0.01, 0, 0, 0, 0, 0]), *np.zeros(12)], (20, 1))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "kernels"))
    forget()
    yield
    forget()


def loop(kp=400.0, **parts):
    whole = ClosedLoop(rigid_plant(ROBOT), computed_torque(kp, 40.0, space="task"), ROBOT)
    return replace(whole, **parts)


def ran(of):
    return of.run(of.start(ROBOT.home), REFERENCE).memory


def test_a_loop_with_other_gains_is_not_traced_again(traced):
    first = ran(loop())
    assert "closed_loop" in traced
    traced.clear()
    assert np.array_equal(ran(loop()), first)
    stiffer = loop(900.0)
    found = ran(stiffer)
    assert not traced
    assert not np.array_equal(found, first)
    own = loop(900.0)
    own.__dict__["compiled_for_one"] = Recurrence(own.function, CARRIED, lanes=1)
    assert np.array_equal(ran(own), found)


def key(of):
    return identity.identity(closed_loop._recurrence, of.without_values, 1)


def test_a_run_says_how_far_it_is():
    done = []
    whole = loop()
    whole.run(whole.start(ROBOT.home), np.tile(REFERENCE, (200, 1)), advance=done.append)
    assert len(done) > 1
    assert sum(done) == 200 * len(REFERENCE)


def test_gains_are_not_in_the_key():
    assert key(loop(900.0)) == key(loop()) is not None


@pytest.mark.parametrize(
    "parts",
    [
        {"sampling": Sampling(2e-3)},
        {"sensors": Sensors(speed_filter=1e-2)},
        {"saturated": False},
        {"controller": computed_torque(400.0, 40.0)},
        {"plant": rigid_plant(ROBOT, ("platform.mass",))},
        {"plant": real_plant(ROBOT, drives=False)},
        {"robot": gough.load("kalani-2016")},
    ],
    ids=lambda parts: next(iter(parts)),
)
def test_all_else_is(parts):
    assert key(loop(**parts)) not in (key(loop()), None)


def test_a_law_that_is_not_in_the_sources_has_no_key():
    def own_law(*state):
        return computed_torque_task(*state)

    controller = replace(computed_torque(400.0, 40.0, space="task"), law=own_law)
    assert key(loop(controller=controller)) is None
