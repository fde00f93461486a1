"""A hook of MkDocs: live workbenches on the home page and on the pages of the library's machines.

A workbench takes seconds to write, so that only those of the home page are written unless the
environment variable WORKBENCHES is "all", as `make site` sets it.
"""

import os
import posixpath
from pathlib import Path, PurePosixPath
from typing import Any

import gough
from gough.workbench import write_workbench

HOME = ("delta", "demo-hexapod")
"""Robots of the home page."""
MACHINE_PAGES = PurePosixPath("reference/robots")


def robots() -> tuple[str, ...]:
    """Return the robots whose workbenches are written."""
    return gough.library_names() if os.environ.get("WORKBENCHES") == "all" else HOME


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Show the live machine below the picture on the page of a machine."""
    place = PurePosixPath(page.file.src_uri)
    if place.parent != MACHINE_PAGES or place.stem not in robots():
        return markdown
    picture = f"![{place.stem}]({place.stem}.png)"
    source = posixpath.relpath(f"workbench/{place.stem}.html", posixpath.dirname(page.url))
    live = f'<iframe class="workbench" src="{source}" title="Workbench" loading="lazy"></iframe>'
    return markdown.replace(picture, f"{picture}\n\n{live}", 1)


def on_post_build(config: Any, **_: Any) -> None:
    """Write a workbench page of each robot into the folder `workbench` of the site."""
    folder = Path(config.site_dir, "workbench")
    folder.mkdir(exist_ok=True)
    for name in robots():
        write_workbench(gough.load(name), folder / f"{name}.html", overwrite=True)
