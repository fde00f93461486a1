"""Khalil–Kleinfinger parameters: chains of their transforms go through the joints at every pose."""

import numpy as np
import pytest

import gough
from gough.kinematics import leg_parameters, random_poses

NAMES = (
    *("demo-hexapod", "bingul-2012", "tricept", "hexaglide", "orthoglide", "delta", "agile-eye"),
    *("h4", "five-bar"),
)


def frames(leg, positions):
    """Frames (4, 4) of a leg's joints in the base, at displacements from home by name."""
    found = {"": np.eye(4)}
    for joint in leg:
        found[joint.name] = found[joint.before] @ joint.transform(positions[joint.name])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_axes_go_through_the_centres_of_their_joints(name):
    model = gough.Model(gough.load(name))
    found = leg_parameters(model)
    poses = [np.array(model.robot.home), *random_poses(model, 4, 2)]
    home = model.all_joints(poses[0]).position
    checked = 0
    for pose in poses:
        moved = model.all_joints(pose).position - home
        by_name = dict(zip(model.structure.joints, moved, strict=True))
        centers = {}
        for row, center in zip(model.structure.centers, model.joint_centers(pose), strict=True):
            centers.setdefault(row.joint, []).append(center)
        for leg in found.legs:
            for joint, frame in frames(leg, by_name).items():
                for center in centers.get(joint.partition(".")[0], ()):
                    off = np.cross(center - frame[:3, 3], frame[:3, 2])
                    assert np.linalg.norm(off) < 1e-9
                    checked += 1
    assert checked >= 5 * len(found.legs)


@pytest.mark.parametrize("name", ["demo-hexapod", "kalani-2016"])
def test_legs_end_at_their_platform_joints(name):
    model = gough.Model(gough.load(name))
    found, pose = leg_parameters(model), random_poses(model, 1, 7)[0]
    moved = model.all_joints(pose).position - model.all_joints(model.robot.home).position
    positions = dict(zip(model.structure.joints, moved, strict=True))
    R = gough.rotation(pose)
    for k, (leg, written) in enumerate(zip(found.legs, model.robot.legs, strict=True)):
        end = frames(leg, positions)[leg[-1].name][:3, 3]
        np.testing.assert_allclose(end, pose[:3] + R.apply(written.platform), atol=1e-10)
        assert leg[-1].slides
        assert leg[-1].driven
        assert leg[-1].r == pytest.approx(model.inverse_kinematics(model.robot.home)[k])


def test_universal_joints_of_a_hexapod_are_those_of_the_published_table():
    """Axes that meet at right angles: d = 0, and α = 90° of the second hinge and of the slide."""
    for leg in leg_parameters(gough.load("demo-hexapod")).legs:
        for joint in leg[1:]:
            assert abs(joint.d) < 1e-9
            assert abs(abs(joint.alpha) - np.pi / 2) < 1e-9
            assert joint.gamma == pytest.approx(0, abs=1e-9)
            assert joint.b == pytest.approx(0, abs=1e-9)
