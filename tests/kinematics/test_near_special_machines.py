"""Machines that nearly move with all legs fixed: ill-conditioned, but no pose is lost."""

import flexible_machines as machines
import numpy as np
import pytest
from assembly_machines import distance, lengths, pose_of, robot_of
from scipy.spatial.transform import Rotation

from gough.kinematics import assembly_modes
from gough.kinematics.model import Model

HERE, UNTURNED = np.zeros(3), Rotation.identity()
ELSEWHERE = (9.0, 9.0, 9.0)


def disturbed(make, seed, error):
    """Joint centres of size one, those of the base moved by random errors of a given size."""
    rng = np.random.default_rng(seed)
    base, platform = make(rng)
    size = np.abs(base).max()
    return base / size + error * rng.normal(size=(6, 3)), platform / size


def modes_at_rest(base, platform, home):
    """The modes at the lengths of the pose where the platform is not moved."""
    q = lengths(base, platform, HERE, UNTURNED)
    return assembly_modes(Model(robot_of(base, platform, home=home)), q)


def check_accounts(found):
    assert found.n_complex + found.n_infinite + found.n_lost == 40
    assert found.residual.max() < 1e-9 * found.q.max()
    unreached = (found.multiplicity == 0) & ~found.self_motion
    if unreached.any():
        assert not found.complete
        assert "found that no path had reached" in str(found)


@pytest.mark.parametrize(
    ("make", "seed", "error"),
    [
        (machines.congruent, 1000, 1e-7),
        (machines.congruent, 1000, 1e-5),
        (machines.congruent, 1001, 1e-4),
        (machines.plane_symmetric, 1001, 1e-7),
        (machines.plane_symmetric, 1002, 1e-6),
        (machines.line_symmetric, 102, 1e-6),
    ],
)
def test_the_pose_that_made_the_lengths_is_listed_wherever_home_is(make, seed, error):
    base, platform = disturbed(make, seed, error)
    found = modes_at_rest(base, platform, home=ELSEWHERE)
    check_accounts(found)
    assert distance(found.poses, pose_of(HERE, UNTURNED)).min() < 1e-5


@pytest.mark.parametrize("make", [machines.congruent, machines.plane_symmetric])
@pytest.mark.parametrize("error", [1e-8, 1e-7])
def test_the_home_is_listed_however_ill_conditioned(make, error):
    base, platform = disturbed(make, 1002, error)
    found = modes_at_rest(base, platform, home=HERE)
    check_accounts(found)
    assert distance(found.poses[:1], pose_of(HERE, UNTURNED)) < 1e-5


def test_all_forty_are_found_where_some_are_far_away_at_other_lengths():
    """A hundredth of a percent from a machine with equal, parallel legs, which has fewer."""
    found = modes_at_rest(*disturbed(machines.congruent, 1001, 1e-4), home=HERE)
    assert (found.n_complex, found.n_infinite, found.n_lost) == (40, 0, 0)
    assert found.certified.all()
    assert len(found) % 2 == 0
