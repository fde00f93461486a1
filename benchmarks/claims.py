"""What the papers claim of their models, in numbers: `python -m benchmarks.claims`."""

from functools import partial
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import gough
from benchmarks.measure import best_times


def changed(robot, **leg):
    """The robot with other values for all legs; legs without spin lose their first axes."""
    data = robot.to_dict()
    data["leg"] = {**data["leg"], **leg}
    if leg.get("kind") == "SPS":
        data["leg"].pop("first_axis", None)
        for one in data["legs"]:
            one.pop("first_axis", None)
    return gough.Robot.from_dict(data)


def forces(robot, motion, formulation="newton-euler"):
    """Actuator forces [N] along a motion."""
    return gough.Model(robot, formulation=formulation).inverse_dynamics(*motion)


def kalani_case_1():
    """The helix: pose, twist and acceleration over two turns."""
    t = np.linspace(0, 2 * np.pi, 2001)
    zero = np.zeros_like(t)
    position = np.stack([0.1 * np.cos(2 * t), 0.1 * np.sin(2 * t), 1 + 0.01 * t], -1)
    velocity = np.stack(
        [-0.2 * np.sin(2 * t), 0.2 * np.cos(2 * t), zero + 0.01, zero, zero, zero], -1
    )
    acceleration = np.zeros((len(t), 6))
    acceleration[:, :2] = -4 * position[:, :2]
    return gough.pose(position), velocity, acceleration


def swinging(center, amplitude, angle, frequency, n=2001):
    """A platform that swings in all six coordinates: pose, twist and acceleration."""
    t = np.linspace(0, 2 * np.pi / frequency, n)[:, None]
    phases = np.arange(3) * 2 * np.pi / 3
    w = frequency
    position = np.array(center) + amplitude * np.sin(w * t + phases)
    velocity = amplitude * w * np.cos(w * t + phases)
    acceleration = -amplitude * w**2 * np.sin(w * t + phases)
    axis = np.array([0.48, -0.6, 0.64])  # one axis: its rates are those of the angle
    turn, rate, second = (
        f * angle for f in (np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t))
    )
    pose = gough.pose(position, rotation=Rotation.from_rotvec(turn * axis))
    return pose, np.hstack([velocity, rate * axis]), np.hstack([acceleration, second * axis])


def spin():
    """Kalani 2016: the legs' spin has no significant effect on the forces."""
    robot, motion = gough.load("kalani-2016"), kalani_case_1()
    peak = np.abs(forces(robot, motion)).max()
    print("Kalani 2016: effect of the legs' spin on the forces (UPS against SPS legs)")
    for axial in (0.0, 2e-3):
        part = {"mass": 0.1, "center_of_mass": 0.5, "inertia": [6.25e-3, 6.25e-3, axial]}
        spinning = changed(robot, cylinder=part, piston=part)
        spinless = changed(spinning, kind="SPS")
        for name, path in (("case 1", motion), ("swinging", swinging([0, 0, 1], 0.1, 0.3, 6))):
            effect = np.abs(forces(spinning, path) - forces(spinless, path)).max()
            largest = np.abs(forces(spinning, path)).max()
            print(f"  Izz = {axial:5g} kg m^2, {name:8s}: {effect:.2g} N of {largest:.3g} N")
    print(f"  largest force of case 1: {peak:.3g} N\n")


def point_masses():
    """Bingul 2012: a leg as one point mass."""
    print("Bingul 2012: legs as point masses against two rods each")
    for name, motion in (
        ("bingul-2012", swinging([0, 0, 0.25], 0.01, 0.1, 2 * np.pi)),
        ("bingul-2012", swinging([0, 0, 0.25], 0.01, 0.1, 10 * np.pi)),
        ("demo-hexapod", swinging([0, 0, 0.99], 0.05, 0.1, 2 * np.pi)),
    ):
        robot = gough.load(name)
        exact = forces(robot, motion)
        error = np.abs(forces(robot, motion, "point-mass-legs") - exact).max()
        hertz = 1 / (2 * np.pi) * (np.abs(motion[2][:, 0]).max() / np.abs(motion[1][:, 0]).max())
        largest = np.abs(exact).max()
        print(f"  {name:13s} {hertz:3.0f} Hz: largest error {error:.3g} N of {largest:.4g} N")
    print()


def derivations():
    """Oftadeh 2010: Newton-Euler gives what Lagrange gives."""
    print("Oftadeh 2010: largest difference from the Newton-Euler forces")
    robot, motion = gough.load("demo-hexapod"), swinging([0, 0, 0.99], 0.05, 0.2, 6)
    reference = forces(robot, motion)
    for name in ("lagrange", "virtual-work", "kane", "recursive"):
        difference = np.abs(forces(robot, motion, name) - reference).max()
        print(f"  {name:13s} {difference:.1e} N of {np.abs(reference).max():.4g} N")


def virtual_work():
    """Kalani 2016, Table 3: virtual work takes less time than Lagrange's equations."""
    print("\nKalani 2016: derivations on the 4 s motion, kalani-2016")
    motion = kalani_4s()
    names = ("virtual-work", "lagrange", "point-mass-legs", "newton-euler", "kane", "recursive")
    models = [gough.Model(gough.load("kalani-2016"), formulation=name) for name in names]
    out = np.empty((len(motion[0]), 6))
    calls = [partial(model.inverse_dynamics, *motion, out=out, threads=1) for model in models]
    times = best_times(*calls, seconds=0.5)
    exact = models[0].inverse_dynamics(*motion)
    for name, model, elapsed in zip(names, models, times, strict=True):
        operations = model.inverse_dynamics.program.n_operations
        error = np.abs(model.inverse_dynamics(*motion) - exact).max()
        each = 1e9 * elapsed / len(out)
        print(f"  {name:15s} {operations:5d} operations, {each:5.1f} ns a state", end="")
        print(f", {error:.1e} N from virtual work of {np.abs(exact).max():.2f} N")


def kalani_4s(n=20001):
    """Section 8.3: the motion of 4 s, with gravity downwards."""
    whole = gough.Study.load(Path(__file__).parents[1] / "studies" / "kalani-4s.toml")
    at = whole.motion(np.linspace(0, 4, n))
    return at.pose, at.twist, at.acceleration


if __name__ == "__main__":
    spin()
    point_masses()
    derivations()
    virtual_work()
