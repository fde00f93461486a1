"""The bodies that are returned are the optimum of their programme, however clean the recording."""

from importlib import import_module

import numpy as np
import pytest
from recordings import recorded

import gough
from gough.identification.consistent import SUREST, consistent
from gough.model.standard import standard_parameters


@pytest.fixture(scope="module")
def truth():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def wrong(truth):
    """As its maker believes it to be: a fifth too heavy."""
    data = truth.to_dict()
    data["platform"] |= {"mass": 180.0, "center_of_mass": [0.03, -0.01, 0.2]}
    data["leg"]["cylinder"] |= {"mass": 7.2}
    data["leg"]["piston"] |= {"mass": 3.84}
    return gough.Robot.from_dict(data)


def objective(priors, felt, estimate, root, spread):
    """Misfits by their covariance, and distances from the priors by their spread: by the book."""
    surest = SUREST * np.linalg.norm(felt * spread, axis=-1)
    scaled = root / surest[:, None]
    inverse = np.linalg.inv(scaled @ scaled.T + np.eye(len(root)))

    def value(x):
        misfit = (felt @ x - estimate) / surest
        return (misfit @ inverse @ misfit + (((x - priors) / spread) ** 2).sum()) / 2

    return value


@pytest.fixture(scope="module")
def runs(truth, wrong):
    """By the noise [N] of recordings: the programme, its result, and the robot made of it."""
    seen = []

    def kept(*given):
        seen.append((given, consistent(*given)))
        return seen[-1][1]

    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("gough.identification.task"), "consistent", kept)
        for noise in (0.0, 1e-3, 8.0):
            columns = recorded(truth, 1, duration=6.0, noise=noise, step=None, measured="force")
            robot = gough.identify(wrong, columns).robot
            found[noise] = (*seen[-1], robot)
    return found


@pytest.mark.parametrize("noise", [0.0, 1e-3, 8.0])
def test_no_feasible_bodies_are_better_than_those_returned(truth, wrong, runs, noise):
    """Along the way to any feasible point, such as the truth, a convex objective does not fall."""
    (_, priors, *rest, _contained), best, _ = runs[noise]
    value = objective(priors, *rest)
    heavier = truth.replace({"platform.mass": 155.0, "leg.piston.mass": 2.5})
    for robot in (truth, heavier, wrong):
        other = standard_parameters(robot)
        for share in (1e-6, 1e-3, 0.1, 1.0):
            assert value(best + share * (other - best)) >= value(best) * (1 - 1e-7)


@pytest.mark.parametrize("sigma", [1e-9, 1e-6, 1e-3])
def test_a_sum_is_split_by_the_squares_of_what_its_parts_may_be(sigma):
    """The least Σ (x/s)² with Σ x = d is x = d s² / Σ s²."""
    names = [f"joints[{k}].damping" for k in range(3)]
    priors, spread = np.array([100.0, 20.0, 5.0]), np.array([100.0, 20.0, 5.0])
    found = consistent(
        names, priors, np.ones((1, 3)), np.array([140.0]), np.array([[sigma]]), spread, np.zeros(3)
    )
    expected = priors + 15.0 * spread**2 / (spread**2).sum()
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_cleaner_recording_gives_no_worse_a_robot(truth, runs):
    """The split of a sum that forces do not tell converges as the noise vanishes."""
    masses = np.array([robot.platform.mass for *_, robot in runs.values()])
    errors = np.abs(masses - truth.platform.mass)
    assert errors[0] < errors[2] + 0.5
    assert abs(masses[1] - masses[0]) < 0.01


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_estimate_that_no_bodies_have_is_a_warning(truth, sign):
    """Compression counted as positive by one machine is tension for another."""
    columns = recorded(truth, 1, duration=6.0, noise=8.0, step=None, measured="force")
    written = {k: sign * v if k.startswith("force") else v for k, v in columns.items()}
    found = gough.identify(truth, written, legs="identical")
    assert np.sign(found["platform.mass"].value) == sign
    assert any("no bodies that can exist" in w for w in found.warnings) == (sign < 0)
