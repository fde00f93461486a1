"""The quantities of robots, motions and simulations by name, each with its unit and its bounds."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import AfterValidator

from gough.errors import InputError
from gough.fields import units
from gough.fields.inertia import Matrix, Triple
from gough.fields.values import (
    AlongOrPoint,
    InertiaType,
    Quantity,
    Symmetric,
    Truth,
    Vector,
    Way,
    normalized,
    one_line,
)


def _increasing(pair: tuple[float, ...]) -> tuple[float, ...]:
    if pair[0] >= pair[1]:
        raise InputError("the minimum is not below the maximum", value=pair, expected="[min, max]")
    return pair


def _not_zero(number: float) -> float:
    if number == 0.0:
        raise InputError("zero", value=number, expected="a number above or below 0")
    return number


Name = Annotated[str, AfterValidator(one_line)]
YesOrNo = Annotated[bool, Truth()]

Number = Annotated[float, Quantity(units.NUMBER)]
PositiveNumber = Annotated[float, Quantity(units.NUMBER, above=0.0)]
Gain = Annotated[float, Quantity(units.NUMBER), AfterValidator(_not_zero)]
NotNegative = Annotated[float, Quantity(units.NUMBER, at_least=0.0)]
Efficiency = Annotated[float, Quantity(units.NUMBER, above=0.0, at_most=1.0)]
BackEfficiency = Annotated[float, Quantity(units.NUMBER, at_most=1.0)]
Restitution = Annotated[float, Quantity(units.NUMBER, at_least=0.0, at_most=1.0)]
DampingRatio = Annotated[float, Quantity(units.NUMBER, at_least=0.0, at_most=1.0)]
Tolerance = Annotated[float, Quantity(units.NUMBER, above=0.0, at_most=1e-3)]

Time = Annotated[float, Quantity(units.TIME)]
Duration = Annotated[float, Quantity(units.TIME, above=0.0)]
TimeConstant = Annotated[float, Quantity(units.TIME, at_least=0.0)]
Frequency = Annotated[float, Quantity(units.FREQUENCY, above=0.0)]
SampleRate = Annotated[float, Quantity(units.RATE, above=0.0)]
DecayRate = Annotated[float, Quantity(units.RATE, at_least=0.0)]

Length = Annotated[float, Quantity(units.LENGTH)]
PositiveLength = Annotated[float, Quantity(units.LENGTH, above=0.0)]
NotNegativeLength = Annotated[float, Quantity(units.LENGTH, at_least=0.0)]
Pitch = Annotated[float, Quantity(units.PITCH)]
Mass = Annotated[float, Quantity(units.MASS, at_least=0.0)]
PositiveMass = Annotated[float, Quantity(units.MASS, above=0.0)]
Force = Annotated[float, Quantity(units.FORCE, above=0.0)]
NotNegativeForce = Annotated[float, Quantity(units.FORCE, at_least=0.0)]
SpecificForce = Annotated[float, Quantity(units.PRESSURE, above=0.0)]
ElasticModulus = Annotated[float, Quantity(units.MODULUS, above=0.0)]
Density = Annotated[float, Quantity(units.DENSITY, above=0.0)]
Speed = Annotated[float, Quantity(units.SPEED, above=0.0)]
LargestAcceleration = Annotated[float, Quantity(units.ACCELERATION, above=0.0)]
Resistance = Annotated[float, Quantity(units.RESISTANCE, at_least=0.0)]
Inductance = Annotated[float, Quantity(units.INDUCTANCE, at_least=0.0)]
TorqueConstant = Annotated[float, Quantity(units.TORQUE_CONSTANT, above=0.0)]
BackEmf = Annotated[float, Quantity(units.BACK_EMF, at_least=0.0)]
RotaryInertia = Annotated[float, Quantity(units.INERTIA, at_least=0.0)]
RotaryDamping = Annotated[float, Quantity(units.ROTARY_DAMPING, at_least=0.0)]
DryFriction = Annotated[float, Quantity(units.TORQUE, at_least=0.0)]
Torque = Annotated[float, Quantity(units.TORQUE, above=0.0)]
SignedTorque = Annotated[float, Quantity(units.TORQUE)]
Current = Annotated[float, Quantity(units.CURRENT, above=0.0)]
Voltage = Annotated[float, Quantity(units.VOLTAGE, above=0.0)]
Stiffness = Annotated[float, Quantity(units.STIFFNESS, above=0.0)]
RotaryStiffness = Annotated[float, Quantity(units.ROTARY_STIFFNESS, above=0.0)]
Damping = Annotated[float, Quantity(units.DAMPING, at_least=0.0)]
Angle = Annotated[float, Quantity(units.ANGLE)]
NotNegativeAngle = Annotated[float, Quantity(units.ANGLE, at_least=0.0)]
AngularSpeed = Annotated[float, Quantity(units.ANGULAR_SPEED, above=0.0)]
AngularAcceleration = Annotated[float, Quantity(units.ANGULAR_ACCELERATION, above=0.0)]
JointLimit = Annotated[float, Quantity(units.ANGLE, above=0.0, at_most=math.pi)]
PairAngle = Annotated[float, Quantity(units.ANGLE, at_least=0.0, at_most=2.0 * math.pi / 3.0)]

Point = Annotated[Triple, Vector(3, Quantity(units.LENGTH))]
Angles = Annotated[Triple, Vector(3, Quantity(units.ANGLE))]
Forces = Annotated[Triple, Vector(3, Quantity(units.FORCE))]
Moments = Annotated[Triple, Vector(3, Quantity(units.MOMENT))]
Interval = Annotated[tuple[float, float], Vector(2, Quantity(units.TIME))]
Travel = Annotated[tuple[float, float], Way(Quantity(units.LENGTH))]
Turn = Annotated[tuple[float, float], Way(Quantity(units.ANGLE))]
Velocity = Annotated[Triple, Vector(3, Quantity(units.SPEED))]
AngularVelocity = Annotated[Triple, Vector(3, Quantity(units.ANGULAR_SPEED))]
Acceleration = Annotated[Triple, Vector(3, Quantity(units.ACCELERATION))]
Direction = Annotated[Triple, Vector(3, Quantity(units.NUMBER)), AfterValidator(normalized)]
UnitQuaternion = Annotated[
    tuple[float, float, float, float],
    Vector(4, Quantity(units.NUMBER)),
    AfterValidator(normalized),
]
Stroke = Annotated[
    tuple[float, float],
    Vector(2, Quantity(units.LENGTH, at_least=0.0)),
    AfterValidator(_increasing),
]
PositionRange = Annotated[
    tuple[float, float], Vector(2, Quantity(units.LENGTH)), AfterValidator(_increasing)
]
AngleRange = Annotated[
    tuple[float, float],
    Vector(2, Quantity(units.ANGLE, at_least=-4.0 * math.pi, at_most=4.0 * math.pi)),
    AfterValidator(_increasing),
]
Inertia = Annotated[Matrix, InertiaType()]
Compliance = Annotated[tuple[tuple[float, ...], ...], Symmetric((6, 18))]
"""Of a frame at its origin, by six ways and turns; or at its six joints, by three ways each."""
PlaceOnLink = Annotated[float | Triple, AlongOrPoint()]
