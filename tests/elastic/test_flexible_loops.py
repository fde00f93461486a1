"""Rows that close loops of machines with links that bend, of machines that are special at home."""

import casadi as ca
import numpy as np
import pytest
from bending_arms import bar
from drawings import Joint, Mechanism, Platform, changed

from gough.elastic.flexible.link_tree import beams_of, loop_rows, spanned
from gough.equations.flexible import dynamics
from gough.robot.elastic import Beam

SHORT, LONG, ARM = 0.2, 0.5, 0.3


def flat(size=1.0):
    """A parallelogram that is drawn flat, and an arm on its coupler that bends."""
    A, B, C, D, E = (
        (size * x, 0.0, 0.0) for x in (0.0, LONG, SHORT, LONG + SHORT, LONG + SHORT + ARM)
    )
    bodies = [
        bar("crank", 0.3, A, C, 0.01 * size),
        bar("coupler", 0.6, C, D, 0.01 * size),
        bar("rocker", 0.3, B, D, 0.01 * size),
        changed(bar("arm", 0.5, D, E, 0.01 * size), beam=Beam(diameter=0.02 * size, modulus=7e10)),
    ]
    hinges = {"motor": ("base", "crank", A), "left": ("crank", "coupler", C)}
    hinges |= {"right": ("coupler", "rocker", D), "foot": ("base", "rocker", B)}
    joints = [
        Joint(name, "R", (a, b), at, ((0, 0, 1),), name == "motor")
        for name, (a, b, at) in hinges.items()
    ]
    joints += [Joint("root", "fixed", ("coupler", "arm"), D)]
    joints += [Joint("hand", "fixed", ("arm", "platform"), E)]
    platform = Platform(0.2, np.zeros((3, 3)).tolist(), position=E, moves=("y",))
    return Mechanism("flat", platform, tuple(bodies), tuple(joints), (0, -9.81 * size, 0))


@pytest.mark.parametrize("size", [1.0, 1e-2])
def test_rows_that_repeat_others_at_home_alone_are_kept(size):
    robot = flat(size)
    beams = tuple(beams_of(robot).items())
    found, rows = spanned(robot, beams), list(loop_rows(robot, beams))
    machine, turns = found.machine, {"motor": 0.4, "left": -0.4, "right": 0.4, "foot": 0.4}
    z = [turns.get(name, 0.0) for name in found.coordinates]
    z, rate, none = ca.DM(z), ca.DM.zeros(machine.size), ca.DM.zeros(6)
    efforts = ca.DM(np.random.default_rng(1).standard_normal(machine.size) * size**2)
    second = dynamics.forward_dynamics(machine, rows, z, rate, efforts, rate, none)
    C = dynamics.closing_rows(machine, z)
    assert np.abs(np.array(ca.evalf(dynamics.gaps(machine, z)))).max() < 1e-12 * size
    assert np.linalg.matrix_rank(np.array(ca.evalf(C)), tol=1e-9 * size) == len(rows) == 2
    opening = np.array(ca.evalf(C @ second))
    assert np.abs(opening).max() < 1e-9 * np.abs(np.array(ca.evalf(second))).max()
