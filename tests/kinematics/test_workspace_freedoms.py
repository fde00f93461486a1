"""Workspaces in a machine's own freedoms: areas, travel and mixed slices, against geometry."""

import numpy as np
import pytest
from drawn_machines import delta, five_bar, planar, turned
from oracles.sampled_volume import sampled_volume
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import gough
from gough.errors import GoughError
from gough.kinematics import (
    Limits,
    constant_orientation_workspace,
    orientation_workspace,
    possible_pose,
    reachable,
    travel,
    workspace_slice,
)
from gough.poses import euler, pose

ANYWHERE = Limits(families=())
HIPS = np.array([[-0.2, 0.0], [0.2, 0.0]])
ARMS = np.array(
    [[np.hypot(0.15, 0.3), np.hypot(0.35, 0.25)], [np.hypot(0.15, 0.28), np.hypot(0.35, 0.27)]]
)


def common_area(centers, radii):
    """The area that two discs have in common, in closed form."""
    (r, s), apart = radii, np.linalg.norm(np.subtract(*centers))
    if apart >= r + s:
        return 0.0
    if apart <= abs(r - s):
        return np.pi * min(r, s) ** 2
    a = np.arccos((apart**2 + r**2 - s**2) / (2 * apart * r))
    b = np.arccos((apart**2 + s**2 - r**2) / (2 * apart * s))
    return r**2 * (a - np.sin(2 * a) / 2) + s**2 * (b - np.sin(2 * b) / 2)


def area_of_two_annuli():
    """Discs less holes, by inclusion and exclusion."""
    outer, inner = ARMS.sum(1), np.abs(ARMS[:, 0] - ARMS[:, 1])
    corners = [(outer[0], outer[1], 1), (inner[0], outer[1], -1), (outer[0], inner[1], -1)]
    corners.append((inner[0], inner[1], 1))
    return sum(sign * common_area(HIPS, (r, s)) for r, s, sign in corners)


def in_both_annuli(xy):
    away = np.linalg.norm(xy[..., None, :] - HIPS, axis=-1)
    return ((away < ARMS.sum(1)) & (away > np.abs(ARMS[:, 0] - ARMS[:, 1]))).all(-1)


@pytest.fixture(scope="module")
def reached():
    """What the five-bar reaches, but for limits of its joints."""
    model = gough.Model(five_bar(0))
    return constant_orientation_workspace(model, limits=ANYWHERE, tolerance=1e-3)


def test_the_area_of_a_five_bar_is_what_two_annuli_have_in_common(reached):
    assert reached.degrees_of_freedom == ("x", "y")
    assert abs(reached.area - area_of_two_annuli()) < 2 * reached.area_error
    assert reached.area_error < 1e-3 * reached.area
    assert not reached.star_shaped  # behind the holes there is more
    drawn = sampled_volume(gough.Model(five_bar(0)), limits=ANYWHERE, samples=2**14)
    assert drawn.measure == pytest.approx(area_of_two_annuli(), abs=5 * drawn.standard_error)


def test_the_boundary_of_a_five_bar_is_on_the_circles(reached):
    away = np.linalg.norm(reached.points[..., None, :2] - HIPS, axis=-1)
    circles = np.stack([ARMS.sum(1), np.abs(ARMS[:, 0] - ARMS[:, 1])])
    off = np.abs(away[:, None, :] - circles).min((1, 2))
    assert off.max() < 1e-4  # Newton's method ends that near to where the legs are stretched
    assert reached.points[..., 2] == pytest.approx(0)
    assert reached.inscribed == pytest.approx(reached.distances.min(), rel=1e-3)


def test_a_five_bar_turns_along_into_every_corner_of_a_slice():
    found = workspace_slice(gough.Model(five_bar(0)), ("x", "y"), limits=ANYWHERE, resolution=150)
    xy = np.stack(np.meshgrid(found.first, found.second, indexing="ij"), -1)
    assert (found.inside == in_both_annuli(xy)).mean() > 0.999


def test_the_area_of_a_planar_machine_is_what_counting_gives():
    model = gough.Model(gough.load("planar-3rrr"))
    centre = pose([0, 0, 0], rpy=[0, 0, -0.2])
    found = constant_orientation_workspace(model, centre, tolerance=1e-3)
    grid = (np.arange(400) + 0.5) / 400 * 0.6 - 0.3
    x, y = (part.ravel() for part in np.meshgrid(grid, grid))
    counted = reachable(model, pose(np.stack([x, y, 0 * x], -1), rpy=[0, 0, -0.2])).mean() * 0.36
    assert found.area == pytest.approx(counted, rel=3e-3)
    np.testing.assert_allclose(found.centre, centre, atol=1e-12)


def test_a_machine_in_a_skew_plane_has_the_same_area():
    flat, skew = planar(0), turned(planar(0), 3)
    areas = [
        constant_orientation_workspace(gough.Model(robot), limits=ANYWHERE, tolerance=1e-3)
        for robot in (flat, skew)
    ]
    assert areas[1].area == pytest.approx(areas[0].area, abs=2 * areas[0].area_error)
    assert [t.unit for t in travel(gough.Model(skew), limits=ANYWHERE)] == ["m", "rad"]


def test_the_volume_of_the_delta_is_what_counting_gives():
    model = gough.Model(gough.load("delta"))
    found = constant_orientation_workspace(model, tolerance=0.01)
    low, high = (found.extent[:, k] + side for k, side in enumerate((-0.05, 0.05)))
    places = np.random.default_rng(0).uniform(low, high, (60_000, 3))
    counted = reachable(model, pose(places)).mean() * np.prod(high - low)
    assert found.volume == pytest.approx(counted, rel=0.01)


def test_volumes_are_not_areas():
    flat = constant_orientation_workspace(gough.Model(planar(0)), tolerance=0.5)
    with pytest.raises(GoughError, match="along x, y has no volume; it has area"):
        _ = flat.volume
    solid = constant_orientation_workspace(gough.Model(delta(0)), limits=ANYWHERE, tolerance=0.5)
    with pytest.raises(GoughError, match="along x, y, z has no area; it has volume"):
        _ = solid.area_error


def test_travel_ends_where_the_motors_do():
    """On the axis of the tripod all legs are as long as each other."""
    robot = gough.load("tripod-3rps")
    model = gough.Model(robot)
    up, tilts = travel(model)
    assert (up.degrees_of_freedom, up.unit) == (("z",), "m")
    assert (tilts.degrees_of_freedom, tilts.unit) == (("rx", "ry"), "rad")
    assert up.limited_by == [["stroke", "stroke"]]
    travels = np.array([actuator.travel for actuator in robot.actuators])

    def slack(height, end):
        return model.inverse_kinematics(pose([0, 0, height]))[0] - travels[0, end]

    z = robot.home[2]
    expected = [
        z - brentq(slack, z - 0.4, z, args=(0,)),
        brentq(slack, z, z + 0.4, args=(1,)) - z,
    ]
    assert up.distances[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["tripod-3rps", "tricept"])
def test_a_mixed_slice_is_what_direct_evaluation_says(name):
    """By poses that the machine can take, asked for one at a time."""
    model = gough.Model(gough.load(name))
    found = workspace_slice(model, ("z", "rx"), resolution=12)
    assert found.units == ("m", "rad")
    assert list(found.fixed) == ["pitch"]
    home = np.array(model.robot.home)
    for i, z in enumerate(found.first):
        for j, roll in enumerate(found.second):
            asked = pose([*home[:2], z], rpy=[roll, 0, 0])
            taken = possible_pose(model, asked).pose
            assert found.inside[i, j] == (np.isfinite(taken).all() and reachable(model, taken))
            if found.inside[i, j]:
                assert taken[2] == pytest.approx(z)
                assert euler(taken, "xyz")[:2] == pytest.approx([roll, 0], abs=1e-9)


def test_a_slice_between_a_way_and_an_angle_of_a_planar_machine():
    """The wrists of a 3-RRR are between two circles about its hips, however it is turned."""
    robot = planar(0)
    found = workspace_slice(gough.Model(robot), ("x", "rz"), limits=ANYWHERE, resolution=60)
    places = {joint.name: np.array(joint.at) for joint in robot.joints}
    home, expected = np.array(robot.home), np.full((60, 60), True)
    for leg in range(3):
        hip, elbow, wrist = (places[f"{part}{leg}"] for part in ("hip", "elbow", "wrist"))
        arm, link = (np.linalg.norm(bar[:2]) for bar in (elbow - hip, wrist - elbow))
        turns = Rotation.from_rotvec(found.second[:, None] * [0, 0, 1.0])
        ways = np.stack([found.first, np.full(60, home[1]), np.zeros(60)], -1)
        wrists = ways[:, None] + turns.apply(wrist - home[:3])
        away = np.linalg.norm((wrists - hip)[..., :2], axis=-1)
        expected &= (away < arm + link) & (away > abs(arm - link))
    np.testing.assert_array_equal(found.inside, expected)
    assert 0.1 < expected.mean() < 0.9


def test_a_machine_without_limits_can_turn_as_far_as_its_legs_meet():
    found = orientation_workspace(
        gough.Model(gough.load("agile-eye")), limits=Limits(families=()), tolerance=0.5
    )
    assert found.degrees_of_freedom == ("rx", "ry", "rz")
    assert 0 < found.volume <= 8 * np.pi**2 + 1e-9
