"""Kinds of joints: one table of what each leaves free, what it is made of, how others call it.

Components are x, y, z (translations) and rx, ry, rz (rotations) of a joint's second body against
its first, x along the joint's axis; of a universal joint rx and ry are about its two axes, and rz
is about what is across both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

COMPONENTS = tuple(range(6))
TRANSLATIONS = 3
"""The first components are translations, the others rotations."""


class Step(NamedTuple):
    """A joint of one degree of freedom, of which others are made."""

    kind: Literal["hinge", "slide"]
    axis: int
    """Number of the joint's axis; a ball joint has three of its own choice."""


@dataclass(frozen=True)
class JointKind:
    """Everything that depends on the kind of a joint alone."""

    letter: str
    free: tuple[int, ...]
    """Components that it leaves free: its motion subspace."""
    steps: tuple[Step, ...]
    """Joints of one degree of freedom that it is, from its first body to its second."""
    axes: int
    """Number of axes that a description gives."""
    yields: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By key of its bearing, the components in which that yields."""
    can_be_cut: bool = False
    """Whether it can close a loop by constraint rows; others are kept, and their end is welded."""
    sdf: str | None = None
    """Its type in SDF; None where it takes several."""
    urdf_loop: Literal["fixed", "continuous", "prismatic"] | None = None
    """Its type as a loop of URDF+."""

    @property
    def carried(self) -> tuple[int, ...]:
        """Components of force and moment that it carries: its constraint wrench subspace."""
        return tuple(k for k in COMPONENTS if k not in self.free)

    @property
    def is_fixed(self) -> bool:
        """Whether it leaves nothing free."""
        return not self.free

    @property
    def slides(self) -> bool:
        """Whether it leaves a translation free."""
        return any(k < TRANSLATIONS for k in self.free)

    @property
    def is_hinged(self) -> bool:
        """Whether all its axes are axes of rotation, which a mirror image turns round."""
        return self.axes > 0 and not self.slides

    @property
    def rotations(self) -> int:
        """Number of rotations that it leaves free."""
        return sum(k >= TRANSLATIONS for k in self.free)

    @property
    def tilts(self) -> bool:
        """Whether a link on it can tilt: it turns about more than one axis."""
        return self.rotations > 1

    @property
    def is_ball(self) -> bool:
        """Whether it turns about every axis."""
        return self.rotations == len(COMPONENTS) - TRANSLATIONS

    def step_name(self, joint: str, kind: str) -> str:
        """Name of the first step of a kind, of a joint of this name."""
        k = next(k for k, step in enumerate(self.steps, 1) if step.kind == kind)
        return joint if len(self.steps) == 1 else f"{joint}.{k}"


_HINGE, _SLIDE = Step("hinge", 0), Step("slide", 0)
_POINT = {"radial": (0, 1, 2)}

JOINT_KINDS = {
    kind.letter: kind
    for kind in (
        JointKind(
            "R", (3,), (_HINGE,), 1, {"axial": (0,), "radial": (1, 2), "tilting": (4, 5)},
            True, "revolute", "continuous",
        ),
        JointKind(
            "P", (0,), (_SLIDE,), 1, {"radial": (1, 2), "tilting": (3, 4, 5)},
            False, "prismatic", "prismatic",
        ),
        JointKind("C", (0, 3), (_HINGE, _SLIDE), 1, {"radial": (1, 2), "tilting": (4, 5)}),
        JointKind("U", (3, 4), (_HINGE, Step("hinge", 1)), 2, _POINT, True, "universal"),
        JointKind(
            "S", (3, 4, 5), tuple(Step("hinge", k) for k in range(3)), 0, _POINT, True, "ball",
        ),
        JointKind("fixed", (), (), 0, {}, False, "fixed", "fixed"),
    )
}  # fmt: skip
"""By letter."""


class OfKind:
    """A joint that says its type by a letter."""

    if TYPE_CHECKING:  # records declare it themselves, at its place among their keys
        type: str

    @property
    def kind(self) -> JointKind:
        """What its type says of it."""
        return JOINT_KINDS[self.type]
