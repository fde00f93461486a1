"""From what a user wrote to the plain facts of a robot: full legs, one home pose."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from gough.errors import InputError, RobotError, joined
from gough.fields.file_kinds import refuse_other_kinds
from gough.fields.paths import parts
from gough.fields.table import Table, read, tables_in
from gough.poses import pose
from gough.robot.condensed import flexibility_of
from gough.robot.records import LEGS, SCHEMAS, Leg
from gough.robot.symmetric import tangent
from gough.robot.written import WrittenHome, WrittenRobot

Facts = dict[str, Any]


def resolve(data: object) -> Facts:
    """Return what `Robot` takes: shared leg values merged, symmetry expanded, rpy converted."""
    written = read(WrittenRobot, data)
    facts = written.model_dump(by_alias=True, exclude={"leg", "legs", "symmetric"})
    facts["platform"]["home"] = home_of(written.platform.home, "platform.home")
    own = _own(written)
    shared = _checked_once(written.leg, frozenset().union(*own))
    facts["legs"] = [
        _leg(shared, of_leg, joints) for of_leg, joints in zip(own, _joints(written), strict=True)
    ]
    if written.flexibility is not None:
        facts["flexibility"] = flexibility_of(written.flexibility, facts["legs"])
    return facts


def version_of(data: object) -> str | None:
    """Return the version of a robot file, which says what its keys are; None if it says nothing."""
    if not isinstance(data, dict) or "schema" not in data:
        return None  # said in other words by the tables themselves
    refuse_other_kinds(data, "robot")
    version = data["schema"]
    if version not in SCHEMAS:
        known = " or ".join(f'"{schema}"' for schema in SCHEMAS)
        raise InputError("unknown schema version", key="schema", value=version, expected=known)
    return str(version)


def _own(written: WrittenRobot) -> list[Facts]:
    """Return what the [[legs]] tables say, one for each leg."""
    if written.legs is not None:
        return [given(leg) for leg in written.legs]
    if written.symmetric is None:
        raise InputError("missing", key="legs", expected="six [[legs]] tables, or [symmetric]")
    return [{} for _ in range(LEGS)]


def _joints(written: WrittenRobot) -> list[Facts]:
    """Return what [symmetric] says of each leg: nothing, when it is not there."""
    if written.symmetric is None:
        return [{} for _ in range(LEGS)]
    _refuse_coordinates(written)
    return [
        {"base": base, "platform": platform, "first_axis": tangent(base)}
        for base, platform in written.symmetric.joints()
    ]


def _refuse_coordinates(written: WrittenRobot) -> None:
    own = {f"legs[{i}]": leg for i, leg in enumerate(written.legs or [])}
    for place, leg in {"leg": written.leg, **own}.items():
        for key in ("base", "platform"):
            if getattr(leg, key, None) is not None:
                raise InputError(
                    "joint coordinates given twice",
                    key=f"{place}.{key}",
                    value=getattr(leg, key),
                    expected="either [symmetric] or coordinates, not both",
                )


@lru_cache(maxsize=64)  # robots that differ elsewhere have the same
def _checked_once(leg: Table | None, changed: frozenset[str]) -> Facts:
    """What the legs share, its tables as records where no leg changes them: one for all legs.

    A table that is no record stays as it is: each leg complains of it.
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


def given(leg: Table | None) -> Facts:
    """Return what a table says of a leg: nothing, when it is not there."""
    return leg.model_dump(exclude_none=True) if leg else {}


def merged(shared: Facts, own: Facts) -> Facts:
    """Return the shared values overridden by a leg's own ones, table by table."""
    deeper = {
        key: merged(shared[key], value)
        for key, value in own.items()
        if isinstance(value, dict) and isinstance(shared.get(key), dict)
    }
    return shared | own | deeper


def home_of(home: WrittenHome, key: str) -> Facts:
    """Return a pose that is written at a key, with its rotation as a quaternion."""
    if home.rpy is not None and "quaternion" in home.model_fields_set:
        raise InputError("rotation given twice", key=key, expected="either rpy or quaternion")
    turned = home.quaternion if home.rpy is None else pose([0, 0, 0], rpy=home.rpy)[3:].tolist()
    return {"position": home.position, "quaternion": turned}


def as_written(error: InputError, data: Any, file: Path | None) -> RobotError:
    """Return the error with its file, and with its keys where the user wrote them.

    A leg's value may stand in the shared [leg] table; then that is the place to name, and once.
    """
    found: dict[str, RobotError] = {}
    for problem in RobotError.of(error).problems:
        key = _written_key(problem.key, data)
        found.setdefault(key, RobotError.of(problem, key=key))
    return RobotError.of(RobotError.together(list(found.values())), file=file)


def _written_key(key: str, data: Any) -> str:
    """Choose between legs[i].… and leg.…: whichever the user's data follow further."""
    match = re.match(r"legs\[\d+\]\.?", key)
    if match is None or not isinstance(data, dict):
        return key
    shared = joined("leg", key[match.end() :])
    return shared if _depth(shared, data) > _depth(key, data) - 1 else key


def _depth(key: str, data: Any) -> int:
    """Count how many parts of a key lead somewhere in the data."""
    depth = 0
    for part in parts(key):
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            break
        depth += 1
    return depth
