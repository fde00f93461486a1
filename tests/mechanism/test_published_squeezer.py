"""Andrews' squeezing mechanism: accelerations and forces in joints, as the test set prints them."""

import numpy as np

import gough
from benchmarks.published import andrews


def test_the_squeezer_accelerates_and_loads_its_joint_as_printed():
    """Seven bodies, a spring and three loops.

    The printed accelerations and forces at 0.03 s differ by 7e-8 from what the printed equations
    give for the printed angles and speeds: they were found less exactly than those.
    """
    model = gough.Model(andrews.squeezer())
    states = (
        (andrews.START[0], 0.0, andrews.ACCELERATED[0], andrews.LOADS, 1e-12),
        (andrews.ANGLES[0], andrews.SPEEDS[0], andrews.ACCELERATIONS[0], andrews.FORCES, 1e-7),
    )
    for angle, speed, printed, loads, exact in states:
        pose, twist = gough.pose([0, 0, 0], rpy=[0, 0, angle]), np.array([0, 0, 0, 0, 0, speed])
        second = model.forward_dynamics(pose, twist, [0.0], model.joint_wrench(pose, twist))
        np.testing.assert_allclose(second[5], printed, rtol=exact)
        forces = andrews.forces_at_E(model, pose, twist, second)[: len(loads)]
        np.testing.assert_allclose(forces, loads, atol=exact * np.abs(loads).max())
