"""The quantities of robots, motions and simulations by name, each with its unit and its bounds."""

import math
from typing import Annotated

from pydantic import AfterValidator, StrictBool

from gough.errors import InputError
from gough.fields import units, values
from gough.fields.inertia import Matrix, Rows, Triple, passive, physical
from gough.fields.values import NumberOrVector, QuantityWithUnit, Symmetric, Vector, normalized


def _increasing(pair: tuple[float, ...]) -> tuple[float, ...]:
    if pair[0] >= pair[1]:
        raise InputError("the minimum is not below the maximum", value=pair, expected="[min, max]")
    return pair


def _not_zero(number: float) -> float:
    if number == 0.0:
        raise InputError("zero", value=number, expected="a number above or below 0")
    return number


def _ends(way: float | tuple[float, float]) -> tuple[float, float]:
    """Both ends of a way, of which a distance may be given; one that leads nowhere is refused."""
    first, last = way if isinstance(way, tuple) else (0.0, way)
    if first == last:
        raise InputError("zero", value=way, expected="some way to go")
    return first, last


Name = Annotated[str, AfterValidator(values.one_line)]
YesOrNo = StrictBool

Number = Annotated[float, QuantityWithUnit(units.NUMBER)]
PositiveNumber = Annotated[float, QuantityWithUnit(units.NUMBER, above=0.0)]
Gain = Annotated[float, QuantityWithUnit(units.NUMBER), AfterValidator(_not_zero)]
NotNegative = Annotated[float, QuantityWithUnit(units.NUMBER, at_least=0.0)]
Efficiency = Annotated[float, QuantityWithUnit(units.NUMBER, above=0.0, at_most=1.0)]
Immersion = Annotated[float, QuantityWithUnit(units.NUMBER, above=0.0, at_most=1.0)]
BackEfficiency = Annotated[float, QuantityWithUnit(units.NUMBER, at_most=1.0)]
Restitution = Annotated[float, QuantityWithUnit(units.NUMBER, at_least=0.0, at_most=1.0)]
DampingRatio = Annotated[float, QuantityWithUnit(units.NUMBER, at_least=0.0, at_most=1.0)]
Tolerance = Annotated[float, QuantityWithUnit(units.NUMBER, above=0.0, at_most=1e-3)]

Time = Annotated[float, QuantityWithUnit(units.TIME)]
Duration = Annotated[float, QuantityWithUnit(units.TIME, above=0.0)]
TimeConstant = Annotated[float, QuantityWithUnit(units.TIME, at_least=0.0)]
Frequency = Annotated[float, QuantityWithUnit(units.FREQUENCY, above=0.0)]
SampleRate = Annotated[float, QuantityWithUnit(units.RATE, above=0.0)]
DecayRate = Annotated[float, QuantityWithUnit(units.RATE, at_least=0.0)]

Length = Annotated[float, QuantityWithUnit(units.LENGTH)]
PositiveLength = Annotated[float, QuantityWithUnit(units.LENGTH, above=0.0)]
NotNegativeLength = Annotated[float, QuantityWithUnit(units.LENGTH, at_least=0.0)]
Pitch = Annotated[float, QuantityWithUnit(units.PITCH)]
Mass = Annotated[float, QuantityWithUnit(units.MASS, at_least=0.0)]
PositiveMass = Annotated[float, QuantityWithUnit(units.MASS, above=0.0)]
Force = Annotated[float, QuantityWithUnit(units.FORCE, above=0.0)]
SignedForce = Annotated[float, QuantityWithUnit(units.FORCE)]
NotNegativeForce = Annotated[float, QuantityWithUnit(units.FORCE, at_least=0.0)]
SpecificForce = Annotated[float, QuantityWithUnit(units.PRESSURE, above=0.0)]
ElasticModulus = Annotated[float, QuantityWithUnit(units.MODULUS, above=0.0)]
LinearDensity = Annotated[float, QuantityWithUnit(units.LINEAR_DENSITY, above=0.0)]
Density = Annotated[float, QuantityWithUnit(units.DENSITY, above=0.0)]
Speed = Annotated[float, QuantityWithUnit(units.SPEED, above=0.0)]
Power = Annotated[float, QuantityWithUnit(units.POWER, above=0.0)]
LargestAcceleration = Annotated[float, QuantityWithUnit(units.ACCELERATION, above=0.0)]
AccelerationNoise = Annotated[float, QuantityWithUnit(units.ACCELERATION, at_least=0.0)]
AngularSpeedNoise = Annotated[float, QuantityWithUnit(units.ANGULAR_SPEED, at_least=0.0)]
Resistance = Annotated[float, QuantityWithUnit(units.RESISTANCE, at_least=0.0)]
Inductance = Annotated[float, QuantityWithUnit(units.INDUCTANCE, at_least=0.0)]
TorqueConstant = Annotated[float, QuantityWithUnit(units.TORQUE_CONSTANT, above=0.0)]
BackEmf = Annotated[float, QuantityWithUnit(units.BACK_EMF, at_least=0.0)]
RotaryInertia = Annotated[float, QuantityWithUnit(units.INERTIA, at_least=0.0)]
RotaryDamping = Annotated[float, QuantityWithUnit(units.ROTARY_DAMPING, at_least=0.0)]
DryFriction = Annotated[float, QuantityWithUnit(units.TORQUE, at_least=0.0)]
Torque = Annotated[float, QuantityWithUnit(units.TORQUE, above=0.0)]
SignedTorque = Annotated[float, QuantityWithUnit(units.TORQUE)]
Current = Annotated[float, QuantityWithUnit(units.CURRENT, above=0.0)]
Voltage = Annotated[float, QuantityWithUnit(units.VOLTAGE, above=0.0)]
Stiffness = Annotated[float, QuantityWithUnit(units.STIFFNESS, above=0.0)]
RotaryStiffness = Annotated[float, QuantityWithUnit(units.ROTARY_STIFFNESS, above=0.0)]
Damping = Annotated[float, QuantityWithUnit(units.DAMPING, at_least=0.0)]
Angle = Annotated[float, QuantityWithUnit(units.ANGLE)]
PositiveAngle = Annotated[float, QuantityWithUnit(units.ANGLE, above=0.0)]
NotNegativeAngle = Annotated[float, QuantityWithUnit(units.ANGLE, at_least=0.0)]
AngularSpeed = Annotated[float, QuantityWithUnit(units.ANGULAR_SPEED, above=0.0)]
AngularAcceleration = Annotated[float, QuantityWithUnit(units.ANGULAR_ACCELERATION, above=0.0)]
JointLimit = Annotated[float, QuantityWithUnit(units.ANGLE, above=0.0, at_most=math.pi)]
PairAngle = Annotated[float, QuantityWithUnit(units.ANGLE, at_least=0.0, at_most=math.tau / 3.0)]

_Pair = tuple[float, float]
_UNIT, _RANGE, _ENDS = map(AfterValidator, (normalized, _increasing, _ends))
_TURNS = QuantityWithUnit(units.ANGLE, at_least=-4.0 * math.pi, at_most=4.0 * math.pi)
Point = Annotated[Triple, Vector(3, QuantityWithUnit(units.LENGTH))]
Angles = Annotated[Triple, Vector(3, QuantityWithUnit(units.ANGLE))]
PositiveSize = Annotated[_Pair, Vector(2, QuantityWithUnit(units.LENGTH, above=0.0))]
Place = Annotated[_Pair, Vector(2, QuantityWithUnit(units.LENGTH))]
PlaneVelocity = Annotated[_Pair, Vector(2, QuantityWithUnit(units.SPEED))]
Forces = Annotated[Triple, Vector(3, QuantityWithUnit(units.FORCE))]
Moments = Annotated[Triple, Vector(3, QuantityWithUnit(units.MOMENT))]
Interval = Annotated[_Pair, Vector(2, QuantityWithUnit(units.TIME))]
Travel = Annotated[_Pair, NumberOrVector(2, QuantityWithUnit(units.LENGTH)), _ENDS]
Turn = Annotated[_Pair, NumberOrVector(2, QuantityWithUnit(units.ANGLE)), _ENDS]
Velocity = Annotated[Triple, Vector(3, QuantityWithUnit(units.SPEED))]
AngularVelocity = Annotated[Triple, Vector(3, QuantityWithUnit(units.ANGULAR_SPEED))]
Acceleration = Annotated[Triple, Vector(3, QuantityWithUnit(units.ACCELERATION))]
Direction = Annotated[Triple, Vector(3, QuantityWithUnit(units.NUMBER)), _UNIT]
UnitQuaternion = Annotated[
    tuple[float, float, float, float], Vector(4, QuantityWithUnit(units.NUMBER)), _UNIT
]
Stroke = Annotated[_Pair, Vector(2, QuantityWithUnit(units.LENGTH, at_least=0.0)), _RANGE]
PositionRange = Annotated[_Pair, Vector(2, QuantityWithUnit(units.LENGTH)), _RANGE]
AngleRange = Annotated[_Pair, Vector(2, _TURNS), _RANGE]
Inertia = Annotated[Matrix, Symmetric((3,), units.INERTIA, physical, "principal moments")]
Compliance = Annotated[Rows, Symmetric((6, 18), units.NUMBER, passive)]
"""Compliance of a frame at its origin, in six directions; or at its six joints, in three each."""
PlaceOnLink = Annotated[float | Triple, NumberOrVector(3, QuantityWithUnit(units.LENGTH))]
