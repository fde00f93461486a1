"""Bodies and joints of machines of any kind, made in one line each."""

from gough import robot
from gough.robot import mechanism as records
from gough.robot.records import ZERO_INERTIA

KINDS = {
    "R": records.Hinge,
    "P": records.Slide,
    "H": records.Screw,
    "U": records.Universal,
    "S": records.Ball,
    "C": records.Cylindrical,
    "fixed": records.Fixed,
}


def Body(name, mass=0.0, center_of_mass=(0.0, 0.0, 0.0), inertia=ZERO_INERTIA):
    return records.Body(name=name, mass=mass, center_of_mass=center_of_mass, inertia=inertia)


def Joint(name, type, between, at, axes=(), driven=False, position_at_home=0.0, pitch=0.01):
    facts = {"name": name, "type": type, "between": between, "at": at}
    if type in "RPCH":
        (facts["axis"],) = axes
    if type == "U":
        facts["axes"] = axes
    if type == "H":
        facts["pitch"] = pitch
    if type in "RPH":
        facts |= {"driven": driven, "position_at_home": position_at_home}
    return KINDS[type](**facts)


def Platform(
    mass,
    inertia,
    center_of_mass=(0.0, 0.0, 0.0),
    position=(0.0, 0.0, 0.0),
    quaternion=(1.0, 0.0, 0.0, 0.0),
    moves=records.MOVES,
):
    return records.MovingPlatform(
        mass=mass,
        inertia=inertia,
        center_of_mass=center_of_mass,
        home={"position": position, "quaternion": quaternion},
        moves=moves,
    )


def Mechanism(name, platform, bodies, joints, gravity=(0.0, 0.0, -9.81), couplings=()):
    facts = {"platform": platform, "bodies": bodies, "joints": joints, "couplings": couplings}
    return robot.Mechanism(name=name, gravity=gravity, **facts)


def Coupling(name, joints, *coefficients):
    """A coupling by its ratio, or by the coefficients of all joints."""
    given = {"ratio": coefficients[0]} if len(coefficients) == 1 else {"coefficients": coefficients}
    return records.Coupling(name=name, joints=joints, **given)


def changed(record, **changes):
    """Return the same record with other values, checked anew; `axes` are those of any joint."""
    facts = {key: getattr(record, key) for key in type(record).model_fields}
    if "axes" in changes and "axis" in facts:
        (changes["axis"],) = changes.pop("axes")
    facts.pop("schema_version", None)
    known = {key: value for key, value in changes.items() if key in facts}
    return type(record)(**facts | known)
