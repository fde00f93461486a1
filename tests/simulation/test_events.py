"""Why a run ended: legs that pass the first axis of their universal joint."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.simulation import rigid_plant
from gough.simulation.events import first_ending


@pytest.mark.parametrize("beside", [0.0, 1e-6, 1e-4])
def test_a_leg_that_passes_its_first_axis_ends_the_run_there(beside):
    robot = gough.load("kalani-2016")
    leg, tilt = robot.legs[2], Rotation.from_rotvec([0.3, -0.4, 0.2])
    axis = np.array(leg.first_axis)
    across = np.cross(axis, [0, 0, 1.0])
    time = np.linspace(0, 1, 101)
    height = 0.1 * (0.407 - time)[:, None]  # from above the axis to below it, at no sample on it
    span = 1.1 * axis + height * [0, 0, 1.0] + beside * across
    poses = gough.pose(np.array(leg.base) + span - tilt.apply(leg.platform), rotation=tilt)
    states = np.concatenate([poses, np.zeros((101, 6))], -1)
    ending = first_ending(rigid_plant(robot), time, states, np.zeros((101, 6)))
    assert (ending.kind, ending.time) == ("singular", pytest.approx(0.41))
    assert ending.text.startswith("leg 3 passed the first axis of its universal joint at t = 0.41")
