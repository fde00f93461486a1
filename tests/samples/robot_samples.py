"""Robots for the tests: plain data that is right, a way to make it wrong, and random robots."""

from __future__ import annotations

import copy
import math
from typing import Any

from hypothesis import strategies as st

from gough.robot import Robot, load

REMOVED = object()


def good_data() -> dict[str, Any]:
    """Return a right description, with a shared [leg] table, UPS legs, strokes and limits."""
    data = load("kalani-2016").to_dict()
    data["leg"] |= {"stroke": [0.6, 1.7], "max_force": 100.0}
    return data


def edited(path: str, value: object, data: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the data with one value replaced, or left out: `edited("legs.2.base", REMOVED)`."""
    data = copy.deepcopy(data or good_data())
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = data
    for part in parents:
        place = place[part]
    if value is REMOVED:
        del place[last]
    else:
        place[last] = value
    return data


def _floats(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_subnormal=False)


_COORDINATES = st.lists(_floats(-2.0, 2.0), min_size=3, max_size=3)


@st.composite
def inertias(draw: st.DrawFn, *, axial: bool = False) -> list[Any]:
    """Draw a physical inertia: of point masses (3x3), or of a body that is symmetric about z."""
    if axial:
        across = draw(_floats(1e-3, 5.0))
        return [across, across, draw(_floats(0.0, 2.0 * across))]
    points = draw(st.lists(_COORDINATES, min_size=4, max_size=8))
    return [
        [
            sum((i == j) * math.fsum(p[k] ** 2 for k in range(3)) - p[i] * p[j] for p in points)
            for j in range(3)
        ]
        for i in range(3)
    ]


@st.composite
def bodies(draw: st.DrawFn, *, axial: bool) -> dict[str, Any]:
    return {
        "mass": draw(_floats(0.0, 50.0)),
        "center_of_mass": draw(_floats(-1.0, 2.0)),
        "inertia": draw(inertias(axial=axial)),
    }


@st.composite
def drives(draw: st.DrawFn) -> dict[str, Any]:
    needed = ("resistance", "torque_constant", "back_emf", "screw_lead")
    optional = ("inductance", "rotor_inertia", "rotor_damping", "gear_ratio", "screw_inertia")
    optional += ("rotor_friction", "screw_friction", "max_current", "max_voltage")
    chosen = needed + tuple(key for key in optional if draw(st.booleans()))
    shares = {"efficiency": _floats(0.1, 1.0), "back_efficiency": _floats(-2.0, 1.0)}
    return {key: draw(_floats(1e-6, 10.0)) for key in chosen} | draw(_some_of(shares))


def _some_of(values: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=values)


def connectors() -> st.SearchStrategy[dict[str, Any]]:
    """Draw a connector without a decoupling stage, whose mass would have to fit its cylinder."""
    coupling = st.fixed_dictionaries(
        {"stiffness": _floats(1.0, 1e8)}, optional={"damping": _floats(0.0, 1e6)}
    )
    return _some_of(
        {"stiffness": _floats(1.0, 1e9), "damping": _floats(0.0, 1e4), "coupling": coupling}
    )


def joint_frictions() -> st.SearchStrategy[dict[str, Any]]:
    keys = ("base_damping", "base_friction", "platform_damping", "platform_friction")
    return _some_of({key: _floats(0.0, 10.0) for key in keys})


def screws() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"diameter": _floats(1e-3, 0.1)},
        optional={
            "modulus": _floats(1e9, 1e12),
            "nut": _floats(1.0, 1e9),
            "rod": _floats(1.0, 1e9),
        },
    )


def joint_stiffnesses() -> st.SearchStrategy[dict[str, Any]]:
    keys = (
        f"{end}_{way}" for end in ("base", "platform") for way in ("axial", "radial", "bending")
    )
    return _some_of({key: _floats(1.0, 1e9) for key in keys})


def stops() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"stiffness": _floats(1.0, 1e9), "restitution": _floats(0.0, 1.0)})


@st.composite
def legs(draw: st.DrawFn, index: int) -> dict[str, Any]:
    """Draw a leg from below z = -3, so that no two are alike and none is short."""
    kind = draw(st.sampled_from(["UPS", "SPS"]))
    x, y, _ = draw(_COORDINATES)
    leg: dict[str, Any] = {
        "kind": kind,
        "base": [x, y, -3.0 - index],
        "platform": draw(_COORDINATES),
    }
    if kind == "UPS":
        leg["first_axis"] = [draw(_floats(0.1, 1.0)), draw(_floats(0.1, 1.0)), 0.0]
    for part in ("cylinder", "piston"):
        if draw(st.booleans()):
            leg[part] = draw(bodies(axial=kind == "SPS"))
    limits = {
        "stroke": st.just([0.125, 60.0]),
        "max_force": _floats(1.0, 1e6),
        "max_speed": _floats(0.01, 10.0),
        "base_joint_limit": _floats(0.01, math.pi),
        "platform_joint_limit": _floats(0.01, math.pi),
        "radius": _floats(1e-3, 1.0),
        "drive": drives(),
        "connector": connectors(),
        "stiffness": _floats(1.0, 1e9),
        "screw": screws(),
        "joint_friction": joint_frictions(),
        "joint_stiffness": joint_stiffnesses(),
        "stop": stops(),
    }
    return leg | {key: draw(values) for key, values in limits.items() if draw(st.booleans())}


@st.composite
def robots(draw: st.DrawFn) -> Robot:
    """Draw a machine: no symmetry, mixed kinds of legs, any orientation at home."""
    words = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
    return Robot.from_dict(
        {
            "schema": "gough/1",
            "name": draw(words.filter(str.isprintable)) or "random",
            "reference": draw(words),
            "notes": draw(words),
            "gravity": draw(_COORDINATES),
            "platform": {
                "mass": draw(_floats(0.0, 1e4)),
                "center_of_mass": draw(_COORDINATES),
                "inertia": draw(inertias()),
                "home": {
                    "position": [0.0, 0.0, 4.0],
                    "rpy": draw(st.lists(_floats(-math.pi, math.pi), min_size=3, max_size=3)),
                },
            },
            "legs": [draw(legs(i)) for i in range(6)],
        }
    )
