"""Singularities: det J, conditioning, the motion out of control, types 1 and 2."""

import math

import numpy as np
import pytest
from drawn_machines import MACHINES, changed, enlarged
from hypothesis import HealthCheck, given, settings
from robot_samples import robots

import gough
from gough.analysis.quantities import table_of
from gough.display import shown_unit
from gough.errors import GoughError
from gough.kinematics.singularity.singularity import singularity

REGULAR = ["kalani-2016", "demo-hexapod", "bingul-2012"]


def model(name):
    return gough.Model(gough.load(name))


def near_home(robot, count, seed=0):
    rng = np.random.default_rng(seed)
    size = np.linalg.norm(robot.legs[0].base)
    offset = np.concatenate(
        [0.2 * size * rng.normal(size=(count, 3)), 0.2 * rng.normal(size=(count, 4))], 1
    )
    return np.array(robot.home) + offset


def machine(base, platform, home=(0, 0, 1), axis=(1, 0, 0)):
    """A bare machine of given joint centres."""
    kind = {"kind": "SPS"} if axis is None else {"kind": "UPS", "first_axis": list(axis)}
    return gough.Model(
        gough.Robot.from_dict(
            {
                "schema": "gough/1",
                "name": "bare",
                "platform": {"mass": 1, "inertia": [1, 1, 1], "home": {"position": list(home)}},
                "leg": kind,
                "legs": [
                    {"base": list(a), "platform": list(b)}
                    for a, b in zip(base, platform, strict=True)
                ],
            }
        )
    )


def turned(degrees, position=(0, 0, 1)):
    return gough.pose(position, rpy=[0, 0, degrees], degrees=True)


@pytest.mark.parametrize("name", [*REGULAR, "dietmaier-1998"])
def test_measures_are_those_of_lapack(name):
    m = model(name)
    poses = near_home(m.robot, 300)
    found = singularity(m, poses)
    J = m.jacobian(poses)
    np.testing.assert_allclose(found.determinant, np.linalg.det(J), rtol=1e-9, atol=1e-14)
    L = found.characteristic_length
    assert max(np.linalg.norm(leg.platform) for leg in m.robot.legs) == L
    values = np.linalg.svd(J / [1, 1, 1, L, L, L], compute_uv=False)
    np.testing.assert_allclose(found.singular_values, values, atol=1e-14 * values.max())
    np.testing.assert_allclose(found.condition, values[:, 0] / values[:, 5], rtol=1e-8)
    np.testing.assert_array_equal(found.sign, np.sign(found.determinant))
    np.testing.assert_array_equal(found.parallel, found.singular_values[:, 5])
    expected = m.inverse_kinematics(poses) / L
    np.testing.assert_allclose(found.serial_by_leg, expected, rtol=1e-13)


@given(robots())
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_least_controlled_twist_changes_the_legs_by_the_least_singular_value(robot):
    m = gough.Model(robot)
    poses = near_home(robot, 20)
    length = 0.7
    found = singularity(m, poses, characteristic_length=length)
    scaled = found.twist * [1, 1, 1, length, length, length]
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), 1, rtol=1e-13)
    rates = m.joint_velocity(poses, found.twist)
    np.testing.assert_allclose(np.linalg.norm(rates, axis=1), found.parallel, atol=1e-13)
    v, omega = found.twist[:, :3], found.twist[:, 3:]
    lever = found.point - poses[:, :3]
    rigid = found.pitch[:, None] * omega - np.cross(omega, lever)  # v of the screw, at the origin
    size = 1 + np.linalg.norm(lever, axis=1, keepdims=True)
    np.testing.assert_allclose(v / size, rigid / size, atol=1e-12)
    np.testing.assert_allclose(np.cross(found.axis, omega), 0, atol=1e-13)
    np.testing.assert_allclose(np.einsum("ni,ni->n", lever, found.axis) / size[:, 0], 0, atol=1e-9)


@pytest.mark.parametrize("name", REGULAR)
@pytest.mark.parametrize("side", [90, -90])
def test_a_platform_turned_by_a_right_angle_is_singular(name, side):
    """For hexagons with the same axes of symmetry; Fichter 1986."""
    m = model(name)
    position = m.robot.home[:3]
    rounding = 1e-4 if name == "bingul-2012" else 1e-5  # of the printed joint centres
    at = singularity(m, turned(side, position))
    assert at.parallel < rounding
    before, after = singularity(m, [turned(side - 1, position), turned(side + 1, position)]).sign
    assert before == -after != 0
    np.testing.assert_allclose(at.axis, [0, 0, 1], atol=10 * rounding)
    np.testing.assert_allclose(at.point[:2], 0, atol=rounding)


def test_distance_is_that_to_the_singular_surface_to_first_order():
    m = model("demo-hexapod")
    for away in (1.0, 0.1, 0.01, 1e-3):
        found = singularity(m, turned(90 - away, m.robot.home[:3]))
        way = found.characteristic_length * math.radians(away)
        assert found.distance == pytest.approx(way, rel=2 * math.radians(away))


def test_a_small_singular_value_has_relative_precision():
    m = model("demo-hexapod")
    away = 10.0 ** np.arange(-1.0, -10.0, -1)
    found = singularity(m, [turned(90 - a, m.robot.home[:3]) for a in away])
    ratio = found.parallel / away
    np.testing.assert_allclose(ratio[2:], ratio[-3], rtol=1e-4)


def test_coplanar_legs_lose_three_freedoms():
    m = model("kalani-2016")
    found = singularity(m, [0.1, 0.05, 0, 1, 0, 0, 0])
    assert (found.singular_values[:3] > 0.5).all()
    np.testing.assert_allclose(found.singular_values[3:], 0, atol=1e-15)
    assert abs(found.determinant) < 1e-16


def test_legs_that_all_meet_a_line_leave_a_rotation_about_it():
    """Three legs end in A, three begin in B: all of them meet the line through A and B."""
    A, B = np.array([0.3, 0.2, 0.9]), np.array([-0.4, 0.1, 0.1])
    home = np.array([0, 0, 1.0])
    base = [(1, 0, 0), (-0.5, 0.8, 0), (-0.4, -0.9, 0.1), B, B, B]
    platform = [A - home] * 3 + [(0.5, 0.1, 0), (-0.3, 0.4, 0.1), (-0.2, -0.5, 0)]
    m = machine(base, platform)
    found = singularity(m, m.robot.home)
    assert found.parallel < 1e-15
    assert found.singular_values[4] > 1e-2
    along = (A - B) / np.linalg.norm(A - B)
    np.testing.assert_allclose(found.axis, along * np.sign(along[np.abs(along).argmax()]))
    np.testing.assert_allclose(np.cross(found.point - B, along), 0, atol=1e-14)
    assert abs(found.pitch) < 1e-14


def test_legs_across_one_direction_leave_a_translation():
    """No leg has a component along x, so the platform can slide along x."""
    base = np.array([(1, 0, 0), (1, 1, 0), (0, 2, 0.1), (0, -1, 0), (-1, 0, 0.2), (-1, -1, 0)])
    platform = base * [1, 0.5, 0] + [0, 0.1, 0] - [[0, 0, 0], [0, 1, 0]] * 3
    m = machine(base, platform, axis=(0, 1, 0))
    found = singularity(m, m.robot.home)
    assert found.parallel < 1e-15
    assert found.pitch == math.inf
    np.testing.assert_allclose(found.axis, [1, 0, 0], atol=1e-14)
    np.testing.assert_array_equal(found.point, m.robot.home[:3])


def test_a_machine_of_any_scale_has_the_same_condition():
    m = model("kalani-2016")
    base, platform = (
        np.array([getattr(leg, end) for leg in m.robot.legs]) for end in ("base", "platform")
    )
    pose = np.array([0.1, -0.1, 1.1, 0.9, 0.1, 0.2, -0.1])
    small = singularity(machine(base, platform), pose)
    large = singularity(
        machine(1e3 * base, 1e3 * platform, home=(0, 0, 1e3)), pose * ([1e3] * 3 + [1] * 4)
    )
    np.testing.assert_allclose(large.singular_values, small.singular_values, rtol=1e-13)
    assert large.determinant == pytest.approx(1e9 * small.determinant)
    assert large.distance == pytest.approx(1e3 * small.distance)


@pytest.mark.parametrize(
    ("name", "unit", "power"),
    [
        ("6-PUS", "m^3", 3),
        ("tricept", "m^2", 2),
        ("3-RPR", "m", 1),
        ("agile eye", "1", 0),
        ("five-bar", "1/m^2", -2),
        ("4-RRR, redundant", "1/m^2", -2),
        ("delta, ball-ended rods", "1/m^3", -3),
    ],
)
def test_the_unit_of_the_determinant_is_that_by_which_it_grows_with_the_machine(name, unit, power):
    small, large = MACHINES[name](0), enlarged(MACHINES[name](0), 2)
    one, other = (singularity(gough.Model(each), each.home) for each in (small, large))
    assert other.determinant / one.determinant == pytest.approx(2.0**power)
    assert one.determinant_unit == unit
    assert table_of(small)["determinant"].unit == unit
    assert f"  {shown_unit(unit)}".rstrip() in one.report()


def test_the_determinant_of_one_hinge_and_two_slides_in_a_plane_is_a_plain_number():
    driven = {"hip0": True, "slide0": False}
    planar = MACHINES["3-RPR"](0)
    joints = [changed(x, driven=driven[x.name]) if x.name in driven else x for x in planar.joints]
    found = singularity(gough.Model(changed(planar, joints=tuple(joints))), planar.home)
    assert found.determinant_unit == "1"


def test_a_leg_without_length_is_of_type_1_and_leaves_its_neighbours_alone():
    m = model("kalani-2016")
    leg = m.robot.legs[0]
    place = np.array(leg.base) - leg.platform
    poses = np.array([m.robot.home, [*place, 1, 0, 0, 0], m.robot.home])
    found = singularity(m, poses)
    assert found.serial[1] == 0
    assert found.serial_by_leg[1, 0] == 0
    np.testing.assert_array_equal(found.valid, [True, False, True])
    for values in (found.determinant, found.parallel, found.condition, found.pitch):
        assert np.isnan(values[1])
        assert np.isfinite(values[[0, 2]]).all()


def test_a_universal_joint_along_its_leg_cannot_follow_it():
    m = model("kalani-2016")
    leg = m.robot.legs[0]
    place = np.array(leg.base) - leg.platform + 1.3 * np.array(leg.first_axis) + [0, 0, 1e-12]
    found = singularity(m, [*place, 1, 0.1, 0, 0])
    aligned = singularity(m, [*place, 1, 0, 0, 0])
    assert aligned.passive < 1e-11
    assert aligned.passive_by_group[0] < 1e-11
    assert aligned.joints[0] == "hip-1"
    assert found.passive > 1e-3
    angle = np.arcsin(singularity(m, m.robot.home).passive_by_group[0])
    s = np.array(m.robot.home[:3]) + leg.platform - np.array(leg.base)
    cosine = abs(s @ leg.first_axis) / np.linalg.norm(s)
    assert math.cos(angle) == pytest.approx(cosine)


def test_spherical_legs_have_no_universal_joint_to_align():
    m = model("kalani-2016")
    base, platform = (
        np.array([getattr(leg, end) for leg in m.robot.legs]) for end in ("base", "platform")
    )
    found = singularity(machine(base, platform, axis=None), m.robot.home)
    assert found.joints == ()
    assert found.passive == np.inf
    shortest = m.inverse_kinematics(np.array(m.robot.home)).min()
    assert found.serial == pytest.approx(shortest / found.characteristic_length)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3), (0,)])
def test_batches_of_any_shape(batch):
    m = model("kalani-2016")
    found = singularity(m, np.broadcast_to(m.robot.home, (*batch, 7)))
    assert found.determinant.shape == found.serial.shape == found.valid.shape == batch
    assert found.axis.shape == (*batch, 3)
    assert found.singular_values.shape == (*batch, 6)


@pytest.mark.parametrize("pose", [np.full(7, np.nan), [0, 0, 1, 0, 0, 0, 0]])
def test_what_is_no_pose_gives_no_plausible_number(pose):
    found = singularity(model("kalani-2016"), pose)
    assert not found.valid
    assert np.isnan([found.parallel, found.condition, found.distance, found.pitch]).all()
    assert np.isnan(found.serial)


@pytest.mark.parametrize("length", [0.0, -1.0, math.nan, math.inf])
def test_a_characteristic_length_must_be_a_length(length):
    with pytest.raises(GoughError, match="characteristic_length"):
        singularity(model("kalani-2016"), [0, 0, 1, 1, 0, 0, 0], characteristic_length=length)
