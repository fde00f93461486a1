"""Rays meet every change that a dense walk meets, also where thick legs touch one another."""

import numpy as np
import pytest
from workspace_machines import bare, ring

import gough
from gough.compiler.front.argument import Argument
from gough.compiler.native.kernel import Kernel
from gough.equations.motion.reach import segment_distance
from gough.kinematics.workspace.ray_crossings import _touching_kernel
from gough.kinematics.workspace.rays import walk
from gough.kinematics.workspace.reach import Limits
from gough.kinematics.workspace.workspace import workspace_chart

FAMILIES = [("stroke", "clearance"), ("stroke", "clearance", "base joint", "platform joint")]
STEPS = 4000


@pytest.fixture(scope="module")
def distance():
    return Kernel.from_equation(
        "distance", segment_distance, [Argument(name, (3,)) for name in "puqv"], [Argument("apart")]
    )


@pytest.mark.parametrize("alike", [0.0, 0.9, 0.999999, 1.0])
def test_segments_begin_and_end_to_touch_at_known_distances_only(distance, alike):
    """Of any two segments, of nearly parallel ones and of parallel ones."""
    rng = np.random.default_rng(0)
    p, u, q, v, d = rng.normal(size=(5, 2000, 1, 3))
    v = alike * u + (1 - alike) * v
    r = rng.uniform(0.05, 1.5, (2000, 1))
    t = np.linspace(-3, 3, 1000)
    inside = distance(p, u + d * t[:, None], q, v + d * t[:, None]) < r
    pair, step = np.nonzero(inside[:, 1:] != inside[:, :-1])
    assert len(pair) > 500
    known = _touching_kernel()(p, u, q, v, r, d)[pair, 0]
    met = (known >= t[step, None] - 1e-9) & (known <= t[step + 1, None] + 1e-9)
    assert met.any(-1).all()


def machine_with_thick_legs(rng):
    """Legs in no good order, with narrow joints: hardly a way on which nothing begins or ends."""
    shifts = rng.uniform(-0.3, 0.3, size=(2, 6, 3))
    base, platform = np.array([ring(0.8), ring(0.6, start=rng.uniform(-1, 1))]) + shifts
    return bare(
        base, platform, (0, 0, 0.6), stroke=[0.1, 2.4], radius=rng.uniform(0.03, 0.06),
        base_joint_limit=rng.uniform(0.8, 2.5), platform_joint_limit=rng.uniform(0.8, 2.5),
    ).robot  # fmt: skip


@pytest.mark.parametrize("families", FAMILIES)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_walk_finds_what_a_dense_walk_finds(seed, families):
    rng = np.random.default_rng(seed)
    place, turn = rng.normal(size=(2, 3)) / 10
    centre = gough.pose(place + [0, 0, 0.6], rotation_vector=turn)
    model = gough.Model(machine_with_thick_legs(rng))
    chart = workspace_chart(model, "position", centre, Limits(families=families))
    assert chart.complete
    directions = rng.normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    reach = chart.reach(directions)
    ends = reach[:, None] * np.linspace(0, 1, STEPS + 1)
    inside = chart.least((directions @ chart.basis)[:, None], (ends[:, 1:] + ends[:, :-1]) / 2) >= 0
    parts = (inside[:, :-1] & ~inside[:, 1:]).sum(1) + inside[:, -1]
    volumes = np.diff(chart.radial(ends), axis=-1)
    found = walk(chart, directions)
    assert (parts > 1).any()
    assert (found.parts >= parts).all()
    off = np.abs(found.volume - np.where(inside, volumes, 0.0).sum(-1))
    assert (off <= found.parts * volumes.max(-1)).all()
