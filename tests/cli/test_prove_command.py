"""`gough prove`: verdicts, counter-examples, certificates, tolerances, errors."""

import json
import signal
import time

import pytest

from gough.cli.interrupts import AGAIN
from gough.kinematics.proof import certificate, prove

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
    checked = gough("prove", "--check", path, "--at-most", "1")
    assert checked.code == 0, checked.err
    assert "the certificate holds" in checked.out
    assert json.loads(gough("prove", ROBOT, "--check", path, "--json").out)["verdict"] == "proved"
    path.write_text(path.read_text().replace('"proved"', '"refuted"'))
    refused = gough("prove", "--check", path)
    assert refused.code != 0
    assert "the certificate was changed" in refused.err
    other = gough("prove", "delta", "--check", path)
    assert other.code != 0


def test_a_ball_is_proved_instead_of_a_box(gough):
    done = gough("prove", ROBOT, *STROKES, "--radius", "5cm")
    assert "proved for all poses of a ball of radius 0.05 m" in done.out, done.err
    both = gough("prove", ROBOT, "--radius", "5cm", "--translation", "1cm", "0", "0")
    assert "not with --translation" in both.err


def test_options_of_proofs_are_refused_with_check(gough, tmp_path):
    for option in (["--translation", "1cm", "0", "0"], ["--ignore", "clearance"]):
        done = gough("prove", "--check", tmp_path / "absent.json", *option)
        assert done.code != 0
        assert "not with --check" in done.err
    assert (
        "no such file; expected a certificate"
        in gough("prove", "--check", tmp_path / "absent.json").err
    )
    assert "missing argument 'ROBOT'" in gough("prove").err
    two = gough("prove", "delta", "--translation", "1mm", "0", "0", "--twist", "1", "2")
    assert "'--twist': got 2 numbers; expected six, or one" in two.err


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
    certificate = tmp_path / "proof.json"
    done = gough("prove", path, *STROKES, "-o", certificate)
    assert done.code == 0, done.err
    assert "proved for all times of a motion of 1 s" in done.out
    checked = gough("prove", path, "--check", certificate, "--at-most", 2)
    assert checked.code == 0, checked.err
    assert "all times of a motion of 1 s" in checked.out
    assert "--check with the study" in gough("prove", "--check", certificate).err
    assert "about a motion" in gough("prove", "delta", "--resume", certificate).err
    for option in (["--position", "0", "0", "1m"], ["--wrench", *"100000"]):
        refused = gough("prove", path, *STROKES, *option)
        assert refused.code != 0
        assert option[0] in refused.err
        assert "expected a robot, and no study" in refused.err


SIDE = [f for name in ("stroke", "base-joint", "platform-joint", "clearance")
        for f in ("--ignore", name)]  # fmt: skip
BOX = ["--translation", "5cm", "5cm", "5cm", "--rotation", "5deg", "5deg", "5deg"]


def test_a_certificate_with_undecided_boxes_is_carried_on_by_workers(gough, tmp_path):
    first, last = tmp_path / "first.json", tmp_path / "last.json"
    done = gough("prove", ROBOT, *SIDE, *BOX, "--at-most", 2, "-o", first)
    assert done.code == 0, done.err
    assert "undecided" in done.out
    assert f"gough prove {ROBOT} --resume" in " ".join(done.out.split())
    done = gough("prove", ROBOT, "--resume", first, "--workers", 2, "-o", last)
    assert done.code == 0, done.err
    whole = tmp_path / "whole.json"
    assert gough("prove", ROBOT, *SIDE, *BOX, "-o", whole).code == 0
    found, alone = (json.loads(path.read_text()) for path in (last, whole))
    assert found["verdict"] == "proved"
    assert found["boxes"] == alone["boxes"]
    for option in (BOX, ["--max-condition", "8"]):
        refused = gough("prove", ROBOT, "--resume", first, *option)
        assert refused.code != 0
        assert "not with --resume" in refused.err
    refused = gough("prove", "kalani-2016", "--resume", first)
    assert "another robot" in refused.err


@pytest.mark.usefixtures("interruptible")
def test_what_an_interrupt_leaves_is_saved_however_long_that_takes(gough, tmp_path, monkeypatch):
    def press(self, *args, real=prove.ProofSearch.bounded):
        signal.raise_signal(signal.SIGINT)
        return real(self, *args)

    def slow(self, path, real=certificate.write):
        time.sleep(3 * AGAIN)
        real(self, path)

    monkeypatch.setattr(prove.ProofSearch, "bounded", press)
    monkeypatch.setattr(certificate, "write", slow)
    path = tmp_path / "part.json"
    done = gough("prove", ROBOT, *SIDE, *BOX, "-o", path)
    assert (done.code, done.err) == (130, "gough: interrupted\n")
    assert "undecided" in done.out
    monkeypatch.undo()
    assert json.loads(gough("prove", "--check", path, "--json").out)["verdict"] == "undecided"
