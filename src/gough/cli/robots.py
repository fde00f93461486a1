"""`gough robots`: the library."""

from __future__ import annotations

from gough.cli.output import JsonOption, console, print_json, table
from gough.robot import library_names, load


def robots(as_json: JsonOption = False) -> None:
    """List the robots that come with Gough, each with its reference.

    Example:  gough robots
    """
    found = [load(name) for name in library_names()]
    if as_json:
        print_json([{"name": r.name, "reference": r.reference, "notes": r.notes} for r in found])
        return
    rows = [(r.name, _kinds(r.legs), r.platform.mass, r.reference) for r in found]
    console.print(table("Robots", ("name", "legs", "platform [kg]", "reference"), rows))


def _kinds(legs: tuple[object, ...]) -> str:
    kinds = sorted({getattr(leg, "kind", "") for leg in legs})
    return f"6 {'/'.join(kinds)}"
