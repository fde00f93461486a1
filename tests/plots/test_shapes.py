"""What is drawn of machines of all kinds is where Pinocchio's bodies are, and keeps its size."""

import numpy as np
import pytest
from drawings import Joint, Mechanism, changed
from drawn_machines import MACHINES, delta, parallelograms, planar
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.plots import plot_machine, save_plot
from gough.plots.shapes import shape_of
from gough.poses import transform


def some_states(mechanism, count=3):
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(1)
    return oracle, [oracle.random_state(rng) for _ in range(count)]


def lengths(points, bars):
    ends = [[bar.start for bar in bars], [bar.end for bar in bars]]
    return np.linalg.norm(points[:, ends[1]] - points[:, ends[0]], axis=-1)


@pytest.mark.parametrize("name", MACHINES)
def test_bars_keep_their_lengths_and_plates_stay_rigid(name):
    mechanism = MACHINES[name](1)
    _, states = some_states(mechanism)
    poses = np.array([mechanism.home, *(state.pose for state in states)])
    shape = shape_of(mechanism, poses)
    points = shape.points(poses)
    bodies = {"base", "platform", *(body.name for body in mechanism.bodies)}
    rigid = [bar for bar in shape.bars if not bar.sleeve and bar.body in bodies]
    found = lengths(points, rigid)
    np.testing.assert_allclose(found, found[:1].repeat(4, axis=0), atol=1e-11)
    still = points[:, list(shape.base)]
    np.testing.assert_allclose(still, still[:1].repeat(4, axis=0), atol=1e-12)
    held = list(shape.platform)
    own = np.linalg.inv(_rotation(poses[0])) @ (points[0, held] - poses[0, :3]).T
    np.testing.assert_allclose(transform(poses[:, None], own.T), points[:, held], atol=1e-11)


@pytest.mark.parametrize("name", ["delta, ball-ended rods", "orthoglide", "6-RSS", "tricept"])
def test_both_ends_of_a_bar_are_points_of_its_body(name):
    mechanism = MACHINES[name](2)
    oracle, states = some_states(mechanism)
    home = np.array(mechanism.home)
    shape = shape_of(mechanism, home)
    bodies = {"platform", *(body.name for body in mechanism.bodies)}
    at_home = shape.points(home)
    for state in states:
        points = shape.points(state.pose)
        for bar in shape.bars:
            if bar.body in bodies and not bar.sleeve:
                for end in (bar.start, bar.end):
                    theirs = oracle.carried(state, bar.body, at_home[end])
                    np.testing.assert_allclose(points[end], theirs, atol=1e-11)


def test_a_delta_has_arms_with_crossbars_and_pairs_of_rods():
    robot = delta(0)
    shape = shape_of(robot, robot.home)
    bars = {}
    for bar in shape.bars:
        bars.setdefault(bar.body, []).append(bar)
    at_home = shape.points(np.array(robot.home))
    for k, leg in enumerate("123"):
        arm = bars[f"arm{leg}"]
        assert sorted(lengths(at_home[None], arm)[0]) == pytest.approx([0.12, 0.30232], abs=1e-5)
        for side in "ab":
            (rod,) = bars[f"rod{leg}{side}"]
            assert rod.thin
            assert rod.actuator == k
        assert {bar.actuator for bar in (*arm, *bars[f"hip{leg}"])} == {k}
    assert len(shape.plates["base"]) == 3
    assert len(shape.plates["platform"]) == 6


def test_rails_go_as_far_as_the_strokes():
    robot = parallelograms(0)
    limited = tuple(changed(j, stroke=(-0.2, 0.3)) if j.type == "P" else j for j in robot.joints)
    robot = changed(robot, joints=limited)
    shape = shape_of(robot, robot.home)
    points = shape.points(np.array(robot.home))
    ends = points[[[bar.start, bar.end] for bar in shape.bars if bar.body == "base"]]
    along = np.ptp(ends, axis=1)
    rails = ends[(along > 1e-9).sum(axis=1) == 1]
    assert sorted(map(tuple, rails.sum(axis=2).round(9).tolist())) == [(-0.8, -0.3)] * 3


def test_a_car_that_is_drawn_far_from_its_slide_is_on_its_rail():
    robot = gough.load("hexaglide")
    shape = shape_of(robot, robot.home)
    points = shape.points(np.array(robot.home))
    slides = [joint for joint in robot.joints if joint.type == "P"]
    elbows = [joint.at for joint in robot.joints if joint.name.startswith("elbow")]
    ends = [points[[bar.start, bar.end]] for bar in shape.bars if bar.body == "base"]
    for slide, elbow, (start, end) in zip(slides, elbows, ends, strict=True):
        way = np.array(slide.axis) @ (np.array(elbow) - start)
        np.testing.assert_allclose(start + way * np.array(slide.axis), elbow, atol=1e-9)
        least, most = slide.stroke
        assert way == pytest.approx(slide.home - least)
        np.testing.assert_allclose(np.linalg.norm(end - start), most - least)


def test_hinges_that_meet_in_one_point_are_drawn_around_it():
    robot = gough.load("agile-eye")
    pose = gough.pose([0, 0, 0], rotation_vector=[0.1, -0.2, 0.3])
    shape = shape_of(robot, robot.home)
    points = shape.points(pose)
    for body in robot.bodies:
        bars = [bar for bar in shape.bars if bar.body == body.name]
        way = points[[bars[0].start, *(bar.end for bar in bars)]]
        radii = np.linalg.norm(way, axis=1)
        directions = way / radii[:, None]
        turns = np.arccos(np.sum(directions[1:] * directions[:-1], axis=1))
        np.testing.assert_allclose(turns, np.pi / 2 / len(bars))  # in all a quarter turn,
        assert directions[0] @ directions[-1] == pytest.approx(0, abs=1e-12)  # and in a plane
        assert np.ptp(np.diff(radii)) < 1e-12 < abs(radii[-1] - radii[0])


@pytest.mark.parametrize(
    ("name", "shared"), [("H4", {"half-1", "half1"}), ("tricept", {"tube", "plunger"})]
)
def test_bodies_of_no_single_motor_have_no_colour_of_one(name, shared):
    robot = MACHINES[name](0)
    shape = shape_of(robot, robot.home)
    assert {bar.body for bar in shape.bars if bar.actuator is None} - {"base", "platform"} == shared


def test_each_link_has_the_colour_of_the_motor_that_moves_it():
    robot = MACHINES["3-RRRS"](0)
    shape = shape_of(robot, robot.home)
    names = [actuator.name for actuator in robot.actuators]
    moved = {bar.body: names[bar.actuator] for bar in shape.bars if bar.actuator is not None}
    assert [moved[body] for body in ("a1", "b1", "c1")] == ["hip1", "knee1", "knee1"]


def test_telescopes_are_thick_at_the_side_of_the_base():
    for name in ("6-SPU", "3-UPU", "3-RPR"):
        robot = MACHINES[name](0)
        shape = shape_of(robot, robot.home)
        legs = [bar for bar in shape.bars if bar.sleeve]
        assert len(legs) == len(robot.actuators)
        assert all(bar.start in shape.base and bar.end in shape.platform for bar in legs)


def test_bodies_that_are_welded_are_drawn_as_one():
    robot = planar(0)
    hips = [j for j in robot.joints if j.name == "hip0"]
    others = [j for j in robot.joints if j.name != "hip0"]
    stub = changed(robot.bodies[0], name="stub", mass=0.0)
    moved = [changed(hips[0], between=("base", "stub"))]
    weld = Joint("weld", "fixed", ("stub", "crank0"), (9.0, 9.0, 9.0))
    welded = Mechanism("welded", robot.platform, (*robot.bodies, stub), (*moved, *others, weld))
    first, second = (shape_of(r, r.home) for r in (robot, welded))
    assert len(first.bars) == len(second.bars)
    assert second.reach == pytest.approx(first.reach)


def test_a_slide_of_a_body_that_is_welded_to_the_platform_is_drawn():
    at = {"at": [0.3, 0, 0], "axis": [0, 0, 1]}
    joints = [
        {"name": "s", "type": "P", "between": ["base", "platform"], **at, "driven": True},
        {"name": "c", "type": "C", "between": ["base", "a"], **at},
        {"name": "f", "type": "fixed", "between": ["a", "platform"]},
    ]
    platform = {"mass": 1.0, "inertia": [0.1] * 3, "home": {"position": [0, 0, 1]}, "moves": ["z"]}
    data = {"schema": "gough/2", "name": "lift", "platform": platform, "joints": joints}
    robot = gough.Robot.from_dict(data | {"bodies": [{"name": "a"}]})
    assert np.isfinite(shape_of(robot, robot.home).points(np.array(robot.home))).all()


def test_a_hexapod_is_six_telescopes_between_two_plates():
    robot = gough.load("demo-hexapod")
    shape = shape_of(robot, robot.home)
    found = lengths(shape.points(np.array([robot.home])), shape.bars)[0]
    np.testing.assert_allclose(found, gough.Model(robot).inverse_kinematics(robot.home))
    assert [label.text for label in shape.labels] == ["1", "2", "3", "4", "5", "6"]
    assert all(bar.sleeve < bar_length for bar, bar_length in zip(shape.bars, found, strict=True))
    assert sorted(shape.plates["base"]) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["delta, ball-ended rods", "five-bar", "orthoglide"])
def test_machines_of_any_kind_are_saved_as_pictures(name, tmp_path):
    save_plot(plot_machine(MACHINES[name](0)), tmp_path / "machine.svg")
    assert "base" in (tmp_path / "machine.svg").read_text()


def _rotation(pose):
    return gough.poses.rotation(pose).as_matrix()
