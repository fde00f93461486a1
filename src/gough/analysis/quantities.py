"""The quantities that a study can give: name, unit, meaning, and the groups to ask for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gough.analysis.results import unknown


@dataclass(frozen=True)
class Definition:
    """What a quantity is, apart from its values."""

    group: str
    unit: str
    meaning: str


def _defined(group: str, unit: str, **meanings: str) -> dict[str, Definition]:
    return {name: Definition(group, unit, meaning) for name, meaning in meanings.items()}


QUANTITIES: dict[str, Definition] = {
    **_defined("motion", "m, 1", pose="platform position and quaternion"),
    **_defined("motion", "m/s, rad/s", twist="velocity and angular velocity of the platform"),
    **_defined("motion", "m/s^2, rad/s^2", acceleration="time derivative of the twist"),
    **_defined("motion", "N, N m", wrench="what the tasks do to the platform, about its origin"),
    **_defined("legs", "m", leg_length="distance between a leg's two joints"),
    **_defined("legs", "m/s", leg_speed="rate of the leg length"),
    **_defined("legs", "m/s^2", leg_acceleration="second rate of the leg length"),
    **_defined("forces", "N", force="actuator force, positive when it extends the leg"),
    **_defined("forces", "W", power="actuator force times leg speed"),
    **_defined("forces", "J", energy="kinetic and potential energy of the machine"),
    **_defined("margins", "1", force_index="(max force - |force|) / max force"),
    **_defined("margins", "m", stroke_margin="how far a leg is from the nearer end of its stroke"),
    **_defined("margins", "m/s", speed_margin="max speed - |speed|"),
    **_defined("singularity", "1", condition="condition number of J, rotations scaled"),
    **_defined("singularity", "m^3", determinant="det J; zero where the actuators lose control"),
    **_defined(
        "singularity",
        "1",
        universal_joint_sine="sine of the angle between a leg and its base joint's first axis; "
        "zero where the joint cannot follow",
    ),
    **_defined(
        "joints",
        "rad",
        universal_joint_angle="turns about the base joint's two axes: the first from home, "
        "the second from square to the first axis",
        spherical_joint_tilt="angle of a leg to its home direction, seen from the platform",
        base_joint_tilt="angle of a leg to its home direction, seen from the base",
    ),
    **_defined(
        "shares",
        "N",
        gravity_share="share of the force that all weights need",
        inertia_share="share that the platform's acceleration needs",
        velocity_share="share that the platform's velocity needs",
        external_share="share that the tasks need",
    ),
    **_defined(
        "coupling",
        "N",
        platform_share="for the platform's own weight and inertia",
        leg_gravity_share="for the weight of the legs",
        tangential_share="for second rates of the legs' coordinates",
        coriolis_share="for products of a length's rate and an angular rate of a leg",
        centrifugal_share="for products of two angular rates of a leg",
        gravity_only_error="what a model leaves out that knows only the weight of the legs",
    ),
    **_defined("drives", "rad/s", motor_speed="how fast a motor turns"),
    **_defined("drives", "N m", motor_torque="torque of a motor's field"),
    **_defined("drives", "A", motor_current="current that a motor needs"),
    **_defined("drives", "V", motor_voltage="voltage that a motor needs"),
    **_defined("drives", "W", motor_power="electrical power of a motor"),
    **_defined(
        "reactions",
        "N",
        base_force="base on leg, at the base joint",
        platform_force="leg on platform, at the platform joint",
        slide_force="cylinder on piston, across the leg",
    ),
    **_defined(
        "reactions",
        "N m",
        base_moment="base on leg, what the universal joint blocks",
        slide_moment="cylinder on piston, about the platform joint",
    ),
}

GROUPS = tuple(dict.fromkeys(definition.group for definition in QUANTITIES.values()))

ALWAYS = ("pose", "leg_length", "leg_speed", "force", "power", "determinant")
"""What a study gives whatever is asked: without them nothing can be summed up or warned of."""


ELECTRICAL = ("motor_current", "motor_voltage", "motor_power")
"""What is given together: with inductances, none is known without the others."""


def wanted(names: Iterable[str]) -> frozenset[str]:
    """The quantities behind names of quantities and groups; "all" is every one."""
    found = set(ALWAYS)
    for name in names:
        if name == "all":
            found |= set(QUANTITIES)
        elif name in GROUPS:
            found |= {q for q, definition in QUANTITIES.items() if definition.group == name}
        elif name in QUANTITIES:
            found.add(name)
        else:
            raise unknown("quantity or group", name, dict.fromkeys(("all", *GROUPS, *QUANTITIES)))
    if not found.isdisjoint(ELECTRICAL):
        found |= set(ELECTRICAL)
    return frozenset(found)
