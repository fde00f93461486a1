"""Variations: every point of the grid is the study that it stands for."""

from dataclasses import replace

import numpy as np
import pytest
from study_samples import LOAD, PUSH, SWING, data, study

import gough
from gough.compiler.native.threads import on_one_thread
from gough.runs import to_folder
from gough.studies.grid import run_grid
from gough.studies.grid_plot import plot_figure
from gough.studies.grid_results import GridResults
from gough.studies.run import run, run_one

DURATIONS = {"name": "duration", "parameter": "motion.duration", "values": ["2 s", "1 s", "4 s"]}
MASSES = {"name": "mass", "parameter": "tasks[1].mass", "range": {"from": 10, "to": 40, "count": 4}}
HEAVIER = {
    "name": "legs",
    "parameter": ["robot.leg.cylinder.mass", "robot.leg.piston.mass"],
    "factors": [1, 3],
}


@pytest.fixture(scope="module")
def varied():
    return study(variations=[DURATIONS, MASSES, HEAVIER], samples=101)


@pytest.fixture(scope="module")
def grid(varied):
    return run_grid(varied)


def test_the_grid_has_an_axis_for_each_variation(grid):
    assert grid.shape == (3, 4, 2)
    assert grid["peak_force"].shape == (3, 4, 2)
    assert grid.per_leg("peak_force").shape == (3, 4, 2, 6)
    assert len(grid.to_pandas()) == 24


def test_every_point_is_the_study_that_it_stands_for(grid):
    by_hand = data(samples=101)
    by_hand["motion"] = by_hand["motion"] | {"duration": 1}
    by_hand["tasks"] = [by_hand["tasks"][0], LOAD | {"mass": 30}]
    robot = gough.load("demo-hexapod").to_dict()
    for part in ("cylinder", "piston"):
        robot["leg"][part]["mass"] *= 3
    found = run(by_hand | {"robot": robot})
    for name, scalar in found.summary.items():
        assert grid[name][1, 2, 1] == pytest.approx(scalar.value, rel=1e-12), name
    assert grid.per_leg("rms_force")[1, 2, 1] == pytest.approx(found.summary["rms_force"].per_leg)


def test_a_point_can_be_run_by_itself(varied, grid):
    found = run_one(varied.variant(13))
    assert found.summary["peak_force"].value == grid["peak_force"].reshape(-1)[13]
    with pytest.raises(gough.GoughError, match="no variation 24; expected 0 to 23"):
        varied.variant(24)
    with pytest.raises(gough.GoughError, match="has no variations"):
        study().variant(0)


def test_the_outcome_does_not_depend_on_the_number_of_threads(varied, grid):
    with on_one_thread():
        one = run_grid(varied)
    for name in grid:
        np.testing.assert_array_equal(one[name], grid[name])


def test_the_table_has_values_with_units(grid):
    frame = grid.to_pandas()
    assert list(frame.columns[:3]) == ["duration [s]", "mass", "legs"]
    assert frame["duration [s]"].tolist() == [2.0] * 8 + [1.0] * 8 + [4.0] * 8
    assert frame["mass"].unique().tolist() == [10.0, 20.0, 30.0, 40.0]
    assert {"peak_force [N]", "peak_force_6 [N]", "singularities", "error"} <= set(frame)


def test_labels_take_the_place_of_values_in_tables():
    turned = {
        "name": "direction",
        "parameter": "motion.direction",
        "values": [[1, 0, 0], [0, 1, 0]],
        "labels": ["0 deg", "90 deg"],
    }
    line = {"kind": "line", "direction": [1, 0, 0], "travel": 0.05, "duration": 1}
    found = run(data(motion=line, variations=[turned], samples=11))
    assert found.to_pandas()["direction [deg]"].tolist() == [0.0, 90.0]


def test_a_whole_table_can_be_varied():
    still = {"kind": "hold", "duration": 1}
    moving = {"kind": "line", "displacement": [0.05, 0, 0], "duration": 1}
    kinds = {
        "name": "motion",
        "parameter": "motion",
        "values": [still, moving],
        "labels": ["a", "b"],
    }
    found = run(data(variations=[kinds], samples=11))
    assert found["peak_leg_speed"][0] == 0.0
    assert found["peak_leg_speed"][1] > 0.01


def test_a_point_that_cannot_be_computed_has_its_error_and_no_numbers():
    lengths = {"parameter": "motion.duration", "values": [1, -1]}
    found = run(data(variations=[lengths], samples=11))
    assert found.errors[0] == ""
    assert "motion.duration: out of range" in found.errors[1]
    assert np.isfinite(found["peak_force"][0])
    assert np.isnan(found["peak_force"][1])


def test_so_has_the_first_point_of_a_grid(tmp_path):
    lengths = {"parameter": "motion.duration", "values": [-1, 1]}
    found = to_folder(study(variations=[lengths, MASSES], samples=11), tmp_path)
    assert ["motion.duration: out of range" in error for error in found.errors] == [True] * 4 + [
        False
    ] * 4
    assert np.isnan(found["peak_force"][0]).all()
    alone = run(data(motion=SWING | {"duration": 1}, tasks=[PUSH, LOAD | {"mass": 30}], samples=11))
    assert found["peak_force"][1, 2] == alone.summary["peak_force"].value
    again = GridResults.load(tmp_path)
    np.testing.assert_array_equal(again["peak_force"], found["peak_force"])


def test_a_grid_without_any_good_point_has_the_error_of_its_first():
    lengths = {"parameter": "motion.duration", "values": [-1, -2]}
    with pytest.raises(gough.InputError) as wrong:
        study(variations=[lengths, MASSES])
    assert (wrong.value.key, wrong.value.value) == ("motion.duration", -1)


def test_if_no_point_can_be_computed_the_study_fails():
    good = study(variations=[{"parameter": "motion.duration", "values": [1, 2]}], samples=11)
    bad = replace(good, written=good.written | {"robot": {}})
    with pytest.raises(gough.GoughError, match="no point of the grid can be computed"):
        run(bad)


def test_figures_that_are_not_there_are_named(grid):
    with pytest.raises(gough.GoughError, match="did you mean peak_force"):
        grid["peak_forse"]
    with pytest.raises(gough.GoughError, match="of the whole machine"):
        grid.per_leg("maximum_condition")


def test_a_saved_grid_loads_as_it_was(grid, tmp_path):
    grid.save(tmp_path / "out")
    again = GridResults.load(tmp_path / "out")
    assert again.variations == grid.variations
    assert again.robot == grid.robot
    assert (again.warnings, again.errors) == (grid.warnings, grid.errors)
    for name in grid:
        np.testing.assert_array_equal(again[name], grid[name])
        assert again.figure(name).meaning == grid.figure(name).meaning
    np.testing.assert_array_equal(again.per_leg("peak_power"), grid.per_leg("peak_power"))


def test_a_plot_has_the_variation_and_units_on_its_axes(grid):
    axis = grid.plot("peak_force")
    assert axis.get_xlabel() == "duration [s]"
    assert axis.get_ylabel() == "peak force [N]"
    assert axis.get_legend().get_title().get_text() == "mass"


def test_a_plot_says_which_values_are_held_fixed():
    masses = MASSES | {"range": {"from": "100 kg", "to": "200 kg", "count": 2}}
    found = run(data(variations=[DURATIONS, HEAVIER, masses], samples=11))
    axes = found.plot("peak_force")
    assert axes.figure.get_suptitle().endswith("\nat mass 100 kg")
    line = axes.get_lines()[1]
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 4])
    np.testing.assert_array_equal(line.get_ydata(), found["peak_force"][[1, 0, 2], 1, 0])
    two = run(data(variations=[DURATIONS, HEAVIER], samples=11)).plot("peak_force")
    assert "\n" not in two.figure.get_suptitle()


def test_dollars_in_names_and_values_are_drawn_as_they_are(tmp_path):
    """matplotlib would read them as formulas, and refuse those that are none."""
    first = {**DURATIONS, "name": "price $a$", "labels": ["$\\x$", "$1 or $2", "3"]}
    second = {**HEAVIER, "name": "tool $b$", "labels": ["$\\y$", "$z$"]}
    grid = run_grid(study(variations=[first, second], samples=11))
    axis = plot_figure(grid, "peak_force")
    axis.figure.savefig(tmp_path / "drawn.png")
    legend = axis.get_legend()
    drawn = [*axis.get_xticklabels(), *legend.get_texts(), legend.get_title()]
    assert len(drawn) == 6
    for text in drawn:
        words, formula = text._preprocess_math(text.get_text())
        assert not formula
        assert "$" in words or words == "3"
