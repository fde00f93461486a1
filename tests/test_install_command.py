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
        (None, 'pip install "gough[data]"'),
    ],
)  # fmt: skip
def test_an_extra_is_added_where_gough_came_from(monkeypatch, origin, command):
    text = origin and json.dumps(origin)
    installed = SimpleNamespace(read_text=lambda _: text)
    monkeypatch.setattr(metadata, "distribution", lambda _: installed)
    assert install_command("data") == command


def test_a_package_that_is_missing_is_named_with_the_command():
    with (
        pytest.raises(GoughError, match=r"need the package no_such; expected pip install .*\[x\]"),
        needing("no_such", "x", "tests"),
    ):
        import no_such  # noqa: F401
