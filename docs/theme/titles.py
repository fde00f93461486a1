"""A hook of MkDocs: a link that is called by its file, as on disk, shows the title of the page."""

import posixpath
import re
from typing import Any

LINK = re.compile(r"\[[\w-]+\.md\]\(([\w/.-]+\.md)(#[\w-]+)?\)")


def on_page_markdown(text: str, page: Any, files: Any, **_: Any) -> str:
    """The page's text with titles in its links."""

    def titled(found: re.Match[str]) -> str:
        path, part = found[1], found[2] or ""
        there = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), path))
        target = files.get_file_from_path(there)
        return f"[{target.page.title}]({path}{part})" if target else found[0]

    return LINK.sub(titled, text)
