"""Commands that add an extra, the way Gough was installed."""

import json
import sys
from importlib import metadata
from types import SimpleNamespace

import pytest

from gough.errors import GoughError, install_command, needing


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ({"url": "file:///home/me/my%20gough", "dir_info": {"editable": True}},
         'pip install -e "/home/me/my gough[data]"'),
        ({"url": "file:///home/me/gough", "dir_info": {}}, 'pip install "/home/me/gough[data]"'),
        ({"url": "https://example.org/gough.git", "vcs_info": {"vcs": "git"}},
         'pip install "gough[data] @ git+https://example.org/gough.git"'),
        (None, 'pip install "gough[data]"'),
    ],
)  # fmt: skip
def test_an_extra_is_added_where_gough_came_from(monkeypatch, origin, command):
    texts = {"direct_url.json": origin and json.dumps(origin), "INSTALLER": "pip\n"}
    installed = SimpleNamespace(read_text=texts.get)
    monkeypatch.setattr(metadata, "distribution", lambda _: installed)
    monkeypatch.setattr("shutil.which", lambda _: sys.executable)
    assert install_command("data") == command


@pytest.mark.parametrize(
    ("installer", "prefix", "command"),
    [
        ("uv", "/home/me/.venv", "uv pip install"),
        ("pip", "/home/me/.local/share/pipx/venvs/gough", "pipx install --force"),
    ],
)
def test_the_command_is_that_of_the_program_that_installed_it(
    monkeypatch, installer, prefix, command
):
    installed = SimpleNamespace(read_text={"INSTALLER": installer}.get)
    monkeypatch.setattr(metadata, "distribution", lambda _: installed)
    monkeypatch.setattr("sys.prefix", prefix)
    monkeypatch.setattr("shutil.which", lambda _: sys.executable)
    assert install_command("data") == f'{command} "gough[data]"'


@pytest.mark.parametrize(
    ("installer", "command"),
    [("uv", "uv pip install --python {}"), ("pip", "{} -m pip install")],
)
@pytest.mark.parametrize("found", [None, "/usr/bin/python"])
def test_the_environment_is_named_where_it_is_not_active(monkeypatch, installer, command, found):
    installed = SimpleNamespace(read_text={"INSTALLER": installer}.get)
    monkeypatch.setattr(metadata, "distribution", lambda _: installed)
    monkeypatch.setattr("sys.executable", "/home/me/gough/.venv/bin/python")
    monkeypatch.setattr("shutil.which", lambda _: found)
    expected = f'{command.format(sys.executable)} "gough[data]"'
    assert install_command("data") == expected


def test_a_folder_is_written_as_the_system_writes_it(monkeypatch):
    there = {"url": "file:///C:/Users/me/gough", "dir_info": {}}
    installed = SimpleNamespace(read_text={"direct_url.json": json.dumps(there)}.get)
    monkeypatch.setattr(metadata, "distribution", lambda _: installed)
    on_windows = {"/C:/Users/me/gough": r"C:\Users\me\gough"}
    monkeypatch.setattr("urllib.request.url2pathname", on_windows.get)
    assert install_command("data").endswith(r'install "C:\Users\me\gough[data]"')


def test_a_package_that_is_missing_is_named_with_the_command():
    with (
        pytest.raises(GoughError, match=r"need the package no_such; expected .*install .*\[x\]"),
        needing("no_such", "x", "tests"),
    ):
        import no_such  # noqa: F401
