"""Odd addresses of clusters are refused in a few words, and soon."""

import json

import pytest

from fuzz.share import Tally, cases, outcome
from fuzz.texts import damaged
from gough.executors import Cluster

pytest.importorskip("distributed")
ADDRESSES = [
    *(b"tcp://127.0.0.1:1", b"tls://127.0.0.1:1", b"127.0.0.1:1", b"localhost", b"tcp://[::1]:1"),
    *(b"inproc://127.0.0.1/1/1", b"ucx://127.0.0.1:1", b"ws://127.0.0.1:1/x", b"file.json"),
]
FILE = json.dumps({"type": "Scheduler", "id": "a", "address": "tcp://127.0.0.1:1", "workers": {}})


def test_an_address_with_mistakes_is_refused_in_a_few_words(tmp_path, monkeypatch, record_property):
    monkeypatch.setattr("gough.executors.cluster._CONNECTING", 0.2)
    monkeypatch.chdir(tmp_path)
    tally, file = Tally("addresses of clusters"), tmp_path / "a.json"
    for seed, rng in cases(8, seed=16_000_000):
        of_file = rng.random() < 0.5
        file.write_bytes(damaged([FILE.encode()], rng))
        given = str(file) if of_file else damaged(ADDRESSES, rng).decode(errors="replace")
        found, _ = outcome(f"address {seed}: {given!r:.80}", Cluster, given, longest=5.0)
        assert found is None, f"address {seed}: {given!r:.80}"
        tally.add("scheduler files refused" if of_file else "refused")
    record_property("fuzz", str(tally))
