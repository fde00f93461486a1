"""Catalogues of actuators in files: TOML and JSON, and the one that comes with Gough."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gough.errors import InputError, about_file
from gough.fields.file_kinds import refuse_other_kinds
from gough.fields.table import read
from gough.fields.user_files import NO_SUCH_FILE, plain_data, read_table
from gough.sizing.records import Catalogue

GENERIC = Path(__file__).parent / "library" / "electric-cylinders.toml"
"""Electric cylinders of ordinary proportions, no particular products."""


def load_catalogue(source: str | Path | Mapping[str, Any] | Catalogue | None = None) -> Catalogue:
    """The catalogue of a .toml or .json file, or of plain data.

    Left out, or by its name, "electric-cylinders": Gough's own.

    >>> load_catalogue().actuators[0].stroke
    0.3
    """
    if isinstance(source, Catalogue):
        return source
    if isinstance(source, Mapping):
        return read(Catalogue, plain_data(source))
    if not isinstance(source, str | Path | None):
        raise InputError("not a catalogue", value=source, expected="the path of a file, or a table")
    path = GENERIC if source is None or source == GENERIC.stem else Path(source)
    data = _table(path)
    with about_file(path):
        refuse_other_kinds(data, "catalogue")
        return read(Catalogue, data)


def _table(path: Path) -> dict[str, Any]:
    """What the file of a catalogue says."""
    try:
        return read_table(path, "a catalogue of actuators")
    except InputError as error:
        if error.problem != NO_SUCH_FILE:
            raise
        expected = f'{error.expected}, or Gough\'s own, "{GENERIC.stem}"'
        raise InputError.of(error, expected=expected) from None
