"""Putting a page together from its files: HTML, style sheets and scripts, all in one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import PurePosixPath, PureWindowsPath
from string import Template
from typing import Any

from gough.analysis.limits import Judged
from gough.plots.style import LEG_COLOURS
from gough.report.packing import script_json
from gough.report.text import safe_text, sentence

_LINE = 100
"""So many letters of inputs stand in one line at most, unless they are numbers."""


def assembled(
    page: str, styles: Sequence[str], scripts: Sequence[str], data: Any, **parts: str
) -> str:
    """One HTML text: the frame that all pages share, with a page's own middle and its parts."""
    middle = Template(page_file(page)).substitute(tables=parts.pop("tables"))
    return Template(page_file("frame.html")).substitute(
        style=_style(styles),
        script="\n".join(map(page_file, scripts)),
        data=script_json(data),
        middle=middle,
        **parts,
    )


@cache
def page_file(name: str) -> str:
    """The text of one of the page's files."""
    return (files("gough.report") / "page" / name).read_text(encoding="utf-8").strip()


def _style(names: Sequence[str]) -> str:
    """The style sheets, with the colours of the legs."""
    legs = {f"leg_{leg}": colour for leg, colour in enumerate(LEG_COLOURS, 1)}
    return Template("\n".join(map(page_file, names))).substitute(legs)


def head(title: str, subtitle: str, facts: Mapping[str, str]) -> str:
    """The head of the page: what was studied, and a line of facts."""
    spans = "".join(
        f"<span>{escape(name)} <b>{safe_text(value)}</b></span>"
        for name, value in facts.items()
        if value
    )
    below = f'<p dir="auto">{safe_text(subtitle)}</p>' if subtitle else ""
    return f'<h1 dir="auto">{safe_text(title)}</h1>{below}<div class="facts">{spans}</div>'


def warning_box(warnings: Sequence[str], limits: Judged) -> str:
    """All warnings, or a line that says that there are none; and which limits were judged."""
    below = f'<p class="judged">{escape(str(limits))}</p>'
    if not warnings:
        words = "no limit that was judged is exceeded" if limits.judged else "but no limit is known"
        return f'<p class="no-warnings">No warnings: {words}.</p>{below}'
    items = "".join(f"<li>{sentence(text)}</li>" for text in warnings)
    title = "Warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
    box = f'<section class="warnings" role="alert"><h2>{title}</h2><ul>{items}</ul></section>'
    return box + below


def inputs(study: Mapping[str, Any]) -> str:
    """The study as it was resolved, folded away; files by their names only."""
    blocks = []
    for title, keys in (("Motion and tasks", None), ("Robot", ("robot",))):
        chosen = {k: v for k, v in study.items() if (k in keys if keys else k != "robot")}
        if not chosen:
            continue
        text = in_few_lines(_without_folders(chosen))
        blocks.append(
            f'<details class="card"><summary>{title}</summary><pre>{escape(text)}</pre></details>'
        )
    return "\n".join(blocks)


def in_few_lines(value: Any, before: str = "") -> str:
    """Plain data as JSON: what fits stands in one line, and so does a list of numbers."""
    line = json.dumps(value, ensure_ascii=False, default=str)
    within = f"{before}  "
    if isinstance(value, Mapping) and len(line) > _LINE:
        items = [
            f"{json.dumps(str(key), ensure_ascii=False)}: {in_few_lines(item, within)}"
            for key, item in value.items()
        ]
    elif isinstance(value, list) and len(line) > _LINE and not _is_flat(value):
        items = [in_few_lines(item, within) for item in value]
    else:
        return line
    first, last = ("{", "}") if isinstance(value, Mapping) else ("[", "]")
    listed = f",\n{within}".join(items)
    return f"{first}\n{within}{listed}\n{before}{last}"


def foot(versions: Mapping[str, str]) -> str:
    """What the page was made with."""
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"Made with {escape(listed)}." if listed else "Made with Gough."


def _is_flat(values: list[Any]) -> bool:
    return not any(isinstance(value, Mapping | list) for value in values)


def _without_folders(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_folders(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_folders(item) for item in value]
    if isinstance(value, str) and "\n" not in value:
        for kind in (PurePosixPath, PureWindowsPath):
            if kind(value).is_absolute():
                return kind(value).name
    return value
