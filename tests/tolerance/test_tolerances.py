"""Tolerances: closed forms, machines built anew with their errors, and many drawn at random."""

import numpy as np
import pytest

import gough
from gough.plots import save_plot
from gough.tolerance import tolerance_map
from gough.tolerance.monte_carlo import taken
from gough.tolerance.stated import stated_tolerances

DEMO = gough.load("demo-hexapod")
ASIDE = gough.pose([0.1, 0.05, 0.95], rpy=[0.1, -0.1, 0.2])
USUAL = {
    "legs[*].base": "50 um",
    "legs[*].platform": "50 um",
    "legs[*].length_offset": "±50 um",
    "platform.mass": "1 %",
}


def directions(robot, pose):
    """Unit vectors (6, 3) along the legs, by hand."""
    feet, joints = (np.array([getattr(leg, k) for leg in robot.legs]) for k in ("base", "platform"))
    legs = gough.poses.transform(pose, joints) - feet
    return legs / np.linalg.norm(legs, axis=1, keepdims=True)


def test_a_leg_that_is_too_long_moves_the_pose_by_the_inverse_jacobian():
    found = gough.tolerances(DEMO, ASIDE, {"legs[2].length_offset": "10 um"})
    J = gough.Model(DEMO).jacobian(ASIDE)
    expected = np.linalg.solve(J, 1e-5 * np.eye(6)[2])
    np.testing.assert_allclose(found.pose_changes[:, 0], expected, rtol=1e-10, atol=1e-18)
    assert found.position_error == pytest.approx(np.linalg.norm(expected[:3]))
    assert found.orientation_error == pytest.approx(np.linalg.norm(expected[3:]))


def test_a_joint_centre_counts_along_its_leg():
    """A foot that moves along s makes the leg as much longer, once the platform is where it was."""
    found = gough.tolerances(DEMO, ASIDE, {"legs[4].base": "10 um", "legs[1].platform": "10 um"})
    J, s = gough.Model(DEMO).jacobian(ASIDE), directions(DEMO, ASIDE)
    R = gough.rotation(ASIDE).as_matrix()
    wanted = np.zeros((6, 6))
    wanted[1, :3] = -1e-5 * s[1] @ R  # platform joints move in the platform's axes
    wanted[4, 3:] = 1e-5 * s[4]
    np.testing.assert_allclose(
        found.pose_changes, np.linalg.solve(J, wanted), rtol=1e-9, atol=1e-17
    )


def test_legs_that_are_all_too_long_lift_the_platform_straight_up():
    found = gough.tolerances(DEMO, None, {"legs[*].length_offset": "10 um"})
    together = found.pose_changes.sum(-1)
    s = directions(DEMO, DEMO.home)
    np.testing.assert_allclose(together[2], 1e-5 / s[0, 2], rtol=1e-10)
    np.testing.assert_allclose(together[[0, 1, 3, 4, 5]], 0, atol=1e-17)
    np.testing.assert_allclose(list(found.shares("position").values()), 1 / 6, rtol=1e-9)


def test_a_gain_counts_by_the_length():
    found = gough.tolerances(DEMO, ASIDE, {"legs[0].gain": 1e-5})
    model = gough.Model(DEMO)
    longer = 1e-5 * model.inverse_kinematics(ASIDE)[0] * np.eye(6)[0]
    expected = np.linalg.solve(model.jacobian(ASIDE), longer)
    np.testing.assert_allclose(found.pose_changes[:, 0], expected, rtol=1e-10, atol=1e-18)


def test_a_heavier_platform_asks_for_more_force_and_stays_where_it_is():
    found = gough.tolerances(DEMO, ASIDE, {"platform.mass": "10 %"})
    heavy = DEMO.to_dict()
    heavy["platform"]["mass"] *= 1.1
    force = [gough.Model(r).inverse_dynamics(ASIDE) for r in (gough.Robot.from_dict(heavy), DEMO)]
    np.testing.assert_allclose(found.force_changes[:, 0], force[0] - force[1], rtol=1e-9)
    assert found.position_error == found.orientation_error == 0
    assert found.table()["share of force"] == [1.0]


@pytest.mark.parametrize("seed", [1, 2])
def test_machines_built_anew_with_small_errors_do_as_derivatives_say(seed):
    """Each another machine, with a joint moved, a leg too long, a motion: built from its file."""
    rng = np.random.default_rng(seed)
    numbers = DEMO.parameters
    moved = [n.endswith((".base.x", ".platform.y", ".base.z")) for n in DEMO.parameter_names]
    robot = DEMO.with_parameters(numbers + np.where(moved, rng.normal(0, 0.02, len(numbers)), 0))
    state = rng.normal(0, 0.3, (3, 6))
    small = {"legs[*].base": 1e-7, "legs[3].length_offset": 1e-7, "legs[*].piston.mass": 1e-5}
    found = gough.tolerances(
        robot, ASIDE, small, twist=state[0], acceleration=state[1], wrench=state[2]
    )
    q = gough.Model(robot, parametric=True).inverse_kinematics(robot.parameters, ASIDE)
    for k in rng.choice(len(found.stated.places), 3, replace=False):
        place, size = found.stated.places[k], found.stated.deviation[k]
        real = robot.with_parameters(robot.parameters + size * np.eye(len(numbers))[place])
        model = gough.Model(real, parametric=True)
        lengths = q + [leg.length_offset or 0.0 for leg in real.legs]
        pose = model.forward_kinematics(lengths, ASIDE, tolerance=1e-12).pose
        away = gough.poses.difference(pose, ASIDE)
        np.testing.assert_allclose(found.pose_changes[:, k], away, rtol=1e-5, atol=1e-13)
        force = model.actuator_force(real.parameters, pose, *state) - found.force
        np.testing.assert_allclose(found.force_changes[:, k], force, rtol=1e-4, atol=1e-8)
        margin = gough.kinematics.margins(model, pose) - found.margin
        np.testing.assert_allclose(found.margin_changes[:, k], margin, rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("pose", [DEMO.home, ASIDE])
def test_many_machines_drawn_at_random_agree_with_derivatives(pose):
    found = gough.tolerances(DEMO, pose, USUAL, samples=100_000, rng=1)
    drawn = found.monte_carlo
    np.testing.assert_allclose(drawn.pose_deviation, found.pose_deviation, rtol=0.0075)
    np.testing.assert_allclose(drawn.force_deviation, found.force_deviation, rtol=0.0075)
    assert np.linalg.norm(drawn.mean[:3]) < 0.01 * found.position_error
    assert found.position_error < drawn.position_error_95 < 3 * found.position_error
    assert drawn.reaching == 1.0


@pytest.mark.parametrize("size", ["1 mm", "3 cm"])
def test_a_machine_drawn_at_random_takes_the_pose_of_one_built_so(size):
    """Near by, and so far away that it has to be searched for."""
    stated = stated_tolerances(
        DEMO, USUAL | {"legs[*].base": f"±{size}", "legs[*].length_offset": size}
    )
    errors = stated.errors(3, 5)
    away, poses = taken(stated, errors, ASIDE)
    np.testing.assert_allclose(gough.poses.difference(poses, ASIDE), away, atol=1e-12)
    model = gough.Model(DEMO, parametric=True)
    numbers = np.tile(DEMO.parameters, (3, 1))
    numbers[:, list(stated.places)] += errors
    offsets = [DEMO.parameter_names.index(f"legs[{k}].length_offset") for k in range(6)]
    lengths = model.inverse_kinematics(DEMO.parameters, ASIDE) + numbers[:, offsets]
    np.testing.assert_allclose(model.inverse_kinematics(numbers, poses), lengths, atol=1e-12)


def test_draws_are_repeated_by_their_seed():
    first, again, other = (
        gough.tolerances(DEMO, ASIDE, USUAL, samples=50, rng=s).monte_carlo.mean for s in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other, rtol=1e-3)


def test_near_the_end_of_a_stroke_some_machines_are_beyond_it():
    """All legs are 1 um before their end there: of six errors one is beyond it, or none is."""
    leg, s = DEMO.legs[0], directions(DEMO, DEMO.home)[0]
    length = gough.Model(DEMO).inverse_kinematics(DEMO.home)[0]
    aside, end = length * np.hypot(*s[:2]), leg.stroke[1] - 1e-6
    pose = np.array(DEMO.home) + [0, 0, np.sqrt(end**2 - aside**2) - length * s[2], 0, 0, 0, 0]
    found = gough.tolerances(DEMO, pose, USUAL | {"legs[*].length_offset": "1 um"}, samples=5000)
    within = 0.8413  # of a normal error, one standard deviation up
    assert found.monte_carlo.reaching == pytest.approx(within**6, abs=0.02)


def test_a_delta_is_as_exact_as_its_encoders():
    delta = gough.load("delta")
    driven = [f"{a.key}.offset" for a in delta.actuators]
    pose = gough.poses.displace(delta.home, [0.05, -0.03, 0.02, 0, 0, 0])
    found = gough.tolerances(delta, pose, dict.fromkeys(driven, "0.01 deg"), samples=20_000)
    model = gough.Model(delta)
    T = model.twist_basis(pose)
    expected = T @ np.linalg.inv(model.jacobian(pose) @ T) * np.radians(0.01)
    np.testing.assert_allclose(found.pose_changes, expected, rtol=1e-8, atol=1e-16)
    np.testing.assert_allclose(
        found.monte_carlo.pose_deviation[:3], found.pose_deviation[:3], rtol=0.02
    )


def test_several_poses_are_those_one_by_one():
    poses = np.array([DEMO.home, ASIDE])
    both = gough.tolerances(DEMO, poses[:, None], USUAL, samples=100)
    for k, pose in enumerate(poses):
        one = gough.tolerances(DEMO, pose, USUAL, samples=100)
        np.testing.assert_allclose(both.pose_changes[k, 0], one.pose_changes, rtol=1e-12)
        np.testing.assert_allclose(both.force_changes[k, 0], one.force_changes, rtol=1e-12)
        np.testing.assert_allclose(
            both.monte_carlo.covariance[k, 0], one.monte_carlo.covariance, rtol=1e-12
        )


def test_shares_are_those_of_the_variance():
    found = gough.tolerances(DEMO, ASIDE, USUAL)
    numbers, joints, patterns = (
        found.shares("position", by) for by in ("number", "joint", "pattern")
    )
    for shares in (numbers, joints, patterns):
        assert sum(shares.values()) == pytest.approx(1)
        assert (np.diff(list(shares.values())) < 1e-9).all()
    assert joints["legs[3].base"] == pytest.approx(
        sum(numbers[f"legs[3].base.{axis}"] for axis in "xyz")
    )
    alone = gough.tolerances(DEMO, ASIDE, {"legs[*].base": "50 um"})
    assert patterns["legs[*].base"] == pytest.approx(
        float(alone.position_error / found.position_error) ** 2
    )
    table = found.table("pattern")
    assert table["position error [m]"][table["pattern"].index("legs[*].base")] == pytest.approx(
        alone.position_error
    )


def test_what_it_shows_of_itself():
    found = gough.tolerances(DEMO, None, USUAL)
    assert repr(found).startswith(
        "<gough tolerances of demo-hexapod: 43 numbers, 1 pose, position error 0.000"
    )
    assert "legs[0].base" in found._repr_html_()


def test_pictures_and_maps(tmp_path):
    model = gough.Model(DEMO)
    found = tolerance_map(model, ("x", "pitch"), USUAL, resolution=9)
    inside = np.isfinite(found.values)
    assert 0 < inside.sum() < inside.size
    middle = found.values[4, 4]
    at = gough.pose([found.slice.first[4], 0, DEMO.home[2]], rpy=[0, found.slice.second[4], 0])
    assert middle == pytest.approx(1e3 * gough.tolerances(DEMO, at, USUAL).position_error)
    save_plot(found.plot(), tmp_path / "map.png")
    save_plot(gough.tolerances(DEMO, ASIDE, USUAL).plot(), tmp_path / "one.png")
    save_plot(gough.tolerances(DEMO, np.array([DEMO.home]), USUAL).plot(), tmp_path / "all.png")
    assert {file.name for file in tmp_path.iterdir()} == {"map.png", "one.png", "all.png"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"poses": [1, 2]}, r"poses has shape \(2,\)"),
        ({"samples": 1}, "samples is 1; expected a whole number, 2 or more"),
        ({"wrench": np.zeros((3, 6)), "poses": np.tile(DEMO.home, (2, 1))}, "batches do not fit"),
    ],
)
def test_bad_input_is_refused(changes, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.tolerances(DEMO, **{"poses": None, "tolerances": USUAL, **changes})


def test_a_pose_that_the_machine_cannot_take_is_refused():
    tilted = gough.pose([0, 0, -0.8], rpy=[0.1, 0, 0])
    with pytest.raises(gough.GoughError, match="moves in x y z only and cannot reach the pose"):
        gough.tolerances(gough.load("delta"), tilted, {"platform.mass": "1 %"})


def test_nothing_known_of_effects_and_groups_is_refused():
    found = gough.tolerances(DEMO, None, {"platform.mass": "1 %"})
    with pytest.raises(
        gough.GoughError, match="no effect 'speed'; expected one of position, orientation"
    ):
        found.shares("speed")
    with pytest.raises(gough.GoughError, match="no grouping by 'leg'; expected one of number"):
        found.shares("position", "leg")
