"""Legs by their Khalil-Kleinfinger parameters [Briot & Khalil 2021, Table 1].

From the frame of the joint before, the frame of a joint is reached by γ about z, b along z, α about
x, d along it, θ about its own axis z and r along that. The last joint of a chain, which closes its
loop, has no row: it is where the chain ends, and where the platform has it at home.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from gough.arrays import Array, length_of, product_of
from gough.disk.plain_data import PlainData
from gough.errors import InputError, inside
from gough.fields import quantities as q
from gough.fields.table import Meaning, entry, optional, read
from gough.robot.checks import given_twice
from gough.robot.legs.expansion import placed
from gough.robot.legs.tables import HingeMotor, LegBall, LegJoint, SlideMotor
from gough.robot.mechanism import BASE, PLATFORM, AnyJoint, Body, Joint
from gough.robot.record import Record
from gough.robot.records import ZERO_INERTIA

CLOSED = 1e-6  # maximum gap of a loop at home, relative to the length of its chain
_FRAME = "in the joint's frame"


class ChainBody(Record):
    """The body behind a joint of a chain."""

    mass: q.Mass = entry("Mass [kg].", 0.0)
    center_of_mass: q.Point = entry(f"Mass centre [m], {_FRAME}.", (0.0, 0.0, 0.0))
    inertia: q.Inertia = entry(
        f"Inertia about the mass centre [kg m^2], {_FRAME}: three principal moments or a 3x3.",
        ZERO_INERTIA,
    )


class JointParameters(Record):
    """A joint with one degree of freedom by its parameters at home; a U is two of them."""

    name: q.Name = entry("A name of its own.", min_length=1)
    before: str | None = optional(
        "Name of the joint that carries it, a(j); empty for the base. Left out, the row before."
    )
    driven: q.YesOrNo = entry("Whether a motor moves it, μ.", False)
    slides: q.YesOrNo = entry("Whether it is a slide, σ = 1, or a hinge.", False)
    gamma: q.Angle = entry("Angle γ about z of the joint before [rad].", 0.0)
    b: q.Length = entry("Distance b along z of the joint before [m].", 0.0)
    alpha: q.Angle = entry("Angle α about the common normal of both axes [rad].", 0.0)
    d: q.Length = entry("Distance d along the common normal [m].", 0.0)
    theta: q.Angle = entry(
        "Angle θ about its own axis [rad]: of a hinge its position at home.", 0.0
    )
    r: q.Length = entry("Distance r along its own axis [m]: of a slide its position at home.", 0.0)

    def transform(self, displacement: float = 0.0) -> Array:
        """(4, 4) from its frame to that of the joint before, away from home by [rad, m]."""
        turn, slide = (0.0, displacement) if self.slides else (displacement, 0.0)
        own = _screw("z", self.theta + turn, self.r + slide)
        return product_of(_screw("z", self.gamma, self.b), _screw("x", self.alpha, self.d), own)

    def to_dict(self) -> PlainData:
        """All of them as plain data."""
        return self.model_dump()


class ChainRow(JointParameters):
    """A joint with one degree of freedom by its parameters at home; a U is two of them."""

    link: ChainBody = entry("The body that it moves; left out, without mass.", ChainBody())
    values: Annotated[dict[str, Any], Meaning(HingeMotor | SlideMotor)] | None = optional(
        "Limits, friction, drive and stop."
    )


class KhalilKleinfingerLeg(Record):
    """A leg by its Khalil-Kleinfinger parameters, as `gough show --dh` shows them."""

    joints: tuple[ChainRow, ...] = entry("Rows of its table, each behind what carries it.")
    closing: LegJoint = entry(
        "The joint that closes its loop, behind the last row: S, or a table with type and axis, "
        "of a U axes, base frame, at home.",
        LegBall(type="S"),
    )
    end: q.Point = entry("Place of that joint [m] in the last row's frame.", (0.0, 0.0, 0.0))
    platform: q.Point = entry("Place of that joint [m] in the platform's frame.")


def chain_bodies_and_joints(
    chain: KhalilKleinfingerLeg, number: int, home: Sequence[float]
) -> Iterator[Body | Joint]:
    """Yield bodies and joints of a chain, in base coordinates, with the platform at home."""
    if not chain.joints:
        raise InputError("no rows", key="joints", expected="a joint or more")
    if found := [*given_twice("joints", [row.name for row in chain.joints])]:
        raise InputError.together(found)
    frames, bodies = {"": np.eye(4)}, {"": BASE}
    for k, row in enumerate(chain.joints):
        before = [*frames][-1] if row.before is None else row.before
        if before not in frames:
            raise InputError(
                "no such joint before it",
                key=f"joints[{k}].before",
                value=before,
                expected=f"empty, or one of {', '.join([*frames][1:])}",
            )
        T = frames[row.name] = product_of(frames[before], row.transform())
        bodies[row.name] = f"{row.name} link"
        yield _body(row.link, bodies[row.name], T)
        with inside(f"joints[{k}]"):
            yield _joint(row, T, (bodies[before], bodies[row.name]))
    at, held = bodies[row.name], placed(home, np.array(chain.platform))
    yield _closing(chain, {"name": f"end-{number}", "between": (at, PLATFORM)}, T, held)


def _body(own: ChainBody, name: str, T: Array) -> Body:
    R = T[:3, :3]
    center, inertia = T[:3, 3] + product_of(R, own.center_of_mass), product_of(R, own.inertia, R.T)
    facts = {"center_of_mass": center.tolist(), "inertia": ((inertia + inertia.T) / 2).tolist()}
    return Body(name=name, mass=own.mass, **facts)


def _joint(row: ChainRow, T: Array, between: tuple[str, str]) -> Joint:
    with inside("values"):
        table: Any = SlideMotor if row.slides else HingeMotor
        values: dict[str, Any] = read(table, row.values or {}).model_dump(exclude_none=True)
        for key in {"zero", "position_at_home"} & set(values):
            expected = f"{'r' if row.slides else 'theta'}, which is its position at home"
            raise InputError("given by its row", key=key, value=values[key], expected=expected)
    facts = {
        "name": row.name,
        "type": "P" if row.slides else "R",
        "between": between,
        "at": T[:3, 3].tolist(),
        "axis": T[:3, 2].tolist(),
        "driven": row.driven,
        "position_at_home": row.r if row.slides else row.theta,
    }
    joint: Joint = read(AnyJoint, facts | values)
    return joint


def _closing(chain: KhalilKleinfingerLeg, own: PlainData, T: Array, held: Array) -> Joint:
    """The joint at the end of a chain; refused where the platform holds it elsewhere."""
    end = product_of(T[:3, :3], chain.end) + T[:3, 3]
    size = sum(abs(x) for row in chain.joints for x in (row.b, row.d, row.r)) or 1.0
    gap = float(length_of(end - held))
    if gap > CLOSED * size:
        raise InputError(
            f"the loop is open at home: the chain ends {gap:.4g} m from there, at "
            f"[{', '.join(f'{x:.6g}' for x in end)}] m in the base frame",
            key="platform",
            value=chain.platform,
            expected="the place where the chain ends, or other parameters, end or home",
        )
    facts = own | chain.closing.model_dump(exclude_none=True)
    if chain.closing.type == "Pa" or chain.closing.type.endswith("*"):
        problem, expected = "cannot close a loop", "S, U, R, P, C or fixed, without a motor"
        raise InputError(problem, key="closing", value=facts["type"], expected=expected)
    with inside("closing"):
        joint: Joint = read(AnyJoint, facts | {"at": end.tolist()})
        return joint


def _screw(axis: str, angle: float, along: float) -> Array:
    """(4, 4) of a rotation about an axis, and a translation along it."""
    k = "xyz".index(axis)
    T, i, j = np.eye(4), (k + 1) % 3, (k + 2) % 3
    T[i, i] = T[j, j] = math.cos(angle)
    T[j, i], T[i, j], T[k, 3] = math.sin(angle), -math.sin(angle), along
    return T
