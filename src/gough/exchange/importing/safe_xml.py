"""XML files of users: of a bounded size, without document types, which can swell in memory."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

from gough.errors import InputError
from gough.fields.user_files import read_text

MOST_BYTES = 2**24


class _Plain(Xml.TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Refuse a document type: of all XML, only that can name entities and other files."""
        raise InputError("a document type", value=name, expected="XML without <!DOCTYPE …>")


def read_xml(path: Path, wanted: str) -> Xml.Element:
    """The element at the top of a file; `wanted` says what it should be."""
    return parsed_xml(read_text(path, wanted, MOST_BYTES), path, wanted)


def parsed_xml(text: str, path: Path, wanted: str) -> Xml.Element:
    """The element at the top of a file's text."""
    try:
        parser = Xml.XMLParser(target=_Plain())
        parser.feed(text)
        root: Xml.Element = parser.close()
    except InputError as error:
        raise InputError.of(error, file=path) from None
    except Xml.ParseError as error:
        raise InputError(f"not valid XML: {error}", file=path, expected=wanted) from None
    except ValueError as error:  # an unknown encoding
        raise InputError(f"not valid XML: {error}", file=path, expected=wanted) from None
    return root
