"""Odd input to every command: a few lines and an exit code of 1 or 2, soon."""

import json
import os
import time

import pytest

import gough as library
from gough.disk.files import OPENS_FOLDERS

LINE = 'kind="line", displacement=[0, 0, 0.01], duration=1'
SIX = ["1.2"] * 6
STUDY = 'schema = "gough-study/1"\nname = "odd"\nrobot = "demo-hexapod"\n'
MOTION = f"[motion]\n{LINE.replace(', d', chr(10) + 'd')}\n"
LOOP = STUDY + MOTION + '[controller]\nkind = "joint-pid"\nfrequency = 5\n'
RECORD = STUDY + (
    '[motion]\nkind = "recorded"\nfile = "FILE"\nposition_noise = 0\nangle_noise = 0\n'
)
FILES = {
    "date.toml": STUDY + "samples = 2020-01-01\n" + MOTION,
    "nul.toml": STUDY.replace("odd", "a\\u0000b") + MOTION,
    "rate.toml": STUDY + "rate = 1e30\n" + MOTION,
    "many.toml": STUDY + 'analysis = "x"\nfoo = 1\nsamples = true\n' + MOTION,
    "bad-rate.toml": STUDY + "rate = nan\n" + MOTION,
    "robot.toml": STUDY.replace("demo-hexapod", "fifo.toml") + MOTION,
    "zero.toml": RECORD.replace("FILE", "/dev/zero"),
    "ragged.toml": RECORD.replace("FILE", "ragged.csv"),
    "ragged.csv": "t,x\n0,0\n1\n",
    "binary.toml": RECORD.replace("FILE", "binary.csv"),
    "short.toml": RECORD.replace("FILE", "short.csv"),
    "short.csv": "t,x\n",
    "period.toml": LOOP + "[simulation]\nperiod = 1e-90\n",
    "steps.toml": LOOP + "[simulation]\nsubsteps = 999999999999\n",
    "long.toml": LOOP + "[simulation]\nduration = 1e90\n",
    "gain.toml": LOOP.replace("frequency = 5", "gains = {P = 1}"),
    "case.toml": LOOP + '[[cases]]\nname = "a\\nb"\nchanges = {}\n',
    "changes.toml": LOOP + '[[cases]]\nname = "a"\nchanges = 3\n',
    "tables.toml": LOOP.replace("5", '"x"') + "[plant]\nlegs = 3\n[simulation]\nseed = -1\n",
}
COMMANDS = [
    *(["run", name] for name in FILES if name.endswith(".toml")),
    *(["check", name] for name in FILES if name.endswith(".toml")),
    ["run", "mine.toml"],
    ["show", "rate.toml"],
    ["check", "fifo.toml"],
    ["check", "/dev/zero"],
    ["pose ik", "/dev/stdin"],
    ["pose ik", "kalani-2016", "--position", "0", "0", "9" * 20_000],
    ["pose ik", "kalani-2016", "--position", "0", "0", "1 m^9999"],
    ["pose ik", "kalani-2016", "--position", "0", "0", "1 kg^0"],
    ["pose ik", "kalani-2016", "--position", "0", "0"],
    ["pose ik", "kalani-2016", "--position", "0", "0", "1", "--position", "0", "0", "2"],
    ["pose singularity", "kalani-2016", "--rpy", "0", "0", "0", "--rpy", "0", "0", "1"],
    ["pose ik", "--", "--json"],
    ["pose fk", "kalani-2016", "--lengths", *SIX[1:], "-1"],
    ["pose fk", "kalani-2016", "--lengths", *SIX[1:], "1e99"],
    ["pose fk", "kalani-2016", "--lengths", *SIX, "--start", "moon"],
    ["pose assemblies", "kalani-2016", "--lengths", *SIX[1:], "nan"],
    ["workspace volume", "demo-hexapod", "--relative-error", "nan"],
    ["workspace volume", "demo-hexapod", "--max-condition", "-inf"],
    ["workspace volume", "demo-hexapod", "--slice", "z"],
    ["workspace volume", "demo-hexapod", "--slice", "z=1e999"],
    ["workspace volume", "demo-hexapod", "--ignore", "\x1b[31m"],
    ["run", "kalani-2016", "-m", LINE, "--samples", "1e9"],
    ["run", "kalani-2016", "-m", LINE, "--samples", "9" * 30],
    ["run", "kalani-2016", "-m", "a = " + "[" * 2000],
    ["run", "kalani-2016", "-m", "kind = 2020-01-01"],
    ["run", "kalani-2016", "-m", "fifo.toml"],
    ["run", "kalani-2016", "-m", LINE, "-o", "/dev/full/a"],
    ["control tune", "kalani-2016", "--delay", "-1"],
    ["control tune", "kalani-2016", "--period", "-inf"],
    ["export", "kalani-2016", "\x1b[31mjacobian"],
    ["export", "kalani-2016", "jacobian", "--to", "basic"],
    ["plot", "mine.toml"],
    ["plot", "/dev/zero", "force"],
    ["schema", "\x1b[31m"],
    ["\x1b[31m"],
    ["cache", "--clear", "more"],
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    if OPENS_FOLDERS:  # else without pipes it is a file that is missing
        os.mkfifo(tmp_path / "fifo.toml")
    library.save(library.load("kalani-2016"), tmp_path / "mine.toml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: ascii(" ".join(words)[:40]))
def test_odd_input_is_refused_soon_and_in_few_words(gough, words):
    began = time.perf_counter()
    done = gough(*words)
    assert time.perf_counter() - began < 10.0  # the first one imports
    assert done.complaint(done.code)
    assert done.code in (1, 2)
    assert "\x1b" not in done.err
    assert max(map(len, done.err.splitlines())) < 2000


WITH_JSON = [words for words in COMMANDS[::3] if words[0] not in ("schema", "\x1b[31m")]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", WITH_JSON, ids=lambda words: ascii(" ".join(words)[:40]))
def test_a_failure_is_plain_data_too(gough, words):
    done = gough(words[0], "--json", *words[1:])
    error = json.loads(done.out)["error"]
    assert done.code in (1, 2)
    assert done.err.startswith(f"gough: {error['message'].splitlines()[0]}"[:40])


def test_a_failure_names_its_parts(gough, here):
    done = gough("check", "many.toml", "--json")
    error = json.loads(done.out)["error"]
    assert done.code == 1
    assert (error["file"], error["key"], error["value"]) == ("many.toml", "foo", None)
    assert [p["key"] for p in error["problems"]] == ["foo", "samples", "analysis"]
    assert error["problems"][1]["value"] is True
    assert error["problems"][2]["expected"] == '"dynamic" or "static"'
    robot = library.load("kalani-2016").to_dict()
    robot["legs"][2]["base"] = [0, "3 kg", 0]
    (here / "robot.json").write_text(json.dumps(robot))
    error = json.loads(gough("pose ik", "robot.json", "--json").out)["error"]
    assert (error["key"], error["leg"], error["value"]) == ("legs[2].base[1]", 3, "3 kg")
