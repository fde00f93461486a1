"""`gough identify`: what is odd about a recording is reported, and dealt with."""

import json
import re

import numpy as np
import pytest
from recordings import recorded

import gough as library
from gough.disk.tables import write_csv
from gough.motion import Payload


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A file with a lag and a gap."""
    file = tmp_path_factory.mktemp("machine") / "recorded.csv"
    robot = library.load("demo-hexapod")
    columns = recorded(robot, 1, duration=8.0, measured="force", lag=0.005)
    write_csv(
        {name: np.delete(values, slice(4000, 4200)) for name, values in columns.items()}, file
    )
    return file


def test_lag_and_gaps_are_told(gough, written, tmp_path):
    words = ("identify dynamics", "demo-hexapod", written, "--legs", "identical")
    page = tmp_path / "page.html"
    out = gough(*words, "--robust", "--report", page).out
    assert "ms: taken into account" in out
    assert "a gap of 0.201 s at 4 s: cut there" in out
    assert "A gap of 0.201 s at 4 s: cut there." in page.read_text(encoding="utf-8")
    done = json.loads(gough(*words, "--json").out)
    assert done["lag"]["certain"]
    assert done["lag"]["value"] == pytest.approx(5e-3, abs=4 * done["lag"]["sigma"])
    assert "a gap of 0.201 s at 4 s: cut there" in done["notes"]


def test_a_payload_of_such_a_recording_is_found(gough, written):
    robot = library.load("demo-hexapod")
    file = written.parent / "lighter.toml"
    library.save(robot.replace({"platform.mass": robot.platform.mass - 20.0}), file)
    done = gough("identify payload", file, written)
    assert "a gap of 0.201 s at 4 s: cut there" in done.out
    assert "ms: taken into account" in done.out
    assert re.search(r"mass +(20|19)\.", done.out)


def test_known_numbers_and_recordings_without_the_payload_are_options(gough, tmp_path):
    robot = library.load("demo-hexapod")
    carried = Payload(20.0, (0.03, -0.02, 0.15))
    unloaded, loaded = tmp_path / "unloaded.csv", tmp_path / "loaded.csv"
    options = {"measured": "force", "time": np.arange(0.0, 5.0, 0.005)}
    write_csv(recorded(robot, 1, **options), unloaded)
    write_csv(recorded(carried.carried_by(robot), 2, **options), loaded)
    known = ("--legs", "identical", "--known", "legs[*]", "--friction", "offset", "--lag", 0)
    found = json.loads(gough("identify dynamics", "demo-hexapod", unloaded, *known, "--json").out)
    assert found["parameters"][0]["formula"] == "platform.mass"
    assert found["not_separable"] == []
    assert "name joints in friction if it acts" in found["warnings"][0]
    words = ("identify payload", "demo-hexapod", loaded, "--unloaded", unloaded, "--json")
    weighed = json.loads(gough(*words, *known).out)
    assert weighed["mass"] == pytest.approx(20.0, abs=4 * weighed["mass_sigma"])
    assert weighed["mass_sigma"] < 1.0


def test_torque_constants_are_found_with_a_payload(gough, tmp_path):
    robot = library.load("demo-hexapod")
    carried = Payload(20.0, (0.03, -0.02, 0.15))
    options = {"duration": 8.0, "measured": "motor_current"}
    unloaded, loaded = tmp_path / "unloaded.csv", tmp_path / "loaded.csv"
    write_csv(recorded(robot, 1, **options), unloaded)
    write_csv(recorded(carried.carried_by(robot), 2, **options), loaded)
    words = ("identify dynamics", "demo-hexapod", unloaded, "--legs", "identical", "--json")
    words += ("--loaded", loaded, "--payload", "20 kg", 0.03, "-20 mm", 0.15)
    found = json.loads(gough(*words).out)["parameters"]
    constants = [p for p in found if p["name"].endswith("torque_constant")]
    assert len(constants) == len(robot.legs)
    for constant in constants:
        assert constant["value"] == pytest.approx(0.6, abs=4 * constant["sigma"])
        assert constant["sigma"] < 0.005
