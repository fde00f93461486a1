"""`gough control crossing`: a profile that can stand in the study that it was found for."""

import json

import pytest

STUDY = """
schema = "gough-study/1"
name = "down"
robot = "five-bar"
samples = 101

[motion]
kind = "line"
start = { position = [0, 0.16, 0], yaw = "-40 deg" }
displacement = [0, -0.12, 0]
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "down.toml"
    path.write_text(STUDY + "duration = 0.25\n", encoding="utf-8")
    return path


def test_what_it_prints_can_be_written_into_the_study(gough, study):
    printed = gough("control crossing", study).out
    study.write_text(STUDY + "\n".join(printed.splitlines()[-2:]), encoding="utf-8")
    results = json.loads(gough("run", study, "--json", "--output", study.with_suffix("")).out)
    (point,) = results["singularities"]
    assert point["bounded"]
    assert results["summary"]["peak_force"]["value"] == pytest.approx(1.116, abs=0.001)


def test_the_same_as_data(gough, study):
    found = json.loads(gough("control crossing", study, "--json", "--duration", "0.2").out)
    assert found["duration"] == 0.2
    assert found["profile"]["kind"] == "paced"
    assert 0 < found["times"][0] < 0.2
    assert found["usage"] < 1
