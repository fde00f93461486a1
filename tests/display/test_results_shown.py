"""Every result shows itself: tables, text, a card, and plain data that JSON takes."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

import gough
from gough.disk.plain_data import plain
from gough.display import Displayable, Table
from gough.display.terminal import print_table, text_of
from gough.kinematics.actuator_positions import actuator_positions
from gough.kinematics.description import RobotDescription
from gough.kinematics.singularity.crossings import crossings
from gough.kinematics.workspace.slices import slice_at
from gough.kinematics.workspace.workspace import workspace_overview

ROOT = Path(__file__).parents[2]
STUDY = {
    "schema": "gough-study/1",
    "name": "lift",
    "robot": "demo-hexapod",
    "motion": {"kind": "line", "displacement": [0, 0, 0.05], "duration": 0.4},
    "samples": 41,
}
VARIED = {"name": "load", "parameter": "robot.platform.mass", "values": ["100 kg", "200 kg"]}


def model():
    return gough.Model(gough.load("demo-hexapod"))


RESULTS = {
    "study": lambda: gough.run(STUDY),
    "summary": lambda: gough.run(STUDY).summary,
    "grid": lambda: gough.run({**STUDY, "variations": [VARIED]}),
    "stiffness": lambda: gough.stiffness(gough.load("demo-hexapod")),
    "natural modes": lambda: gough.natural_modes(gough.load("demo-hexapod"), connectors="rigid"),
    "singularity": lambda: model().singularity(model().robot.home),
    "forward kinematics": lambda: model().forward_kinematics(
        model().inverse_kinematics(model().robot.home)
    ),
    "actuator positions": lambda: actuator_positions(model(), np.array(model().robot.home)),
    "travel": lambda: model().travel(),
    "box": lambda: model().workspace_box((0.01, 0.01, 0.01)),
    "slice": lambda: slice_at(model(), None, "z", 0.95, resolution=20),
    "workspace": lambda: workspace_overview(gough.Model(gough.load("five-bar")), tolerance=0.9),
    "assembly modes": lambda: model().assembly_modes(
        model().inverse_kinematics(model().robot.home)
    ),
    "tolerances": lambda: gough.tolerances(
        gough.load("demo-hexapod"), None, {"legs[*].base": "50 um"}, samples=20
    ),
    "wrench capacity": lambda: model().wrench_capacity(model().robot.home),
    "crossings": lambda: crossings(
        model(), [model().robot.home, (0, 0, 1.05, 1, 0, 0, 0)], [0.0, 1.0], samples=5
    ),
    "branches": lambda: gough.Model(gough.load("five-bar")).branches(gough.load("five-bar").home),
    "map": lambda: gough.elastic.stiffness_map(model(), ("x", "y"), resolution=12),
    "frequency response": lambda: gough.elastic.frequency_response(
        gough.elastic_state_space(gough.load("demo-hexapod")), [10.0, 40.0], "acceleration", "base"
    ),
    "machine bent by its loads": lambda: gough.FlexibleMachine(
        gough.load("five-bar"),
        {"crank-left": gough.elastic.BeamStiffness.tube(70e9, 26e9, 0.015, 0.013)},
        modes=1,
    ).deflected(),
    "description of a hexapod": lambda: RobotDescription(gough.load("demo-hexapod")),
    "description of a delta": lambda: RobotDescription(gough.load("delta")),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_has_tables_text_a_card_and_plain_data(kind):
    found = RESULTS[kind]()
    assert isinstance(found, Displayable)
    tables = found.tables()
    assert any(table.rows for table in tables)
    for table in tables:
        named = {len(row.cells) + bool(row.name) for row in table.rows}
        assert named <= {len(table.heads)}
    text = found.report()
    assert found.heading[1] in text
    assert all(len(line) <= 100 for line in text_of(tables).split("\n") if ":" not in line)
    ElementTree.fromstring(found._repr_html_())
    assert json.loads(json.dumps(plain(found.to_dict()), allow_nan=False))


def test_units_stand_beside_the_numbers_and_control_characters_are_spelt():
    facts = Table.properties("", [("short", 0.0015, "m^2"), ("pair", [1.0, 1e-15], "N")])
    rows = [line.split() for line in text_of([facts]).splitlines() if line.strip()]
    assert rows == [["short", "0.0015", "m²"], ["pair", "1", "0", "N"]]
    assert text_of([Table("", [], [], "\x1b[31m")]) == r"\u001b[31m"


def test_only_the_first_rows_are_shown_where_there_is_little_room(capsys):
    print_table(Console(width=80), Table.of("", ("n",), [(k,) for k in range(9)], most=3))
    shown = capsys.readouterr().out.split()
    assert shown[-3:] == ["and", "6", "more"]
    assert "3" not in shown[:-3]


def test_a_summary_prints_as_a_table_and_is_a_data_frame():
    summary = gough.run(STUDY).summary
    force = summary["peak_force"]
    title, *lines = repr(summary).splitlines()
    assert title == "summary"
    (row,) = [line.split() for line in lines if " peak force " in line]
    assert row[2:4] == [f"{force.value:.5g}", "N"]
    assert summary.to_pandas().loc["peak_force", "value"] == force.value


def test_results_and_grids_are_datasets_with_units():
    results = gough.run(STUDY)
    found = results.to_xarray()
    np.testing.assert_array_equal(found["force"], results["force"])
    assert found["force"].dims == ("time", "leg")
    assert found["force"].attrs["units"] == "N"
    np.testing.assert_array_equal(found["force"].sel(leg="3"), results["force"][:, 2])
    grid = gough.run({**STUDY, "variations": [VARIED]})
    found = grid.to_xarray()
    assert found["peak_force"].sel(load=200.0) == grid["peak_force"][1]
    np.testing.assert_array_equal(found["peak_force_each"], grid.per_leg("peak_force"))


def test_a_result_without_names_of_its_data_is_refused_and_not_empty():
    class Bare(Displayable):
        def tables(self):
            return []

    with pytest.raises(NotImplementedError, match="Bare has neither `listed` nor a `to_dict`"):
        Bare().to_dict()
