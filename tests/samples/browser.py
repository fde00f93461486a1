"""Reports in a real browser, driven as a reader would."""

import json
import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader "
    "--disable-gpu-compositing --disable-accelerated-2d-canvas"
).split()
"""WebGL is computed, as there may be no graphics card; all else is quicker without one."""
RATIO = 1.25
"""Pixels of the screen for each of CSS."""
WIDTH, HEIGHT = 1366, 1000
SCRIPTS = "http://scripts.test/"
"""Where the modules of the page are served in tests; no such host exists."""


def browser_program():
    """The program of the system's browser; without one tests are skipped, with CI they fail."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing = f"no browser to open reports with: none of {', '.join(BROWSERS)} is installed"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return found


def open_browser():
    """A browser, for as long as the fixture that yields from this lives."""
    program = browser_program()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


def until(page, script, seconds=30):
    """Wait until a script gives something true; the browser's own way needs what pages forbid."""
    for _ in range(20 * seconds):
        if page.evaluate(f"() => Boolean({script})"):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not within {seconds} s: {script}")


def open_context(browser, **options):
    """Tabs that keep what is drawn in them."""
    size = {"width": WIDTH, "height": HEIGHT}
    context = browser.new_context(viewport=size, device_scale_factor=RATIO, **options)
    context.add_init_script(path=Path(__file__).parent / "browser_record.js")
    return context


class Page:
    """A report that was opened from its file; elements by selector and number.

    With a clock, which all tabs of a context share, time stands still until the test lets it pass.
    """

    def __init__(self, context, path, *, clock=False):
        self.tab = context.new_page()
        self.said, self.clock = [], clock
        self.tab.on("console", lambda message: self._hear(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        if clock:
            self.tab.clock.install(time=0)
        self.tab.goto(path.as_uri())
        if clock:
            self.tab.clock.pause_at(1000)
        self.pictures()

    def _hear(self, text):
        if "GPU stall due to ReadPixels" not in text:  # as WebGL is computed here
            self.said.append(text)

    def do(self, script, *given):
        """What a JavaScript function gives; as JSON, since much comes quicker so."""
        code = f"async (given) => JSON.stringify(await ({script})(...given)) ?? 'null'"
        return json.loads(self.tab.evaluate(code, given))

    def close(self):
        """Close the tab, and its context if that has a clock."""
        (self.tab.context if self.clock else self.tab).close()

    def complaints(self):
        """What went wrong: errors, the console, and texts that are made of missing values."""
        bad = "() => document.body.innerText.match(/.*(NaN|undefined|Infinity|object Object).*/g)"
        return [*self.said, *self.do("() => complaints"), *(self.do(bad) or [])]

    def pictures(self, count=2):
        """Let so many pictures be drawn."""
        if self.clock:
            self.pass_time(count / 60)
            return
        self.do(
            "async (n) => { for (; n > 0; n -= 1) await new Promise(requestAnimationFrame); }",
            count,
        )

    def pass_time(self, seconds):
        """Let time pass on a clock that stands still."""
        self.tab.clock.run_for(round(1000 * seconds))

    def scroll_through(self):
        """Bring everything into sight for a moment."""
        self.do("""async () => {
          for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
            scrollTo(0, y);
            await sightTold();
          }
          scrollTo(0, 0);
          await sightTold();
        }""")

    def element(self, selector, k=0):
        return self.tab.locator(selector).nth(k)

    def count(self, selector):
        return self.tab.locator(selector).count()

    def press(self, selector, k=0, *, twice=False):
        """Click a button, or double-click it."""
        found = self.element(selector, k)
        (found.dblclick if twice else found.click)()
        self.pictures()

    def press_all(self, selector):
        """Press every one, whether it can be seen or not."""
        self.do(
            "(s) => document.querySelectorAll(s).forEach((e) => e.disabled || e.click())", selector
        )
        self.pictures()

    def key(self, selector, key, k=0):
        """Press a key while an element has the focus; says whether the page made use of it."""
        self.element(selector, k).focus()
        self.tab.keyboard.press(key)
        self.pictures()
        return self.do("() => keyHandled")

    def point(self, selector, x, y, k=0):
        """Move the pointer to a place of an element, in pixels from its upper left corner."""
        self.element(selector, k).scroll_into_view_if_needed()
        box = self.element(selector, k).bounding_box()
        self.tab.mouse.move(box["x"] + x, box["y"] + y)
        self.pictures()

    def drag(self, selector, start, end, k=0):
        """Drag with the pointer between two places (x, y) of an element."""
        self.point(selector, *start, k)
        self.tab.mouse.down()
        self.point(selector, *end, k)
        self.tab.mouse.up()
        self.pictures()

    def slide(self, selector, value):
        """Move a slider to a value."""
        set_value = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }"
        self.element(selector).evaluate(set_value, str(value))
        self.pictures()

    def choose(self, selector, value, k=0):
        """Choose from a list."""
        self.element(selector, k).select_option(str(value))
        self.pictures()

    def chosen(self, selector):
        """The values of lists."""
        return self.do("(s) => [...document.querySelectorAll(s)].map((e) => e.value)", selector)

    def texts(self, selector):
        """What stands in all elements."""
        return self.tab.locator(selector).all_text_contents()

    def attributes(self, selector, name):
        """An attribute of all elements."""
        script = "(s, n) => [...document.querySelectorAll(s)].map((e) => e.getAttribute(n))"
        return self.do(script, selector, name)

    def is_hidden(self, selector, k=0):
        return self.element(selector, k).is_hidden()

    def backgrounds(self, selector):
        """The backgrounds of all elements, as the browser shows them."""
        script = (
            "(s) => [...document.querySelectorAll(s)].map((e) => getComputedStyle(e).background)"
        )
        return self.do(script, selector)

    def drawings(self, selector=".chart-picture"):
        """What is drawn on all canvases: a list of {kind, look, dash, points, ...} for each."""
        return self.do("(s) => [...document.querySelectorAll(s)].map(drawingsOf)", selector)

    def colour(self, name):
        """A colour of the style sheet, as canvases call it."""
        return self.do(
            """(name) => {
              const context = document.createElement("canvas").getContext("2d");
              context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
              return context.fillStyle;
            }""",
            name,
        )

    def pixels(self, selector):
        """The colours of a canvas, as a text that differs where a pixel differs."""
        return self.element(selector).evaluate("(canvas) => canvas.toDataURL()")

    def size(self, selector, k=0):
        """Width and height of an element, in pixels."""
        box = self.element(selector, k).bounding_box()
        return box["width"], box["height"]

    def resize(self, width):
        """Give the window another width."""
        self.tab.set_viewport_size({"width": width, "height": HEIGHT})
        self.pictures(3)
