"""Whatever stands on the command line: one line that says what is wrong, never a traceback."""

from pathlib import Path

import pytest

LINE = 'kind="line", displacement=[0, 0, 0.01], duration=1'
SIX = ["--lengths", *["1.2"] * 6]
STUDIES = Path(__file__).parents[2] / "studies"

CONTENTS = {
    "empty.toml": b"",
    "empty.json": b"",
    "binary.toml": bytes(range(256)),
    "binary.json": bytes(range(256)),
    "unicode é😀.toml": 'schema = "gough/1"\nname = "é😀"\n'.encode(),
    "list.json": b"[1, 2]",
    "null.json": b"null",
    "nan.json": b'{"schema": "gough/1", "name": "x", "platform": {"mass": NaN}}',
    "deep.json": b"[" * 100_000,
    "deep.toml": b"a = " + b"[" * 100_000,
    "twice.toml": b"a = 1\na = 2\n",
    "text.txt": b"hi",
}
PLACES = ["none.toml", "folder", "", "x" * 300, "\udcff.toml", "two\nlines.toml", *CONTENTS]
WITH_FILE = [
    ["show"], ["check"], ["pose ik"], ["pose singularity"], ["pose assemblies"],
    ["workspace volume"], ["control tune"],
    ["run"], ["plot"], ["elastic vibration"],
]  # fmt: skip
WRONG_NUMBERS = ["nan", "inf", "1e400", "abc", "", "3 kg", "1 m m", "5 %", "1,2", "😀"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    for name, content in CONTENTS.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("place", PLACES, ids=ascii)
def test_files_that_are_not_what_they_should_be(gough, place):
    for words in WITH_FILE:
        gough(*words, place).complaint(1)
    gough("pose fk", place, *SIX).complaint(1)
    gough("export kernels", place, "jacobian").complaint(1)
    gough("run", place, "-m", LINE).complaint(1)
    code = 1 if place.endswith((".toml", ".json")) else 2  # a file, or a table
    gough("run", "kalani-2016", "-m", place or "=").complaint(code)
    gough("run", "kalani-2016", "-m", LINE, "-t", place or "=").complaint(code)


@pytest.mark.parametrize("length", ["-1", "0", "-5 mm"])
@pytest.mark.parametrize("command", ["pose fk", "pose assemblies"])
def test_legs_have_a_length(gough, command, length):
    words = gough(command, "demo-hexapod", "--lengths", 1, length, 1, 1, 1, 1).complaint(2)
    assert "'--lengths': leg 2 has length" in words
    assert "expected one above 0" in words


def test_a_word_that_an_option_does_not_know_is_said_without_ado(gough):
    words = gough("export kernels", "demo-hexapod", "jacobian", "--to", "rust").complaint(2)
    expected = "'rust' is not one of 'c', 'cuda', 'js', 'wasm'"
    assert words.startswith(f"gough: invalid value for '--to': {expected}")


@pytest.mark.parametrize("number", WRONG_NUMBERS, ids=ascii)
def test_numbers_that_are_none(gough, number):
    for command in ("pose ik", "pose singularity"):
        gough(command, "kalani-2016", "--position", 0, 0, number).complaint(2)
        gough(command, "kalani-2016", "--rpy", 0, 0, number, "--degrees").complaint(2)
    gough("pose fk", "kalani-2016", "--lengths", number, *SIX[2:]).complaint(2)
    gough("pose fk", "kalani-2016", *SIX, "--guess", 0, 0, number).complaint(2)
    gough("pose assemblies", "kalani-2016", "--lengths", number, *SIX[2:]).complaint(2)
    gough("workspace volume", "demo-hexapod", "--slice", f"z={number}").complaint(2)
    for option in ("--frequency", "--damping", "--integral-rate", "--period", "--delay"):
        gough("control tune", "demo-hexapod", option, number).complaint(2)
    gough("run", "kalani-2016", "-m", LINE, "--samples", number).complaint(2)
    payload = f'kind="payload", mass="{number.replace("kg", "m")}"'
    gough("run", "kalani-2016", "-m", LINE, "-t", payload).complaint(1)


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ("kind", 2),
        ("kind=", 2),
        ("kind=3", 1),
        ("kind=[]", 1),
        ("kind={}", 1),
        ('kind="line"', 1),
        ('kind="line", displacement=[0, 0], duration=1', 1),
        ('kind="line", displacement=[0, 0, 1], duration=-1', 1),
        ('kind="line", displacement=[0, 0, 1], duration="1 m"', 1),
        ('kind="sequence", parts=[1]', 1),
        ('kind="sequence", parts=[{kind="hold", duration=1}], repeat=1000000000', 1),
        ('kind="waypoints", waypoints=3', 1),
        ('kind="recorded", file="folder", position_noise=0, angle_noise=0', 1),
        ('kind="recorded", file="binary.toml", position_noise=0, angle_noise=0', 1),
        ('kind="expression", duration=1, x="__import__(\'os\')"', 1),
    ],
)
@pytest.mark.usefixtures("here")
def test_motions_that_are_none(gough, table, code):
    gough("run", "kalani-2016", "-m", table).complaint(code)
    gough("run", "kalani-2016", "-m", LINE, "-t", table).complaint(code)


@pytest.mark.parametrize("place", ["text.txt", "text.txt/x", "full", "/proc/none", "x" * 300])
def test_places_that_cannot_be_written(gough, here, place):
    before = sorted(here.rglob("*"))
    for study in ("bingul-1.toml", "baiges-half-turn.toml"):
        gough("run", STUDIES / study, "-o", place, "--no-report").complaint(1)
    gough("run", STUDIES / "simulation" / "demo-pid.toml", "-o", place).complaint(1)
    if place != "full":
        gough("export kernels", "kalani-2016", "jacobian", "-o", place).complaint(1)
        gough("show", "kalani-2016", "--plot", f"{place}/a.png").complaint(1)
        gough("run", "kalani-2016", "-m", LINE, "-o", f"{place}/a").complaint(1)
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize("facts", ["", "{}", "[]", "3", '{"variations": 3}', '{"quantities": []}'])
def test_results_that_are_damaged(gough, here, facts):
    (here / "folder" / "summary.json").write_text(facts)
    gough("plot", "folder").complaint(1)
    gough("plot", "folder", "force").complaint(1)
