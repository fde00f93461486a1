"""Criteria of actuators: each compares a required with an available value.

For each actuator of the machine their quotient is the utilisation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import pi, sqrt
from operator import attrgetter
from typing import NamedTuple, get_args

import numpy as np

from gough.analysis.reductions import TimeSeries, energy_bandwidth
from gough.arrays import Array
from gough.sizing.mounting import ActuatorLoad, Mount
from gough.sizing.records import CatalogueActuator, CylinderScrew, Fixity

EFFECTIVE_LENGTH = dict(zip(get_args(Fixity), (2.0, 1.0, 0.699156, 0.5), strict=True))
"""K of Euler's load: the length of a column on two supports that buckles alike, over its own."""
FIRST_ROOT = dict(zip(get_args(Fixity), (1.875104, pi, 3.926602, 4.730041), strict=True))
"""λ of the first bending mode: ω = (λ/L)² √(E I / ρ A)."""

MILLION = 1e6
"""Revolutions under the dynamic load rating that define the rating life."""
SCREW = 3.0
"""Exponent of a ball screw's life [ISO 3408-5]."""
BEARING = {"ball": 3.0, "roller": 10.0 / 3.0}
"""Exponent of a bearing's life [ISO 281]."""
HOUR = 3600.0
"""[s]"""


def buckling_load(
    length: Array, diameter: float, modulus: float, yield_strength: float | None, fixity: Fixity
) -> Array:
    """Axial load [N] that a round bar of a free length [m] bears.

    Euler's, π² E I / (K L)²; with a yield strength, where the slenderness s = K L / r (r = d/4 is
    the radius of gyration) is below √(2 π² E / σ_y), at which both meet, that of J. B. Johnson,
    A σ_y (1 - σ_y s² / 4 π² E).
    """
    inertia, area = pi * diameter**4 / 64, pi * diameter**2 / 4
    with np.errstate(divide="ignore"):
        slender = pi**2 * modulus * inertia / (EFFECTIVE_LENGTH[fixity] * length) ** 2
    if yield_strength is None:
        return np.asarray(slender)
    slenderness = EFFECTIVE_LENGTH[fixity] * length / (diameter / 4)
    stocky = area * yield_strength * (1 - yield_strength * slenderness**2 / (4 * pi**2 * modulus))
    is_stocky = slenderness < sqrt(2 * pi**2 * modulus / yield_strength)
    return np.asarray(np.where(is_stocky, stocky, slender))


def critical_speed(
    length: Array, diameter: float, modulus: float, density: float, fixity: Fixity
) -> Array:
    """Speed [rad/s] at which a round bar of a free length [m] whirls: (λ/L)² √(E I / ρ A)."""
    radius = diameter / 4  # of gyration: √(I/A)
    with np.errstate(divide="ignore"):
        return np.asarray((FIRST_ROOT[fixity] / length) ** 2 * radius * sqrt(modulus / density))


class Life(NamedTuple):
    """Rating life (L10, reached by nine of ten parts) of a rotating part, for each actuator."""

    load: Array
    """Equivalent mean load [N]."""
    turns: Array
    """L10 in revolutions."""
    distance: Array
    """L10 as travel of the rod [m]."""
    time: Array
    """L10 while the motion is repeated [s]."""


def mean_load(time: Array, force: Array, speed: Array, exponent: float = SCREW) -> Array:
    """(actuators,) the load [N] that wears as much: (∫|F|ᵖ |v| dt / ∫|v| dt)^(1/p).

    The mean over the way, of p = 3 the cubic mean [ISO 3408-5]. Loads of both directions count
    together, as if on the same side of the balls. 0 where the actuator is at rest.
    """
    way = TimeSeries(time, speed).integral(np.abs)
    worn = TimeSeries(time, np.abs(force) ** exponent * np.abs(speed)).integral()
    return np.asarray((worn / np.where(way > 0, way, 1.0)) ** (1 / exponent))


def rating_life(
    time: Array,
    force: Array,
    speed: Array,
    *,
    lead: float,
    rating: float,
    exponent: float = SCREW,
    factor: float = 1.0,
) -> Life:
    """L10 = 10⁶ (C/F_m)ᵖ turns [ISO 3408-5; of bearings ISO 281], of motions (T, actuators).

    `lead` [m] is the way of a turn, `rating` the dynamic load rating [N], `factor` the equivalent
    load over the axial one. Infinite at rest or without load.
    """
    load = factor * mean_load(time, force, speed, exponent)
    way = TimeSeries(time, speed).integral(np.abs)
    with np.errstate(divide="ignore"):
        turns = MILLION * (rating / load) ** exponent
        passes = turns * lead / way
    return Life(load, turns, turns * lead, passes * (time[-1] - time[0]))


@dataclass(frozen=True)
class OperatingConditions:
    """Operating conditions of actuators, beside the motions."""

    life: float = 0.0
    """Required life (L10) of screws and bearings while a motion is repeated [h]."""
    buckling_safety: float = 2.0
    """Safety factor of a screw against buckling."""
    critical_share: float = 0.8
    """Maximum speed of a screw as a fraction of its critical speed."""
    repeated: bool = True
    """Whether motions are repeated indefinitely (periodic motor temperature), or start cold."""


@dataclass(frozen=True)
class Case:
    """An actuator of a catalogue in a machine, under one motion."""

    actuator: CatalogueActuator
    mount: Mount
    load: ActuatorLoad
    used: Array
    """(2, actuators) the minimum and maximum position over all motions [m]."""
    conditions: OperatingConditions

    @property
    def screw(self) -> CylinderScrew:
        """The actuator's screw; a criterion that uses it requires it."""
        assert self.actuator.screw is not None
        return self.actuator.screw

    def life(self, *, rating: float, **of_part: float) -> Life:
        """Return the life of a part of the screw while the motion is repeated."""
        load, lead = self.load, self.screw.lead
        return rating_life(load.time, load.force, load.speed, lead=lead, rating=rating, **of_part)

    @property
    def free_length(self) -> Array:
        """(T, actuators) length of the screw between bearing and nut [m]; at least 0."""
        return np.maximum(self.screw.dead_length + (self.load.position - self.mount.start), 0.0)


class Use(NamedTuple):
    """Required and available values of each actuator, and the times at which they occur."""

    needed: Array
    available: Array
    time: Array | None = None
    """[s]"""


def share_used(needed: Array, available: Array) -> Array:
    """Return the share of what is available that is needed.

    It is infinite where the available value is zero and the other is not, and where either is NaN.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(available > 0, needed / available, np.inf)
    share = np.where((needed == 0) & ~np.isnan(available), 0.0, share)
    return np.where(np.isnan(share), np.inf, share)


@dataclass(frozen=True)
class Criterion:
    """A criterion that actuators are checked against."""

    name: str
    unit: str
    meaning: str
    """Definitions of the required and of the available value."""
    keys: tuple[str, ...]
    """Keys that a catalogue must give for this criterion."""
    use: Callable[[Case], Use]
    counts: bool = True
    """Whether its margin ranks actuators; else it only must hold."""
    of_all: bool = False
    """Whether it concerns all motions together."""

    def missing(self, actuator: CatalogueActuator) -> str:
        """Return the key that the catalogue lacks; empty if the criterion can be checked."""
        for key in self.keys:
            value: object = actuator
            for name in key.split("."):
                value = getattr(value, name, None)
            if value is None or value == ():
                return key.replace("bearable_current", "continuous_current or continuous_torque")
        return ""


def _at_worst(time: Array, needed: Array, available: Array) -> Use:
    """Return required and available values (T, actuators), each at its worst time."""
    available = np.broadcast_to(available, needed.shape)
    at = np.argmax(share_used(needed, available), axis=0)
    columns = np.arange(needed.shape[1])
    return Use(needed[at, columns], available[at, columns], time[at])


def _peak(load: str, rating: str) -> Callable[[Case], Use]:
    """The maximum magnitude of a quantity of the load beside a rating of the catalogue."""

    def use(case: Case) -> Use:
        most = np.asarray(attrgetter(rating)(case.actuator))
        return _at_worst(case.load.time, np.abs(getattr(case.load, load)), most)

    return use


def _rms(load: str, rating: str) -> Callable[[Case], Use]:
    """The root mean square of a quantity over time beside a rating of the catalogue."""

    def use(case: Case) -> Use:
        needed = np.sqrt(TimeSeries(case.load.time, getattr(case.load, load)).mean(np.square))
        return Use(needed, np.full_like(needed, attrgetter(rating)(case.actuator)))

    return use


def _bandwidth(case: Case) -> Use:
    load, most = case.load, case.actuator.max_bandwidth
    series = (TimeSeries(load.time, values) for values in (load.force, load.speed))
    needed = np.maximum(*map(energy_bandwidth, series))
    return Use(needed, np.full_like(needed, most))


def _force_at_speed(case: Case) -> Use:
    speeds, forces = zip(*case.actuator.corners, strict=True)
    available = np.interp(np.abs(case.load.speed), speeds, forces)
    return _at_worst(case.load.time, np.abs(case.load.force), available)


def _stroke(case: Case) -> Use:
    each, of_all = case.used[1] - case.used[0], case.used.max() - case.used.min()
    needed = each if case.mount.piece is None else np.full_like(each, of_all)  # legs are alike
    return Use(needed, np.full_like(needed, case.actuator.stroke))


def _retracted(case: Case) -> Use:
    shortest = case.used[0]
    closed = 0.0 if case.mount.piece is None else case.actuator.retracted_length
    return Use(np.full_like(shortest, closed), shortest)


def _buckling(case: Case) -> Use:
    screw = case.screw
    bears = buckling_load(
        case.free_length, screw.diameter, screw.modulus, screw.yield_strength, screw.fixity
    )
    pressed = case.conditions.buckling_safety * np.maximum(case.load.force, 0.0)
    return _at_worst(case.load.time, pressed, bears)


def _critical_speed(case: Case) -> Use:
    screw = case.screw
    critical = critical_speed(
        case.free_length, screw.diameter, screw.modulus, screw.density, screw.fixity
    )
    turning = 2 * pi * np.abs(case.load.speed) / screw.lead
    return _at_worst(case.load.time, turning, case.conditions.critical_share * critical)


def _temperature_rise(case: Case) -> Use:
    motor, load = case.actuator.motor, case.load
    assert motor is not None
    bearable, constant = motor.bearable_current, motor.thermal_time_constant
    assert load.current is not None
    assert bearable is not None
    assert constant is not None
    how = {"bearable": bearable, "time_constant": constant}
    rise = temperature_rise(load.time, load.current, **how, repeated=case.conditions.repeated)
    return _at_worst(load.time, rise, np.ones(1))


def screw_life(case: Case) -> Life:
    """Return the life of the screw's nut while the motion is repeated [ISO 3408-5]."""
    rating = case.screw.dynamic_load_rating
    assert rating is not None
    return case.life(rating=rating)


def bearing_life(case: Case) -> Life:
    """Return the life of the screw's bearing while the motion is repeated [ISO 281]."""
    bearing = case.screw.bearing
    assert bearing is not None
    exponent, factor = BEARING[bearing.kind], bearing.axial_factor
    return case.life(rating=bearing.dynamic_load_rating, exponent=exponent, factor=factor)


LIVES: dict[str, Callable[[Case], Life]] = {"screw life": screw_life, "bearing life": bearing_life}


def _lasting(life: Callable[[Case], Life], case: Case) -> Use:
    hours = life(case).time / HOUR
    return Use(np.full_like(hours, case.conditions.life), hours)


# fmt: off
CRITERIA = (
    Criterion("stroke", "m", "longest minus shortest position over all motions; the stroke",
        ("stroke",), _stroke, of_all=True),
    Criterion("retracted length", "m", "length between the joints with the rod retracted; the "
        "shortest length of a leg", ("retracted_length",), _retracted, counts=False, of_all=True),
    Criterion("peak force", "N", "maximum force; peak_force", ("peak_force",),
        _peak("force", "peak_force")),
    Criterion("force at speed", "N", "force at the sample nearest to, or farthest beyond, the "
        "maximum force at its speed; that force", ("envelope",), _force_at_speed),
    Criterion("speed", "m/s", "maximum speed; max_speed", ("max_speed",),
        _peak("speed", "max_speed")),
    Criterion("power", "W", "maximum power, driving or braking; max_power", ("max_power",),
        _peak("power", "max_power")),
    Criterion("bandwidth", "Hz", "band with 99 % of the energy of the force, and of the speed; "
        "max_bandwidth", ("max_bandwidth",), _bandwidth),
    Criterion("continuous force", "N", "root mean square of the force; continuous_force",
        ("continuous_force",), _rms("force", "continuous_force")),
    Criterion("motor current", "A", "maximum current; max_current", ("screw", "motor.max_current"),
        _peak("current", "motor.max_current")),
    Criterion("amplifier voltage", "V", "maximum voltage; max_voltage",
        ("screw", "motor.max_voltage"), _peak("voltage", "motor.max_voltage")),
    Criterion("continuous current", "A", "root mean square of the current; the continuous current",
        ("screw", "motor.bearable_current"), _rms("current", "motor.bearable_current")),
    Criterion("continuous torque", "N m", "root mean square of the motor's torque; the continuous "
        "torque", ("screw", "motor.bearable_current"), _rms("torque", "motor.bearable_torque")),
    Criterion("motor thermal load", "1", "maximum temperature rise of the motor, over that at the "
        "continuous current; 1",
        ("screw", "motor.bearable_current", "motor.thermal_time_constant"), _temperature_rise),
    Criterion("buckling", "N", "compression of the screw, times the safety factor; buckling load "
        "at its free length (Euler; Johnson where it is stocky)", ("screw",), _buckling),
    Criterion("critical speed", "rad/s", "speed of the screw; the fraction of its critical speed "
        "at its free length", ("screw",), _critical_speed),
    Criterion("screw life", "h", "life asked for; L10 of the nut from the cubic mean load "
        "(ISO 3408-5)", ("screw.dynamic_load_rating",), partial(_lasting, screw_life)),
    Criterion("bearing life", "h", "life asked for; L10 of the bearing from its mean load "
        "(ISO 281)", ("screw.bearing",), partial(_lasting, bearing_life)),
)
# fmt: on


def temperature_rise(
    time: Array, current: Array, *, bearable: float, time_constant: float, repeated: bool = True
) -> Array:
    """(T, actuators) the temperature rise over that at the continuous current.

    τ θ' + θ = (I/I_c)², with I (T, actuators) [A]. Between two samples the square of the current
    is held at the mean of both, for which the solution is exact. A motion that is `repeated` for
    ever ends as warm as it begins; one that is not begins cold.
    """
    heat = (current / bearable) ** 2
    heat = (heat[1:] + heat[:-1]) / 2
    remaining = np.exp(-np.diff(time) / time_constant)
    at_the_end = np.exp(-(time[-1] - time[0]) / time_constant)
    rise = np.zeros(current.shape)
    for again in (False, True) if repeated else (False,):
        rise[0] = rise[-1] / (1 - at_the_end) if again else 0.0
        for k, share in enumerate(remaining):
            rise[k + 1] = share * rise[k] + (1 - share) * heat[k]
    return rise
