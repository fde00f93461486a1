"""How stiff machines are at poses: what the numbers mean, maps, and bad input."""

import numpy as np
import pytest
from leg_files import a_delta
from robot_samples import edited

import gough
from gough.elastic.kernels import holding_kernel
from gough.elastic.stiffness import stiffness_map
from gough.plots import save_plot
from tests.samples.cubic import cubic

DEMO = gough.load("demo-hexapod")


def test_the_softest_direction_takes_the_least_force():
    found = gough.stiffness(DEMO, gough.pose([0.1, 0.05, 0.95], rpy=[0.1, -0.1, 0.2]))
    rng = np.random.default_rng(1)
    d = rng.normal(size=(500, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    forces = np.concatenate([d, np.zeros((500, 3))], axis=1)
    along = np.einsum("ki,ki->k", d, found.deflection(forces)[:, :3])
    assert (1 / along >= found.translation.values[0] * (1 - 1e-12)).all()
    assert (1 / along <= found.translation.values[2] * (1 + 1e-12)).all()
    worst = np.concatenate([found.translation.directions[0], np.zeros(3)])
    assert found.deflection(worst)[:3] @ worst[:3] == pytest.approx(1 / found.translation.values[0])


def test_a_cube_yields_alike_in_all_directions():
    found = gough.stiffness(cubic(0.2))
    np.testing.assert_allclose(found.translation.values, 2e6, rtol=1e-10)
    np.testing.assert_allclose(found.rotation.values, [2e4, 2e4, 8e4], rtol=1e-10)
    assert found.condition(0.1) == pytest.approx(4.0)  # 2e4 and 8e4 over 0.1², beside 2e6


def test_a_control_is_a_spring_and_free_actuators_keep_their_force():
    soft = gough.stiffness(cubic(0.2), actuators=1e6)
    np.testing.assert_allclose(soft.translation.values, 1e6, rtol=1e-10)
    some = gough.stiffness(cubic(0.2), actuators=[1e6] * 6)
    np.testing.assert_array_equal(some.matrix, soft.matrix)
    flexures = {"base_bending": 40.0}
    free = gough.stiffness(cubic(0.2, joint_stiffness=flexures), actuators="free")
    np.testing.assert_allclose(np.diag(free.matrix)[:3], 4 * 40 / 0.2**2, rtol=1e-10)


def test_a_load_before_counts():
    """The wrench is borne by forces along the legs, which turn with them."""
    push = np.array([0.0, 0.0, -2000.0, 0, 0, 0])
    loaded, bare = (gough.stiffness(DEMO, wrench=w).matrix for w in (push, None))
    assert not np.allclose(loaded, bare, rtol=1e-4)
    model = gough.Model(DEMO)
    expected = model.stiffness(DEMO.home, holding_kernel(model.machines)(DEMO.home, push))
    np.testing.assert_allclose(loaded, expected)


def test_a_map_has_the_numbers_of_its_poses(tmp_path):
    model = gough.Model(DEMO)
    found = stiffness_map(model, ("x", "pitch"), resolution=20)
    inside = np.isfinite(found.values)
    assert inside.any()
    assert not inside.all()
    np.testing.assert_array_equal(inside, found.slice.inside)
    i, j = np.argwhere(inside)[len(np.argwhere(inside)) // 3]
    pose = gough.pose([found.slice.first[i], 0, DEMO.home[2]], rpy=[0, found.slice.second[j], 0])
    assert found.values[i, j] == pytest.approx(
        gough.stiffness(model, pose).translation.values[0], rel=1e-12
    )
    save_plot(found.plot(title="stiffness"), tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"robot": gough.load("kalani-2016")}, "not all of its legs are elastic"),
        ({"actuators": "loose"}, 'expected "locked", "free" or a stiffness'),
        ({"actuators": [1e6, 2e6]}, "expected a stiffness of at least 0, or 6 of them"),
        ({"actuators": -1.0}, "expected a stiffness of at least 0"),
        ({"pose": np.zeros((2, 7))}, "expected"),
        ({"pose": [0, 0, 0.3, 1, 0, 0, 0]}, "no screw is shorter than its dead length"),
        ({"pose": [0, 0, np.nan, 1, 0, 0, 0]}, "pose"),
    ],
)
def test_what_is_wrong_is_said(given, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.stiffness(**{"robot": DEMO} | given)


def test_a_machine_of_fewer_freedoms_is_rigid_in_other_directions(tmp_path):
    delta = edited("leg.motor", {"stiffness": 1e4}, a_delta())
    found = gough.stiffness(gough.Robot.from_dict(delta))
    assert found.matrix.shape == (3, 3)
    np.testing.assert_allclose(np.sort(np.linalg.eigvalsh(found.matrix)), found.translation.values)
    assert np.isinf(found.rotation.values).all()
    assert found.condition() == pytest.approx(
        found.translation.values[2] / found.translation.values[0]
    )
    save_plot(found.plot(), tmp_path / "ellipsoids.png")
    assert (tmp_path / "ellipsoids.png").stat().st_size > 10_000


def test_what_must_be_known_is_told():
    assert gough.stiffness(DEMO).warnings == ()
    falling = gough.stiffness(DEMO, actuators="free")
    assert "it is unstable" in falling.warnings[0]
    far = gough.stiffness(DEMO, gough.pose([0, 0, 9]))
    assert far.warnings == ("the pose is beyond the machine's limits",)
