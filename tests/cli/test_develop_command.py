"""The command that designs, controls, simulates and judges."""

import json

import pytest

TABLE = """
schema = "gough-study/1"
name = "across"
robot = "delta"
motion = { kind = "line", displacement = [0.02, 0, 0], duration = 0.3 }
controller = { kind = "computed-torque", frequency = "10 Hz" }
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(TABLE)
    return str(path)


def test_a_machine_is_accepted_and_written(gough, study, tmp_path):
    folder = tmp_path / "out"
    done = gough(
        "develop", "delta", study, "--limit", "peak_position_error=0.1mm", "--output", str(folder)
    )
    assert done.code == 0
    assert "delta: accepted" in done.out
    assert "peak position error" in done.out
    assert {"robot.toml", "summary.json", "study.json"} <= {file.name for file in folder.iterdir()}
    done = gough("develop", "delta", study, "--output", str(folder))
    assert done.code != 0  # other limits: the folder is kept
    assert "--overwrite" in done.err
    assert json.loads((folder / "summary.json").read_text())["limits"][0]["name"] == (
        "peak_position_error"
    )
    assert json.loads((folder / "summary.json").read_text())["limits"][0]["holds"]


def test_a_machine_is_refused_with_the_reason(gough, study):
    done = gough("develop", "delta", study, "--limit", "peak_force=1 mN m", "--json")
    told = json.loads(done.out)
    assert done.code == 0
    assert not told["accepted"]
    assert told["reasons"][0].startswith("peak force is ")


@pytest.mark.parametrize(
    ("given", "words"),
    [("peak_force", "expected FIGURE=VALUE"), ("peak_forse=1", "did you mean peak_force")],
)
def test_a_limit_that_is_none_is_refused(gough, study, given, words):
    done = gough("develop", "delta", study, "--limit", given)
    assert done.code != 0
    assert words in " ".join(done.err.split())


def test_what_a_file_is_its_schema_tells(gough, study, tmp_path):
    file = tmp_path / "any.toml"
    file.write_bytes(b"\xff\xfe")
    done = gough("develop", str(file), study)
    assert done.code != 0
    assert "internal error" not in done.err
    file.write_text('schema = "gough/1"\nname = "x"\nnotes = "of gough-design/1"\n')
    assert "platform: missing" in gough("develop", str(file), study).err  # read as a robot
    late = tmp_path / "late.json"
    late.write_text(json.dumps({"notes": "x" * 5000, "schema": "gough-design/1"}))
    told = gough("develop", str(late), study).err
    assert "missing" in told
    assert "platform" not in told  # read as a design
