"""Kinds of joints: one table of degrees of freedom, elementary joints, and names in other formats.

Components are x, y, z (translations) and rx, ry, rz (rotations) of a joint's second body against
its first, x along the joint's axis; of a universal joint rx and ry are about its two axes, and rz
is about the direction across both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

COMPONENTS = tuple(range(6))
TRANSLATIONS = 3  # the first components are translations, the others rotations


class Step(NamedTuple):
    """A joint with one degree of freedom, of which others are composed."""

    kind: Literal["hinge", "slide", "screw"]
    axis: int  # number of the joint's axis; a ball joint has three arbitrary ones


@dataclass(frozen=True)
class JointKind:
    """Properties that depend only on the kind of a joint."""

    letter: str
    free: tuple[int, ...]  # components that it leaves free: its motion subspace
    steps: tuple[Step, ...]  # equivalent joints with one degree of freedom, first body to second
    axes: int  # number of axes that a description gives
    compliant: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Compliant components, by key of its bearing."""
    can_be_cut: bool = False
    """Whether it can close a loop by constraint rows; others stay in the tree, and their end is
    welded."""
    sdf: str | None = None  # its type in SDF; None where several are needed
    urdf_loop: Literal["fixed", "continuous", "prismatic"] | None = None  # type as a loop of URDF+

    @property
    def carried(self) -> tuple[int, ...]:
        """Components of force and moment that it carries: its constraint wrench subspace."""
        return tuple(k for k in COMPONENTS if k not in self.free)

    @property
    def is_fixed(self) -> bool:
        """Whether it has no degree of freedom."""
        return not self.free

    @property
    def slides(self) -> bool:
        """Whether its bodies move along its axis."""
        return self.is_screw or any(k < TRANSLATIONS for k in self.free)

    @property
    def is_screw(self) -> bool:
        """Whether rotation moves it along its axis."""
        return any(step.kind == "screw" for step in self.steps)

    @property
    def is_hinged(self) -> bool:
        """Whether all its axes are axes of rotation, which a mirror image reverses."""
        return self.axes > 0 and not self.slides

    @property
    def rotations(self) -> int:
        """Number of rotations that it leaves free."""
        return sum(k >= TRANSLATIONS for k in self.free)

    @property
    def tilts(self) -> bool:
        """Whether a link on it can tilt: it rotates about more than one axis."""
        return self.rotations > 1

    @property
    def is_ball(self) -> bool:
        """Whether it rotates about every axis."""
        return self.rotations == len(COMPONENTS) - TRANSLATIONS

    def step_names(self, joint: str) -> list[str]:
        """Return the names of a joint's steps: its own name of one, else NAME.1, NAME.2, ..."""
        single = len(self.steps) == 1
        return [joint] if single else [f"{joint}.{k}" for k, _ in enumerate(self.steps, 1)]

    def sliding_step(self, joint: str) -> str:
        """Return the name of the step by which a joint slides."""
        names = zip(self.step_names(joint), self.steps, strict=True)
        return next(name for name, step in names if step.kind != "hinge")


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
        JointKind("H", (3,), (Step("screw", 0),), 1),
        JointKind("C", (0, 3), (_HINGE, _SLIDE), 1, {"radial": (1, 2), "tilting": (4, 5)}),
        JointKind("U", (3, 4), (_HINGE, Step("hinge", 1)), 2, _POINT, True, "universal"),
        JointKind(
            "S", (3, 4, 5), tuple(Step("hinge", k) for k in range(3)), 0, _POINT, True, "ball",
        ),
        JointKind("fixed", (), (), 0, {}, False, "fixed", "fixed"),
    )
}  # fmt: skip
"""Kinds of joints by letter."""


class OfKind:
    """A joint whose type is a letter."""

    if TYPE_CHECKING:  # records declare it themselves, at its place among their keys
        type: str

    @property
    def kind(self) -> JointKind:
        """Properties of its type."""
        return JOINT_KINDS[self.type]


class BetweenBodies(OfKind):
    """A joint between two bodies, given by their names."""

    if TYPE_CHECKING:
        name: str
        between: tuple[str, str]

    @property
    def first(self) -> str:
        """Body from which positions count."""
        return self.between[0]

    @property
    def second(self) -> str:
        """Body to which positions count."""
        return self.between[1]

    def joins(self, body: str) -> bool:
        """Whether it is a joint of this body."""
        return body in self.between

    def beyond(self, body: str) -> str:
        """The body on the other side."""
        return self.second if self.first == body else self.first
