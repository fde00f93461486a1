"""A page of the workbench for each machine."""

from functools import cache

import numpy as np
import pytest
from browser import Page, open_context, until

import gough
from gough.workbench import workbench_page


@cache
def page_of(robot):
    return workbench_page(gough.load(robot))


class Bench(Page):
    """A workbench that was opened from its file."""

    def __init__(self, context, path, robot):
        self.requests = []
        context.on("request", lambda request: self.requests.append(request.url))
        super().__init__(context, path)
        until(self.tab, "window.gough")
        self.model = gough.Model(gough.load(robot))

    @property
    def pose(self):
        return np.array(self.do("() => window.gough.history.now.pose"))

    def now(self, name):
        """One of the numbers of the state that is shown."""
        return np.array(self.do("(name) => Array.from(window.gough.now[name])", name), dtype=float)

    def write(self, label, text):
        """Write into a field, by its label."""
        field = self.tab.get_by_label(label, exact=True).and_(self.tab.locator("[type=text]"))
        field.fill(text)
        field.press("Enter")
        self.pictures()

    def go_to(self, pose):
        self.do("(pose) => window.gough.goTo(pose)", list(map(float, pose)))
        self.pictures()


@pytest.fixture
def bench(browser, tmp_path):
    """Opens the workbench of a robot; in the end nothing may have gone wrong or been asked for."""
    opened = []

    def open_bench(robot, *, study=None, **options):
        path = tmp_path / f"{robot}.html"
        page = workbench_page(gough.load(robot), study=study) if study else page_of(robot)
        path.write_text(page, encoding="utf-8")
        opened.append(Bench(open_context(browser, **options), path, robot))
        return opened[-1]

    yield open_bench
    for each in opened:
        complaints, asked = each.complaints(), each.requests
        each.tab.context.close()
        assert complaints == []
        assert all(url.startswith(("file:", "blob:", "data:")) for url in asked)
