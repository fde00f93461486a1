"""Legs that are solved by iteration stay on the branch on which they are drawn, and find it."""

import numpy as np
import pytest
from iterated_machines import ITERATED, sliding_planar
from oracles.closure import Closure

import gough
from gough.model.mechanism import analysed
from gough.poses import displace

SAMPLES = 24
REGULAR = 0.1
"""Paths along which no singular value falls below this share of what it is at home."""


def straight_paths(model, count, far, seed):
    """Paths (n, samples, 7) of poses that the machine can take, up to `far` sizes or radians."""
    robot, rng = model.robot, np.random.default_rng(seed)
    found, rows = analysed(robot), robot.freedom_rows
    scales = np.where(rows[:, :3].any(1), found.masses.size / 2, 1.0)
    steps = rng.uniform(-far, far, (count, len(rows))) * scales @ rows
    shares = np.linspace(0, 1, SAMPLES + 1)[1:, None, None]
    paths = displace(np.array(robot.home), shares * steps).swapaxes(0, 1)
    if found.decided.T is not None or len(rows) == 6:
        return paths
    possible = model.possible_pose(paths)
    return possible.pose[(possible.status == gough.Status.CONVERGED).all(-1)]


@pytest.mark.parametrize(
    ("name", "seed", "far", "count"),
    [
        ("parallel scara", 0, 0.8, 30),
        ("3-RRRS", 1, 0.5, 60),
        ("cylindrical wrists", 0, 0.5, 60),
        ("6-RCS", 0, 0.5, 20),
        ("6-RUS with offsets", 1, 0.3, 15),
        ("agile eye", 1, 0.8, 30),
        ("spherical five-bar", 0, 0.5, 20),
    ],
)
def test_positions_are_those_to_which_a_straight_path_from_home_leads(name, seed, far, count):
    mechanism = ITERATED[name](seed)
    assert any(leg.iterated for leg in analysed(mechanism).machine.legs)
    model = gough.Model(mechanism)
    paths = straight_paths(model, count, far, seed)
    theirs, regularity = Closure(mechanism).follow(paths)
    ours = model.inverse_kinematics(paths[:, -1])
    regular, finite = regularity > REGULAR, np.isfinite(ours).all(-1)
    assert regular.sum() >= 5
    assert finite[regular].all()
    known = finite & (regularity > 0)
    turns = np.array([joint.type == "R" for joint in mechanism.driven])
    gaps = (ours - theirs)[known]
    assert np.abs(np.where(turns, np.sin(gaps / 2), gaps)).max() < 1e-9


def test_a_leg_that_cannot_reach_has_no_positions():
    model = gough.Model(ITERATED["3-RRRS"](1))
    away = displace(np.array(model.robot.home), [2.0, 0, 0, 0, 0, 0])
    assert np.isnan(model.inverse_kinematics(away)).all()


def test_positions_have_exact_derivatives_far_from_home_too():
    model = gough.Model(ITERATED["parallel scara"](0))
    pose = straight_paths(model, 3, 0.5, 2)[0, -1]
    h = 1e-6
    steps = h * model.robot.freedom_rows
    ahead, back = (model.inverse_kinematics(displace(pose, s * steps)) for s in (1, -1))
    slopes = (ahead - back).T / (2 * h)
    exact = model.jacobian(pose) @ steps.T / h
    np.testing.assert_allclose(exact, slopes, atol=1e-8 * np.abs(exact).max())


@pytest.mark.parametrize("seed", [0, 4])
def test_a_slide_and_a_hinge_across_it_need_no_iteration(seed):
    mechanism = sliding_planar(seed)
    assert not any(leg.iterated for leg in analysed(mechanism).machine.legs)
    model = gough.Model(mechanism)
    paths = straight_paths(model, 20, 0.4, seed)
    theirs, regularity = Closure(mechanism).follow(paths)
    assert (regularity > REGULAR).sum() > 5
    ours = model.inverse_kinematics(paths[:, -1])[regularity > 0]
    np.testing.assert_allclose(ours, theirs[regularity > 0], atol=1e-10)


def test_an_h4_is_assembled_wherever_it_is_answered_for():
    """Its legs have a row more than joints: what the others find may leave it open."""
    model, rng = gough.Model(gough.load("h4")), np.random.default_rng(7)
    home, rows = np.array(model.robot.home), model.structure.centers
    rods = [b.name for b in model.robot.listed_bodies if b.name.startswith("rod")]
    ends = np.array([[k for k, row in enumerate(rows) if rod in row.bodies] for rod in rods])
    steps = rng.uniform(-1, 1, (4000, 6)) * [0.3, 0.3, 0.3, 0, 0, 1.2]
    found = [np.array([0.268, 0.2877, -0.2642, 0.9968, 0, 0, -0.08])]  # open by 51 mm, once
    found += [np.array([0.286, 0.1558, -0.645, 0.9882, 0, 0, 0.1532])]
    centers = model.joint_centers(np.vstack([displace(home, steps), found, home]))
    near, far = centers[:, ends[:, 0]], centers[:, ends[:, 1]]
    lengths = np.linalg.norm(near - far, axis=-1)
    known = np.isfinite(lengths).all(-1)
    assert known.sum() > 2500
    assert lengths[known] == pytest.approx(np.tile(lengths[-1], (known.sum(), 1)), abs=1e-9)
