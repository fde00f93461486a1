"""The page of an identification, opened: what was found, how surely, and what was done for it."""

import re

import numpy as np
import pytest
from chart_reading import ends, lines
from recordings import recorded
from report_samples import payload, unpack

import gough
from gough.report.identification_page import identification_page


@pytest.fixture(scope="module")
def found():
    robot = gough.load("demo-hexapod")
    columns = recorded(robot, 1, duration=10.0, measured="force", lag=0.004)
    columns = {name: np.delete(values, slice(5000, 5100)) for name, values in columns.items()}
    return gough.identify(
        robot.replace({"platform.mass": 180.0}),
        columns,
        legs="identical",
        validation=recorded(robot, 2, duration=6.0, measured="force", lag=0.004),
    )


@pytest.fixture(scope="module")
def text(found):
    return identification_page(found, "2026-11-16")


def test_the_head_says_filter_and_lag(opened, found, text):
    page = opened("identification", text)
    facts = " ".join(page.texts(".facts span"))
    assert "demo-hexapod" in facts
    assert f"Lag of efforts {found.lag.text}" in facts
    assert re.search(r"Filter [\d.]+ Hz", facts)


def test_what_was_done_about_the_recording_stands_above_it(opened, found, text):
    page = opened("identification", text)
    notes = page.texts(".notes li")
    assert "A gap of 0.101 s at 5 s: cut there." in notes
    assert len(notes) == len(found.notes)


def test_figures_are_those_of_an_unseen_motion_first(opened, found, text):
    page = opened("identification", text)
    first = page.texts(".figure")[0]
    assert "Unseen motion, not explained" in first
    assert f"{found.validation.rms:.4g}"[:4] in first
    assert f"before: {found.validation.rms_before:.4g}"[:10] in first


def test_each_parameter_has_its_interval_before_and_after(opened, found, text):
    page = opened("identification", text)
    rows = page.texts("tbody tr")
    assert len(rows) == len(found.parameters)
    mass = found["platform.mass"]
    cells = page.texts("tbody tr:first-child :is(td, th)")
    assert cells[0] == mass.formula
    low, high = (float(x) for x in cells[4].split(" … "))
    assert (low + high) / 2 == pytest.approx(mass.value, abs=0.06)
    assert [float(cells[k]) for k in (1, 2)] == pytest.approx([mass.prior, mass.value], abs=0.06)


def test_charts_draw_a_line_of_each_leg_and_none_across_a_gap(opened, found, text):
    page = opened("identification", text)
    page.scroll_through()
    charts = page.drawings()
    assert len(charts) == 4
    assert [len(lines(chart)) for chart in charts] == [6, 6, 6, 6]
    data = payload(text)
    _, recording = data["sections"]
    left = unpack(recording["quantities"]["Not explained"]["packed"])
    assert np.isnan(left).any(axis=0).sum() == 1
    np.testing.assert_allclose(ends(charts[3])[:, 1], found.residuals.max(0), rtol=0.05)


def test_without_another_motion_there_is_only_the_recording(opened, found):
    from dataclasses import replace

    page = opened("identification", identification_page(replace(found, validation=None)))
    assert page.count("#validation-charts") == 0
    assert page.count("#recording-charts .chart-frame") == 1
    assert len(page.texts(".figure")) == 3
