"""A cluster over TLS, on this machine: work goes there with certificates of one authority only."""

import asyncio
import json
import subprocess
import sys
from threading import Event, Thread

import distributed
import pytest

from gough.cli.main import main
from gough.errors import GoughError
from gough.executors import Cluster, Scheduler, in_chunks


def openssl(folder, *words):
    subprocess.run(["openssl", *map(str, words)], cwd=folder, check=True, capture_output=True)


def authority(folder):
    """A folder with `ca.pem`, and `own.pem` with `own.key`, which it has signed."""
    folder.mkdir()
    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(folder, *new, "-x509", "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem")
    openssl(folder, *new, "-subj", "/CN=own", "-keyout", "own.key", "-out", "own.csr")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "own.pem")
    openssl(folder, "x509", "-req", "-in", "own.csr", *signed)
    return tuple(folder / name for name in ("ca.pem", "own.pem", "own.key"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return authority(tmp_path_factory.mktemp("tls") / "ours")


@pytest.fixture(scope="module")
def address(files):
    """A scheduler and a worker, in a thread of this process."""
    ca, cert, key = map(str, files)
    roles = {f"tls_{role}_{part}": file for role in ("client", "scheduler", "worker")
             for part, file in (("cert", cert), ("key", key))}  # fmt: skip
    security = distributed.Security(require_encryption=True, tls_ca_file=ca, **roles)
    found, ready, done = [], Event(), Event()

    async def serve():
        there = {"host": "tls://127.0.0.1", "security": security, "dashboard": False}
        free = {"port": 0, "dashboard_address": ":0"}  # by default 8787, which others may have
        async with (
            distributed.Scheduler(**free, **there) as scheduler,
            distributed.Worker(scheduler.address, nthreads=1, security=security, dashboard=False),
        ):
            found.append(scheduler.address)
            ready.set()
            await asyncio.to_thread(done.wait)

    server = Thread(target=lambda: asyncio.run(serve()))
    server.start()
    assert ready.wait(30)
    yield found[0]
    done.set()
    server.join(30)


def squares(items):
    return [item**2 for item in items]


def test_work_is_done_over_tls_with_certificates(address, files):
    assert address.startswith("tls://")
    chunks = in_chunks(squares, range(3), executor=Scheduler(address, *files))
    assert sorted(x for chunk in chunks for x in chunk.result) == [0, 1, 4]


def test_the_command_line_takes_the_three_files(address, files, monkeypatch, capsys):
    words = (
        "tolerances",
        "demo-hexapod",
        "--tolerance",
        "legs[*].base=50 um",
        "--monte-carlo",
        "2",
    )
    there = ("--cluster", address, "--tls", *files)
    monkeypatch.setattr(sys, "argv", ["gough", *words, *map(str, there), "--json"])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    assert json.loads(capsys.readouterr().out)


def test_certificates_without_a_cluster_are_refused(files, monkeypatch, capsys):
    words = ["gough", "workspace", "volume", "demo-hexapod", "--tls", *map(str, files)]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit):
        main()
    assert "only with --cluster tls://host:8786" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["another authority", "no certificates"])
def test_who_has_no_certificate_of_the_authority_is_not_answered(
    address, how, tmp_path, monkeypatch
):
    monkeypatch.setattr("gough.executors.cluster._CONNECTING", 1.0)
    given = address if how == "no certificates" else Scheduler(address, *authority(tmp_path / "b"))
    with pytest.raises(GoughError, match=r"tls://127.0.0.1:\d+: no Dask scheduler answers"):
        Cluster(given)


def test_certificates_are_not_for_an_address_without_encryption(files):
    with pytest.raises(GoughError, match=r"tcp://127.0.0.1:1 is not encrypted; expected tls://"):
        Cluster(Scheduler("tcp://127.0.0.1:1", *files))


def test_a_file_that_is_not_there_is_named(files, tmp_path):
    with pytest.raises(GoughError, match=r"none.pem: no such file; expected a certificate"):
        Cluster(Scheduler("tls://127.0.0.1:1", files[0], tmp_path / "none.pem", files[2]))
