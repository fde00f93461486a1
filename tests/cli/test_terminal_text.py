"""Names and notes of users on the terminal: shown as they are written, and nothing acts on it."""

import json

import pytest

import gough as library

HOSTILE = "\x1b[31mred \x9b1m :x: [bold]b[/bold] [link=x]y[/link] \u202eabc \r\x07 \\"

PRINTABLE = ":x: [bold]b[/bold] [link=x]y[/link] \\"
"""All that a name may have of it."""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    data = library.load("kalani-2016").to_dict()
    words = {"name": PRINTABLE, "reference": HOSTILE, "notes": f"{HOSTILE}\n{HOSTILE}"}
    monkeypatch.chdir(tmp_path)
    name = "a\x1b[31m:x:[bold].json"
    (tmp_path / name).write_text(json.dumps({**data, **words}))
    return name


ACTING = set("\x1b\x9b\x07\r\u202e")


@pytest.mark.parametrize("command", ["show", "check", "pose ik", "pose singularity"])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_nothing_that_a_user_wrote_acts_on_the_terminal(gough, machine, command, form):
    done = gough(command, machine, *form)
    assert done.code == 0
    assert not ACTING & set(done.out + done.err)


def test_names_are_shown_as_they_are_written(gough, machine):
    text = gough("check", machine).out
    assert ":x: [bold]b[/bold] [link=x]y[/link]" in text
    assert "a\\u001b[31m:x:[bold].json" in text


def test_json_gives_back_what_was_written(gough, machine):
    found = json.loads(gough("show", machine, "--json").out)
    assert (found["name"], found["reference"]) == (PRINTABLE, HOSTILE)


def test_complaints_do_not_act_on_the_terminal_either(gough):
    for words in (["show", HOSTILE], ["pose ik", "kalani-2016", "--position", HOSTILE, "0", "0"]):
        done = gough(*words)
        assert done.code in (1, 2)
        assert not ACTING & set(done.err)
        assert ":x: [bold]b[/bold]" in done.err


@pytest.mark.parametrize(
    "command", [["show"], ["workspace volume", "--slice", "z=0.95"], ["pose assemblies"]]
)
def test_dollars_in_a_name_are_no_formula_in_a_picture(gough, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    data = library.load("demo-hexapod").to_dict() | {"name": r"$x^{ y$ \frac{"}
    (tmp_path / "a.json").write_text(json.dumps(data))
    done = gough(command[0], "a.json", *command[1:], "--plot", "a.png")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "a.png").stat().st_size > 1000
