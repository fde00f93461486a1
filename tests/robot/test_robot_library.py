"""The robots that come with Gough agree with their sources."""

from __future__ import annotations

import math
import os
import time

import numpy as np
import pytest

from gough.errors import RobotError
from gough.robot import Hexapod, Robot, files, library_names, load

HEXAPODS = tuple(name for name in library_names() if isinstance(load(name), Hexapod))
POUND, FOOT = 0.45359237, 0.3048


def rotated(quaternion: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    w, u = quaternion[0], quaternion[1:]
    return vectors + 2 * np.cross(u, w * vectors + np.cross(u, vectors))


def geometry(robot: Robot, pose: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Leg lengths (6,) and Jacobian (6, 6) at a pose: home, unless another is given."""
    pose = np.array(robot.home if pose is None else pose)
    arms = rotated(pose[3:], np.array([leg.platform for leg in robot.legs]))
    vectors = pose[:3] + arms - np.array([leg.base for leg in robot.legs])
    lengths = np.linalg.norm(vectors, axis=1)
    s = vectors / lengths[:, None]
    return lengths, np.hstack([s, np.cross(arms, s)])


def test_the_library_is_complete():
    assert library_names() == (
        "agile-eye",
        "ankle-2rsu",
        "ankle-2spu",
        "baiges-1996",
        "baiges-1996-two-planes",
        "belt-scara",
        "bingul-2012",
        "delta",
        "demo-hexapod",
        "dietmaier-1998",
        "exechon",
        "five-bar",
        "four-post",
        "h4",
        "hexa-6rus",
        "hexaglide",
        "kalani-2016",
        "knee",
        "kossel",
        "octopod-8ups",
        "orthoglide",
        "paradex-6pus",
        "planar-3rrr",
        "quattro",
        "servo-hexapod-6rss",
        "tricept",
        "tripod-3prs",
        "tripod-3rps",
        "tsai-3upu",
    )


@pytest.mark.parametrize("name", library_names())
def test_every_robot_has_its_name_its_reference_and_its_notes(name):
    robot = load(name)
    assert robot.name == name
    assert robot.reference
    assert robot.notes


@pytest.mark.parametrize("name", HEXAPODS)
def test_home_is_far_from_singular(name):
    robot = load(name)
    _, jacobian = geometry(robot)
    jacobian[:, 3:] /= max(math.hypot(*leg.platform) for leg in robot.legs)
    assert np.linalg.cond(jacobian) < 10.0


@pytest.mark.parametrize("name", library_names())
def test_loading_is_quick(name):
    load(name)  # pint, where it is needed
    start = time.process_time()
    load(name)
    assert time.process_time() - start < 0.05


def test_kalani_has_its_misprints_corrected():
    robot = load("kalani-2016")
    assert robot.legs[0].base == (0.7071, -0.7071, 0.0)
    assert robot.legs[5].platform == (-0.1294, -0.4830, 0.0)
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert robot.legs[3].piston.inertia[0] == (6.25e-3, 0.0, 0.0)


def test_the_first_axes_of_kalani_are_tangential():
    for leg in load("kalani-2016").legs:
        azimuth = math.atan2(leg.base[1], leg.base[0])
        expected = (-math.sin(azimuth), math.cos(azimuth), 0.0)
        assert leg.first_axis == pytest.approx(expected, abs=2e-16)


def test_the_leg_lengths_of_dietmaier_are_met_at_home():
    lengths, _ = geometry(load("dietmaier-1998"))
    published = [1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]
    np.testing.assert_allclose(lengths, published, rtol=1e-14)


def test_dietmaier_is_geometry_only():
    robot = load("dietmaier-1998")
    assert robot.platform.mass == 0.0
    assert {leg.kind for leg in robot.legs} == {"SPS"}
    assert all(leg.cylinder.mass == leg.piston.mass == 0.0 for leg in robot.legs)


def test_bingul_is_at_mid_stroke_at_home():
    robot = load("bingul-2012")
    lengths, _ = geometry(robot)
    for leg, length in zip(robot.legs, lengths, strict=True):
        assert leg.stroke[1] - leg.stroke[0] == pytest.approx(0.05)
        assert sum(leg.stroke) / 2 == pytest.approx(length, abs=1e-4)


def test_the_drive_of_bingul_has_equal_torque_and_back_emf_constants():
    """In SI units they are the same number, to the digits printed: the table gives V/rpm."""
    drive = load("bingul-2012").legs[5].drive
    assert drive.back_emf == pytest.approx(0.026070, abs=1e-6)
    assert drive.back_emf == pytest.approx(drive.torque_constant, rel=2e-3)
    assert drive.screw_lead == 0.001


def test_the_rods_of_bingul_are_slender():
    leg = load("bingul-2012").legs[0]
    assert leg.cylinder.inertia[0][0] == pytest.approx(0.4279 * 0.22**2 / 12, rel=1e-9)
    assert leg.piston.inertia[0][0] == pytest.approx(0.1228 * 0.05**2 / 12, rel=1e-9)


def test_the_cylinder_of_baiges_is_two_masses_in_one():
    """Masses of 7.5 lb at 0.5 ft and 15 lb at 1.25 ft, joined by the parallel-axis theorem."""
    cylinder = load("baiges-1996").legs[0].cylinder
    places, masses = np.array([0.5, 1.25]), np.array([7.5, 15.0])
    center = places @ masses / masses.sum()
    across = 2.0 + 4.0 + masses @ (places - center) ** 2
    assert cylinder.mass == pytest.approx(masses.sum() * POUND)
    assert cylinder.center_of_mass == pytest.approx(center * FOOT)
    assert cylinder.inertia[0][0] == pytest.approx(across * POUND * FOOT**2)
    assert cylinder.inertia[2][2] == pytest.approx(3.0 * POUND * FOOT**2)


def test_the_platform_of_baiges_is_a_disc():
    inertia = np.diag(load("baiges-1996").platform.inertia)
    np.testing.assert_allclose(inertia, np.array([30, 30, 60]) * POUND * FOOT**2)


@pytest.mark.parametrize(("height", "angle"), [(2.0, 64.1), (3.0, 73.4), (4.0, 78.3)])
@pytest.mark.parametrize("side", [-1, 1])
def test_baiges_turns_into_a_singularity_on_its_curved_path(height, angle, side):
    """Section 7.3.2: a turn about an axis along X, 0.5 ft above the platform [ft, deg]."""
    robot = load("baiges-1996")

    def determinant(degrees: float) -> float:
        turn = math.radians(side * degrees)
        y, z = 0.5 * math.sin(turn), height + 0.5 - 0.5 * math.cos(turn)
        pose = [0, y * FOOT, z * FOOT, math.cos(turn / 2), math.sin(turn / 2), 0, 0]
        return float(np.linalg.det(geometry(robot, np.array(pose))[1]))

    assert determinant(angle - 0.2) * determinant(angle + 0.2) < 0.0
    assert determinant(0.0) * determinant(angle - 0.2) > 0.0


def test_two_planes_lift_every_other_base_joint():
    one, two = load("baiges-1996"), load("baiges-1996-two-planes")
    lift = np.array([b.base for b in two.legs]) - np.array([a.base for a in one.legs])
    np.testing.assert_allclose(lift[:, 2], [0.5 * FOOT, 0.0] * 3)
    np.testing.assert_array_equal(lift[:, :2], 0.0)
    assert one.platform == two.platform


def test_the_demo_is_at_mid_stroke_at_home():
    robot = load("demo-hexapod")
    lengths, _ = geometry(robot)
    for leg, length in zip(robot.legs, lengths, strict=True):
        assert sum(leg.stroke) / 2 == pytest.approx(length, abs=1e-3)


def test_the_demo_holds_itself_up_with_a_small_part_of_its_force():
    """The legs' own weight counts as if it all hung on the platform, which is too much."""
    robot = load("demo-hexapod")
    _, jacobian = geometry(robot)
    legs = sum(leg.cylinder.mass + leg.piston.mass for leg in robot.legs)
    weight = (robot.platform.mass + legs) * np.array(robot.gravity)
    wrench = np.concatenate([weight, np.cross(robot.platform.center_of_mass, weight)])
    forces = np.linalg.solve(jacobian.T, -wrench)
    assert (forces > 0).all()
    assert forces.max() < 0.25 * robot.legs[0].max_force


def test_the_demo_has_every_limit_and_general_inertias():
    robot = load("demo-hexapod")
    assert robot.platform.center_of_mass[0] != 0.0
    for leg in robot.legs:
        left_out = {"length_offset", "gain", "max_power", "max_bandwidth"}
        keys = type(leg).model_fields.keys() - left_out
        assert None not in [getattr(leg, key) for key in keys]
        assert leg.cylinder.inertia[2][2] > 0.0
        assert leg.cylinder.inertia[0][0] != leg.cylinder.inertia[1][1]


def test_a_robot_of_the_library_is_read_once_while_its_file_stays_the_same(tmp_path, monkeypatch):
    assert load("demo-hexapod") is load("demo-hexapod")
    text = (files._LIBRARY / "demo-hexapod.toml").read_text(encoding="utf-8")
    monkeypatch.setattr(files, "_LIBRARY", tmp_path)
    for name in ("first", "second"):
        (tmp_path / "mine.toml").write_text(text.replace("demo-hexapod", name), encoding="utf-8")
        os.utime(tmp_path / "mine.toml", (len(name), len(name)))
        assert load("mine").name == name
    with pytest.raises(RobotError, match="none"):
        load(tmp_path / "none.toml")
