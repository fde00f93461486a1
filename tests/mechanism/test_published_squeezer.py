"""Andrews' squeezing mechanism: accelerations and forces in joints, as the test set prints them."""

import numpy as np

import gough
from benchmarks.published import andrews


def test_the_squeezer_accelerates_and_loads_its_joint_as_printed():
    """Seven bodies, a spring and three loops.

    At 0.03 s by the equations of the test set at the printed angles and speeds: the printed
    accelerations and forces were found less exactly than those, to 1e-7.
    """
    model = gough.Model(andrews.squeezer())
    (second, *_), forces = andrews.by_equations(andrews.ANGLES, andrews.SPEEDS)
    np.testing.assert_allclose(forces, andrews.FORCES, atol=1e-7 * forces.max())
    states = (
        (andrews.START[0], 0.0, andrews.ACCELERATED[0], andrews.LOADS, 1e-12),
        (andrews.ANGLES[0], andrews.SPEEDS[0], second, forces, 2e-10),
    )
    for angle, speed, printed, loads, exact in states:
        pose, twist = gough.pose([0, 0, 0], rpy=[0, 0, angle]), np.array([0, 0, 0, 0, 0, speed])
        second = model.forward_dynamics(pose, twist, [0.0], model.joint_wrench(pose, twist))
        np.testing.assert_allclose(second[5], printed, rtol=exact)
        forces = andrews.forces_at_E(model, pose, twist, second)[: len(loads)]
        np.testing.assert_allclose(forces, loads, atol=exact * np.abs(loads).max())
