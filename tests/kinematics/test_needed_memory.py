"""Tables that do not fit in memory are refused at once, and what they need is not guessed low."""

import tracemalloc

import numpy as np
import pytest

import gough
from gough.kinematics import samples
from gough.kinematics.singularity import crossings
from gough.kinematics.workspace import slices

MODEL = gough.Model(gough.load("demo-hexapod"))
PATH = [gough.pose([0, 0, 0.9]), gough.pose([0, 0, 1.0], rpy=[0, 0, 0.1])]


def random_poses(count):
    return samples.random_poses(MODEL, count, np.random.default_rng(0))


def a_slice(count):
    return slices.workspace_slice(MODEL, ("x", "y"), resolution=count)


def along_a_path(count):
    return crossings.crossings(MODEL, PATH, [0.0, 1.0], samples=count)


@pytest.mark.parametrize("make", [random_poses, a_slice, along_a_path])
def test_what_does_not_fit_is_refused_at_once(make):
    with pytest.raises(gough.GoughError, match=r"need about \S+ GB of memory, and \S+ GB are free"):
        make(10**13)


@pytest.mark.parametrize(
    ("make", "count", "items", "each"),
    [
        (random_poses, 50_000, 50_000, samples._BYTES),
        (a_slice, 400, 400**2, slices._BYTES),
        (along_a_path, 1_500, 1_500, crossings._BYTES),
    ],
)
def test_what_they_need_is_not_guessed_too_low(make, count, items, each):
    make(10)
    tracemalloc.start()
    make(count)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.2 < peak / (items * each) < 1.0


def test_so_is_what_has_no_size():
    with pytest.raises(gough.GoughError, match="resolution is 1; expected at least 2"):
        a_slice(1)
