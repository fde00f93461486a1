"""All poses at given motors, and all motors at a given pose, of machines of any kind."""

from dataclasses import replace

import numpy as np
import pytest
from drawn_machines import (
    MACHINES,
    delta,
    five_bar,
    parallelograms,
    passive_leg,
    planar,
    rotary_hexapod,
    turned,
)
from moved_machines import moved
from scipy.optimize import root
from scipy.spatial.transform import Rotation

import gough
from gough import GoughError
from gough.kinematics.assembly.few_modes import (
    are_different,
    circles,
    planar_modes,
    solutions,
)
from gough.kinematics.assembly.held_motors import held_distances
from gough.poses import difference, transform

UP = np.array([0.0, 0.0, 1.0])


def distinct(found, tolerance=1e-6):
    kept = []
    for x in found:
        if all(np.abs(x - other).max() > tolerance for other in kept):
            kept.append(x)
    return np.array(kept)


def elbows(q, hips, elbows_at_home, axes):
    """Ends of arms that have turned by q about axes through their hips."""
    return np.array(
        [
            hip + Rotation.from_rotvec(angle * np.array(axis)).apply(elbow - hip)
            for angle, hip, elbow, axis in zip(q, hips, elbows_at_home, axes, strict=True)
        ]
    )


def by_many_starts(equations, starts):
    """Real solutions of equations, searched from many starts."""
    found = []
    for start in starts:
        end = root(equations, start, tol=1e-13)
        if np.abs(equations(end.x)).max() < 1e-11:
            found.append(end.x)
    return distinct(found)


def test_a_delta_has_two_poses_where_three_spheres_meet():
    robot = delta(0)
    model = gough.Model(robot)
    turns = [Rotation.from_rotvec(2 * np.pi * i / 3 * UP) for i in range(3)]
    hips, ends, axes, wrists = (
        [turn.apply(p) for turn in turns]
        for p in ([0.2, 0, 0], [0.45, 0, -0.17], [0, 1, 0], [0.07, 0, 0])
    )
    length = np.hypot(0.38, 0.45)
    rng = np.random.default_rng(0)
    for q in rng.uniform(-0.3, 0.5, (5, 3)):
        found = model.assembly_modes(q)
        at = elbows(q, hips, ends, axes)

        def apart(p, at=at):
            return ((p + wrists - at) ** 2).sum(1) - length**2

        expected = by_many_starts(apart, rng.uniform(-1, 1, (40, 3)))
        assert len(found) == len(expected) == 2
        assert found.complete
        assert found.certified.all()
        for p in expected:
            gap = np.abs(found.poses[:, :3] - p).max(1)
            assert gap.min() < found.position_error.max() + 1e-11


def test_a_planar_machine_has_all_poses_that_a_search_from_everywhere_finds():
    robot = planar(0)
    model = gough.Model(robot)
    turns = [Rotation.from_rotvec(2 * np.pi * i / 3 * UP) for i in range(3)]
    hips, ends, wrists = (
        [turn.apply(p) for turn in turns] for p in ([0.6, 0.05, 0], [0.45, 0.32, 0], [0.15, 0, 0])
    )
    wrists = np.array(wrists) - [0.01, 0.02, 0]  # from the platform's origin
    lengths = np.hypot(0.3, 0.32)
    rng = np.random.default_rng(0)
    counts = set()
    for q in rng.uniform(-0.6, 0.6, (6, 3)):
        at = elbows(q, hips, ends, [UP] * 3)

        def apart(x, at=at):
            R = Rotation.from_rotvec(x[2] * UP)
            gap = (np.array([x[0], x[1], 0]) + R.apply(wrists) - at)[:, :2]
            return (gap**2).sum(1) - lengths**2

        starts = rng.uniform([-0.6, -0.6, -np.pi], [0.6, 0.6, np.pi], (150, 3))
        expected = by_many_starts(apart, starts).reshape(-1, 3)
        expected[:, 2] = np.angle(np.exp(1j * expected[:, 2]))
        expected = distinct(expected).reshape(-1, 3)
        found = model.assembly_modes(q)
        angles = Rotation.from_quat(found.poses[:, [4, 5, 6, 3]]).as_rotvec()[:, 2]
        listed = np.column_stack([found.poses[:, :2], angles])
        assert found.complete
        assert len(found) == len(expected)
        for x in expected:
            gap = listed - x
            gap[:, 2] = np.angle(np.exp(1j * gap[:, 2]))
            assert np.abs(gap).max(1).min() < 1e-9
        counts.add(len(found))
    assert len(counts) > 1


def test_six_real_poses_are_found_and_proved():
    """Distances of a body from three places at one of its poses, drawn until there are six."""
    rng = np.random.default_rng(3)
    for _ in range(500):
        a, b = (rng.standard_normal((3, 2)) @ [1, 1j] for _ in range(2))
        a, b = a - a[0], b - b[0]
        P, z = rng.standard_normal(2) @ [1, 1j], np.exp(1j * rng.uniform(0, 2 * np.pi))
        conditions = circles(a, b, np.abs(P + z * b - a))
        found = solutions(conditions)
        real = [s for s in found if s.real]
        assert len(found) == 6
        assert min(abs(s.x[2] - z) for s in real) < 1e-6
        if len(real) == 6:
            assert are_different(found)
            assert all(s.decided for s in found)
            return
    pytest.fail("no example with six real poses")


def test_a_five_bar_has_two_poses():
    model = gough.Model(five_bar(0))
    q = model.inverse_kinematics(model.robot.home)
    found = model.assembly_modes(q)
    assert len(found) == 2
    assert found.complete
    assert np.abs(difference(found.poses[0], np.array(model.robot.home))).max() < 1e-12
    for at in found.poses:  # both circles about the elbows, and no others
        elbow = transform(at, np.array([-0.35, 0.3, 0]) - [0, 0.55, 0])
        assert np.allclose(elbow, [-0.35, 0.3, 0], atol=1e-12)
        assert np.linalg.norm(at[:3] - [0.35, 0.28, 0]) == pytest.approx(np.hypot(0.35, 0.27))


@pytest.mark.parametrize("name", ["6-RSS", "6-PUS", "6-SPU", "3-RSS and fixed rods"])
def test_held_motors_leave_a_hexapod_of_which_all_forty_solutions_are_proved(name):
    model = gough.Model(MACHINES[name](2))
    at = moved(model, 20, 1)[0]
    q = model.inverse_kinematics(at)
    found = model.assembly_modes(q)
    assert found.complete
    assert found.n_proved == 40
    assert np.abs(difference(found.poses, at)).max(1).min() < 1e-10
    own = found.in_working_mode
    assert own[np.abs(difference(found.poses, at)).max(1).argmin()]
    back = model.inverse_kinematics(found.poses[own])
    assert np.abs(back - q).max() < 1e-9
    mine = found.poses[own]
    tracked = model.forward_kinematics(np.broadcast_to(q, (len(mine), len(q))), mine)
    assert np.abs(difference(tracked.pose, mine)).max() < 1e-9


def test_a_turned_machine_has_the_same_modes():
    robot, other = planar(1), turned(planar(1), 3)
    q = [0.1, -0.2, 0.15]
    first, second = (gough.Model(machine).assembly_modes(q) for machine in (robot, other))
    assert len(first) == len(second)
    assert second.residual.max() < 1e-12
    apart = [np.linalg.norm(f.poses[0, :3] - f.poses[1:, :3], axis=-1) for f in (first, second)]
    assert np.sort(apart[0]) == pytest.approx(np.sort(apart[1]), abs=1e-9)


def test_more_motors_than_freedoms_leave_the_poses_that_fit_all():
    model = gough.Model(planar(1, copies=4))
    q = model.inverse_kinematics(model.robot.home)
    found = model.assembly_modes(q)
    assert len(found) == 1
    assert "more motors" in str(found)
    assert len(model.assembly_modes(q + [0.05, 0, 0, 0])) == 0


@pytest.mark.parametrize("machine", [passive_leg, parallelograms])
def test_machines_without_a_finite_method_are_refused_by_name(machine):
    model = gough.Model(machine(1))
    with pytest.raises(GoughError, match="forward_kinematics finds the pose near a guess"):
        model.assembly_modes(model.inverse_kinematics(model.robot.home))


def test_all_ways_to_bend_the_legs_lead_to_the_same_pose():
    """Of a Delta eight: the ends of its arms are as far from its wrists in each of them."""
    model = gough.Model(delta(0))
    at = moved(model, 3, 1)[0]
    found = model.branches(at)
    assert len(found) == 8
    assert found.complete
    assert found.own.tolist() == [True] + 7 * [False]
    assert found.q[0] == pytest.approx(model.inverse_kinematics(at), abs=1e-12)
    turns = [Rotation.from_rotvec(2 * np.pi * i / 3 * UP) for i in range(3)]
    hips, ends, axes, wrists = (
        [turn.apply(p) for turn in turns]
        for p in ([0.2, 0, 0], [0.45, 0, -0.17], [0, 1, 0], [0.07, 0, 0])
    )
    for q in found.q:
        rods = at[:3] + wrists - elbows(q, hips, ends, axes)
        assert np.linalg.norm(rods, axis=1) == pytest.approx(3 * [np.hypot(0.38, 0.45)])
    assert len(distinct(found.q)) == 8


def test_each_working_mode_has_the_pose_among_its_assembly_modes():
    model = gough.Model(rotary_hexapod(1, "SS"))
    found = model.branches(model.robot.home)
    assert len(found) == 64
    for q in found.q[[0, 21, 63]]:
        poses = model.assembly_modes(q).poses
        assert np.abs(difference(poses, np.array(model.robot.home))).max(1).min() < 1e-9


def test_branches_of_legs_without_closed_form_are_searched_and_it_is_said():
    model = gough.Model(MACHINES["cranked delta"](1))
    found = model.branches(model.robot.home)
    assert len(found) == 8
    assert not found.complete
    assert "there may be others of the legs without a closed form, of motor0" in str(found)
    other = gough.Model(model.robot, branch=found.branch[-1])
    assert other.inverse_kinematics(model.robot.home) == pytest.approx(found.q[-1], abs=1e-12)


def test_a_pose_out_of_reach_has_no_working_mode():
    model = gough.Model(delta(0))
    with pytest.raises(GoughError, match="cannot reach the pose"):
        model.branches([0, 0, -3, 1, 0, 0, 0])


def test_a_delta_is_proved_complete_among_its_translations_alone():
    """Its six rods close in other attitudes too: the list is of those in the attitude of home."""
    robot = delta(0)
    model = gough.Model(robot)
    found = model.assembly_modes(model.inverse_kinematics(robot.home))
    assert found.complete
    assert found.scope == "poses in the attitude of home"
    assert "proved complete among poses in the attitude of home" in repr(found)
    assert "proved complete among poses in the attitude of home" in str(found)
    held = held_distances(robot, found.q)
    home = np.array(robot.home)
    rng = np.random.default_rng(3)

    def gaps(x):
        points = x[:3] + Rotation.from_rotvec(x[3:]).apply(held.platform)
        return np.linalg.norm(points - held.base, axis=1) - held.lengths

    starts = np.c_[home[:3] + rng.normal(0, 0.2, (60, 3)), rng.normal(0, 1.5, (60, 3))]
    others = [x for x in by_many_starts(gaps, starts) if np.linalg.norm(x[3:]) > 0.1]
    assert others  # which the list rightly leaves out, as it says


def test_a_leg_shorter_than_its_offset_from_the_plane_is_refused_and_is_no_hinge():
    robot = planar(0)
    q = gough.Model(robot).inverse_kinematics(robot.home)
    held = held_distances(robot, q)
    expected = planar_modes(robot, held)
    across = (np.array(robot.home[:3]) + held.platform - held.base) @ held.normal
    apart = np.array([0.0, 0.4 * held.lengths[1], 0.0])
    aside = held.base + np.outer(across - apart, held.normal)
    lengths = np.sqrt(held.lengths**2 - across**2 + apart**2)
    found = planar_modes(robot, replace(held, base=aside, lengths=lengths))
    np.testing.assert_allclose(np.sort(found["poses"], 0), np.sort(expected["poses"], 0), atol=1e-9)
    with pytest.raises(
        GoughError, match=r"leg 2 is .* m long and its joints are .* m apart across"
    ):
        planar_modes(
            robot, replace(held, base=aside, lengths=np.where(apart, 0.9 * apart, lengths))
        )
    pinned = planar_modes(robot, replace(held, base=aside, lengths=np.where(apart, apart, lengths)))
    assert (
        pinned["degree"] == 2
    )  # an arm of no length in the plane is a hinge, wherever it is listed
