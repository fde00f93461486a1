"""Plants with drives, compliant legs, friction and stops: at rest, energy, special cases."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.equations.legs.extensible import MODES
from gough.errors import RobotError
from gough.simulation import real_plant, rigid_plant
from gough.simulation.integrators import largest_stable_step, plant_eigenvalues

ROBOT = gough.load("demo-hexapod")
HOME = np.array(ROBOT.home)
NO_WRENCH = np.zeros(6)


@pytest.mark.parametrize("drives", [False, True])
@pytest.mark.parametrize("legs", MODES)
def test_the_holding_command_holds(legs, drives):
    plant = real_plant(ROBOT, legs=legs, drives=drives)
    state = plant.start(HOME)
    rates = plant.rate_kernel(state, plant.holding(HOME), NO_WRENCH)
    np.testing.assert_allclose(rates, 0, atol=1e-8)


def test_without_any_extra_it_is_the_rigid_plant():
    rng = np.random.default_rng(0)
    data = ROBOT.to_dict()
    del data["leg"]["connector"]  # whose friction C_t stays when nothing yields
    robot = gough.Robot.from_dict(data)
    plain = real_plant(robot, drives=False, joint_friction=False, stops=False)
    rigid = rigid_plant(ROBOT)
    state = np.concatenate([HOME, 0.2 * rng.normal(size=6)])
    force, wrench = 100 * rng.normal(size=(2, 6))
    np.testing.assert_allclose(
        plain.rate_kernel(state, force, wrench), rigid.rate_kernel(state, force, wrench), rtol=1e-9
    )


def test_payloads_may_vary_from_run_to_run():
    plant = real_plant(ROBOT, varied=("platform.mass",))
    state = plant.start(HOME)
    command = plant.holding(HOME)
    heavier = np.array([[150.0], [200.0]])
    rates = plant.rate_kernel(state, command, NO_WRENCH, heavier)
    assert abs(rates[0, 9]) < 1e-8
    assert rates[1, 9] < -0.1


def test_a_robot_without_drives_says_so():
    with pytest.raises(RobotError) as refused:
        real_plant(gough.load("kalani-2016"))
    assert (refused.value.key, refused.value.problem) == ("legs[0].drive", "missing")


@pytest.mark.parametrize("legs", MODES)
def test_one_millisecond_is_a_stable_step_for_the_demo(legs):
    plant = real_plant(ROBOT, legs=legs)
    state = plant.start(HOME)
    largest, _ = largest_stable_step(plant_eigenvalues(plant, state, plant.holding(HOME)))
    assert largest > 1e-3
