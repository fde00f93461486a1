"""The two models of Bingul and Karahan 2012, with Jacobians A and B, simulated side by side.

`python docs/bingul_jacobians.py` prints E of Eq. (70) of both for the three experiments, beside the
numbers of Table 5. Both models have the platform of Eqs. (24)-(31), legs as point masses (32)-(39),
drives (52)-(58) and lengths from Eq. (66); they differ in the Jacobian alone. Jacobian A is that of
Eqs. (8)-(15); Jacobian B that of (16)-(23) as it is printed, or with the angular velocity of Eq.
(19) corrected. The attitude is Ry(β) Rx(α) Rz(γ), as in Eqs. (13), (27) and (39); sums go over six
legs, as Tables 1 and 2 do. Misprints of the energies and of the Christoffel symbols are corrected.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import pi
from typing import Any, Literal, NamedTuple

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import gough

Which = Literal["A", "B as printed", "B corrected"]
PAPER = {1: (4.4337, 5.0121), 2: (4.5389, 4.5877), 3: (3.6470, 3.3697)}
"""E of Sim-A and Sim-B (Table 5); the paper prints no unit."""
MOTIONS = {  # x, y, z [mm], α, β, γ [deg]: amplitude, function of frequency times π t
    1: ((0, "s", 0), (0, "s", 0), (10, "s", 1), (0, "s", 0), (0, "s", 0), (0, "s", 0)),
    2: ((5, "s", 1), (5, "c", 1), (1, "s", 1), (10, "c", 2), (10, "s", 2), (10, "c", 2)),
    3: ((10, "s", 2), (10, "c", 3), (3, "s", 1), (5, "c", 4), (5, "s", 5), (5, "c", 3)),
}
"""Eqs. (67)-(69); 0.25 m are added to z."""
DURATION, SAMPLES = 2.0, 401
X, XD, XDD = (ca.SX.sym(name, 6) for name in ("X", "Xd", "Xdd"))


class Model(NamedTuple):
    """Symbols of one of the models, functions of X and its rates."""

    J: Any
    M: Any
    bias: Any
    """Velocity-dependent forces and weights."""


def _row(values: Any) -> Any:
    return np.array(values).reshape(-1)


def _turn(axis: int, angle: Any) -> Any:
    R = ca.SX.eye(3)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R[j, j] = R[k, k] = ca.cos(angle)
    R[j, k], R[k, j] = -ca.sin(angle), ca.sin(angle)
    return R


@cache
def geometry() -> tuple[Any, list[Any], list[Any]]:
    """Attitude R, arms R GT of the platform's joints, and the vectors of the legs."""
    alpha, beta, gamma = ca.vertsplit(X[3:])
    R = _turn(1, beta) @ _turn(0, alpha) @ _turn(2, gamma)
    legs = gough.load("bingul-2012").extensible_legs
    arms = [R @ ca.DM(leg.platform) for leg in legs]
    return R, arms, [X[:3] + r - ca.DM(leg.base) for r, leg in zip(arms, legs, strict=True)]


def angular_velocity(which: Which) -> Any:
    """W of ω = W (α̇, β̇, γ̇): Eq. (19) as printed, or with Ry(β) before its last column."""
    alpha, beta, _ = ca.vertsplit(X[3:])
    last = ca.vertcat(0, -ca.sin(alpha), ca.cos(alpha))
    y = _turn(1, beta)
    return ca.horzcat(y[:, 0], ca.DM([0, 1, 0]), last if which == "B as printed" else y @ last)


@cache
def model(which: Which) -> Model:
    """Jacobian, mass matrix and other forces of a model, in the coordinates of the platform."""
    robot = gough.load("bingul-2012")
    R, arms, vectors = geometry()
    platform, leg = robot.platform, robot.extensible_legs[0]
    g, m1, m2 = -robot.gravity[2], leg.cylinder.mass, leg.piston.mass
    m, W = m1 + m2, angular_velocity(which)
    known = angular_velocity("A")  # the platform's own energy is the same in both
    spin = R.T @ known
    M = ca.diagcat(platform.mass * ca.SX.eye(3), spin.T @ ca.DM(platform.inertia) @ spin)
    G = ca.vertcat(0, 0, platform.mass * g, 0, 0, 0)
    rows = []
    center = (m1 * leg.cylinder.center_of_mass - m2 * leg.piston.center_of_mass) / m  # (33)
    for arm, vector in zip(arms, vectors, strict=True):
        length = ca.norm_2(vector)
        V = ca.horzcat(ca.SX.eye(3), -ca.skew(arm) @ W)  # (9), (18)
        row = (vector / length).T @ V  # (8), (20)
        share = center / length + m2 / m
        h, k = share**2, share**2 - (m2 / m) ** 2  # (33), (36)
        M += m * (h * V.T @ V - k * row.T @ row)  # (35)
        G += m * g * (share * ca.jacobian(vector[2], X).T - center / length**2 * vector[2] * row.T)
        rows.append(row)
    along = ca.jtimes(M @ XD, X, XD) - ca.gradient(XD.T @ M @ XD, X) / 2  # (45)-(47)
    return Model(ca.vertcat(*rows), M, along + G)


def leg_forces(which: Which) -> Any:
    """F of Jᵀ F = M Ẍ + V Ẋ + G, Eq. (41)."""
    J, M, bias = model(which)
    return ca.solve(J.T, M @ XDD + bias)


def drive() -> dict[str, float]:
    """The constants of Eqs. (52)-(58) for one leg, of Table 4."""
    own = gough.load("bingul-2012").extensible_legs[0].drive
    assert own is not None
    per_length = 2 * pi * own.gear_ratio / own.screw_lead
    inertia = own.rotor_inertia + own.screw_inertia / own.gear_ratio**2
    damping = own.rotor_damping + own.screw_damping / own.gear_ratio**2
    return {
        "M_a": per_length * inertia,
        "N_a": per_length * damping,
        "K_a": 1 / per_length,
        "K_t": own.torque_constant,
        "K_e": own.back_emf * per_length,
        "R": own.resistance,
        "L": own.inductance,
    }


def reference(experiment: int, t: Any) -> Any:
    """X(t) of an experiment: lengths in m, angles in rad."""
    functions = {"s": ca.sin, "c": ca.cos}
    scale = (1e-3, 1e-3, 1e-3, *[pi / 180] * 3)
    found = [
        unit * size * functions[kind](count * pi * t)
        for unit, (size, kind, count) in zip(scale, MOTIONS[experiment], strict=True)
    ]
    return ca.vertcat(*found) + ca.DM([0, 0, 0.25, 0, 0, 0])


def voltages(experiment: int) -> Callable[[float], Any]:
    """The voltages with which model A follows the reference: those of both simulations."""
    t, d = ca.SX.sym("t"), drive()
    x = reference(experiment, t)
    xd = ca.jacobian(x, t)
    xdd = ca.jacobian(xd, t)
    J = model("A").J
    force, speed = leg_forces("A"), J @ XD
    rate = J @ XDD + ca.jtimes(speed, X, XD)  # (66)
    torque = ca.substitute(
        d["K_a"] * force + d["M_a"] * rate + d["N_a"] * speed,
        ca.vertcat(X, XD, XDD),
        ca.densify(ca.vertcat(x, xd, xdd)),
    )
    moving = ca.substitute(speed, ca.vertcat(X, XD), ca.densify(ca.vertcat(x, xd)))
    current = torque / d["K_t"]
    volts = d["R"] * current + d["L"] * ca.jacobian(current, t) + d["K_e"] * moving  # (58)
    return ca.Function("v", [t], [volts])


def simulate(which: Which, experiment: int) -> tuple[Any, Any]:
    """Leg lengths (T, 6) [m] of a model under these voltages, and those of the reference."""
    d, (J, M, bias) = drive(), model(which)
    current, volts = ca.SX.sym("i", 6), ca.SX.sym("v", 6)
    speed = J @ XD
    drift = ca.jtimes(speed, X, XD)
    load = d["K_a"] * ca.inv(J.T)
    mass = load @ M + d["M_a"] * J  # (60), (61)
    rest = load @ bias + d["M_a"] * drift + d["N_a"] * speed  # (62)-(65)
    xdd = ca.solve(mass, d["K_t"] * current - rest)
    rise = (volts - d["R"] * current - d["K_e"] * speed) / d["L"]
    state = ca.vertcat(X, XD, current, ca.SX.sym("l", 6))
    rates = ca.vertcat(XD, xdd, rise, speed)
    f = ca.Function("f", [state, volts], [rates])
    df = ca.Function("df", [state, volts], [ca.jacobian(rates, state)])
    v, t = voltages(experiment), ca.SX.sym("t")
    x = reference(experiment, t)
    begin = ca.Function("x", [t], [x, ca.jacobian(x, t)])
    lengths = ca.Function("l", [X], [ca.vertcat(*map(ca.norm_2, geometry()[2]))])
    x0, xd0 = begin(0)
    torque = _row(v(0)) - d["K_e"] * _row(ca.Function("s", [X, XD], [J])(x0, xd0) @ xd0)
    start = np.concatenate([_row(part) for part in (x0, xd0, torque / d["R"], lengths(x0))])
    time = np.linspace(0, DURATION, SAMPLES)
    found = solve_ivp(
        lambda t, y: _row(f(y, v(t))),
        (0, DURATION),
        start,
        "Radau",
        time,
        jac=lambda t, y: np.array(df(y, v(t))),
        rtol=1e-7,
        atol=1e-10,
    )
    assert found.success, found.message
    wanted = np.array([_row(lengths(begin(t)[0])) for t in time])
    return found.y[18:].T, wanted


def error(one: Any, other: Any) -> float:
    """E of Eq. (70) [mm]: mean over samples of the sum over the legs."""
    return float(1e3 * np.abs(one - other).sum(axis=1).mean())


def main() -> None:
    """Print E of both models against the reference, and against each other."""
    print("E of Eq. (70) [mm]: Sim-A, Sim-B as printed, B corrected; A to B; the paper's A, B")
    for experiment, printed in PAPER.items():
        a, wanted = simulate("A", experiment)
        b, c = (simulate(which, experiment)[0] for which in ("B as printed", "B corrected"))
        ours = [error(a, wanted), error(b, wanted), error(c, wanted), error(a, b)]
        print(f"  experiment {experiment}:", *(f"{e:.4f}" for e in ours), "|", *printed)


if __name__ == "__main__":
    main()
