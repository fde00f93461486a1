"""Machines that move at special lengths: that they do is found, with poses on the way."""

import flexible_machines as machines
import numpy as np
import pytest
from assembly_machines import distance, lengths, pose_of, random_case, robot_of
from scipy.spatial.transform import Rotation

from gough.kinematics import assembly_modes
from gough.kinematics.model import Model

HERE, UNTURNED = np.zeros(3), Rotation.identity()
FLEXIBLE = [
    machines.line_symmetric,
    machines.plane_symmetric,
    machines.doubly_collapsible,
    machines.line_symmetric_hexapod,
    machines.butterfly,
]


def modes_at(base, platform, position, rotation):
    """The modes at a pose's lengths, of a machine that is at home there."""
    robot = robot_of(base, platform, home=position, quaternion=rotation.as_quat(scalar_first=True))
    return assembly_modes(Model(robot), lengths(base, platform, position, rotation))


def check_accounts(found):
    """All forty are accounted for, no pose is said to be what it is not."""
    assert found.n_complex + found.n_infinite == 40
    assert (found.n_lost, found.complete) == (0, False)
    assert found.residual.max() < 1e-12 * found.q.max()
    assert not found.certified[found.self_motion].any()
    assert found.multiplicity[~found.self_motion].min(initial=1) >= 1


@pytest.mark.parametrize("make", FLEXIBLE)
def test_flexible_machines_are_free_at_home_and_at_every_sample(make):
    rng = np.random.default_rng(0)
    base, platform = make(rng)
    size = np.abs(base).max()
    base, platform = base / size, platform / size
    position, rotation = HERE, UNTURNED
    if make is machines.doubly_collapsible:
        position, rotation = machines.opened(base, platform, rng)
    assert machines.drift(base, platform, position, rotation) < 1e-10
    found = modes_at(base, platform, position, rotation)
    check_accounts(found)
    assert distance(found.poses[:1], pose_of(position, rotation)) < 1e-6
    assert found.self_motion[0]
    for pose in found.poses[found.self_motion]:
        turned = Rotation.from_quat(pose[3:], scalar_first=True)
        sizes = np.linalg.svd(machines.jacobian(base, platform, pose[:3], turned))[1]
        assert sizes[-1] < 1e-6
        if sizes[-2] > 1e-3:  # not where ways cross
            assert machines.drift(base, platform, pose[:3], turned, steps=10) < 1e-10
    assert "can move with these legs fixed" in str(found)


@pytest.mark.parametrize("seed", range(3))
def test_frames_and_units_do_not_hide_a_self_motion(seed):
    rng = np.random.default_rng(seed)
    base, platform = machines.plane_symmetric(rng)
    unit = 10 ** rng.uniform(-3, 3)
    turns = Rotation.random(2, random_state=rng)
    shifts = rng.normal(size=(2, 3))
    base = unit * (turns[0].apply(base) + shifts[0])
    platform = unit * (turns[1].apply(platform) + shifts[1])
    rotation = turns[0] * turns[1].inv()
    position = unit * (shifts[0] - rotation.apply(shifts[1]))
    found = modes_at(base, platform, position, rotation)
    check_accounts(found)
    assert found.self_motion[0]
    np.testing.assert_allclose(found.poses[0, :3], position, atol=1e-6 * unit)
    assert (
        Rotation.from_quat(found.poses[0, 3:], scalar_first=True) * rotation.inv()
    ).magnitude() < 1e-6


def test_a_flat_octahedron_of_the_third_kind_is_free_although_ways_cross_there():
    found = modes_at(*machines.doubly_collapsible(np.random.default_rng(1)), HERE, UNTURNED)
    check_accounts(found)
    assert found.self_motion[0]
    assert distance(found.poses[:1], pose_of(HERE, UNTURNED)) < 1e-6


def test_an_octahedron_of_the_second_kind_has_its_home_among_its_modes():
    A, B, C, c = np.array([[5.0, -2, -1], [9, 6, 9], [-2, 4, 0], [9, 3, 0]])
    mirror = np.array([1, 1, -1])
    base, platform = machines.octahedron((A, B, C), (A * mirror, B * mirror, c))
    found = modes_at(base, platform, HERE, UNTURNED)
    check_accounts(found)
    assert found.self_motion[0]
    assert distance(found.poses[:1], pose_of(HERE, UNTURNED)) < 1e-6


def test_lengths_rounded_to_ten_digits_still_leave_the_platform_free():
    base, platform = machines.plane_symmetric(np.random.default_rng(7))
    q = lengths(base, platform, HERE, UNTURNED).round(10)
    found = assembly_modes(Model(robot_of(base, platform, home=HERE)), q)
    assert found.self_motion[0]
    assert distance(found.poses[:1], pose_of(HERE, UNTURNED)) < 1e-6


def test_parallel_equal_legs_leave_the_platform_free_to_translate():
    base, platform = machines.congruent(np.random.default_rng(3))
    found = modes_at(base, platform, HERE, UNTURNED)
    check_accounts(found)
    free = found.poses[found.self_motion]
    assert len(free) > 0
    from_centre = free[:, :3] + [0.2, 0.4, 1.1]
    np.testing.assert_allclose(np.linalg.norm(from_centre, axis=1), found.q[0], rtol=1e-9)
    np.testing.assert_allclose(free[:, 3], 1, rtol=1e-12)
    general = modes_at(base, platform, np.ones(3), Rotation.from_euler("xyz", [0.1, -0.2, 0.15]))
    assert not general.self_motion.any()
    assert general.certified.all()


def test_without_certificate_errors_are_infinite_also_where_joints_are_centred():
    corners = np.random.default_rng(3).normal(size=(3, 3))
    centred = np.stack([corners, -corners], 1).reshape(6, 3)
    found = assembly_modes(Model(robot_of(centred, centred)), np.full(6, 1.3))
    assert found.self_motion[0]
    assert np.isinf(found.position_error[~found.certified]).all()
    assert np.isinf(found.angle_error[~found.certified]).all()


def test_curves_of_complex_solutions_are_told_even_if_no_pose_is_on_them():
    """A flat machine at the only real point of such a curve: it does not move."""
    rng = np.random.default_rng(1)
    for _ in range(6):
        base = rng.uniform(-1, 1, (6, 3)) * [1, 0, 1]
    platform = (base * [-1, -1, 1])[[1, 0, 3, 2, 5, 4]]
    assert machines.drift(base, platform, HERE, UNTURNED) > 1e-8
    found = modes_at(base, platform, HERE, UNTURNED)
    check_accounts(found)
    assert distance(found.poses[:1], pose_of(HERE, UNTURNED)) < 1e-6
    assert not found.self_motion.any()
    assert found.n_on_curves > 0
    assert "there are curves of complex solutions" in str(found)


def test_general_machines_do_not_move():
    rng = np.random.default_rng(12)
    for _ in range(20):
        robot, _, q = random_case(rng)
        found = assembly_modes(Model(robot), q)
        assert (found.n_on_curves, found.caveats) == (0, [])
