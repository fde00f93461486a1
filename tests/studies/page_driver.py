"""Drives a report as a reader would, in a JavaScript engine with the small browser of page_stub."""

import json
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from py_mini_racer import MiniRacer

VOID = {"meta", "link", "input", "br"}
DARK = "(prefers-color-scheme: dark)"
LITTLE_MOTION = "(prefers-reduced-motion: reduce)"


class _Tree(HTMLParser):
    """The tree of a page: [tag, attributes, children], texts as they are."""

    def __init__(self):
        super().__init__()
        self.open = [["", {}, []]]

    def handle_starttag(self, tag, attrs):
        node = [tag, {name: value or "" for name, value in attrs}, []]
        self.open[-1][2].append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.open[-1][2].append(data)


@cache
def _browser():
    folder = Path(__file__).parent / "page_stub"
    parts = [(folder / name).read_text("utf-8") for name in ("dom.js", "canvas.js", "browser.js")]
    return '(() => {{ "use strict";\n{} }})(); 0'.format("\n".join(parts))


class Page:
    """A page that was opened: the test presses, drags and looks; elements by selector and number.

    Whatever goes wrong in a script, and whatever it uses that the small browser does not have, is
    an error at once.
    """

    def __init__(self, text):
        tree = _Tree()
        tree.feed(text)
        (root,) = [node for node in tree.open[0][2] if not isinstance(node, str)]
        self.engine = MiniRacer()
        self.engine.eval(_browser())
        self._do("build", root)
        self.pictures(2)

    def _do(self, name, *arguments):
        given = ", ".join(json.dumps(argument) for argument in arguments)
        return json.loads(self.engine.eval(f"JSON.stringify(test.{name}({given})) ?? 'null'"))

    def pictures(self, count=1, seconds=1 / 60):
        """Let so many pictures be drawn, so many seconds apart."""
        self._do("pictures", count, 1000 * seconds)

    def complaints(self):
        """What the scripts wrote to the console."""
        return self._do("complaints")

    def count(self, selector):
        """How many elements there are."""
        return self._do("count", selector)

    def tell(self, selector, kind, k=0, **facts):
        """Something happens to an element; then a picture is drawn. Says whether it was handled."""
        handled = self._do("tell", selector, k, kind, facts)
        self.pictures()
        return handled

    def press(self, selector, k=0):
        """Press a button."""
        self.tell(selector, "click", k)

    def key(self, selector, key, k=0, **facts):
        """Press a key while an element has the focus."""
        return self.tell(selector, "keydown", k, key=key, **facts)

    def drag(self, selector, start, end, k=0):
        """Drag with the pointer between two places (x, y) of an element, in pixels."""
        left = 20
        at = [{"clientX": left + x, "clientY": y} for x, y in (start, end)]
        self.tell(selector, "pointerdown", k, **at[0])
        self.tell(selector, "pointermove", k, **at[1])
        self.tell(selector, "pointerup", k, **at[1])

    def choose(self, selector, value, kind, k=0):
        """Set the value of a slider or select."""
        self._do("set", selector, k, "value", str(value))
        self.tell(selector, kind, k)

    def value(self, selector, name="value", k=0):
        """A property of an element."""
        return self._do("get", selector, k, name)

    def texts(self, selector):
        """What stands in all elements."""
        return self._do("texts", selector)

    def attributes(self, selector, name):
        """An attribute of all elements."""
        return self._do("attributes", selector, name)

    def backgrounds(self, selector):
        """The backgrounds that scripts gave to elements."""
        return self._do("backgrounds", selector)

    def drawings(self, selector):
        """What is drawn on all canvases: a list of {kind, look, dash, points, ...} for each."""
        return self._do("drawings", selector)

    def colour(self, name):
        """A value of the style sheet."""
        return self._do("colour", name)

    def size(self, selector, k=0):
        """Width and height of an element, in pixels."""
        size = self._do("size", selector, k)
        return size["width"], size["height"]

    def resize(self, width):
        """Give the window another width."""
        self._do("resize", width)
        self.pictures(3)

    def begin_printing(self):
        """Begin to print the page as it is, without looking at all of it first."""
        self._do("beforePrint")

    def end_printing(self):
        """Go back to the screen."""
        self._do("afterPrint")

    def scroll_through(self):
        """Bring all charts into sight."""
        self._do("scrollThrough")
        self.pictures(3)

    def set_media(self, query, matches):
        """Change what the reader prefers."""
        self._do("setMedia", query, matches)
        self.pictures(2)
