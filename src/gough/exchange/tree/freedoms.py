"""Joints as other programs have them: hinges, slides and balls, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gough.robot.home.configuration import ANYWHERE, HomeJoint, Travel


@dataclass(frozen=True)
class Freedom:
    """A hinge, a slide or a ball."""

    name: str
    kind: Literal["hinge", "slide", "screw", "ball"]
    axis: tuple[float, float, float] | None
    """Base frame, at home; none of a ball."""
    travel: Travel = ANYWHERE


def freedoms(joint: HomeJoint) -> list[Freedom]:
    """A joint from its first body to its second; where there are two they are NAME.1 and NAME.2."""
    kind = joint.kind
    if kind.is_ball:
        return [Freedom(joint.name, "ball", None)]
    travels = joint.travel or (ANYWHERE,) * len(kind.steps)
    parts = zip(kind.step_names(joint.name), kind.steps, travels, strict=True)
    return [Freedom(name, step.kind, joint.axes[step.axis], travel) for name, step, travel in parts]
