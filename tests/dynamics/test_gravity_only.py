"""Legs with weight and without inertia [Baiges 1996, 8.2]: a formulation, and a feed-forward."""

import numpy as np
import pytest

import gough
from gough.compiler.native.kernel import Kernel
from gough.poses import displace
from gough.simulation import gravity_feed_forward

NEGLECTED = ("tangential", "coriolis", "centrifugal", "piston_inertia")


def motions(robot, dof=6, count=20):
    draw = np.random.default_rng(7)
    pose = displace(robot.home, draw.uniform(-0.05, 0.05, (count, 6)) * (np.arange(6) < dof))
    twist, acceleration = draw.normal(size=(2, count, 6)) * (np.arange(6) < dof)
    return pose, twist, acceleration


def forces_of_the_law(robot, pose, twist, acceleration):
    """The commands of a feed-forward without gains: what its model needs, and nothing else."""
    n = len(robot.actuators)
    kernel = Kernel(gravity_feed_forward(0, 0).function(robot, 1e-3, [np.inf] * n))
    reference = np.hstack([pose, twist, acceleration])
    measured, gains = np.zeros(4 * n + 6), np.zeros(2 * n * n)
    return kernel(np.zeros(1), measured, reference, gains)[0]


@pytest.mark.parametrize("name", ["baiges-1996", "kalani-2016"])
def test_it_leaves_out_what_kanes_wrenches_say(name):
    robot = gough.load(name)
    exact, motion = gough.Model(robot), motions(robot)
    parts = exact.force_decomposition(*motion)
    left_out = sum(getattr(parts, part) for part in NEGLECTED)
    found = gough.Model(robot, formulation="gravity-only-legs").inverse_dynamics(*motion)
    assert np.abs(left_out).max() > 1e-2 * np.abs(found).max()
    np.testing.assert_allclose(found, exact.inverse_dynamics(*motion) - left_out, rtol=1e-9)


def test_the_law_has_the_forces_of_the_formulation():
    robot = gough.load("baiges-1996")
    motion = motions(robot)
    expected = gough.Model(robot, formulation="gravity-only-legs").inverse_dynamics(*motion)
    np.testing.assert_allclose(forces_of_the_law(robot, *motion), expected, rtol=1e-9)


def test_the_formulation_goes_back_and_forth():
    robot = gough.load("baiges-1996")
    model = gough.Model(robot, formulation="gravity-only-legs")
    pose, twist, acceleration = motions(robot)
    force = model.inverse_dynamics(pose, twist, acceleration)
    np.testing.assert_allclose(model.forward_dynamics(pose, twist, force), acceleration, atol=1e-9)
    exact = gough.Model(robot)
    np.testing.assert_allclose(model.gravity(pose), exact.gravity(pose), rtol=1e-10)


def test_other_mechanisms_have_it_too():
    """A Delta at rest needs all of it; with arms of next to no mass, in motion as well."""
    delta = gough.load("delta")
    model, (pose, twist, acceleration) = gough.Model(delta), motions(delta, dof=3)
    still = forces_of_the_law(delta, pose, 0 * twist, 0 * acceleration)
    np.testing.assert_allclose(still, model.inverse_dynamics(pose), rtol=1e-9)
    moving = forces_of_the_law(delta, pose, twist, acceleration)
    whole = model.inverse_dynamics(pose, twist, acceleration)
    assert np.abs(moving - whole).max() > 1e-2 * np.abs(whole).max()
    tiny = {"mass": 1e-9, "inertia": [1e-10, 1e-10, 1e-12]}
    light = delta.replace({f"leg.links[{k}].{x}": y for k in (0, 1) for x, y in tiny.items()})
    found = forces_of_the_law(light, pose, twist, acceleration)
    expected = gough.Model(light).inverse_dynamics(pose, twist, acceleration)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
