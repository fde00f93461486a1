"""MJCF and USD are read in the process of the tests: another one takes ten times as long."""

import pytest

from gough.errors import GoughError
from gough.exchange.importing import reading_process


@pytest.fixture(autouse=True)
def read_here(request, monkeypatch):
    """Tests of hostile files, and those of the process itself, have the other process."""
    if "hostile" not in request.path.stem and "process" not in request.function.__name__:
        monkeypatch.setattr(reading_process, "_answer", _answer)


def _answer(path):
    if path.suffix in reading_process.USD:
        from gough.exchange.importing.usd import usd_machine as read
    else:
        from gough.exchange.importing.mjcf import mjcf_machine as read

    try:
        return read(path)
    except GoughError as error:
        return error
