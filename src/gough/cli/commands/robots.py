"""`gough robots`: the library."""

from __future__ import annotations

from gough.cli.output import JsonOption, console, print_json, say


def robots(as_json: JsonOption = False) -> None:
    """List the robots that come with Gough, with references.

    Example:  gough robots
    """
    from gough.display.terminal import rich_table
    from gough.kinematics.description import library_facts, library_table
    from gough.robot import library_names, load

    found = [load(name) for name in library_names()]
    if as_json:
        print_json([library_facts(robot) for robot in found])
        return
    listed = rich_table(library_table(found))
    for column in listed.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    listed.expand, listed.columns[-1].ratio = True, 1  # what is left of a line
    console.print(listed)
    say("all about one of them: gough show NAME")
