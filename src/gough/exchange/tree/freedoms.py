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
    name, axes, travel = joint.name, joint.axes, joint.travel
    one, two = f"{name}.1", f"{name}.2"
    match joint.type:
        case "R":
            return [Freedom(name, "hinge", axes[0], travel[0])]
        case "P":
            return [Freedom(name, "slide", axes[0], travel[0])]
        case "C":
            along, about = travel
            return [Freedom(one, "slide", axes[0], along), Freedom(two, "hinge", axes[0], about)]
        case "U":
            return [Freedom(one, "hinge", axes[0]), Freedom(two, "hinge", axes[1])]
        case "S":
            return [Freedom(name, "ball", None)]
        case _:
            return []
