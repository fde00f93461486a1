"""`gough design`: its tables fit a terminal, and it says where machines are and what is next."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import tomli_w

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch, gough):
    monkeypatch.chdir(tmp_path)
    gough("new", "design")


def test_a_machine_that_is_not_saved_is_said_to_be_so(gough):
    *_, last = gough("design", "my-design.toml", "--starts", 1).out.splitlines()
    assert last == "note not saved; --output FOLDER writes robots, a table and a page"


def test_after_writing_the_next_step_is_one_that_can_be_taken(gough):
    *_, last = gough("design", "my-design.toml", "--starts", 1, "-o", "my out").out.splitlines()
    step = shlex.split(last.removeprefix("note next: "))
    assert step == ["gough", "show", "my out/my-design.toml"]
    assert gough(*step[1:]).code == 0


def test_the_page_counts_as_many_states_as_check_does(gough):
    gough("design", "my-design.toml", "--starts", 1, "-o", "out")
    (states,) = re.findall(r"states +(\d+)", gough("check", "my-design.toml").out)
    assert f"{states} and home" in Path("out/report.html").read_text("utf-8")


def test_names_of_a_front_are_told_apart_in_80_columns(gough, tmp_path):
    content = tomllib.loads((ROOT / "designs" / "simulator.toml").read_text("utf-8"))
    content["demands"] = [{"name": "box", "box": {"x": "100 mm", "points": 2}}]
    (tmp_path / "narrow.toml").write_text(tomli_w.dumps(content))
    done = gough("design", tmp_path / "narrow.toml", "--starts", 1, "--points", 3)
    heads, rule, *_ = re.split(r"─+", done.out)
    assert max(map(len, done.out.splitlines())) <= 80
    assert "…" not in heads + rule
    words = re.findall(r"[a-z]+", heads)
    assert (words.count("platform"), words.count("radius"), words.count("angle")) == (2, 3, 2)
