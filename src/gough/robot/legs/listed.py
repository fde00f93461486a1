"""The file of a mechanism in which each leg has its own table, with all of its numbers.

A pattern and shared values make one number of those of several legs. Of a machine that was built
each leg has its own errors.
"""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from gough.arrays import Array, product_of
from gough.errors import GoughError
from gough.fields.table import read
from gough.robot.appearance import seen_from
from gough.robot.description import Mechanism, Robot
from gough.robot.legs.chain import Chain
from gough.robot.legs.expansion import DrawnLeg, drawn_legs
from gough.robot.legs.tables import Leg
from gough.robot.mechanism_reading import WrittenMechanism, written_legs
from gough.robot.numbers import walk

Facts = dict[str, Any]

_SAME = 1e-9  # relative difference of numbers that are the same
_ENCODER = {"offset": 0.0, "gain": 1.0}  # numbers of encoders that a file may leave out


def with_listed_legs(mechanism: Mechanism) -> Mechanism:
    """Return the same mechanism from a file in which each leg has its own table."""
    source = mechanism.written.in_full
    written = read(WrittenMechanism, source)
    legs = written_legs(written)
    if not legs:
        return mechanism
    drawn = drawn_legs(legs, written.pattern, mechanism.home)
    tables = [_table(legs[leg.chain.key], leg.chain, leg.name) for leg in drawn]
    again = {f"legs[{k}]": read(Leg, table) for k, table in enumerate(tables)}
    pairs = zip(drawn, drawn_legs(again, None, mechanism.home), strict=True)
    for table, (own, its) in zip(tables, pairs, strict=True):
        _turn_links(table["links"], own, its)
    rest = {key: x for key, x in source.items() if key not in ("leg", "legs", "pattern")}
    listed = cast(Mechanism, Robot.from_dict({**rest, "legs": tables}))
    for (name, x), (other, y) in zip(_numbers(mechanism), _numbers(listed), strict=True):
        if name != other or not np.allclose(x, y, rtol=_SAME, atol=_SAME):
            raise GoughError(
                f"{mechanism.name}: {name} is another one where each leg has a table of its own; "
                "expected [[legs]] tables instead of [pattern]"
            )
    return listed


def _numbers(mechanism: Mechanism) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield all numbers with their names, geometry too."""
    return walk(mechanism, without=lambda record: ())


def _table(leg: Leg, chain: Chain, name: str) -> Facts:
    """Return the table of a leg where the pattern has put it."""
    facts = leg.model_dump(mode="json", exclude_none=True, exclude={"copies", "name"})
    if leg.name is not None:
        facts["name"] = name
    for key in ("base", "platform", "elbow", "axis"):
        _move(facts, key, chain.turn)
    for link in facts["links"]:
        _move(link, "end", chain.turn)
        _move(link, "across", chain.turn)
    turned = {joint.key: joint for joint in chain.joints}
    for k, joint in enumerate(facts["joints"]):
        own = turned[f"{chain.key}.joints[{k}]"]
        lines = {"axis": own.axis, "axes": own.axes, "zero": own.zero}
        joint |= {key: np.array(x).tolist() for key, x in lines.items() if x is not None}
    if any(joint.driven for joint in chain.joints):
        facts["motor"] = _ENCODER | facts.get("motor", {})
    return facts


def _turn_links(links: list[Facts], own: DrawnLeg, its: DrawnLeg) -> None:
    """Turn, or mirror, mass and mesh of links whose frames are others."""
    records = ((k, x.record) for k, x in enumerate(own.chain.links) if ".links[" in x.key)
    for link, (k, record) in zip(links, records, strict=True):
        turn = product_of(its.link_axes(k).T, own.link_axes(k))
        if np.allclose(turn, np.eye(3), atol=_SAME):
            continue
        link["inertia"] = product_of(turn, record.inertia, turn.T).tolist()
        if np.ndim(link.get("center_of_mass", 0.0)):
            _move(link, "center_of_mass", turn)
        if record.mesh is not None:
            mesh = seen_from(record.mesh, turn, np.zeros(3))
            link["mesh"] = mesh.model_dump(mode="json", exclude_none=True)


def _move(facts: Facts, key: str, turn: Array) -> None:
    if key in facts:
        facts[key] = product_of(turn, np.array(facts[key], float)).tolist()
