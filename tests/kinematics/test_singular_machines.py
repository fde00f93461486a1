"""Singular configurations of machines of any kind, made on purpose, one of each kind."""

import numpy as np
import pytest
from drawn_machines import FEW, MACHINES, UP, Drawer, around, delta, five_bar, planar, tripod_upu
from hexapod_drawing import drawn_hexapod
from moved_machines import moved

import gough
from gough.errors import SingularConfiguration
from gough.kinematics import crossings
from gough.kinematics.singularity.singularity import problems_at_home, singular_words
from gough.poses import displace, pose, transform


def radial_links(seed=1):
    """A planar 3-RRR whose outer links all point to the middle at home."""
    d = Drawer(seed)
    for i in range(3):
        R = around(2 * np.pi * i / 3)
        hip, elbow, wrist = (R @ p for p in ([0.45, -0.3, 0], [0.45, 0, 0], [0.15, 0, 0]))
        first, second = d.body(f"crank{i}", hip, elbow), d.body(f"link{i}", elbow, wrist)
        d.joint(f"hip{i}", "R", ("base", first), hip, UP, driven=True)
        d.joint(f"elbow{i}", "R", (first, second), elbow, UP)
        d.joint(f"wrist{i}", "R", (second, "platform"), wrist, UP)
    return d.machine("radial", ("x", "y", "rz"), [0, 0, 0])


def upright_rods(seed=1):
    """A Delta whose rods all stand upright at home: they hold it against nothing sideways."""
    d = Drawer(seed)
    for i in range(3):
        R = around(2 * np.pi * i / 3)
        hip, elbow, wrist, axis = (
            R @ p for p in ([0.1, 0, 0], [0.3, 0, 0], [0.3, 0, -0.5], [0, 1, 0])
        )
        arm = d.body(f"arm{i}", hip, elbow)
        d.joint(f"hip{i}", "R", ("base", arm), hip, axis, driven=True)
        for side in (-1, 1):
            e, c = elbow + 0.06 * side * axis, wrist + 0.06 * side * axis
            rod = d.rod(f"rod{i}{side}", e, c)
            d.joint(f"elbow{i}{side}", "S", (arm, rod), e)
            d.joint(f"wrist{i}{side}", "S", (rod, "platform"), c)
    return d.machine("upright", ("x", "y", "z"), [0, 0, -0.5])


def test_a_stretched_arm_is_a_serial_singularity_of_its_motor():
    robot = five_bar(0)
    model, hip = gough.Model(robot), np.array([0.2, 0.0])
    reach = np.hypot(0.15, 0.28) + np.hypot(0.35, 0.27)
    out = np.array([-0.5, np.sqrt(0.75)])
    poses = [
        model.possible_pose(pose([*(hip + (reach - short) * out), 0])).pose
        for short in (1e-2, 1e-4, 1e-6)
    ]
    found = model.singularity(poses)
    left, right = np.abs(found.serial_by_leg).T
    assert found.motors == ("hip-left", "hip-right")
    # the sine of the elbow's angle falls as the root of what is missing
    assert right[1:] / right[:-1] == pytest.approx([0.1, 0.1], rel=0.05)
    assert (left > 0.3).all()
    assert (found.constraint > 0.1).all()
    words = "; ".join(singular_words(robot, poses[-1]))
    assert "the leg of hip-right is nearly stretched out or folded" in words
    assert "hip-left" not in words
    beyond = pose([*(hip + (reach + 1e-3) * out), 0])
    assert singular_words(robot, beyond) == ["no such pose: the legs cannot reach it"]


def test_links_that_meet_in_a_point_do_not_hold_the_platform_against_turning():
    model = gough.Model(radial_links())
    found = model.singularity(model.robot.home)
    assert found.parallel < 1e-12
    assert found.serial > 0.1
    assert found.constraint > 0.1
    assert np.allclose(np.abs(found.axis), UP, atol=1e-9)
    assert np.allclose(found.point, 0, atol=1e-9)
    assert problems_at_home(model.robot)[0].startswith("at home singular: condition number of J")
    with pytest.raises(SingularConfiguration, match="condition number"):
        model.checked_inverse_dynamics(model.robot.home)


def test_a_motion_through_that_point_crosses_the_singularity():
    model = gough.Model(radial_links())
    found = crossings(model, lambda t: pose([0, 0, 0], rpy=[0, 0, t]), (-0.2, 0.3), samples=101)
    assert found.crossing_times == pytest.approx([0.0], abs=1e-9)
    assert found.nearest_time == pytest.approx(0.0, abs=1e-9)


def test_parallel_rods_do_not_hold_a_delta_sideways():
    robot = upright_rods()
    found = gough.Model(robot).singularity(robot.home)
    assert found.singular_values[1:] == pytest.approx([0, 0], abs=1e-12)
    assert found.singular_values[0] > 0.1
    assert abs(found.twist[2]) < 1e-9
    assert found.serial > 0.1
    assert found.constraint < 1e-12  # nor against turning about the upright
    with pytest.raises(SingularConfiguration):
        gough.Model(robot).checked_inverse_dynamics(robot.home)


def test_a_translating_tripod_turns_where_its_constraints_have_a_plane_in_common():
    """Of three legs whose feet stand ρ farther out than their wrists: at a distance of 2 ρ.

    A leg resists the couple in its own upright, radial plane: (p · eᵢ - ρ) eᵢ + p_z z. These three
    have a plane in common where |p| = 2 ρ, sideways.
    """
    robot, rho = tripod_upu(0), 0.4 - 0.18
    model = gough.Model(robot)
    for angle in (0.3, 2.0):
        out = np.array([np.cos(angle), np.sin(angle), 0])
        found = model.singularity(pose(2 * rho * out + [0, 0, 0.6]))
        assert found.constraint < 1e-9
        assert found.parallel > 0.05
        assert found.serial > 0.05
        with pytest.raises(SingularConfiguration, match="beyond its degrees of freedom"):
            model.checked_inverse_dynamics(pose(2 * rho * out + [0, 0, 0.6]))
        assert model.singularity(pose(1.9 * rho * out + [0, 0, 0.6])).constraint > 1e-3


def test_a_leg_along_the_first_axis_of_its_universal_joint_cannot_be_followed():
    robot = gough.load("demo-hexapod")
    machine = drawn_hexapod(robot)
    model = gough.Model(machine)
    hexapod = gough.Model(robot)
    foot, wrist = np.array(robot.legs[0].base), np.array(robot.legs[0].platform)
    axis = np.array(robot.legs[0].first_axis)
    beside = foot + 0.5 * axis / np.linalg.norm(axis)
    at = pose(beside - transform(pose([0, 0, 0]), wrist))
    assert hexapod.singular_legs(at)[0] == 1
    found = model.singularity(at)
    smallest = np.nanargmin(np.abs(found.passive_by_group))
    assert found.passive < 1e-9
    assert np.abs(found.passive_by_group)[smallest] < 1e-9
    assert found.joints[smallest].startswith(machine.joints[0].name)
    with pytest.raises(SingularConfiguration, match="cannot follow"):
        model.checked_inverse_dynamics(at)


def test_the_least_controlled_motion_moves_the_motors_least():
    """Against all other motions of the same length, tried at random; and the distance by steps."""
    for machine in (planar(2), five_bar(2), delta(2), planar(2, copies=4)):
        model = gough.Model(machine)
        at = moved(model, 4, 1)[0]
        found = model.singularity(at)
        scale = np.repeat([1.0, found.characteristic_length], 3)
        T = model.twist_basis(at)
        units = 1 / np.linalg.norm(machine.freedom_rows / scale, axis=1)
        u = np.random.default_rng(0).standard_normal((2000, T.shape[1]))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        turning = np.where([a.turns for a in machine.actuators], found.characteristic_length, 1)
        rates = np.linalg.norm((u / units) @ (model.jacobian(at) @ T).T * turning, axis=1)
        assert rates.min() > found.parallel * (1 - 1e-12)
        assert rates.min() < found.parallel * 1.02
        own = np.linalg.norm(model.jacobian(at) @ found.twist * turning)
        assert own == pytest.approx(float(found.parallel), rel=1e-9)


@pytest.mark.parametrize("name", FEW)
def test_the_determinant_is_that_of_the_actuation_matrix(name):
    model = gough.Model(MACHINES[name](1))
    poses = moved(model, 5, 3)
    found = model.singularity(poses)
    J = model.actuation_matrix(poses)
    expected = np.sqrt(np.linalg.det(np.swapaxes(J, -1, -2) @ J))
    assert np.abs(found.determinant) == pytest.approx(expected, rel=1e-8)
    assert found.valid.all()
    assert not model.is_singular(poses).any()
    assert np.isfinite(model.checked_inverse_dynamics(poses)).all()


def test_distance_to_a_singularity_is_right_to_first_order():
    model = gough.Model(radial_links())
    near = displace(np.array(model.robot.home), [0, 0, 0, 0, 0, 0.01])
    found = model.singularity(near)
    assert found.distance == pytest.approx(0.01 * found.characteristic_length, rel=0.05)


def test_where_on_its_axis_a_hinge_of_the_platform_is_given_does_not_matter():
    """The H4's bar, with hinges given 0.4 m above it: as far from singular as before."""
    robot = gough.load("h4")
    raised = tuple(
        joint.model_copy(update={"at": tuple(np.add(joint.at, [0, 0, 0.4]).tolist())})
        if joint.name.startswith("hinge")
        else joint
        for joint in robot.joints
    )
    given, moved = (
        gough.Model(r).singularity(robot.home)
        for r in (robot, robot.model_copy(update={"joints": raised}))
    )
    assert moved.condition == pytest.approx(given.condition)
    assert moved.constraint == pytest.approx(given.constraint)
