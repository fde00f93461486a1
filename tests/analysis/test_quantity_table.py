"""The table of quantities: what is said there once is what results, figures and reports show."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from report_samples import page, results

import gough
from gough.analysis import reductions
from gough.analysis.axes import DIRECTION, LEG
from gough.analysis.definition import Figure, QuantityDefinition
from gough.analysis.figures import FIGURES, figure_of
from gough.analysis.limits import LIMITS
from gough.analysis.quantities import DEFINITIONS, QUANTITIES, table_of
from gough.analysis.reductions import TimeSeries
from gough.analysis.results import Quantity, Results
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.model.catalogue import definitions
from gough.model.structure import structure_of
from gough.report.study_page import study_page

LEGS = 6


@pytest.mark.parametrize("kind", ["circle", "simulation"])
def test_values_have_the_axes_that_the_table_names(kind):
    found = results(kind)
    table = DEFINITIONS | table_of(found.robot)
    for name, quantity in found.quantities.items():
        assert quantity.values.shape[1:] == table[name].argument(LEGS).shape
        assert len(set(quantity.labels)) == quantity.values[0].size


def test_axes_come_back_with_stored_results(tmp_path):
    found = results("simulation")
    found.save(tmp_path / "run")
    again = Results.load(tmp_path / "run")
    assert {n: q.axes for n, q in again.quantities.items()} == {
        n: q.axes for n, q in found.quantities.items()
    }
    assert again.simulation == found.simulation


def test_a_machine_with_other_legs_has_columns_for_each_of_them():
    force = Quantity.of("force", np.zeros((2, 3)))
    turns = Quantity("turns", "rad", "", np.zeros((2, 3, 3)), (LEG, DIRECTION))
    assert force.columns == ["force_1 [N]", "force_2 [N]", "force_3 [N]"]
    assert turns.labels[-1] == "turns_3_z"


@pytest.mark.parametrize("name", ["demo-hexapod", "delta", "orthoglide", "planar-3rrr", "tricept"])
def test_kernels_give_what_the_table_says_of_them(name):
    robot = gough.load(name)
    structure = structure_of(robot)
    known = definitions(structure, DEFAULT_FORMULATION)
    for quantity in table_of(robot).values():
        if quantity.kernel:
            kernel, _, result = quantity.kernel.partition(".")
            given = {argument.name: argument for argument in known[kernel].outputs}
            one = given[result] if result else known[kernel].outputs[0]
            assert one.shape == quantity.argument(structure.actuators).shape
            units = set(quantity.unit.split(", "))
            assert units <= set(one.unit.split(", "))


def test_limits_bound_quantities_and_name_their_margins():
    for limit in LIMITS:
        assert limit.quantity in DEFINITIONS
        assert limit.margin == "" or QUANTITIES[limit.margin].group == "margins"
        assert FIGURES[limit.figure].worst == "min"


def test_figures_that_a_motion_without_forces_keeps_are_those_of_its_shape():
    found = results("turn")
    assert found.singularities
    for name, figure in found.summary.items():
        quantity = figure_of(name).quantity
        assert np.isnan(figure.value) == bool(quantity and quantity.of_forces)


def test_an_entry_is_all_that_a_report_needs(monkeypatch):
    title = "Warmth of the motors"
    entry = QuantityDefinition("warmth", "drives", "K", "of each motor", titles=(title,))
    monkeypatch.setitem(DEFINITIONS, "warmth", entry)
    found = results("circle")
    warmth = Quantity.of("warmth", np.ones((len(found.time), LEGS)))
    text = study_page(replace(found, quantities={**found.quantities, "warmth": warmth}))
    data = json.loads(re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", text)[1])
    (motors,) = [part for part in data["sections"] if part["title"] == "Motors"]
    assert title in [chart["title"] for chart in motors["charts"]]
    assert title not in page("circle")


@pytest.mark.parametrize(
    ("values", "value", "leg", "time"),
    [
        ([[1.0, -2.0], [2.0, 1.0], [0.0, 0.0]], 2.0, 1, 1.0),
        ([[1.0, -2.0], [0.0, 2.0], [0.0, 0.0]], 2.0, 2, 1.0),
        ([[1.0, -3.0], [0.0, 2.0], [0.0, -3.0]], 3.0, 2, 0.0),
    ],
)
def test_a_peak_is_where_its_size_is_first_and_of_two_signs_where_it_is_positive(
    values, value, leg, time
):
    found = reductions.PEAK.find(TimeSeries(np.arange(3.0), np.array(values)))
    assert (found.value, found.leg + 1, found.sample()) == (value, leg, time)


def test_a_figure_has_the_unit_of_its_quantity_unless_its_reduction_has_another():
    power = QUANTITIES["power"]
    assert Figure(reductions.PEAK) in power.figures
    assert FIGURES["peak_power"].unit == power.unit == "W"
    assert FIGURES["energy_spent"].unit == "J"


def test_values_of_another_shape_than_the_table_s_are_numbered():
    earlier = Quantity.of("stored_energy", np.zeros((2, 3)), unit="J")
    assert earlier.columns == [f"stored_energy_{k} [J]" for k in (1, 2, 3)]
