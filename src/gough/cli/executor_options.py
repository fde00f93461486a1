"""Where long work is done, on the command line: --workers and --cluster."""

from __future__ import annotations

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


def executor_of(workers: int | None, cluster: str | None) -> Executor:
    """What the two options say; nothing: this process."""
    if workers is not None and cluster is not None:
        raise wrong_usage("--workers", "not with --cluster: a cluster has workers of its own")
    return workers if cluster is None else cluster


def refuse_idle(workers: int | None, cluster: str | None, why: str) -> None:
    """Refuse workers that would have nothing to do, and say why."""
    for option, given in (("--workers", workers), ("--cluster", cluster)):
        if given is not None:
            raise wrong_usage(option, why)
