"""`gough prove`: verdicts, counter-examples, certificates, tolerances, errors."""

import json

import pytest

ROBOT = "demo-hexapod"
STROKES = [f for name in ("base-joint", "platform-joint", "clearance", "singularity")
           for f in ("--ignore", name)]  # fmt: skip

pytestmark = pytest.mark.usefixtures("wide")


def test_a_box_is_proved_and_its_certificate_written(gough, tmp_path):
    path = tmp_path / "proof.json"
    done = gough("prove", ROBOT, *STROKES, "--translation", "3cm", "3cm", "3cm", "-o", path)
    assert done.code == 0, done.err
    assert "proved for all poses of ± 0.03  0.03  0.03 m" in done.out
    assert "Proved margins" in done.out
    assert json.loads(path.read_text())["verdict"] == "proved"
    again = gough("prove", ROBOT, *STROKES, "--translation", "3cm", "3cm", "3cm", "-o", path)
    assert "--overwrite" in again.err


def test_a_refutation_shows_the_limit_and_the_pose(gough):
    done = gough("prove", ROBOT, *STROKES, "--translation", "30cm", "30cm", "30cm")
    assert "refuted" in done.out
    assert "stroke of leg" in done.out
    done = gough("prove", ROBOT, *STROKES, "--translation", "40cm", "0", "0", "--json")
    assert len(json.loads(done.out)["counter_example"]["pose"]) == 7


def test_tolerances_are_named_with_units(gough):
    zone = ("--tolerance-zone", "legs[*].base=50 um")
    done = gough("prove", ROBOT, *STROKES, "--translation", "1cm", "0", "0", *zone, "--json")
    data = json.loads(done.out)
    assert data["verdict"] == "proved"
    assert set(data["tolerances"].values()) == {5e-5}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "a box without sides"),
        (["--translation", "1cm", "0", "0", "--tolerance-zone", "legs[*].base"], "NAME=SIZE"),
        (["--translation", "1cm", "0", "0", "--tolerance-zone", "legs[*].bas=1um"], "legs[*].bas"),
        (["--translation", "1cm", "0", "0", "--tolerance-zone", "legs[*].base=1kg"], "kg"),
        (["--translation", "1cm", "0", "0", "--wrench", *"000000"[1:], "-1"], "wrench is"),
    ],
)
def test_wrong_requests_are_refused(gough, options, problem):
    done = gough("prove", ROBOT, *STROKES, *options)
    assert done.code != 0
    assert problem in done.err


def test_the_motion_of_a_study_is_proved_and_options_of_boxes_are_refused(gough, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        'schema = "gough-study/1"\nname = "short"\nrobot = "delta"\n'
        '[motion]\nkind = "line"\ndisplacement = [0.1, 0, 0]\nduration = 1\n'
    )
    done = gough("prove", path, *STROKES)
    assert done.code == 0, done.err
    assert "proved for all times of a motion of 1 s" in done.out
    for option in (["--position", "0", "0", "1m"], ["--wrench", *"100000"]):
        refused = gough("prove", path, *STROKES, *option)
        assert refused.code != 0
        assert option[0] in refused.err
        assert "expected a robot, and no study" in refused.err
