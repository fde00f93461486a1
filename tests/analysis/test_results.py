"""Results as users handle them: labels, tables, plots, files."""

import numpy as np
import pytest
from study_samples import study

import gough
from gough.analysis.figures import actuator_words
from gough.analysis.results import Quantity, Results
from gough.studies.run import run_one


@pytest.fixture(scope="module")
def results():
    return run_one(study(samples=51))


def test_columns_carry_leg_direction_and_unit(results):
    columns = list(results.to_pandas().columns)
    for name in (
        "force_1 [N]",
        "joint_force_hip-6_z [N]",
        "joint_position_hip-3.2 [rad]",
        "pose_x [m]",
        "pose_qw [1]",
        "twist_vz [m/s]",
        "twist_wx [rad/s]",
        "wrench_nz [N m]",
        "energy_kinetic [J]",
        "condition [1]",
    ):
        assert name in columns
    assert len(columns) == len(set(columns))


def test_the_table_has_the_values_in_their_places(results):
    frame = results.to_pandas()
    assert frame.index.name == "time [s]"
    force = results["joint_force"][:, 15, 2]
    np.testing.assert_array_equal(frame["joint_force_hip-6_z [N]"], force)
    np.testing.assert_array_equal(frame["pose_qx [1]"], results["pose"][:, 4])
    psi = results["joint_position"][:, 7]
    np.testing.assert_array_equal(frame["joint_position_hip-3.2 [rad]"], psi)


def test_units_of_parts_of_a_quantity():
    pose = Quantity.of("pose", np.zeros((2, 7)))
    assert pose.units == ["m"] * 3 + ["1"] * 4
    alone = Quantity.of("condition", np.zeros(2))
    assert alone.columns == ["condition [1]"]


def test_a_name_that_is_not_there_is_named_with_the_nearest(results):
    with pytest.raises(gough.GoughError, match=r"no quantity 'forse'.*did you mean force"):
        results["forse"]
    assert "force" in results
    assert "forse" not in results
    with pytest.raises(gough.GoughError, match="no figure 'peak_forse'; did you mean peak_force"):
        results.summary["peak_forse"]


def test_saved_results_load_as_they_were(results, tmp_path):
    results.save(tmp_path / "out")
    again = Results.load(tmp_path / "out")
    assert list(again) == list(results)
    for name in results:
        np.testing.assert_array_equal(again[name], results[name])
        assert again.quantity(name).meaning == results.quantity(name).meaning
    assert again.summary == results.summary
    assert again.warnings == results.warnings
    assert again.robot == results.robot
    assert again.study == results.study
    assert again.versions == results.versions
    np.testing.assert_array_equal(again.time, results.time)


def test_csv_and_parquet_say_the_same(results, tmp_path):
    import pandas as pd

    results.save(tmp_path)
    csv, parquet = (
        pd.read_csv(tmp_path / "results.csv"),
        pd.read_parquet(tmp_path / "results.parquet"),
    )
    pd.testing.assert_frame_equal(csv, parquet, check_exact=True, check_dtype=False)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("force", ["force [N]"]),
        ("pose", ["pose, position [m]", "pose, orientation"]),
        ("joint_force", ["joint force, x [N]", "joint force, y [N]", "joint force, z [N]"]),
        ("joint_tilt", ["joint tilt [rad]"]),
        ("condition", ["condition"]),
        ("acceleration", ["acceleration, linear [m/s²]", "acceleration, angular [rad/s²]"]),
        ("energy", ["energy [J]"]),
    ],
)
def test_plots_have_units_on_their_axes(results, name, labels):
    axes = results.plot(name)
    assert [axis.get_ylabel() for axis in axes][: len(labels)] == labels
    assert axes[-1].get_xlabel() == "time [s]"


def test_a_plot_shows_limits_that_are_near(results):
    lines = results.plot("leg_length")[0].get_lines()
    heights = {line.get_ydata()[0] for line in lines if line.get_linestyle() == "--"}
    assert heights == {0.763, 1.163}


def test_a_limit_is_named_in_the_legend(results):
    texts = [t.get_text() for t in results.plot("leg_length")[0].get_legend().get_texts()]
    assert texts.count("limit") == 1


def test_results_name_themselves_in_a_line():
    single = repr(gough.run(study(samples=11, outputs={"quantities": ["forces"]})))
    assert single.startswith("<gough results of test: demo-hexapod, 11 samples of ")
    varied = {"name": "mass", "parameter": "tasks[1].mass", "values": [1, 2, 3]}
    grid = repr(gough.run(study(samples=11, variations=[varied])))
    assert grid.startswith("<gough results of test: demo-hexapod, 3 points of ")


@pytest.mark.parametrize(
    ("name", "unit", "shown"),
    [
        ("peak_force", "N m", "peak torque"),
        ("peak_force", "N", "peak force"),
        ("travel_used", "rad", "range used"),
        ("travel_used", "m", "stroke used"),
        ("stroke_used", "m", "stroke used"),
    ],
)
def test_words_follow_the_joint(name, unit, shown):
    assert actuator_words(name.replace("_", " "), name, {name: unit}) == shown
