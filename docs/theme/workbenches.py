"""A hook of MkDocs: write the live workbench pages that the home page shows."""

from pathlib import Path
from typing import Any

import gough
from gough.workbench import write_workbench

ROBOTS = ("delta", "demo-hexapod")
"""Robots of the home page."""


def on_post_build(config: Any, **_: Any) -> None:
    """Write a workbench page of each robot into the folder `workbench` of the site."""
    folder = Path(config.site_dir, "workbench")
    folder.mkdir(exist_ok=True)
    for name in ROBOTS:
        write_workbench(gough.load(name), folder / f"{name}.html", overwrite=True)
