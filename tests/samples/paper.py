"""Reports on paper: printed by a real browser, and read back page by page."""

import os
import re
import shutil
import subprocess
from functools import cache
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

READERS = ("pdftotext", "pdftoppm")
DOTS = 60
"""Per inch."""


def needed():
    """A test that reads a PDF is skipped where nothing does; where CI is set it fails."""
    for name in READERS:
        if shutil.which(name) is None:
            missing = f"nothing to read a PDF with: {name} is not installed"
            (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)


def printed(opened_page, path):
    """The PDF of a page, printed as it was opened: without looking at all of it first."""
    opened_page.tab.pdf(path=path, prefer_css_page_size=True)
    return path


def words(pdf):
    """The text of all pages, with single spaces."""
    found = subprocess.run(["pdftotext", "-raw", pdf, "-"], check=True, capture_output=True)
    return " ".join(found.stdout.decode().split())


def places(pdf, text):
    """(page, top, bottom) [points] of each line that begins with a text."""
    found = []
    for number, page in enumerate(_layout(pdf).split("<page ")[1:], 1):
        for line in re.findall(r"<line .*?</line>", page, re.DOTALL):
            if " ".join(map(unescape, re.findall(r">([^<>\s]+)</word>", line))).startswith(text):
                box = re.match(r'<line xMin=".*?" yMin="(.*?)" xMax=".*?" yMax="(.*?)"', line)
                found.append((number, float(box[1]), float(box[2])))
    return found


def columns_of_colour(pdf, page, top, bottom):
    """How many columns of pixels have a colour, neither grey nor white, in a strip of a page."""
    first, last = (int(y * DOTS / 72) for y in (top, bottom))
    strip = _picture(str(pdf), page)[first:last]
    return int((np.ptp(strip, axis=2) > 60).any(axis=0).sum())


@cache
def _layout(pdf):
    command = ["pdftotext", "-bbox-layout", pdf, "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode()


@cache
def _picture(pdf, page):
    """(height, width, 3) red, green and blue of all pixels of a page."""
    command = ["pdftoppm", "-r", str(DOTS), "-f", str(page), "-l", str(page), pdf]
    made = subprocess.run(command, check=True, capture_output=True).stdout
    kind, size, depth, pixels = made.split(b"\n", 3)
    assert (kind, depth) == (b"P6", b"255")
    width, height = map(int, size.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


class Headings(HTMLParser):
    """The headings of columns of all tables of a page, as they read."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inside = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "th" and ("scope", "col") in attrs:
            self.inside = True
            self.found.append("")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "th"

    def handle_data(self, data):
        if self.inside:
            self.found[-1] += data
