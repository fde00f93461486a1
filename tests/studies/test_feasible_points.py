"""Grids: which points are feasible, which is the best of them, and maps that show both."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.studies.grid_results import GridFigure

STUDY = {
    "schema": "gough-study/1",
    "name": "radii",
    "robot": "demo-hexapod",
    "samples": 41,
    "outputs": {"quantities": ["legs", "forces", "drives"]},
    "motion": {
        "kind": "expression",
        "duration": 2,
        "x": "0.11*sin(pi*t)",
        "z": "0.99",
        "roll": "8*deg*sin(pi*t)",
    },
    "variations": [
        {"name": "mass", "parameter": "robot.platform.mass", "values": [150, 2000]},
        {
            "name": "radius",
            "parameter": "robot.symmetric.platform_radius",
            "values": ["40 cm", "55 cm", "70 cm"],
        },
    ],
}


@pytest.fixture(scope="module")
def grid():
    return gough.run(STUDY)


def test_a_point_is_feasible_exactly_if_it_passes_no_limit(grid):
    passed = [
        (grid[name] < 0) for name in grid if name.startswith("least_") and "margin" in name
    ] + [grid["minimum_force_margin"] < 0, grid["saturated_time"] > 0]
    np.testing.assert_array_equal(grid.feasible, ~np.any(passed, axis=0))
    assert grid.feasible.any()
    assert not grid.feasible.all()


def test_points_that_failed_or_have_no_forces_are_not_feasible(grid):
    failed = replace(grid, errors=("no such leg", *grid.errors[1:]))
    assert not failed.feasible[0, 0]
    lost = np.zeros(grid.shape)
    lost[1, 2] = 3
    figure = GridFigure("samples_without_forces", "1", "", lost)
    without = replace(grid, figures={**grid.figures, figure.name: figure})
    assert not without.feasible[1, 2]


def test_the_best_point_is_the_least_force_or_the_largest_margin_of_feasible_ones(grid):
    for name, choose in (("peak_force", np.argmin), ("minimum_stroke_margin", np.argmax)):
        best = grid.best(name)
        assert grid.feasible[best]
        kept = grid[name][grid.feasible]
        assert grid[name][best] == kept[choose(kept)]


def test_of_no_feasible_point_none_is_the_best(grid):
    assert replace(grid, errors=("bad",) * 6).best("peak_force") is None


def test_a_figure_that_has_no_better_is_refused(grid):
    with pytest.raises(gough.GoughError, match="energy_returned: neither more nor less of it is"):
        grid.best("energy_returned")


def test_a_map_crosses_what_is_not_feasible_and_rings_the_best(grid):
    axis = grid.map("peak_force")
    np.testing.assert_array_equal(axis.images[0].get_array(), grid["peak_force"])
    crosses, ring = axis.lines
    crossed = {(int(i), int(j)) for j, i in crosses.get_xydata()}
    assert crossed == {tuple(place) for place in np.argwhere(~grid.feasible)}
    assert tuple(ring.get_xydata()[0][::-1]) == grid.best("peak_force")


def test_a_map_of_one_variation_is_refused(grid):
    with pytest.raises(gough.GoughError, match="a map needs two variations that vary; expected"):
        grid.map("peak_force", {"mass": 150})
