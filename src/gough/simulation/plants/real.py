"""Plants of robots: rigid bodies, or all effects that their files state, in any combination."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from gough.arrays import Array
from gough.equations.forces.contact import ContactSurface
from gough.equations.legs.extensible import Mode
from gough.errors import GoughError, InputError
from gough.model.actuators import (
    connectors_of,
    joint_frictions_of,
    stops_of,
    transmission_frictions_of,
)
from gough.robot import Robot
from gough.simulation.plants.actuators import Amplifiers, Drives, IdealActuators
from gough.simulation.plants.beside import BallOnPlate, BaseBody, FloatingBase, RollingBall
from gough.simulation.plants.connectors import Connectors, Valves, ValveSetting
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.transmission import (
    RIGID_JOINTS,
    AllJoints,
    FlexibleLinks,
    Transmission,
)

Links = Literal["rigid", "flexible"]
PlantCoordinates = Literal["pose", "joints"]
LINKS: tuple[Links, ...] = get_args(Links)


def rigid_plant(robot: Robot, varied: tuple[str, ...] = (), values: Array | None = None) -> Plant:
    """Return a rigid machine with ideal actuators: the command is the force of each [N, N m].

    All springs act, and dampers between bodies; nothing else is lost. The state is pose and twist.
    """
    return Plant(robot=robot, actuation=IdealActuators.of(robot), varied=varied, values=values)


def real_plant(
    robot: Robot,
    *,
    legs: Mode = "rigid",
    links: Links = "rigid",
    coordinates: PlantCoordinates = "pose",
    drives: bool = True,
    joint_friction: bool = True,
    stops: bool = True,
    surface: ContactSurface | None = None,
    valves: Sequence[ValveSetting] = (),
    floating_base: BaseBody | None = None,
    ball: BallOnPlate | None = None,
    varied: tuple[str, ...] = (),
) -> Plant:
    """Return the robot with the actuators, legs, joints and stops of its file.

    The command is the voltage of each motor [V] or, without drives, the force of each actuator
    [N, N m]. Compliant legs, which only hexapods have, are in one of the operating modes of
    `connector`; the measurement is then the actuator position of rigid legs, the compression of
    the coupling stage and the force in the connector. Links that are "flexible" bend as the `beam`
    of the bodies in its file states; the measurement is that of the motors. With "joints" as
    `coordinates` the positions of all joints of a rigid mechanism are states: a run goes on through
    change points and dead centres, in which the pose does not say how the joints are; then only
    joints of the tree with one degree of freedom may have friction. `valves`
    change the mode of compliant legs during a run, which begins in that of `legs`. A `surface` is
    one that the platform may touch; a force sensor measures its wrench as well. A `floating_base`
    is a body that nothing holds: the platform moves relative to it. A `ball` rolls on the platform.
    """
    if links not in LINKS:
        raise GoughError(f"links are {links!r}; expected one of {', '.join(LINKS)}")
    if coordinates not in get_args(PlantCoordinates):
        raise GoughError(f"coordinates are {coordinates!r}; expected pose or joints")
    transmission: Transmission = RIGID_JOINTS
    if (beside := _beside(floating_base, ball)) is not None:
        if (legs, links, coordinates, surface, len(valves)) != ("rigid", "rigid", "pose", None, 0):
            key = "plant.floating_base" if ball is None else "plant.ball"
            expected = 'rigid legs and links, coordinates "pose", no surface'
            raise InputError("not of such a plant", key=key, expected=expected)
        transmission = beside
    elif valves:
        if (links, coordinates) != ("rigid", "pose"):
            expected = 'rigid links, and coordinates "pose"'
            raise InputError("not used", key="plant.valves", expected=expected)
        if surface is None and any(setting.time is None for setting in valves):
            raise InputError("no surface", key="plant.valves", expected="one, or times alone")
        found = Valves.of(robot, legs, valves)
        transmission = Connectors(found.connectors, found)
    elif legs != "rigid" and not (robot.has_extensible_legs and links == "rigid"):
        raise GoughError(
            f"{robot.name}: legs are {legs!r}; only extensible legs of hexapods (gough/1) with "
            "rigid links have compliant connectors; expected 'rigid'"
        )
    elif coordinates == "joints" and links == "rigid":
        transmission = AllJoints.of(robot)
    elif robot.has_extensible_legs and links == "rigid":
        transmission = Connectors(connectors_of(robot, legs))
    elif links == "flexible":
        transmission = FlexibleLinks.of(robot)
    ends, frictions = stops_of(robot) if stops else (), joint_frictions_of(robot)
    frictions = frictions if joint_friction else ()
    if beside is not None:
        frictions += transmission_frictions_of(robot)
    return Plant(
        robot=robot,
        varied=varied,
        transmission=transmission,
        actuation=Drives.of(robot) if drives else IdealActuators.of(robot),
        frictions=frictions,
        stops={k: stop for k, stop in enumerate(ends) if stop is not None},
        surface=surface,
    )


def _beside(floating_base: BaseBody | None, ball: BallOnPlate | None) -> Transmission | None:
    """Return the machine with a body beside its own: its base, or a ball."""
    if ball is None:
        return None if floating_base is None else FloatingBase(floating_base)
    if floating_base is not None:
        raise InputError("not with a ball", key="plant.floating_base", expected="one of them")
    return RollingBall(ball)


def force_commanded(plant: Plant) -> Plant:
    """Return the plant of drives, commanded by forces instead of voltages, through amplifiers."""
    if not isinstance(plant.actuation, Drives):
        raise GoughError(f"the plant's command is a {plant.command.name}; expected voltages")
    return replace(plant, actuation=Amplifiers.of(plant.robot))
