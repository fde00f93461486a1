"""The pages that tests of reports open in the browser."""

import json

import pytest
from browser import SCRIPTS, Page, open_context
from report_samples import page

from gough.report.assembly import page_file


@pytest.fixture(scope="session")
def tabs(browser):
    context = open_context(browser)
    yield context
    context.close()


@pytest.fixture
def opened(browser, tabs, tmp_path):
    """Opens a report as a file; in the end nothing may have gone wrong in it.

    With a clock, time stands still until the test lets it pass.
    """
    pages = []

    def open_page(kind, text=None, *, clock=False):
        path = tmp_path / f"{len(pages)}.html"
        path.write_text(page(kind) if text is None else text, encoding="utf-8")
        pages.append(Page(open_context(browser) if clock else tabs, path, clock=clock))
        return pages[-1]

    yield open_page
    for each in pages:
        complaints = each.complaints()
        each.close()
        assert complaints == []


@pytest.fixture(scope="session")
def modules(browser):
    """A tab that can import the page's modules as they are."""
    tab = browser.new_page()

    def give_module(route):
        name = route.request.url.removeprefix(SCRIPTS)
        route.fulfill(content_type="text/javascript", body=page_file(f"scripts/{name}"))

    tab.route(f"{SCRIPTS}*.js", give_module)
    tab.route(SCRIPTS, lambda route: route.fulfill(content_type="text/html", body=""))
    tab.goto(SCRIPTS)
    yield tab
    tab.close()


@pytest.fixture(scope="session")
def js(modules):
    """Calls `module.function` with plain data; a string that starts with = is code."""

    def call(name, *arguments):
        module, _, function = name.partition(".")
        given = ", ".join(a[1:] if str(a).startswith("=") else json.dumps(a) for a in arguments)
        keep_nan = "(_, v) => typeof v === 'number' && !Number.isFinite(v) ? null : v"
        made = modules.evaluate(
            f"async () => {{ const m = await import('./{module}.js');"
            f"return JSON.stringify(m.{function}({given}), {keep_nan}) ?? 'null'; }}"
        )
        return json.loads(made)

    return call
