"""The neural start: near enough to save steps, kept on disk, and trained again if need be."""

import sys
import warnings
from threading import Thread

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gough.compiler.memo import forget
from gough.compiler.native import cache
from gough.errors import GoughError
from gough.kinematics.forward import neural
from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.forward.kernel import Status
from gough.kinematics.forward.neural import network, neural_start
from gough.kinematics.forward.searches import search_of
from gough.kinematics.model import Model
from gough.kinematics.samples import moved_from_home, random_poses
from gough.kinematics.size import machine_size
from gough.model.parameters import machine_of
from gough.poses import distance
from gough.robot import Robot, load


@pytest.fixture(scope="module")
def kalani():
    """A model whose network is fully trained."""
    return Model(load("kalani-2016"))


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """An empty folder, and training that is too short to be good; returns how often it was done."""
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(neural, "SAMPLES", 300)
    monkeypatch.setattr(neural, "ROUNDS", 1)
    monkeypatch.setattr(neural, "ITERATIONS_PER_ROUND", 5)
    trained, train = [], neural.train

    def counted(robot, **options):
        trained.append(robot.name)
        return train(robot, **options)

    monkeypatch.setattr(neural, "train", counted)
    yield trained
    forget()


def test_the_start_is_near_the_pose(kalani):
    poses = random_poses(kalani, 5000, np.random.default_rng(1))
    start = neural_start(kalani.robot)(kalani.inverse_kinematics(poses))
    start[:, 3:] /= np.linalg.norm(start[:, 3:], axis=-1, keepdims=True)
    away = distance(start, poses, machine_size(kalani.robot))
    from_home = distance(np.array(kalani.robot.home), poses, machine_size(kalani.robot))
    assert np.sqrt((away**2).mean()) < 0.01
    assert away.max() < 0.1 < from_home.mean()


@pytest.mark.parametrize("method", ["newton", "third-order"])
def test_it_saves_steps_and_finds_the_same_poses(kalani, method):
    poses = random_poses(kalani, 5000, np.random.default_rng(2))
    q = kalani.inverse_kinematics(poses)
    home, start = (forward_kinematics(kalani, q, g, method=method) for g in ("home", "neural"))
    assert start.converged.all()
    assert distance(start.pose, poses, machine_size(kalani.robot)).max() < 1e-13
    assert start.iterations.mean() < home.iterations.mean() - 0.9


def test_the_kernel_is_the_network(kalani):
    """The compiled network, against NumPy with the true hyperbolic tangent."""
    q = kalani.inverse_kinematics(random_poses(kalani, 500, np.random.default_rng(3)))
    x = q
    layers = network(kalani.robot)
    for weights, offsets in layers[:-1]:
        x = np.tanh(x @ weights.T + offsets)
    weights, offsets = layers[-1]
    expected = moved_from_home(kalani.robot, x @ weights.T + offsets)
    found = neural_start(kalani.robot)(q)
    found[:, 3:] /= np.linalg.norm(found[:, 3:], axis=-1, keepdims=True)
    assert distance(found, expected, machine_size(kalani.robot)).max() < 2e-3


def test_a_second_call_traces_and_evaluates_no_symbols(kalani, monkeypatch):
    q = kalani.inverse_kinematics(kalani.robot.home)
    first = forward_kinematics(kalani, q, guess="neural")
    monkeypatch.setattr("gough.kinematics.forward.forward.search_of", None)
    assert (forward_kinematics(kalani, q, guess="neural").pose == first.pose).all()


def test_it_starts_paths_too(kalani):
    poses = np.linspace(*random_poses(kalani, 2, np.random.default_rng(4)), 50)
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=-1, keepdims=True)
    q = kalani.inverse_kinematics(poses)
    found = forward_kinematics(kalani, q, "neural", along=True)
    assert distance(found.pose, poses, machine_size(kalani.robot)).max() < 1e-13
    q[0] = np.nan
    late = forward_kinematics(kalani, q, "neural", along=True)
    assert late.status[0] == Status.IMPOSSIBLE_LENGTHS
    assert distance(late.pose[1:], poses[1:], machine_size(kalani.robot)).max() < 1e-13


def test_far_outside_of_what_it_learned_the_result_still_is_a_solution_or_flagged(kalani):
    rng = np.random.default_rng(5)
    q = rng.uniform(0.5, 3.0, (500, 6))
    found = forward_kinematics(kalani, q, "neural")
    given = ~np.isnan(found.pose).any(-1)
    np.testing.assert_allclose(kalani.inverse_kinematics(found.pose[given]), q[given], atol=1e-13)
    sides = np.linalg.det(kalani.jacobian(found.pose[given]))
    home_side = np.linalg.det(kalani.jacobian(np.array(kalani.robot.home)))
    np.testing.assert_array_equal(sides * home_side < 0, found.status[given] == Status.OTHER_ASPECT)


def test_training_is_done_once_and_repeats_itself(quick):
    robot = load("demo-hexapod")
    first, again = network(robot), network(robot)
    assert quick == ["demo-hexapod"]
    cache.clear()
    anew = network(robot)
    assert len(quick) == 2
    for one, two, three in zip(first, again, anew, strict=True):
        for k in range(2):
            np.testing.assert_array_equal(one[k], two[k])
            np.testing.assert_array_equal(one[k], three[k])


def test_another_geometry_has_another_network(quick):
    data = load("demo-hexapod").to_dict()
    network(Robot.from_dict(data | {"name": "renamed"}))
    network(Robot.from_dict(data))
    assert quick == ["renamed"]
    data["legs"][0]["base"][0] += 0.01
    network(Robot.from_dict(data))
    assert len(quick) == 2


def test_without_scikit_learn_the_way_out_is_told(quick, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.neural_network", None)
    with pytest.raises(GoughError, match=r"expected .*pip install .*\[neural\]"):
        network(load("demo-hexapod"))


def test_a_delta_stays_level_and_knows_its_side(quick):
    """What the machine cannot do is no part of the start, however badly trained."""
    model = Model(load("delta"))
    poses = random_poses(model, 20, np.random.default_rng(6))
    found = forward_kinematics(model, model.inverse_kinematics(poses), "neural")
    given = found.status != Status.NO_CONVERGENCE
    assert given.any()
    np.testing.assert_allclose(found.pose[given, 3:], poses[given, 3:], atol=1e-12)
    side = search_of(model.robot, "newton").side_at(machine_of(model.robot), model.robot.home)
    assert abs(side) == 1


@pytest.mark.usefixtures("quick")
def test_training_hides_its_own_warnings_and_none_of_another_thread(monkeypatch):
    unwatched = neural._regressor().__class__.fit

    def watched(*given):
        other = Thread(target=warnings.warn, args=("elsewhere", ConvergenceWarning))
        other.start()
        other.join()
        return unwatched(*given)

    monkeypatch.setattr("sklearn.neural_network.MLPRegressor.fit", watched)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        neural.train(load("demo-hexapod"))
    assert [str(warning.message) for warning in seen] == ["elsewhere"]


@pytest.mark.parametrize("content", [b"", b"{}", b"\x00" * 200, None])
def test_a_damaged_network_on_disk_is_trained_again(quick, content, tmp_path):
    robot = load("kalani-2016")
    first = network(robot)
    (entry,) = (path for path in (tmp_path / "cache").rglob("*.json"))
    damaged = entry.read_bytes()[:-100] if content is None else content
    entry.write_bytes(damaged)
    again = network(robot)
    assert quick == ["kalani-2016"] * 2
    for (weights, offsets), (others, more) in zip(first, again, strict=True):
        np.testing.assert_array_equal(weights, others)
        np.testing.assert_array_equal(offsets, more)
    network(robot)
    assert len(quick) == 2


def test_a_network_needs_no_disk(quick, tmp_path):
    (tmp_path / "cache").write_text("no folder")
    assert len(network(load("kalani-2016"))) == 3
