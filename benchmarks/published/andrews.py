"""A03, Andrews' squeezing mechanism: seven bodies in a plane, driven by 0.033 N m.

[Hairer & Wanner, Solving Ordinary Differential Equations II; numbers of the Test Set for IVP
Solvers, release 2.4, problem andrews]: angles, speeds, accelerations and the forces in the joint
that four bodies share, after 0.03 s, with 16 digits. The equations of the test set at these angles
and speeds (`by_equations`) give accelerations and forces that differ by 7e-8 from the printed ones:
those were found less exactly than the angles. We compare with both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import gough
from benchmarks.published.comparison import Comparison
from benchmarks.published.multibody import SOURCE as BENCHMARK
from benchmarks.published.multibody import energy_off, integration_time
from gough.arrays import Array
from gough.motion import hold
from gough.simulation import Sampling, open_loop, real_plant

SOURCE = "Test Set for IVP Solvers (Bari), problem andrews; computed by PSIDE at tolerance 1e-14"
EQUATIONS = "the equations of the test set at its angles and speeds after 0.03 s"
OPENSIM = 0.384
"""Stated time [s] of OpenSim 3.2 for 0.05 s."""
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (np.array(at) for at in ((-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)))
d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
ss, sa, sb, sc, sd = 0.035, 0.01874, 0.01043, 0.018, 0.02
ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
TORQUE, STIFFNESS, FREE = 0.033, 4530.0, 0.07785
START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885,
    0.487364979543842550, -0.222668390165885885, 1.23054744454982119,
)  # fmt: skip
"""β, Θ, γ, Φ, δ, Ω, ε at the beginning [rad]."""
ACCELERATED = (14222.4439199541138706, -10666.8329399655854)
"""β̈, Θ̈ at the beginning [rad/s^2]."""
LOADS = (98.5668703962410896, -6.12268834425566266)
"""Force [N] on body 3 at E at the beginning."""
DURATION = 0.03
ANGLES = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
          0.5244099658805304, 0.5347301163226948, 1.048080741042263)  # fmt: skip
SPEEDS = (1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385,
          0.5735699284790808, -19.29337464421385, 0.3231791658026955)  # fmt: skip
ACCELERATIONS = (-24631.76316945196, 51850.37701610329, 324102.5686413781, 566749.3645176213,
                 16743.62929479361, -566749.3645176222, 9826.520791458422)  # fmt: skip
FORCES = (199.1753333731910, -29.75531228015052, 23.06654119098399,
          31.45271365475927, 22.64249232082739, 11.61740700019673)  # fmt: skip
"""Forces [N] at E after 0.03 s: x and y on the bodies 3, 4 and 6."""


def by_equations(angles: tuple[float, ...], speeds: tuple[float, ...]) -> tuple[Array, Array]:
    """Accelerations (7) and forces (6) by the equations of the test set in its seven angles."""
    _, theta, gamma, phi, _, omega, _ = angles
    (m1, m2, m3, m4, m5, m6, m7), (i1, i2, i3, i4, i5, i6, i7) = MASSES, INERTIAS
    b, t, _, p, g, o, x = speeds
    c, s, l4, l6 = np.cos, np.sin, e - ea, zf - fa
    M = np.zeros((7, 7))
    M[0, 0] = m1 * ra**2 + m2 * (rr**2 - 2 * da * rr * c(theta) + da**2) + i1 + i2
    M[0, 1] = M[1, 0] = m2 * (da**2 - da * rr * c(theta)) + i2
    M[1, 1], M[2, 2] = m2 * da**2 + i2, m3 * (sa**2 + sb**2) + i3
    M[3, 3], M[5, 5] = m4 * l4**2 + i4, m6 * l6**2 + i6
    M[3, 4] = M[4, 3] = m4 * (l4**2 + zt * l4 * s(phi)) + i4
    M[4, 4] = m4 * (zt**2 + 2 * zt * l4 * s(phi) + l4**2) + m5 * (ta**2 + tb**2) + i4 + i5
    M[5, 6] = M[6, 5] = m6 * (l6**2 - u * l6 * s(omega)) + i6
    M[6, 6] = m6 * (l6**2 - 2 * u * l6 * s(omega) + u**2) + m7 * (ua**2 + ub**2) + i6 + i7
    along, across = turned(gamma)
    line = B + sd * along - sc * across - C
    length = np.hypot(*line)
    pull = -STIFFNESS * (length - FREE) / length * line
    f = np.array([
        TORQUE - m2 * da * rr * t * (t + 2 * b) * s(theta),
        m2 * da * rr * b**2 * s(theta),
        pull @ (sd * across + sc * along),
        m4 * zt * l4 * g**2 * c(phi),
        -m4 * zt * l4 * p * (p + 2 * g) * c(phi),
        -m6 * u * l6 * x**2 * c(omega),
        m6 * u * l6 * o * (o + 2 * x) * c(omega),
    ])  # fmt: skip
    sums = np.eye(7)  # angles from the base's axes
    sums[[1, 3, 5], [0, 4, 6]] = 1.0
    axes = np.array([turned(angle) for angle in sums @ angles])  # (7, 2, 2)
    bars = np.zeros((3, 7, 2))  # of E by the bodies 3, 4 and 6, along both axes of each body
    bars[:, :2, 0], bars[0, 2, 1] = (rr, -d), ss
    bars[1, 4, 0], bars[1, 3, 1], bars[2, 5, 0], bars[2, 6, 1] = -zt, e, -zf, u
    rates = np.stack([axes[:, 1], -axes[:, 0]], axis=1)
    G = np.einsum("lka,kax->lxk", bars, rates).reshape(6, 7) @ sums
    leaning = np.einsum("lka,kax,k->lx", bars, axes, (sums @ speeds) ** 2).ravel()
    whole = np.block([[M, G.T], [G, np.zeros((6, 6))]])
    found = np.linalg.solve(whole, np.concatenate([f, leaning]))
    return found[:7], found[7:]


def turned(angle: float) -> tuple[Array, Array]:
    """Axes of a frame turned by an angle."""
    return np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])


def squeezer(angles: tuple[float, ...] = START) -> gough.Robot:
    """The mechanism at given angles; its crank, body 1, is the platform, with a constant torque."""
    beta, theta, gamma, phi, delta, omega, epsilon = angles
    (x1, _), (x2, _), (x3, y3) = turned(beta), turned(beta + theta), turned(gamma)
    (_, y4), (x5, y5), (x6, _), (x7, y7) = map(
        turned, (phi + delta, delta, omega + epsilon, epsilon)
    )
    F, G, H = rr * x1, A + zt * x5, A - u * y7
    E, D = F - d * x2, B + sd * x3 - sc * y3
    centers = (
        ra * x1, F - da * x2, B + sb * x3 - sa * y3, G - (e - ea) * y4,
        A + ta * x5 + tb * y5, H + (zf - fa) * x6, A + ub * x7 - ua * y7,
    )  # fmt: skip
    bodies = [
        {"name": f"K{k}", "mass": m, "center_of_mass": _spatial(at), "inertia": [inertia] * 3}
        for k, (m, at, inertia) in enumerate(zip(MASSES, centers, INERTIAS, strict=True), 1)
    ]
    crank = bodies.pop(0)
    platform: dict[str, Any] = {
        "mass": crank["mass"],
        "center_of_mass": [ra, 0, 0],
        "inertia": crank["inertia"],
        "home": {"position": [0, 0, 0], "rpy": [0, 0, float(beta)]},
        "moves": ["rz"],
    }
    pairs = (
        ("O", "base", "platform", np.zeros(2)), ("F", "platform", "K2", F), ("E3", "K2", "K3", E),
        ("B", "base", "K3", B), ("E4", "K2", "K4", E), ("G", "K5", "K4", G),
        ("A5", "base", "K5", A), ("E6", "K2", "K6", E), ("H", "K7", "K6", H),
        ("A7", "base", "K7", A),
    )  # fmt: skip
    joints = [
        {"name": name, "type": "R", "between": [one, two], "at": _spatial(at), "axis": [0, 0, 1]}
        for name, one, two, at in pairs
    ]
    joints[0] |= {"driven": True, "position_at_home": float(beta), "spring": {"torque": TORQUE}}
    spring = {"name": "spring", "between": ["base", "K3"], "start": _spatial(C), "end": _spatial(D)}
    spring |= {"stiffness": STIFFNESS, "length": FREE}
    facts = {"schema": "gough/2", "name": "A03", "gravity": [0, 0, 0], "platform": platform}
    return gough.Robot.from_dict(facts | {"bodies": bodies, "joints": joints, "springs": [spring]})


def _spatial(place: Array) -> list[float]:
    return [*map(float, place), 0.0]


def compared() -> Iterator[Comparison]:
    """Yield what we find in both printed states, and after 0.03 s by RK4 in all joints."""
    robot = squeezer()
    model = gough.Model(robot)
    yield from _in_state(model, START[0], 0.0, "0 s", ACCELERATED[0], LOADS)
    last = ANGLES[0], SPEEDS[0]
    yield from _in_state(model, *last, "0.03 s", ACCELERATIONS[0], FORCES)
    (second, *_), forces = by_equations(ANGLES, SPEEDS)
    yield from _in_state(model, *last, "by equations", second, tuple(forces), EQUATIONS)
    ideal = {"drives": False, "joint_friction": False, "stops": False}
    plant = real_plant(robot, coordinates="joints", **ideal)
    for duration, substeps in ((0.05, 12), (DURATION, 50)):
        motion, steps = hold(robot.home, duration), Sampling(period=1e-4, substeps=substeps)
        scenario = gough.Scenario(robot, open_loop(0.0), motion, plant=plant, sampling=steps)
        results, spent = gough.simulate(scenario), integration_time(scenario)
        if duration > DURATION:
            off, what = energy_off(results), "energy kept, of the maximum kinetic"
            yield Comparison("A03", what, BENCHMARK, 0.0, off, off, spent)
            what = "time for 0.05 s [s]"
            yield Comparison("A03", what, BENCHMARK, OPENSIM, spent, None, spent)
            continue
        pose, twist = results["pose"][-1], results["twist"][-1]
        angle = 2 * np.arctan2(pose[6], pose[3])
        angle += 2 * np.pi * np.round((ANGLES[0] - angle) / (2 * np.pi))
        ends = (
            ("angle of the crank [rad]", ANGLES[0], angle),
            ("speed [rad/s]", SPEEDS[0], twist[5]),
        )
        for what, printed, ours in ends:
            error = abs(ours - printed) / abs(printed)
            yield Comparison("A03", f"{what}, 0.03 s", SOURCE, printed, ours, error, spent)


def _in_state(
    model: gough.Model,
    angle: float,
    speed: float,
    when: str,
    acceleration: float,
    forces: tuple[float, ...],
    source: str = SOURCE,
) -> Iterator[Comparison]:
    """Compare the crank's acceleration and the forces at E, at its angle and speed."""
    pose, twist = gough.pose([0, 0, 0], rpy=[0, 0, angle]), np.array([0, 0, 0, 0, 0, speed])
    second = model.forward_dynamics(pose, twist, [0.0], model.joint_wrench(pose, twist))
    what, error = f"acceleration [rad/s^2], {when}", abs(second[5] / acceleration - 1)
    yield Comparison("A03", what, source, acceleration, second[5], error, 0.0)
    loads, size = forces_at_E(model, pose, twist, second), np.abs(forces).max()
    names = [f"force on body {k} at E, {axis} [N], {when}" for k in (3, 4, 6) for axis in "xy"]
    for name, printed, ours in zip(names, forces, loads, strict=False):
        error = abs(ours - printed) / size
        yield Comparison("A03", name, source, printed, ours, error, 0.0)


def forces_at_E(model: gough.Model, pose: Array, twist: Array, second: Array) -> Array:
    """Forces (6) [N] of body 2 on the bodies 3, 4 and 6, in base axes."""
    force, _ = model.reactions(pose, twist, second, np.zeros(6))
    _, axes, _ = model.reaction_axes(pose)
    names = [reaction.joint for reaction in model.structure.reactions]
    places = [names.index(name) for name in ("E3", "E4", "E6")]
    force = np.nan_to_num(force)  # what is not known is across the plane
    return np.concatenate([(axes[k].T @ force[k])[:2] for k in places])
