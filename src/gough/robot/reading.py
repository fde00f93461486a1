"""From what a user wrote to the plain facts of a robot: six full legs, one home pose."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from gough.errors import RobotError
from gough.fields.problems import robot_error
from gough.poses import pose
from gough.robot.symmetric import tangent
from gough.robot.written import SCHEMA, WrittenHome, WrittenLeg, WrittenRobot

Facts = dict[str, Any]


def resolve(data: object) -> Facts:
    """Return what `Robot` takes: shared leg values merged, symmetry expanded, rpy converted."""
    _check_version(data)
    written = _read(data)
    facts = written.model_dump(by_alias=True, exclude={"leg", "legs", "symmetric"})
    facts["platform"]["home"] = _home(written.platform.home)
    shared = written.leg or WrittenLeg()
    facts["legs"] = [
        _leg(shared, own, joints)
        for own, joints in zip(_own(written), _joints(written), strict=True)
    ]
    return facts


def _read(data: object) -> WrittenRobot:
    try:
        return WrittenRobot.model_validate(data)
    except ValidationError as error:
        raise robot_error(error) from None


def _check_version(data: object) -> None:
    """Complain about the version before anything else: another version has other keys."""
    if not isinstance(data, dict) or "schema" not in data:
        return  # said in other words by the tables themselves
    if str(data["schema"]).startswith("gough-study/"):
        expected = "a robot file; 'gough run' and 'gough check' take studies"
        raise RobotError("a study, not a robot", expected=expected)
    if data["schema"] != SCHEMA:
        raise RobotError(
            "unknown schema version", key="schema", value=data["schema"], expected=f'"{SCHEMA}"'
        )


def _own(written: WrittenRobot) -> list[WrittenLeg]:
    if written.legs is not None:
        return written.legs
    if written.symmetric is None:
        raise RobotError("missing", key="legs", expected="six [[legs]] tables, or [symmetric]")
    return [WrittenLeg()] * 6


def _joints(written: WrittenRobot) -> list[Facts]:
    """Return what [symmetric] says of each leg: nothing, when it is not there."""
    if written.symmetric is None:
        return [{} for _ in range(6)]
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
                raise RobotError(
                    "joint coordinates given twice",
                    key=f"{place}.{key}",
                    value=getattr(leg, key),
                    expected="either [symmetric] or coordinates, not both",
                )


def _leg(shared: WrittenLeg, own: WrittenLeg, joints: Facts) -> Facts:
    leg = _merged(joints, _merged(_given(shared), _given(own)))
    if leg.get("kind") == "SPS" and own.first_axis is None:
        leg.pop("first_axis", None)  # meant for the UPS legs
    return leg


def _given(leg: WrittenLeg) -> Facts:
    return leg.model_dump(exclude_none=True)


def _merged(shared: Facts, own: Facts) -> Facts:
    """Return the shared values overridden by a leg's own ones, table by table."""
    deeper = {
        key: _merged(shared[key], value)
        for key, value in own.items()
        if isinstance(value, dict) and isinstance(shared.get(key), dict)
    }
    return shared | own | deeper


def _home(home: WrittenHome) -> Facts:
    if home.rpy is not None and home.quaternion is not None:
        raise RobotError(
            "rotation given twice", key="platform.home", expected="either rpy or quaternion"
        )
    turned = pose(home.position, rpy=home.rpy)[3:].tolist()
    return {"position": home.position, "quaternion": home.quaternion or turned}
