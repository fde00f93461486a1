"""XML of users: of a bounded size, without document types, which can swell in memory."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

from gough.errors import InputError

MOST_BYTES = 2**24


MOST_ELEMENTS = 100_000


class _Plain(Xml.TreeBuilder):
    def __init__(self) -> None:
        super().__init__()
        self.left = MOST_ELEMENTS

    def start(self, tag: str, attrs: dict[str, str], /) -> Xml.Element:
        """Begin an element, unless there are too many."""
        self.left -= 1
        if self.left < 0:
            raise InputError(f"more than {MOST_ELEMENTS:,} elements", expected="a smaller file")
        return super().start(tag, attrs)

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Refuse a document type: of all XML, only that can name entities and other files."""
        raise InputError("a document type", value=name, expected="XML without <!DOCTYPE …>")


def parsed_xml(text: str, path: Path, wanted: str) -> Xml.Element:
    """The element at the top of a file's text; `wanted` says what it should be."""
    try:
        parser = Xml.XMLParser(target=_Plain())
        parser.feed(text)
        root: Xml.Element = parser.close()
    except InputError as error:
        raise InputError.of(error, file=path) from None
    except (Xml.ParseError, ValueError) as error:  # the latter of an unknown encoding
        raise InputError(f"not valid XML: {error}", file=path, expected=wanted) from None
    return root
