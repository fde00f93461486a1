"""Legs in short are bodies and joints: the same machine as one that is drawn in full."""

import numpy as np
import pytest
from leg_files import UP, a_delta, around, delta_at, hexapod, orthoglide, orthoglide_in_full
from robot_samples import edited

import gough
from gough.robot import Robot


def states(model, seed=0, scale=0.03):
    """Return a pose near home that the machine can have, and a motion there that it can do."""
    rng = np.random.default_rng(seed)
    home = np.array(model.robot.home)
    moves = model.robot.platform.moves
    step = np.zeros(6)
    for k, name in enumerate(("x", "y", "z", "rx", "ry", "rz")):
        step[k] = scale * rng.standard_normal() if name in moves else 0.0
    pose = gough.poses.displace(home, step)
    T = np.array(model.twist_basis(pose))
    twist, acceleration = (T @ rng.standard_normal(T.shape[1]) for _ in range(2))
    return pose, twist, acceleration, rng.standard_normal(6)


def assert_same(first, second, tolerance=1e-12, scale=0.03):
    """Assert that two machines need the same positions and efforts."""
    one, other = gough.Model(first), gough.Model(second)
    for seed in range(3):
        pose, *motion = states(one, seed, scale)
        q, theirs = one.inverse_kinematics(pose), other.inverse_kinematics(pose)
        np.testing.assert_allclose(q, theirs, atol=tolerance)
        ours, theirs = one.inverse_dynamics(pose, *motion), other.inverse_dynamics(pose, *motion)
        assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


@pytest.mark.parametrize("angle", [-0.3, 0.1, 0.6])
def test_a_delta_in_short_is_the_delta_in_full(angle):
    short, full = map(Robot.from_dict, delta_at(angle))
    assert_same(short, full)


def test_a_parallelogram_is_two_rods_and_names_can_be_read():
    robot = Robot.from_dict(a_delta())
    assert [body.name for body in robot.bodies[:3]] == ["arm-1", "rod-1a", "rod-1b"]
    assert [joint.name for joint in robot.joints[:5]] == [
        "hip-1", "elbow-1a", "elbow-1b", "wrist-1a", "wrist-1b",
    ]  # fmt: skip
    assert robot.joints[2].between == ("arm-1", "rod-1b")
    np.testing.assert_allclose(np.subtract(robot.joints[2].at, robot.joints[1].at), [0, 0.12, 0])


def test_an_orthoglide_with_pa_is_the_one_with_loops_of_hinges():
    pa, loops = Robot.from_dict(orthoglide()), Robot.from_dict(orthoglide_in_full())
    assert [joint.name for joint in pa.joints[:8]] == [
        "slide-1", "elbow-1", "bar-near-1a", "bar-near-1b", "bar-far-1a", "bar-far-1b",
        "wrist-1", "slide-2",
    ]  # fmt: skip
    assert gough.Model(pa).structure.mobility == 3
    assert_same(pa, loops)


@pytest.mark.parametrize("name", ["demo-hexapod", "kalani-2016"])
def test_a_hexapod_in_short_is_the_hexapod(name):
    robot = gough.load(name)
    short = Robot.from_dict(hexapod(robot))
    model, special = gough.Model(short), gough.Model(robot)
    for seed in range(3):
        pose, *motion = states(model, seed)
        for kernel, given in (("inverse_kinematics", []), ("inverse_dynamics", motion)):
            ours = getattr(model, kernel)(pose, *given)
            theirs = getattr(special, kernel)(pose, *given)
            assert np.abs(ours - theirs).max() <= 1e-10 * np.abs(theirs).max()


@pytest.mark.parametrize("angle", [-0.3, 0.6])
def test_angles_count_from_where_they_are_called_zero(angle):
    short, _ = delta_at(angle)
    robot = Robot.from_dict(edited("leg.motor", {"zero": [1, 0, 0]}, short))
    q = gough.Model(robot).inverse_kinematics(robot.home)
    np.testing.assert_allclose(q, angle, atol=1e-14)


def test_slides_count_from_the_base_to_the_next_joint():
    robot = Robot.from_dict(orthoglide())
    x, y, z = 0.02, -0.03, 0.01
    expected = [0.6 + p - 0.04 - np.sqrt(0.31**2 - a**2 - b**2)
                for p, a, b in ((x, y, z), (y, z, x), (z, x, y))]  # fmt: skip
    q = gough.Model(robot).inverse_kinematics(robot.home)
    np.testing.assert_allclose(q, expected, rtol=1e-14)


def test_the_elbow_picks_the_way_to_bend():
    outside = Robot.from_dict(a_delta())
    inside = Robot.from_dict(edited("leg.elbow", [-0.1, 0, 0.1], a_delta()))
    for robot, side in ((outside, 1), (inside, -1)):
        hip, elbow, _, wrist, _ = (np.array(joint.at) for joint in robot.joints[:5])
        assert np.linalg.norm((elbow - hip)[[0, 2]]) == pytest.approx(0.3, rel=1e-14)
        assert np.linalg.norm(wrist - elbow) == pytest.approx(0.7, rel=1e-14)
        assert side * (elbow[0] - 0.2) > 0


@pytest.mark.parametrize("kind", ["R*", "P*", "C*"])
@pytest.mark.parametrize("seed", range(10))
def test_a_bend_is_found_where_it_was_drawn(kind, seed):
    """A leg is drawn at random, and found again from its lengths."""
    rng = np.random.default_rng(seed)
    base, wrist, axis, way = rng.standard_normal((4, 3))
    axis /= np.linalg.norm(axis)
    elbow = base + (np.cross(axis, way) if kind == "R*" else way[0] * axis)
    data = a_delta()
    data["platform"]["home"] = {"position": rng.standard_normal(3), "rpy": [0.3, 0.2, seed]}
    home = gough.pose(data["platform"]["home"]["position"], rpy=[0.3, 0.2, seed])
    arm = {"name": "arm"} | ({"length": np.linalg.norm(elbow - base)} if kind == "R*" else {})
    data["leg"] = {
        "joints": [kind, "S", "S"],
        "base": base,
        "platform": gough.poses.transform(gough.poses.inverse(home), wrist),
        "axis": axis,
        "elbow": elbow + 1e-3 * rng.standard_normal(3),
        "links": [arm, {"name": "rod", "length": np.linalg.norm(wrist - elbow)}],
    }
    robot = Robot.from_dict(data | {"pattern": {"copies": 1}})
    places = [joint.at for joint in robot.joints if "turn" not in joint.name]
    np.testing.assert_allclose(places, [base, elbow, wrist], atol=1e-9)


def test_a_pattern_turns_legs_about_any_axis():
    robot = Robot.from_dict(orthoglide(position=(0, 0, 0)))
    places = np.array([joint.at for joint in robot.joints]).reshape(3, -1, 3)
    for i in (1, 2):
        np.testing.assert_allclose(places[i], np.roll(places[0], i, axis=1), atol=1e-16)


def test_a_pattern_of_several_legs_is_those_legs_one_by_one():
    """Of a hexapod with pairs of legs, whose home is turned and off the middle."""
    pair = [([0.5, 0.1, 0], [0.2, 0.2, 0]), ([0.5, -0.1, 0], [0.2, -0.2, 0])]
    leg = hexapod(gough.load("kalani-2016"))["legs"][0]
    data = hexapod(gough.load("kalani-2016"))
    data["platform"]["home"] = {"position": [0.05, 0.02, 0.8], "rpy": [0.1, 0, "20 deg"]}

    def with_legs(turns):
        return [
            leg | {"base": R @ base, "platform": R @ platform, "axis": R @ [0, 1, 0]}
            for R in turns
            for base, platform in pair
        ]

    turns = [around(UP, 2 * np.pi * k / 3) for k in range(3)]
    short = Robot.from_dict(data | {"legs": with_legs(turns[:1]), "pattern": {"copies": 3}})
    full = Robot.from_dict(data | {"legs": with_legs(turns)})
    assert [j.name for j in short.joints] == [j.name for j in full.joints]
    assert_same(short, full)


def test_a_mirrored_leg_is_the_mirror_image():
    data = a_delta()
    links = data["leg"]["links"]
    links[1].pop("parallelogram")
    links[0] |= {
        "center_of_mass": [0.01, 0.02, 0.14],
        "inertia": [[4e-3, 2e-4, 1e-4], [2e-4, 4.2e-3, 3e-4], [1e-4, 3e-4, 2e-3]],
    }
    data["leg"]["base"] = [0.2, 0.05, 0]
    robot = Robot.from_dict(data | {"pattern": {"copies": 1, "mirror": [0, 1, 0]}})
    M = np.diag([1.0, -1.0, 1.0])
    arm, image = robot.bodies[0], robot.bodies[2]
    np.testing.assert_allclose(image.center_of_mass, M @ arm.center_of_mass, atol=1e-16)
    np.testing.assert_allclose(image.inertia, M @ np.array(arm.inertia) @ M, atol=1e-18)
    hip, elbow = robot.joints[0], robot.joints[1]
    other_hip, other_elbow = robot.joints[3], robot.joints[4]
    np.testing.assert_allclose(other_elbow.at, M @ elbow.at, atol=1e-16)
    speed = np.cross(hip.axis, np.subtract(elbow.at, hip.at))
    theirs = np.cross(other_hip.axis, np.subtract(other_elbow.at, other_hip.at))
    np.testing.assert_allclose(theirs, M @ speed, atol=1e-16)


def test_a_leg_may_have_a_name_and_a_number_of_copies_of_its_own():
    robot = gough.load("tricept")
    assert [b.name for b in robot.bodies if "piston" not in b.name] == [
        "cylinder-1", "tube-middle", "cylinder-2", "cylinder-3",
    ]  # fmt: skip


def test_legs_may_end_on_other_bodies():
    joints = {joint.name: joint for joint in gough.load("h4").joints}
    assert joints["wrist-3a"].between == ("rod-3a", "half-1")


def test_a_leg_may_have_several_motors_and_bends_that_are_given():
    data = edited("platform.moves", ["x", "y", "z", "rx", "ry", "rz"], a_delta())
    data["platform"]["home"]["position"] = [0, 0, 0.7]
    data["leg"] = {
        "joints": [
            "R*",
            {"type": "R*", "axis": [0.2, 1, 0], "name": "knee"},
            {"type": "R", "axis": [0, 1, 0.3], "name": "ankle"},
            "S",
        ],
        "base": [0.5, 0, 0],
        "platform": [0.2, 0, 0],
        "axis": [0, 0, 1],
        "links": [
            {"name": "hip", "end": [0.55, 0.05, 0.2], "mass": 1, "center_of_mass": 0.1},
            {"name": "thigh", "end": [0.45, 0.1, 0.45], "mass": 1, "center_of_mass": 0.1},
            {"name": "shin", "mass": 1, "center_of_mass": 0.1},
        ],
    }
    robot = Robot.from_dict(data)
    assert [actuator.name for actuator in robot.actuators[:3]] == ["hip-1", "knee-1", "hip-2"]
    np.testing.assert_allclose(robot.joints[2].at, [0.45, 0.1, 0.45])
    assert gough.Model(robot).structure.mobility == 6


def test_the_axes_of_universal_joints_are_across_their_links():
    """Three UPU legs that keep the platform from turning."""
    data = edited("platform.home.position", [0, 0, 0.6], a_delta())
    data["leg"] = {
        "joints": ["U", "P*", "U"],
        "base": [0.4, 0, 0],
        "platform": [0.18, 0.05, 0],
        "axis": [0, 1, 0],
        "links": [{"name": "tube"}, {"name": "piston"}],
    }
    robot = Robot.from_dict(data)
    foot, slide, wrist = robot.joints[:3]
    assert foot.axes[0] == wrist.axes[1] == (0.0, 1.0, 0.0)
    np.testing.assert_allclose(
        [np.dot(foot.axes[1], slide.axis), np.dot(wrist.axes[0], slide.axis),
         np.dot(*foot.axes), np.dot(*wrist.axes)], 0, atol=1e-15,
    )  # fmt: skip
    assert slide.position_at_home == pytest.approx(np.linalg.norm([0.22, -0.05, 0.6]))
    assert gough.Model(robot).structure.mobility == 3


def test_a_bend_after_a_ball_lies_towards_the_elbow():
    data = edited("leg.joints", ["S", "R", "S"], a_delta())
    data["leg"]["links"][1].pop("parallelogram")
    data["leg"]["elbow"] = [0.4, 0.3, -0.1]
    ball, elbow, wrist = (np.array(j.at) for j in Robot.from_dict(data).joints[:3])
    assert np.linalg.norm(elbow - ball) == pytest.approx(0.3, rel=1e-14)
    assert np.linalg.norm(wrist - elbow) == pytest.approx(0.7, rel=1e-14)
    normal = np.cross(wrist - ball, [0.4, 0.3, -0.1] - ball)
    assert normal @ (elbow - ball) == pytest.approx(0, abs=1e-15)


def test_numbers_may_carry_units():
    data = a_delta()
    data["platform"]["home"] = {"position": ["0 mm", 0, "-62 cm"]}
    data["leg"] |= {"base": ["200 mm", 0, 0], "elbow": ["480 mm", 0, "-10 cm"]}
    data["leg"]["links"][0] |= {"length": "30 cm", "mass": "500 g", "center_of_mass": "140 mm"}
    data["leg"]["motor"] = {"range": ["-90 deg", "45 deg"], "max_speed": "60 rpm"}
    robot = Robot.from_dict(data)
    plain = Robot.from_dict(a_delta())
    assert robot.bodies == plain.bodies
    assert robot.joints[0].range == pytest.approx((-np.pi / 2, np.pi / 4))
    assert robot.joints[0].max_speed == pytest.approx(2 * np.pi)


def test_a_body_may_be_given_in_a_frame_of_its_own():
    data = {key: value for key, value in a_delta().items() if key not in ("leg", "pattern")}
    joint = {"name": "hip", "type": "R", "between": ["base", "arm"], "at": [0, 0, 0]}
    data["joints"] = [joint | {"axis": [0, 0, 1]}]
    body = {"name": "arm", "mass": 2, "center_of_mass": [0.1, 0.2, 0.3], "inertia": [3, 4, 5]}
    frame = {"position": [1, 2, 3], "rpy": [0, "90 deg", 0]}
    robot = Robot.from_dict(data | {"bodies": [body | {"frame": frame}]})
    (arm,) = robot.bodies
    np.testing.assert_allclose(arm.center_of_mass, [1.3, 2.2, 2.9], atol=1e-15)
    np.testing.assert_allclose(arm.inertia, np.diag([5, 4, 3]), atol=1e-15)


def test_shared_values_and_own_ones_make_a_leg():
    data = a_delta()
    own = {key: data["leg"].pop(key) for key in ("base", "platform", "axis", "elbow")}
    data["leg"]["motor"] = {"max_torque": 5, "drive": {"resistance": 1, "torque_constant": 2}}
    motor = {"max_torque": 7, "drive": {"back_emf": 3}}
    data["legs"] = [own | {"motor": motor}]
    hip = Robot.from_dict(data).joints[0]
    assert hip.max_torque == 7
    assert (hip.drive.resistance, hip.drive.back_emf) == (1.0, 3.0)
    assert Robot.from_dict(edited("leg.elbow", own["elbow"], data)).joints[0] == hip


def test_a_machine_may_mix_legs_with_bodies_and_joints():
    data = edited("leg.to", "plate", a_delta())
    data["bodies"] = [{"name": "plate", "mass": 0.3, "center_of_mass": [0, 0, -0.62]}]
    data["joints"] = [{"name": "weld", "type": "fixed", "between": ["plate", "platform"]}]
    light, heavy = Robot.from_dict(data), a_delta()
    heavy["platform"]["mass"] = 1.1
    assert_same(light, Robot.from_dict(heavy))


def test_a_machine_in_short_is_saved_in_full(tmp_path):
    path = tmp_path / "delta.toml"
    gough.save(Robot.from_dict(a_delta()), path, in_full=True)
    assert "[[joints]]" in path.read_text()
    assert gough.load(path) == Robot.from_dict(a_delta())
