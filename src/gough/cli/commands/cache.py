"""`gough cache`: the compiled kernels on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from gough.cli.output import JsonOption, print_json, say
from gough.compiler.native.cache import DIRECTORY_VARIABLE, SIZE_VARIABLE
from gough.compiler.native.cache import clear as clear_cache
from gough.compiler.native.cache import info as cache_info


def cache(
    info: Annotated[
        bool, typer.Option("--info", help="Show where it is and its size (default).")
    ] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Remove every entry.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show or clear the cache of compiled kernels.

    Example:  gough cache --info
    """
    removed = clear_cache() if clear else 0
    state = cache_info()
    if as_json:
        print_json({**vars(state), "directory": str(state.directory), "removed": removed})
        return
    if clear:
        say(f"{removed} compiled kernels removed from {state.directory}")
    if info or not clear:
        size, limit = state.size / 2**20, state.limit / 2**20
        say(f"directory  {state.directory}  (set by {DIRECTORY_VARIABLE})")
        say(
            f"entries    {state.entries}, {size:.2f} MiB of at most {limit:.0f} MiB  "
            f"(set by {SIZE_VARIABLE}, in bytes)"
        )
        if state.problem:
            say(f"not used   {state.problem}")
