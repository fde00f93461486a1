"""A Dask cluster: workers on many machines, which a scheduler hands work to.

Dask gives the work of a worker that ended to another one by itself. Dask is an extra, and imported
only here.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import urlsplit

from gough.errors import GoughError, InputError, clipped, needing
from gough.executors.workers import Workers, refuse_others, versions_here
from gough.fields.user_files import read_table

if TYPE_CHECKING:
    from distributed import Client

_CONNECTING = 5.0  # time that a scheduler may take to answer [s]
_MOST_FRAMES = 1000
_SECONDS_BETWEEN = 1.0  # time for which it is not asked again who is there [s]
T = TypeVar("T")


class Scheduler(NamedTuple):
    """The address of a scheduler that takes work over TLS only, and the files to prove who asks."""

    address: str
    """Such as `tls://host:8786`, or the path of a scheduler file (`.json`)."""
    ca_file: Path
    """Certificate of the authority that has signed all others (PEM)."""
    cert: Path
    """Own certificate (PEM)."""
    key: Path
    """Key of the own certificate (PEM)."""


class Cluster(Workers):
    """The workers of a Dask cluster, by a Client of it, by its address, or by a `Scheduler`.

    An address is that of its scheduler (`tcp://host:8786`), or the path of a scheduler file
    (`.json`). Whoever gives a Client keeps it; a connection made here ends with this.
    """

    def __init__(self, cluster: Client | Scheduler | str) -> None:
        self._own = isinstance(cluster, str | Scheduler)
        self.client = _connected(cluster) if isinstance(cluster, str | Scheduler) else cluster
        self._address = self.client.scheduler.address
        self._slots, self._asked = 0, -inf
        try:
            self._check()
        except BaseException:
            self.close()
            raise
        self._executor = self.client.get_executor(pure=False)

    def __repr__(self) -> str:
        return f"<gough executor: Dask cluster {self._address}, {self.slots} slots>"

    @property
    def slots(self) -> int:
        """The threads of all workers that are there now; one, while there are none."""
        if monotonic() > self._asked + _SECONDS_BETWEEN:
            with suppress(OSError):  # without the scheduler the last number counts
                self._slots = sum(self.client.nthreads().values())
            self._asked = monotonic()
        return max(1, self._slots)

    def submit(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Have it done by one of the workers."""
        future: Future[T] = self._executor.submit(work, *arguments)
        return future

    def explained(self, error: Exception) -> GoughError | None:
        """A cluster that is gone, and work that its workers end at."""
        from distributed import KilledWorker  # noqa: PLC0415

        if isinstance(error, CancelledError):
            return GoughError(
                f"the scheduler {self._address} is gone; expected one that outlasts the run"
            )
        if isinstance(error, KilledWorker):
            return GoughError(f"work has ended its workers: {error}; expected enough memory for it")
        return None

    def close(self) -> None:
        """Drop what is under way; a connection made here is closed."""
        if self._own:
            self.client.close()

    def _check(self) -> None:
        """Refuse workers that have no Gough or another one; those that come later say so too."""
        for address, found in self.client.run(versions_here, on_error="return").items():
            refuse_others(found, f"worker {address}", versions_here())


def _connected(scheduler: Scheduler | str) -> Client:
    with needing("dask[distributed]", "cluster", "clusters"):
        from distributed import Client, Security  # noqa: PLC0415  (an extra)
    address, *files = (scheduler,) if isinstance(scheduler, str) else scheduler
    address = str(address)
    where = _of_scheduler_file(Path(address)) if address.endswith(".json") else address
    security = None
    if files:
        if not where.startswith("tls://"):
            problem = f"{where} is not encrypted"
            raise GoughError(f"{problem}; expected tls://host:8786 with certificates")
        ca, cert, key = map(_known, files)
        security = Security(
            require_encryption=True, tls_ca_file=ca, tls_client_cert=cert, tls_client_key=key
        )
    try:
        if where.startswith("tcp://"):
            _refuse_other_servers(where)
        return Client(where, timeout=_CONNECTING, set_as_default=False, security=security)
    except (OSError, ValueError, TypeError) as error:
        raise GoughError(
            f"{clipped(address, 200)}: no Dask scheduler answers: {clipped(str(error), 400)}; "
            "expected an address such as tcp://host:8786, or a scheduler file"
        ) from None


def _known(file: Path | str) -> str:
    if not Path(file).is_file():
        raise InputError("no such file", file=Path(file), expected="a certificate or a key (PEM)")
    return str(file)


def _refuse_other_servers(address: str) -> None:
    """Refuse a server that sends no small number of frames first: Dask would wait forever."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port or 0), _CONNECTING) as probe:
        first = probe.recv(8, socket.MSG_WAITALL)
    if len(first) < 8 or int.from_bytes(first, "little") > _MOST_FRAMES:
        raise ConnectionError(f"another server is there, which begins with {first!r}")


def _of_scheduler_file(path: Path) -> str:
    """The address that a scheduler has written into a file; Dask would wait for one without end."""
    found = read_table(path, "a scheduler file of Dask").get("address")
    if not isinstance(found, str):
        expected = 'a file of "dask scheduler --scheduler-file", which has its address'
        raise InputError("no scheduler file", file=path, key="address", expected=expected)
    return found
