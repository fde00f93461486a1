"""Modes of vibration: closed forms, other derivations, what is held and what gives way."""

import numpy as np
import pytest

import gough
from gough.elastic import frequency_map, natural_frequencies
from tests.samples.cubic import cubic
from tests.samples.yielding import yielding

A, K, MASS, INERTIA = 0.2, 1e6, 1.0, 0.01
PISTON = {"mass": 0.1, "center_of_mass": 0.0, "inertia": [0, 0, 0]}


def hertz(stiffness, mass):
    return np.sqrt(stiffness / mass) / (2 * np.pi)


def near_home(robot, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.array(robot.home) + 0.02 * rng.normal(size=(count, 7))


def demo(**connector):
    """The demonstration machine with some keys of its connectors changed."""
    return gough.load("demo-hexapod").replace(
        {f"leg.connector.{key}": value for key, value in connector.items()}
    )


def without_drives(robot):
    """Actuators without rotors."""
    return robot.replace({"leg.drive": None})


def test_of_a_cube_are_those_of_its_published_stiffness():
    turning = hertz(K * A**2 / 2, INERTIA)
    expected = [*[hertz(2 * K, MASS)] * 3, turning, turning, hertz(2 * K * A**2, INERTIA)]
    found = gough.natural_modes(cubic(A))
    np.testing.assert_allclose(found.frequencies, np.sort(expected), rtol=1e-12)
    np.testing.assert_allclose(found.effective_masses[:, :3].sum(0), MASS, rtol=1e-12)


def test_pistons_on_the_actuators_side_are_not_carried_along_the_legs():
    """Held by their actuators they turn with the legs: 4 of 6 masses count, not all."""
    robot = cubic(A, stiffness=None, piston=PISTON, connector={"stiffness": K})
    along = hertz(2 * K, MASS + 4 * PISTON["mass"])
    found = gough.natural_modes(robot)
    assert len(found) == 6
    assert np.isclose(found.frequencies, along, rtol=1e-9).sum() >= 1  # along z, which is alone
    M = gough.Model(robot).mass_matrix(robot.home)
    of_rigid_legs = hertz(2 * K, M[2, 2])
    assert M[2, 2] == pytest.approx(MASS + 6 * PISTON["mass"])
    assert of_rigid_legs / along == pytest.approx(np.sqrt(1.4 / 1.6))  # 6 % too low


def test_a_piston_between_two_springs_is_a_machine_of_one_freedom():
    """The platform being far heavier than the pistons, they swing alone between it and the base."""
    piston = {**PISTON, "mass": 1e-4}
    robot = cubic(A, stiffness=3e5, piston=piston, connector={"stiffness": K})
    found = gough.natural_modes(robot)
    assert found.coordinates[6:] == tuple(f"leg {k} piston" for k in range(1, 7))
    np.testing.assert_allclose(found.frequencies[6:], hertz(K + 3e5, 1e-4), rtol=3e-4)
    assert [words for words, _ in found.most[6:]] == ["pistons"] * 6


@pytest.mark.parametrize("actuators", ["locked", "free", 4e6, [1e6, 2e6, 3e6, 4e6, 5e6, 6e6]])
def test_shapes_diagonalise_mass_and_stiffness(actuators):
    robot = without_drives(demo(decoupling=None))
    model = gough.Model(robot)
    pose = near_home(robot, 1)[0]
    found = gough.natural_modes(model, pose, actuators=actuators)
    given = {"locked": 0.0, "free": np.inf}.get(str(actuators))
    compliance = 1 / np.array(actuators) if given is None else given
    held = gough.elastic.kernels.holding_kernel(model.machines)(pose)
    M, K = model.vibration(pose, held, np.broadcast_to(compliance, 6))
    rates = 2 * np.pi * found.frequencies
    squares = rates * np.abs(rates)
    by_mass = found.shapes @ M @ found.shapes.T
    by_stiffness = found.shapes @ K @ found.shapes.T
    np.testing.assert_allclose(by_mass, np.eye(12), atol=1e-9)
    np.testing.assert_allclose(by_stiffness, np.diag(squares), atol=1e-9 * squares.max())
    np.testing.assert_allclose(found.participation.sum(-1), 1, rtol=1e-9)


@pytest.mark.parametrize("actuators", ["locked", "free", 5e6])
@pytest.mark.parametrize(
    "robot", [without_drives(demo()), cubic(A, piston=PISTON)], ids=["18", "6"]
)
def test_frequencies_of_many_poses_are_those_of_the_modes(robot, actuators):
    """By rotations in a compiled kernel, and by LAPACK."""
    poses = near_home(robot, 5)
    found = gough.natural_modes(robot, poses, actuators=actuators)
    quick = natural_frequencies(robot, poses, actuators=actuators)
    squares, expected = (f * np.abs(f) for f in (quick, found.frequencies))
    np.testing.assert_allclose(squares, expected, rtol=1e-9, atol=1e-13 * expected.max())


def test_what_is_held_has_an_infinite_frequency_in_the_kernel_and_no_coordinate_in_the_modes():
    robot = cubic(A, stiffness=None, piston=PISTON, connector={"stiffness": K})
    quick = natural_frequencies(robot, None)
    assert np.isposinf(quick[6:]).all()
    np.testing.assert_allclose(quick[:6], gough.natural_modes(robot).frequencies, rtol=1e-12)
    free = gough.natural_modes(robot, actuators="free")
    assert len(free) == 12


def test_a_machine_that_gives_way_does_so_as_fast_as_the_linearized_one():
    """Actuators of constant force let it fall; natural modes are those of a machine undamped."""
    robot = without_drives(demo(damping=0.0)).replace({"leg.joint_friction": None})
    found = gough.natural_modes(robot, actuators="free", connectors="rigid")
    A, _ = gough.Model(robot).linearize(
        robot.home, np.zeros(6), gough.Model(robot).joint_gravity(robot.home), np.zeros(6)
    )
    rates = np.sort(np.linalg.eigvals(A).real)[::-1]
    assert not found.stable
    assert "unstable" in repr(found)
    assert found.warnings
    np.testing.assert_allclose(-2 * np.pi * found.frequencies, rates[:6], rtol=1e-9)


def test_a_load_can_make_locked_legs_give_way():
    """On the cube's axis a force F loads each leg by F/(2√3); -4f/a of it softens the legs."""
    robot = cubic(A, stiffness=1e4)
    sideways = 2 * 1e4 * A / 4 * 2 * np.sqrt(3)
    light, heavy = (
        gough.natural_modes(robot, wrench=[0, 0, -share * sideways, 0, 0, 0])
        for share in (0.5, 1.5)
    )
    assert light.stable
    assert not heavy.stable
    assert heavy.frequencies[0] < 0


@pytest.mark.parametrize(
    ("mode", "count"),
    [("rigid", 6), ("simple", 18), ("low-frequency", 18), ("high-frequency", 18), ("complete", 18)],
)
def test_connectors_are_those_of_simulations(mode, count):
    robot = demo()
    found = gough.natural_modes(robot, connectors=mode)
    assert len(found) == count
    coupled = mode in ("low-frequency", "complete")
    assert (found.frequencies[0] < 10) == coupled  # the coupling stages are soft


def test_a_singular_pose_has_no_modes_but_others_of_the_batch_do():
    robot = cubic(A)
    poses = np.array([robot.home, [np.nan] * 7])
    found = natural_frequencies(robot, poses)
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


def test_maps_show_the_first_frequency_where_the_machine_can_go():
    robot = demo(coupling=None, decoupling=None, stiffness=None)
    plane = frequency_map(robot, ("x", "y"), resolution=20)
    inside = plane.slice.inside
    assert (np.isfinite(plane.values) == inside).all()
    i, j = np.argwhere(inside)[3]
    x, y, z = plane.slice.first[i], plane.slice.second[j], plane.slice.fixed["z"]
    there = gough.natural_modes(robot, gough.pose([x, y, z])).frequencies[0]
    assert plane.values[i, j] == pytest.approx(there, rel=1e-9)


@pytest.mark.parametrize(
    ("robot", "options", "words"),
    [
        ("kalani-2016", {}, "not all of its legs are elastic; expected a stiffness"),
        ("demo-hexapod", {"actuators": "held"}, "actuators are 'held'; expected \"locked\""),
        ("demo-hexapod", {"actuators": -1.0}, "a stiffness of at least 0"),
        ("demo-hexapod", {"actuators": [1e6, 2e6]}, "or 6 of them"),
        ("demo-hexapod", {"connectors": "soft"}, "unknown mode of the connectors"),
        ("demo-hexapod", {"pose": [0, 0, 1]}, r"pose has shape \(3,\); expected"),
        ("delta", {}, "not all of its driven joints are elastic; expected a stiffness"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(robot, options, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.natural_modes(gough.load(robot), **options)


def test_a_pose_at_which_a_screw_has_no_length_is_refused():
    robot = cubic(A, screw={"diameter": 0.02, "dead_length": 0.25})
    with pytest.raises(gough.GoughError, match="no screw is shorter than its dead length"):
        gough.natural_modes(robot)
    assert np.isnan(gough.natural_modes(robot, [robot.home] * 2).frequencies).all()
    assert not gough.natural_modes(robot, [robot.home] * 2).stable.any()


def test_something_without_mass_is_refused():
    robot = cubic(A, stiffness=3e5, connector={"stiffness": K})
    with pytest.raises(gough.GoughError, match="some motion moves no mass"):
        gough.natural_modes(robot)


def test_a_card_lists_the_modes():
    html = gough.natural_modes(cubic(A))._repr_html_()
    assert "frequency [Hz]" in html
    assert "platform along" in html
    with pytest.raises(gough.GoughError, match="the part that moves most is known for one only"):
        gough.natural_modes(cubic(A), [cubic(A).home] * 2).most  # noqa: B018


def test_machines_of_any_kind_vibrate_along_their_freedoms():
    """A planar machine as the equation of motion has it: M u̇ = -K u with springs in its drives."""
    robot = yielding(gough.load("planar-3rrr"))
    springs = np.diag([joint.stiffness for joint in robot.driven])
    model = gough.Model(robot)
    pose = np.array(robot.home)
    found = gough.natural_modes(robot)
    force = model.inverse_dynamics(pose)
    A, _ = model.linearize(pose, np.zeros(6), force, np.zeros(6))
    J, M = model.actuation_matrix(pose), model.mass_matrix(pose)
    squares = np.linalg.eigvals(np.linalg.solve(M, J.T @ springs @ J) - A[3:, :3])
    expected = np.sort(np.sqrt(squares.real)) / (2 * np.pi)
    assert found.coordinates == ("x", "y", "rz")
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-9)
    np.testing.assert_allclose(natural_frequencies(model, pose), expected, rtol=1e-9)
    np.testing.assert_allclose(found.participation.sum(-1), 1.0)
    T = model.twist_basis(pose)
    np.testing.assert_allclose(
        np.sqrt(found.effective_masses), np.abs((model.momentum(pose, T.T).T @ found.shapes.T).T)
    )


def test_shapes_are_drawn_with_legs_that_end_at_the_swung_joints():
    """The last mode of a cube turns it about its diagonal: joints keep their heights and radii."""
    found = gough.natural_modes(cubic(A))
    panels = found.plot(1, 6)
    assert [axes.get_title().split(":")[0] for axes in panels] == ["225.1 Hz", "450.2 Hz"]
    lines = [np.array(line.get_data_3d()) for line in panels[1].lines]
    ends = np.array([line[:, 1] for line in lines if line.shape == (3, 2)]).reshape(2, 6, 3)
    joints = np.array([leg.platform for leg in found.robot.legs])
    for swung in ends:
        np.testing.assert_allclose(swung[:, 2], joints[:, 2], atol=1e-9)
        radii = [np.linalg.norm(points[:, :2], axis=1) for points in (swung, joints)]
        np.testing.assert_allclose(*radii, rtol=1e-9)
        assert (np.linalg.norm(swung - joints, axis=1) > 0.01).all()
    with pytest.raises(gough.GoughError, match="expected numbers from 1 to 6"):
        found.plot(7)
    with pytest.raises(gough.GoughError, match="a plot of shapes is known for one only"):
        gough.natural_modes(cubic(A), near_home(cubic(A), 2)).plot()
