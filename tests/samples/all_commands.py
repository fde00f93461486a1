"""All commands of `gough` by their words: `show`, `pose ik` and so on."""

import typer.main

from gough.cli.command_group import GROUPS, app

_TOP = typer.main.get_command(app).commands
COMMANDS = {name: command for name, command in _TOP.items() if name not in GROUPS} | {
    f"{group} {name}": command for group in GROUPS for name, command in _TOP[group].commands.items()
}
