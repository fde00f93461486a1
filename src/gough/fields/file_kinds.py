"""Which kind of file data are from, as their schema says: one for another command is told so."""

from __future__ import annotations

from collections.abc import Mapping

from gough.errors import InputError

_KINDS = {
    "gough/": ("robot", "'gough show' shows robots"),
    "gough-study/": ("study", "'gough run' and 'gough check' take studies"),
    "gough-design/": ("design", "'gough design' and 'gough check' take designs"),
    "gough-catalogue/": ("catalogue", "'gough select' and 'gough design' take catalogues"),
}
"""By how their schemas begin: what they are called, and what they are for."""


def refuse_other_kinds(data: object, wanted: str) -> None:
    """Say what else data are, if they are a file of another kind than the wanted one."""
    version = str(data.get("schema")) if isinstance(data, Mapping) else ""
    for beginning, (kind, use) in _KINDS.items():
        if version.startswith(beginning) and kind != wanted:
            expected = f"a {wanted} file; {use}"
            raise InputError(f"a {kind}, not a {wanted}", expected=expected)
