"""One Delta, described in three ways: its motors do not feel the difference."""

import numpy as np
import pytest
from drawings import Body, changed
from drawn_machines import Drawer, around

import gough

ROD = 0.12
"""Mass of a rod [kg]."""
STATE = (
    [0.03, -0.05, -0.6, 1, 0, 0, 0],
    [0.4, -0.2, 0.3, 0, 0, 0],
    [5.0, 3.0, -8.0, 0, 0, 0],
    [2.0, -1.0, 4.0, 0, 0, 0],
)


def delta(rods):
    """Draw a Delta: ball-ended rods, universal-ball rods, or one rod a leg that keeps its attitude.

    Rods are lines of mass; a merged one has the mass of two.
    """
    d = Drawer(0)
    for i in range(3):
        R, leg = around(2 * np.pi * i / 3), f"{i + 1}"
        hip, elbow, wrist, axis = (
            R @ p for p in ([0.2, 0, 0], [0.45, 0, -0.17], [0.07, 0, -0.62], [0, 1, 0])
        )
        arm = d.body(f"arm{leg}", hip, elbow)
        d.joint(f"hip{leg}", "R", ("base", arm), hip, axis, driven=True)
        across = np.cross(axis, wrist - elbow)
        if rods == "merged":
            name = line(d, f"rod{leg}", elbow, wrist, 2 * ROD)
            d.joint(f"elbow{leg}", "U", (arm, name), elbow, axis, across)
            d.joint(f"wrist{leg}", "U", (name, "platform"), wrist, across, axis)
            continue
        for side in (-1, 1):
            e, c = elbow + 0.06 * side * axis, wrist + 0.06 * side * axis
            name = line(d, f"rod{leg}{side}", e, c, ROD)
            kind, axes = ("S", ()) if rods == "ball-ended" else ("U", (axis, across))
            d.joint(f"elbow{leg}{side}", kind, (arm, name), e, *axes)
            d.joint(f"wrist{leg}{side}", "S", (name, "platform"), c)
    machine = d.machine(rods, ("x", "y", "z"), [0, 0, -0.62], 0.1)
    same = {"mass": 0.8, "center_of_mass": (0.01, 0.0, 0.02), "inertia": (2e-3, 2e-3, 3e-3)}
    arms = {b.name: b for b in reference_arms()}
    bodies = tuple(arms.get(body.name, body) for body in machine.bodies)
    return changed(machine, platform=changed(machine.platform, **same), bodies=bodies)


def line(d, name, start, end, mass):
    """Draw a rod without thickness, its mass centre in the middle."""
    along = np.subtract(end, start)
    spread = mass * ((along @ along) * np.eye(3) - np.outer(along, along)) / 12
    center = tuple((np.add(start, end) / 2).tolist())
    d.bodies.append(Body(name, mass, center, tuple(map(tuple, spread.tolist()))))
    return name


def reference_arms():
    d = Drawer(7)
    for i in range(3):
        R = around(2 * np.pi * i / 3)
        d.body(f"arm{i + 1}", R @ [0.2, 0, 0], R @ [0.45, 0, -0.17])
    return d.bodies


@pytest.mark.parametrize("rods", ["universal", "merged"])
def test_rods_with_universal_joints_or_merged_ones_are_ball_ended_rods(rods):
    state = [np.array(x, dtype=float) for x in STATE]
    one, other = gough.Model(delta("ball-ended")), gough.Model(delta(rods))
    effort = one.inverse_dynamics(*state)
    np.testing.assert_allclose(other.inverse_dynamics(*state), effort, rtol=1e-11)
    pose, twist, acceleration, wrench = state
    back = other.forward_dynamics(pose, twist, effort, wrench)
    np.testing.assert_allclose(back, acceleration, atol=1e-10 * np.abs(acceleration).max())


def test_axial_inertia_is_what_a_ball_ended_rod_does_not_feel():
    """A rod that spins freely keeps its spin; one on a universal joint has to be turned."""
    state = [np.array(x, dtype=float) for x in STATE]
    thin = delta("universal")

    def thick(body):
        if not body.name.startswith("rod"):
            return body
        inertia = np.array(body.inertia) + 2e-5 * np.eye(3)
        return changed(body, inertia=tuple(map(tuple, inertia.tolist())))

    fat = changed(thin, bodies=tuple(map(thick, thin.bodies)))
    one, other = (gough.Model(m).inverse_dynamics(*state) for m in (thin, fat))
    share = np.abs(one - other).max() / np.abs(one).max()
    assert 1e-8 < share < 1e-3
