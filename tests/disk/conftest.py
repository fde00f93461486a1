"""What the tests of folders share: no power is lost while they run."""

import os

import pytest


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch):
    """Have nobody wait until files would outlast a loss of power: that takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)
