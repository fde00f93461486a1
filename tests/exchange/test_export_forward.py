"""Forward kinematics in C: Python's poses and statuses, one sample a call."""

import subprocess

import numpy as np
import pytest
from compiled_c import built, library_of, pointers

import gough
from gough.exchange import export_kernels
from gough.kinematics.forward.kernel import first_state
from gough.kinematics.forward.status import Status
from gough.poses import displace

ROBOTS = ["demo-hexapod", "delta"]


@pytest.fixture(scope="module", params=ROBOTS)
def exported(request, tmp_path_factory):
    """A model, and a function from (q, state) to pose, iterations, status and new state."""
    folder = tmp_path_factory.mktemp("forward")
    model = gough.Model(gough.load(request.param))
    export_kernels(model, folder, ["forward_kinematics"])
    return model, called(built(folder, "forward_kinematics"))


def called(function, dtype=float):
    def call(q, state):
        pose, new = np.empty(7, dtype), np.empty(10, dtype)
        residual, iterations, status = np.empty((3, 1), dtype)
        given = np.ascontiguousarray(q, dtype), np.ascontiguousarray(state, dtype)
        function(*pointers(*given, pose, residual, iterations, status, new))
        return pose, iterations[0], status[0], new

    return call


def random_poses(model, count, reach, seed=0):
    """Poses about home that the machine can take."""
    u = np.random.default_rng(seed).uniform(-reach, reach, (count, 6))
    home = np.array(model.robot.home)
    if "admissible" in model.kernel_names:
        u = model.admissible(home, u)
    return displace(home, u)


def test_ten_thousand_poses_come_back_as_in_python(exported):
    model, call = exported
    poses = random_poses(model, 10_000, 0.08)
    q = model.inverse_kinematics(poses)
    expected = model.forward_kinematics(q[:, None, :], along=True)
    state = first_state(model.robot)
    found = [call(lengths, state) for lengths in q]
    pose, iterations, status = (np.array([one[k] for one in found]) for k in range(3))
    np.testing.assert_array_equal(status, expected.status[:, 0])
    assert (status == Status.CONVERGED).mean() > 0.99
    np.testing.assert_allclose(pose, expected.pose[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(iterations, expected.iterations[:, 0])
    np.testing.assert_allclose(pose[:, :3], poses[:, :3], atol=1e-9)


def test_a_path_is_followed_sample_by_sample(exported):
    """As far as a singularity and back: doubts, failures and what follows are Python's, too."""
    model, call = exported
    way = np.sin(np.linspace(0, 2 * np.pi, 200))[:, None] * np.array([0.1, 0.2, 0.05, 0.1, 0, 0.2])
    home = np.array(model.robot.home)
    way = model.admissible(home, way) if "admissible" in model.kernel_names else way
    q = model.inverse_kinematics(displace(home, way))
    q[120] = np.nan  # a sensor fails
    expected = model.forward_kinematics(q, along=True)
    state, found = first_state(model.robot), []
    for lengths in q:
        *results, state = call(lengths, state)
        found.append(results)
    np.testing.assert_array_equal([one[2] for one in found], expected.status)
    np.testing.assert_allclose([one[0] for one in found], expected.pose, rtol=0, atol=1e-12)
    assert np.isnan(found[120][0]).all()
    assert np.isfinite(found[121][0]).all()


def test_impossible_positions_have_pythons_statuses(exported):
    model, call = exported
    rng = np.random.default_rng(1)
    at_home = model.inverse_kinematics(np.array(model.robot.home))
    q = at_home * rng.uniform(0.1, 3.0, (300, len(at_home))) + rng.normal(size=(300, len(at_home)))
    q[0, 0] = np.nan
    expected = model.forward_kinematics(q[:, None, :], along=True).status[:, 0]
    state = first_state(model.robot)
    np.testing.assert_array_equal([call(lengths, state)[2] for lengths in q], expected)
    assert len(set(expected)) >= 2


def test_the_header_says_how_to_begin_and_what_statuses_mean(tmp_path):
    model = gough.Model(gough.load("delta"))
    header = export_kernels(model, tmp_path, ["forward_kinematics"]).paths[0].read_text()
    assert "0.0, 0.0, -1.1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0" in header
    for status in Status:
        assert f"{status.value} {status.meaning}" in header
    assert "at most 30 steps of Newton's method" in header


def test_javascript_finds_the_same_poses(tmp_path):
    model = gough.Model(gough.load("delta"))
    export_kernels(model, tmp_path, ["forward_kinematics"], language="js")
    pose = random_poses(model, 1, 0.1)[0]
    q = model.inverse_kinematics(pose).tolist()
    (tmp_path / "run.mjs").write_text(
        'import { forward_kinematics } from "./forward_kinematics.js";\n'
        f"const found = forward_kinematics({q}, {first_state(model.robot).tolist()});\n"
        "console.log(found.pose.join(' '), found.status[0]);\n"
    )
    (tmp_path / "package.json").write_text('{"type": "module"}')
    printed = subprocess.run(
        ["node", "run.mjs"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    *found, status = map(float, printed.stdout.split())
    assert status == Status.CONVERGED
    np.testing.assert_allclose(found, pose, atol=1e-12)


def test_legs_that_are_solved_by_iteration_end_in_single_precision_too(tmp_path):
    model = gough.Model(gough.load("h4"))
    export_kernels(model, tmp_path, ["inverse_kinematics"], dtype="float32")
    lengths = built(tmp_path, "inverse_kinematics")
    for pose in random_poses(model, 100, 0.05).astype(np.float32):
        q = np.empty(4, np.float32)
        lengths(*pointers(pose, q))
        assert_near(q, model.inverse_kinematics(pose))


@pytest.mark.parametrize("robot", ROBOTS)
def test_single_precision_is_as_exact_as_its_numbers(robot, tmp_path):
    model = gough.Model(gough.load(robot))
    kernels = ["inverse_kinematics", "jacobian", "inverse_dynamics", "forward_kinematics"]
    name = robot.replace("-", "_")
    export_kernels(model, tmp_path, kernels, dtype="float32")
    text = (tmp_path / f"{name}.c").read_text() + (tmp_path / f"{name}.h").read_text()
    assert "double" not in text.replace("double precision", "")
    library = library_of(tmp_path, name)
    lengths, jacobian, dynamics, forward = (getattr(library, kernel) for kernel in kernels)
    n, rng = model.structure.actuators, np.random.default_rng(2)
    poses = random_poses(model, 100, 0.05).astype(np.float32)
    for pose in poses:
        q, J, force = np.empty(n, np.float32), np.empty((n, 6), np.float32), np.empty(n, np.float32)
        moving = rng.normal(size=(3, 6)).astype(np.float32)
        lengths(*pointers(pose, q))
        jacobian(*pointers(pose, J))
        dynamics(*pointers(pose, *moving, force))
        assert_near(q, model.inverse_kinematics(pose))
        assert_near(J, model.jacobian(pose))
        assert_near(force, model.inverse_dynamics(pose, *moving))
        found, iterations, status, _ = called(forward, np.float32)(q, first_state(model.robot))
        assert status == Status.CONVERGED
        assert iterations <= 6
        np.testing.assert_allclose(found, pose, atol=5e-6)


def assert_near(found, expected):
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=3e-6 * max(1.0, np.abs(expected).max())
    )


def test_what_the_machine_cannot_do_is_no_part_of_the_pose(exported):
    """A start that a Delta cannot take, tilted, is the one that it can take near it."""
    model, call = exported
    home = np.array(model.robot.home)
    q, near = model.inverse_kinematics(home), displace(home, [0.01, 0, 0.02, 0.05, 0.03, 0.04])
    pose, _, status, _ = call(q, np.concatenate([near, np.zeros(3)]))
    assert status == Status.CONVERGED
    np.testing.assert_allclose(pose, home, atol=1e-12)
