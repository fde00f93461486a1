"""The neural start: a small network from leg lengths to a pose near the one sought.

Two hidden layers of 15 and 20 nodes, as in [Kalani 2016, Fig. 4]. It learns the inverse of the
robot's inverse kinematics on random poses around home (see `samples`), once per robot, with
scikit-learn; its weights are kept on disk beside compiled kernels, and it is evaluated as one.
Instead of the paper's Euler angles it has a Rodrigues vector from home, whose quaternion needs no
sines.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler import Kernel, remembered
from gough.compiler.native.disk_kernels import kept_data
from gough.disk.plain_data import PlainData
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import move
from gough.errors import needing
from gough.kinematics.forward.kernel import lengths_of
from gough.kinematics.samples import offsets_from_home, random_poses
from gough.model import Kernels, Machines
from gough.model.definition import POSE
from gough.progress import progress_bar, shows_progress
from gough.robot import Robot

Layers = tuple[tuple[Array, Array], ...]
"""Weights and offsets of each layer."""

HIDDEN = (15, 20)
SAMPLES = 6_000
_NO_SPREAD = 1e-9
"""Relative standard deviation of a coordinate below which the machine does not move in it."""
ROUNDS, ITERATIONS_PER_ROUND = 10, 200


@remembered
def neural_start(robot: Robot) -> Kernel:
    """The kernel from leg lengths (n) to a pose (7) nearby; trains the network if there is none.

    Outside of the training poses its result is a pose, but not a near one.
    """
    layers = [(ca.DM(weights), ca.DM(offsets)) for weights, offsets in network(robot)]
    home = ca.DM(robot.home)

    def start(q: Value) -> Value:
        offset = perceptron(layers, q)
        return move(home, offset[0:3], ca.vertcat(1, offset[3:6]))  # of a Rodrigues vector

    doc = "A pose near the one with these leg lengths, by a trained network."
    return Kernel.from_equation("neural_start", start, [lengths_of(Machines(robot))], [POSE], doc)


def perceptron(layers: Sequence[tuple[Value, Value]], x: Value) -> Value:
    """The last layer's sums for inputs x; layers are weights, one row per node, and offsets."""
    *hidden, (weights, offsets) = layers
    for hidden_weights, hidden_offsets in hidden:
        x = tanh_nearly(hidden_weights @ x + hidden_offsets)
    return weights @ x + offsets


def tanh_nearly(x: Value) -> Value:
    """The hyperbolic tangent to 1e-4, by its continued fraction: no library, no branch."""
    x = ca.if_else(x > 4.97, 4.97, ca.if_else(x < -4.97, -4.97, x))  # fmin would hide a NaN
    xx = x * x
    above = 135135 + xx * (17325 + xx * (378 + xx))
    below = 135135 + xx * (62370 + xx * (3150 + xx * 28))
    return x * above / below


@shows_progress
def network(robot: Robot, *, progress: bool = False) -> Layers:
    """Return the robot's network from leg lengths [m] to offsets from home: stored, or trained."""
    layers = _trained(robot, SAMPLES, ROUNDS, ITERATIONS_PER_ROUND)["layers"]
    return tuple((np.array(weights), np.array(offsets)) for weights, offsets in layers)


@kept_data
def _trained(robot: Robot, *_: int) -> PlainData:
    return {"layers": [[part.tolist() for part in layer] for layer in train(robot)]}


def train(robot: Robot) -> Layers:
    """Train a new network."""
    model = Kernels(robot)
    poses = random_poses(model, SAMPLES, np.random.default_rng(0))
    lengths, offsets = model.inverse_kinematics(poses), offsets_from_home(robot, poses)
    (q_mean, q_spread), (x_mean, x_spread) = _spread(lengths), _spread(offsets)
    regressor = _regressor()
    with progress_bar("training the network", ROUNDS) as advance:
        for _ in range(ROUNDS):
            with _ending_unconverged():
                regressor.fit((lengths - q_mean) / q_spread, (offsets - x_mean) / x_spread)
            advance(1)
    first, second, last = (w.T for w in regressor.coefs_)
    b_first, b_second, b_last = regressor.intercepts_
    # the scaling becomes part of the outer layers
    first, last = first / q_spread, last * x_spread[:, None]
    b_first, b_last = b_first - first @ q_mean, b_last * x_spread + x_mean
    return (first, b_first), (second, b_second), (last, b_last)


def _regressor() -> Any:
    with needing("scikit-learn", "neural", "neural starts"):
        from sklearn.neural_network import MLPRegressor  # noqa: PLC0415  (an extra)
    return MLPRegressor(
        hidden_layer_sizes=HIDDEN,
        activation="tanh",
        solver="lbfgs",
        alpha=0.0,
        tol=1e-9,
        max_iter=ITERATIONS_PER_ROUND,
        max_fun=10 * ITERATIONS_PER_ROUND,
        random_state=0,
        warm_start=True,
    )


_TRAINING = ContextVar("training", default=False)
_HERE_ALONE: Any = SimpleNamespace(match=lambda _: _TRAINING.get())
"""Match of a filter of warnings that is active in this thread only, unlike catch_warnings."""


@contextmanager
def _ending_unconverged() -> Iterator[None]:
    """Suppress the warning that a round of training ends unconverged."""
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415  (an extra)

    ours: Any = ("ignore", _HERE_ALONE, ConvergenceWarning, None, 0)
    filters: Any = warnings.filters
    if ours not in filters:
        filters.insert(0, ours)
    before = _TRAINING.set(True)
    try:
        yield
    finally:
        _TRAINING.reset(before)


def _spread(values: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each column; 1 for a constant column."""
    spread = values.std(0)
    return values.mean(0), np.where(spread > _NO_SPREAD * spread.max(), spread, 1.0)
