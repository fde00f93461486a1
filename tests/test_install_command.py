"""Commands that add an extra, the way Gough was installed."""

import json
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
    assert install_command("data") == f'{command} "gough[data]"'


def test_a_package_that_is_missing_is_named_with_the_command():
    with (
        pytest.raises(GoughError, match=r"need the package no_such; expected .*install .*\[x\]"),
        needing("no_such", "x", "tests"),
    ):
        import no_such  # noqa: F401
