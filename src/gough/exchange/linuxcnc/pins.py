"""The pins of a component: named as those of `genhexkins` where they mean the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gough.errors import GoughError
from gough.kinematics.forward.precision import AT_MOST, DOUBLE
from gough.model.machines import Machines

_MILLIMETRES = 1000.0
_LONGEST_NAME = 47
"""Of a pin, with the component's [hal.h: HAL_NAME_LEN]."""


@dataclass(frozen=True)
class Pin:
    """A pin: "in" or "out", its type, its name behind the component's, its meaning."""

    way: str
    kind: str
    name: str
    words: str
    value: float = 0
    """Before anybody sets it."""

    @property
    def declared(self) -> str:
        """Its line in the component's file."""
        return f'pin {self.way} {self.kind} {self.name} = {self.value} "{self.words}";'

    @property
    def in_code(self) -> str:
        """What the component's code reads or writes."""
        return f"*pins->{re.sub(r'[-.]', '_', self.name)}"


COMMON = (
    Pin(
        "in",
        "float",
        "units-per-metre",
        "machine units in a metre; of inches 39.3701",
        _MILLIMETRES,
    ),
    Pin(
        "in", "float", "spindle-offset", "how far the spindle's nose is below the platform's origin"
    ),
    Pin("in", "float", "tool-offset", "how far the tool's tip is below that: motion.tooloffset.z"),
    Pin(
        "in",
        "float",
        "convergence-criterion",
        "the largest last step: lengths over the machine's size, angles in radians",
        DOUBLE.tolerance,
    ),
    Pin("in", "unsigned", "limit-iterations", f"more fail; {AT_MOST} are the most", AT_MOST),
    Pin("out", "unsigned", "last-iterations", "steps of the last search for a pose"),
    Pin("out", "unsigned", "max-iterations", "the most steps of a search that found a pose"),
    Pin(
        "out", "float", "residual", "largest miss of a joint by the last pose, in metres or radians"
    ),
    Pin("out", "signed", "status", "how the last search ended, see above"),
    Pin("out", "bit", "fwd-kins-fail", "whether the last search found no pose to rely on"),
)
"""Of every component."""

SCREW_LEAD = Pin(
    "in", "float", "screw-lead", "of screws that turn with their struts; right-handed: > 0"
)


def lengths(machines: Machines) -> list[Pin]:
    """Lengths of a machine [machine units], in the order in which equations take them."""
    values: list[float] = machines.values.tolist() if machines.family else []
    return [
        Pin("in", "float", _of_file(name), f"{name} of the machine", _in_millimetres(value))
        for name, value in zip(machines.family, values, strict=True)
    ]


def joint_axes(legs: int) -> list[Pin]:
    """Unit vectors along the axes of universal joints: at the base of all legs, at the platform."""
    return [
        Pin("in", "float", f"{end}-n.{leg}.{axis}", f"joint axis at the {end}, in its own axes")
        for end in ("base", "platform")
        for leg in range(legs)
        for axis in "xyz"
    ]


def screw_corrections(legs: int) -> list[Pin]:
    """What the turns of struts add to the readings of joints."""
    return [
        Pin("out", "float", f"correction.{leg}", "by the turn of the strut") for leg in range(legs)
    ]


def check_names(component: str, pins: Iterable[Pin]) -> None:
    """Refuse names that are too long for LinuxCNC."""
    for pin in pins:
        full = f"{component.replace('_', '-')}.{pin.name}"
        if len(full) > _LONGEST_NAME:
            raise GoughError(
                f"{full} is too long for a pin of LinuxCNC: {len(full)} characters; expected at "
                f"most {_LONGEST_NAME}: give the robot a shorter name"
            )


def _of_file(name: str) -> str:
    """The pin of a number of a robot file: of `legs[2].base.x` it is `base.2.x`."""
    of_leg = re.fullmatch(r"legs\[(\d+)\]\.(base|platform)\.([xyz])", name)
    if of_leg:
        leg, end, axis = of_leg.groups()
        return f"{end}.{leg}.{axis}"
    return re.sub(r"\[(\d+)\]", r".\1", name).replace("_", "-")


def _in_millimetres(length: float) -> float:
    return float(f"{length * _MILLIMETRES:.15g}")
