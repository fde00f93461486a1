"""Code that is not optimized: the same bits as the other, by another key."""

import numpy as np
import pytest

import gough
from gough.compiler.native import machine_code
from gough.compiler.native.kernel import Kernel
from gough.compiler.native.recurrence import Recurrence
from gough.errors import CompilerError
from gough.simulation import computed_torque, rigid_plant
from gough.simulation.closed_loop import CARRIED, ClosedLoop

HEXAPOD, DELTA = gough.load("demo-hexapod"), gough.load("delta")


@pytest.fixture
def made(monkeypatch, tmp_path):
    """What a maker makes, plain and optimized; nothing is found on disk."""
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path))

    def both(make, *arguments):
        products = []
        for optimize in ("no", "yes"):
            monkeypatch.setenv(machine_code.OPTIMIZE_VARIABLE, optimize)
            products.append(make(*arguments))
        plain, optimized = products
        assert plain.description.key != optimized.description.key
        return plain, optimized

    return both


def poses(robot, count=60):
    """Some that the legs reach, and at the end one that they do not."""
    rng = np.random.default_rng(0)
    parts = [0.05 * rng.normal(size=(count, 3)), 0.1 * rng.normal(size=(count, 4))]
    found = np.array(robot.home) + np.concatenate(parts, axis=1)
    found[-1, :3] = 1e3
    return found


@pytest.mark.parametrize(
    ("robot", "name"),
    [
        (HEXAPOD, "inverse_dynamics"),
        (HEXAPOD, "forward_dynamics"),
        (HEXAPOD, "joint_tilts"),
        (HEXAPOD, "is_singular"),
        (HEXAPOD, "crossing_residual"),
        (DELTA, "inverse_kinematics"),
        (DELTA, "inverse_dynamics"),
    ],
    ids=lambda x: getattr(x, "name", x),
)
def test_kernels_have_the_same_bits(made, robot, name):
    function = gough.Model(robot).function(name)
    given = {"pose": poses(robot)}
    rng = np.random.default_rng(1)
    inputs = [given.get(a.name, rng.normal(size=(60, *a.shape))) for a in function.inputs]
    plain, optimized = made(Kernel, function)
    results = plain(*inputs), optimized(*inputs)
    assert np.isfinite(results[0]).any()
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("lanes", [None, 1])
def test_a_simulated_loop_has_the_same_bits(made, lanes):
    plant, law = rigid_plant(HEXAPOD), computed_torque(400.0, 40.0, space="task")
    loop = ClosedLoop(plant, law, HEXAPOD)
    start = loop.start(HEXAPOD.home)
    still = np.concatenate([HEXAPOD.home, np.zeros(12)])
    reference = np.broadcast_to(still, (100, 3, 19))
    gains = loop.gain_values * np.array([[0.5], [1.0], [2.0]])
    moved = start + 1e-3 * np.eye(3, len(start))
    inputs = {name: np.zeros(a.shape) for name, a in loop.arguments.items()}
    inputs |= {"memory": moved, "reference": reference}
    inputs["gains"] = np.broadcast_to(gains, (100, *gains.shape))
    plain, optimized = made(Recurrence, loop.function, CARRIED, lanes)
    found, expected = plain(inputs), optimized(inputs)
    for name, values in found.items():
        assert np.isfinite(values).all()
        np.testing.assert_array_equal(values, expected[name])


def test_another_word_is_refused(monkeypatch):
    monkeypatch.setenv(machine_code.OPTIMIZE_VARIABLE, "maybe")
    with pytest.raises(CompilerError, match="GOUGH_OPTIMIZE is 'maybe'; expected yes or no"):
        machine_code.made_for()
