"""The envelope of several motions: the worst of each leg and of all, wherever it is."""

from dataclasses import replace

import numpy as np
import pytest

import gough

MOTION = {"kind": "expression", "duration": 2, "z": "0.99 + 50*mm*sin(2*pi*t)"}
BASE = {
    "schema": "gough-study/1",
    "robot": "demo-hexapod",
    "samples": 201,
    "outputs": {"quantities": ["legs", "forces", "drives"]},
}
UP = BASE | {"name": "up", "motion": MOTION}
ASIDE = BASE | {"name": "aside", "motion": MOTION | {"x": "90*mm*sin(pi*t)", "z": "0.95"}}
MASSES = {"name": "mass", "parameter": "robot.platform.mass", "values": [150, 300, 200]}


@pytest.fixture(scope="module")
def results():
    return [gough.run(study) for study in (UP, ASIDE)]


@pytest.fixture(scope="module")
def envelope(results):
    return gough.envelope(results)


@pytest.mark.parametrize("name", ["peak_force", "peak_leg_speed", "peak_power", "rms_force"])
def test_every_leg_has_its_worst_of_all_motions(envelope, results, name):
    quantity = name.removeprefix("peak_").removeprefix("rms_")
    sizes = []
    for one in results:
        values = np.abs(one[quantity])
        if name.startswith("rms"):
            sizes.append(np.sqrt(np.trapezoid(values**2, one.time, axis=0) / one.time[-1]))
        else:
            sizes.append(values.max(axis=0))
    worst = envelope[name]
    np.testing.assert_allclose(worst.per_leg, np.max(sizes, axis=0))
    names = [("up", "aside")[k] for k in np.argmax(sizes, axis=0)]
    assert list(worst.motions) == names
    assert worst.value == pytest.approx(np.max(sizes))
    assert worst.leg == int(np.argmax(np.max(sizes, axis=0))) + 1
    assert worst.place == f"leg {worst.leg}"


def test_the_stroke_goes_over_all_motions(envelope, results):
    lengths = np.concatenate([one["leg_length"] for one in results])
    used = np.ptp(lengths, axis=0)
    np.testing.assert_allclose(envelope["stroke_used"].per_leg, used)
    assert envelope["stroke_used"].value == pytest.approx(used.max())
    assert used.max() > max(one.summary["stroke_used"].value for one in results)


def test_margins_are_worst_where_they_are_least(envelope, results):
    least = [one.summary["minimum_stroke_margin"].value for one in results]
    assert envelope["minimum_stroke_margin"].value == min(least)


def test_every_point_of_a_grid_is_a_motion(results):
    grid = gough.run(UP | {"variations": [MASSES]})
    found = gough.envelope([grid, results[1]])
    assert found.motions == ("up, mass 150", "up, mass 300", "up, mass 200", "aside")
    worst = found["peak_force"]
    assert worst.value == pytest.approx(grid["peak_force"].max())
    assert worst.motion == "up, mass 300"
    np.testing.assert_allclose(
        worst.per_leg,
        np.maximum(
            grid.per_leg("peak_force").max(axis=0), results[1].summary["peak_force"].per_leg
        ),
    )


def test_it_is_plain_data_too(envelope):
    data = envelope.to_dict()
    assert data["motions"] == ["up", "aside"]
    assert data["figures"]["peak_force"]["value"] == envelope["peak_force"].value


def test_what_is_no_envelope_is_refused(envelope, results):
    with pytest.raises(gough.GoughError, match="no results; expected what"):
        gough.envelope([])
    with pytest.raises(gough.GoughError, match="no figure 'x' in the envelope; expected one of"):
        envelope["x"]
    other = replace(results[0], robot=gough.load("five-bar"))
    with pytest.raises(gough.GoughError, match="demo-hexapod and five-bar have other actuators"):
        gough.envelope([results[0], other])
