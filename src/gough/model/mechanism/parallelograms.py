"""Rods that move alike on machines that do not turn: one of them carries what all share."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.equations.mechanism.joints import BASE, Slide
from gough.equations.mechanism.machine import Leg
from gough.equations.mechanism.tips import Rod, Tip
from gough.model.mechanism.traced import snapped
from gough.model.mechanism.trees import Tree


def shared_together(leg: Leg, tree: Tree) -> tuple[list[Any], Any]:
    """The shared masses of a leg's tips, those of rods that move alike in the first of them.

    Also ∫ r dm that this takes away, a constant [kg m]. The platform must not turn.
    """
    masses: list[Any] = [tip.shared_mass for tip in tree.tips]
    missing: Any = np.zeros(3)
    for k, tip in enumerate(leg.tips):
        first = next(i for i, other in enumerate(leg.tips) if i == k or _alike(leg, other, tip))
        if first != k:
            here, there = tree.tips[k], tree.tips[first]
            apart = here.at - there.at + here.held - there.held
            missing = missing + np.asarray(masses[k])[..., None] * apart
            masses[first], masses[k] = masses[first] + masses[k], 0.0
    return masses, missing


def _alike(leg: Leg, a: Tip, b: Tip) -> bool:
    """Whether both ends of two rods of the same arm move alike: a parallelogram."""
    rods = isinstance(a, Rod) and isinstance(b, Rod) and a.other is None and b.other is None
    if not rods or a.link != b.link or a.link == BASE or leg.joints[a.link].before != BASE:
        return False
    apart, size = np.array(a.point - b.point), float(np.linalg.norm(np.array(a.point)))
    return isinstance(leg.joints[a.link], Slide) or not snapped(apart[:2], size).any()
