"""The page of every library robot: its numbers and its travel are Python's, nothing goes wrong.

Not part of the suite, as it takes minutes: `pytest tests/workbench/check_every_robot.py`.
"""

import numpy as np
import pytest
from page_numbers import same_as_python, same_travel, takes_only_what_it_can

import gough
from gough.kinematics.samples import random_poses


@pytest.mark.parametrize("robot", gough.library_names())
def test_numbers_and_travel_are_pythons(bench, robot):
    opened = bench(robot)
    opened.press_all("summary")
    for pose in (opened.pose, *random_poses(opened.model, 2, np.random.default_rng(4))):
        takes_only_what_it_can(opened, pose)
        same_as_python(opened)
        same_travel(opened)
