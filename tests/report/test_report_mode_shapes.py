"""Mode shapes in a report: those of Python at the sample with the lowest first frequency."""

import json
from functools import cache

import numpy as np
import pytest
from report_samples import page, payload

import gough
from gough.motion import Payload
from gough.poses import displace, transform
from gough.report import report_page

HEXAPOD = gough.load("demo-hexapod").replace({"leg.connector": None})
STUDY = {
    "schema": "gough-study/1",
    "name": "swinging",
    "robot": HEXAPOD.to_dict(),
    "samples": 11,
    "outputs": {"quantities": ["vibration"]},
    "motion": {"kind": "line", "displacement": [0.1, 0, 0.05], "duration": 1},
    "tasks": [
        {"kind": "constant", "force": [200, 0, -300]},
        {"kind": "payload", "mass": 40, "active": [0, 0.45]},
    ],
}


@cache
def studied():
    """The results, and the page of them."""
    results = gough.run(STUDY)
    return results, report_page(results)


@pytest.fixture
def report(opened):
    results, text = studied()
    return results, opened("modes", text)


def test_shapes_are_pythons_and_films_show_them(report, js):
    results, opened = report
    data = opened.do("() => JSON.parse(document.getElementById('data').textContent)")
    shown = data["modes"]["modes"]
    k = results["natural_frequency"][:, 0].argmin()
    assert data["modes"]["time"] == results.time[k] < 0.45
    pose = results["pose"][k]
    carrying = Payload(40.0, (0.0, 0.0, 0.0)).carried_by(HEXAPOD, 0.0)
    found = gough.natural_modes(carrying, pose, wrench=results["wrench"][k])
    np.testing.assert_allclose([one["frequency"] for one in shown], found.frequencies, rtol=1e-9)
    np.testing.assert_allclose(found.frequencies, results["natural_frequency"][k], rtol=1e-9)
    np.testing.assert_allclose([one["step"] for one in shown], found.shapes, rtol=1e-9, atol=1e-12)
    assert [one["words"] for one in shown] == [words for words, _ in found.most]
    machine = data["machine"]
    platform = np.array(machine["platform"])
    for mode, shape in zip(shown, found.shapes, strict=True):
        largest = js("mode_shapes.largestWay", mode, pose.tolist(), machine["platform"])
        ways = shape[:3] + np.cross(shape[3:], transform(pose, platform) - pose[:3])
        assert largest == pytest.approx(np.linalg.norm(ways, axis=1).max(), rel=1e-9)
        factor = 0.7 * machine["swing"] / largest
        film = f"m.unpackFilm({json.dumps(mode['film'])})"
        given = f"={{...{json.dumps(machine)}, ...{film}, force: []}}"
        state = js("machine.machineAt", given, factor)
        swung = displace(pose, factor * shape)
        np.testing.assert_allclose(state["pose"], swung, atol=1e-6)
        ends = [state["points"][bar["end"]] for bar in machine["bars"]]
        np.testing.assert_allclose(ends, transform(swung, platform), atol=2e-6)


def test_a_reader_swings_the_machine(report):
    _, opened = report
    assert opened.texts(".mode-card h3") == [
        "Mode shapes at 0.4 s, where the first natural frequency is lowest"
    ]
    opened.element(".mode-card").scroll_into_view_if_needed()
    opened.pictures(3)
    rest = opened.pixels(".mode-scene canvas")
    opened.press(".modes button", 2)
    opened.press(".swing-row .play")
    assert opened.pixels(".mode-scene canvas") != rest
    assert "platform about z" in opened.texts(".modes [aria-pressed=true]")[0]
    opened.slide(".swing-row input", 0.2)
    assert "±" in opened.texts(".mode-shapes .note")[0]
    opened.press(".swing-row button", 1)
    assert opened.pixels(".mode-scene canvas") == rest
    opened.press(".mode-card .time")
    assert opened.element(".clock").inner_text() == "0.400 s"


def test_a_study_that_does_not_ask_for_them_has_none():
    assert payload(page("circle"))["modes"] is None
