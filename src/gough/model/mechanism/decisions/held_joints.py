"""Passive degrees of freedom that leave the platform where it is: their joints are held.

A pose does not determine them, so kernels of the pose hold them as they are at home: a pen on a pin
is welded to its platform, a wheel to its axle. Where they have inertia, their motion is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.model.mechanism.decisions.plans import independent_rows
from gough.model.mechanism.home.drawing import Drawing
from gough.model.mechanism.legs.trees import LegTree
from gough.robot.home.spanning import spanning_tree
from gough.robot.mechanism import PLATFORM

LETTERS = {(): "fixed", ("hinge",): "R", ("slide",): "P", ("hinge", "hinge"): "U"}
"""Kinds of joints by the steps that remain."""

HeldJoints = dict[str, tuple[str, tuple[Array, ...]]]
"""By joint, the type and the axes that remain."""


def hanging(drawing: Drawing) -> HeldJoints:
    """Return the joints of bodies that only the platform holds, all of which are held."""
    others = drawing.bodies.keys() - {PLATFORM}
    lost = others - {branch.body for branch in spanning_tree(drawing.joints, within=others)}
    joints = [joint for joint in drawing.joints if lost.intersection(joint.between)]
    for joint in joints:
        if joint.driven or joint.coupled:
            problem = "a motor or coupling moves a body that only the platform holds"
            expected = "motors that move the platform"
            raise RobotError(problem, key=joint.name, expected=expected)
    return {joint.name: ("fixed", ()) for joint in joints}


def held_joints(drawing: Drawing, trees: Sequence[LegTree], idle: Sequence[Array]) -> HeldJoints:
    """Return joints that hold all motions with the platform at rest, given by their columns."""
    steps = [step for tree in trees for step in tree.joints]
    passive = np.array([[not (step.driven or step.coupled)] for step in steps], dtype=float)
    chosen = {steps[k].name for k in independent_rows([x[: len(steps)] * passive for x in idle])}
    if len(chosen) < idle[0].shape[1]:
        problem = "motors or couplings move joints while the platform stands still"
        raise RobotError(problem, key="joints", expected="motors that move the platform")
    held: HeldJoints = {}
    for tree in trees:
        for joint in drawing.joints:
            names = joint.kind.step_names(joint.name)
            own = [step for step in tree.joints if step.name in names]
            if chosen.intersection(names) and own:
                free = [step for step in own if step.name not in chosen]
                sign = 1 if tree.links.get(joint.first) == own[0].before else -1
                axes = [sign * step.axis for step in free][::sign]
                held[joint.name] = LETTERS[tuple(step.kind for step in free)], tuple(axes)
    return held
