"""MJCF files are read in the process of the tests: another one for each takes ten times as long."""

import pytest

from gough.errors import GoughError
from gough.exchange.importing import mjcf_process


@pytest.fixture(autouse=True)
def read_here(request, monkeypatch):
    """That there is another process, and that it has limits, is for the tests of hostile files."""
    if "hostile" not in request.path.stem:
        monkeypatch.setattr(mjcf_process, "_answer", _answer)


def _answer(path):
    from gough.exchange.importing.mjcf import mjcf_tree

    try:
        return mjcf_tree(path)
    except GoughError as error:
        return error
