"""A05, the stiff flyball governor: rods on a shaft that spring-dampers tie to a slider.

[González et al. 2006]; places of hinges as a port of the library's specification has them. The
published reference is a curve: we compare with SciPy's Radau on equations written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp

import gough
from benchmarks.published.comparison import Comparison
from benchmarks.published.multibody import integration_time
from gough.arrays import Array
from gough.motion import hold
from gough.simulation import Sampling, open_loop, real_plant

DURATION, SPEED = 10.0, 2 * np.pi
a, ROD, BALL, SLIDER, K, C, FREE = 0.05, 0.3, 5.0, 3.0, 8e5, 4e4, 0.5
AXIAL, ACROSS = ROD * 1e-4 / 6, ROD * (1 + 1e-4) / 12
"""Moments of inertia of a rod or the shaft [kg m^2], 1 m long and 10 mm thick."""
START = np.array([np.radians(30), 0.5, 0.0, 0.0])
"""Angle of the rods below the level [rad], place of the slider [m], and their rates."""


def governor() -> gough.Robot:
    """The shaft upright in the base, with the slider as platform."""
    shaft = {"name": "shaft", "mass": ROD, "center_of_mass": [0, 0, 0.5]}
    bodies, springs = [shaft | {"inertia": [ACROSS, ACROSS, AXIAL]}], []
    joints = [
        {"name": "turn", "type": "R", "between": ["base", "shaft"], "at": [0, 0, 0]},
        {"name": "slide", "type": "P", "between": ["shaft", "platform"], "at": [0, 0, 0.5]},
    ]
    joints = [joint | {"axis": [0, 0, 1], "driven": True} for joint in joints]
    for name, side in (("right", 1), ("left", -1)):
        top, along = np.array([a * side, 0, 1.0]), np.array([side * np.cos(START[0]), 0, -0.5])
        middle, end = top + along / 2, top + along
        mass, parts = ROD + BALL, ((ROD, middle), (BALL, end))
        center = sum(m * at for m, at in parts) / mass
        inertia = ACROSS * np.eye(3) + (AXIAL - ACROSS) * np.outer(along, along)
        for m, at in parts:
            r = at - center
            inertia = inertia + m * (r @ r * np.eye(3) - np.outer(r, r))
        facts = {"name": name, "mass": mass, "center_of_mass": center.tolist()}
        bodies.append(facts | {"inertia": inertia.tolist()})
        hinge = {"name": f"{name} hinge", "type": "R", "between": ["shaft", name]}
        joints.append(hinge | {"at": top.tolist(), "axis": [0, 1, 0]})
        spring = {"name": f"{name} coupler", "between": [name, "platform"], "stiffness": K}
        ends = {"start": middle.tolist(), "end": [a * side, 0, 0.5]}
        springs.append(spring | ends | {"length": FREE, "damping": C})
    cube = {"mass": SLIDER, "inertia": [SLIDER * 0.01 / 6] * 3, "moves": ["z", "rz"]}
    facts = {"schema": "gough/2", "name": "A05", "gravity": [0, 0, -9.81]}
    parts = {"platform": cube | {"home": {"position": [0, 0, 0.5]}}, "bodies": bodies}
    return gough.Robot.from_dict(facts | parts | {"joints": joints, "springs": springs})


def inertia_about_shaft(angle: float) -> tuple[float, float]:
    """All inertia about the shaft [kg m^2], and its derivative by the rods' angle."""
    c, s = np.cos(angle), np.sin(angle)
    rods = ACROSS * c**2 + AXIAL * s**2 + ROD * (a + c / 2) ** 2 + BALL * (a + c) ** 2
    slope = -2 * (ACROSS - AXIAL) * c * s - ROD * (a + c / 2) * s - 2 * BALL * (a + c) * s
    return AXIAL + SLIDER * 0.01 / 6 + 2 * rods, 2 * slope


def rates(_: float, x: Array) -> Array:
    """Rates of angle, place and their rates; the angular momentum is constant."""
    angle, place, turning, sliding = x
    c, s = np.cos(angle), np.sin(angle)
    whole, slope = inertia_about_shaft(angle)
    spin = inertia_about_shaft(START[0])[0] * SPEED / whole
    across, down = c / 2, 1 - s / 2 - place
    length = np.hypot(across, down)
    by_angle, by_place = (-across * s / 2 - down * c / 2) / length, -down / length
    force = K * (length - FREE) + C * (by_angle * turning + by_place * sliding)
    weight = 9.81 * (ROD / 2 + BALL) * c
    hinge = ACROSS + ROD / 4 + BALL
    turned = (spin**2 * slope / 4 + weight - force * by_angle) / hinge
    return np.array([turning, sliding, turned, -9.81 - 2 * force * by_place / SLIDER])


def compared() -> Iterator[Comparison]:
    """Yield where the slider is after 1 s and 10 s."""
    robot = governor()
    ideal = {"drives": False, "joint_friction": False, "stops": False}
    plant = real_plant(robot, coordinates="joints", **ideal)
    start = np.array(robot.home), np.array([0, 0, 0, 0, 0, SPEED])
    scenario = gough.Scenario(
        robot, open_loop(0.0), hold(robot.home, DURATION), plant=plant, start=start,
        sampling=Sampling(period=1e-3, substeps=20),
    )  # fmt: skip
    places = gough.simulate(scenario)["pose"][:, 2]
    spent = integration_time(scenario)
    times = (1.0, DURATION)
    found = solve_ivp(rates, (0, DURATION), START, "Radau", times, rtol=1e-11, atol=1e-12)
    for time, exact in zip(times, found.y[1], strict=True):
        ours = places[round(time / 1e-3)]
        source = "SciPy's Radau on equations written by hand"
        what, error = f"place of the slider, {time:g} s [m]", abs(ours - exact) / exact
        yield Comparison("A05", what, source, exact, ours, error, spent)
