"""From a robot file as written to the values of a hexapod: full legs, one home pose."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from gough.errors import InputError, RobotError, joined
from gough.fields.changes import parts
from gough.fields.quantities import Angles
from gough.fields.table import ByKind, FileTable, entry, in_part, optional, read, tables_in
from gough.fields.user_files import refuse_other_kinds
from gough.poses import pose
from gough.robot.condensed import WrittenFlexibility, flexibility_of
from gough.robot.elastic import FLEXIBILITY
from gough.robot.records import ALL_LEGS, LEGS, SCHEMAS, Heading, Home, Leg, Platform, SchemaVersion
from gough.robot.symmetric import Circles, Triangles, tangent

WrittenLeg = in_part(Leg)

Facts = dict[str, Any]


def resolve(data: object) -> Facts:
    """Return the arguments of `Hexapod`: legs merged, symmetry expanded, rpy converted."""
    written = read(WrittenRobot, data)
    facts = written.model_dump(by_alias=True, exclude={"leg", "legs", "symmetric"})
    facts["platform"]["home"] = home_of(written.platform.home, "platform.home")
    own = _own(written)
    shared = _checked_once(written.leg, frozenset().union(*own))
    pairs = zip(own, _joints(written), strict=True)
    facts["legs"] = [_leg(shared, of_leg, joints) for of_leg, joints in pairs]
    if written.flexibility is not None:
        facts["flexibility"] = flexibility_of(written.flexibility, facts["legs"])
    return facts


def version_of(data: object) -> object:
    """Return the version of a robot file, which determines its keys; None of what is no table."""
    if not isinstance(data, dict):
        return None  # said in other words by the tables themselves
    if "schema" not in data:
        expected = '"gough/1" of a hexapod, "gough/2" of any other machine'
        raise InputError("missing", key="schema", expected=expected)
    refuse_other_kinds(data, "robot")
    version = data["schema"]
    if version not in SCHEMAS:
        known = " or ".join(f'"{schema}"' for schema in SCHEMAS)
        raise InputError("unknown schema version", key="schema", value=version, expected=known)
    return version


def _own(written: WrittenRobot) -> list[Facts]:
    """Return the values of the [[legs]] tables, one for each leg."""
    if written.legs is not None:
        return [given(leg) for leg in written.legs]
    if written.symmetric is None:
        raise InputError("missing", key="legs", expected="six [[legs]] tables, or [symmetric]")
    return [{} for _ in range(LEGS)]


def _joints(written: WrittenRobot) -> list[Facts]:
    """Return the values of each leg that follow from [symmetric]: empty without it."""
    if written.symmetric is None:
        return [{} for _ in range(LEGS)]
    own = {f"legs[{i}]": leg for i, leg in enumerate(written.legs or [])}
    for place, leg in {"leg": written.leg, **own}.items():
        for key in ("base", "platform"):
            if (point := getattr(leg, key, None)) is not None:
                problem, at = "joint coordinates given twice", f"{place}.{key}"
                expected = "either [symmetric] or coordinates, not both"
                raise InputError(problem, key=at, value=point, expected=expected)
    ends = written.symmetric.joints()
    return [{"base": a, "platform": b, "first_axis": tangent(a)} for a, b in ends]


@lru_cache(maxsize=64)  # robots that differ elsewhere have the same
def _checked_once(leg: FileTable | None, changed: frozenset[str]) -> Facts:
    """Return the shared values of legs, with tables as records where no leg changes them.

    A table that is no valid record stays as it is: each leg then raises an error.
    """
    shared, records = given(leg), {}
    for key, kind in tables_in(Leg).items():
        if key in shared.keys() - changed:
            with suppress(InputError):
                records[key] = read(kind, shared[key])
    return shared | records


def _leg(shared: Facts, own: Facts, joints: Facts) -> Facts:
    leg = merged(joints, merged(shared, own))
    if leg.get("kind") == "SPS" and "first_axis" not in own:
        leg.pop("first_axis", None)  # meant for the UPS legs
    return leg


def given(leg: FileTable | None) -> Facts:
    """Return the values of a leg's table: empty without it."""
    return {key: _values(value) for key, value in leg or () if value is not None}


def _values(value: object) -> object:
    """Return tables as mappings: to dump one, pydantic would make a serialiser of its class."""
    if isinstance(value, tuple | list):
        return type(value)(map(_values, value))
    return given(value) if isinstance(value, FileTable) else value


def merged(shared: Facts, own: Facts) -> Facts:
    """Return the shared values overridden by a leg's own ones, table by table."""
    tables = {key: x for key, x in own.items() if isinstance(x, dict)}
    deeper = {k: merged(shared[k], x) for k, x in tables.items() if isinstance(shared.get(k), dict)}
    return shared | own | deeper


def home_of(home: WrittenHome, key: str) -> Facts:
    """Return a pose that is written at a key, with its rotation as a quaternion."""
    if home.rpy is not None and "quaternion" in home.model_fields_set:
        raise InputError("rotation given twice", key=key, expected="either rpy or quaternion")
    turned = home.quaternion if home.rpy is None else pose([0, 0, 0], rpy=home.rpy)[3:].tolist()
    return {"position": home.position, "quaternion": turned}


def as_written(error: InputError, data: object, file: Path | None) -> RobotError:
    """Return the error with its file, and with its keys where the user wrote them.

    A leg's value may be in the shared [leg] table; then that key is named, and once.
    """
    found: dict[str, RobotError] = {}
    for problem in RobotError.of(error).problems:
        key = _written_key(problem.key, data)
        found.setdefault(key, RobotError.of(problem, key=key))
    return RobotError.of(RobotError.together(list(found.values())), file=file)


def _written_key(key: str, data: object) -> str:
    """Choose between legs[i].… and leg.…: the one with more of its parts in the data."""
    match = re.match(r"legs\[\d+\]\.?", key)
    if match is None or not isinstance(data, dict):
        return key
    shared = joined("leg", key[match.end() :])
    return shared if _depth(shared, data) > _depth(key, data) - 1 else key


def _depth(key: str, data: Any) -> int:
    """Count the parts of a key that exist in the data."""
    depth = 0
    for part in parts(key):
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            break
        depth += 1
    return depth


class WrittenHome(Home):
    """A reference pose of the platform frame in the base frame: rpy or a quaternion."""

    rpy: Angles | None = optional(
        "Roll, pitch and yaw [rad] about the fixed x, y and z axes: R = Rz(yaw) Ry(pitch) "
        "Rx(roll). Or give a quaternion."
    )


class WrittenPlatform(Platform):
    """The moving platform with its payload."""

    home: WrittenHome = entry("A reference pose, in the middle of the workspace.")


class WrittenRobot(Heading):
    """A Gough-Stewart platform: a base, a platform and six extensible legs.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "4 ft",
    "7.5 lb" or "30 deg".
    """

    # A leg's values may be in the shared [leg] table or in its own [[legs]] table, hence none of
    # them is required here. The JSON Schema is made from these classes.

    schema_version: SchemaVersion
    platform: WrittenPlatform = entry("The moving platform with its payload, and its home pose.")
    leg: WrittenLeg | None = optional(  # type: ignore[valid-type]
        "Shared values of the legs, which a [[legs]] table may override."
    )
    legs: Annotated[list[WrittenLeg], *ALL_LEGS] | None = optional(  # type: ignore[valid-type]
        "The six legs. With [symmetric], only for values that differ."
    )
    flexibility: WrittenFlexibility | None = FLEXIBILITY
    symmetric: Annotated[Circles | Triangles, ByKind("layout")] | None = optional(
        "The joint centres of a symmetric machine, instead of six coordinates."
    )
