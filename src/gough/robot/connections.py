"""What must hold for the bodies and joints of a machine together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gough.errors import InputError
from gough.robot.mechanism import BASE, PLATFORM

if TYPE_CHECKING:
    from gough.robot.description import Mechanism


def check_connections(mechanism: Mechanism) -> None:
    """Check that names are unique, and that joints join two different bodies that there are."""
    if not mechanism.joints:
        expected = "[leg] or [[legs]], or [[bodies]] and [[joints]]"
        raise InputError("a machine without joints", key="joints", expected=expected)
    bodies = [body.name for body in mechanism.bodies]
    found = [*_twice("bodies", (BASE, PLATFORM, *bodies), reserved=2)]
    found += _twice("joints", [joint.name for joint in mechanism.joints])
    for k, joint in enumerate(mechanism.joints):
        found += _strangers(joint.between, f"joints[{k}].between", {BASE, PLATFORM, *bodies})
    if found:
        raise InputError.together(found)


def _twice(key: str, names: Sequence[str], reserved: int = 0) -> Iterator[InputError]:
    for k, name in enumerate(names):
        if name in names[:k]:
            place = f"{key}[{k - reserved}].name"
            yield InputError("a name given twice", key=place, value=name, expected="another one")


def _strangers(pair: tuple[str, str], key: str, known: set[str]) -> Iterator[InputError]:
    for k, name in enumerate(pair):
        if name not in known:
            expected = f"one of {', '.join(sorted(known))}"
            yield InputError("no such body", key=f"{key}[{k}]", value=name, expected=expected)
    if pair[0] == pair[1]:
        expected = "two different bodies"
        yield InputError("a joint of a body with itself", key=key, value=pair, expected=expected)
