"""From a robot file as written to the values of a mechanism."""

from typing import Annotated, Literal

import numpy as np

from gough.arrays import product_of
from gough.errors import InputError, inside
from gough.fields.table import entry, optional, read
from gough.poses import transform
from gough.robot import mechanism, reading
from gough.robot.appearance import seen_from
from gough.robot.legs.expansion import expanded, placed
from gough.robot.legs.khalil_kleinfinger import KhalilKleinfingerLeg, chain_bodies_and_joints
from gough.robot.legs.tables import Leg, LegPart, Pattern
from gough.robot.records import VERSION, Heading


class WrittenMovingPlatform(mechanism.MovingPlatform):
    """The moving platform with its payload."""

    home: reading.WrittenHome = entry("The pose of the home configuration.")


class WrittenBody(mechanism.Body):
    """A moving body: mass properties in base axes with the machine at home, or in its frame."""

    frame: reading.WrittenHome | None = optional(
        "The body's frame in the base frame, with the machine at home: then mass centre, inertia "
        "and mesh are in that frame."
    )


class WrittenMechanism(Heading):
    """A parallel robot in its home configuration: legs, or bodies and joints between them.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "200 mm",
    "30 deg" or "3000 rpm".
    """

    schema_version: Annotated[Literal["gough/2"], VERSION]
    platform: WrittenMovingPlatform = entry(
        "The moving platform with its payload, and its degrees of freedom."
    )
    leg: LegPart | None = optional(  # type: ignore[valid-type]
        "A leg, or shared values of the legs, which a [[legs]] table may override."
    )
    legs: tuple[LegPart, ...] | None = optional(  # type: ignore[valid-type]
        "Legs: chains of joints and links from base to platform."
    )
    pattern: Pattern | None = optional("Pattern that repeats the legs.")
    bodies: tuple[WrittenBody, ...] = entry(
        "All moving bodies except the platform and the legs' links.", ()
    )
    joints: tuple[mechanism.AnyJoint, ...] = entry("All joints except those of legs.", ())
    branch: mechanism.Branch | None = mechanism.BRANCH
    chains: tuple[KhalilKleinfingerLeg, ...] = entry(
        "Legs by their Khalil-Kleinfinger parameters.", ()
    )
    couplings: tuple[mechanism.Coupling, ...] = entry("Gears, belts and others between joints.", ())


def resolved_mechanism(data: object) -> reading.Facts:
    """Return the arguments of `Mechanism`: legs as bodies and joints, all in base axes at home."""
    written = read(WrittenMechanism, data)
    legs = written_legs(written)
    apart = {"leg", "legs", "pattern", "bodies", "joints", "chains"}
    facts = written.model_dump(by_alias=True, exclude=apart)
    home = facts["platform"]["home"] = reading.home_of(written.platform.home, "platform.home")
    pose = (*home["position"], *home["quaternion"])
    bodies, joints = expanded(legs, written.pattern, pose)
    others = (mechanism.Body(**body_facts(body, k)) for k, body in enumerate(written.bodies))
    by_rows = list[mechanism.Body | mechanism.Joint]()
    for k, chain in enumerate(written.chains):
        with inside(f"chains[{k}]"):
            by_rows += chain_bodies_and_joints(chain, k + 1, pose)
    facts["bodies"] = [*bodies, *others, *(x for x in by_rows if isinstance(x, mechanism.Body))]
    facts["joints"] = [*joints, *written.joints]
    facts["joints"] += (x for x in by_rows if isinstance(x, mechanism.Joint))
    return facts


def written_legs(written: WrittenMechanism) -> dict[str, Leg]:
    """Return the legs, each with the shared values, by their keys."""
    shared = reading.given(written.leg)
    own = {f"legs[{k}]": reading.given(leg) for k, leg in enumerate(written.legs or ())}
    if written.legs is None and written.leg is not None:
        own = {"leg": {}}
    if written.pattern is not None and not own:
        raise InputError("nothing to repeat", key="pattern", expected="[leg] or [[legs]]")
    known = {mechanism.PLATFORM, *(body.name for body in written.bodies)}
    return {
        place: _leg(reading.merged(shared, facts), place, known) for place, facts in own.items()
    }


def _leg(facts: reading.Facts, place: str, known: set[str]) -> Leg:
    with inside(place):
        leg = read(Leg, facts)
        if leg.to not in known:
            expected = f"one of {', '.join(sorted(known))}"
            raise InputError("no such body", key="to", value=leg.to, expected=expected)
    return leg


def body_facts(written: WrittenBody, number: int) -> reading.Facts:
    """Return the values of a body, in base axes at home; numbers, or objects such as symbols."""
    facts: reading.Facts = {key: getattr(written, key) for key in mechanism.Body.model_fields}
    if written.frame is not None:
        frame = reading.home_of(written.frame, f"bodies[{number}].frame")
        pose = (*frame["position"], *frame["quaternion"])
        R = (transform(pose, np.eye(3)) - frame["position"]).T
        inertia = product_of(R, written.inertia, R.T)
        facts["center_of_mass"] = placed(pose, np.array(written.center_of_mass))
        facts["inertia"] = (inertia + inertia.T) / 2.0
        if written.mesh is not None:
            facts["mesh"] = seen_from(written.mesh, R, np.array(frame["position"]))
    return facts
