"""Clusters that are none: words, and soon."""

import json
import re
import socket
from threading import Thread
from time import monotonic

import pytest

from gough.errors import GoughError
from gough.executors import Cluster

pytest.importorskip("distributed")


def refused(address):
    began = monotonic()
    with pytest.raises(GoughError) as error:
        Cluster(str(address))
    assert monotonic() - began < 20  # five seconds, on a machine that has nothing else to do
    return str(error.value)


def test_a_scheduler_file_that_is_not_there_is_named(tmp_path):
    assert refused(tmp_path / "none.json").startswith(f"{tmp_path / 'none.json'}: no such file")


@pytest.mark.parametrize("content", ["{}", '{"address": 3}', "[1]", "not JSON", ""])
def test_a_file_of_something_else_is_no_scheduler_file(tmp_path, content):
    file = tmp_path / "other.json"
    file.write_text(content)
    assert refused(file).startswith(f"{file}: ")


def test_a_scheduler_that_is_gone_does_not_answer(tmp_path):
    file = tmp_path / "gone.json"
    file.write_text(json.dumps({"address": "tcp://127.0.0.1:1"}))
    assert "no Dask scheduler answers" in refused(file)


@pytest.mark.parametrize("address", ["nonsense://x", "tls://127.0.0.1:1", "tcp://"])
def test_an_address_that_cannot_be_reached_is_told(address):
    assert re.search("no Dask scheduler answers", refused(address))


def test_a_server_that_speaks_otherwise_is_no_scheduler():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            while True:
                try:
                    with server.accept()[0] as connection:
                        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 10)
                except OSError:
                    return

        Thread(target=answer, daemon=True).start()
        port = server.getsockname()[1]
        assert "no Dask scheduler answers" in refused(f"tcp://127.0.0.1:{port}")
        server.shutdown(socket.SHUT_RDWR)
