"""`python -m gough`: the same as the command `gough`."""

from gough.cli.main import process

process()
