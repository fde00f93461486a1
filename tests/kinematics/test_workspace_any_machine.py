"""Workspaces of machines of any kind, in their freedoms, against what geometry says of them."""

import numpy as np
import pytest
from drawings import changed
from drawn_machines import FEW, MACHINES, delta, five_bar, planar
from oracles.sampled_volume import sampled_volume
from scipy.spatial.transform import Rotation

import gough
from gough import GoughError
from gough.kinematics import (
    Limits,
    constant_orientation_workspace,
    margins,
    orientation_workspace,
    random_poses,
    reachable,
    workspace_slice,
)
from gough.poses import displace, pose

UP = np.array([0.0, 0.0, 1.0])
ANYWHERE = Limits(families=())


def with_joints(robot, change):
    """Return the robot with changed joints: `change` gives what is new of each."""
    joints = tuple(changed(joint, **change(joint)) for joint in robot.joints)
    return changed(robot, joints=joints)


def delta_reaches(p):
    """Where all arms and rods of the Delta meet: its wrists between two circles about each hip."""
    arm, rod = np.hypot(0.25, 0.17), np.hypot(0.38, 0.45)
    reached = np.full(len(p), True)
    for i in range(3):
        back = Rotation.from_rotvec(-2 * np.pi * i / 3 * UP)
        x, y, z = (back.apply(p) + [0.07 - 0.2, 0, 0]).T
        across = np.sqrt(np.maximum(rod**2 - y**2, 0))
        apart = np.hypot(x, z)
        reached &= (np.abs(y) < rod) & (apart < arm + across) & (apart > np.abs(arm - across))
    return reached


def test_a_delta_reaches_what_its_arms_and_rods_leave():
    model = gough.Model(delta(0))
    p = np.random.default_rng(0).uniform([-0.9, -0.9, -1.0], [0.9, 0.9, 0.4], (20_000, 3))
    expected = delta_reaches(p)
    assert 0.05 < expected.mean() < 0.95
    assert np.array_equal(reachable(model, pose(p), ANYWHERE), expected)


def test_the_volume_of_a_deltas_workspace_is_that_of_its_annuli():
    """By rays from home, and by counting points in the solid that geometry gives."""
    model = gough.Model(delta(0))
    found = constant_orientation_workspace(model, limits=ANYWHERE, tolerance=0.02)
    rng = np.random.default_rng(1)
    low, high = np.array([-1, -1, -1.1]), np.array([1, 1, 1.1])
    share = delta_reaches(rng.uniform(low, high, (400_000, 3))).mean()
    expected = share * np.prod(high - low)
    assert found.volume == pytest.approx(expected, rel=0.02)
    drawn = sampled_volume(model, limits=ANYWHERE, samples=2**15)
    assert drawn.volume == pytest.approx(expected, abs=5 * drawn.standard_error + 0.01 * expected)


def test_travel_of_the_motors_bounds_a_delta_straight_down():
    """On the axis of symmetry an arm's angle follows from the height in closed form."""
    robot = with_joints(delta(0), lambda j: {"range": (-0.4, 0.3)} if j.is_driven else {})
    model = gough.Model(robot)
    stroke = Limits(families=("stroke",))
    assert reachable(model, robot.home, stroke)

    def height(q):
        x, z = np.array([0.25, -0.17]) @ [[np.cos(q), -np.sin(q)], [np.sin(q), np.cos(q)]]
        return z - np.sqrt(0.38**2 + 0.45**2 - (0.2 + x - 0.07) ** 2)

    down, up = -0.62 - height(0.3), height(-0.4) + 0.62
    found = model.travel(limits=stroke).parts[0].distances
    assert found[2] == pytest.approx([down, up], abs=1e-9)


def five_bar_reaches(x, y):
    """Where both arms of the five-bar meet: between two circles about each hip."""
    left, right = np.hypot(x + 0.2, y), np.hypot(x - 0.2, y)
    a, b = np.hypot(0.15, 0.3), np.hypot(0.35, 0.25)
    c, d = np.hypot(0.15, 0.28), np.hypot(0.35, 0.27)
    return (left < a + b) & (left > abs(a - b)) & (right < c + d) & (right > abs(c - d))


def test_a_five_bar_reaches_what_two_annuli_have_in_common():
    model = gough.Model(five_bar(0))
    rng = np.random.default_rng(0)
    xy = rng.uniform([-0.5, 0.1], [0.5, 0.75], (2000, 2))
    poses = pose(np.column_stack([xy, np.zeros(len(xy))]))
    found = reachable(model, poses, ANYWHERE)
    expected = five_bar_reaches(*xy.T)
    assert not (found & ~expected).any()
    assert (found == expected).mean() > 0.99  # but for Newton's method beside the boundary


def test_a_slice_through_a_five_bars_workspace_has_the_area_of_the_annuli():
    model = gough.Model(five_bar(0))
    found = workspace_slice(model, ("x", "y"), limits=ANYWHERE, resolution=120)
    x, y = np.meshgrid(found.first, found.second, indexing="ij")
    upper = y > 0.1  # below, the platform would have to turn over
    expected = five_bar_reaches(x, y)[upper].mean()
    assert found.inside[upper].mean() == pytest.approx(expected, rel=0.02)


def test_hinges_at_the_platform_keep_to_their_ranges():
    """Of a planar machine: turning the platform alone turns its wrists against their links."""
    home = planar(0)
    limits = Limits(families=("platform joint",))
    robot = with_joints(
        home, lambda j: {"range": (-0.2, 0.3)} if j.name.startswith("wrist") else {}
    )
    free = gough.Model(home)
    turned = displace(
        np.array(home.home), np.linspace(-0.5, 0.5, 41)[:, None] * [0, 0, 0, 0, 0, 1.0]
    )
    # the platform's turn less that of the links, which the elbows and hips have made
    joints, _, _ = free.all_joints(turned, np.zeros(6), np.zeros(6))
    names = free.structure.joints
    own = np.linspace(-0.5, 0.5, 41)
    wrists = np.array(
        [
            own - joints[:, names.index(f"hip{i}")] - joints[:, names.index(f"elbow{i}")]
            for i in range(3)
        ]
    ).T
    expected = (np.minimum(wrists + 0.2, 0.3 - wrists) * (2 / 0.5)).min(1)
    found = margins(gough.Model(robot), turned, limits)[:, 2]
    assert found == pytest.approx(expected, abs=1e-9)


def test_balls_and_elbows_have_margins_of_one_at_home_that_fall_with_the_angle():
    robot = with_joints(
        delta(0), lambda j: {"limit": 0.5} if j.type == "S" and "wrist" in j.name else {}
    )
    model = gough.Model(robot)
    limits = Limits(families=("platform joint",))
    assert margins(model, robot.home, limits)[2] == pytest.approx(1.0)
    lower = np.array(robot.home) + [0, 0, -0.1, 0, 0, 0, 0]
    q = model.inverse_kinematics(lower)[0]
    elbow = [0.2, 0, 0] + Rotation.from_rotvec([0, q, 0]).apply([0.25, 0, -0.17])
    rod, at_home = [0.07, 0, -0.72] - elbow, np.array([-0.38, 0, -0.45])
    cosine = rod @ at_home / (at_home @ at_home)
    expected = 1 - (1 - cosine) / 2 / np.sin(0.25) ** 2
    assert margins(model, lower, limits)[2] == pytest.approx(expected)


def test_rods_that_touch_have_no_margin_left():
    robot = planar(0)
    bodies = tuple(
        changed(b, radius=0.1) if b.name in ("link0", "link1") else b for b in robot.bodies
    )
    thick = changed(robot, bodies=bodies)
    model, at = gough.Model(thick), np.array(thick.home)
    centers = dict(
        zip([c.joint for c in model.structure.centers], model.joint_centers(at), strict=True)
    )
    ends = [np.array([centers[f"elbow{i}"], centers[f"wrist{i}"]]) for i in range(2)]
    t = np.linspace(0, 1, 400)[:, None]
    first, second = (e[0] + t * (e[1] - e[0]) for e in ends)
    apart = np.linalg.norm(first[:, None] - second, axis=-1).min()
    found = margins(model, at, Limits(families=("clearance",)))[3]
    assert found == pytest.approx(apart / 0.2 - 1, abs=1e-4)


@pytest.mark.parametrize("name", FEW)
def test_random_poses_are_such_that_the_machine_can_take_them(name):
    model = gough.Model(MACHINES[name](1))
    poses = random_poses(model, 50, np.random.default_rng(0))
    assert poses.shape == (50, 7)
    assert model.gap(poses).max() < 1e-9
    assert np.isfinite(model.inverse_kinematics(poses)).all()
    rows = model.robot.freedom_rows
    spread = np.ptp(poses[:, :3], axis=0)
    for axis, move in enumerate(("x", "y", "z")):
        if move in model.structure.degrees_of_freedom:
            assert spread[axis] > 0.01
    assert len(rows) == model.structure.dof


def test_a_spherical_machine_has_a_workspace_of_attitudes():
    robot = with_joints(
        MACHINES["agile eye"](0), lambda j: {"range": (-0.5, 0.5)} if j.is_driven else {}
    )
    model, stroke = gough.Model(robot), Limits(families=("stroke",))
    found = orientation_workspace(model, limits=stroke, tolerance=0.1)
    # a turn about a motor's axis turns that motor by as much, at the least
    assert found.volume > 0
    assert (model.travel(limits=stroke).parts[0].distances <= 0.5 + 1e-6).all()


def test_workspaces_along_what_a_machine_cannot_do_are_refused():
    model = gough.Model(planar(0))
    with pytest.raises(GoughError, match="moves in x, y, rz; expected rx, ry, rz"):
        orientation_workspace(model)
    with pytest.raises(GoughError, match="not in z"):
        workspace_slice(model, ("x", "z"))
    with pytest.raises(GoughError, match="expected two or three of x, y, z"):
        constant_orientation_workspace(gough.Model(gough.load("tripod-3rps")))
