"""Minimum-norm reactions of a machine, where an overconstrained one leaves them undetermined."""

import numpy as np
from numpy.typing import ArrayLike

from gough.errors import GoughError
from gough.model.kernels import JointReactions, Kernels
from gough.model.mechanism.decisions import statics
from gough.model.mechanism.reading import analysed
from gough.poses.given import finite_or_none
from gough.robot import Mechanism


def minimum_norm_reactions(
    model: Kernels,
    pose: ArrayLike,
    twist: ArrayLike | None,
    acceleration: ArrayLike | None,
    wrench: ArrayLike | None,
) -> JointReactions:
    """Return `JointReactions` (..., joints, 3) of minimum norm, moments over the machine's size."""
    robot = model.own_robot("minimum_norm_reactions", of_forces=True)
    if not isinstance(robot, Mechanism):
        raise GoughError(
            f"{robot.name}: the reactions of a hexapod are all determined; expected reactions(…)"
        )
    found, at = analysed(robot), finite_or_none(pose, "pose", 7)
    rest = [np.zeros(6) if x is None else x for x in (twist, acceleration, wrench)]
    axes, batch = model.reaction_axes(at), at.shape[:-1]
    known = [np.isfinite(part).reshape(*batch, -1).all(-1) for part in axes]
    lost = ~np.logical_and.reduce(known)[..., None, None]
    parts = statics.minimum_norm_reactions(
        found.machine.description.loads.bearings,
        found.masses.size,
        model.all_reactions(at, *rest),
        type(axes)(*(np.where(np.isfinite(part), part, 0.0) for part in axes)),
    )
    return JointReactions(*(np.where(lost, np.nan, part) for part in parts))
