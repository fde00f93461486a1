"""Library of controllers, each made from its gains."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.equations.control import laws
from gough.equations.control.signals import SIZE as ESTIMATE_SIZE
from gough.equations.forces.contact import ContactSurface
from gough.errors import GoughError
from gough.simulation.controllers.controller import (
    BETWEEN_ACTUATORS,
    FORCES,
    FREEDOMS,
    PER_ACTUATOR,
    PER_AXIS,
    PER_FREEDOM,
    VOLTAGES,
    Controller,
    ControllerState,
    Gain,
    gains_of,
)
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.transmission import CONNECTORS, COUPLINGS

_JOINT = {"kp": "N/m", "kd": "N s/m", "ki": "N/(m s)", "kv": "N s/m", "coupling": "N/m"}
_POLES = {"kp": "1/s^2", "kd": "1/s", "ki": "1/s", "kf": "1/s", "leak": "1/s"}
_IMPEDANCE = {
    "mass": "kg, kg m^2", "damping": "N s/m, N m s/rad", "stiffness": "N/m, N m/rad",
    "wrench": "N, N m",
}  # fmt: skip
_NUMBERS = {"near": "1", "load": "1", "selection": "1"}
"""Units of gains: on joints, of poles, of impedances of the platform, and without unit."""


def _of_platform(_: Plant, pose: Array, twist: Array) -> Array:
    return np.concatenate([pose, twist])


def _held(plant: Plant, pose: Array, _: Array) -> Array:
    return plant.holding(pose)


_WORDS = "integral part of the forces; initially"
_POSE = "pose and twist at the last sample; initially those of the platform"
_ESTIMATE = ControllerState("estimate", (ESTIMATE_SIZE,), _POSE, _of_platform, of_platform=True)
_AT_REST = "the forces that hold the machine at rest"
_HOLDING = ControllerState("integral", PER_ACTUATOR, f"{_WORDS} {_AT_REST}", _held)
_ACCELERATION = ControllerState(
    "acceleration", PER_AXIS, "of the platform, from the last forces; initially zero"
)
_LAST = ControllerState("last", PER_ACTUATOR, f"the last forces; initially {_AT_REST}", _held)
_INTEGRAL = ControllerState("integral", PER_ACTUATOR, f"{_WORDS} zero")
_PUSHED = ControllerState("integral", PER_AXIS, "integral part of the wrench; initially zero")
_DISPLACEMENT = ControllerState(
    "displacement", (2, FREEDOMS), "from the reference, and its rate; initially zero"
)


def joint_pid(kp: ArrayLike, kd: ArrayLike, ki: ArrayLike = 0.0, kv: ArrayLike = 0.0) -> Controller:
    """PID of the actuators' positions, with anti-windup and velocity feed-forward; or a PD.

    Gains are numbers, and each actuator is controlled for itself, or n x n matrices that couple
    the n actuators: kp [N/m], kd [N s/m], ki [N/(m s)], and kv [N s/m] for the wanted speed; for
    rotary actuators [N m/rad] and so on. It begins with the forces that hold the machine;
    without ki these remain the only constant forces.
    """
    gains = gains_of(BETWEEN_ACTUATORS, _JOINT, kp=kp, kd=kd, ki=ki, kv=kv)
    integral, forward = (gain.values.any() for gain in gains[2:])
    words = f"{'PID' if integral else 'PD'} of the actuators{_coupling(gains)}"
    words += "" if integral else ", without integral part"
    words += ", with velocity feed-forward" if forward else ""
    return Controller("joint-pid", words, laws.joint_pid, gains, (_HOLDING,))


def pd_gravity(kp: ArrayLike, kd: ArrayLike) -> Controller:
    """PD of the actuators' positions, plus the forces that hold all weights.

    Gains are numbers, or n x n matrices that couple the n actuators: kp [N/m, N m/rad], kd
    [N s/m, N m s/rad].
    """
    gains = gains_of(BETWEEN_ACTUATORS, _JOINT, kp=kp, kd=kd)
    words = f"PD of the actuators{_coupling(gains)}, and the forces that hold all weights"
    return Controller("pd-gravity", words, laws.pd_gravity, gains, (_ESTIMATE,))


def feed_forward(kp: ArrayLike, kd: ArrayLike, *, drives: bool = False) -> Controller:
    """The forces that the reference needs, and PD of the actuators' positions.

    Gains are numbers, or n x n matrices that couple the n actuators: kp [N/m, N m/rad], kd
    [N s/m, N m s/rad]. With `drives` the forces also include those for the inertia and viscous
    friction of the robot's drives, without dry friction.
    """
    gains = gains_of(BETWEEN_ACTUATORS, _JOINT, kp=kp, kd=kd)
    words = f"PD of the actuators{_coupling(gains)}, and the forces that the reference needs"
    return Controller("feed-forward", words, laws.feed_forward, gains, drives=drives)


def gravity_feed_forward(kp: ArrayLike, kd: ArrayLike) -> Controller:
    """The forces of the reference by a model whose legs have weight alone, and PD of positions.

    The platform's inertia counts, that of the legs does not [Baiges 1996, 8.2]. Gains as those of
    `feed_forward`.
    """
    gains = gains_of(BETWEEN_ACTUATORS, _JOINT, kp=kp, kd=kd)
    words = f"PD of the actuators{_coupling(gains)}, and the forces of a model without leg inertia"
    return Controller("gravity-feed-forward", words, laws.gravity_feed_forward, gains)


def computed_torque(
    kp: ArrayLike, kd: ArrayLike, *, space: str = "joint", drives: bool = False
) -> Controller:
    """Computed torque on the actuators' positions (space "joint") or on the platform's ("task").

    kp [1/s^2] and kd [1/s] are numbers, or one per actuator or degree of freedom. With `drives`
    the law includes the inertia and viscous friction of the robot's drives, without dry friction.
    """
    spaces = {
        "joint": ("", "the actuators", laws.computed_torque_joint, PER_ACTUATOR),
        "task": ("-task", "the platform", laws.computed_torque_task, PER_FREEDOM),
    }
    if space not in spaces:
        raise GoughError(f"unknown space {space!r}; expected 'joint' or 'task'")
    suffix, errors, law, form = spaces[space]
    gains, words = gains_of(form, _POLES, kp=kp, kd=kd), f"computed torque on {errors}"
    return Controller(f"computed-torque{suffix}", words, law, gains, (_ESTIMATE,), drives=drives)


def crossing_torque(kp: ArrayLike, kd: ArrayLike, *, near: float = 0.05) -> Controller:
    """Computed torque on the platform that passes parallel singularities on purpose.

    kp [1/s^2] and kd [1/s] are numbers, or one per degree of freedom. `near` is the fraction of the
    maximum pivot of J below which the weakest direction is left out: there the motion must be one
    that can cross, as found by `gough.crossing_motion`.
    """
    if not (isinstance(near, int | float) and 0 < near < 1):
        raise GoughError(f"near is {near!r}; expected a share above 0 and below 1")
    gains = gains_of(PER_FREEDOM, _POLES, kp=kp, kd=kd) + gains_of((), _NUMBERS, near=near)
    words = "computed torque on the platform, near singularities by the well-conditioned part alone"
    law, states = laws.crossing_torque, (_ESTIMATE, _ACCELERATION, _LAST)
    return Controller("crossing-torque", words, law, gains, states, crosses=True)


def admittance(
    mass: ArrayLike,
    damping: ArrayLike,
    stiffness: ArrayLike,
    kp: ArrayLike,
    kd: ArrayLike,
    *,
    drives: bool = False,
) -> Controller:
    """Admittance control: the platform follows a measured wrench as a mass on spring and damper.

    mass [kg, kg m^2], damping [N s/m, N m s/rad] and stiffness [N/m, N m/rad] are numbers or one
    per degree of freedom; kp [1/s^2] and kd [1/s] are those of the computed torque inside. With
    `drives` it includes the drives' inertia and viscous friction.
    """
    given = {"mass": mass, "damping": damping, "stiffness": stiffness, "kp": kp, "kd": kd}
    gains = gains_of(PER_FREEDOM, _IMPEDANCE | _POLES, **given)
    if not (gains[0].values > 0).all():
        raise GoughError(f"admittance: mass is {mass!r}; expected above 0")
    words = "the platform follows a measured wrench as a mass on spring and damper"
    law, states = laws.admittance, (_ESTIMATE, _DISPLACEMENT)
    return Controller("admittance", words, law, gains, states, drives=drives)


def open_loop(load: ArrayLike = 1.0, *, command: str = "force") -> Controller:
    """Forces or drive voltages that the reference needs, without feedback.

    The forces are multiplied by `load`, a number or one per actuator. With zero load, voltages
    are those with which each drive alone would follow its joint's position.
    """
    commands = {
        "force": (laws.open_loop_forces, FORCES),
        "voltage": (laws.open_loop_voltages, VOLTAGES),
    }
    if command not in commands:
        raise GoughError(f"unknown command {command!r}; expected 'force' or 'voltage'")
    law, given = commands[command]
    gains = gains_of(PER_ACTUATOR, _NUMBERS, load=load)
    knows = command == "voltage"
    words = f"the {command}s that the reference needs, whatever is measured"
    return Controller("open-loop", words, law, gains, command=given, open_loop=True, drives=knows)


def implicit_force(
    wrench: ArrayLike,
    selection: ArrayLike,
    coupling: ArrayLike,
    kp: ArrayLike,
    kd: ArrayLike,
    ki: ArrayLike = 0.0,
    *,
    stiffness: ArrayLike = 0.0,
    damping: ArrayLike = 0.0,
    surface: ContactSurface | None = None,
) -> Controller:
    """The platform pushes with a wrench, made by compressing the coupling stages of its legs.

    `selection` (6) is 1 along axes where the platform is to do `wrench` (6) [N, N m] to the world,
    0 where `stiffness` [N/m, N m/rad] and `damping` [N s/m, N m s/rad] hold it to the reference.
    Where it pushes, `damping` resists its motion: without contact it moves at wrench / damping.
    Axes are those of the base at the platform's origin or, of a known `surface`, at the tool, z
    along the normal into it. `coupling` [N/m] is K_c as the controller knows it; kp [N/m], ki
    [N/(m s)] and kd [N s/m] move each actuator until the compression is right. Numbers, or one per
    axis or leg.
    """
    units = _IMPEDANCE | _NUMBERS
    pushing = _pushing(wrench, selection)
    compressing = gains_of(PER_ACTUATOR, _JOINT, coupling=coupling, kp=kp, kd=kd, ki=ki)
    holding = gains_of(PER_AXIS, units, stiffness=stiffness, damping=damping)
    if not (compressing[0].values > 0).all():
        raise GoughError(f"coupling is {coupling!r}; expected a stiffness above 0 N/m")
    gains = (*pushing, *compressing, *holding)
    words = "the platform pushes with a wrench, by compressing the coupling stages of its legs"
    law, states = laws.implicit_force, (_ESTIMATE, _INTEGRAL)
    name, springs = "implicit-force", COUPLINGS
    return Controller(name, words, law, gains, states, springs=springs, surface=surface)


def hybrid_force(
    wrench: ArrayLike,
    selection: ArrayLike,
    kp: ArrayLike,
    kd: ArrayLike,
    ki: ArrayLike,
    damping: ArrayLike,
    *,
    surface: ContactSurface | None = None,
    drives: bool = False,
) -> Controller:
    """Hybrid control: a measured force along some axes, computed torque along the others.

    `selection` (6) is 1 along axes where the platform is to do `wrench` (6) [N, N m] to the world,
    corrected by ki [1/s], while `damping` [N s/m, N m s/rad] resists its motion as in
    `implicit_force`, whose axes it has. Along the others kp [1/s^2] and kd [1/s] follow the
    reference. Numbers, or one per axis. With `drives` it knows the robot's drives.
    """
    gains = _pushing(wrench, selection) + gains_of(
        PER_AXIS, _IMPEDANCE | _POLES, kp=kp, kd=kd, ki=ki, damping=damping
    )
    words = "the platform pushes with a measured wrench along some axes, and follows along others"
    law, states = laws.hybrid_force, (_ESTIMATE, _PUSHED)
    return Controller("hybrid-force", words, law, gains, states, drives=drives, surface=surface)


def _pushing(wrench: ArrayLike, selection: ArrayLike) -> tuple[Gain, ...]:
    """Return the gains of a wrench, and of the axes along which it is done."""
    gains = gains_of(PER_AXIS, _IMPEDANCE | _NUMBERS, wrench=wrench, selection=selection)
    if not np.isin(gains[1].values, (0.0, 1.0)).all():
        raise GoughError(f"selection is {selection!r}; expected 0 or 1 for each axis")
    return gains


def active_damping(
    kp: ArrayLike, kd: ArrayLike, kf: ArrayLike, leak: ArrayLike = 0.0, *, drives: bool = False
) -> Controller:
    """Position control of the legs, with integral feedback of the forces in their connectors.

    Integral force feedback kf [1/s] of a force sensor between piston and platform of each leg, less
    the force that the reference needs; `leak` [1/s] lets the integral fade, so that the legs keep
    their stiffness against lasting loads. Beside it the forces that the reference needs, and PD of
    the actuators' positions: kp [N/m] holds them, kd [N s/m] is velocity feedback. kp and kd are
    numbers or n x n matrices, kf and leak numbers or one per actuator. With `drives` it includes
    the forces that the robot's drives need.
    """
    gains = gains_of(BETWEEN_ACTUATORS, _JOINT, kp=kp, kd=kd)
    gains += gains_of(PER_ACTUATOR, _POLES, kf=kf, leak=leak)
    for gain in gains[2:]:
        if not (gain.values >= 0).all():
            raise GoughError(f"{gain.name} is {gain.values.tolist()}; expected at least 0 1/s")
    words = f"PD of the actuators{_coupling(gains)}, with feedback of the forces in their legs"
    name, law, states = "active-damping", laws.active_damping, (_INTEGRAL,)
    return Controller(name, words, law, gains, states, springs=CONNECTORS, drives=drives)


_MAKERS: tuple[Callable[..., Controller], ...] = (
    *(joint_pid, pd_gravity, feed_forward, computed_torque, crossing_torque, admittance),
    *(open_loop, implicit_force, hybrid_force, active_damping, gravity_feed_forward),
)
CONTROLLERS = {make.__name__.replace("_", "-"): make for make in _MAKERS}
"""Makers of controllers, by their names in files."""


def _coupling(gains: tuple[Gain, ...]) -> str:
    """Return words for whether gains couple the actuators."""
    couple = any(gain.couples for gain in gains)
    return " with gains that couple them" if couple else ", each for itself"
