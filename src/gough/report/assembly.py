"""Putting a page together from its files: templates, style sheets and scripts, all in one.

Browsers refuse to import modules beside a page that is opened from a disk. So the modules are
written one after the other, each after those that it imports and inside a function of its own:
what it exports is what the function returns, and what it imports is taken from there. Comments on
lines of their own are left out. The files themselves are plain ES modules, which a server can give
to a browser as they are.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.resources import files
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from numpy.typing import ArrayLike

from gough.analysis.results import Studied
from gough.disk.plain_data import PlainData, PlainMapping
from gough.display.table import value_text
from gough.plots.style import LEG_COLOURS
from gough.report.text import number_text, sentence, time_text, unit_text, without_controls

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$', re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?=(?:const|(?:async )?function) (\w+))", re.MULTILINE)

_USUAL_STYLES = "theme layout tables charts grid print landscape"
_STYLES = {  # style sheets of kinds of pages, where they are not the usual ones
    "study": "theme layout tables charts machine modes print",
    "design": "theme layout tables charts machine grid design print landscape",
    "selection": "theme layout tables charts grid selection print landscape",
    "workbench": "theme layout machine charts modes workbench way",
}
_SCRIPTS = {"selection": "", "workbench": "bench"}
"""Modules of kinds of pages that are not named like these, or have none."""
_UNSTATED: PlainData = {  # parts of a page that need not be given
    **{"subtitle": "", "warnings": (), "limits": None},
    **{"inputs": {}, "versions": {}, "data": {}},
}
_LINE = 100  # maximum length of a line of inputs [characters], unless they are numbers


def assembled(kind: str, **parts: object) -> str:
    """One HTML text: the template of a kind of page with its parts, style sheets and script."""
    names, start = _STYLES.get(kind, _USUAL_STYLES).split(), _SCRIPTS.get(kind, kind)
    template = _environment().get_template(f"{kind}.html")
    style = "\n".join(page_file(f"styles/{name}.css") for name in names)
    given = {"style": style, "script": script(start) if start else "", "leg_colours": LEG_COLOURS}
    return template.render(_UNSTATED | parts | given)


def script(start: str) -> str:
    """The script of a module and of all that it needs."""
    return joined(start, lambda name: page_file(f"scripts/{name}.js"))


@cache
def page_file(name: str) -> str:
    """The text of one of the page's files; how kernels are called, the compiler knows."""
    here, other = files("gough.report") / "page" / name, files("gough.compiler.source")
    file = here if here.is_file() else other / PurePosixPath(name).name
    return file.read_text(encoding="utf-8").strip()


@cache
def _environment() -> Environment:
    """Templates in which every text is escaped, and a name that is not given is an error."""
    made = Environment(
        loader=PackageLoader("gough.report", "page/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: without_controls(value) if type(value) is str else value,
    )
    made.filters |= {"sentence": sentence, "time": time_text, "unit": unit_text}
    made.filters["value"] = partial(value_text, number=number_text)
    compact = {"separators": (",", ":"), "ensure_ascii": False, "allow_nan": False}
    made.policies["json.dumps_kwargs"] = compact
    return made


def about(results: Studied) -> PlainData:
    """The parts that pages of all results of studies have."""
    named = {"title": results.name, "robot": results.robot.name, "subtitle": results.notes}
    return named | {"limits": results.limits, "versions": results.versions}


def inputs(study: PlainMapping) -> dict[str, str]:
    """The study as it was resolved, by title; files by their names only."""
    robot = {"robot": study["robot"]} if "robot" in study else {}
    others = {key: value for key, value in study.items() if key != "robot"}
    titled = {"Motion and tasks": others, "Robot": robot}
    return {title: in_few_lines(_without_folders(part)) for title, part in titled.items() if part}


def in_few_lines(value: ArrayLike, before: str = "") -> str:
    """Plain data as JSON: what fits stands in one line, and so does a list of numbers."""
    line = json.dumps(value, ensure_ascii=False, default=str)
    within = f"{before}  "
    if isinstance(value, Mapping) and len(line) > _LINE:
        items = [
            f"{json.dumps(str(key), ensure_ascii=False)}: {in_few_lines(item, within)}"
            for key, item in value.items()
        ]
    elif (
        isinstance(value, list)
        and len(line) > _LINE
        and any(isinstance(item, Mapping | list) for item in value)
    ):
        items = [in_few_lines(item, within) for item in value]
    else:
        return line
    first, last = ("{", "}") if isinstance(value, Mapping) else ("[", "]")
    listed = f",\n{within}".join(items)
    return f"{first}\n{within}{listed}\n{before}{last}"


def _without_folders(value: object) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_folders(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_folders(item) for item in value]
    if isinstance(value, str) and "\n" not in value:
        for kind in (PurePosixPath, PureWindowsPath):
            if kind(value).is_absolute():
                return kind(value).name
    return value


def joined(start: str, read: Callable[[str], str]) -> str:
    """The script of a module and of all that it needs; `read` gives a module's text by name."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in modules:
            text = read(name)
            for _, needed in _IMPORT.findall(text):
                add(needed)
            exported = ", ".join(_EXPORT.findall(text))
            body = _IMPORT.sub(r"const { \1 } = modules.\2;", _COMMENT.sub("", text))
            body = _EXPORT.sub("", body).strip()
            modules[name] = f"modules.{name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"

    add(start)
    return "\n".join(["const modules = {};", *modules.values()])
