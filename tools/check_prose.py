"""Check the words of docstrings, messages, help and pages: `python tools/check_prose.py [PATH …]`.

A summary begins with a verb or a noun, and every text uses the terms of the field's textbooks and
data sheets. Each finding is printed with its place and the words to write instead.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
OPENINGS = re.compile(r"(Of|What|So|How|The same|As)\b")
"""Words that no summary begins with."""
TERMS = {
    r"(?-i:yield(s|ed|ing)?)(?! (point|strength|from))": "compliant, elastic",
    r"(give|gives|gave|giving) way": "compliant, unstable",
    r"weighs and how it rubs|how (it|they) rubs?": "inertial and friction parameters",
    r"felt|(not|nor|never) feel": "identifiable, observable",
    r"tells? most": "excitation trajectory",
    r"softest": "most compliant, minimum stiffness",
    r"freedoms": "degrees of freedom",
    r"idle spins?": "passive degrees of freedom",
    r"leaves? its travel": "exceeds its range",
    r"least force index": "minimum force margin",
    r"held against|judged?|judges": "checked against, limits checked",
    r"shak(es|en|ing)": "base excitation",
    r"warming": "temperature rise, thermal load",
    r"would better": "relaxing this limit reduces",
    r"drawn at random": "Monte Carlo samples",
    r"head of (a|the) (file|recording)": "header",
    r"tells|told|is said|are said": "reported, listed, warned about",
    r"of any kind|any machine": "mechanism, parallel robot",
    r"left-over rows?": "platform constraints",
    r"coasting": "bias acceleration",
    r"stances?": "frame convention",
    r"drawings?": "home configuration, figure, Monte Carlo sample",
    r"has not an?|have not an?": "is not, without",
    r"(?<!at )least(?![ -]squares?)|greatest|largest": "minimum, maximum",
}
"""Words that no text uses, as patterns, with what to write instead."""
QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')
"""A text of a script of the report pages."""
UNSEEN = {
    ".js": r"\$\{[^{}]*\}",
    ".html": r"<[^>]*>|\{[{%#].*?[}%#]\}",
    ".md": r"`[^`]*`",
    ".py": r"`[^`]*`",
}
"""Code within the texts of a file, as patterns, by its suffix."""
FORBIDDEN = {re.compile(rf"\b({word})\b", re.IGNORECASE): term for word, term in TERMS.items()}


class Text(NamedTuple):
    """A docstring, a message or a paragraph."""

    path: Path
    line: int
    words: str
    is_summary: bool


def findings(text: Text) -> Iterator[str]:
    """Yield what a text must not say, each with its place."""
    place = f"{text.path.relative_to(ROOT)}:{text.line}"
    if text.is_summary and (found := OPENINGS.match(text.words)):
        yield f"{place}: begins with {found[0]!r}; begin with a verb or a noun"
    for pattern, term in FORBIDDEN.items():
        for found in pattern.finditer(text.words):
            yield f"{place}: {found[0]!r}; write: {term}"


def texts(path: Path) -> Iterator[Text]:
    """Yield the texts of a Python source, a script, a template or a page."""
    content = path.read_text("utf-8")
    yield from _READERS[path.suffix](path, content)


def _source_texts(path: Path, content: str) -> Iterator[Text]:
    tree = ast.parse(content)
    bare = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    listed = {  # words of a list, no sentence: "a b c".split()
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "split"
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and " " in node.value and node not in listed:
            words = re.sub(UNSEEN[path.suffix], "", node.value)
            yield Text(path, node.lineno, words, node in bare)


def _script_texts(path: Path, content: str) -> Iterator[Text]:
    seen = re.sub(UNSEEN[path.suffix], "", content)
    for found in QUOTED.finditer(seen):
        if " " in found[0]:
            yield Text(path, seen.count("\n", 0, found.start()) + 1, found[0], False)


def _page_texts(path: Path, content: str) -> Iterator[Text]:
    is_code = False
    for number, line in enumerate(content.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield Text(path, number, re.sub(UNSEEN[path.suffix], "", line), False)


_READERS = {".py": _source_texts, ".js": _script_texts, ".html": _page_texts, ".md": _page_texts}
"""Readers of texts by the suffix of a file."""


def main(arguments: list[str]) -> int:
    """Print all findings in the sources and pages given, by default all; 1 where there are any."""
    places = [Path(name).resolve() for name in arguments]
    paths = [
        path
        for place in places or [ROOT / "src", ROOT / "docs", ROOT / "README.md"]
        for path in ([place] if place.is_file() else sorted(place.rglob("*")))
        if path.suffix in _READERS
    ]
    found = [finding for path in paths for text in texts(path) for finding in findings(text)]
    print("\n".join([*found, f"{len(found)} findings in {len(paths)} files"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
