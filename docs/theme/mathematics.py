"""A hook of MkDocs: formulas become MathML when the site is built, so that pages need no script."""

import html
import re
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.S)


def on_page_content(content: str, **_: Any) -> str:
    """The page with `$…$` and `$$…$$` as browsers draw them."""
    return FORMULA.sub(_drawn, content)


def _drawn(found: re.Match[str]) -> str:
    tag, bracket, formula = found.groups()
    display = "block" if bracket == "[" else "inline"
    return f'<{tag} class="formula">{convert(html.unescape(formula), display=display)}</{tag}>'
