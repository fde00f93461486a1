"""Files that are there stay: every option that names a file to be written refuses one."""

from pathlib import Path

import pytest
from all_commands import COMMANDS

from gough.cli.options import names_new_file

READ = {
    ("design", "--catalogue"),
    ("identify dynamics", "--loaded"),
    ("identify dynamics", "--validation"),
    ("import", "--loop-closures"),
    ("identify payload", "--unloaded"),
    ("prove", "--check"),
    ("prove", "--resume"),
    ("run", "--cluster"),
    ("run", "--compare"),
    ("select", "--catalogue"),
    ("tolerances", "--cluster"),
    ("tolerances", "--tolerance"),
    ("view", "--study"),
    ("workspace volume", "--cluster"),
}
"""Options with files that a command reads."""
KNOWN_AGAIN = {("view", "--output")}
"""Those whose files Gough knows again as its own: others are refused in any case."""


def options_with_files():
    for name, command in COMMANDS.items():
        for option in command.params:
            if option.param_type_name == "option" and "FILE" in str(option.metavar):
                yield name, option


WRITTEN = [
    (name, max(option.opts, key=len))
    for name, option in options_with_files()
    if names_new_file(name.split()[-1], option.name)
]


def test_every_option_with_a_file_is_read_or_checked():
    found = {(name, max(option.opts, key=len)) for name, option in options_with_files()}
    assert found - {*WRITTEN} <= READ | KNOWN_AGAIN
    assert len(WRITTEN) > 20


@pytest.mark.parametrize(("name", "option"), WRITTEN, ids=str)
def test_a_file_that_is_there_is_refused_and_stays(gough, tmp_path, name, option):
    for suffix in (".png", ".html", ".csv", ".toml", ".mcap", ".json"):
        file = tmp_path / f"mine{suffix}"
        file.write_text("precious")
        found = gough(name, option, file)
        if "unknown kind of file" in found.err:
            continue
        line = found.complaint()
        assert line == f"gough: {file} is there already; give another name, or --overwrite"
        assert file.read_text() == "precious"
        return
    pytest.fail(f"{option} takes none of these files")


def test_a_file_that_is_there_is_written_over_when_that_is_asked_for(gough, tmp_path):
    file = tmp_path / "mine.png"
    file.write_text("old")
    assert gough("show", "delta", "--plot", file, "--overwrite").code == 0
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_page_is_written_over_if_it_is_a_workbench(gough, tmp_path):
    page = tmp_path / "delta.html"
    page.write_text("<p>precious</p>")
    line = gough("view", "delta", "-o", page, "--no-open").complaint()
    assert "not made by Gough" in line
    assert page.read_text() == "<p>precious</p>"


def test_a_default_name_is_checked_as_one_that_is_given(gough, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("excitation.toml").write_text("precious")
    assert "excitation.toml is there already" in gough("identify plan", "delta").complaint()


def test_two_options_do_not_name_one_file(gough, tmp_path):
    one, same = tmp_path / "a.png", tmp_path / "x" / ".." / "a.png"
    (tmp_path / "x").mkdir()
    found = gough("elastic stiffness", "demo-hexapod", "--plot", one, "--map", same)
    assert "named by another option, too" in found.complaint(2)
    assert not one.exists()
