"""What joints are in other programs: hinges, slides and balls, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gough.exchange.tree.drawing import ANYWHERE, DrawnJoint, Travel


@dataclass(frozen=True)
class Freedom:
    """A hinge, a slide or a ball."""

    name: str
    kind: Literal["hinge", "slide", "ball"]
    axis: tuple[float, float, float] | None
    """Base frame, at home; none of a ball."""
    travel: Travel = ANYWHERE


def freedoms(joint: DrawnJoint) -> list[Freedom]:
    """A joint from its first body to its second; where there are two they are NAME.1 and NAME.2."""
    kind = joint.kind
    if kind.is_ball:
        return [Freedom(joint.name, "ball", None)]
    several = len(kind.steps) > 1
    travels = joint.travel or (ANYWHERE,) * len(kind.steps)
    return [
        Freedom(f"{joint.name}.{k}" if several else joint.name, step.kind, joint.axes[step.axis], t)
        for k, (step, t) in enumerate(zip(kind.steps, travels, strict=True), 1)
    ]
