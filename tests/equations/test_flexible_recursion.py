"""The recursion over links that bend, against Lagrange's equations of all their points of mass."""

import casadi as ca
import numpy as np
import pytest
from bending_arms import LENGTHS, MASSES, arm
from scipy.linalg import null_space

import gough
from gough.elastic.flexible.beam import BeamStiffness, FlexibleLink, reduced
from gough.elastic.flexible.link_tree import spanned
from gough.equations.flexible import dynamics
from gough.model.mechanism.numbers.mass import Mass

RADIUS = 0.03
BEAMS = (
    ("link-1", FlexibleLink(BeamStiffness((200.0, 150.0), 1e4, 60.0, side=(0, 0.6, 0.8)), 1, 3)),
    ("link-2", FlexibleLink(BeamStiffness(90.0, 8e3, 40.0), 1, 3)),
)
ARMS = {
    "hinges": {"types": "RR", "axes": ((0, 0, 1), (0, 1, 0))},
    "slide": {"types": "PR", "axes": ((0.6, 0, 0.8), (0, 1, 0))},
    "slide on a hinge": {"types": "RP", "axes": ((0, 1, 0), (0.8, 0, 0.6))},
}


@pytest.fixture(params=ARMS, scope="module")
def case(request):
    """A machine with all that depends on z, ż and z̈, and a state that is far from straight."""
    options = ARMS[request.param]
    robot = arm(tip=0.4, radius=RADIUS, gravity=(1.0, -2.0, -9.81), **options)
    machine = spanned(robot, BEAMS).machine
    n = machine.size
    z, rate, second = (ca.SX.sym(name, n) for name in ("z", "rate", "second"))
    M = dynamics.mass_matrix(machine, z)
    kinetic, lifted, strained = dynamics.energies(machine, z, rate)
    lagrange = (
        M @ second
        + ca.jtimes(M @ rate, z, rate)
        - ca.gradient(kinetic, z)
        + ca.gradient(lifted + strained, z)
    )
    found = dynamics.needed(machine, z, rate, second, ca.DM.zeros(6))
    rng = np.random.default_rng(4)
    state = [rng.normal(size=n) for _ in range(3)]
    state[0][2:] *= 0.1
    function = ca.Function("f", [z, rate, second], [found, lagrange, kinetic, lifted])
    return options, function, state


def test_forces_are_those_of_lagranges_equations(case):
    _, function, state = case
    found, lagrange, _, _ = function(*state)
    assert np.array(found) == pytest.approx(np.array(lagrange), rel=1e-11, abs=1e-9)


def test_energies_are_those_of_all_points(case):
    options, function, (z, rate, _) = case
    step = 1e-6
    ahead, behind = (_points(options, z + s * step * rate) for s in (1, -1))
    speeds = (ahead[1] - behind[1]) / (2 * step)
    masses, places = _points(options, z)
    _, _, kinetic, lifted = function(z, rate, rate)
    assert masses @ (speeds**2).sum(axis=1) / 2 == pytest.approx(float(kinetic), rel=1e-8)
    weight = masses @ places @ np.array([-1.0, 2.0, 9.81])
    assert weight == pytest.approx(float(lifted), rel=1e-12)


@pytest.mark.parametrize("name", ["planar-3rrr", "hexa-6rus", "orthoglide"])
def test_machines_that_do_not_bend_are_those_of_a_model(name):
    """Closed ones, one of them overconstrained, at home: mass matrix and efforts at rest."""
    robot, model = gough.load(name), gough.Model(gough.load(name))
    machine = spanned(robot, ()).machine
    n, home = machine.size, machine.at_home
    z = ca.SX.sym("z", n)
    terms = [
        dynamics.mass_matrix(machine, z),
        dynamics.bias(machine, z, ca.DM.zeros(n), ca.DM.zeros(6)),
        dynamics.gaps(machine, z),
        dynamics.closing_rows(machine, z),
        dynamics.platform_rates(machine, z),
    ]
    M, h, gaps, C, P = (np.array(x) for x in ca.Function("f", [z], terms)(home))
    assert np.abs(gaps).max() < 1e-12
    N = null_space(C, rcond=1e-9)
    moves = robot.freedom_rows @ P @ N
    u = N @ np.linalg.inv(moves)  # as many freedoms as moves
    assert u.T @ M @ u == pytest.approx(model.mass_matrix(robot.home), rel=1e-9, abs=1e-12)
    motors = [machine.joints.index(k) for k in machine.driven]
    efforts = np.linalg.solve(u[motors].T, u.T @ h).ravel()
    assert efforts == pytest.approx(model.inverse_dynamics(robot.home), rel=1e-9, abs=1e-10)


def _points(options, z):
    """All points' masses and places: by definition of the shapes, link by link."""
    R, p, x = np.eye(3), np.zeros(3), z[2:].reshape(2, -1)
    masses, places = [], []
    for k, (name, beam) in enumerate(BEAMS):
        length, own = LENGTHS[k], MASSES[k]
        axis = np.array(options["axes"][k], dtype=float)
        if options["types"][k] == "R":
            R = R @ _turn(axis, z[k])
        else:
            p = p + R @ axis * z[k]
        sigma = own * np.diag([length**2 / 3, RADIUS**2, RADIUS**2])
        body = Mass(own, np.array([own * length / 2, 0, 0]), sigma)
        bar = reduced(name, beam, body, length)
        B = beam.stiffness.axes(np.array([length, 0, 0]))
        masses.append(bar.points.masses)
        places.append(p + (bar.points.places + bar.points.shapes @ x[k]) @ (R @ B).T)
        end = bar.end @ x[k]
        p = p + R @ B @ (end[:3] + [length, 0, 0])
        theta = B @ end[3:]
        angle = 2 * np.arctan(np.linalg.norm(theta) / 2)  # Cayley's
        R = R @ _turn(theta / np.linalg.norm(theta), angle)
    return np.r_[(*masses, 0.4)], np.vstack([*places, p])


def _turn(axis, angle):
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(axis * angle).as_matrix()
