"""Where long work is done, on the command line: --workers, --cluster and --tls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.output import wrong_usage

if TYPE_CHECKING:
    from gough.executors import Executor

WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Have so many processes do the work."),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="ADDRESS", help="Have a Dask cluster do the work: its scheduler."
    ),
]
TlsOption = Annotated[
    tuple[Path, Path, Path],
    typer.Option(
        "--tls",
        metavar="CA CERT KEY",
        help="Certificate of the authority, own certificate and its key (PEM), of a cluster whose "
        "address is tls://…",
    ),
]


def executor_of(
    workers: int | None, cluster: str | None, tls: tuple[Path, Path, Path] | None
) -> Executor:
    """Return what the options name; nothing: this process."""
    if workers is not None and cluster is not None:
        raise wrong_usage("--workers", "not with --cluster: a cluster has workers of its own")
    if not tls:
        return workers if cluster is None else cluster
    from gough.executors import Scheduler

    if cluster is None:
        raise wrong_usage("--tls", "only with --cluster tls://host:8786")
    return Scheduler(cluster, *tls)


def refuse_idle(workers: int | None, cluster: str | None, why: str) -> None:
    """Refuse workers that would have nothing to do, and say why."""
    for option, given in (("--workers", workers), ("--cluster", cluster)):
        if given is not None:
            raise wrong_usage(option, why)
