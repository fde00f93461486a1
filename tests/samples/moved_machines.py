"""Machines of many kinds in poses about home that they can take."""

import numpy as np

import gough
from gough.poses import displace


def moved(model, count, seed, far=0.04):
    """Poses (n, 7) about home, at which all legs can be closed."""
    rng = np.random.default_rng(seed)
    rows = model.robot.freedom_rows
    steps = rng.uniform(-far, far, (count, len(rows))) @ rows
    found = model.possible_pose(displace(np.array(model.robot.home), steps))
    closed = (found.status == gough.Status.CONVERGED) & np.isfinite(
        model.inverse_kinematics(found.pose)
    ).all(-1)
    return found.pose[closed]
